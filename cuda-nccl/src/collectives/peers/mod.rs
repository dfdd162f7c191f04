//! A group of devices in one process that communicate by copies, without NCCL.

mod combine;
mod copies;
mod frame;
mod offer;
mod own;
mod rank;
mod reduce;

use std::{
    panic,
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::Duration,
};

use combine::MOST_RANKS;
use cuda_safe::{
    Context, Device, DeviceBuffer, ErrorKind, MemoryPool, Stream, memory::MemoryLocation,
    peer::PeerAccess,
};
use offer::Offer;
pub use rank::PeerRank;

use super::meeting::Rendezvous;
use crate::error::{Error, Result};

/// Options of a [`PeerGroup`]. Default: a time limit of one minute, 8 MiB reduced in one step, 32
/// MiB in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PeerOptions {
    /// How long a rank waits for the others to make the same call, and for its own work in
    /// [`wait`](crate::Collectives::wait). One minute by default.
    pub timeout: Duration,
    /// The largest reduction that is done in one step, in which every rank computes the whole
    /// result. This is the sum of all ranks' arrays in bytes. Larger arrays are reduced in pieces,
    /// each by one rank. Each device allocates twice its share of this size. 8 MiB by default.
    pub scratch_bytes: usize,
    /// The number of bytes in flight from the other ranks to one rank when arrays are reduced in
    /// pieces. Each device allocates twice this size at the first such call, and at the first
    /// [`reduce_scatter`](crate::Collectives::reduce_scatter) of any length. 32 MiB by default. The
    /// minimum is a rank's share of [`scratch_bytes`](Self::scratch_bytes).
    pub piece_bytes: usize,
    /// Whether to enable direct access between the memory of linked devices. On by default. If off,
    /// all copies go through host memory, as they do between devices without a link.
    pub links: bool,
}

impl Default for PeerOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            scratch_bytes: 8 << 20,
            piece_bytes: 32 << 20,
            links: true,
        }
    }
}

impl PeerOptions {
    /// Returns the size of an outbox and the size of one slot of an inbox. An inbox has two slots
    /// for each other rank.
    fn sizes(&self, ranks: usize) -> Result<(usize, usize)> {
        let others = (ranks - 1).max(1);
        let part = (self.scratch_bytes / ranks).max(16);
        let sizes = part.checked_next_multiple_of(256).and_then(|part| {
            let place = (self.piece_bytes / others).max(part);
            let place = place.checked_next_multiple_of(256)?;
            let inbox = place.checked_mul(2 * others)?;
            isize::try_from(inbox).is_ok().then_some((part, place))
        });
        sizes.ok_or_else(|| {
            Error::Value(format!(
                "PeerOptions: scratch_bytes {} and piece_bytes {} exceed the address space",
                self.scratch_bytes, self.piece_bytes
            ))
        })
    }

    /// Sets [`timeout`](Self::timeout).
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// Sets [`scratch_bytes`](Self::scratch_bytes).
    #[must_use]
    pub fn scratch_bytes(mut self, bytes: usize) -> Self {
        self.scratch_bytes = bytes;
        self
    }

    /// Sets [`piece_bytes`](Self::piece_bytes).
    #[must_use]
    pub fn piece_bytes(mut self, bytes: usize) -> Self {
        self.piece_bytes = bytes;
        self
    }

    /// Sets [`links`](Self::links).
    #[must_use]
    pub fn links(mut self, on: bool) -> Self {
        self.links = on;
        self
    }
}

/// A group of this process's devices that communicate by copies over the links between them. It
/// needs no library besides the driver.
///
/// Each rank runs on a separate thread. [`run`](Self::run) starts the threads, and
/// [`into_ranks`](Self::into_ranks) returns the ranks to be used in your own threads.
///
/// In each call the ranks synchronize on the host, which takes a microsecond or two, and compare
/// their calls. If a rank makes a different call, or passes another length or type, all ranks
/// return an error that names it. Nothing is enqueued then, and the group stays usable. If a rank
/// has ended (its thread panicked or returned early) or does not arrive within the [time
/// limit](PeerOptions::timeout), the others return [`Error::Lost`], and the group is unusable.
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
/// devices also get access to each other, permanently: this makes copies of [`DeviceBuffer`]s ten
/// times as fast. Without a link the driver copies through host memory.
#[derive(Debug)]
pub struct PeerGroup(Vec<PeerRank>);

