//! Memory use of a vector in a file. A separate process, because all tests of a process share the
//! device's pool.

use std::fs;

use cuda_nccl::{
    SingleRank,
    spread::{FilePass, FileProgress, FileVector},
};
use cuda_safe::{Context, MemoryPool, bytemuck};

#[test]
fn memory_does_not_grow_with_the_file() {
    const PIECE: usize = 256 << 10;
    let content: Vec<u32> = (0..2 << 20)
        .map(|i: u32| i.wrapping_mul(2_654_435_761) >> 8)
        .collect();
    let path = std::env::temp_dir().join(format!("cuda-nccl-memory-{}", std::process::id()));
    fs::write(&path, bytemuck::cast_slice(&content)).unwrap();
    let context = Context::primary(0).unwrap();
    let group = SingleRank::new(&context);
    let pool = MemoryPool::current(&context).unwrap();
    let vector = FileVector::<u32>::open(&path).unwrap();
    let before = pool.used().unwrap();
    pool.reset_high_water_marks().unwrap();
    let mut calls = Vec::new();
    let mut show = |progress: FileProgress| calls.push(progress);
    let pass = FilePass::new()
        .piece_bytes(PIECE)
        .slots(3)
        .progress(&mut show);
    let sum = vector.sum(&group, pass).unwrap();
    assert_eq!(sum, content.iter().map(|&x| u64::from(x)).sum::<u64>());
    fs::remove_file(&path).unwrap();
    let peak = pool.most_used().unwrap() - before;
    // Three pieces, and the workspaces of three streams.
    assert!(peak >= 3 * PIECE as u64, "{peak}");
    assert!(peak < 6 * PIECE as u64, "{peak}");
    assert!(peak < size_of_val(&content[..]) as u64 / 5);
    assert_eq!(calls.len(), 32);
    assert!(calls.is_sorted_by_key(|progress| progress.done));
    assert_eq!(calls[31].done, content.len());
    assert_eq!((calls[0].of, calls[31].fraction()), (content.len(), 1.0));
}
