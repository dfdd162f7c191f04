//! Waiting without a thread. A program of its own, and one test at a time: see `held`.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context as Task, Poll, Wake, Waker},
    thread,
    time::Duration,
};

use cuda_safe::{
    Context, DeviceBuffer, ErrorKind, LaunchConfig, Module, PinnedBuffer, Result, Stream,
};

/// One test at a time, with the primary context of device 0 and a stream on it.
fn device() -> (MutexGuard<'static, ()>, Context, Stream) {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let context = Context::primary(0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    (one, context, stream)
}

/// Counts, and unparks a thread.
struct Count(AtomicUsize, thread::Thread);

impl Count {
    fn new() -> Arc<Self> {
        Arc::new(Self(AtomicUsize::new(0), thread::current()))
    }

    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
        self.1.unpark();
    }
}

fn poll(
    future: Pin<&mut impl Future<Output = Result<()>>>,
    count: &Arc<Count>,
) -> Poll<Result<()>> {
    let waker = Waker::from(count.clone());
    future.poll(&mut Task::from_waker(&waker))
}

fn block_on(future: impl Future<Output = Result<()>>) -> Result<()> {
    let mut future = pin!(future);
    let count = Count::new();
    loop {
        if let Poll::Ready(result) = poll(future.as_mut(), &count) {
            return result;
        }
        thread::park();
    }
}

/// Work on a stream that ends when a message comes. The driver may run its callbacks one after another: until then, no other
/// stream's come.
fn held(stream: &Stream) -> mpsc::Sender<()> {
    let (go, wait) = mpsc::channel();
    stream
        .launch_host_function(move || {
            let _ = wait.recv(); // also where the test has failed
        })
        .unwrap();
    go
}

#[test]
fn a_future_is_woken_once_when_the_work_is_over() {
    let (_one, _, stream) = device();
    let gate = held(&stream);
    let mut future = pin!(stream.finished().unwrap());
    let (first, second) = (Count::new(), Count::new());
    assert!(poll(future.as_mut(), &first).is_pending());
    assert!(poll(future.as_mut(), &first).is_pending());
    assert!(poll(future.as_mut(), &second).is_pending()); // the last one counts
    assert!(!future.is_over());
    assert!(format!("{future:?}").starts_with("Finished(pending"));
    gate.send(()).unwrap();
    while second.get() == 0 {
        thread::park_timeout(Duration::from_secs(1));
    }
    assert!(future.is_over());
    assert!(poll(future.as_mut(), &first).is_ready());
    assert_eq!((first.get(), second.get()), (0, 1));
    // The callback that woke it is work of the stream as well, and may not have returned yet.
    stream.synchronize().unwrap();
    assert_eq!((first.get(), second.get()), (0, 1));
}

#[test]
fn many_wait_at_the_same_time_without_a_thread_each() {
    let (_one, context, _) = device();
    let streams: Vec<_> = (0..16).map(|_| Stream::new(&context).unwrap()).collect();
    let mut works: Vec<_> = streams
        .iter()
        .enumerate()
        .map(|(i, stream)| Some(Box::pin(there_and_back(stream, i as u32))))
        .collect();
    let count = Count::new();
    while works.iter().any(Option::is_some) {
        for work in &mut works {
            let polled = work.as_mut().map(|work| poll(work.as_mut(), &count));
            if let Some(Poll::Ready(result)) = polled {
                result.unwrap();
                *work = None;
            }
        }
        thread::park_timeout(Duration::from_millis(10));
    }
}

async fn there_and_back(stream: &Stream, i: u32) -> Result<()> {
    let host = PinnedBuffer::from_slice(stream.context(), &[i; 1000])?;
    let mut x = DeviceBuffer::<u32>::uninit(stream, 1000)?;
    let up = stream.upload(host, &mut x)?;
    stream.finished()?.await?;
    let host = up.wait()?;
    assert_eq!(*host, [i; 1000]);
    x.fill(stream, 100 + i)?;
    let down = stream.download(&x, host)?;
    stream.finished()?.await?;
    assert_eq!(*down.wait()?, [100 + i; 1000]);
    Ok(())
}

