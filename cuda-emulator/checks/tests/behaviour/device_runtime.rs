//! Kernels that launch kernels, and barriers of whole grids: PTX of `-rdc=true`, linked with the
//! device runtime.

use cuda_emulator_checks::abi::input::{LIBRARY, PTX};
use cuda_emulator_checks::abi::*;
use cuda_emulator_checks::objects;
use std::ffi::c_void;
use std::ptr::null_mut;

const TEXT: &str = include_str!("../../kernels/device_runtime.ptx");

/// Links the kernels with an archive of the device runtime.
fn linked(archive: &[u8]) -> CUmodule {
    linked_text(TEXT, archive)
}

fn linked_text(text: &str, archive: &[u8]) -> CUmodule {
    let state = linker();
    for (kind, bytes) in [(PTX, text.as_bytes()), (LIBRARY, archive)] {
        ok!(link_data(state, kind, bytes, c"input"));
    }
    let module = out!(cuModuleLoadData(
        _,
        out!(cuLinkComplete(state, _, null_mut()))
    ));
    ok!(cuLinkDestroy(state));
    module
}

fn module() -> CUmodule {
    linked(&objects::device_runtime())
}

/// Launches a kernel and waits.
fn run(
    module: CUmodule,
    name: &str,
    grid: u32,
    block: u32,
    arguments: &mut [*mut c_void],
) -> CUresult {
    let code = launch(function(module, name), grid, block, null_mut(), arguments);
    assert_eq!(code, SUCCESS, "{name}");
    call!(cuCtxSynchronize())
}

fn cooperative(module: CUmodule, name: &str, grid: u32, block: u32, arguments: &mut [*mut c_void]) {
    let function = function(module, name);
    let arguments = arguments.as_mut_ptr();
    ok!(launch_cooperative(function, [grid, 1, 1], block, arguments));
    ok!(cuCtxSynchronize());
}

fn fibonacci(module: CUmodule, n: i32) -> u32 {
    let sum = upload(&[0u32]);
    let code = run(module, "fibonacci", 1, 1, &mut [arg(&sum), arg(&n)]);
    assert_eq!(code, SUCCESS);
    download::<u32>(sum, 1)[0]
}

#[test]
fn nvidias_archive_is_accepted_as_the_device_runtime() {
    // `make setup` fetches it together with the headers.
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.cuda/nvidia");
    let path = std::path::Path::new(root).join("cu13/lib/libcudadevrt.a");
    let _context = Own::new();
    match std::fs::read(&path) {
        Ok(archive) => assert_eq!(fibonacci(linked(&archive), 7), 13),
        Err(error) => println!("not tried: {}: {error}", path.display()),
    }
}

#[test]
fn trees_of_launches_complete() {
    let _context = Own::new();
    let module = module();
    assert_eq!([0, 1, 2, 10].map(|n| fibonacci(module, n)), [0, 1, 1, 55]);
    let number = |i| (i * 7919 % 1009) - 500;
    let mut numbers: Vec<i32> = (0..300).map(number).collect();
    let data = upload(&numbers);
    let (left, right) = (0i32, numbers.len() as i32 - 1);
    let mut arguments = [arg(&data), arg(&left), arg(&right)];
    assert_eq!(run(module, "quicksort", 1, 1, &mut arguments), SUCCESS);
    numbers.sort_unstable();
    assert_eq!(download::<i32>(data, numbers.len()), numbers);
}

fn log_of_tail_launches(module: CUmodule) -> Vec<i32> {
    let log = upload(&[0i32; 64]);
    assert_eq!(run(module, "tail", 1, 1, &mut [arg(&log)]), SUCCESS);
    let log = download::<i32>(log, 64);
    log[1..=log[0] as usize].to_vec()
}

/// In the emulator, a child starts after its parent has ended: 10 before 11. On an H200, the first
/// 11 comes before 10.
#[test]
fn tail_launches_come_last_and_in_order() {
    let _context = Own::new();
    let found = log_of_tail_launches(module());
    assert_eq!(found, [1, 2, 3, 10, 11, 11, 12, 20]);
}

#[test]
fn streams_keep_their_order_and_wait_for_events() {
    let _context = Own::new();
    let (x, codes) = (upload(&[5, 7, 0]), upload(&[-1i32; 16]));
    let code = run(module(), "streams", 1, 1, &mut [arg(&x), arg(&codes)]);
    assert_eq!(code, SUCCESS);
    assert_eq!(download::<i32>(x, 3), [12, 40, 520]);
    assert_eq!(download::<i32>(codes, 15), [0; 15]);
}