/// State shared by all ranks.
struct Shared {
    contexts: Vec<Context>,
    options: PeerOptions,
    rendezvous: Rendezvous<Offer>,
    scratch: Vec<Scratch>,
    /// Whether kernels of every rank may read the scratch memory of every rank.
    reaches: bool,
    /// Sizes in bytes of an outbox and of a slot in an inbox.
    part: usize,
    place: usize,
    /// Set when a rank's work has not ended within the time limit. Work of other ranks may wait for
    /// it, so no rank waits any more.
    stuck: AtomicBool,
    /// Keeps the access enabled. Dropped last.
    _access: Vec<PeerAccess>,
}

/// The group's memory on one device that the other ranks read: one buffer for this call and one for
/// the next.
struct Scratch([DeviceBuffer<u8>; 2]);

impl Shared {
    fn size(&self) -> usize {
        self.contexts.len()
    }
}

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
        let (part, place) = options.sizes(size)?;
        let (access, reaches) = open(contexts, options.links)?;
        let scratch = contexts
            .iter()
            .map(|context| Scratch::new(context, contexts, reaches, part));
        let shared = Arc::new(Shared {
            scratch: scratch.collect::<Result<_>>()?,
            contexts: contexts.to_vec(),
            options,
            rendezvous: Rendezvous::new(size),
            reaches,
            part,
            place,
            stuck: AtomicBool::new(false),
            _access: access,
        });
        let ranks = (0..size).map(|rank| PeerRank::new(rank, shared.clone()));
        Ok(Self(ranks.collect::<Result<_>>()?))
    }

    /// Returns the ranks, to be used in your own threads.
    #[must_use]
    pub fn into_ranks(self) -> Vec<PeerRank> {
        self.0
    }

    /// Calls `work` for each rank on a separate thread, and returns the results in the order of
    /// ranks.
    ///
    /// Returns when all calls of `work` have returned. The time limit applies to calls of the group
    /// only, not to other work in the closure.
    ///
    /// # Errors
    /// Returns the error of the first rank that failed. An error that is the cause takes precedence
    /// over the [`Error::Lost`] of ranks that waited for that rank.
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
                .map(|rank| scope.spawn(move || work(&rank)))
                .collect();
            threads.into_iter().map(|thread| thread.join()).collect()
        });
        let mut values = Vec::with_capacity(results.len());
        let mut failed: Option<Error> = None;
        for result in results {
            match result {
                Ok(Ok(value)) => values.push(value),
                Ok(Err(error)) => {
                    if failed.as_ref().is_none_or(|first| {
                        matches!(first, Error::Lost(_)) && !matches!(error, Error::Lost(_))
                    }) {
                        failed = Some(error);
                    }
                }
                Err(payload) => panic::resume_unwind(payload),
            }
        }
        failed.map_or(Ok(values), Err)
    }
}

/// Enables access between linked devices. Returns guards that keep the access enabled, and whether
/// every device can access every other.
fn open(contexts: &[Context], links: bool) -> Result<(Vec<PeerAccess>, bool)> {
    let (mut held, mut all) = (Vec::new(), true);
    for context in contexts {
        for peer in contexts {
            let (here, there) = (context.device(), peer.device());
            if here == there {
                continue;
            }
            if !links || !here.can_access_peer(there)? {
                all = false;
                continue;
            }
            match context.enable_peer_access(peer) {
                Ok(access) => held.push(access),
                // The hardware's links may be used up. Copies work without them.
                Err(error) if *error.kind() != ErrorKind::Poisoned => all = false,
                Err(error) => return Err(error.into()),
            }
            // A device without memory pools has none to share. Copies work without them.
            if let Ok(pool) = MemoryPool::current(peer) {
                let _ = pool.grant_access(&[MemoryLocation::device(here)]);
            }
        }
    }
    Ok((held, all))
}

