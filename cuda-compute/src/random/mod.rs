//! Random numbers.

mod arrays;
mod choice;
mod distributions;
mod gamma;
mod multivariate;
mod permutation;
mod table;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

pub use distributions::{RandomBits, RandomFloat, RandomInteger};
use table::{Law, Tables};

use crate::{
    array::{IntoShape, Layout, Order, Shape},
    element::{DataType, Element},
    error::Result,
    expression::{
        Expr,
        function::Function,
        node::{Draw, Inputs, Kind, Node},
        operation::Operation,
    },
};

/// A function of `kernels/random.cuh`.
static COUNT: Function = Function::random("count_of_table", "count_of_table");

/// A sequence of random numbers, and a position in it.
///
/// Each draw takes the next part of the sequence. Draws such as [`Expr::uniform`] and
/// [`Expr::normal`] are expressions. The kernels that use them generate the numbers, which take no
/// memory. [`Array::uniform`](crate::Array::uniform) and similar functions are evaluated at once.
///
/// A program that makes the same draws with the same seed gets the same numbers, on any device, in
/// any kernel, and for any layout of the results. An expression keeps its part of the sequence, so
/// evaluating it twice gives the same numbers.
///
/// ```
/// use cuda_compute::{Expr, Random};
/// use cuda_safe::{Context, Stream};
///
/// # fn main() -> cuda_compute::Result<()> {
/// let stream = Stream::new(&Context::primary(0)?)?;
/// let mut random = Random::new(2026);
/// // Estimates pi from the share of points in a square that are in a quarter circle.
/// let points = 100_000;
/// let x = Expr::<f32>::uniform(&mut random, points)?;
/// let y = Expr::<f32>::uniform(&mut random, points)?;
/// let inside = (&x * &x + &y * &y).less(1.0).count();
/// let hits = inside.eval_on(&stream)?.item()?; // one kernel that reads no memory
/// let pi = 4.0 * hits as f64 / points as f64;
/// assert!((pi - 3.1416).abs() < 0.02, "{pi}");
/// # Ok(())
/// # }
/// ```
///
/// # The sequence
/// The sequence has 2⁶⁴ blocks of four 32-bit words, after which it repeats. Block `b` of the seed
/// `s` is the output of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
/// easy as 1, 2, 3", 2011) for the counter `[low half of b, high half of b, 0, 0]` and the key
/// `[low half of s, high half of s]`. A draw of `n` elements takes the blocks from
/// [`position`](Self::position) `p` on. In the table, `i` is the index of an element in C order of
/// the drawn shape:
///
/// | elements | blocks | words of element `i` |
/// | --- | --- | --- |
/// | `u32`, `f32`, `f16`, `bf16`, `bool` | `n / 4`, rounded up | word `i % 4` of block `p + i / 4` |
/// | `u64`, `f64`, integers of a range | `n / 2`, rounded up | words `i % 2 * 2` and the next one of block `p + i / 2`, low half first |
/// | integers of a range of more than 2³² | twice that | two draws of `u64`: first the high 64 bits of all elements, then the low 64 bits |
/// | normal `f32`, `f16`, `bf16` | `n / 4`, rounded up | words `i % 4 / 2 * 2` and the next one of block `p + i / 4` |
/// | normal `f64` | `n / 2`, rounded up | block `p + i / 2` |
/// | a permutation | 1 | block `p` for all elements (see [`Expr::permutation`]) |
/// | Poisson, binomial: by table | `n / 4`, rounded up | word `i % 4` of block `p + i / 4` |
/// | Poisson, binomial: others | `n` | block `p + i`, and if needed those with 1, 2, … as the counter's third word |
/// | gamma | `n` | block `p + i` and the one with 1 as the counter's third word, if needed those with 2, 3, …, and for shapes below 1 the one with 2³² − 1 |
/// | beta | `2 n` | two draws of gamma numbers |
/// | choices | | those of their uniform or exponential numbers, integers or permutation |
///
/// Bits, permutations, uniform, normal and exponential numbers, and counts by table have the same
/// bits on any device. Log-normal numbers, other Poisson and binomial numbers, and gamma and beta
/// numbers use CUDA's mathematical library and have the same bits only with the same version of it.
/// With another version, the last bits of a float may differ. An integer, or the attempt that a gamma
/// number comes from, may differ if the two sides of a comparison are almost equal.
///
/// Block `b` is the result of cuRAND's `curand4` for a `curandStatePhilox4_32_10_t` after
/// `curand_init(s, 0, 4 * b, &state)`. JAX's `RNG_PHILOX` is the same function with a different
/// counter.
///
/// Philox passes the tests of randomness that its authors list. It is not suitable for
/// cryptography.
///
/// # Tables
/// Poisson and binomial numbers with the same parameters for all elements, and a variance of at most
/// 2¹⁶, are looked up in a table of up to 16 KiB. A `Random` and its clones keep the last four tables.
/// Each table has a copy in device memory for each stream on which it was used, and keeps these streams.
///
/// A copy can't be made in a capture: evaluate the expression once on the stream before. The expression,
/// or a `Random` that still keeps its table, must outlive the graph.
#[derive(Clone)]
pub struct Random {
    seed: u64,
    position: u64,
    tables: Tables,
}

