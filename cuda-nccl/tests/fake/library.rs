//! The fake library, and its control by tests.

use std::{
    env,
    ffi::{c_char, c_int, c_void},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicI32, AtomicPtr, Ordering},
    },
    thread,
    time::Duration,
};

use cuda_nccl::{
    Communicator, CommunicatorOptions, Group, Library, Reducible, Reduction, UniqueId,
};
use cuda_safe::{Context, DeviceBuffer, Stream, sys};

pub const VARIABLE: &str = "CUDA_NCCL_LIBNCCL";

/// Compiles the library.
pub fn compile(name: &str, flags: &[&str]) -> PathBuf {
    let file =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.so", std::process::id()));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake/nccl.c");
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    let status = Command::new(&compiler)
        .args(["-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"])
        .args(flags)
        .arg("-o")
        .arg(&file)
        .arg(source)
        .status()
        .unwrap_or_else(|error| {
            panic!("these tests need a C compiler ({compiler}; set CC to use another): {error}")
        });
    assert!(status.success());
    file
}

/// Returns the library, which the first call compiles. Processes that are started afterwards use the
/// same file.
pub fn library() -> &'static libloading::Library {
    static OPENED: OnceLock<libloading::Library> = OnceLock::new();
    OPENED.get_or_init(|| {
        let file = match env::var_os(VARIABLE) {
            Some(file) => file.into(),
            None => compile("fake-nccl", &[]),
        };
        // SAFETY: the library runs no code when it is loaded.
        let library = unsafe { libloading::Library::new(&file) }.unwrap();
        // SAFETY: tests access the environment only through std, which synchronizes its
        // accesses.
        unsafe { env::set_var(VARIABLE, &file) };
        // SAFETY: The function has this type in `nccl.c`.
        let driver = unsafe {
            library.get::<unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, *mut c_void)>(
                b"fake_driver",
            )
        };
        // SAFETY: the driver's functions have the types in `nccl.c`.
        unsafe {
            driver.unwrap()(
                sys::cuMemcpyDtoDAsync_v2 as *mut c_void,
                sys::cuMemsetD32Async as *mut c_void,
                sys::cuMemAlloc_v2 as *mut c_void,
                sys::cuMemFree_v2 as *mut c_void,
            );
        }
        // SAFETY: The function has this type in `nccl.c`.
        let current = unsafe { library.get::<unsafe extern "C" fn(*mut c_void)>(b"fake_current") };
        // SAFETY: The driver's function has the type that `nccl.c` declares.
        unsafe { current.unwrap()(sys::cuCtxGetCurrent as *mut c_void) };
        library
    })
}

/// The test's settings. A test has exclusive use of them while this lives.
pub struct Fake {
    library: &'static libloading::Library,
    _turn: MutexGuard<'static, ()>,
}

impl Fake {
    /// Returns the library in its initial state. When the value is dropped, every communicator must
    /// have ended.
    pub fn new() -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let fake = Self {
            library: library(),
            _turn: turn,
        };
        for name in [
            "polls", "started", "ended", "async", "slow", "result", "hang", "differs", "apart",
            "sends", "receives", "partner", "silent", "wrong",
        ] {
            fake.set(name, 0);
        }
        fake.calls();
        fake.arguments();
        fake
    }

    fn number(&self, name: &str) -> &AtomicI32 {
        // SAFETY: The symbol is an `atomic_int` that lives as long as the library.
        unsafe {
            &**self
                .library
                .get::<*const AtomicI32>(format!("fake_{name}").as_bytes())
                .unwrap()
        }
    }

    pub fn set(&self, name: &str, value: i32) {
        self.number(name).store(value, Ordering::SeqCst);
    }

    pub fn get(&self, name: &str) -> i32 {
        self.number(name).load(Ordering::SeqCst)
    }

    /// Returns the context that was current in the last collective.
    pub fn context(&self) -> *mut c_void {
        // SAFETY: The symbol is an atomic pointer that lives as long as the library.
        let context = unsafe {
            &**self
                .library
                .get::<*const AtomicPtr<c_void>>(b"fake_context")
                .unwrap()
        };
        context.load(Ordering::SeqCst)
    }

    /// Returns the calls since the last time.
    pub fn calls(&self) -> Vec<String> {
        self.words(b"fake_calls")
    }

    /// Checks the calls since the last time.
    #[track_caller]
    pub fn assert_calls(&self, expected: &[&str]) {
        assert_eq!(self.calls(), expected);
    }

    /// Returns the calls since the last time that use memory or create communicators, with their
    /// arguments: source and target address, count, type, operation and root.
    pub fn arguments(&self) -> Vec<String> {
        self.words(b"fake_arguments")
    }

    fn words(&self, function: &[u8]) -> Vec<String> {
        let mut text = vec![0u8; 1 << 16];
        // SAFETY: this is its type in `nccl.c`, and the buffer has the given size.
        unsafe {
            let calls = self
                .library
                .get::<unsafe extern "C" fn(*mut c_char, usize)>(function);
            calls.unwrap()(text.as_mut_ptr().cast(), text.len());
        }
        let end = text.iter().position(|byte| *byte == 0).unwrap();
        String::from_utf8_lossy(&text[..end])
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    }
}