impl Scratch {
    fn new(context: &Context, contexts: &[Context], reaches: bool, part: usize) -> Result<Self> {
        let stream = Stream::new(context)?;
        let others = contexts.iter().map(Context::device);
        let others = others.filter(|&device| device != context.device());
        let access: Vec<_> = others.map(MemoryLocation::device).collect();
        let pool = match reaches && !access.is_empty() {
            true => match MemoryPool::new(context) {
                Ok(pool) => Some(pool),
                // Access between the contexts then covers all memory.
                Err(error) if *error.kind() == ErrorKind::Unsupported => None,
                Err(error) => return Err(error.into()),
            },
            false => None,
        };
        if let Some(pool) = &pool {
            pool.grant_access(&access)?;
        }
        let allocate = || match &pool {
            Some(pool) => pool.allocate(&stream, part), // the pool is freed with its memory
            None => DeviceBuffer::uninit(&stream, part),
        };
        let memory = [allocate()?, allocate()?];
        // Other streams use the memory from here on.
        stream.synchronize()?;
        Ok(Self(memory))
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ranks", self.size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_defaults_and_setters() {
        let default = PeerOptions::default();
        let expected = PeerOptions {
            timeout: Duration::from_secs(60),
            scratch_bytes: 8_388_608,
            piece_bytes: 33_554_432,
            links: true,
        };
        assert_eq!(default, expected);
        let second = Duration::from_secs(1);
        let set = default
            .links(false)
            .timeout(second)
            .scratch_bytes(2)
            .piece_bytes(3);
        let expected = PeerOptions {
            timeout: second,
            scratch_bytes: 2,
            piece_bytes: 3,
            links: false,
        };
        assert_eq!(set, expected);
        assert_eq!(
            set.links(true),
            PeerOptions {
                links: true,
                ..expected
            }
        );
    }

    #[test]
    fn scratch_memory_is_shared_by_the_ranks_and_pieces_by_the_others() {
        let sizes = |scratch, piece, ranks| {
            let options = PeerOptions::default()
                .scratch_bytes(scratch)
                .piece_bytes(piece);
            options.sizes(ranks).unwrap()
        };
        assert_eq!(sizes(8 << 20, 32 << 20, 1), (8 << 20, 32 << 20));
        assert_eq!(sizes(8 << 20, 32 << 20, 2), (4 << 20, 32 << 20));
        assert_eq!(sizes(8 << 20, 32 << 20, 4), (2 << 20, 11_184_896));
        assert_eq!(sizes(8 << 20, 32 << 20, 16), (1 << 19, 2_237_184));
        // Both are multiples of 256 bytes.
        assert_eq!(sizes(3 * 256, 2 * 512, 3), (256, 512));
        assert_eq!(sizes(3 * 256 - 1, 2 * 512 - 1, 3), (256, 512));
        assert_eq!(sizes(3 * 256 + 3, 2 * 512 + 2, 3), (512, 768));
        // There is room for something in any case.
        assert_eq!(sizes(0, 0, 2), (256, 256));
        assert_eq!(sizes(2048, 0, 2), (1024, 1024));
    }

    #[test]
    fn sizes_are_limited_by_the_address_space() {
        let sizes = |place: usize, ranks: usize| {
            let others = (ranks - 1).max(1);
            let options = PeerOptions::default().piece_bytes(place * others);
            options.sizes(ranks).map(|(_, place)| place)
        };
        for ranks in [1, 2, 3, 4, 6] {
            let others = (ranks - 1).max(1);
            let most = (isize::MAX as usize / (2 * others)) & !255;
            assert_eq!(sizes(most, ranks).unwrap(), most, "{ranks}");
            let error = sizes(most + 256, ranks).unwrap_err();
            assert!(matches!(error, Error::Value(_)), "{error}");
            let text = format!(
                "PeerOptions: scratch_bytes 8388608 and piece_bytes {} exceed the address space",
                (most + 256) * others
            );
            assert_eq!(error.to_string(), text);
        }
    }
}
