//! Random numbers that do not depend on the number of ranks.

use cuda_compute::{Element, Expr, IntoShape, Random, RandomBits, RandomFloat, s};
use cuda_safe::Stream;

use super::{
    Sharded,
    compare::{cut, expect_rows, expect_same},
    row, with_rows,
};
use crate::{collectives::Collectives, error::Result, record::Fact, spread::part};

impl<'a, C: Collectives, T: Element> Sharded<'a, C, T> {
    /// Draws this rank's elements of the whole shape. A block of the sequence yields `each`
    /// elements.
    fn drawn(
        ranks: &'a C,
        stream: &Stream,
        random: &mut Random,
        shape: impl IntoShape,
        (name, each): (&'static str, usize),
        draw: impl FnOnce(&mut Random, usize) -> cuda_compute::Result<Expr<T>>,
    ) -> Result<Self> {
        let shape = cut(shape);
        let facts = [
            Fact::Name("the distribution", name),
            Fact::Number("the seed", random.seed()),
            Fact::Number("the position", random.position()),
        ];
        expect_same::<T>(ranks, stream, shape.clone(), &facts)?;
        let shape = shape?;
        let rows = expect_rows(shape)?;
        let own = part(rows, ranks.size(), ranks.rank());
        let (own_shape, row) = (with_rows(shape, own.len())?, row(shape));
        let first = own.start * row;
        // Start at the beginning of a block.
        let (mut here, before) = (random.clone(), first % each);
        here.skip((first / each) as u64);
        random.skip(shape.elements().div_ceil(each) as u64);
        let drawn = draw(&mut here, before + own.len() * row)?.eval_on(stream)?;
        let drawn = drawn.slice(s![before as isize..])?;
        Self::of_part(ranks, rows, drawn.reshape(own_shape)?)
    }
}

macro_rules! draws {
    ($($class:ident {$($(#[$doc:meta])* $name:ident;)*})*) => {$(
        impl<'a, C: Collectives, T: $class> Sharded<'a, C, T> {$(
            $(#[$doc])*
            ///
            /// The numbers are the same as those of [`Array`](cuda_compute::Array)'s function of
            /// this name for the whole shape, for any number of ranks. All ranks must pass the same
            /// sequence, which is advanced past them.
            ///
            /// # Errors
            /// Returns [`Error::Compute`](crate::Error::Compute) or
            /// [`Error::Cuda`](crate::Error::Cuda) if there is not enough memory. All ranks return
            /// [`Error::Value`](crate::Error::Value) if the shape has no axes, or if shape, type,
            /// distribution or position in the sequence differ between ranks.
            pub fn $name(
                ranks: &'a C,
                stream: &Stream,
                random: &mut Random,
                shape: impl IntoShape,
            ) -> Result<Self> {
                // A block has 128 bits.
                let each = 16 / size_of::<T>();
                let kind = (stringify!($name), each);
                Self::drawn(ranks, stream, random, shape, kind, |random, len| {
                    Expr::<T>::$name(random, len)
                })
            }
        )*}
    )*};
}

draws! {
    RandomFloat {
        /// Draws numbers from 0 up to, but not including, 1.
        uniform;
        /// Draws normally distributed numbers with mean 0 and standard deviation 1.
        normal;
        /// Draws exponentially distributed numbers with mean 1.
        exponential;
    }
    RandomBits {
        /// Draws random bits.
        bits;
    }
}
