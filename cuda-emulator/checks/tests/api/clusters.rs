//! Clusters through the driver API: launches with clusters, attributes of functions, and the number
//! of clusters that fit the device.
//!
//! The codes and numbers are those of an H200 with driver 580.

use cuda_emulator_checks::abi::*;
use std::ptr::{null, null_mut};

fn kernels() -> CUmodule {
    load(include_str!("../../../engine/tests/ptx/clusters.ptx"))
}

/// Launches `ids`. Returns the code and the number of blocks per cluster that the first block saw.
fn run(function: CUfunction, grid: [u32; 3], attributes: &[Attribute]) -> (CUresult, u32) {
    let out = upload(&[0u32; 8192]);
    let code = launch_with(function, grid, null_mut(), attributes, &mut [arg(&out)]);
    ok!(cuCtxSynchronize());
    let seen = download::<u32>(out, 2)[1];
    ok!(cuMemFree_v2(out));
    (code, seen)
}

const SIZE: CUresult = INVALID_CLUSTER_SIZE;

#[test]
fn clusters_divide_the_grid_and_have_a_maximum_size() {
    let _context = Own::new();
    let ids = function(kernels(), "ids");
    for (sides, grid) in [
        ([2, 1, 1], [3, 1, 1]),
        ([1, 2, 1], [4, 3, 1]),
        ([1, 1, 2], [4, 1, 3]),
        ([0, 1, 1], [4, 1, 1]),
        ([2, 0, 1], [4, 1, 1]),
        ([9, 1, 1], [9, 1, 1]),
        ([16, 1, 1], [16, 1, 1]),
        ([4, 4, 1], [4, 4, 1]),
        ([8, 1, 1], [4, 1, 1]),
        ([1 << 31, 2, 1], [4, 1, 1]),
        ([u32::MAX; 3], [4, 1, 1]),
    ] {
        let found = run(ids, grid, &[cluster(sides)]);
        assert_eq!(found, (SIZE, 0), "{sides:?}");
    }
    for (sides, grid, size) in [
        ([0, 0, 0], [4, 1, 1], 1),
        ([1, 1, 1], [4, 1, 1], 1),
        ([3, 1, 1], [6, 1, 1], 3),
        ([5, 1, 1], [5, 1, 1], 5),
        ([7, 1, 1], [7, 1, 1], 7),
        ([8, 1, 1], [8, 1, 1], 8),
        ([2, 2, 2], [4, 2, 2], 8),
    ] {
        let found = run(ids, grid, &[cluster(sides)]);
        assert_eq!(found, (SUCCESS, size), "{sides:?}");
    }
    // The last attribute counts.
    let both = [cluster([4, 1, 1]), cluster([2, 1, 1])];
    assert_eq!(run(ids, [8, 1, 1], &both), (SUCCESS, 2));
    // Sixteen blocks, if the function allows it.
    assert_eq!(set_attribute(ids, 14, 1), SUCCESS);
    assert_eq!(run(ids, [16, 1, 1], &[cluster([16, 1, 1])]), (SUCCESS, 16));
    let found = run(ids, [17, 1, 1], &[cluster([17, 1, 1])]);
    assert_eq!(found, (SIZE, 0));
    assert_eq!(set_attribute(ids, 14, -1), SUCCESS);
    assert_eq!(attribute_of(ids, 14), 1);
}

#[test]
fn a_preferred_cluster_is_a_multiple_of_the_regular_one() {
    let _context = Own::new();
    let ids = function(kernels(), "ids");
    for (regular, preferred, grid, expected) in [
        (2, [4, 1, 1], 8, SUCCESS),
        (2, [2, 1, 1], 8, SUCCESS),
        (2, [8, 1, 1], 8, SUCCESS),
        (2, [16, 1, 1], 16, SUCCESS),
        (2, [0, 0, 0], 8, SUCCESS),
        (2, [3, 1, 1], 12, SIZE),
        (2, [2, 2, 1], 8, SIZE),
        (2, [4, 1, 1], 6, SIZE),
        (2, [1, 1, 1], 8, SIZE),
        (0, [4, 1, 1], 8, SIZE),
    ] {
        let wanted = [cluster([regular, 1, 1]), attribute(11, &preferred)];
        let wanted = if regular == 0 { &wanted[1..] } else { &wanted };
        let seen = if expected == SUCCESS { 2 } else { 0 };
        let found = run(ids, [grid, 1, 1], wanted);
        assert_eq!(found, (expected, seen), "{preferred:?} {grid}");
    }
}

