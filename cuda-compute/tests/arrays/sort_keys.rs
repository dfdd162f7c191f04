//! Keys of every type, and their order on the host.

use std::cmp::Ordering;

use cuda_compute::SortKey;
use half::{bf16, f16};

use crate::random::Random;

/// A key that can be made of any bits.
pub trait Key: SortKey + PartialOrd {
    fn of_bits(bits: u64) -> Self;
    fn to_bits(self) -> u64;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Key for $type {
            fn of_bits(bits: u64) -> Self {
                bits as Self
            }
            fn to_bits(self) -> u64 {
                self as u64
            }
        }
    )*};
}

macro_rules! floats {
    ($($type:ty: $bits:ty),*) => {$(
        impl Key for $type {
            fn of_bits(bits: u64) -> Self {
                Self::from_bits(bits as $bits)
            }
            fn to_bits(self) -> u64 {
                <$type>::to_bits(self).into()
            }
        }
    )*};
}

integers!(u8, i8, u16, i16, u32, i32, u64, i64, usize);
floats!(f16: u16, bf16: u16, f32: u32, f64: u64);

impl Key for bool {
    fn of_bits(bits: u64) -> Self {
        bits & 1 != 0
    }
    fn to_bits(self) -> u64 {
        self.into()
    }
}

/// Compares keys. NaN is greater than all numbers, and equal to itself.
pub fn order<K: Key>(a: &K, b: &K) -> Ordering {
    a.partial_cmp(b).unwrap_or_else(|| {
        let is_nan = |key: &K| key.partial_cmp(key).is_none();
        is_nan(a).cmp(&is_nan(b))
    })
}

/// Returns the places of a line's keys in a stable order. NaN is last.
pub fn sorted_places<K: Key>(line: &[K], descending: bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..line.len()).collect();
    places.sort_by(|&a, &b| {
        let (a, b) = (&line[a], &line[b]);
        match descending && a.partial_cmp(b).is_some() {
            true => order(b, a),
            false => order(a, b),
        }
    });
    places
}

/// Returns pseudorandom keys, of which about `distinct` differ. Some are zeros, NaNs and infinities.
pub fn random_keys<K: Key>(count: usize, distinct: u64) -> Vec<K> {
    let mut random = Random(distinct ^ count as u64);
    let special = [
        0,
        1 << 63,
        1 << 31,
        1 << 15,
        !0,
        0x7f80_0000,
        0x7fc0_0001,
        0xff80_0000,
        0x7c00,
        0xfe00,
        0x7f81,
    ];
    let mut key = || match random.below(8) {
        0 => K::of_bits(special[random.below(special.len())]),
        _ => {
            let bits = random.bits();
            // The high bits vary too.
            K::of_bits((bits % distinct).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        }
    };
    (0..count).map(|_| key()).collect()
}
