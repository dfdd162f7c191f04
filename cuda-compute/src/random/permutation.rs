//! Permutations, computed place by place.

use cuda_safe::Stream;

use super::{Random, RandomBits, distributions::call};
use crate::{
    array::Array,
    element::Element,
    error::{Error, Result},
    expression::{Expr, function::Function},
};

/// Of `kernels/random.cuh`.
static PERMUTED: Function = Function::random("permutation", "permuted");

impl<T: RandomBits> Expr<T> {
    /// The numbers from 0 to below `count`, each once, in a random order. Each is computed of its place alone, so that the
    /// permutation takes no memory and no sorting: an element may be taken at its place in whatever kernel.
    ///
    /// It takes one block of the sequence. A place is encrypted by a Feistel network of 24 rounds (Luby and Rackoff, "How
    /// to construct pseudorandom permutations from pseudorandom functions", 1988) over the bits of `count - 1`, or 8 if they
    /// are fewer, again and again until the result is below `count` (cycle walking: Black and Rogaway, "Ciphers with
    /// arbitrary finite domains", 2002), which takes fewer than two turns on average from 129 places on. As Mitchell,
    /// Stokes, Frank and Holmes found ("Bandwidth-optimal random shuffling for GPUs", 2022), so many cheap rounds, of a
    /// product of 32 bits each, are enough for good shuffles. The keys are the words `w` of the block: `w₀ + i (w₂ | 1)` of
    /// the lower half's round `i`, `w₁ + i (w₃ | 1)` of the upper's. A round adds to a half, by exclusive or, the bits
    /// `h ^ (h >> 16)`, where `h` is the exclusive or of both halves of `(other half ^ key) * 0xd2511f53`.
    ///
    /// From 35 numbers on, there are more permutations than blocks, so most of them never come. The tests find those of up
    /// to 5 numbers equally often, and each place of more everywhere equally often; it is not for cryptography.
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
    /// // Different ones each time, which no memory holds.
    /// let other = Expr::<u32>::permutation(&mut random, 1000)?;
    /// let fixed = other.equal(Expr::<u32>::permutation(&mut random, 1000)?).count();
    /// assert!(fixed.eval_on(&stream)?.item()? < 10);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The type can't count so many. The elements can't be counted.
    pub fn permutation(random: &mut Random, count: usize) -> Result<Self> {
        let most = 1u128 << (8 * T::DATA_TYPE.size());
        if count as u128 > most {
            return Err(Error::Value(format!(
                "a permutation of {count} numbers of {}, which has {most}",
                T::DATA_TYPE.name()
            )));
        }
        let places = Expr::index(count, 0)?;
        let draw = random.take(1);
        // No places, too, are of a count that the function can take.
        let numbers = [count.max(1) as u64, draw.key, draw.block].map(Expr::scalar);
        let [count, key, block] = &numbers;
        Ok(call::<u64, 4>(&PERMUTED, [&places, count, key, block]).cast())
    }
}

impl<T: RandomBits> Array<T> {
    /// The numbers from 0 to below `count`, each once, in a random order: see [`Expr::permutation`].
    ///
    /// # Errors
    /// As [`Expr::permutation`]. Memory ran out.
    pub fn permutation(stream: &Stream, random: &mut Random, count: usize) -> Result<Self> {
        Expr::permutation(random, count)?.eval_on(stream)
    }
}

impl<T: Element> Expr<T> {
    /// The values in a random order along an axis, all of a place together, in a new array: those at the places of a
    /// [`permutation`](Self::permutation). Doesn't wait.
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
    /// There is no such axis. The expression reads no array, so that no stream is known. Memory ran out.
    pub fn shuffle(&self, random: &mut Random, axis: usize) -> Result<Array<T>> {
        let shape = self.shape()?;
        let length = shape.as_slice().get(axis).copied().unwrap_or(0);
        if u32::try_from(length).is_ok() {
            self.take_clamped(Expr::<u32>::permutation(random, length)?, axis)
        } else {
            self.take_clamped(Expr::<u64>::permutation(random, length)?, axis)
        }
    }
}

impl<T: Element> Array<T> {
    /// The elements in a random order along an axis, in a new array: see [`Expr::shuffle`].
    ///
    /// # Errors
    /// As [`Expr::shuffle`].
    pub fn shuffle(&self, random: &mut Random, axis: usize) -> Result<Self> {
        self.expr().shuffle(random, axis)
    }
}
