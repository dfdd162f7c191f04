//! Memory of dropped arrays that new arrays of the same size use.

use std::{collections::VecDeque, env, sync::Mutex};

use cuda_safe::{Context, DeviceBuffer, Stream};

use super::lock::lock;

/// The memory of small arrays that were dropped, for each stream.
///
/// Freeing takes 0.65 µs of a stream's time (H100, driver 580), which is a fifth of the time of a
/// small kernel, and an allocation and a free take 0.5 µs of the host's time. Small buffers are
/// therefore kept. The stream orders their uses: whoever drops a buffer has ordered all work on it
/// before later work of its stream, as for a free in the stream's order.
///
/// The memory keeps its stream alive, as [`Workspaces`](super::Workspaces) do.
#[derive(Debug)]
pub(crate) struct SpareMemory {
    is_used: bool,
    /// The most recently used stream comes first.
    of_streams: Mutex<Vec<OfStream>>,
}

#[derive(Debug)]
struct OfStream {
    stream: Stream,
    bytes: usize,
    /// The least recently dropped buffer comes first.
    buffers: VecDeque<DeviceBuffer<u8>>,
}

/// The size in bytes up to which buffers are kept.
const LARGEST: usize = 1 << 20;
/// The maximum sum of the sizes that are kept for a stream.
const BYTES: usize = 16 << 20;
/// The maximum number of buffers that are kept for a stream.
const BUFFERS: usize = 64;
/// The maximum number of streams that memory is kept for.
const STREAMS: usize = 16;
/// The environment variable that turns this off (0) or on (1).
const VARIABLE: &str = "CUDA_COMPUTE_SPARE_MEMORY";

impl SpareMemory {
    /// Creates an empty collection. By default, it stays empty on the emulator, whose checks then see
    /// where the life of each array begins and ends.
    pub(crate) fn new(context: &Context) -> Self {
        let is_used = match env::var(VARIABLE).as_deref() {
            Ok("0") => false,
            Ok("1") => true,
            _ => !is_emulated(context),
        };
        Self::that_is_used(is_used)
    }

    fn that_is_used(is_used: bool) -> Self {
        Self {
            is_used,
            of_streams: Mutex::default(),
        }
    }

    /// Removes a buffer of this size for work that is enqueued on `stream`. Returns `None` if no buffer
    /// is kept, or if the stream is being captured: during a capture, an allocation is an error.
    pub(crate) fn take(&self, stream: &Stream, bytes: usize) -> Option<DeviceBuffer<u8>> {
        if !self.is_used || bytes > LARGEST {
            return None;
        }
        let mut streams = lock(&self.of_streams);
        let of_stream = streams.iter_mut().find(|known| known.stream == *stream)?;
        let at = of_stream
            .buffers
            .iter()
            .rposition(|kept| kept.len() == bytes)?;
        if stream.is_capturing().unwrap_or(true) {
            return None;
        }
        let buffer = of_stream.buffers.remove(at)?;
        of_stream.bytes -= bytes;
        Some(buffer)
    }

    /// Keeps a buffer, or frees it. All work on it must be ordered before later work of its stream.
    pub(crate) fn put(&self, buffer: DeviceBuffer<u8>) {
        let bytes = buffer.len();
        if !self.is_used || bytes == 0 || bytes > LARGEST || is_per_thread(buffer.stream()) {
            return;
        }
        let mut freed = Vec::new();
        let mut streams = lock(&self.of_streams);
        let known = streams
            .iter()
            .position(|known| known.stream == *buffer.stream());
        match known {
            Some(at) => streams[..=at].rotate_right(1),
            None => {
                streams.insert(
                    0,
                    OfStream {
                        stream: buffer.stream().clone(),
                        bytes: 0,
                        buffers: VecDeque::new(),
                    },
                );
                if streams.len() > STREAMS {
                    freed.extend(
                        streams
                            .pop()
                            .into_iter()
                            .flat_map(|of_stream| of_stream.buffers),
                    );
                }
            }
        }
        let of_stream = &mut streams[0];
        of_stream.bytes += bytes;
        of_stream.buffers.push_back(buffer);
        while of_stream.bytes > BYTES || of_stream.buffers.len() > BUFFERS {
            let Some(oldest) = of_stream.buffers.pop_front() else {
                break;
            };
            of_stream.bytes -= oldest.len();
            freed.push(oldest);
        }
        drop(streams);
        drop(freed);
    }

