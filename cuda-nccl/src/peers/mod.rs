//! A group of devices in one process that communicate by copies, without NCCL.

mod combine;
mod copies;
mod frame;
mod loss;
mod meeting;
mod offer;
mod options;
mod own;
mod rank;
mod reduce;
mod shared;

use std::{panic, sync::Arc, thread};

use combine::MOST_RANKS;
use cuda_safe::{Context, Device};
pub use options::PeerOptions;
pub use rank::PeerRank;
use shared::Shared;

use crate::error::{Error, Result};

/// Devices of this process as a group of ranks that communicate by copies over the links between
/// them. Nothing has to be installed.
///
/// Each rank runs on a separate thread. [`run`](Self::run) starts the threads, and
/// [`into_ranks`](Self::into_ranks) returns the ranks to be used in your own threads.
///
/// In each call the ranks synchronize on the host, which takes a microsecond or two, and compare
/// their calls. If a rank makes a different call, or passes another length or type, all ranks
/// return an error that names it, the number of the call, and the source line of each rank. Nothing
/// is enqueued then, and the group stays usable. If a rank has ended (its thread panicked or returned
/// early) or does not arrive within the [time limit](PeerOptions::timeout), the others return
/// [`Error::Lost`] with the cause, and the group is unusable. After a sixth of the limit, by default
/// 10 seconds, a waiting rank prints a notice to standard error. It names the call and the ranks that
/// are missing. Limits below 6 seconds have no notice. Source lines are in this crate for the calls of
/// [`spread`](crate::spread).
///
/// Two ranks may use contexts of one device, and then share its memory bandwidth. This is meant for
/// tests on machines with one GPU.
///
/// ```
/// use cuda_nccl::{Collectives, PeerGroup, Reduction};
/// use cuda_safe::{Context, Device, DeviceBuffer, Stream};
///
/// # fn main() -> cuda_nccl::Result<()> {
/// let group = PeerGroup::of_all_devices()?;
/// let sums = group.run(|rank| {
///     let stream = Stream::new(rank.context())?;
///     let mut data = DeviceBuffer::from_slice(&stream, &[1.0f32, rank.rank() as f32])?;
///     rank.all_reduce(&stream, &mut data, Reduction::Sum)?;
///     Ok(data.to_vec(&stream)?)
/// })?;
/// let n = sums.len();
/// assert_eq!(sums[0], [n as f32, (n * (n - 1) / 2) as f32]);
/// # Ok(())
/// # }
/// ```
///
/// # Side effects
/// If two devices have a link, both contexts get access to each other's memory
/// ([`Context::enable_peer_access`]) while the group exists. The current memory pools of the
/// devices also get access to each other, permanently, because a [`DeviceBuffer`] needs the access
/// of its pool: this makes its copies ten times as fast. [Several
/// devices](cuda_safe::guide::memory_and_streams#several-devices) lists which access each kind of
/// memory needs. Without a link the driver copies through host memory.
///
/// [`DeviceBuffer`]: cuda_safe::DeviceBuffer
#[derive(Debug)]
pub struct PeerGroup(Vec<PeerRank>);

