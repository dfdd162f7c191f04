//! Barriers in shared memory, asynchronous copies, groups of several warps.

mod common;

use common::load;

#[test]
fn barriers() {
    let m = load(include_str!("ptx/barriers.ptx"));
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
    let m = load(include_str!("ptx/barriers.ptx"));
    let input: Vec<i32> = (0..512).map(|i| i * i).collect();
    let (din, out) = (m.device.upload(&input), m.device.allocate(512, true));
    m.run("copies", 1, 128, args![out, din]);
    let want: Vec<i32> = (0..128)
        .map(|t| (0..4).map(|i| input[i * 128 + 127 - t]).sum())
        .collect();
    assert_eq!(m.device.download::<i32>(out, 128), want);
}