#[test]
fn any_allowed_order_gives_the_same_result() {
    let seeds = ["1", "2", "3", "4"].map(|seed| {
        passes(&[("CUDA_EMULATOR_SEED", seed)], || {
            let _context = Own::new();
            let module = module();
            assert_eq!(log_of_tail_launches(module), [1, 2, 3, 10, 11, 11, 12, 20]);
            let (x, codes) = (upload(&[5, 7, 0]), upload(&[-1i32; 16]));
            let code = run(module, "streams", 1, 1, &mut [arg(&x), arg(&codes)]);
            assert_eq!(code, SUCCESS);
            assert_eq!(download::<i32>(x, 3), [12, 40, 520]);
            assert_eq!(fibonacci(module, 9), 34);
        })
    });
    assert_eq!(seeds.len(), 4);
}

#[test]
fn children_share_their_parents_heap() {
    let _context = Own::new();
    let out = upload(&[-1i32; 7]);
    let kernel = "shared_memory_of_children";
    assert_eq!(run(module(), kernel, 1, 1, &mut [arg(&out)]), SUCCESS);
    let sum = (0..100).map(|i| i * i).sum::<i32>();
    // Success, invalid argument twice (cleared afterwards), out of memory, success.
    assert_eq!(download::<i32>(out, 7), [sum, 0, 1, 1, 0, 2, 0]);
}

#[test]
fn copies_and_fills_run_in_their_stream() {
    let _context = Own::new();
    let source: Vec<u8> = (0..240).map(|i| i as u8).collect();
    let (from, to) = (upload(&source), upload(&[0x44u8; 256]));
    let codes = upload(&[-1i32; 14]);
    let mut arguments = [arg(&from), arg(&to), arg(&codes)];
    assert_eq!(run(module(), "copies", 1, 1, &mut arguments), SUCCESS);
    // The fills are of 0x11, 0x22 and 0x33. With 0xee, 0xdd and 0xcc, an H200 (driver 580, CUDA
    // 13.0) wrote zeros instead.
    let mut wanted = vec![0x44u8; 256];
    wanted[..240].fill(0);
    for (z, y) in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
        let (to, from) = (80 * z + 16 * (y + 1) + 2, 80 * (z + 1) + 16 * (y + 2) + 1);
        wanted[to..to + 4].copy_from_slice(&source[from..from + 4]);
    }
    for y in 0..3 {
        wanted[160 + 16 * y..][..5].copy_from_slice(&source[8 * y..][..5]);
    }
    for y in 0..2 {
        wanted[168 + 16 * y..][..3].fill(0);
    }
    for (z, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        wanted[92 + 80 * z + 16 * y..][..2].fill(0);
    }
    wanted[230..237].copy_from_slice(&source[3..10]);
    assert_eq!(download::<u8>(to, 256), wanted);
    // Then: local memory, a direction from the host, a pitch below the width, null, an empty copy,
    // the pitch of a fill, missing parameters, and the last of these errors.
    let found = download::<i32>(codes, 14);
    assert_eq!(found, [0, 0, 0, 0, 0, 0, 1, 21, 12, 1, 0, 1, 1, 1]);
}

#[test]
fn errors_and_queries_have_their_codes() {
    let _context = Own::new();
    let codes = upload(&[-1i32; 29]);
    assert_eq!(run(module(), "errors", 1, 1, &mut [arg(&codes)]), SUCCESS);
    let sum = |text: &str| text.bytes().map(i32::from).sum::<i32>();
    let launches = [9, 9, 0, 9, 9, 9, 9];
    let streams = [0, 1, 1];
    let device = [0, 0, 0, 32, 101, 1];
    let limits = [0, 2048, 1];
    let rest = [0, 6000, 0, 1024, 0, 0, 2];
    let [name, text] = ["cudaErrorInvalidValue", "invalid configuration argument"].map(sum);
    let texts = [name, text, 1];
    let wanted = [&launches[..], &streams, &device, &limits, &rest, &texts].concat();
    assert_eq!(download::<i32>(codes, 29), wanted);
}

fn many(module: CUmodule, kind: i32, most: i32) -> Vec<i32> {
    let out = upload(&[-1i32; 2]);
    let arguments = &mut [arg(&out), arg(&kind), arg(&most)];
    assert_eq!(run(module, "many", 1, 1, arguments), SUCCESS);
    download::<i32>(out, 2)
}

#[test]
fn only_tail_launches_are_bounded() {
    let _context = Own::new();
    let module = module();
    let [null, tail, fire] = [0, 1, 2];
    for kind in [null, tail, fire] {
        assert_eq!(many(module, kind, 2048), [2048, 0]);
    }
    assert_eq!(many(module, null, 5000), [5000, 0]);
    assert_eq!(many(module, fire, 5000), [5000, 0]);
    let found = many(module, tail, 5000);
    assert_eq!(found, [2048, 69], "cudaErrorLaunchPendingCountExceeded");
    let limit = CUlimit::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT;
    ok!(cuCtxSetLimit(limit, 3000));
    assert_eq!(many(module, tail, 5000), [3000, 69]);
    // The slots are released afterwards.
    assert_eq!(many(module, tail, 3000), [3000, 0]);
}

