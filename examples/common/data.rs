//! Random input, the same on every run and every machine.

use std::thread;

use rand::{Rng, SeedableRng, rngs::StdRng};
use rand_distr::{Distribution, StandardNormal};

/// The seed of all random numbers in the examples.
const SEED: u64 = 20_130_607;
/// Generates numbers from one seed. The result does not depend on the number of cores.
const CHUNK: usize = 1 << 20;

/// Returns `len` numbers with mean 0 and standard deviation 1.
pub fn normal(len: usize) -> Vec<f32> {
    let mut values = vec![0.0f32; len];
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let chunks_each = len.div_ceil(CHUNK).div_ceil(cores).max(1);
    thread::scope(|scope| {
        for (worker, part) in values.chunks_mut(chunks_each * CHUNK).enumerate() {
            scope.spawn(move || {
                for (i, chunk) in part.chunks_mut(CHUNK).enumerate() {
                    let number = (worker * chunks_each + i) as u64;
                    let mut random = StdRng::seed_from_u64(SEED + number);
                    chunk.fill_with(|| StandardNormal.sample(&mut random));
                }
            });
        }
    });
    values
}

/// Returns `len` numbers in `0..1`.
pub fn uniform(len: usize) -> Vec<f32> {
    let mut random = StdRng::seed_from_u64(SEED);
    (0..len).map(|_| random.random()).collect()
}

/// Returns `len` numbers of 32 random bits.
pub fn integers(len: usize) -> Vec<u32> {
    let mut random = StdRng::seed_from_u64(SEED);
    (0..len).map(|_| random.random()).collect()
}
