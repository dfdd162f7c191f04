//! The launch functions that CUDA 4.0 replaced: a function's shape and parameters are set one by
//! one before the launch.

use cuda_emulator_checks::abi::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The first thread of each block stores (ntid, nctaid.xy, number, float, dynamic shared size) at
/// out + 32 bytes * block. The second parameter is an unsigned number, the third a float.
const PTX: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry report(.param .u64 out, .param .u32 number, .param .f32 real)
{
    .reg .pred %p<2>;
    .reg .b32 %r<20>;
    .reg .f32 %f<2>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %tid.z;
    or.b32 %r4, %r1, %r2;
    or.b32 %r4, %r4, %r3;
    setp.ne.u32 %p1, %r4, 0;
    @%p1 bra $done;
    ld.param.u64 %rd1, [out];
    mov.u32 %r5, %ctaid.x;
    mov.u32 %r6, %ctaid.y;
    mov.u32 %r7, %nctaid.x;
    mov.u32 %r8, %nctaid.y;
    mad.lo.u32 %r9, %r6, %r7, %r5;
    mul.wide.u32 %rd2, %r9, 32;
    add.u64 %rd3, %rd1, %rd2;
    mov.u32 %r10, %ntid.x;
    mov.u32 %r11, %ntid.y;
    mov.u32 %r12, %ntid.z;
    ld.param.u32 %r13, [number];
    ld.param.f32 %f1, [real];
    mov.u32 %r14, %dynamic_smem_size;
    st.global.u32 [%rd3], %r10;
    st.global.u32 [%rd3+4], %r11;
    st.global.u32 [%rd3+8], %r12;
    st.global.u32 [%rd3+12], %r7;
    st.global.u32 [%rd3+16], %r8;
    st.global.u32 [%rd3+20], %r13;
    st.global.f32 [%rd3+24], %f1;
    st.global.u32 [%rd3+28], %r14;
$done:
    ret;
}
";

/// The maximum number of parameter bytes of a launch.
const MOST: usize = 32 << 10;

fn report() -> CUfunction {
    function(load(PTX), "report")
}

/// Returns the values that the kernel has stored for the last of `blocks` blocks.
fn outcome(out: CUdeviceptr, blocks: u64) -> [u32; 8] {
    download::<u32>(out + 32 * (blocks - 1), 8)
        .try_into()
        .unwrap()
}

/// Sets the parameters: the output address, a number and a float.
fn set(report: CUfunction, out: CUdeviceptr, number: u32, real: f32) {
    ok!(cuParamSetSize(report, 16));
    ok!(cuParamSetv(report, 0, arg(&out), 8));
    ok!(cuParamSeti(report, 8, number));
    ok!(cuParamSetf(report, 12, real));
}

