//! Collective operations of a group of ranks, independent of the transport.

use cuda_safe::{
    Context, DeviceBuffer, DeviceMemory, DeviceView, DeviceViewMut, Owner, PlainData, Stream,
    memory::{Storage, StorageMut},
};

use crate::{
    element::{Reducible, Reduction},
    error::{Error, Result},
};

/// Returns an error unless the stream and the memory belong to the rank's context.
#[inline]
pub(crate) fn expect_context<'a>(
    rank: usize,
    own: &Context,
    stream: &Stream,
    memory: impl IntoIterator<Item = Owner<'a>>,
) -> Result<()> {
    if stream.context() != own {
        return Err(foreign("the stream", stream.context(), rank, own));
    }
    let mut memory = memory.into_iter();
    match memory.find(|owner| owner.context() != own) {
        Some(owner) => Err(foreign("the memory", owner.context(), rank, own)),
        None => Ok(()),
    }
}

/// Returns an error unless `all` has `size` times the elements of `part`. Both lengths come with a
/// name for the message.
pub(crate) fn expect_parts(call: &str, [part, all]: [(&str, usize); 2], size: usize) -> Result<()> {
    if part.1.checked_mul(size) == Some(all.1) {
        return Ok(());
    }
    Err(Error::Value(format!(
        "{call}: `{}` has {} elements, but must have {size} times the {} elements of `{}`. \
         Fix: pass parts of the same length, or use exchange",
        all.0, all.1, part.1, part.0
    )))
}

#[cold]
fn foreign(what: &str, found: &Context, rank: usize, own: &Context) -> Error {
    let device = |context: &Context| context.device().ordinal();
    let places = match (device(found), device(own)) {
        (there, here) if there != here => {
            format!("it is in a context of device {there}, and the rank uses device {here}")
        }
        (_, here) => format!("it is in another context of device {here}"),
    };
    Error::Value(format!(
        "{what} belongs to a different context than rank {rank} ({places}). Fix: create it in the context that Collectives::context returns"
    ))
}

/// One rank of a group of devices, with the operations that all ranks perform together.
///
/// **All ranks must make the same calls in the same order**, with the same lengths and types unless
/// a method says otherwise. Each rank is driven by a separate thread or process. A call enqueues
/// its work on the given stream, which must belong to this rank's context, and returns. Memory that
/// belongs to other streams is ordered with it.
///
/// Code that is generic over this trait runs on NCCL and on copies between the devices of one
/// process.
pub trait Collectives {
    /// Returns the number of this rank, counted from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Returns the context of this rank's device.
    fn context(&self) -> &Context;

    /// Replaces `data` on each rank with the reduction of all ranks' `data`. The result has the
    /// same bits on all ranks.
    ///
    /// # Errors
    /// - Returns [`Error::Value`](crate::Error::Value) if the stream or the memory belongs to
    ///   another context, or if a rank makes a different call, for instance with another length.
    /// - Returns [`Error::Lost`](crate::Error::Lost) if another rank has failed or does not arrive
    ///   within the time limit.
    /// - Returns [`Error::Cuda`](crate::Error::Cuda) if a driver call fails or work in the context
    ///   has faulted.
    #[track_caller]
    fn all_reduce<T: Reducible>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()>;

