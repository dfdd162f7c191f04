//! Waiting without blocking a thread. This is a separate program whose tests run one at a time: see
//! `hold`.

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

/// Locks out other tests and returns the primary context of device 0 with a stream on it.
fn device() -> (MutexGuard<'static, ()>, Context, Stream) {
    static ONE: Mutex<()> = Mutex::new(());
    let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let context = Context::primary(0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    (one, context, stream)
}

/// Counts wakes and unparks a thread.
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

/// Enqueues work that ends when a message arrives. The driver may run its callbacks one after
/// another, so callbacks of other streams may wait until then.
fn hold(stream: &Stream) -> mpsc::Sender<()> {
    let (go, wait) = mpsc::channel();
    stream
        .launch_host_function(move || {
            let _ = wait.recv(); // also ends when the test has failed and dropped the sender
        })
        .unwrap();
    go
}

#[test]
fn future_wakes_its_last_waker_once() {
    let (_one, _, stream) = device();
    let gate = hold(&stream);
    let mut future = pin!(stream.finished().unwrap());
    let (first, second) = (Count::new(), Count::new());
    assert!(poll(future.as_mut(), &first).is_pending());
    assert!(poll(future.as_mut(), &first).is_pending());
    assert!(poll(future.as_mut(), &second).is_pending()); // replaces the first waker
    assert!(!future.is_finished());
    assert!(format!("{future:?}").starts_with("Finished(pending"));
    gate.send(()).unwrap();
    while second.get() == 0 {
        thread::park_timeout(Duration::from_secs(1));
    }
    assert!(future.is_finished());
    assert!(poll(future.as_mut(), &first).is_ready());
    assert_eq!((first.get(), second.get()), (0, 1));
    // The callback that woke the future is also work of the stream and may not have returned yet.
    stream.synchronize().unwrap();
    assert_eq!((first.get(), second.get()), (0, 1));
}

#[test]
fn one_thread_waits_for_many_streams() {
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
fn event_future_ignores_later_work() {
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
        // SAFETY: the kernel touches no memory.
        unsafe { spin.launch(&stream, config, (milliseconds * 1_000_000,)) }.unwrap();
    };
    wait(1); // loads the kernel
    stream.synchronize().unwrap();
    wait(20);
    let reached = stream.record_event().unwrap();
    wait(500);
    block_on(reached.finished(&waiter).unwrap()).unwrap();
    assert!(reached.query().unwrap());
    assert!(
        !stream.query().unwrap(),
        "the future waited for the whole stream"
    );
    block_on(stream.finished().unwrap()).unwrap();
    stream.synchronize().unwrap(); // the callback that woke the future is also work of the stream
    assert!(stream.query().unwrap());
}

#[test]
fn future_can_be_dropped_before_it_is_ready() {
    let (_one, _, stream) = device();
    /// Makes a CUDA call when dropped, which is not allowed on a thread of the driver.
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
    let gate = hold(&stream);
    let (sender, receiver) = mpsc::channel();
    let buffer = DeviceBuffer::<u8>::zeroed(&stream, 8).unwrap();
    let waker = Waker::from(Arc::new(Owner(Mutex::new(Some(buffer)), sender)));
    let mut future = Box::pin(stream.finished().unwrap());
    let polled = future.as_mut().poll(&mut Task::from_waker(&waker));
    assert!(polled.is_pending());
    drop(waker);
    assert!(receiver.try_recv().is_err()); // the future still holds one
    drop(future);
    receiver.try_recv().unwrap().unwrap(); // dropped by this thread, before the work has finished
    drop(stream.finished().unwrap()); // never polled
    gate.send(()).unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn waker_calls_fail_and_its_panic_is_contained() {
    let (_one, _, stream) = device();
    struct Bad(mpsc::Sender<bool>);
    impl Wake for Bad {
        fn wake(self: Arc<Self>) {
            self.0.send(Context::primary(0).is_err()).unwrap();
            panic!("expected: in a waker");
        }
    }
    let gate = hold(&stream);
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
fn finished_rejects_per_thread_streams_of_other_threads() {
    let (_one, context, _) = device();
    let stream = Stream::per_thread_default(&context);
    block_on(stream.finished().unwrap()).unwrap();
    let elsewhere = thread::spawn(move || stream.finished().map(drop));
    let error = elsewhere.join().unwrap().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
}