#[test]
fn chains_of_launches_have_no_length_limit() {
    let _context = Own::new();
    let module = module();
    for kind in 0..2 {
        for most in [300, 3000] {
            let (out, depth) = (upload(&[-1i32; 2]), 1);
            let arguments = &mut [arg(&out), arg(&depth), arg(&most), arg(&kind)];
            assert_eq!(run(module, "deep", 1, 1, arguments), SUCCESS);
            assert_eq!(download::<i32>(out, 2), [most, 0]);
        }
    }
}

fn down(left: u32, sibling: u32) -> (CUresult, CUdeviceptr) {
    let text = include_str!("../../kernels/depth.ptx");
    let module = linked_text(text, &objects::device_runtime());
    let out = upload(&[0u32]);
    let arguments = &mut [arg(&out), arg(&left), arg(&sibling)];
    (run(module, "down", 1, 1, arguments), out)
}

#[test]
fn endless_recursion_ends_in_an_error() {
    let _context = Own::new();
    let (code, out) = down(u32::MAX, 1);
    assert_eq!(code, SUCCESS);
    let error = download::<u32>(out, 1);
    assert_eq!(error, [65], "cudaErrorLaunchMaxDepthExceeded");
}

#[test]
fn deep_faults_name_the_nearest_and_first_parents() {
    let parts = [
        "enqueued by kernel down, block (0, 0, 0)",
        "(and 1968 more)",
    ];
    reports(&[], &parts, || {
        let _context = Own::new();
        let code = down(2000, 1).0;
        assert_eq!(code, ILLEGAL_ADDRESS);
    });
}

#[test]
fn ended_grids_do_not_count_towards_depth() {
    // Grids that had ended were removed twice, 1024 each time.
    let parts = ["(and 920 more)", "(2048 ended grids omitted)"];
    reports(&[], &parts, || {
        let _context = Own::new();
        let code = down(3000, 0).0;
        assert_eq!(code, ILLEGAL_ADDRESS);
    });
}

#[test]
fn every_thread_may_launch() {
    let _context = Own::new();
    let cells = upload(&[0u32; 128]);
    let code = run(module(), "every_thread", 2, 64, &mut [arg(&cells)]);
    assert_eq!(code, SUCCESS);
    let wanted: Vec<u32> = (0..128).map(|i| 2 * (8 * i + 28) + 4 * 1000 + 6).collect();
    assert_eq!(download::<u32>(cells, 128), wanted);
}

#[test]
fn grid_barriers_synchronize_all_blocks() {
    let _context = Own::new();
    let module = module();
    for name in ["grid_sync", "grid_calls"] {
        let (cells, sums) = (upload(&[0u32; 4]), upload(&[0u32; 18]));
        cooperative(module, name, 6, 64, &mut [arg(&cells), arg(&sums)]);
        let wanted: Vec<u32> = (1..=3).flat_map(|round| [15 + 6 * round; 6]).collect();
        assert_eq!(download::<u32>(sums, 18), wanted, "{name}");
    }
}

#[test]
fn only_cooperative_launches_have_a_handle() {
    let _context = Own::new();
    let module = module();
    let out = upload(&[77u32; 8 * 96]);
    cooperative(module, "grid_numbers", 3, 32, &mut [arg(&out)]);
    for (i, numbers) in download::<u32>(out, 8 * 96).chunks(8).enumerate() {
        assert_eq!(numbers, [1, 0, 96, 1, 0, i as u32, 1, 0]);
    }
    assert_eq!(run(module, "grid_numbers", 1, 1, &mut [arg(&out)]), SUCCESS);
    assert_eq!(download::<u32>(out, 8), [0, 999, 0, 0, 999, 0, 0, 999]);
}

#[test]
fn faults_of_children_name_their_parents() {
    let parts = [
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "write of 4 bytes at 0x10",
        "kernel wild, block (0, 0, 0), thread (0, 0, 0)",
        "enqueued by kernel parent_of_wild, block (0, 0, 0), thread (3, 0, 0)",
    ];
    reports(&[("CUDA_EMULATOR_THREADS", "1")], &parts, || {
        let _context = Own::new();
        let code = run(module(), "parent_of_wild", 2, 32, &mut []);
        assert_eq!(code, ILLEGAL_ADDRESS);
    });
}

#[test]
fn linking_without_the_archive_fails() {
    let _context = Own::new();
    let text = std::ffi::CString::new(TEXT).unwrap();
    let module = result!(cuModuleLoadData(_, text.as_ptr().cast()));
    assert_eq!(module, Err(INVALID_PTX));
    let state = linker();
    ok!(link_data(state, PTX, TEXT.as_bytes(), c"input"));
    let image = result!(cuLinkComplete(state, _, null_mut()));
    assert_eq!(image, Err(INVALID_SOURCE));
    ok!(cuLinkDestroy(state));
}
