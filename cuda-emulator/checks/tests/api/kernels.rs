//! The device as kernels see it: its multiprocessors, clock, heap, stack and standard output.

use cuda_emulator_checks::abi::*;
use std::ptr::null_mut;

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 d);
.visible .global .align 1 .b8 text[6] = {104, 101, 108, 108, 111, 0};
// out = number, then the number of multiprocessors
.visible .entry store(.param .u64 p, .param .u32 number)
{
	.reg .b32 %r<3>; .reg .b64 %d<2>;
	ld.param.u64 %d1, [p];
	ld.param.u32 %r1, [number];
	mov.u32 %r2, %nsmid;
	st.global.u32 [%d1], %r1;
	st.global.u32 [%d1+4], %r2;
	ret;
}
// Spins for some nanoseconds; out = cycles, nanoseconds
.visible .entry spin(.param .u64 p, .param .u64 time)
{
	.reg .b64 %d<9>; .reg .pred %q;
	ld.param.u64 %d1, [p];
	ld.param.u64 %d2, [time];
	mov.u64 %d3, %globaltimer;
	mov.u64 %d4, %clock64;
$again:
	mov.u64 %d5, %globaltimer;
	sub.u64 %d6, %d5, %d3;
	setp.lt.u64 %q, %d6, %d2;
	@%q bra $again;
	mov.u64 %d7, %clock64;
	sub.u64 %d8, %d7, %d4;
	st.global.u64 [%d1], %d8;
	st.global.u64 [%d1+8], %d6;
	ret;
}
// out = malloc(size), one block of one thread
.visible .entry take(.param .u64 p, .param .u64 size)
{
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [p];
	ld.param.u64 %d2, [size];
	{ .param .b64 n; .param .b64 r; st.param.b64 [n], %d2; call.uni (r), malloc, (n); ld.param.b64 %d3, [r]; }
	st.global.u64 [%d1], %d3;
	ret;
}
.visible .entry give(.param .u64 p)
{
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [p];
	{ .param .b64 n; st.param.b64 [n], %d1; call.uni free, (n); }
	ret;
}
.visible .entry say(.param .u64 p)
{
	.reg .b32 %r<2>; .reg .b64 %d<3>;
	ld.param.u64 %d1, [p];
	mov.u64 %d2, text;
	{ .param .b64 f; .param .b64 d; .param .b32 r; st.param.b64 [f], %d2; st.param.b64 [d], 0;
	call.uni (r), vprintf, (f, d); ld.param.b32 %r1, [r]; }
	st.global.u32 [%d1], %r1;
	ret;
}
";

#[test]
fn kernels_see_the_devices_multiprocessors() {
    passes(&[("CUDA_EMULATOR_THREADS", "5")], || {
        let _context = Own::new();
        let (store, out) = (function(load(PTX), "store"), alloc(8));
        let code = launch(store, 1, 1, null_mut(), &mut [arg(&out), arg(&9u32)]);
        assert_eq!(code, SUCCESS);
        assert_eq!(download::<u32>(out, 2), [9, 5]);
    });
}

#[test]
fn the_clock_runs_at_the_devices_rate() {
    let _context = Own::new();
    let (spin, out) = (function(load(PTX), "spin"), alloc(16));
    let rate = device_attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    let time = 30_000_000u64;
    ok!(launch(spin, 1, 1, null_mut(), &mut [arg(&out), arg(&time)]));
    let [cycles, nanoseconds] = download::<u64>(out, 2)[..] else {
        unreachable!()
    };
    let expected = nanoseconds * rate as u64 / 1_000_000;
    let accepted = expected / 2 + 1..expected * 4;
    assert!(accepted.contains(&cycles), "{cycles} {expected}");
}