#[test]
fn an_event_is_waited_for_and_not_what_comes_behind_it() {
    let (_one, context, stream) = device();
    let waiter = Stream::new(&context).unwrap();
    let source = r#"extern "C" __global__ void spin(unsigned long long nanoseconds) {
        unsigned long long start, now;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
        do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
    }"#;
    let spin = Module::compile(&context, source).unwrap();
    let spin = spin.function("spin").unwrap();
    let wait = |milliseconds: u64| {
        let config = LaunchConfig::new(1, 1);
        // SAFETY: it touches no memory.
        unsafe { spin.launch(&stream, config, (milliseconds * 1_000_000,)) }.unwrap();
    };
    wait(1); // it is loaded
    stream.synchronize().unwrap();
    wait(20);
    let reached = stream.record_event().unwrap();
    wait(500);
    block_on(reached.finished(&waiter).unwrap()).unwrap();
    assert!(reached.query().unwrap());
    assert!(!stream.query().unwrap(), "it has waited for all");
    block_on(stream.finished().unwrap()).unwrap();
    stream.synchronize().unwrap(); // what woke the future counts as work of the stream
    assert!(stream.query().unwrap());
}

#[test]
fn a_future_that_is_dropped_harms_nothing() {
    let (_one, _, stream) = device();
    /// Makes a CUDA call when it goes, which a thread of the driver could not.
    struct Owner(Mutex<Option<DeviceBuffer<u8>>>, mpsc::Sender<Result<()>>);
    impl Wake for Owner {
        fn wake(self: Arc<Self>) {}
    }
    impl Drop for Owner {
        fn drop(&mut self) {
            let buffer = self.0.get_mut().unwrap().take().unwrap();
            self.1.send(buffer.close()).unwrap();
        }
    }
    let gate = held(&stream);
    let (sender, receiver) = mpsc::channel();
    let buffer = DeviceBuffer::<u8>::zeroed(&stream, 8).unwrap();
    let waker = Waker::from(Arc::new(Owner(Mutex::new(Some(buffer)), sender)));
    let mut future = Box::pin(stream.finished().unwrap());
    let polled = future.as_mut().poll(&mut Task::from_waker(&waker));
    assert!(polled.is_pending());
    drop(waker);
    assert!(receiver.try_recv().is_err()); // the future has one still
    drop(future);
    receiver.try_recv().unwrap().unwrap(); // by this thread, before the work is over
    drop(stream.finished().unwrap()); // never polled
    gate.send(()).unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn a_waker_must_make_no_calls_and_its_panic_goes_no_further() {
    let (_one, _, stream) = device();
    struct Bad(mpsc::Sender<bool>);
    impl Wake for Bad {
        fn wake(self: Arc<Self>) {
            self.0.send(Context::primary(0).is_err()).unwrap();
            panic!("expected, in a waker");
        }
    }
    let gate = held(&stream);
    let (sender, receiver) = mpsc::channel();
    let waker = Waker::from(Arc::new(Bad(sender)));
    let mut future = pin!(stream.finished().unwrap());
    let mut task = Task::from_waker(&waker);
    assert!(future.as_mut().poll(&mut task).is_pending());
    gate.send(()).unwrap();
    assert!(receiver.recv().unwrap());
    stream.synchronize().unwrap();
    assert!(future.as_mut().poll(&mut task).is_ready());
}

#[test]
fn streams_of_other_threads_are_refused() {
    let (_one, context, _) = device();
    let stream = Stream::per_thread_default(&context);
    block_on(stream.finished().unwrap()).unwrap();
    let elsewhere = thread::spawn(move || stream.finished().map(drop));
    let error = elsewhere.join().unwrap().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
}
