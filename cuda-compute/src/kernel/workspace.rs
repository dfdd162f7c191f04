//! Scratch memory and result words for launches. They are kept, so that calls don't allocate.

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

/// Device memory for each stream.
///
/// The memory is zero before the first launch. Each kernel leaves it zeroed. Kernels of one stream
/// run one after the other, so they can share the memory.
///
/// The memory keeps its stream alive. If there are more than [`STREAMS`] streams, the memory of the
/// least recently used one is freed, so that a program with a new stream for every task does not
/// keep all of them.
#[derive(Debug)]
pub(crate) struct Workspaces {
    words: usize,
    /// Buffers, most recently used first.
    of_streams: Mutex<Vec<Arc<DeviceBuffer<u64>>>>,
}

/// The maximum number of streams that memory is kept for.
const STREAMS: usize = 64;

impl Workspaces {
    /// Creates a collection with this many words for each stream.
    pub(crate) fn new(words: usize) -> Self {
        Self {
            words,
            of_streams: Mutex::default(),
        }
    }

    /// Returns the memory of `stream`, for work that is enqueued there before the returned
    /// reference is dropped.
    pub(crate) fn of(&self, stream: &Stream) -> Result<Arc<DeviceBuffer<u64>>> {
        let mut known = lock(&self.of_streams);
        if let Some(at) = known.iter().position(|buffer| buffer.stream() == stream) {
            known[..=at].rotate_right(1);
            return Ok(known[0].clone());
        }
        // If raw calls are capturing the stream, an allocation would belong to the graph. This call
        // fails in that case.
        stream.query()?;
        let buffer = Arc::new(DeviceBuffer::zeroed(stream, self.words)?);
        known.insert(0, buffer.clone());
        let oldest = if known.len() > STREAMS {
            known.pop()
        } else {
            None
        };
        drop(known);
        drop(oldest); // freed after its last launch, because a thread that is about to launch holds a reference
        Ok(buffer)
    }

    /// Drops the reference to `stream` and frees its memory.
    pub(crate) fn release(&self, stream: &Stream) {
        let mut known = lock(&self.of_streams);
        let at = known.iter().position(|buffer| buffer.stream() == stream);
        let released = at.map(|at| known.remove(at));
        drop(known);
        drop(released);
    }
}

/// Page-locked words for results that the host waits for. The device writes to them directly, so
/// there is no copy to wait for.
#[derive(Debug)]
pub(crate) struct Results {
    context: Context,
    /// The words that no kernel is writing to. Their number is the maximum number of simultaneous
    /// calls so far.
    idle: Mutex<Vec<Place>>,
}

#[derive(Debug)]
struct Place {
    word: PinnedBuffer<u64>,
    /// The device address of the word.
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

    /// Calls `enqueue` with an address. It must enqueue work on `stream` that writes an `A` of at
    /// most 8 bytes there. Waits for the work and returns the value.
    pub(crate) fn fetch<A: Pod>(
        &self,
        stream: &Stream,
        enqueue: impl FnOnce(u64) -> Result<()>,
    ) -> Result<A> {
        const { assert!(size_of::<A>() <= size_of::<u64>()) };
        let word = self.fetch_or(stream, 0, enqueue)?;
        Ok(bytemuck::pod_read_unaligned(
            &bytemuck::bytes_of(&word)[..size_of::<A>()],
        ))
    }

    /// Works like [`fetch`](Self::fetch) for a whole word. Returns `otherwise` if the work doesn't
    /// write the word.
    pub(crate) fn fetch_or(
        &self,
        stream: &Stream,
        otherwise: u64,
        enqueue: impl FnOnce(u64) -> Result<()>,
    ) -> Result<u64> {
        let idle = lock(&self.idle).pop();
        let mut place = match idle {
            Some(place) => place,
            None => Place::new(&self.context)?,
        };
        place.word[0] = otherwise;
        // Leak the word unless the work is known to have finished, because the kernel may still
        // write to it.
        let place = ManuallyDrop::new(place);
        let enqueued = enqueue(place.address);
        // Wait even after a failure: no kernel may write to the word while it is read or reused.
        let settled = stream.settle();
        if let Settled::Unknown(error) = settled {
            return Err(enqueued.err().unwrap_or(error.into()));
        }
        let place = ManuallyDrop::into_inner(place);
        let value = place.word[0];
        lock(&self.idle).push(place);
        enqueued?;
        settled.or_abort()?;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_stream_is_forgotten() {
        let context = Context::primary(0).unwrap();
        let workspaces = Workspaces::new(3);
        let streams: Vec<Stream> = (0..=STREAMS)
            .map(|_| Stream::new(&context).unwrap())
            .collect();
        let buffers: Vec<_> = streams[..STREAMS]
            .iter()
            .map(|stream| workspaces.of(stream).unwrap())
            .collect();
        let is_kept = |at: usize| Arc::strong_count(&buffers[at]) > 1;
        assert!((0..STREAMS).all(is_kept));
        assert_eq!(buffers[0].len(), 3);
        // Using the first one again makes the second one the least recently used.
        assert!(Arc::ptr_eq(
            &workspaces.of(&streams[0]).unwrap(),
            &buffers[0]
        ));
        workspaces.of(&streams[STREAMS]).unwrap();
        assert!(!is_kept(1) && is_kept(0) && (2..STREAMS).all(is_kept));
        workspaces.release(&streams[0]);
        assert!(!is_kept(0) && is_kept(2));
        workspaces.release(&streams[1]); // which has none
        assert!(is_kept(2));
    }

    #[test]
    fn results_are_what_was_written_or_what_was_there() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let results = Results::new(&context);
        assert_eq!(results.fetch_or(&stream, 7, |_| Ok(())).unwrap(), 7);
        assert_eq!(results.fetch::<u32>(&stream, |_| Ok(())).unwrap(), 0);
        // Sequential calls share one word.
        assert_eq!(results.idle.lock().unwrap().len(), 1);
        let failed = results.fetch_or(&stream, 7, |_| {
            Err(crate::error::Error::Shape("refused".into()))
        });
        assert!(failed.unwrap_err().to_string().contains("refused"));
        assert_eq!(results.idle.lock().unwrap().len(), 1);
    }
}
