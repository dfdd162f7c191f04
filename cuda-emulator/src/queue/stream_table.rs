//! The table of streams: those that the client creates, and each context's default streams.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once, Weak};

use super::capture_hook;
use super::stream::{ContextStreams, Mark, Role, Stream};
use crate::abi::CU_STREAM_NON_BLOCKING;
use crate::abi::status::{Code, Result};
use crate::process::call;
use crate::process::context::{self, Context};
use crate::process::green_context::Green;
use crate::process::handle::{Object, Table};
use crate::process::registry::{self, Kind, Owner};

use cuda_emulator_engine::Unpoisoned;

static STREAMS: Table<Stream> = Table::new();

impl Object for Stream {
    const NAME: &'static str = "stream";
    const TAG: u8 = 0x12;
    const USED_BY_OTHERS: bool = true;

    fn owner(&self) -> Option<&Owner> {
        Some(&self.context.owner)
    }

    fn end(self: &Arc<Self>) {
        capture_hook::forget(self);
        self.close();
    }

    fn leak(&self) -> Option<String> {
        // From the client's point of view, streams of a green context end with it.
        let gone = self.green.as_ref().is_some_and(|green| !green.is_alive());
        (!gone).then(|| format!("stream {:#x}", self.handle))
    }
}

/// The registered kind of all streams of a context, for draining and for default streams. Default
/// streams are never leaks.
struct OfContext;

impl Kind for OfContext {
    fn name(&self) -> &'static str {
        "streams of a context"
    }

    fn rank(&self) -> u8 {
        // Lowest rank: the objects that work uses must end after the streams.
        0x10
    }

    fn drain(&self, owner: &Owner, ended: &dyn Fn() -> bool) {
        for stream in owner
            .streams
            .existing()
            .map_or(Vec::new(), ContextStreams::all)
        {
            if let Some(mark) = stream.end_to_await() {
                stream.wait_unless(mark.number, ended);
                mark.show_host();
            }
        }
    }

    fn end(&self, owner: &Owner) {
        let Some(siblings) = owner.streams.existing::<ContextStreams>() else {
            return;
        };
        let per_thread = std::mem::take(&mut *siblings.per_thread.lock().unpoisoned());
        for stream in per_thread.values() {
            capture_hook::forget(stream);
            stream.close();
        }
        if let Some(stream) = siblings.legacy.lock().unpoisoned().take() {
            stream.close();
        }
        let of_greens = std::mem::take(&mut *siblings.of_greens.lock().unpoisoned());
        of_greens.values().for_each(|stream| stream.close());
        siblings.forget();
    }

    fn start_delayed(&self) {
        for context in context::all() {
            for stream in ContextStreams::of(&context).all() {
                stream.pending().iter().for_each(Mark::want);
            }
        }
    }

    fn leaks(&self) -> Vec<String> {
        Vec::new()
    }
}
/// Returns a number that identifies a thread for the life of the process.
fn thread_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static ID: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    ID.with(|id| *id)
}

/// The contexts in which a thread has a default stream. These streams end with the thread.
#[derive(Default)]
struct OwnStreams(RefCell<Vec<Weak<Context>>>);

thread_local! {
    static OWN_STREAMS: OwnStreams = OwnStreams::default();
}

impl OwnStreams {
    fn note(&self, context: &Arc<Context>) {
        let mut contexts = self.0.borrow_mut();
        contexts.retain(|one| one.strong_count() > 0 && one.as_ptr() != Arc::as_ptr(context));
        contexts.push(Arc::downgrade(context));
    }
}

impl Drop for OwnStreams {
    fn drop(&mut self) {
        for context in self.0.take().iter().filter_map(Weak::upgrade) {
            let per_thread = &ContextStreams::of(&context).per_thread;
            let stream = per_thread.lock().unpoisoned().remove(&thread_id());
            // Work on it still runs.
            if let Some(stream) = stream {
                capture_hook::forget(&stream);
                stream.close();
            }
        }
    }
}

/// Returns the streams of a context, which end with it.
fn siblings(context: &Context) -> &ContextStreams {
    static KNOWN: Once = Once::new();
    KNOWN.call_once(|| registry::register(&OfContext));
    ContextStreams::of(context)
}

/// Returns a context's legacy default stream.
pub fn legacy(context: &Arc<Context>) -> Arc<Stream> {
    let siblings = siblings(context);
    let mut legacy = siblings.legacy.lock().unpoisoned();
    if let Some(stream) = &*legacy {
        return stream.clone();
    }
    let stream = Arc::new(Stream::new(1, context.clone(), None, 0, 0, Role::Legacy));
    siblings.add(&stream);
    *legacy = Some(stream.clone());
    stream
}

