//! SplitMix64, a reproducible generator of pseudorandom numbers.

#![allow(dead_code, reason = "each test program uses some of it")]

use std::ops::Range;

pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// Returns a uniform number between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// Returns a uniform number from -1 to 1.
    pub fn real(&mut self) -> f64 {
        self.between(-1.0, 1.0)
    }

    pub fn reals(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.real() as f32).collect()
    }
}

/// Returns integers in a range.
pub fn whole_numbers(count: usize, range: Range<i32>) -> Vec<i32> {
    let (mut random, length) = (Random(1), range.len());
    (0..count)
        .map(|_| range.start + random.below(length) as i32)
        .collect()
}
