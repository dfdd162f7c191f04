//! Memory that launches need beside the user's: kept, so that a call allocates nothing.

use std::{
    mem::ManuallyDrop,
    sync::{Arc, Mutex},
};

use cuda_safe::{
    Context, DeviceBuffer, PinnedBuffer, Settled, Stream,
    bytemuck::{self, Pod},
};

use super::lock::lock;
use crate::error::Result;

/// Device memory for each stream, zero before the first launch. Kernels leave it as they want to find it: on one stream
/// they run one after the other.
///
/// A stream is held as long as its memory is. That of the least recently used stream is given back when there are more
/// than [`STREAMS`], so that a program with a new stream for every task does not keep them all.
#[derive(Debug)]
pub(crate) struct Workspaces {
    words: usize,
    /// The most recently used first.
    of_streams: Mutex<Vec<Arc<DeviceBuffer<u64>>>>,
}

/// Streams that memory is kept for.
const STREAMS: usize = 64;

impl Workspaces {
    /// Of so many words for each stream.
    pub(crate) fn new(words: usize) -> Self {
        Self {
            words,
            of_streams: Mutex::default(),
        }
    }

    /// The memory of `stream`, for work that is enqueued there before this hold on it is dropped.
    pub(crate) fn of(&self, stream: &Stream) -> Result<Arc<DeviceBuffer<u64>>> {
        let mut known = lock(&self.of_streams);
        if let Some(at) = known.iter().position(|buffer| buffer.stream() == stream) {
            known[..=at].rotate_right(1);
            return Ok(known[0].clone());
        }
        // While raw calls capture the stream, the memory would be the graph's. This call is refused then.
        stream.query()?;
        let buffer = Arc::new(DeviceBuffer::zeroed(stream, self.words)?);
        known.insert(0, buffer.clone());
        let oldest = if known.len() > STREAMS {
            known.pop()
        } else {
            None
        };
        drop(known);
        drop(oldest); // given back behind its last launch; a thread that is about to launch still holds it
        Ok(buffer)
    }

    /// Lets go of `stream` and gives its memory back.
    pub(crate) fn release(&self, stream: &Stream) {
        let mut known = lock(&self.of_streams);
        let at = known.iter().position(|buffer| buffer.stream() == stream);
        let released = at.map(|at| known.remove(at));
        drop(known);
        drop(released);
    }
}

/// Places in page-locked memory for results that the host waits for. The device writes across the bus: there is no copy
/// to wait for.
#[derive(Debug)]
pub(crate) struct Results {
    context: Context,
    /// Those that no kernel writes to: as many as there were calls at the same time.
    idle: Mutex<Vec<Place>>,
}

#[derive(Debug)]
struct Place {
    word: PinnedBuffer<u64>,
    /// For kernels.
    address: u64,
}

impl Place {
    fn new(context: &Context) -> Result<Self> {
        let word = PinnedBuffer::zeroed(context, 1)?;
        let address = word.device_ptr()?;
        Ok(Self { word, address })
    }
}

impl Results {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            context: context.clone(),
            idle: Mutex::default(),
        }
    }

    /// Calls `enqueue`, whose work on `stream` writes an `A`, of 8 bytes at most, to the address it is given; waits, and
    /// gives what was written.
    pub(crate) fn fetch<A: Pod>(
        &self,
        stream: &Stream,
        enqueue: impl FnOnce(u64) -> Result<()>,
    ) -> Result<A> {
        const { assert!(size_of::<A>() <= size_of::<u64>()) };
        let idle = lock(&self.idle).pop();
        let place = match idle {
            Some(place) => place,
            None => Place::new(&self.context)?,
        };
        // Leaked unless the work is known to be over: the kernel may still write to it.
        let place = ManuallyDrop::new(place);
        let enqueued = enqueue(place.address);
        // Also after a failure: nothing may write to the place while it is read, or is somebody else's.
        let settled = stream.settle();
        if let Settled::Unknown(error) = settled {
            return Err(enqueued.err().unwrap_or(error.into()));
        }
        let place = ManuallyDrop::into_inner(place);
        let value =
            bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&place.word[0])[..size_of::<A>()]);
        lock(&self.idle).push(place);
        enqueued?;
        settled.or_abort()?;
        Ok(value)
    }
}
