//! Compares the device's numbers with those computed on the host from the documented words.

mod bits;
mod blocks;
mod counts;
mod gamma;
mod kernels;
mod normal;
mod permutation;

use cuda_safe::{Context, Stream};

use super::Random;

fn stream() -> Stream {
    Stream::new(&Context::primary(0).unwrap()).unwrap()
}

/// Philox4x32-10 as published.
fn philox(mut c: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let p0 = 0xd251_1f53 * u64::from(c[0]);
        let p1 = 0xcd9e_8d57 * u64::from(c[2]);
        let high = [(p0 >> 32) as u32, (p1 >> 32) as u32];
        c = [
            high[1] ^ c[1] ^ key[0],
            p1 as u32,
            high[0] ^ c[3] ^ key[1],
            p0 as u32,
        ];
        key = [
            key[0].wrapping_add(0x9e37_79b9),
            key[1].wrapping_add(0xbb67_ae85),
        ];
    }
    c
}

fn halves(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

fn block(seed: u64, block: u64, attempt: u32) -> [u32; 4] {
    let [low, high] = halves(block);
    philox([low, high, attempt, 0], halves(seed))
}

/// Returns the words of a draw from the position of `random` on.
fn words(random: &Random, count: usize) -> Vec<u32> {
    let blocks = 0..count.div_ceil(4) as u64;
    let words = blocks.flat_map(|b| block(random.seed, random.position.wrapping_add(b), 0));
    words.take(count).collect()
}

fn long_words(random: &Random, count: usize) -> Vec<u64> {
    let words = words(random, 2 * count);
    let pairs = words.chunks_exact(2);
    pairs
        .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
        .collect()
}

/// Sequences that start where the halves of the counter and the key matter.
fn randoms() -> [Random; 3] {
    let mut carrying = Random::new(0x1234_5678_9abc_def0);
    carrying.skip(u64::from(u32::MAX) - 2);
    let mut ending = Random::new(u64::MAX);
    ending.skip(u64::MAX - 1);
    [Random::new(0), carrying, ending]
}

const COUNTS: [usize; 7] = [0, 1, 2, 3, 6, 17, 1003];
