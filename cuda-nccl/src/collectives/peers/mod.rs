//! The devices of one process as a group, by copies between them: no NCCL.

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

use super::meeting::Meeting;
use crate::error::{Error, Result};

/// How a [`PeerGroup`] works. The default: a time limit of a minute, 8 MiB in one step, 32 MiB on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PeerOptions {
    /// How long a rank waits for the others to make the same call, and for its own work in
    /// [`wait`](crate::Collectives::wait). A minute by default.
    pub timeout: Duration,
    /// How many bytes of all ranks together are reduced in one step, each by all ranks. Each device has twice a rank's
    /// share for it. What is larger is reduced in pieces, each by one rank. 8 MiB by default.
    pub scratch_bytes: usize,
    /// How many bytes of the other ranks are on their way to one at a time, where arrays are reduced in pieces. Each device
    /// has twice as much from the first such call on, and from the first [`reduce_scatter`](crate::Collectives::reduce_scatter)
    /// of any length. 32 MiB by default; less than a rank's share of [`scratch_bytes`](Self::scratch_bytes) counts as that.
    pub piece_bytes: usize,
    /// Whether the devices' memory is opened to each other where they have links. On by default. Without it, all goes by way
    /// of the host, as it does between devices that have none.
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
    /// Bytes of an outbox, and of a place for one of the other ranks in an inbox, which has two for each.
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
                "PeerOptions: scratch_bytes {} and piece_bytes {} are more than any memory",
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

/// Devices of this process as a group of ranks, which reach each other by copies over the links between them. Nothing has
/// to be installed.
///
/// Each rank is for a thread of its own: [`run`](Self::run) starts one for each, and [`into_ranks`](Self::into_ranks) gives
/// the ranks to who has threads. Ranks meet on the host in each call, a microsecond or two, and compare what they are about
/// to do: a rank that calls something else, or with another length or type, is an error on all ranks, which names it;
/// nothing is enqueued then, and the group goes on. A rank that has ended (its thread panicked, or returned early), or that
/// does not come within the [time limit](PeerOptions::timeout), is [`Error::Lost`] on the others, and the group is over.
///
/// Two ranks may be contexts of one device, and then share its memory's bandwidth: for tests on machines with one GPU.
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
/// # What it changes
/// Where two devices have a link, both contexts get access to each other's memory
/// ([`Context::enable_peer_access`]) for as long as the group lives, and the current memory pools of the devices are opened
/// to each other for good: copies of [`DeviceBuffer`]s are ten times as fast then. Without a link the driver copies by way
/// of the host.
#[derive(Debug)]
pub struct PeerGroup(Vec<PeerRank>);

/// What all ranks have.
struct Shared {
    contexts: Vec<Context>,
    options: PeerOptions,
    meeting: Meeting<Offer>,
    scratch: Vec<Scratch>,
    /// Whether kernels of all ranks may read the scratch memory of all.
    reaches: bool,
    /// Bytes of an outbox, and of a place in an inbox.
    part: usize,
    place: usize,
    /// A rank's work has not ended within the time limit: others may wait for it on their streams, so nobody waits for them.
    stuck: AtomicBool,
    /// Held, and dropped last.
    _access: Vec<PeerAccess>,
}

/// The group's memory on one device: what the others read, for this call and for the next.
struct Scratch([DeviceBuffer<u8>; 2]);

impl Shared {
    fn size(&self) -> usize {
        self.contexts.len()
    }
}

impl PeerGroup {
    /// A group with a rank for each context, in this order.
    ///
    /// # Errors
    /// No context, or more than 16. Options of more bytes than any memory has. Memory ran out.
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

    /// A group of the primary contexts of all devices.
    ///
    /// # Errors
    /// As [`new`](Self::new): no devices, or more than 16.
    pub fn of_all_devices() -> Result<Self> {
        let devices = Device::all()?.into_iter();
        let contexts: Vec<Context> = devices.map(Context::primary_of).collect::<Result<_, _>>()?;
        Self::new(&contexts)
    }

    /// A group with options.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(contexts: &[Context], options: PeerOptions) -> Result<Self> {
        let size = contexts.len();
        if size == 0 || size > MOST_RANKS {
            return Err(Error::Value(format!(
                "a group of {size} contexts: there may be 1 to {MOST_RANKS}"
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
            meeting: Meeting::new(size),
            reaches,
            part,
            place,
            stuck: AtomicBool::new(false),
            _access: access,
        });
        let ranks = (0..size).map(|rank| PeerRank::new(rank, shared.clone()));
        Ok(Self(ranks.collect::<Result<_>>()?))
    }

    /// The ranks, for threads of one's own.
    #[must_use]
    pub fn into_ranks(self) -> Vec<PeerRank> {
        self.0
    }

    /// Calls `work` for each rank, each on a thread of its own, and returns what they return, in the order of ranks. It returns
    /// when all of them have: the time limit ends calls of the group, and nothing else that a rank does.
    ///
    /// # Errors
    /// That of the first rank with one, but rather the reason than the [`Error::Lost`] of those who waited for that rank.
    ///
    /// # Panics
    /// If a rank panics, after the others have ended.
    pub fn run<R: Send>(self, work: impl Fn(&PeerRank) -> Result<R> + Sync) -> Result<Vec<R>> {
        let work = &work;
        let results: Vec<_> = thread::scope(|scope| {
            let started = self.0.into_iter();
            // The thread owns its rank: however it ends, the others are told.
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

/// Opens the devices to each other where they have links: the access to hold, and whether all reach all.
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
                // The hardware's links may be used up: copies work without.
                Err(error) if *error.kind() != ErrorKind::Poisoned => all = false,
                Err(error) => return Err(error.into()),
            }
            // A device without pools has none to open, and copies work without.
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
                // The contexts' access to each other holds for all memory then.
                Err(error) if *error.kind() == ErrorKind::Unsupported => None,
                Err(error) => return Err(error.into()),
            },
            false => None,
        };
        if let Some(pool) = &pool {
            pool.grant_access(&access)?;
        }
        let allocate = || match &pool {
            Some(pool) => pool.allocate(&stream, part), // which goes when its memory does
            None => DeviceBuffer::uninit(&stream, part),
        };
        let memory = [allocate()?, allocate()?];
        // Other streams use it from now on.
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
                "PeerOptions: scratch_bytes 8388608 and piece_bytes {} are more than any memory",
                (most + 256) * others
            );
            assert_eq!(error.to_string(), text);
        }
    }
}
