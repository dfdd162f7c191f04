//! Scatters that combine values with the elements of an array.

use cuda_safe::LaunchConfig;

use super::{THREADS, blocks, scatter::Scattered, source};
use crate::{
    array::{Array, Memory},
    element::{Class, DataType, Integer, Number, Ordered},
    error::Result,
    expression::{
        Expr, IntoExpr,
        fused::{enqueue, grid},
        hashed::Hashed,
        render::Form,
    },
    kernel::{ARRAYS, Hardware, Source, Specialisation},
};

/// The operation that combines several values for one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Combining {
    Sum,
    /// Sums whose rounding may depend on the order of the values.
    UnorderedSum,
    Smallest,
    Largest,
}

/// The representation in which values are combined, chosen so that their order does not affect the
/// result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    /// The element of the array itself.
    Directly,
    /// A word of 32 bits for each place, which is copied to the array at the end.
    Words,
    /// For each place the largest exponent, followed by this many integers.
    Limbs(u32),
}

/// The slots of the scratch memory in which values are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slots {
    /// One slot for each element of the array. The value is the number of elements.
    Elements(u64),
    /// A hash table of places. The value is the number of slots, a power of two.
    Table(u64),
}

/// A kernel that makes one pass over the values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Combine {
    form: Hashed<Form>,
    data: DataType,
    index: DataType,
    combining: Combining,
    /// The pass, 0 to 3, as numbered in `combine.cu`.
    pass: u8,
    limbs: u32,
    hashed: bool,
    /// The copies of the array in shared memory, or 0.
    copies: u32,
}

/// The kernel that writes the combined values to the array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Combined {
    data: DataType,
    combining: Combining,
    limbs: u32,
    hashed: bool,
}

const HEADER: &str = include_str!("../kernels/combine.cuh");

impl Specialisation for Combine {
    fn source(&self) -> Source {
        let text = include_str!("../kernels/combine.cu");
        let own = Source::new("combine.cu", text, "combine").header("combine.cuh", HEADER);
        source(own, &self.form, self.data, self.index)
            .define("COMBINING", self.combining.number())
            .define("PASS", self.pass)
            .define("COPIES", self.copies)
            .define("PART", part(self.data).computed())
            .define("LIMBS", self.limbs)
            .define("HASHED", u8::from(self.hashed))
    }
}

impl Specialisation for Combined {
    fn source(&self) -> Source {
        let text = include_str!("../kernels/combined.cu");
        Source::new("combined.cu", text, "combined")
            .header("scalar.cuh", include_str!("../kernels/scalar.cuh"))
            .header("array.cuh", ARRAYS)
            .header("complex.cuh", include_str!("../kernels/complex.cuh"))
            .header("combine.cuh", HEADER)
            .define("THREADS", THREADS)
            .define("STORED", self.data.stored())
            .define("PART", part(self.data).computed())
            .define("COMBINING", self.combining.number())
            .define("LIMBS", self.limbs)
            .define("HASHED", u8::from(self.hashed))
    }
}

/// The launch of a sum into an array of few elements.
struct Few {
    copies: u32,
    /// The bytes of all copies.
    shared: u32,
    blocks: u64,
}

impl Few {
    /// The number of values that a thread adds at once. With more, threads wait for each other in
    /// shared memory.
    const VECTOR: usize = 2;

    /// Returns `None` if an array of this length is too large for shared memory, or if all blocks
    /// together would add more sums to it than half the number of values.
    fn of(
        hardware: &Hardware,
        data: DataType,
        length: u64,
        (count, vector): (u64, usize),
    ) -> Option<Self> {
        /// Every device has this much shared memory for a block.
        const LARGEST: u64 = 48 << 10;
        /// With more, fewer blocks would fit in a multiprocessor.
        const COPIES: u64 = 16 << 10;
        let bytes = length.checked_mul(data.size() as u64)?;
        let multiprocessors = u64::from(hardware.multiprocessors.max(1));
        let blocks = blocks(count / vector as u64).min(multiprocessors * 4);
        if bytes > LARGEST || length * blocks > count / 2 {
            return None;
        }
        let copies = (COPIES / bytes.max(1)).clamp(1, 8);
        let copies = 1 << copies.ilog2();
        Some(Self {
            copies,
            shared: copies * bytes as u32,
            blocks,
        })
    }
}

/// Returns the type of a complex number's parts, or the type itself if it is not complex.
fn part(data: DataType) -> DataType {
    match data {
        DataType::Complex32 => DataType::F32,
        DataType::Complex64 => DataType::F64,
        other => other,
    }
}

/// Returns the bits per integer for sums of `count` values. The sum of `count` such integers fits
/// in 63 bits.
fn limb_bits(count: u64) -> u32 {
    62 - count.next_power_of_two().ilog2()
}

