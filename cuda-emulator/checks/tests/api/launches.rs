//! Launches: exact limits, and the passing of arguments and attributes.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

// Functions that some older headers or the newest ones lack.
unsafe extern "C" {
    fn cuLaunchCooperativeKernelMultiDevice(list: *mut Params, count: u32, flags: u32) -> CUresult;
}

/// `CUDA_LAUNCH_PARAMS`
#[repr(C)]
struct Params {
    function: CUfunction,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: CUstream,
    arguments: *mut *mut c_void,
}

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry empty() { ret; }
.visible .entry bounded() .maxntid 64, 1, 1 { ret; }
.visible .entry exact() .reqntid 32, 2, 1 { ret; }
.visible .entry stop() { trap; ret; }
// Counts the threads that ran.
.visible .entry count(.param .u64 p)
{
	.reg .b32 %r<2>; .reg .b64 %d<2>;
	ld.param.u64 %d1, [p];
	atom.global.add.u32 %r1, [%d1], 1;
	ret;
}
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
";

fn shaped(function: CUfunction, grid: [u32; 3], block: [u32; 3], shared: u32) -> CUresult {
    launch_shaped(function, grid, block, shared, null_mut(), null_mut())
}

/// Launches with arguments in one buffer, passed through `extra`.
fn packed(function: CUfunction, extra: &mut [*mut c_void]) -> CUresult {
    launch_shaped(function, [1; 3], [1; 3], 0, null_mut(), extra.as_mut_ptr())
}

fn number(value: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(value)
}

#[test]
fn grids_and_blocks_beyond_their_limits_are_rejected() {
    let _context = Own::new();
    let module = load(PTX);
    let (empty, bounded) = (function(module, "empty"), function(module, "bounded"));
    let (one, exact) = ([1, 1, 1], function(module, "exact"));
    for (function, grid, block, shared, expected) in [
        (empty, [1, 65535, 1], one, 0, SUCCESS),
        (empty, [1, 1, 65535], one, 0, SUCCESS),
        (empty, [1, 65536, 1], one, 0, INVALID),
        (empty, [1, 1, 65536], one, 0, INVALID),
        (empty, [0x8000_0000, 1, 1], one, 0, INVALID),
        (empty, [u32::MAX, 1, 1], one, 0, INVALID),
        (empty, [0, 1, 1], one, 0, INVALID),
        (empty, [1, 0, 1], one, 0, INVALID),
        (empty, [1, 1, 0], one, 0, INVALID),
        (empty, one, [0, 1, 1], 0, INVALID),
        (empty, one, [1, 0, 1], 0, INVALID),
        (empty, one, [1, 1, 0], 0, INVALID),
        (empty, one, [1024, 1, 1], 0, SUCCESS),
        (empty, one, [1, 1024, 1], 0, SUCCESS),
        (empty, one, [1, 1, 64], 0, SUCCESS),
        (empty, one, [32, 32, 1], 0, SUCCESS),
        (empty, one, [4, 4, 64], 0, SUCCESS),
        (empty, one, [1025, 1, 1], 0, INVALID),
        (empty, one, [1, 1025, 1], 0, INVALID),
        (empty, one, [1, 1, 65], 0, INVALID),
        (empty, one, [33, 32, 1], 0, INVALID),
        (empty, one, [5, 205, 1], 0, INVALID),
        (empty, one, [1024, 1024, 64], 0, INVALID),
        (bounded, one, [64, 1, 1], 0, SUCCESS),
        (bounded, one, [8, 8, 1], 0, SUCCESS),
        (bounded, one, [63, 1, 1], 0, SUCCESS),
        (bounded, one, [65, 1, 1], 0, INVALID),
        (bounded, one, [1, 65, 1], 0, INVALID),
        (exact, one, [32, 2, 1], 0, SUCCESS),
        (exact, one, [2, 32, 1], 0, INVALID),
        (exact, one, [32, 1, 1], 0, INVALID),
        (exact, one, [32, 2, 2], 0, INVALID),
        (empty, one, one, 48 << 10, SUCCESS),
        (empty, one, one, (48 << 10) - 1, SUCCESS),
        (empty, one, one, (48 << 10) + 1, INVALID),
        (empty, one, one, u32::MAX, INVALID),
    ] {
        let code = shaped(function, grid, block, shared);
        assert_eq!(code, expected, "{grid:?} {block:?} {shared}");
    }
    ok!(cuCtxSynchronize());
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    for allowed in [100, 0, 227 << 10] {
        ok!(cuFuncSetAttribute(empty, attribute, allowed));
        assert_eq!(shaped(empty, one, one, allowed as u32), SUCCESS);
        assert_eq!(shaped(empty, one, one, allowed as u32 + 1), INVALID);
    }
    ok!(cuCtxSynchronize());
}