impl PartialEq for Random {
    fn eq(&self, other: &Self) -> bool {
        (self.seed, self.position) == (other.seed, other.position)
    }
}

impl Eq for Random {}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Random")
            .field("seed", &self.seed)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

impl Random {
    /// Returns the start of the sequence of a seed. Sequences of different seeds are independent.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self {
            seed,
            position: 0,
            tables: Tables::new(),
        }
    }

    /// Returns a sequence whose seed differs from run to run. The seed comes from the standard
    /// library, which gets it from the operating system.
    #[must_use]
    pub fn from_entropy() -> Self {
        Self::new(RandomState::new().hash_one(()))
    }

    /// Returns the seed.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the position: the index of the next block. A new sequence with the same seed
    /// continues from here after it has [skipped](Self::skip) this number of blocks.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Skips this number of blocks of 128 bits. To give separate parts of one sequence to several
    /// workers, let worker `w` skip `w << 40` blocks, for example.
    pub const fn skip(&mut self, blocks: u64) {
        self.position = self.position.wrapping_add(blocks);
    }

    /// Returns the next part with this many blocks.
    const fn take(&mut self, blocks: usize) -> Draw {
        let draw = Draw {
            key: self.seed,
            block: self.position,
        };
        self.skip(blocks as u64);
        draw
    }

    /// Draws bits for `u32` and `u64`, and standard normal numbers for `f32` and `f64`.
    fn draw<T: Element>(&mut self, shape: impl IntoShape) -> Result<Expr<T>> {
        let shape = shape.into_shape()?;
        let draw = self.take(shape.elements().div_ceil(16 / T::DATA_TYPE.size()));
        Ok(Expr::of(Node::new(
            Kind::Random(draw),
            T::DATA_TYPE,
            Ok(shape),
        )))
    }

    /// Looks up the counts that bits of each element give. Returns `None` if the distribution has no table.
    fn look_up(&mut self, shape: Shape, law: Law) -> Result<Option<Expr<u32>>> {
        let Some(table) = self.tables.of(law) else {
            return Ok(None);
        };
        let bits = self.draw::<u32>(shape)?.node;
        let kind = Kind::Lookup(table.lookup.clone());
        let lookup = Node::new(kind, DataType::U64, Ok(Shape::of(&[])));
        let [first, buckets] = [table.first, table.bits].map(|word| Expr::scalar(word).node);
        let inputs = [bits, lookup, first, buckets];
        let counts = Node::apply(Operation::Call(&COUNT), DataType::U32, inputs);
        Ok(Some(Expr::of(counts)))
    }

    /// Calls a function with a block and the key for each element, and with parameters.
    fn per_block<T: Element, const N: usize>(
        &mut self,
        function: &'static Function,
        shape: Shape,
        parameters: [Arc<Node>; N],
    ) -> Expr<T> {
        let draw = self.take(shape.elements());
        let blocks = Expr::<u64>::places(Layout::dense(shape, Order::C)) + draw.block;
        let mut inputs = vec![blocks.node, Expr::scalar(draw.key).node];
        inputs.extend(parameters);
        let kind = Kind::Apply(
            Operation::Call(function),
            Inputs::More(inputs.into_boxed_slice()),
        );
        Expr::of(Node::new(kind, T::DATA_TYPE, Ok(shape)))
    }
}