/// Returns the number of integers per sum of `count` values. It is large enough that all truncated
/// parts together are below an eighth of the last bit of the largest value.
fn limbs(data: DataType, count: u64) -> u32 {
    let precision = match part(data) {
        DataType::F64 => 53,
        _ => 24,
    };
    (precision + 3 + count.next_power_of_two().ilog2()).div_ceil(limb_bits(count))
}

impl Slots {
    /// Returns the fewest slots for `count` values that are put into an array of `length` elements.
    /// A table has at least two slots for each value, so it is at most half full.
    fn of(count: u64, length: u64) -> Self {
        let table = (2 * count).next_power_of_two();
        match table < length {
            true => Self::Table(table),
            false => Self::Elements(length),
        }
    }

    fn number(self) -> u64 {
        match self {
            Self::Elements(number) | Self::Table(number) => number,
        }
    }

    fn is_table(self) -> bool {
        matches!(self, Self::Table(_))
    }
}

impl Combining {
    /// Returns the number that `combine.cu` has for the operation.
    const fn number(self) -> u8 {
        match self {
            Self::Sum | Self::UnorderedSum => 0,
            Self::Smallest => 1,
            Self::Largest => 2,
        }
    }

    fn way(self, data: DataType, count: u64) -> Way {
        match (data.class(), self) {
            (Class::Float | Class::Complex, Self::UnorderedSum) if data.size() >= 4 => {
                Way::Directly
            }
            (Class::Float, Self::UnorderedSum) => Way::Limbs(limbs(data, count)),
            (Class::Float | Class::Complex, Self::Sum) => Way::Limbs(limbs(data, count)),
            _ if data.size() < 4 => Way::Words,
            _ => Way::Directly,
        }
    }

    pub(super) fn enqueue(self, data: DataType, mut job: Scattered<'_>) -> Result<()> {
        grid(blocks(job.count))?; // rules out overflows below
        let way = self.way(data, job.count);
        let slots = match way {
            Way::Directly => Slots::Elements(0),
            _ => Slots::of(job.count, job.length),
        };
        let hashed = slots.is_table();
        let few = match (way, self) {
            (Way::Directly, Self::Sum | Self::UnorderedSum) => {
                let values = (job.count, job.fused.vector());
                Few::of(job.kernels.hardware(), data, job.length, values)
            }
            _ => None,
        };
        let limbs = match way {
            Way::Limbs(limbs) => limbs,
            _ => 0,
        };
        let combine = |pass| {
            job.kernels.get(&Combine {
                form: job.fused.form.clone(),
                data,
                index: job.index,
                combining: self,
                pass,
                limbs,
                hashed,
                copies: few.as_ref().map_or(0, |few| few.copies),
            })
        };
        // Compile all kernels before anything is changed.
        let (kernels, last) = match way {
            Way::Directly => (vec![combine(0)?], None),
            Way::Words => (vec![combine(1)?], Some(())),
            Way::Limbs(_) => (vec![combine(2)?, combine(3)?], Some(())),
        };
        let last = last.map(|()| {
            job.kernels.get(&Combined {
                data,
                combining: self,
                limbs,
                hashed,
            })
        });
        let last = last.transpose()?;
        let parts = slots.number() * (data.size() / part(data).size()) as u64;
        let bits = u64::from(limb_bits(job.count));
        // The scratch memory holds words or integers, then the places of a table's slots, then
        // exponents.
        let words = match way {
            Way::Limbs(limbs) => parts * u64::from(limbs) * 8,
            _ => parts * 4,
        };
        let places = if hashed { slots.number() * 8 } else { 0 };
        let exponents = if limbs > 0 { parts * 4 } else { 0 };
        let bytes = words + places + exponents;
        let memory = Memory::zeroed(job.kernels, job.stream, bytes as usize)?;
        let target = if last.is_some() {
            memory.address()
        } else {
            job.target
        };
        let places = memory.address() + words;
        let exponents = memory.address() + bytes - exponents;
        for kernel in &kernels {
            let mut parameters = [
                job.count / job.fused.vector() as u64,
                job.length,
                target,
                exponents,
                bits,
                job.wrong,
                places,
                slots.number(),
            ];
            let (blocks, shared) = match &few {
                Some(few) => (few.blocks, few.shared),
                None => (blocks(parameters[0]), 0),
            };
            // SAFETY: `combine` has these parameters and checks the places. The array has an
            // element for each place, and shared memory has room for its copies. The scratch memory
            // has a slot for each place: either its own, or one that the kernel finds in the table,
            // which has more slots than there are values.
            unsafe { job.launch(kernel, (blocks, shared), &mut parameters, &[&memory])? };
        }
        if let Some(kernel) = last
            && parts > 0
        {
            let blocks = parts.div_ceil(u64::from(THREADS));
            let config = LaunchConfig::new(grid(blocks)?, THREADS);
            let mut parameters = [parts, job.target, memory.address(), exponents, bits, places];
            let memories = [job.memory, &memory];
            // SAFETY: `combined` has these parameters. The scratch memory has words, or integers
            // and exponents, for this many parts. The array has that many parts too, or has the
            // places in the table, which `combine` has checked.
            unsafe { enqueue(&kernel, job.stream, config, &mut parameters, &memories)? };
        }
        Ok(())
    }
}

