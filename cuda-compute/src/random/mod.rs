//! Random numbers.

mod distributions;
mod permutation;
#[cfg(test)]
mod tests;

use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

pub use distributions::{RandomBits, RandomFloat, RandomInteger};

use crate::{
    array::{IntoShape, Shape},
    element::{DataType, Element},
    error::Result,
    expression::{
        Expr,
        node::{Kind, Node},
    },
};

/// A sequence of random numbers, and a place in it.
///
/// Each draw takes the next part of the sequence. Draws are expressions, such as [`Expr::uniform`] and [`Expr::normal`],
/// which whatever kernel uses them makes, without memory of their own; [`Array::uniform`](crate::Array::uniform) and its
/// like are evaluated at once. A program that draws the same with the same seed gets the same numbers: on any device, in
/// any kernel, and wherever the results lie. An expression keeps its part: evaluated twice, it has the same numbers.
///
/// ```
/// use cuda_compute::{Expr, Random};
/// use cuda_safe::{Context, Stream};
///
/// # fn main() -> cuda_compute::Result<()> {
/// let stream = Stream::new(&Context::primary(0)?)?;
/// let mut random = Random::new(2026);
/// // The part of points in a square that are in the quarter of a circle.
/// let points = 100_000;
/// let x = Expr::<f32>::uniform(&mut random, points)?;
/// let y = Expr::<f32>::uniform(&mut random, points)?;
/// let inside = (&x * &x + &y * &y).less(1.0).count();
/// let hits = inside.eval_on(&stream)?.item()?; // one kernel, which reads no memory
/// let pi = 4.0 * hits as f64 / points as f64;
/// assert!((pi - 3.1416).abs() < 0.02, "{pi}");
/// # Ok(())
/// # }
/// ```
///
/// # The sequence
/// It has 2⁶⁴ blocks of four 32-bit words, and then begins again. Block `b` of the seed `s` is Philox4x32-10 (Salmon,
/// Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011) of the counter
/// `[low half of b, high half of b, 0, 0]` and the key `[low half of s, high half of s]`. A draw of `n` elements takes
/// the blocks from [`position`](Self::position) `p` on; `i` is an element's place in C order of the shape that is drawn:
///
/// | elements | blocks | element `i` is made of |
/// | --- | --- | --- |
/// | `u32`, `f32`, `bool` | `n / 4`, rounded up | word `i % 4` of block `p + i / 4` |
/// | `u64`, `f64`, integers of a range | `n / 2`, rounded up | words `i % 2 * 2` and the next of block `p + i / 2`, the low half first |
/// | integers of a range of more than 2³² | twice that | the same for the high 64 bits of 128, and again for the low ones |
/// | normal `f32` | `n / 4`, rounded up | words `i % 4 / 2 * 2` and the next of block `p + i / 4` |
/// | normal `f64` | `n / 2`, rounded up | block `p + i / 2` |
/// | a permutation | 1 | block `p`, of all elements: see [`Expr::permutation`] |
/// | Poisson | `n` | block `p + i`, and as many as it needs with 1, 2, … as the counter's third word |
///
/// Bits, permutations, and uniform, normal and exponential numbers are the same to the last bit on any device. Log-normal and Poisson
/// numbers use functions of CUDA's mathematical library, and are so with one version of it: with another, a log-normal
/// number may differ in its last bits, and a Poisson number where two sides of a comparison are as good as equal.
///
/// Block `b` is what cuRAND's `curand4` gives of a `curandStatePhilox4_32_10_t` after `curand_init(s, 0, 4 * b, &state)`.
/// JAX's `RNG_PHILOX` is the same function with another counter.
///
/// It passes the tests of randomness that its authors name, and is not for cryptography.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    seed: u64,
    position: u64,
}

/// A part of a sequence, from a block on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Draw {
    pub(crate) key: u64,
    pub(crate) block: u64,
}

impl Random {
    /// The sequence of a seed, from its beginning. Those of different seeds have nothing to do with each other.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { seed, position: 0 }
    }

    /// The sequence of a seed that differs from run to run: the standard library's, which the operating system gives.
    #[must_use]
    pub fn from_entropy() -> Self {
        Self::new(RandomState::new().hash_one(()))
    }

    /// What the sequence was made with.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The next block of the sequence: `Random::new(seed)`, skipped by this, goes on as this one does.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Leaves out blocks of 128 bits. Workers that share a seed get parts of their own when each skips, say, its number
    /// times 2⁴⁰.
    pub const fn skip(&mut self, blocks: u64) {
        self.position = self.position.wrapping_add(blocks);
    }

    /// The next part for this many blocks.
    const fn take(&mut self, blocks: usize) -> Draw {
        let draw = Draw {
            key: self.seed,
            block: self.position,
        };
        self.skip(blocks as u64);
        draw
    }

    /// Bits for integers, standard normal numbers for floats: `u32`, `u64`, `f32` and `f64`.
    fn draw<T: Element>(&mut self, shape: impl IntoShape) -> Result<Expr<T>> {
        let shape = shape.into_shape()?;
        let draw = self.take(shape.elements().div_ceil(16 / T::DATA_TYPE.size()));
        Ok(Expr::of(leaf(Kind::Random(draw), T::DATA_TYPE, shape)))
    }

    /// A block for each element, by its number.
    fn blocks(&mut self, shape: Shape) -> Expr<u64> {
        let draw = self.take(shape.elements());
        Expr::of(leaf(Kind::Place, u64::DATA_TYPE, shape)) + draw.block
    }
}

fn leaf(kind: Kind, data: DataType, shape: Shape) -> Arc<Node> {
    Node::new(kind, data, Ok(shape))
}