/// Checks that every communicator and every group has ended, and no invalid call was made.
impl Drop for Fake {
    fn drop(&mut self) {
        if !thread::panicking() {
            let state = ["live", "depth", "wrong"].map(|name| self.get(name));
            assert_eq!(state, [0; 3], "live, depth, wrong");
        }
    }
}

/// Returns true in a process that runs only this test. In the tests' common process, starts such a
/// process and checks that it succeeds. Tests that wait begin with this, because the other tests
/// would wait for the library.
pub fn in_separate_process() -> bool {
    const CHILD: &str = "CUDA_NCCL_FAKE_CHILD";
    if env::var_os(CHILD).is_some() {
        return true;
    }
    library();
    let test = thread::current().name().unwrap().to_owned();
    let output = Command::new(env::current_exe().unwrap())
        .args([&test, "--exact", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
    false
}

/// Runs an ignored test in a separate process, which must succeed.
pub fn passes_alone(test: &str, variables: &[(&str, &Path)]) {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", test])
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

pub const LIMIT: Duration = Duration::from_secs(1);

pub fn options() -> CommunicatorOptions {
    // SAFETY: the library computes nothing.
    unsafe { verified().unverified() }
}

pub fn verified() -> CommunicatorOptions {
    CommunicatorOptions::default().timeout(LIMIT)
}

/// Creates rank 0 of `size`. The other ranks do not exist.
pub fn rank(size: usize, options: CommunicatorOptions) -> (Communicator, Stream) {
    one_of(size, 0, options)
}

/// Creates rank `number` of `size`, like [`rank`].
pub fn one_of(size: usize, number: usize, options: CommunicatorOptions) -> (Communicator, Stream) {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    let id = UniqueId::new().unwrap();
    (
        Communicator::new(&context, id, number, size, options).unwrap(),
        stream,
    )
}

/// Returns the library, and rank 0 of `size` as [`rank`] does.
pub fn start(size: usize) -> (Fake, Communicator, Stream) {
    let fake = Fake::new();
    let (rank, stream) = rank(size, options());
    (fake, rank, stream)
}

/// Adds a sum over all ranks to a group.
#[track_caller]
pub fn add_sum<'g, T: Reducible>(
    group: &mut Group<'g>,
    rank: &'g Communicator,
    stream: &'g Stream,
    data: &'g mut DeviceBuffer<T>,
) {
    group
        .all_reduce(rank, stream, data, Reduction::Sum)
        .unwrap();
}

#[test]
fn variable_names_the_library() {
    let fake = Fake::new();
    let library = Library::get().unwrap();
    assert_eq!(library.version().to_string(), "2.32.3");
    assert_eq!(library.file(), Path::new(&env::var_os(VARIABLE).unwrap()));
    assert!(library.functions().ncclAllReduce.is_some());
    assert!(library.functions().ncclPutSignal.is_none());
    let code: c_int = fake.get("version");
    assert_eq!(code, 23203);
}