impl PeerGroup {
    /// Creates a group with one rank per context, in this order.
    ///
    /// # Errors
    /// Returns [`Error::Value`] if there is no context or more than 16, or if the sizes in the
    /// options exceed the address space. Returns [`Error::Cuda`] if memory cannot be allocated or a
    /// driver call fails.
    ///
    /// ```
    /// use cuda_nccl::{Collectives, PeerGroup};
    /// use cuda_safe::Context;
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// let context = Context::primary(0)?;
    /// let ranks = PeerGroup::new(&[context.clone(), context])?.into_ranks(); // two on one device
    /// assert_eq!((ranks[1].rank(), ranks[1].size()), (1, 2));
    /// assert!(PeerGroup::new(&[]).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(contexts: &[Context]) -> Result<Self> {
        Self::with_options(contexts, PeerOptions::default())
    }

    /// Creates a group of the primary contexts of all devices.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new), including the one for no device or more than 16.
    pub fn of_all_devices() -> Result<Self> {
        let devices = Device::all()?.into_iter();
        let contexts: Vec<Context> = devices.map(Context::primary_of).collect::<Result<_, _>>()?;
        Self::new(&contexts)
    }

    /// Creates a group with options.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new).
    pub fn with_options(contexts: &[Context], options: PeerOptions) -> Result<Self> {
        let size = contexts.len();
        if size == 0 || size > MOST_RANKS {
            return Err(Error::Value(format!(
                "a group of {size} contexts: the number must be 1 to {MOST_RANKS}"
            )));
        }
        let shared = Arc::new(Shared::new(contexts, options)?);
        let ranks = (0..size).map(|rank| PeerRank::new(rank, shared.clone()));
        Ok(Self(ranks.collect::<Result<_>>()?))
    }

    /// Returns the ranks, to be used in your own threads.
    #[must_use]
    pub fn into_ranks(self) -> Vec<PeerRank> {
        self.0
    }

    /// Calls `work` for each rank on a separate thread, and returns the results in the order of
    /// ranks. The threads are named `rank 0`, `rank 1` and so on, which a panic's message shows.
    ///
    /// Returns when all calls of `work` have returned. The time limit applies to calls of the group
    /// only, not to other work in the closure.
    ///
    /// # Errors
    /// Returns [`Error::Rank`] with the first rank that failed and its error. An error that is the
    /// cause takes precedence over the [`Error::Lost`] of ranks that waited for that rank. Returns
    /// [`Error::Rank`] with [`Error::Start`] if the system cannot start a thread.
    ///
    /// ```
    /// use cuda_nccl::{Collectives, Error, PeerGroup};
    /// use cuda_safe::Context;
    ///
    /// # fn main() -> cuda_nccl::Result<()> {
    /// let context = Context::primary(0)?;
    /// let group = PeerGroup::new(&[context.clone(), context])?;
    /// let failed = group.run(|rank| match rank.rank() {
    ///     0 => Ok(()),
    ///     _ => Err(Error::Value("the file is empty".into())),
    /// });
    /// assert_eq!(failed.unwrap_err().to_string(), "rank 1: the file is empty");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if a rank panics, after the other ranks have ended.
    pub fn run<R: Send>(self, work: impl Fn(&PeerRank) -> Result<R> + Sync) -> Result<Vec<R>> {
        let work = &work;
        let results: Vec<_> = thread::scope(|scope| {
            let started = self.0.into_iter();
            // The thread owns its rank, so dropping the rank notifies the others however the thread
            // ends.
            let threads: Vec<_> = started
                .map(|rank| {
                    let name = format!("rank {}", rank.number());
                    thread::Builder::new()
                        .name(name)
                        .spawn_scoped(scope, move || {
                            let result = work(&rank);
                            rank.end(&result);
                            result
                        })
                })
                .collect();
            let joined = threads.into_iter().map(|thread| match thread {
                Ok(thread) => thread.join(),
                Err(error) => Ok(Err(no_thread(&error))),
            });
            joined.collect()
        });
        let mut values = Vec::with_capacity(results.len());
        let mut failed: Option<(usize, Error)> = None;
        for (rank, result) in results.into_iter().enumerate() {
            match result {
                Ok(Ok(value)) => values.push(value),
                Ok(Err(error)) => {
                    if failed.as_ref().is_none_or(|(_, first)| {
                        matches!(first, Error::Lost(_)) && !matches!(error, Error::Lost(_))
                    }) {
                        failed = Some((rank, error));
                    }
                }
                Err(payload) => panic::resume_unwind(payload),
            }
        }
        match failed {
            None => Ok(values),
            Some((rank, error)) => Err(Error::Rank {
                rank,
                error: Box::new(error),
            }),
        }
    }
}

#[cold]
fn no_thread(error: &std::io::Error) -> Error {
    Error::Start(format!(
        "the system cannot start the rank's thread: {error}. Fix: raise the limit on threads (ulimit -u), or free memory"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_thread_is_an_error_with_remedy() {
        let why = std::io::Error::other("no thread left");
        assert_eq!(
            no_thread(&why).to_string(),
            "the system cannot start the rank's thread: no thread left. Fix: raise the limit on threads (ulimit -u), or free memory"
        );
    }
}
