//! Reductions of numbers that are distributed over several devices.

use cuda_compute::{Reducer, Reducible};
use cuda_safe::{DeviceMemory, Stream, memory::Storage};

use super::{
    agree::agree,
    partial::{Partial, sealed},
};
use crate::{
    collectives::Collectives,
    error::{Error, Result},
    record::{CALL, Fact, type_name},
};

/// Sums, minima, maxima and means of numbers that are distributed over the devices of a group, each
/// rank's numbers in its own memory.
///
/// Each rank reduces its part on its device with a [`Reducer`]. Then the ranks exchange their
/// results, and each combines them on the host, in the order of ranks. All ranks therefore return
/// the same bits, and so do repeated runs with the same distribution over the same kind of devices.
/// Parts may differ in length, and may be empty. If a rank makes another reduction or uses another
/// type, all ranks return an error.
///
/// A call waits for work that was enqueued on the stream before.
///
/// ```
/// use cuda_nccl::{Collectives, PeerGroup, spread::Reductions};
/// use cuda_safe::{DeviceBuffer, Stream};
///
/// # fn main() -> cuda_nccl::Result<()> {
/// let results = PeerGroup::of_all_devices()?.run(|rank| {
///     let stream = Stream::new(rank.context())?;
///     let data = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0, rank.rank() as f32 + 3.0])?;
///     let reductions = Reductions::new(rank)?;
///     Ok((reductions.min(&stream, &data)?, reductions.max(&stream, &data)?))
/// })?;
/// assert_eq!(results[0], (Some(1.0), Some(results.len() as f32 + 2.0)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Reductions<'a, C> {
    ranks: &'a C,
    reducer: Reducer,
}

impl<'a, C: Collectives> Reductions<'a, C> {
    /// Creates a `Reductions` with a new [`Reducer`].
    ///
    /// # Errors
    /// Returns the errors of [`Reducer::new`].
    pub fn new(ranks: &'a C) -> Result<Self> {
        Ok(Self {
            ranks,
            reducer: Reducer::new(ranks.context())?,
        })
    }

    /// Returns the sum of all numbers of all ranks, or 0 if there are no numbers. It is computed in
    /// `T::Sum`, like [`Reducer::sum`].
    ///
    /// # Errors
    /// Returns the errors of [`Reducer::sum`] and of [`Collectives::gather_on_host`].
    pub fn sum<T: Reducible<Sum: Partial>>(
        &self,
        stream: &Stream,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<T::Sum> {
        self.total::<T, _>("sum", stream, self.reducer.sum(stream, data))
    }

    /// Returns the sum, computed in the wider type: `f64` for `f32`, `i64` for `i32`.
    ///
    /// # Errors
    /// Returns the errors of [`sum`](Self::sum).
    pub fn sum_wide<T: Reducible<Wide: Partial>>(
        &self,
        stream: &Stream,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<T::Wide> {
        self.total::<T, _>("sum_wide", stream, self.reducer.sum_wide(stream, data))
    }

    /// Returns the mean of all numbers of all ranks, from their sum in the wider type. Returns
    /// `None` if there are no numbers.
    ///
    /// # Errors
    /// Returns the errors of [`sum`](Self::sum).
    pub fn mean<T: Reducible<Wide: Partial>>(
        &self,
        stream: &Stream,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<Option<f64>> {
        let sum = self.reducer.sum_wide(stream, data);
        let parts = self.exchange::<T, _>("mean", stream, sum.map(Some), data.len())?;
        let count: usize = parts.iter().map(|part| part.count).sum();
        let sum = put_together(&parts, sealed::Partial::plus);
        Ok(sum
            .filter(|_| count > 0)
            .map(|sum| sealed::Partial::to_f64(sum) / count as f64))
    }

    /// Returns the smallest number on any rank, or `None` if there are no numbers.
    ///
    /// # Errors
    /// Returns the errors of [`sum`](Self::sum).
    pub fn min<T: Reducible<Sum: Partial>>(
        &self,
        stream: &Stream,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<Option<T::Sum>> {
        let found = self.reducer.min(stream, data);
        let parts = self.exchange::<T, _>("min", stream, found, data.len())?;
        Ok(put_together(&parts, sealed::Partial::least))
    }

    /// Returns the largest number on any rank, or `None` if there are no numbers.
    ///
    /// # Errors
    /// Returns the errors of [`sum`](Self::sum).
    pub fn max<T: Reducible<Sum: Partial>>(
        &self,
        stream: &Stream,
        data: &DeviceMemory<impl Storage, T>,
    ) -> Result<Option<T::Sum>> {
        let found = self.reducer.max(stream, data);
        let parts = self.exchange::<T, _>("max", stream, found, data.len())?;
        Ok(put_together(&parts, sealed::Partial::greatest))
    }

    fn total<T, A: Partial>(
        &self,
        name: &'static str,
        stream: &Stream,
        sum: cuda_compute::Result<A>,
    ) -> Result<A> {
        let parts = self.exchange::<T, A>(name, stream, sum.map(Some), 1)?;
        // Every group has at least one rank, and each rank has a sum.
        Ok(put_together(&parts, sealed::Partial::plus).unwrap_or_else(A::zeroed))
    }

    /// Returns the results of all ranks, after comparing reduction and type.
    fn exchange<T, A: Partial>(
        &self,
        name: &'static str,
        stream: &Stream,
        value: cuda_compute::Result<Option<A>>,
        count: usize,
    ) -> Result<Vec<Part<A>>> {
        let mine = value.map_err(Error::from).map(|value| {
            let mut word = [0u8; 8];
            if let Some(value) = &value {
                let bytes = bytemuck::bytes_of(value);
                word[..bytes.len()].copy_from_slice(bytes);
            }
            let facts = vec![
                Fact::Name(CALL, "Reductions"),
                Fact::Name("the reduction", name),
                Fact::Name("the element type", type_name::<T>()),
            ];
            // The value, the number of elements it covers, and whether it exists.
            let is_some = value.is_some();
            let count = if is_some { count as u64 } else { 0 };
            (facts, [u64::from_ne_bytes(word), count, u64::from(is_some)])
        });
        let all = agree(self.ranks, stream, mine)?;
        let parts = all.into_iter().map(|[word, count, is_some]| {
            let bytes = word.to_ne_bytes();
            let value = bytemuck::pod_read_unaligned(&bytes[..size_of::<A>()]);
            Part {
                value: (is_some != 0).then_some(value),
                count: count as usize,
            }
        });
        Ok(parts.collect())
    }
}

/// The result of one rank.
struct Part<A> {
    value: Option<A>,
    count: usize,
}

/// Combines the results in the order of ranks.
fn put_together<A: Partial>(parts: &[Part<A>], combine: impl Fn(A, A) -> A) -> Option<A> {
    parts.iter().filter_map(|part| part.value).reduce(combine)
}