#[test]
fn the_largest_grid_is_accepted() {
    in_own_process(|| {
        let _context = Own::new();
        // The first blocks end the launch.
        let stop = function(load(PTX), "stop");
        assert_eq!(shaped(stop, [0x7fff_ffff, 1, 1], [1, 1, 1], 0), SUCCESS);
        fails!(LAUNCH_FAILED, cuCtxSynchronize());
    });
}

#[test]
fn cooperative_launches_must_fit_the_device() {
    // Suppresses the message that launches on several devices are not supported.
    let variables = [("CUDA_EMULATOR_THREADS", "3"), ("CUDA_EMULATOR_QUIET", "1")];
    passes(&variables, || {
        let _context = Own::new();
        let module = load(PTX);
        let (count, out) = (function(module, "count"), upload(&[0u32]));
        let mut ran = 0;
        let mut arguments = [arg(&out)];
        // 2 blocks of 1024 threads per multiprocessor.
        for (grid, expected) in [
            ([5, 1, 1], SUCCESS),
            ([6, 1, 1], SUCCESS),
            ([1, 3, 2], SUCCESS),
            ([7, 1, 1], COOPERATIVE_LAUNCH_TOO_LARGE),
            ([1, 7, 1], COOPERATIVE_LAUNCH_TOO_LARGE),
            ([2, 2, 2], COOPERATIVE_LAUNCH_TOO_LARGE),
            ([65535, 65535, 65535], COOPERATIVE_LAUNCH_TOO_LARGE),
        ] {
            let arguments = arguments.as_mut_ptr();
            let code = launch_cooperative(count, grid, 1024, arguments);
            assert_eq!(code, expected, "{grid:?}");
            let mut one = Params {
                function: count,
                grid,
                block: [1024, 1, 1],
                shared: 0,
                stream: null_mut(),
                arguments,
            };
            let code = call!(cuLaunchCooperativeKernelMultiDevice(&mut one, 1, 0));
            assert_eq!(code, expected, "{grid:?}");
            if expected == SUCCESS {
                ran += 2 * 1024 * grid.iter().product::<u32>();
            }
            assert_eq!(download::<u32>(out, 1), [ran], "{grid:?}");
            for devices in [0, 2] {
                let several = cuLaunchCooperativeKernelMultiDevice;
                fails!(NOT_SUPPORTED, several(&mut one, devices, 0));
            }
        }
        invalid!(cuLaunchCooperativeKernelMultiDevice(null_mut(), 1, 0));
        // The limit does not apply to other launches.
        assert_eq!(launch(count, 7, 1024, null_mut(), &mut arguments), SUCCESS);
        assert_eq!(download::<u32>(out, 1), [ran + 7 * 1024]);
    });
}

#[test]
fn arguments_come_as_pointers_or_in_one_buffer() {
    let _context = Own::new();
    let module = load(PTX);
    let (store, empty) = (function(module, "store"), function(module, "empty"));
    let out = upload(&[0u32; 2]);
    let result = || download::<u32>(out, 1)[0];
    let code = launch(store, 1, 1, null_mut(), &mut [arg(&out), arg(&41u32)]);
    assert_eq!(code, SUCCESS);
    assert_eq!(result(), 41);
    let mut buffer = [out, 42, 0];
    let place: *mut c_void = buffer.as_mut_ptr().cast();
    let (end, pointer, bytes) = (number(0), number(1), number(2));
    // In either order, and with more bytes than needed.
    for (value, size) in [(42, 12usize), (43, 13), (44, 16), (45, 24)] {
        for size_first in [false, true] {
            // SAFETY: The position is within the buffer, which is not in use.
            unsafe { place.cast::<u64>().add(1).write(value) };
            let size = arg(&size);
            let mut extra = match size_first {
                false => [pointer, place, bytes, size, end],
                true => [bytes, size, pointer, place, end],
            };
            assert_eq!(packed(store, &mut extra), SUCCESS);
            assert_eq!(u64::from(result()), value);
            ok!(cuMemsetD8_v2(out, 0, 8));
        }
    }
    let (short, enough, none) = (11usize, 12usize, 0usize);
    for mut extra in [
        [pointer, place, bytes, arg(&short), end],
        [pointer, place, bytes, arg(&none), end],
        [pointer, null_mut(), bytes, arg(&enough), end],
        [pointer, place, bytes, null_mut(), end],
        [pointer, place, number(3), arg(&enough), end],
        [number(usize::MAX), place, bytes, arg(&enough), end],
        [pointer, place, end, end, end],
        [bytes, arg(&enough), end, end, end],
        [end, end, end, end, end],
    ] {
        assert_eq!(packed(store, &mut extra), INVALID, "{extra:?}");
    }
    // A kernel without parameters accepts an empty list, and a buffer, which it does not read. A
    // null buffer with a nonzero size is rejected.
    for (mut extra, expected) in [
        ([end, end, end, end, end], SUCCESS),
        ([pointer, null_mut(), bytes, arg(&none), end], SUCCESS),
        ([pointer, place, bytes, arg(&none), end], SUCCESS),
        ([pointer, place, bytes, arg(&enough), end], SUCCESS),
        ([pointer, null_mut(), bytes, arg(&enough), end], INVALID),
    ] {
        assert_eq!(packed(empty, &mut extra), expected, "{extra:?}");
    }
    let mut extra = [pointer, place, bytes, arg(&enough), end];
    let (extra, value) = (extra.as_mut_ptr(), 46u32);
    let mut both = [arg(&out), arg(&value)];
    for function in [store, empty] {
        let code = launch_shaped(function, [1; 3], [1; 3], 0, both.as_mut_ptr(), extra);
        assert_eq!(code, INVALID);
    }
    for mut missing in [[null_mut(), arg(&value)], [arg(&out), null_mut()]] {
        assert_eq!(launch(store, 1, 1, null_mut(), &mut missing), INVALID);
    }
    let code = shaped(store, [1; 3], [1; 3], 0);
    assert_eq!(code, INVALID, "no arguments at all");
    assert_eq!(shaped(empty, [1; 3], [1; 3], 0), SUCCESS);
    ok!(cuCtxSynchronize());
    assert_eq!(result(), 0, "no rejected launch ran");
}

