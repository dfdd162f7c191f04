//! Semaphores, memory and images of another API. If Vulkan is available for CUDA's device 0, they
//! are Vulkan's. On the emulator, semaphores are the emulator's replacement and there are no
//! images. On a GPU without Vulkan, the tests end at once. Each test prints which of these applies.
//!
//! This is a separate program because a failing test may leave a stream that waits forever.
//!
//! Not on Windows: the memory and the semaphores are file descriptors.
#![cfg(unix)]

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

/// Locks out other tests and returns the primary context of device 0 with a stream on it. Dropping
/// a semaphore waits for the whole context. If a failed test makes that wait endless, the process
/// aborts.
fn device() -> (MutexGuard<'static, ()>, Context, Stream) {
    static ONE: Mutex<()> = Mutex::new(());
    static WATCH: Once = Once::new();
    /// The start of the latest test.
    static BEGUN: Mutex<Option<Instant>> = Mutex::new(None);
    let begun = || BEGUN.lock().unwrap_or_else(PoisonError::into_inner);
    WATCH.call_once(|| {
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_secs(1));
                if begun().is_some_and(|begun| begun.elapsed() > Duration::from_secs(120)) {
                    eprintln!("a stream waits forever in the test that has not ended");
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
