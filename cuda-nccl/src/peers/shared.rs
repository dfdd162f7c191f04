//! The state that all ranks of a group share.

use std::sync::atomic::AtomicBool;

use cuda_safe::{
    Context, DeviceBuffer, ErrorKind, MemoryPool, Stream, memory::MemoryLocation, peer::PeerAccess,
};

use super::{meeting::Rendezvous, offer::Offer, options::PeerOptions};
use crate::error::Result;

/// State shared by all ranks.
pub(super) struct Shared {
    pub(super) contexts: Vec<Context>,
    pub(super) options: PeerOptions,
    pub(super) rendezvous: Rendezvous<Offer>,
    pub(super) scratch: Vec<Scratch>,
    /// Whether kernels of every rank may read the scratch memory of every rank.
    pub(super) reaches: bool,
    /// Sizes in bytes of an outbox and of a slot in an inbox.
    pub(super) part: usize,
    pub(super) place: usize,
    /// Set when a rank's work has not ended within the time limit. Work of other ranks may wait for
    /// it, so no rank waits any more.
    pub(super) stuck: AtomicBool,
    /// Held for its drop, which must come last.
    _access: Vec<PeerAccess>,
}

/// The group's memory on one device that the other ranks read: one buffer for this call and one for
/// the next.
pub(super) struct Scratch(pub(super) [DeviceBuffer<u8>; 2]);

impl Shared {
    pub(super) fn new(contexts: &[Context], options: PeerOptions) -> Result<Self> {
        let size = contexts.len();
        let (part, place) = options.sizes(size)?;
        let (access, reaches) = open(contexts, options.links)?;
        let scratch = contexts
            .iter()
            .map(|context| Scratch::new(context, contexts, reaches, part));
        Ok(Self {
            scratch: scratch.collect::<Result<_>>()?,
            contexts: contexts.to_vec(),
            options,
            rendezvous: Rendezvous::new(size),
            reaches,
            part,
            place,
            stuck: AtomicBool::new(false),
            _access: access,
        })
    }

    pub(super) fn size(&self) -> usize {
        self.contexts.len()
    }
}

/// Enables access between linked devices. Returns the access to keep, and whether every device can
/// reach every other.
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
