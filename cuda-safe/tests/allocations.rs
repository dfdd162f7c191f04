//! A launch allocates nothing on the host for any kind of argument except host slices.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, WithLen, launch::ByValue};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Counts each thread's allocations. A driver that is a separate library has its own allocator.
struct Counting;

// SAFETY: forwards to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns how often `work` allocates.
fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

const SOURCE: &str = r#"
extern "C" __global__ void plain(float *x, const float *y, float factor, int n, bool add) {
    for (int i = 0; i < n; ++i) x[i] = factor * y[i] + (add ? x[i] : 0);
}
extern "C" __global__ void lengths(float *x, int n, const float *y, size_t m) {
    for (int i = 0; i < n && i < m; ++i) x[i] = y[i];
}
extern "C" __global__ void nothing() {}
"#;

#[test]
fn launches_allocate_nothing() {
    assert!(
        allocations(|| drop(Box::new(1))) > 0,
        "the counter does not count"
    );
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    let module = Module::compile(&context, SOURCE).unwrap();
    let [plain, lengths, nothing] =
        ["plain", "lengths", "nothing"].map(|name| module.function(name).unwrap());
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
    let y = DeviceBuffer::from_slice(&stream, &[1.5f32; 8]).unwrap();
    let config = LaunchConfig::new(1, 1);
    let mut launch = || {
        // SAFETY: the kernels touch eight floats of each buffer.
        unsafe {
            let add = ByValue(false);
            plain
                .launch(&stream, config, (&mut x, y.view(), 2.0f32, 8i32, add))
                .unwrap();
            let pairs = (WithLen::i32(&mut x), WithLen::usize(&y));
            lengths.launch(&stream, config, pairs).unwrap();
            nothing.launch(&stream, config, ()).unwrap();
        }
    };
    launch(); // the first launch reads the parameters
    let again = allocations(|| (0..10).for_each(|_| launch()));
    assert_eq!(again, 0);
    assert_eq!(x.to_vec(&stream).unwrap(), [1.5; 8]);
}