/// Launches with attributes, each given by a number and the first words of its value.
fn with(
    function: CUfunction,
    grid: u32,
    attributes: &[(u32, [u32; 3])],
    arguments: &mut [*mut c_void],
) -> CUresult {
    let list: Vec<_> = attributes
        .iter()
        .map(|(id, words)| attribute(*id, words))
        .collect();
    launch_with(function, [grid, 1, 1], null_mut(), &list, arguments)
}

#[test]
fn launch_attributes_are_checked_by_number() {
    let _context = Own::new();
    let (count, out) = (function(load(PTX), "count"), upload(&[0u32]));
    let (mut arguments, mut ran) = ([arg(&out)], 0);
    let mut check = |attributes: &[(u32, [u32; 3])], expected| {
        let code = with(count, 2, attributes, &mut arguments);
        assert_eq!(code, expected, "{attributes:?}");
        ran += if expected == SUCCESS { 64 } else { 0 };
        assert_eq!(download::<u32>(out, 1), [ran], "{attributes:?}");
    };
    check(&[], SUCCESS);
    // The values that an H200's driver accepts.
    let at_most = |most: u32| move |value: u32| value <= most;
    let any = |_: u32| true;
    let bytes = |value: u32| value.to_ne_bytes()[..2].iter().all(|byte| *byte < 4);
    let accepted: [(u32, &dyn Fn(u32) -> bool); 8] = [
        (0, &any),
        (2, &any),
        (5, &at_most(2)),
        (6, &any),
        (8, &any),
        (9, &bytes),
        (10, &at_most(1)),
        (14, &at_most(100)),
    ];
    for (id, good) in accepted {
        for value in [0, 1, 2, 3, 4, 100, 101, 0x300, 0x400, u32::MAX] {
            let expected = if good(value) { SUCCESS } else { INVALID };
            check(&[(id, [value, 0, 0])], expected);
        }
    }
    for (value, expected) in [(0, SUCCESS), (1, SUCCESS), (2, INVALID)] {
        check(&[(16, [value, 0, 0])], expected);
    }
    // Only graph nodes can be updated by the device.
    check(&[(13, [0; 3])], NOT_SUPPORTED);
    check(&[(13, [1; 3])], NOT_SUPPORTED);
    // The event is missing.
    for id in [7, 12] {
        check(&[(id, [0; 3])], INVALID_HANDLE);
    }
    for id in [3, 15, 17, 18, 19, 77, u32::MAX] {
        check(&[(id, [1, 1, 1])], INVALID);
    }
    // Each of several attributes is applied.
    check(&[(0, [0; 3]), (8, [0; 3]), (4, [1; 3])], SUCCESS);
    check(&[(0, [0; 3]), (4, [3, 1, 1])], INVALID_CLUSTER_SIZE);
    check(&[(0, [0; 3]), (8, [0; 3]), (99, [0; 3])], INVALID);
    invalid!(cuLaunchKernelEx(null(), count, null_mut(), null_mut()));
}

#[test]
fn the_cooperative_attribute_is_a_bool() {
    let _context = Own::new();
    let empty = function(load(PTX), "empty");
    // More blocks than any device can hold at once.
    let many = 40_000;
    assert_eq!(with(empty, many, &[], &mut []), SUCCESS);
    assert_eq!(with(empty, many, &[(2, [0, 0, 0])], &mut []), SUCCESS);
    let code = with(empty, many, &[(2, [1, 0, 0])], &mut []);
    assert_eq!(code, COOPERATIVE_LAUNCH_TOO_LARGE);
    let code = with(empty, many, &[(2, [7, 0, 0])], &mut []);
    assert_eq!(code, COOPERATIVE_LAUNCH_TOO_LARGE);
    let code = with(empty, many, &[(2, [1, 0, 0]), (2, [0, 0, 0])], &mut []);
    assert_eq!(code, SUCCESS);
    ok!(cuCtxSynchronize());
}
