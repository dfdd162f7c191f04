//! Memory of dropped arrays that new arrays of the same size use.

use std::{collections::VecDeque, env, ptr, sync::Mutex};

use cuda_safe::{
    Context, DeviceBuffer, ErrorKind, MemoryPool, Stream,
    sys::{self, CUresult},
};

use super::lock::lock;
use crate::error::Result;

/// The memory of arrays that were dropped, for each stream.
///
/// Freeing takes 0.65 µs of a stream's time (H100, driver 580), which is a fifth of the time of a
/// small kernel, and an allocation and a free take 0.8 µs of the host's time. Buffers are therefore
/// kept, except for large ones, whose kernels take much longer. The stream orders their uses: whoever
/// drops a buffer has ordered all work on it before later work of its stream, as for a free in the
/// stream's order.
///
/// The memory keeps its stream alive, as [`Workspaces`](super::Workspaces) do.
#[derive(Debug)]
pub(crate) struct SpareMemory {
    /// The maximum number of bytes that are kept for a stream, or 0 if nothing is kept.
    limit: usize,
    /// The most recently used stream comes first.
    of_streams: Mutex<Vec<OfStream>>,
}

#[derive(Debug)]
struct OfStream {
    stream: Stream,
    bytes: usize,
    /// The least recently dropped buffer comes first.
    buffers: VecDeque<(DeviceBuffer<u8>, Pool)>,
}

/// A pool of the driver, or 0 if the device has none. Programs can make another pool current, with
/// other rights of access.
type Pool = usize;

/// A buffer that may be kept when it is no longer needed.
#[derive(Debug)]
pub(crate) struct SpareBuffer {
    pub(crate) buffer: DeviceBuffer<u8>,
    /// The pool that the buffer comes from, if it may be kept.
    pool: Option<Pool>,
}

/// The maximum number of bytes that are kept for a stream, and the part of the device's memory that
/// this is at most. A buffer that is kept may have half of them.
const BYTES: usize = 64 << 20;
const PART_OF_DEVICE: usize = 256;
/// The maximum number of buffers that are kept for a stream.
const BUFFERS: usize = 64;
/// The maximum number of streams that memory is kept for.
const STREAMS: usize = 16;
/// The environment variable that turns this off (0) or on (1).
const VARIABLE: &str = "CUDA_COMPUTE_SPARE_MEMORY";

/// The pools that [`is_new`] has seen.
static SEEN: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

impl SpareBuffer {
    /// Marks a buffer to be freed, because its pool is not known.
    pub(crate) fn to_free(buffer: DeviceBuffer<u8>) -> Self {
        Self { buffer, pool: None }
    }
}

