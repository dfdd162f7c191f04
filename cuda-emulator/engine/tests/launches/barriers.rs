//! Barriers in shared memory, asynchronous copies, groups of several warps.

use crate::common::{Loaded, load};
use cuda_emulator_engine::Options;

#[test]
fn barriers() {
    let m = load(include_str!("../ptx/barriers.ptx"));
    let out = m.device.allocate(1024, true);
    m.run("barrier", 2, 64, args![out]);
    assert_eq!(
        m.device.download::<i32>(out, 64),
        (0..64).map(|i| (i + 5) % 64 + 5).collect::<Vec<_>>()
    );
    m.run("producer", 3, 64, args![out]);
    let want: Vec<i32> = (0..64)
        .map(|i| if i < 32 { 0 } else { 190 * (i - 32) })
        .collect();
    assert_eq!(m.device.download::<i32>(out, 64), want);
    m.run("wide", 1, 256, args![out]);
    let want: Vec<i32> = (0..256)
        .map(|i| (0..64).map(|k| i / 64 * 64 + k).sum())
        .collect();
    assert_eq!(m.device.download::<i32>(out, 256), want);
}

#[test]
fn asynchronous_copies() {
    let m = load(include_str!("../ptx/barriers.ptx"));
    let input: Vec<i32> = (0..512).map(|i| i * i).collect();
    let (din, out) = (m.device.upload(&input), m.device.allocate(512, true));
    m.run("copies", 1, 128, args![out, din]);
    let want: Vec<i32> = (0..128)
        .map(|t| (0..4).map(|i| input[i * 128 + 127 - t]).sum())
        .collect();
    assert_eq!(m.device.download::<i32>(out, 128), want);
}

#[test]
fn a_cluster_of_one_block() {
    let mut want: Vec<i32> = (0..128).collect();
    for round in 0..6 {
        let before = want.clone();
        let threads = if round == 0 { 128 } else { 96 };
        for t in 0..threads {
            want[t] = before[t] + before[(t + 1) % 96];
        }
    }
    want.iter_mut().for_each(|v| *v += 1);
    for seed in [None, Some(1), Some(2), Some(3)] {
        let m = Loaded {
            options: Options {
                seed,
                check_race: true,
                check_barrier: true,
                ..Options::default()
            },
            ..load(include_str!("../ptx/barriers.ptx"))
        };
        let out = m.device.allocate(512, true);
        m.run("cluster", 1, 128, args![out]);
        assert_eq!(m.device.download::<i32>(out, 128), want);
    }
}
