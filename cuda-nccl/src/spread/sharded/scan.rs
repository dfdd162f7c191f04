//! Cumulative sums over the rows of all ranks.

use cuda_compute::{Array, Element, Number, s};
use cuda_safe::DeviceBuffer;

use super::{Sharded, fold::copied};
use crate::{collectives::Collectives, error::Result};

impl<C: Collectives, T: Number + Element<Stored = T>> Sharded<'_, C, T> {
    /// Returns the cumulative sums along the first axis: each rank's own, plus the totals of the
    /// previous ranks, which are added in their order. Floating-point numbers are therefore rounded
    /// in a different order than on one device.
    ///
    /// # Errors
    /// Returns the errors of [`Array::cumsum`] and of [`Collectives::all_gather`].
    ///
    /// ```
    /// use cuda_nccl::{Collectives, PeerGroup, spread::Sharded};
    /// use cuda_safe::Stream;
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// let sums = PeerGroup::of_all_devices()?.run(|rank| {
    ///     let stream = Stream::new(rank.context())?;
    ///     Sharded::from_fn(rank, &stream, 5, |i| i as u32)?.cumsum_first_axis()?.to_vec()
    /// })?;
    /// assert_eq!(sums[0], [0, 1, 3, 6, 10]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn cumsum_first_axis(&self) -> Result<Self> {
        let stream = &self.stream;
        let totals = copied(&self.part.sum_axis(0).eval_on(stream)?)?;
        let (me, size) = (self.ranks.rank(), self.ranks.size());
        let mut all = DeviceBuffer::uninit(stream, totals.len() * size)?;
        self.ranks.all_gather(stream, &totals, &mut all)?;
        let mut result = self.part.cumsum(0)?;
        if me > 0 && !result.is_empty() {
            let mut lengths = vec![size];
            lengths.extend_from_slice(&self.part.shape().as_slice()[1..]);
            let before = Array::from_buffer(all, lengths)?.slice(s![..me as isize])?;
            result = (&result + before.sum_axis(0)).eval_on(stream)?;
        }
        Self::of_part(self.ranks, self.rows, result)
    }
}