    /// Frees all memory. Returns whether there was any.
    pub(crate) fn free(&self) -> bool {
        let streams = std::mem::take(&mut *lock(&self.of_streams));
        streams
            .iter()
            .any(|of_stream| !of_stream.buffers.is_empty())
    }
}

fn is_emulated(context: &Context) -> bool {
    let name = context.device().name();
    name.is_ok_and(|name| name.starts_with("CUDA emulator"))
}

/// Returns whether the stream is a different one on each thread, so that it orders nothing between
/// threads.
fn is_per_thread(stream: &Stream) -> bool {
    const PER_THREAD: usize = 2; // CU_STREAM_PER_THREAD
    stream.as_raw().addr() == PER_THREAD
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream() -> Stream {
        Stream::new(&Context::primary(0).unwrap()).unwrap()
    }

    fn buffer(stream: &Stream, bytes: usize) -> DeviceBuffer<u8> {
        DeviceBuffer::uninit(stream, bytes).unwrap()
    }

    #[test]
    fn buffers_return_to_arrays_of_their_size_and_stream() {
        let (spare, stream, other) = (SpareMemory::that_is_used(true), stream(), stream());
        let one = buffer(&stream, 100);
        let address = one.as_device_ptr();
        spare.put(one);
        assert!(spare.take(&other, 100).is_none());
        assert!(spare.take(&stream, 99).is_none());
        let again = spare.take(&stream, 100).unwrap();
        assert_eq!((again.as_device_ptr(), again.len()), (address, 100));
        assert!(spare.take(&stream, 100).is_none());
        spare.put(again);
        assert!(spare.free() && !spare.free());
        assert!(spare.take(&stream, 100).is_none());
    }

    #[test]
    fn large_empty_and_per_thread_buffers_are_freed() {
        let (spare, stream) = (SpareMemory::that_is_used(true), stream());
        let per_thread = Stream::per_thread_default(stream.context());
        for (stream, bytes) in [(&stream, 0), (&stream, LARGEST + 1), (&per_thread, 100)] {
            spare.put(buffer(stream, bytes));
            assert!(!spare.free(), "{bytes}");
        }
        spare.put(buffer(&stream, LARGEST));
        assert!(spare.free());
        let off = SpareMemory::that_is_used(false);
        off.put(buffer(&stream, 100));
        assert!(!off.free());
    }

    #[test]
    fn the_oldest_buffers_are_freed_first() {
        let (spare, stream) = (SpareMemory::that_is_used(true), stream());
        for bytes in 1..=BUFFERS + 1 {
            spare.put(buffer(&stream, bytes));
        }
        assert!(spare.take(&stream, 1).is_none());
        assert!(spare.take(&stream, 2).is_some());
        spare.free();
        for _ in 0..=BYTES / LARGEST {
            spare.put(buffer(&stream, LARGEST));
        }
        let kept = std::iter::from_fn(|| spare.take(&stream, LARGEST)).count();
        assert_eq!(kept, BYTES / LARGEST);
        // The least recently used stream is forgotten.
        let streams: Vec<Stream> = (0..=STREAMS).map(|_| self::stream()).collect();
        for stream in &streams {
            spare.put(buffer(stream, 100));
        }
        assert!(spare.take(&streams[0], 100).is_none());
        assert!(spare.take(&streams[1], 100).is_some());
    }

    #[test]
    fn nothing_is_taken_during_a_capture() {
        let (spare, stream) = (SpareMemory::that_is_used(true), stream());
        spare.put(buffer(&stream, 100));
        // SAFETY: nothing is captured.
        let graph: cuda_safe::Result<cuda_safe::Graph> = unsafe {
            stream.capture(|_| {
                assert!(spare.take(&stream, 100).is_none());
                Ok(())
            })
        };
        graph.unwrap();
        assert!(spare.take(&stream, 100).is_some());
    }
}
