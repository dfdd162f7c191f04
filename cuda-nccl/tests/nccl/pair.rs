//! Pairs of ranks: threads with a device each, or two processes with one device.

use std::{
    cell::Cell,
    env,
    process::{Child, Command},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use cuda_nccl::{Communicator, CommunicatorOptions, Error, Library, UniqueId};
use cuda_safe::{Context, Device, Stream};

/// The number of the [`ranks`] call that the other process takes part in, from 1. 0 if the test
/// itself starts the other process.
const CALL: &str = "CUDA_NCCL_TEST_CALL";
const ID: &str = "CUDA_NCCL_TEST_ID";

/// Runs one test at a time, because several communicators on the same devices would wait for each
/// other's kernels.
static TURN: Mutex<()> = Mutex::new(());

/// Returns a test's turn, or `None` if two ranks are impossible on this machine.
pub fn turn() -> Option<MutexGuard<'static, ()>> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    (!missing()).then_some(turn)
}

/// Like [`turn`], for tests with both ranks in one process.
pub fn turn_in_one_process() -> Option<MutexGuard<'static, ()>> {
    turn().filter(|_| !missing_in_one_process())
}

fn is_emulated(context: &Context) -> bool {
    let name = context.device().name().unwrap();
    name.starts_with("CUDA emulator")
}

/// Returns whether two ranks are impossible on this machine, and checks that a typed error reports
/// the missing part.
fn missing() -> bool {
    if let Err(error) = Library::get() {
        assert!(matches!(error, Error::Missing(_)), "{error:?}");
        let text = error.to_string();
        let context = Context::primary(0).unwrap();
        let start = match is_emulated(&context) {
            true => "NCCL does not run on cuda-emulator. Fix: use PeerGroup",
            false => "NCCL was not found: looked for ",
        };
        assert!(text.starts_with(start), "{text}");
        let made = Communicator::for_devices(&[context], CommunicatorOptions::default());
        assert!(matches!(made, Err(Error::Missing(_))), "{made:?}");
        assert!(matches!(UniqueId::new(), Err(Error::Missing(_))));
        return true;
    }
    let one = Context::primary(0).unwrap();
    if is_emulated(&one) {
        // NCCL opens the driver on its own, and finds none.
        let options = CommunicatorOptions::default().timeout(Duration::from_secs(5));
        let made = Communicator::for_devices(&[one.clone(), one], options);
        assert!(matches!(made, Err(Error::Value(_))), "{made:?}");
        return true;
    }
    false
}

/// Does the same as [`missing`] for tests with both ranks in one process, which need a device each.
fn missing_in_one_process() -> bool {
    if devices() >= 2 {
        return false;
    }
    let one = Context::primary(0).unwrap();
    let made = Communicator::for_devices(&[one.clone(), one], options());
    assert!(matches!(made, Err(Error::Value(_))), "{made:?}");
    true
}

pub fn devices() -> u32 {
    Device::count().unwrap()
}

pub fn options() -> CommunicatorOptions {
    CommunicatorOptions::default().timeout(Duration::from_secs(20))
}

/// Runs `work` as both ranks, which check their own results.
pub fn ranks(options: &CommunicatorOptions, work: impl Fn(&Communicator, &Stream) + Sync) {
    let rank = |rank: usize, id: UniqueId| {
        let context = Context::primary(rank as u32 % devices()).unwrap();
        let communicator = Communicator::new(&context, id, rank, 2, options.clone()).unwrap();
        assert_eq!((communicator.rank(), communicator.size()), (rank, 2));
        let stream = Stream::new(&context).unwrap();
        work(&communicator, &stream)
    };
    if devices() > 1 {
        let id = UniqueId::new().unwrap();
        thread::scope(|scope| {
            let other = scope.spawn(|| rank(1, id));
            rank(0, id);
            other.join().unwrap();
        });
        return;
    }
    thread_local!(static CALLS: Cell<usize> = const { Cell::new(0) });
    let call = CALLS.get() + 1;
    CALLS.set(call);
    if let Some((theirs, id)) = asked_for() {
        if call < theirs {
            return; // another process takes part in this call
        }
        rank(1, id);
        // The rest of the test is not for this process.
        std::process::exit(0);
    }
    let id = UniqueId::new().unwrap();
    let mut other = Other::start(call, id);
    rank(0, id);
    assert!(other.0.wait().unwrap().success(), "rank 1 has failed");
}

/// In the process of rank 1: returns the number of the call to take part in, and the id of the
/// communicator.
pub fn asked_for() -> Option<(usize, UniqueId)> {
    let call = env::var(CALL).ok()?.parse().unwrap();
    let id = env::var(ID).unwrap();
    let bytes: Vec<u8> = (0..UniqueId::SIZE)
        .map(|i| u8::from_str_radix(&id[2 * i..2 * i + 2], 16).unwrap())
        .collect();
    Some((call, UniqueId::from_bytes(bytes.try_into().unwrap())))
}

/// The process of rank 1, which runs the same test. Dropping this value ends it.
pub struct Other(pub Child);

impl Other {
    pub fn start(call: usize, id: UniqueId) -> Self {
        let test = thread::current().name().unwrap().to_owned();
        let id = id.to_bytes();
        let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(["--exact", &test, "--include-ignored", "--nocapture"])
            .env(CALL, call.to_string())
            .env(ID, hex);
        if devices() < 2 {
            // Two ranks of one host may not share a device.
            command.env("NCCL_HOSTID", "the host of rank 1");
        }
        Self(command.spawn().unwrap())
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // The process has ended, unless this one panics.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Options without the comparison of calls between processes.
pub fn unverified(options: CommunicatorOptions) -> CommunicatorOptions {
    // SAFETY: the ranks of these tests make the same calls, or none.
    unsafe { options.unverified() }
}
