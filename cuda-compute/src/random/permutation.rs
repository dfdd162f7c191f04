//! Permutations whose elements are computed independently of each other.

use cuda_safe::Stream;

use super::{Random, RandomBits, distributions::call};
use crate::{
    array::{Array, IntoIndex},
    element::Element,
    error::{Error, Result},
    expression::{Expr, function::Function},
};

/// A function of `kernels/random.cuh`.
static PERMUTED: Function = Function::random("permutation", "permuted");

impl<T: RandomBits> Expr<T> {
    /// Returns the numbers from 0 to `count - 1` in random order.
    ///
    /// Each number is computed from its index alone. The permutation needs no memory and no
    /// sorting, and any kernel can compute single elements of it.
    ///
    /// **Algorithm.** A permutation takes one block of the sequence. An index is encrypted by a
    /// Feistel network of 24 rounds (Luby and Rackoff, "How to construct pseudorandom permutations
    /// from pseudorandom functions", 1988) over the bits of `count - 1`, but at least 8 bits.
    /// Encryption is repeated until the result is below `count` (cycle walking: Black and Rogaway,
    /// "Ciphers with arbitrary finite domains", 2002). From 129 numbers on, this takes fewer than
    /// two iterations on average. Mitchell, Stokes, Frank and Holmes found that this number of
    /// cheap rounds, each with a 32-bit product, suffices for good shuffles ("Bandwidth-optimal
    /// random shuffling for GPUs", 2022).
    ///
    /// The keys come from the words `w` of the block: `w₀ + i (w₂ | 1)` for the lower half's round
    /// `i`, and `w₁ + i (w₃ | 1)` for the upper half's. A round changes a half by exclusive or with
    /// the bits `h ^ (h >> 16)`, where `h` is the exclusive or of both halves of
    /// `(other half ^ key) * 0xd2511f53`.
    ///
    /// **Quality.** From 35 numbers on, there are more permutations than blocks, so most
    /// permutations never occur. In the tests, all permutations of up to 5 numbers are equally
    /// frequent, and in larger ones each number is equally frequent at each index. It is not
    /// suitable for cryptography.
    ///
    /// ```
    /// use cuda_compute::{Array, Expr, Random};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut random = Random::new(1);
    /// let mut places = Array::<u32>::permutation(&stream, &mut random, 1000)?.to_vec()?;
    /// assert_ne!(places[..4], [0, 1, 2, 3]);
    /// places.sort_unstable();
    /// assert!(places.into_iter().eq(0..1000));
    /// // Another permutation each time, without memory for it.
    /// let other = Expr::<u32>::permutation(&mut random, 1000)?;
    /// let fixed = other.equal(Expr::<u32>::permutation(&mut random, 1000)?).count();
    /// assert!(fixed.eval_on(&stream)?.item()? < 10);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the element type can't represent `count` numbers, or if `count` is too
    /// large for an array.
    pub fn permutation(random: &mut Random, count: usize) -> Result<Self> {
        let most = 1u128 << (8 * T::DATA_TYPE.size());
        if count as u128 > most {
            return Err(Error::Value(format!(
                "a permutation has {count} numbers, but {} can represent only {most}",
                T::DATA_TYPE.name()
            )));
        }
        Ok(first_permuted(random, count, count)?.cast())
    }
}

/// Returns the first `taken` numbers of a permutation of `count` numbers.
pub(super) fn first_permuted(random: &mut Random, taken: usize, count: usize) -> Result<Expr<u64>> {
    let places = Expr::index(taken, 0)?.cast::<u64>();
    let draw = random.take(1);
    // An empty permutation also needs a count that the function accepts.
    let numbers = [count.max(1) as u64, draw.key, draw.block].map(Expr::scalar);
    let [count, key, block] = &numbers;
    Ok(call(&PERMUTED, [&places, count, key, block]))
}

impl<T: RandomBits> Array<T> {
    /// Returns the numbers from 0 to `count - 1` in random order. See [`Expr::permutation`].
    ///
    /// # Errors
    /// Returns an error if the element type can't represent `count` numbers, if `count` is too
    /// large for an array, or if memory runs out.
    pub fn permutation(stream: &Stream, random: &mut Random, count: usize) -> Result<Self> {
        Expr::permutation(random, count)?.eval_on(stream)
    }
}

impl<T: Element> Expr<T> {
    /// Shuffles the values along an axis into a new array.
    ///
    /// All values with the same index on the axis stay together, in the order of a
    /// [`permutation`](Self::permutation). It doesn't wait.
    ///
    /// ```
    /// use cuda_compute::{Array, Random};
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let x = Array::range(&stream, 0..6)?.reshape([3, 2])?;
    /// let rows = x.shuffle(&mut Random::new(5), 0)?.to_vec()?;
    /// assert!(rows.chunks(2).all(|row| row[0] % 2 == 0 && row[1] == row[0] + 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no such axis, if the expression reads no array and so has no
    /// stream, or if memory runs out.
    pub fn shuffle(&self, random: &mut Random, axis: impl IntoIndex) -> Result<Array<T>> {
        let shape = self.shape()?;
        let axis = shape.axis(axis)?;
        let length = shape[axis];
        if u32::try_from(length).is_ok() {
            self.take_now(Expr::<u32>::permutation(random, length)?, axis)
        } else {
            self.take_now(Expr::<u64>::permutation(random, length)?, axis)
        }
    }
}

impl<T: Element> Array<T> {
    /// Shuffles the elements along an axis into a new array. See [`Expr::shuffle`].
    ///
    /// # Errors
    /// Returns an error if there is no such axis, or if memory runs out.
    pub fn shuffle(&self, random: &mut Random, axis: impl IntoIndex) -> Result<Self> {
        self.expr().shuffle(random, axis)
    }
}
