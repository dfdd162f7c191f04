//! The kernels of `features.cu`, and input numbers.

use super::{Loaded, load};

pub fn module() -> Loaded {
    load(include_str!("../ptx/features.ptx"))
}

pub fn numbers(n: usize, range: i32) -> Vec<i32> {
    let mut x = 99u32;
    (0..n)
        .map(|_| {
            x = x.wrapping_mul(1664525).wrapping_add(1013904223);
            (x >> 8) as i32 % range
        })
        .collect()
}