    /// Copies the `data` of rank `root` to all ranks.
    ///
    /// # Errors
    /// Returns the errors of [`all_reduce`](Self::all_reduce), and
    /// [`Error::Value`](crate::Error::Value) if `root` is not a rank of the group.
    #[track_caller]
    fn broadcast<T: PlainData>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        root: usize,
    ) -> Result<()>;

    /// Copies the `part` of each rank to all ranks, into `all` in the order of ranks.
    ///
    /// # Errors
    /// Returns the errors of [`all_reduce`](Self::all_reduce), and
    /// [`Error::Value`](crate::Error::Value) if the length of `all` is not `size` times that of
    /// `part`.
    #[track_caller]
    fn all_gather<T: PlainData>(
        &self,
        stream: &Stream,
        part: &DeviceMemory<impl Storage, T>,
        all: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()>;

    /// Reduces all ranks' `all`, and writes this rank's part of the result to `part`. Rank 0
    /// receives the first part.
    ///
    /// `all` has `size` parts on each rank, and is not changed.
    ///
    /// # Errors
    /// Returns the errors of [`all_reduce`](Self::all_reduce), and
    /// [`Error::Value`](crate::Error::Value) if the length of `all` is not `size` times that of
    /// `part`.
    #[track_caller]
    fn reduce_scatter<T: Reducible>(
        &self,
        stream: &Stream,
        all: &DeviceMemory<impl Storage, T>,
        part: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()>;

    /// Sends a different part to each rank: part j of rank i's `from` becomes part i of rank j's
    /// `to`. Both buffers have `size` parts.
    ///
    /// # Errors
    /// Returns the errors of [`all_reduce`](Self::all_reduce), and
    /// [`Error::Value`](crate::Error::Value) if the lengths differ or are not a multiple of `size`.
    #[track_caller]
    fn all_to_all<T: PlainData>(
        &self,
        stream: &Stream,
        from: &DeviceMemory<impl Storage, T>,
        to: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()>;

    /// Sends to some ranks and receives from some, all at once.
    ///
    /// For each pair of ranks, the receiver must list the same number of transfers as the sender,
    /// in the same order and with the same lengths. The lists may be empty, and may differ between
    /// ranks.
    ///
    /// ```
    /// use cuda_nccl::{Collectives, PeerGroup};
    /// use cuda_safe::{DeviceBuffer, Stream};
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// // Each rank has four numbers, with one element before and one after them for the
    /// // neighbours' numbers.
    /// PeerGroup::of_all_devices()?.run(|rank| {
    ///     let (me, last) = (rank.rank(), rank.size() - 1);
    ///     let stream = Stream::new(rank.context())?;
    ///     let mut x = DeviceBuffer::from_slice(&stream, &[me as f32; 6])?;
    ///     let (mut left, mut rest) = x.split_at_mut(1)?;
    ///     let (own, mut right) = rest.split_at_mut(4)?;
    ///     let (mut sends, mut receives) = (Vec::new(), Vec::new());
    ///     if me > 0 {
    ///         sends.push((me - 1, own.slice(..1)?));
    ///         receives.push((me - 1, left.view_mut()));
    ///     }
    ///     if me < last {
    ///         sends.push((me + 1, own.slice(3..)?));
    ///         receives.push((me + 1, right.view_mut()));
    ///     }
    ///     rank.exchange(&stream, &sends, &mut receives)?;
    ///     rank.wait(&stream)?;
    ///     let x = x.to_vec(&stream)?;
    ///     assert_eq!(x[0], me.saturating_sub(1) as f32);
    ///     assert_eq!(x[5], (me + 1).min(last) as f32);
    ///     Ok(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`all_reduce`](Self::all_reduce), and
    /// [`Error::Value`](crate::Error::Value) if a list names a rank that does not exist, or if
    /// sends and receives do not match.
    #[track_caller]
    fn exchange<T: PlainData>(
        &self,
        stream: &Stream,
        sends: &[(usize, DeviceView<'_, T>)],
        receives: &mut [(usize, DeviceViewMut<'_, T>)],
    ) -> Result<()>;

    /// Reports to the other ranks that this rank cannot make the call that they are about to make,
    /// and why.
    ///
    /// The other ranks return an error instead of waiting, and the group stays usable: the report
    /// counts as this rank's part in the call. The methods of this trait report their own errors.
    /// Call this if you find an error before you call them.
    ///
    /// ```
    /// use cuda_nccl::{Collectives, PeerGroup, Result};
    /// use cuda_safe::{Context, Stream};
    ///
    /// # fn main() -> Result<()> {
    /// let context = Context::primary(0)?;
    /// PeerGroup::new(&[context.clone(), context])?.run(|rank| {
    ///     let stream = Stream::new(rank.context())?;
    ///     if rank.rank() == 1 {
    ///         rank.report_error("its part has no file");
    ///     } else {
    ///         let error = rank.gather_on_host(&stream, &[7]).unwrap_err().to_string();
    ///         assert_eq!(error, "rank 1 can't take part: its part has no file");
    ///     }
    ///     rank.gather_on_host(&stream, &[7])
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Over NCCL the reason is cut off after 96 bytes, and ranks whose calls are [not
    /// compared](crate::CommunicatorOptions::unverified) receive no report.
    fn report_error(&self, why: &str);

    /// Returns the values of all ranks, in the order of ranks. Meant for a few values, and waits
    /// for them.
    ///
    /// # Errors
    /// Returns the errors of [`all_reduce`](Self::all_reduce).
    #[track_caller]
    fn gather_on_host<T: PlainData>(&self, stream: &Stream, values: &[T]) -> Result<Vec<T>> {
        let part = DeviceBuffer::from_slice(stream, values)?;
        let mut all = DeviceBuffer::<T>::uninit(stream, values.len() * self.size())?;
        self.all_gather(stream, &part, &mut all)?;
        self.wait(stream)?;
        Ok(all.to_vec(stream)?)
    }

    /// Waits for this rank's calls on the stream, with the group's time limit. Returns an error if
    /// a rank is lost, and does not hang.
    ///
    /// Work that you enqueue after the last call may continue, and does not count towards the time
    /// limit. Work before a call delays the call, so it counts. A [group of one](crate::SingleRank) waits for
    /// the whole stream, without a limit.
    ///
    /// The results of a call are known to be valid only after this returns. If you copy them to the
    /// host without calling it, the copy may hold the result of a call in which another rank's
    /// device has failed.
    ///
    /// # Errors
    /// Returns [`Error::Lost`](crate::Error::Lost) if another rank has failed or does not arrive in
    /// time, and [`Error::Cuda`](crate::Error::Cuda) if work in the context has failed.
    fn wait(&self, stream: &Stream) -> Result<()>;
}