impl<T: Number> Array<T> {
    /// Adds values to the elements at these indices.
    ///
    /// Indices count the elements in C order, and negative indices count from the end. If an index
    /// occurs several times, all its values are added, as in NumPy's `add.at` and JAX's
    /// `x.at[indices].add(values)`.
    ///
    /// **Accuracy.** The result has the same bits in every run, even for floats. Their sums are
    /// computed with integers, in units derived from the largest value of each index, so the order
    /// of additions does not matter. Each sum is either the exact sum rounded once, or off by at
    /// most a quarter of the last bit of the largest value. Complex numbers are added part by part.
    /// Integers wrap around.
    ///
    /// **Waiting.** The kernel checks the indices, so the call waits for it and for all work
    /// enqueued before.
    ///
    /// **Memory.** Floats need two passes and scratch memory: 12 to 28 bytes for each element of the
    /// array, or at most 144 bytes for each value if that is less. Both passes compute the values. Complex numbers need up to twice as much. Integers of 8 and 16 bits need 4 bytes for
    /// each element, or at most 48 for each value. Other integers need none.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::from_slice(&stream, &[0.5f32, 0.0, 0.0])?;
    /// let indices = Array::from_slice(&stream, &[2, 0, 2, -1])?;
    /// x.put_add(&indices, Array::from_slice(&stream, &[1.0, 2.0, 4.0, 8.0])?)?;
    /// assert_eq!(x.to_vec()?, [2.5, 0.0, 13.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if:
    /// - an index is out of bounds (the values of the other indices are added anyway);
    /// - the values' shape can't be broadcast to that of the indices;
    /// - memory runs out;
    /// - work enqueued before has failed.
    pub fn put_add<I: Integer>(
        &mut self,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        self.put_with(indices, values, |job| {
            Combining::Sum.enqueue(T::DATA_TYPE, job)
        })
    }
}

impl<T: Number> Array<T> {
    /// Adds values to the elements at these indices, in any order and without waiting.
    ///
    /// Sums of `f32`, `f64` and complex numbers are computed by atomic additions, each of which rounds.
    /// The error grows with the number of values for an index, and differs from run to run: a sum of
    /// millions of `f32` can be off by a percent. Other types are added as [`put_add`](Self::put_add)
    /// adds them.
    ///
    /// Values whose index is out of bounds are dropped, as JAX does by default. Negative indices count
    /// from the end.
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::<f32>::zeros(&stream, [3])?;
    /// let indices = Array::from_slice(&stream, &[2, 0, 2, 7])?;
    /// x.put_add_unordered(&indices, Array::from_slice(&stream, &[1.0, 2.0, 4.0, 8.0])?)?;
    /// assert_eq!(x.to_vec()?, [2.0, 0.0, 5.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the values' shape can't be broadcast to that of the indices, or if memory
    /// runs out.
    pub fn put_add_unordered<I: Integer>(
        &mut self,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        let indices = indices.into_expr();
        let values = values.into_expr().broadcast_to(indices.shape()?)?;
        self.add_unordered(&indices, &values, 1)
    }

    /// Adds values to the elements at these places. Places of `run` values are consecutive, and the
    /// first one is a multiple of `run`.
    pub(super) fn add_unordered<I: Integer>(
        &mut self,
        places: &Expr<I>,
        values: &Expr<T>,
        run: usize,
    ) -> Result<()> {
        // Only sums of f32 and f64 have vectors.
        let widest = match (T::DATA_TYPE.class(), T::DATA_TYPE.size()) {
            (Class::Float, size @ (4 | 8)) => 16 / size,
            _ => 1,
        };
        let values_to_add = (places.shape()?.elements() as u64, Few::VECTOR);
        let hardware = self.memory.kernels().hardware();
        let few = Few::of(hardware, T::DATA_TYPE, self.len() as u64, values_to_add);
        let widest = few.map_or(widest, |_| widest.min(Few::VECTOR));
        let Some((prepared, fused)) = self.prepare_scatter(places, values, run, widest)? else {
            return Ok(());
        };
        let job = self.scattered(&prepared, fused, I::DATA_TYPE, 0);
        Combining::UnorderedSum.enqueue(T::DATA_TYPE, job)
    }
}