#[test]
fn heap_size_follows_its_limit() {
    let _context = Own::new();
    let module = load(PTX);
    let (take, give, out) = (function(module, "take"), function(module, "give"), alloc(8));
    ok!(cuCtxSetLimit(CUlimit::CU_LIMIT_MALLOC_HEAP_SIZE, 4 << 20));
    let taken = |size: u64| {
        ok!(launch(take, 1, 1, null_mut(), &mut [arg(&out), arg(&size)]));
        download::<u64>(out, 1)[0]
    };
    let given = |address: u64| {
        ok!(launch(give, 1, 1, null_mut(), &mut [arg(&address)]));
        ok!(cuCtxSynchronize());
    };
    assert_eq!(taken(0), 0);
    assert_eq!(taken((4 << 20) + 1), 0);
    // A failed allocation uses no memory, and freed memory can be allocated again.
    for _ in 0..3 {
        let all = taken(4 << 20);
        assert_ne!(all, 0);
        assert_eq!(taken(1), 0, "the heap is full");
        given(all);
        let (half, other) = (taken(2 << 20), taken(2 << 20));
        assert!(half != 0 && other != 0 && half != other);
        assert_eq!(taken(1), 0);
        given(half);
        assert_eq!(taken((2 << 20) + 1), 0);
        given(other);
        given(0);
    }
}

#[test]
fn kernels_free_only_heap_memory() {
    each([true, false], |device| {
        let _context = Own::new();
        let (give, address) = (function(load(PTX), "give"), alloc(64));
        let wrong = if device { address } else { 0x1234_5000 };
        assert_eq!(launch(give, 1, 1, null_mut(), &mut [arg(&wrong)]), SUCCESS);
        fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
    });
}

#[test]
#[cfg(unix)] // duplicates file descriptors
fn kernels_print_even_if_standard_output_is_closed() {
    let output = passes(&[], || {
        let _context = Own::new();
        let (say, out) = (function(load(PTX), "say"), alloc(4));
        assert_eq!(launch(say, 3, 1, null_mut(), &mut [arg(&out)]), SUCCESS);
        ok!(cuCtxSynchronize());
        // SAFETY: All arguments are file descriptors. Standard output belongs to this process and
        // is kept in the second descriptor.
        let kept = unsafe { libc::dup(1) };
        // SAFETY: as above.
        assert_eq!(unsafe { libc::close(1) }, 0);
        assert_eq!(launch(say, 3, 1, null_mut(), &mut [arg(&out)]), SUCCESS);
        ok!(cuCtxSynchronize());
        // SAFETY: as above.
        assert_eq!(unsafe { libc::dup2(kept, 1) }, 1);
    });
    assert!(inner() || output.matches("hello").count() == 3, "{output}");
}

/// Calls itself `n` times, 64 bytes deeper each time, and returns the sum of all numbers up to it.
const DEEP: &str = "
.version 7.0
.target sm_70
.address_size 64
.func (.param .b32 sum) down(.param .b32 n)
{
	.local .align 16 .b8 frame[64];
	.reg .b32 %r<6>; .reg .pred %q;
	ld.param.u32 %r1, [n];
	st.local.u32 [frame], %r1;
	mov.u32 %r5, 0;
	setp.eq.u32 %q, %r1, 0;
	@%q bra $end;
	sub.u32 %r2, %r1, 1;
	{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), down, (a); ld.param.b32 %r3, [b]; }
	ld.local.u32 %r4, [frame];
	add.u32 %r5, %r3, %r4;
$end:
	st.param.b32 [sum], %r5;
	ret;
}
.visible .entry deep(.param .u64 p, .param .u32 n)
{
	.reg .b32 %r<3>; .reg .b64 %d<2>;
	ld.param.u64 %d1, [p];
	ld.param.u32 %r1, [n];
	{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), down, (a); ld.param.b32 %r2, [b]; }
	st.global.u32 [%d1], %r2;
	ret;
}
";

