//! Semaphores, memory and images of another interface. Where there is Vulkan for CUDA's device 0 they are Vulkan's; on the
//! emulator, semaphores are what it takes for them, and there are no images. On a GPU without Vulkan these tests end at once.
//! Each says which it is.
//!
//! A program of its own: a test that fails may leave a stream that waits for ever.

mod elsewhere;
mod graphs;
mod images;
mod semaphores;
mod structures;
mod vulkan;

use std::{
    process,
    sync::{Mutex, MutexGuard, Once, PoisonError},
    thread,
    time::{Duration, Instant},
};

use cuda_safe::{Context, Stream};

/// One test at a time, with the primary context of device 0 and a stream on it: a semaphore that goes waits for the whole
/// context. Where that waits for ever, since a test has failed, the process ends.
fn device() -> (MutexGuard<'static, ()>, Context, Stream) {
    static ONE: Mutex<()> = Mutex::new(());
    static WATCH: Once = Once::new();
    /// When the last test began.
    static BEGUN: Mutex<Option<Instant>> = Mutex::new(None);
    let begun = || BEGUN.lock().unwrap_or_else(PoisonError::into_inner);
    WATCH.call_once(|| {
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_secs(1));
                if begun().is_some_and(|begun| begun.elapsed() > Duration::from_secs(120)) {
                    eprintln!("a stream waits for ever: see which test has not ended");
                    process::abort();
                }
            }
        });
    });
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    *begun() = Some(Instant::now());
    let context = Context::primary(0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    (one, context, stream)
}

/// Whether a stream is still waiting after a while.
fn waits(stream: &Stream) -> bool {
    thread::sleep(Duration::from_millis(5));
    !stream.query().unwrap()
}