#[test]
fn shape_shared_memory_and_parameters_reach_the_kernel() {
    let _context = Own::new();
    let (report, out, stream) = (report(), alloc(32 * 12), stream(1));
    for (block, shared, number, real, grid) in [
        ([1, 1, 1], 0, 1, 0.5f32, (1, 1)),
        ([8, 4, 2], 64, 0xdead_beef, -2.25, (3, 4)),
        ([1024, 1, 1], 48 << 10, u32::MAX, f32::MAX, (2, 1)),
        ([1, 1024, 1], 4, 0, 0.0, (1, 6)),
        ([1, 1, 64], 1 << 10, 9, 1.0, (12, 1)),
    ] {
        ok!(cuFuncSetBlockShape(report, block[0], block[1], block[2]));
        ok!(cuFuncSetSharedSize(report, shared));
        set(report, out, number, real);
        let want = |width: i32, height: i32| {
            let [x, y, z] = block.map(|side| side as u32);
            let bits = real.to_bits();
            [x, y, z, width as u32, height as u32, number, bits, shared]
        };
        let (width, height) = grid;
        let blocks = (width * height) as u64;
        ok!(cuMemsetD8_v2(out, 0xaa, 32 * 12));
        ok!(cuLaunch(report));
        assert_eq!(outcome(out, 1), want(1, 1));
        ok!(cuMemsetD8_v2(out, 0xaa, 32 * 12));
        ok!(cuLaunchGrid(report, width, height));
        assert_eq!(outcome(out, blocks), want(width, height));
        ok!(cuMemsetD8_v2(out, 0xaa, 32 * 12));
        ok!(cuLaunchGridAsync(report, width, height, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(outcome(out, blocks), want(width, height));
    }
}

#[test]
fn parameters_keep_their_values_between_launches() {
    let _context = Own::new();
    let (report, out) = (report(), alloc(32));
    ok!(cuFuncSetBlockShape(report, 2, 1, 1));
    set(report, out, 5, 1.5);
    ok!(cuLaunch(report));
    ok!(cuParamSetf(report, 12, 2.5));
    ok!(cuLaunch(report));
    assert_eq!(outcome(out, 1)[5..7], [5, 2.5f32.to_bits()]);
    ok!(cuParamSeti(report, 8, 6));
    ok!(cuLaunch(report));
    assert_eq!(outcome(out, 1)[5..7], [6, 2.5f32.to_bits()]);
    // A value that spans two parameters.
    let both = [7u32, 8f32.to_bits()];
    ok!(cuParamSetv(report, 8, arg(&both), 8));
    ok!(cuLaunch(report));
    assert_eq!(outcome(out, 1)[5..7], both);
    // Zero bytes from a null pointer.
    ok!(cuParamSetv(report, 8, null_mut(), 0));
    ok!(cuLaunch(report));
    assert_eq!(outcome(out, 1)[5..7], both);
}

/// Waits until the test opens the gate.
unsafe extern "C" fn gate(state: *mut c_void) {
    // SAFETY: The test passes its state, which outlives the work.
    let state = unsafe { &*state.cast::<AtomicU32>() };
    while state.load(Ordering::SeqCst) == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    state.store(2, Ordering::SeqCst);
}

#[test]
fn asynchronous_launches_run_in_stream_order() {
    let _context = Own::new();
    let (report, out, stream) = (report(), alloc(32), stream(1));
    ok!(cuMemsetD8_v2(out, 0, 32));
    ok!(cuFuncSetBlockShape(report, 3, 1, 1));
    set(report, out, 77, 0.0);
    let state = AtomicU32::new(0);
    ok!(cuLaunchHostFunc(stream, Some(gate), arg(&state)));
    ok!(cuLaunchGridAsync(report, 1, 1, stream));
    // The values at the time of the launch count.
    ok!(cuParamSeti(report, 8, 78));
    fails!(NOT_READY, cuStreamQuery(stream));
    state.store(1, Ordering::SeqCst);
    ok!(cuStreamSynchronize(stream));
    assert_eq!(state.load(Ordering::SeqCst), 2);
    assert_eq!(outcome(out, 1)[5], 77);
}

#[test]
fn invalid_shapes_are_rejected_and_change_nothing() {
    let _context = Own::new();
    let (report, out) = (report(), alloc(32));
    ok!(cuFuncSetBlockShape(report, 4, 2, 1));
    set(report, out, 1, 1.0);
    for wrong in [0, -1, i32::MIN] {
        for at in 0..3 {
            let mut shape = [1; 3];
            shape[at] = wrong;
            let [x, y, z] = shape;
            invalid!(cuFuncSetBlockShape(report, x, y, z));
        }
        invalid!(cuFuncSetBlockShape(report, wrong, wrong, wrong));
        for (width, height) in [(wrong, 1), (1, wrong), (wrong, wrong)] {
            invalid!(cuLaunchGrid(report, width, height));
            invalid!(cuLaunchGridAsync(report, width, height, null_mut()));
        }
    }
    ok!(cuLaunch(report));
    assert_eq!(outcome(out, 1)[..3], [4, 2, 1]);
}

#[test]
fn parameters_beyond_the_maximum_are_rejected() {
    let _context = Own::new();
    let (report, out) = (report(), alloc(32));
    ok!(cuFuncSetBlockShape(report, 1, 1, 1));
    let mut bytes = vec![0u8; MOST + 1];
    let from: *mut c_void = bytes.as_mut_ptr().cast();
    let most = MOST as u32;
    for size in [0, 1, most - 1, most] {
        ok!(cuParamSetSize(report, size));
        ok!(cuParamSetv(report, 0, from, size));
        ok!(cuParamSetv(report, (most - size) as i32, from, size));
        invalid!(cuParamSetv(report, (most - size) as i32 + 1, from, size));
    }
    for size in [most + 1, most + 2, 1 << 20, u32::MAX] {
        invalid!(cuParamSetSize(report, size));
        invalid!(cuParamSetv(report, 0, from, size));
    }
    let most = MOST as i32;
    for offset in [0, 4, most - 5, most - 4] {
        ok!(cuParamSeti(report, offset, 0));
        ok!(cuParamSetf(report, offset, 0.0));
    }
    for offset in [most - 3, most - 2, most, i32::MAX, -1, i32::MIN] {
        invalid!(cuParamSeti(report, offset, 0));
        invalid!(cuParamSetf(report, offset, 0.0));
        invalid!(cuParamSetv(report, offset, from, 4));
    }
    invalid!(cuParamSetv(report, 0, null_mut(), 1));
    // Bytes beyond the kernel's parameters are ignored.
    ok!(cuParamSetv(report, 0, arg(&out), 8));
    ok!(cuParamSeti(report, 8, 3));
    ok!(cuLaunch(report));
    assert_eq!(outcome(out, 1)[5], 3);
}

#[test]
fn invalid_functions_and_streams_are_rejected() {
    let context = Own::new();
    let (live, destroyed) = (report(), stream(1));
    ok!(cuStreamDestroy_v2(destroyed));
    let module = load(PTX);
    let stale = function(module, "report");
    ok!(cuModuleUnload(module));
    let value = 0u64;
    let wild = WILD.map(|handle| handle as CUfunction);
    for wrong in wild.into_iter().chain([null_mut(), stale]) {
        stale!(cuFuncSetBlockShape(wrong, 1, 1, 1));
        stale!(cuFuncSetSharedSize(wrong, 0));
        stale!(cuParamSetSize(wrong, 0));
        stale!(cuParamSeti(wrong, 0, 0));
        stale!(cuParamSetf(wrong, 0, 0.0));
        stale!(cuParamSetv(wrong, 0, arg(&value), 8));
        stale!(cuLaunch(wrong));
        stale!(cuLaunchGrid(wrong, 1, 1));
        stale!(cuLaunchGridAsync(wrong, 1, 1, null_mut()));
    }
    let wild = WILD.map(|handle| handle as CUstream);
    for wrong in wild.into_iter().chain([destroyed]) {
        stale!(cuLaunchGridAsync(live, 1, 1, wrong));
    }
    // More shared memory than a block has.
    ok!(cuFuncSetBlockShape(live, 1, 1, 1));
    ok!(cuFuncSetSharedSize(live, (48 << 10) + 1));
    invalid!(cuLaunch(live));
    drop(context);
    let _other = Own::new();
    stale!(cuLaunch(live));
}
