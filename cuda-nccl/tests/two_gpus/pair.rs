//! Two ranks, a thread each.

use std::{
    fmt::Debug,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use cuda_nccl::{Communicator, CommunicatorOptions, Error, Library, UniqueId};
use cuda_safe::{Context, Device, Stream};

/// One test at a time: several communicators on the same devices would wait for each other's kernels.
static TURN: Mutex<()> = Mutex::new(());

pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether two ranks can't be had here. What is missing is then told by a typed error, and that is held.
pub fn missing() -> bool {
    let devices = Device::count().unwrap();
    if let Err(error) = Library::get() {
        assert!(matches!(error, Error::Missing(_)), "{error:?}");
        let text = error.to_string();
        assert!(
            text.starts_with("NCCL is not installed: looked for "),
            "{text}"
        );
        let context = Context::primary(0).unwrap();
        let made = Communicator::for_devices(&[context], CommunicatorOptions::default());
        assert!(matches!(made, Err(Error::Missing(_))), "{made:?}");
        assert!(matches!(UniqueId::new(), Err(Error::Missing(_))));
        return true;
    }
    if devices < 2
        || Context::primary(0)
            .unwrap()
            .device()
            .name()
            .unwrap()
            .contains("Emulat")
    {
        // NCCL opens the driver by itself, and finds too few devices, or none.
        let options = CommunicatorOptions::default().timeout(Duration::from_secs(5));
        let one = Context::primary(0).unwrap();
        let made = Communicator::for_devices(&[one.clone(), one], options);
        assert!(matches!(made, Err(Error::Value(_))), "{made:?}");
        return true;
    }
    false
}

pub fn options() -> CommunicatorOptions {
    CommunicatorOptions::default().timeout(Duration::from_secs(20))
}

/// Runs `work` as both ranks.
pub fn ranks<R: Send + Debug>(
    options: &CommunicatorOptions,
    work: impl Fn(&Communicator, &Stream) -> R + Sync,
) -> [R; 2] {
    let id = UniqueId::new().unwrap();
    let rank = |rank: usize| {
        let context = Context::primary(rank as u32).unwrap();
        let communicator = Communicator::new(&context, id, rank, 2, options.clone()).unwrap();
        assert_eq!((communicator.rank(), communicator.size()), (rank, 2));
        let stream = Stream::new(&context).unwrap();
        work(&communicator, &stream)
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| rank(1));
        let mine = rank(0);
        [mine, other.join().unwrap()]
    })
}

/// Calls are enqueued without being compared with those of other processes.
pub fn unverified(options: CommunicatorOptions) -> CommunicatorOptions {
    // SAFETY: ranks of these tests make the same calls, or none.
    unsafe { options.unverified() }
}