impl<T: Ordered> Array<T> {
    /// Replaces each element at these indices by the minimum of itself and the values for its
    /// index.
    ///
    /// Numbers are preferred to NaN, and −0 is less than 0. Elements of 8 and 16 bits need the
    /// scratch memory that [`put_add`](Self::put_add) needs for integers of that size. Other
    /// elements need none. Indices work as in `put_add`.
    ///
    /// # Errors
    /// Returns an error if an index is out of bounds, if the values can't be broadcast to the
    /// indices, or if memory runs out. See [`put_add`](Self::put_add).
    pub fn put_min<I: Integer>(
        &mut self,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        self.put_with(indices, values, |job| {
            Combining::Smallest.enqueue(T::DATA_TYPE, job)
        })
    }

    /// Replaces each element at these indices by the maximum of itself and the values for its
    /// index.
    ///
    /// Numbers are preferred to NaN, and 0 is greater than −0. It needs the scratch memory of
    /// [`put_min`](Self::put_min). Indices work as in [`put_add`](Self::put_add).
    ///
    /// ```
    /// # use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// let mut x = Array::from_slice(&stream, &[5, 5])?;
    /// x.put_max(Array::from_slice(&stream, &[0, 1, 0])?, Array::from_slice(&stream, &[9, 3, 7])?)?;
    /// assert_eq!(x.to_vec()?, [9, 5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if an index is out of bounds, if the values can't be broadcast to the
    /// indices, or if memory runs out. See [`put_add`](Self::put_add).
    pub fn put_max<I: Integer>(
        &mut self,
        indices: impl IntoExpr<I>,
        values: impl IntoExpr<T>,
    ) -> Result<()> {
        self.put_with(indices, values, |job| {
            Combining::Largest.enqueue(T::DATA_TYPE, job)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_hold_the_precision_without_overflow() {
        for shift in 0..40 {
            for count in [1u64 << shift, (1 << shift) + 1] {
                let bits = limb_bits(count);
                assert!(u128::from(count) << bits <= 1 << 62, "{count}");
                for (data, precision) in [(DataType::F32, 24), (DataType::Complex64, 53)] {
                    let held = limbs(data, count) * bits;
                    // The truncated part of each value is below one unit of the last integer.
                    assert!(u128::from(count) << (precision + 3) <= 1 << held);
                }
            }
        }
        assert_eq!(limbs(DataType::F16, 1 << 17), 1);
        assert_eq!(limbs(DataType::F64, 1 << 20), 2);
    }

    #[test]
    fn slots_are_bounded_by_values_and_elements() {
        assert_eq!(Slots::of(1, 1 << 40), Slots::Table(2));
        assert_eq!(Slots::of(1000, 1 << 40), Slots::Table(2048));
        assert_eq!(Slots::of(1 << 40, 1000), Slots::Elements(1000));
        for (count, length) in [(1, 1), (1, 2), (500, 1024), (500, 1025), (513, 2048)] {
            let slots = Slots::of(count, length);
            assert!(slots.number() <= length.min(4 * count), "{slots:?}");
            assert!(
                !slots.is_table() || slots.number() >= 2 * count,
                "{slots:?}"
            );
        }
    }

    #[test]
    fn the_least_memory_is_used_that_makes_no_order_matter() {
        let way = |combining: Combining, data| combining.way(data, 100);
        use Combining::{Largest, Smallest, Sum};
        assert_eq!(way(Sum, DataType::I32), Way::Directly);
        assert_eq!(way(Sum, DataType::U64), Way::Directly);
        assert_eq!(way(Sum, DataType::I16), Way::Words);
        assert_eq!(way(Sum, DataType::U8), Way::Words);
        for (data, count) in [
            (DataType::F16, 1),
            (DataType::F32, 1),
            (DataType::F64, 2),
            (DataType::Complex64, 2),
        ] {
            assert_eq!(way(Sum, data), Way::Limbs(count), "{data:?}");
        }
        for (data, way_unordered) in [
            (DataType::F16, Way::Limbs(1)),
            (DataType::F32, Way::Directly),
            (DataType::Complex64, Way::Directly),
            (DataType::I16, Way::Words),
        ] {
            assert_eq!(
                way(Combining::UnorderedSum, data),
                way_unordered,
                "{data:?}"
            );
        }
        for combining in [Smallest, Largest] {
            assert_eq!(way(combining, DataType::F32), Way::Directly);
            assert_eq!(way(combining, DataType::F64), Way::Directly);
            assert_eq!(way(combining, DataType::F16), Way::Words);
            assert_eq!(way(combining, DataType::I8), Way::Words);
        }
        // A table as large as the array is not used.
        assert_eq!(Slots::of(1, 2), Slots::Elements(2));
        assert_eq!(Slots::of(1, 3), Slots::Table(2));
        assert_eq!(Slots::of(500, 1024), Slots::Elements(1024));
        assert_eq!(Slots::of(512, 1025), Slots::Table(1024));
    }
}
