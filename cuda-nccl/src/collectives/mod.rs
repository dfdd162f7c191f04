//! What the ranks of a group do together, whoever carries it.

mod alone;
mod meeting;
mod peers;

pub use alone::Alone;
use cuda_safe::{
    Context, DeviceBuffer, DeviceMemory, DeviceView, DeviceViewMut, Owner, PlainData, Stream,
    memory::{Storage, StorageMut},
};
pub use peers::{PeerGroup, PeerOptions, PeerRank};

use crate::{
    element::{Reducible, Reduction},
    error::{Error, Result},
};

/// An error unless the stream and the memory are of a rank's context.
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

/// An error unless `all` has a part for each rank. Both have names for the message.
pub(crate) fn expect_parts(call: &str, [part, all]: [(&str, usize); 2], size: usize) -> Result<()> {
    if part.1.checked_mul(size) == Some(all.1) {
        return Ok(());
    }
    Err(Error::Value(format!(
        "{call}: `{}` has {} elements, which are not {size} parts like `{}`, of {}: parts are of one length; those of different \
         ones go by exchange",
        all.0, all.1, part.0, part.1
    )))
}

#[cold]
fn foreign(what: &str, found: &Context, rank: usize, own: &Context) -> Error {
    let device = |context: &Context| context.device().ordinal();
    let places = match (device(found), device(own)) {
        (there, here) if there != here => format!("one of device {there}, and the rank has {here}"),
        (_, here) => format!("another one of device {here}"),
    };
    Error::Value(format!(
        "{what} is of another context than that of rank {rank} ({places}): make it in the one that Collectives::context gives"
    ))
}

/// One rank of a group of devices, and what it does together with the others.
///
/// **All ranks make the same calls in the same order**, each from a thread or a process of its own, with the same lengths
/// and types unless a method says otherwise. A call enqueues its work on the stream that it is given, which is of this
/// rank's context, and returns; memory of other streams is ordered with it.
///
/// An algorithm that is written over this trait runs on NCCL and on copies between the devices of one process alike.
pub trait Collectives {
    /// Which rank this is, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn size(&self) -> usize;

    /// The context of this rank's device.
    fn context(&self) -> &Context;

    /// Each rank has the reduction of all ranks' `data` in its place, the same bits on all ranks.
    ///
    /// # Errors
    /// Memory or stream of another context; another rank is lost or calls with another length.
    fn all_reduce<T: Reducible>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()>;

    /// All ranks have the `data` of rank `root`.
    ///
    /// # Errors
    /// As [`all_reduce`](Self::all_reduce), and a root that is not a rank.
    fn broadcast<T: PlainData>(
        &self,
        stream: &Stream,
        data: &mut DeviceMemory<impl StorageMut, T>,
        root: usize,
    ) -> Result<()>;

    /// All ranks have the `part` of each rank, one behind the other in the order of ranks.
    ///
    /// # Errors
    /// As [`all_reduce`](Self::all_reduce), and an `all` that is not as long as `size` parts.
    fn all_gather<T: PlainData>(
        &self,
        stream: &Stream,
        part: &DeviceMemory<impl Storage, T>,
        all: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()>;

    /// Each rank has its part of the reduction of all ranks' `all` in `part`: rank 0 the first one.
    ///
    /// `all` has `size` parts, on all ranks, and stays as it is.
    ///
    /// # Errors
    /// As [`all_reduce`](Self::all_reduce), and an `all` that is not as long as `size` parts.
    fn reduce_scatter<T: Reducible>(
        &self,
        stream: &Stream,
        all: &DeviceMemory<impl Storage, T>,
        part: &mut DeviceMemory<impl StorageMut, T>,
        reduction: Reduction,
    ) -> Result<()>;

    /// Part j of rank i's `from` becomes part i of rank j's `to`: a transposition of parts. Both have `size` parts.
    ///
    /// # Errors
    /// As [`all_reduce`](Self::all_reduce), and lengths that are no `size` parts.
    fn all_to_all<T: PlainData>(
        &self,
        stream: &Stream,
        from: &DeviceMemory<impl Storage, T>,
        to: &mut DeviceMemory<impl StorageMut, T>,
    ) -> Result<()>;

    /// Sends to some ranks and receives from some, all at once: what one rank sends to another, that one receives from it,
    /// in the same order and of the same lengths. The lists may be empty, and may differ between ranks.
    ///
    /// ```
    /// use cuda_nccl::{Collectives, PeerGroup};
    /// use cuda_safe::{DeviceBuffer, Stream};
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// // Each rank has four numbers between two places for those of its neighbours.
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
    /// As [`all_reduce`](Self::all_reduce), and a rank that there is not.
    fn exchange<T: PlainData>(
        &self,
        stream: &Stream,
        sends: &[(usize, DeviceView<'_, T>)],
        receives: &mut [(usize, DeviceViewMut<'_, T>)],
    ) -> Result<()>;

    /// Tells the other ranks that this one can't make the call that they are about to make, and why. They have an error
    /// instead of waiting for it, and the group goes on: it counts as this rank's part in the call. The methods here do so by
    /// themselves; it is for who finds a mistake before.
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
    ///         rank.refuse("its part has no file");
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
    /// Over NCCL the reason stays with this rank, and ranks whose calls are
    /// [not compared](crate::CommunicatorOptions::unverified) are told nothing.
    fn refuse(&self, why: &str);

    /// All ranks have the values of each rank, one behind the other in the order of ranks. For few values. Waits for them.
    ///
    /// # Errors
    /// As [`all_reduce`](Self::all_reduce).
    fn gather_on_host<T: PlainData>(&self, stream: &Stream, values: &[T]) -> Result<Vec<T>> {
        let part = DeviceBuffer::from_slice(stream, values)?;
        let mut all = DeviceBuffer::<T>::uninit(stream, values.len() * self.size())?;
        self.all_gather(stream, &part, &mut all)?;
        self.wait(stream)?;
        Ok(all.to_vec(stream)?)
    }

    /// Waits for this rank's calls on the stream, with the group's time limit. A lost rank is an error, not a hang.
    ///
    /// Work that you enqueue behind the last call may go on, and takes none of the time limit. Work in front of a call delays
    /// the call, so it counts. A [group of one](Alone) waits for the whole stream, without a limit.
    ///
    /// The results of a call are known to be right when this has returned. Without it, a copy to the host may hold the result
    /// of a call in which another rank's device has failed.
    ///
    /// # Errors
    /// Returns [`Error::Lost`](crate::Error::Lost) if another rank has failed or does not come in time, and
    /// [`Error::Cuda`](crate::Error::Cuda) if work in the context has failed.
    fn wait(&self, stream: &Stream) -> Result<()>;
}