/// Returns a green context's default stream. It waits for no other stream, and no other stream
/// waits for it.
pub fn of_green(context: &Arc<Context>, green: &Arc<Green>) -> Arc<Stream> {
    let siblings = siblings(context);
    let mut streams = siblings.of_greens.lock().unpoisoned();
    if let Some(stream) = streams.get(&green.handle) {
        return stream.clone();
    }
    let (context, own) = (context.clone(), Some(green.clone()));
    let flags = CU_STREAM_NON_BLOCKING;
    let stream = Arc::new(Stream::new(1, context, own, flags, 0, Role::Created));
    siblings.add(&stream);
    streams.insert(green.handle, stream.clone());
    stream
}

/// Forgets the streams of a destroyed green context. Work on its default stream still runs.
pub fn forget_green(context: &Arc<Context>, green: &Arc<Green>) {
    for stream in siblings(context).of_green(green) {
        capture_hook::forget(&stream);
    }
    let stream = siblings(context)
        .of_greens
        .lock()
        .unpoisoned()
        .remove(&green.handle);
    if let Some(stream) = stream {
        stream.close();
    }
}

/// Returns the calling thread's default stream in a context.
fn of_thread(context: &Arc<Context>) -> Arc<Stream> {
    let siblings = siblings(context);
    let mut streams = siblings.per_thread.lock().unpoisoned();
    let thread = thread_id();
    if let Some(stream) = streams.get(&thread) {
        return stream.clone();
    }
    let stream = Arc::new(Stream::new(2, context.clone(), None, 0, 0, Role::PerThread));
    siblings.add(&stream);
    streams.insert(thread, stream.clone());
    // A call from another thread-local's destructor may be too late to be recorded. The stream
    // works anyway.
    let _ = OWN_STREAMS.try_with(|own| own.note(context));
    stream
}

/// Creates a stream in a context.
pub fn create(
    context: &Arc<Context>,
    green: Option<Arc<Green>>,
    flags: u32,
    priority: i32,
) -> Arc<Stream> {
    let stream = STREAMS.insert(|handle| {
        Stream::new(
            handle,
            context.clone(),
            green,
            flags,
            priority,
            Role::Created,
        )
    });
    siblings(context).add(&stream);
    stream
}

/// Returns the stream of a handle, to enqueue work on it.
///
/// # Errors
/// Returns the errors of [`find`], `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if the stream's capture
/// is invalid, and `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` if it is the legacy default stream and a
/// stream that waits for it is being captured.
pub fn resolve(handle: u64) -> Result<Arc<Stream>> {
    let stream = find(handle)?;
    capture_hook::check(&stream)?;
    Ok(stream)
}

/// Returns the stream of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live stream, or an error if
/// its context is destroyed or has faulted.
pub fn find(handle: u64) -> Result<Arc<Stream>> {
    let current = context::current()?;
    if handle <= 2
        && let Some(green) = context::current_green()
    {
        // An H200 (driver 580) rejects the thread's own stream in a green context.
        return match handle {
            0 | 1 if !call::per_thread_default() => Ok(of_green(&current, &green)),
            _ => Err(Code::ERROR_INVALID_HANDLE),
        };
    }
    match handle {
        0 if call::per_thread_default() => Ok(of_thread(&current)),
        0 | 1 => Ok(legacy(&current)),
        2 => Ok(of_thread(&current)),
        _ => {
            let stream = STREAMS.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
            stream.context.usable()?;
            match &stream.green {
                Some(green) if !green.is_alive() => Err(Code::ERROR_CONTEXT_IS_DESTROYED),
                _ => Ok(stream),
            }
        }
    }
}

/// Destroys a created stream. Work on it still runs.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not that of a live stream.
pub fn destroy(handle: u64) -> Result {
    let stream = STREAMS.get(handle).ok_or(Code::ERROR_INVALID_HANDLE)?;
    stream.context.usable()?;
    capture_hook::forget(&stream);
    STREAMS
        .remove(handle)
        .ok_or(Code::ERROR_INVALID_HANDLE)?
        .close();
    match &stream.green {
        // The stream ended with its green context, as on an H200 (driver 580).
        Some(green) if !green.is_alive() => Err(Code::ERROR_CONTEXT_IS_DESTROYED),
        _ => Ok(()),
    }
}
