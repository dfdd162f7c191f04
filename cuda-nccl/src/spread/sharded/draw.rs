//! Random numbers, the same ones on any number of ranks.

use cuda_compute::{Element, Expr, IntoShape, Random, RandomBits, RandomFloat, s};
use cuda_safe::Stream;

use super::{
    Sharded,
    compare::{cut, expect_rows, expect_same},
    row, with_rows,
};
use crate::{
    collectives::Collectives,
    error::Result,
    spread::{agree::Fact, part},
};

impl<'a, C: Collectives, T: Element> Sharded<'a, C, T> {
    /// Each rank draws its own of the elements of the whole shape, `each` of which are made of a block of the sequence.
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
            Fact::Name("the draw", name),
            Fact::Number("the seed", random.seed()),
            Fact::Number("the position", random.position()),
        ];
        expect_same::<T>(ranks, stream, shape.clone(), &facts)?;
        let shape = shape?;
        let rows = expect_rows(shape)?;
        let own = part(rows, ranks.size(), ranks.rank());
        let (own_shape, row) = (with_rows(shape, own.len())?, row(shape));
        let first = own.start * row;
        // From the beginning of a block on.
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
            /// The same numbers as [`Array`](cuda_compute::Array)'s function of this name draws for the whole shape, however
            /// many ranks there are. All ranks pass the same sequence, which goes on behind them.
            ///
            /// # Errors
            /// The shape has no axes. Memory ran out. On all ranks: one of them draws another shape, type or distribution, or
            /// from another place of a sequence.
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
        /// Numbers from 0 to below 1.
        uniform;
        /// Normal numbers of mean 0 and deviation 1.
        normal;
        /// Exponential numbers of mean 1.
        exponential;
    }
    RandomBits {
        /// Random bits.
        bits;
    }
}