#[test]
fn a_kernel_may_be_compiled_for_its_cluster() {
    let _context = Own::new();
    let module = kernels();
    let (fixed, bounded) = (function(module, "fixed"), function(module, "bounded"));
    let attributes = |function| [10, 11, 12, 13, 14, 15].map(|id| attribute_of(function, id));
    assert_eq!(attributes(fixed), [1, 2, 1, 1, 0, 0]);
    assert_eq!(attributes(bounded), [0; 6]);
    for (id, good) in [(11, 2), (12, 1), (13, 1)] {
        for value in [-1, 0, 1, 2, 3, 16] {
            let expected = if value == good { SUCCESS } else { INVALID };
            let code = set_attribute(fixed, id, value);
            assert_eq!(code, expected, "{id} {value}");
        }
    }
    let out = upload(&[0u32; 16]);
    let mut arguments = [arg(&out)];
    let mut plain = |function, grid| launch(function, grid, 32, null_mut(), &mut arguments);
    assert_eq!(plain(fixed, 4), SUCCESS);
    assert_eq!(plain(fixed, 3), SIZE);
    assert_eq!(plain(bounded, 3), SUCCESS);
    assert_eq!(download::<u32>(out, 4), [10, 10, 10, 21]);
    let code = launch_cooperative(fixed, [4, 1, 1], 32, arguments.as_mut_ptr());
    assert_eq!(code, SUCCESS);
    assert_eq!(download::<u32>(out, 4), [20, 21, 20, 21]);
    for (function, sides, expected) in [
        (fixed, [1, 1, 1], SIZE),
        (fixed, [2, 1, 1], SUCCESS),
        (fixed, [4, 1, 1], SIZE),
        (fixed, [1, 2, 1], SIZE),
        (bounded, [1, 1, 1], SUCCESS),
        (bounded, [4, 1, 1], SUCCESS),
        (bounded, [1, 2, 1], SUCCESS),
        (bounded, [8, 1, 1], SIZE),
    ] {
        let sized = [cluster(sides)];
        let code = launch_with(function, [8, 2, 1], null_mut(), &sized, &mut [arg(&out)]);
        assert_eq!(code, expected, "{sides:?}");
    }
    ok!(cuCtxSynchronize());
}

#[test]
fn a_function_may_require_a_cluster() {
    let _context = Own::new();
    let ids = function(kernels(), "ids");
    for (required, plain, other, same) in [
        ([2, 0, 0], SIZE, SIZE, SUCCESS),
        ([2, 1, 1], SUCCESS, SIZE, SUCCESS),
        ([0, 2, 0], SIZE, SIZE, SIZE),
        ([2, 2, 1], SUCCESS, SIZE, SUCCESS),
        ([16, 1, 1], SIZE, SIZE, SIZE),
        ([1, 1, 1], SUCCESS, SIZE, SUCCESS),
        ([3, 1, 1], SIZE, SIZE, SIZE),
        ([0, 0, 0], SUCCESS, SUCCESS, SUCCESS),
    ] {
        for (id, side) in (11..).zip(required) {
            assert_eq!(set_attribute(ids, id, side), SUCCESS);
        }
        assert_eq!(attribute_of(ids, 10), 0);
        let grid = [4, 4, 1];
        assert_eq!(run(ids, grid, &[]).0, plain, "{required:?}");
        let another = [cluster([4, 1, 1])];
        assert_eq!(run(ids, grid, &another).0, other, "{required:?}");
        let [x, y, z] = required.map(|side| side as u32);
        let least = u32::from(required != [0; 3]);
        let equal = [x, y.max(least), z.max(least)];
        assert_eq!(run(ids, grid, &[cluster(equal)]).0, same, "{required:?}");
    }
}

/// Returns the results of both cluster queries: a code and a number each.
fn query(function: CUfunction, config: &CUlaunchConfig) -> [(CUresult, i32); 2] {
    let (mut active, mut size) = (-7, -7);
    let code = call!(cuOccupancyMaxActiveClusters(&mut active, function, config));
    let other = call!(cuOccupancyMaxPotentialClusterSize(
        &mut size, function, config
    ));
    [(code, active), (other, size)]
}