impl SpareMemory {
    /// Creates an empty collection. Memory that is freed stays in the driver's pool. By default, both
    /// are off on the emulator, whose checks then see where the life of each array begins and ends.
    pub(crate) fn new(context: &Context) -> Result<Self> {
        let is_used = match env::var(VARIABLE).as_deref() {
            Ok("0") => false,
            Ok("1") => true,
            _ => !is_emulated(context),
        };
        if is_used && is_new(current_pool(context)) {
            match MemoryPool::current(context) {
                Ok(pool) => keep_freed_memory(&pool)?,
                // A pool that another library has made current is left as it is.
                Err(error) if matches!(error.kind(), ErrorKind::InvalidArgument) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let part = context.device().total_memory()? / PART_OF_DEVICE;
        Ok(Self::of(if is_used { part.min(BYTES) } else { 0 }))
    }

    /// Creates an empty collection that keeps up to this number of bytes for a stream.
    pub(super) fn of(limit: usize) -> Self {
        Self {
            limit,
            of_streams: Mutex::default(),
        }
    }

    /// Returns memory with unspecified contents for work that is enqueued on `stream`: a kept buffer of
    /// this size and of the device's current pool, or a new one. If there is not enough memory, this
    /// frees all kept buffers and tries again.
    pub(crate) fn allocate(&self, stream: &Stream, bytes: usize) -> Result<SpareBuffer> {
        let pool = match (1..=self.limit / 2).contains(&bytes) && !is_per_thread(stream) {
            true => Some(current_pool(stream.context())),
            false => None,
        };
        let kept = pool.and_then(|pool| self.take(stream, bytes, pool));
        let buffer = match kept.map_or_else(|| DeviceBuffer::uninit(stream, bytes), Ok) {
            Err(error) if is_out_of_memory(&error) && self.free() => {
                DeviceBuffer::uninit(stream, bytes)?
            }
            allocated => allocated?,
        };
        Ok(SpareBuffer { buffer, pool })
    }

    fn take(&self, stream: &Stream, bytes: usize, pool: Pool) -> Option<DeviceBuffer<u8>> {
        // During a capture, an allocation is an error, which `DeviceBuffer::uninit` reports. The lock is
        // not held over this call, in which the driver may call a listener that drops an array.
        if stream.is_capturing().unwrap_or(true) {
            return None;
        }
        let mut streams = lock(&self.of_streams);
        let of_stream = streams.iter_mut().find(|known| known.stream == *stream)?;
        let fits = |(kept, from): &(DeviceBuffer<u8>, Pool)| kept.len() == bytes && *from == pool;
        let at = of_stream.buffers.iter().rposition(fits)?;
        let (buffer, _) = of_stream.buffers.remove(at)?;
        of_stream.bytes -= bytes;
        Some(buffer)
    }

    /// Keeps a buffer that [`allocate`](Self::allocate) returned, or frees it. All work on it must be
    /// ordered before later work of its stream.
    pub(crate) fn put(&self, SpareBuffer { buffer, pool }: SpareBuffer) {
        let Some(pool) = pool else {
            return;
        };
        let mut freed = Vec::new();
        let mut streams = lock(&self.of_streams);
        let known = streams
            .iter()
            .position(|known| known.stream == *buffer.stream());
        match known {
            Some(at) => streams[..=at].rotate_right(1),
            None => {
                let new = OfStream {
                    stream: buffer.stream().clone(),
                    bytes: 0,
                    buffers: VecDeque::new(),
                };
                streams.insert(0, new);
                if streams.len() > STREAMS {
                    freed.extend(streams.pop().into_iter().flat_map(|old| old.buffers));
                }
            }
        }
        let of_stream = &mut streams[0];
        of_stream.bytes += buffer.len();
        of_stream.buffers.push_back((buffer, pool));
        while of_stream.bytes > self.limit || of_stream.buffers.len() > BUFFERS {
            let Some(oldest) = of_stream.buffers.pop_front() else {
                break;
            };
            of_stream.bytes -= oldest.0.len();
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

/// Makes the driver keep the freed memory of a pool, unless the program has set a threshold above 0.
///
/// The driver's default returns it to the system at the next wait. Then 512 MiB take 0.45 ms to allocate
/// and 0.56 ms to free, instead of 3 µs (H200, driver 580).
fn keep_freed_memory(pool: &MemoryPool) -> Result<()> {
    if pool.release_threshold()? == 0 {
        pool.set_release_threshold(u64::MAX)?;
    }
    Ok(())
}

/// Returns whether this is a pool, and the first call for it. Each is changed once, so that a program can
/// set the threshold back to 0.
fn is_new(pool: Pool) -> bool {
    let mut seen = lock(&SEEN);
    let is_new = pool != 0 && !seen.contains(&pool);
    if is_new {
        seen.push(pool);
    }
    is_new
}

/// Returns the pool that the driver allocates from.
fn current_pool(context: &Context) -> Pool {
    let mut pool = ptr::null_mut();
    // SAFETY: `pool` is valid for the write.
    let code = unsafe { sys::cuDeviceGetMemPool(&mut pool, context.device().as_raw()) };
    match code {
        CUresult::CUDA_SUCCESS => pool.addr(),
        _ => 0,
    }
}

fn is_out_of_memory(error: &cuda_safe::Error) -> bool {
    matches!(error.kind(), ErrorKind::OutOfMemory { .. })
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
    use std::process::Command;

    use super::*;

    fn stream() -> Stream {
        Stream::new(&Context::primary(0).unwrap()).unwrap()
    }

    const LIMIT: usize = 8 << 20;

    fn used() -> SpareMemory {
        SpareMemory::of(LIMIT)
    }

    /// Returns whether memory of this size is kept for the stream. Takes it.
    fn keeps(spare: &SpareMemory, stream: &Stream, bytes: usize) -> bool {
        let pool = current_pool(stream.context());
        spare.take(stream, bytes, pool).is_some()
    }

    /// Allocates buffers of these sizes, and then puts them back.
    fn keep(spare: &SpareMemory, stream: &Stream, sizes: impl IntoIterator<Item = usize>) {
        let allocate = |bytes| spare.allocate(stream, bytes).unwrap();
        let buffers: Vec<SpareBuffer> = sizes.into_iter().map(allocate).collect();
        buffers.into_iter().for_each(|buffer| spare.put(buffer));
    }

    #[test]
    fn buffers_return_to_arrays_of_their_size_and_stream() {
        let (spare, stream, other) = (used(), stream(), stream());
        let one = spare.allocate(&stream, 100).unwrap();
        let address = one.buffer.as_device_ptr();
        spare.put(one);
        assert!(!keeps(&spare, &other, 100) && !keeps(&spare, &stream, 99));
        let again = spare.allocate(&stream, 100).unwrap();
        assert_eq!(
            (again.buffer.as_device_ptr(), again.buffer.len()),
            (address, 100)
        );
        assert!(!keeps(&spare, &stream, 100));
        spare.put(again);
        assert!(spare.free() && !spare.free());
    }

    #[test]
    fn large_empty_and_per_thread_buffers_are_freed() {
        let (spare, stream) = (used(), stream());
        let per_thread = Stream::per_thread_default(stream.context());
        for (stream, bytes) in [(&stream, 0), (&stream, LIMIT / 2 + 1), (&per_thread, 100)] {
            keep(&spare, stream, [bytes]);
            assert!(!spare.free(), "{bytes}");
        }
        keep(&spare, &stream, [LIMIT / 2]);
        assert!(spare.free());
        let off = SpareMemory::of(0);
        keep(&off, &stream, [100]);
        assert!(!off.free());
    }

    #[test]
    fn the_oldest_buffers_are_freed_first() {
        let (spare, stream) = (used(), stream());
        keep(&spare, &stream, 1..=BUFFERS + 1);
        assert!(!keeps(&spare, &stream, 1) && keeps(&spare, &stream, 2));
        spare.free();
        keep(&spare, &stream, vec![LIMIT / 4; 5]);
        let kept = (0..).take_while(|_| keeps(&spare, &stream, LIMIT / 4));
        assert_eq!(kept.count(), 4);
        // The least recently used stream is forgotten.
        let streams: Vec<Stream> = (0..=STREAMS).map(|_| self::stream()).collect();
        for stream in &streams {
            keep(&spare, stream, [100]);
        }
        assert!(!keeps(&spare, &streams[0], 100) && keeps(&spare, &streams[1], 100));
    }

    #[test]
    fn buffers_are_for_the_pool_that_they_come_from() {
        let (spare, stream) = (used(), stream());
        keep(&spare, &stream, [100]);
        let kept = spare.of_streams.lock().unwrap()[0].buffers[0].1;
        assert!(spare.take(&stream, 100, kept + 1).is_none());
        let pool = MemoryPool::current(stream.context()).unwrap();
        assert_eq!(kept, pool.as_raw().addr());
        assert!(spare.take(&stream, 100, kept).is_some());
    }

    #[test]
    fn kept_buffers_are_freed_before_an_allocation_fails() {
        let (spare, stream) = (used(), stream());
        keep(&spare, &stream, [100]);
        let error = spare.allocate(&stream, 1 << 60).unwrap_err();
        assert!(error.to_string().contains("memory"), "{error}");
        assert!(!spare.free());
    }

    #[test]
    fn nothing_is_taken_during_a_capture() {
        let (spare, stream) = (used(), stream());
        keep(&spare, &stream, [100]);
        // SAFETY: nothing is captured.
        let graph: cuda_safe::Result<cuda_safe::Graph> = unsafe {
            stream.capture(|_| {
                assert!(!keeps(&spare, &stream, 100));
                Ok(())
            })
        };
        graph.unwrap();
        assert!(keeps(&spare, &stream, 100));
    }

    #[test]
    fn pools_keep_freed_memory_unless_the_program_decides() {
        let context = Context::primary(0).unwrap();
        let pool = |threshold: Option<u64>| {
            let pool = MemoryPool::new(&context).unwrap();
            if let Some(bytes) = threshold {
                pool.set_release_threshold(bytes).unwrap();
            }
            keep_freed_memory(&pool).unwrap();
            pool
        };
        let own = pool(Some(1 << 20));
        assert_eq!(own.release_threshold().unwrap(), 1 << 20);
        let pool = pool(None);
        assert_eq!(pool.release_threshold().unwrap(), u64::MAX);
    }

    #[test]
    fn a_pool_is_changed_once() {
        let [one, other] = [3, 5]; // no addresses of pools
        assert!(is_new(one) && is_new(other));
        assert!(!is_new(one) && !is_new(other) && !is_new(0));
        lock(&SEEN).retain(|&seen| seen != one && seen != other);
    }

    /// In a separate process, because all threads share the current pool.
    #[test]
    fn arrays_need_no_pool_that_is_known() {
        let output = Command::new(env::current_exe().unwrap())
            .args(["--exact", "kernel::spare::tests::foreign_pool", "--ignored"])
            .env(VARIABLE, "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("1 passed"), "{text}");
    }

    #[test]
    #[ignore = "changes the current pool: arrays_need_no_pool_that_is_known runs it"]
    fn foreign_pool() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let zeros = || crate::Array::<f32>::zeros(&stream, 100).unwrap();
        drop(zeros());
        let own = MemoryPool::current(&context).unwrap();
        assert_eq!(own.release_threshold().unwrap(), u64::MAX);
        let mut raw = ptr::null_mut();
        // SAFETY: zero is a value of each field.
        let mut properties: sys::CUmemPoolProps = unsafe { std::mem::zeroed() };
        properties.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        // SAFETY: the pointers are valid for these calls. The pool exists until the process ends.
        unsafe {
            assert_eq!(
                sys::cuMemPoolCreate(&mut raw, &properties),
                CUresult::CUDA_SUCCESS
            );
            let set = sys::cuDeviceSetMemPool(context.device().as_raw(), raw);
            assert_eq!(set, CUresult::CUDA_SUCCESS);
        }
        assert!(MemoryPool::current(&context).is_err());
        let x = zeros();
        assert_eq!((&x + 1.0).eval().unwrap().to_vec().unwrap(), [1.0; 100]);
        let mut threshold = 1u64;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: as above.
        let code =
            unsafe { sys::cuMemPoolGetAttribute(raw, attribute, (&raw mut threshold).cast()) };
        assert_eq!((code, threshold), (CUresult::CUDA_SUCCESS, 0));
    }
}