#[test]
fn stack_size_follows_its_limit() {
    let deep = |limit, depth: u32| {
        let _context = Own::new();
        ok!(cuCtxSetLimit(CUlimit::CU_LIMIT_STACK_SIZE, limit));
        let (function, out) = (function(load(DEEP), "deep"), alloc(4));
        let code = launch(function, 1, 1, null_mut(), &mut [arg(&out), arg(&depth)]);
        assert_eq!(code, SUCCESS);
        let mut sum = 0u32;
        let code = call!(cuMemcpyDtoH_v2((&raw mut sum).cast(), out, 4));
        (code == SUCCESS).then_some(sum)
    };
    // The limit, a depth within it with its sum, and a depth beyond it.
    let cases = [(1 << 16, 100, 5050, 5000), (1024, 3, 6, 100)];
    each(cases, |(limit, within, sum, beyond)| {
        assert_eq!(deep(limit, within), Some(sum));
        assert_eq!(deep(limit, beyond), None, "beyond the limit");
    });
}

/// Kernels that write and then read, and one that uses heap memory after freeing it.
const TOUCH: &str = "
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .entry write(.param .u64 p)
{ .reg .b32 %r<2>; .reg .b64 %d<2>; ld.param.u64 %d1, [p]; mov.u32 %r1, 6; st.global.u32 [%d1], %r1; ret; }
.visible .entry copy(.param .u64 p)
{ .reg .b32 %r<2>; .reg .b64 %d<2>; ld.param.u64 %d1, [p]; ld.global.u32 %r1, [%d1]; st.global.u32 [%d1+4], %r1; ret; }
.visible .entry after(.param .u32 give)
{
	.reg .b32 %r<3>; .reg .b64 %d<2>; .reg .pred %q;
	ld.param.u32 %r2, [give];
	{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call.uni (r), malloc, (n); ld.param.b64 %d1, [r]; }
	mov.u32 %r1, 0;
$again:
	st.u32 [%d1], %r1;
	add.u32 %r1, %r1, 1;
	setp.ne.u32 %q, %r1, %r2;
	@%q bra $skip;
	{ .param .b64 n; st.param.b64 [n], %d1; call.uni free, (n); }
$skip:
	setp.lt.u32 %q, %r1, 4;
	@%q bra $again;
	ret;
}
";

#[test]
fn kernels_fault_on_heap_memory_freed_after_use() {
    // The round, of four, in which the memory is freed. 4 means after the last use.
    let cases = [(0u32, SUCCESS), (4, SUCCESS), (2, ILLEGAL_ADDRESS)];
    each(cases, |(give, expected)| {
        let _context = Own::new();
        let after = function(load(TOUCH), "after");
        assert_eq!(launch(after, 1, 1, null_mut(), &mut [arg(&give)]), SUCCESS);
        assert_eq!(call!(cuCtxSynchronize()), expected, "{give}");
    });
}

#[test]
fn memory_written_by_a_kernel_is_initialized() {
    passes(&[("CUDA_EMULATOR_CHECK", "uninit")], || {
        let _context = Own::new();
        let (module, out) = (load(TOUCH), alloc(8));
        for name in ["write", "copy"] {
            let code = launch(function(module, name), 1, 1, null_mut(), &mut [arg(&out)]);
            assert_eq!(code, SUCCESS);
        }
        assert_eq!(download::<u32>(out, 2), [6, 6]);
    });
}

#[test]
#[cfg(unix)] // threads are counted in Linux's files
fn kernels_run_on_the_requested_number_of_host_threads() {
    passes(&[("CUDA_EMULATOR_THREADS", "70")], || {
        let _context = Own::new();
        let (spin, out) = (function(load(PTX), "spin"), alloc(16));
        let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
        let time = 300_000_000u64;
        let code = launch(spin, 70, 1, null_mut(), &mut [arg(&out), arg(&time)]);
        assert_eq!(code, SUCCESS);
        let mut most = 0;
        while call!(cuStreamQuery(null_mut())) != SUCCESS {
            most = most.max(threads());
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert!((70..80).contains(&most), "{most}");
    });
}