/// As on a device with 132 multiprocessors.
#[test]
fn cluster_occupancy_matches_an_h200() {
    passes(&[("CUDA_EMULATOR_THREADS", "132")], || {
        let _context = Own::new();
        let ids = function(kernels(), "ids");
        assert_eq!(set_attribute(ids, 8, 227 << 10), SUCCESS);
        for (block, shared, counts) in [
            (128, 0, [1056, 528, 327, 248, 193, 163, 139, 124]),
            (512, 50_000, [528, 264, 163, 124, 94, 79, 69, 62]),
            (1024, 0, [264, 132, 79, 62, 47, 39, 32, 30]),
            (256, 200_000, [132, 66, 39, 30, 22, 17, 15, 15]),
        ] {
            for (size, count) in (1..).zip(counts) {
                let attributes = [cluster([size, 1, 1])];
                let config = config([size, 1, 1], block, shared, null_mut(), &attributes);
                let wanted = [(SUCCESS, count), (SUCCESS, 8)];
                assert_eq!(query(ids, &config), wanted, "{block} {shared} {size}");
            }
        }
        let of = |grid, block, shared, sides| {
            let attributes = [cluster(sides)];
            query(ids, &config(grid, block, shared, null_mut(), &attributes))
        };
        let (too_large, bad) = ([(SIZE, -7); 2], [(INVALID, -7); 2]);
        let row = [8, 1, 1];
        assert_eq!(of([8, 8, 2], 128, 0, [2, 2, 2])[0], (SUCCESS, 124));
        assert_eq!(of([7, 1, 1], 128, 0, [2, 1, 1]), too_large);
        assert_eq!(of([16, 1, 1], 128, 0, [16, 1, 1]), too_large);
        assert_eq!(of(row, 128, 0, [0, 1, 1]), too_large);
        assert_eq!(of([0; 3], 128, 0, [2, 1, 1]), bad);
        assert_eq!(of(row, 0, 0, [2, 1, 1]), bad);
        let none = [(SUCCESS, 0); 2];
        assert_eq!(of(row, 2000, 0, [2, 1, 1]), none);
        assert_eq!(of(row, 128, 300_000, [2, 1, 1]), none);
        let plain = config(row, 128, 0, null_mut(), &[]);
        assert_eq!(query(ids, &plain), [(SUCCESS, 0), (SUCCESS, 8)]);
        assert_eq!(set_attribute(ids, 14, 1), SUCCESS);
        for (size, count) in [(9, 102), (12, 74), (16, 58), (17, 16)] {
            let wanted = [(SUCCESS, count), (SUCCESS, 16)];
            assert_eq!(of([size, 1, 1], 128, 0, [size, 1, 1]), wanted);
        }
        let mut number = 0;
        invalid!(cuOccupancyMaxActiveClusters(null_mut(), ids, &plain));
        invalid!(cuOccupancyMaxActiveClusters(&mut number, ids, null()));
        invalid!(cuOccupancyMaxPotentialClusterSize(&mut number, ids, null()));
        // Blocks that wait for all others. Only a limited number of clusters can run this at
        // once.
        let bounded = function(kernels(), "bounded");
        let both = [cluster([2, 1, 1]), attribute(2, &[1])];
        let out = upload(&[0u32; 8192]);
        for (grid, expected) in [(1056, SUCCESS), (1058, COOPERATIVE_LAUNCH_TOO_LARGE)] {
            let mut arguments = [arg(&out)];
            let code = launch_with(bounded, [grid, 1, 1], null_mut(), &both, &mut arguments);
            assert_eq!(code, expected, "{grid}");
        }
        ok!(cuCtxSynchronize());
    });
}

/// A device with few multiprocessors can still run every cluster.
#[test]
fn a_small_device_has_clusters() {
    let _context = Own::new();
    let ids = function(kernels(), "ids");
    let attributes = [cluster([8, 1, 1])];
    let [active, size] = query(ids, &config([8, 1, 1], 1024, 0, null_mut(), &attributes));
    assert!(active.0 == SUCCESS && active.1 >= 1);
    assert_eq!(size, (SUCCESS, 8));
    assert_eq!(device_attribute(CUdevice_attribute(120)), 1);
}

/// Older devices do not support clusters.
#[test]
fn older_devices_have_no_clusters() {
    passes(&[("CUDA_EMULATOR_DEVICE", "sm_89")], || {
        let _context = Own::new();
        let ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }";
        let k = function(load(ptx), "k");
        let launch = |sides| {
            let attributes = [cluster(sides)];
            launch_with(k, [2, 1, 1], null_mut(), &attributes, &mut [])
        };
        assert_eq!(launch([2, 1, 1]), SIZE);
        assert_eq!(launch([1, 1, 1]), SUCCESS);
        assert_eq!(device_attribute(CUdevice_attribute(120)), 0);
    });
}
