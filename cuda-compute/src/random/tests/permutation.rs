//! Permutations, and how often they occur.

use super::{block, halves, randoms, stream};
use crate::{Array, Random};

/// Computes a permutation of `count` numbers by the documented algorithm.
fn permutation(random: &Random, count: u64) -> Vec<u64> {
    let words = block(random.seed, random.position, 0);
    let bits = (u64::BITS - (count - 1).leading_zeros()).max(8);
    let low = bits / 2;
    let masks = [low, bits - low].map(|bits| ((1u64 << bits) - 1) as u32);
    let mixed = |half: u32, key: u32| {
        let [low, high] = halves(u64::from(half ^ key) * 0xd251_1f53);
        (high ^ low) ^ (high ^ low) >> 16
    };
    let next = |place: u64| {
        let (mut a, mut b) = (place as u32 & masks[0], (place >> low) as u32);
        for round in 0..12 {
            let key = |first: u32, step: u32| first.wrapping_add((step | 1).wrapping_mul(round));
            a ^= mixed(b, key(words[0], words[2])) & masks[0];
            b ^= mixed(a, key(words[1], words[3])) & masks[1];
        }
        u64::from(b) << low | u64::from(a)
    };
    let places = (0..count).map(|place| {
        let walk = std::iter::successors(Some(next(place)), |&place| Some(next(place)));
        walk.into_iter().find(|&place| place < count)
    });
    places.map(|place| place.unwrap()).collect()
}

#[test]
fn permutations_match_their_block() {
    let stream = stream();
    for random in randoms() {
        for count in [1, 2, 5, 255, 256, 257, 1000, 1024, 1025] {
            let mut drawn = random.clone();
            let got = Array::<u64>::permutation(&stream, &mut drawn, count).unwrap();
            assert!(
                got.to_vec().unwrap() == permutation(&random, count as u64),
                "{count}"
            );
            assert_eq!(drawn.position(), random.position().wrapping_add(1));
        }
    }
}

#[test]
fn small_permutations_are_equally_frequent() {
    // Each permutation occurs 500 times, within 4 standard deviations of the sum of squares.
    for count in 2..=5u64 {
        let kinds = (1..=count).product::<u64>() as f64;
        let (draws, mut counts) = (500.0 * kinds, std::collections::HashMap::new());
        let mut random = Random::new(2026);
        for _ in 0..draws as u64 {
            *counts.entry(permutation(&random, count)).or_insert(0u64) += 1;
            random.skip(1);
        }
        assert_eq!(counts.len() as f64, kinds);
        let wanted = draws / kinds;
        let off = |&seen: &u64| (seen as f64 - wanted).powi(2) / wanted;
        let sum: f64 = counts.values().map(off).sum();
        let freedom = kinds - 1.0;
        let deviations = (sum - freedom) / (2.0 * freedom).sqrt();
        assert!(deviations.abs() < 4.0, "{count}: {deviations}");
    }
}

#[test]
fn numbers_are_equally_frequent_at_each_index() {
    // Counts how often each index maps to each number, and how often the next number is at each
    // distance. 257 has long cycle walks, 256 has none.
    for count in [16u64, 256, 257] {
        let draws = 2000;
        let n = count as usize;
        let (mut pairs, mut apart) = (vec![0u64; n * n], vec![0u64; n]);
        let mut random = Random::new(7);
        for _ in 0..draws {
            let places = permutation(&random, count);
            random.skip(1);
            for (from, &to) in places.iter().enumerate() {
                pairs[from * n + to as usize] += 1;
            }
            for two in places.windows(2) {
                apart[((two[1] + count - two[0]) % count) as usize] += 1;
            }
        }
        let deviations = |counts: &[u64], wanted: f64, freedom: f64| {
            let off = |&seen: &u64| (seen as f64 - wanted).powi(2) / wanted;
            let sum: f64 = counts.iter().map(off).sum();
            (sum - freedom) / (2.0 * freedom).sqrt()
        };
        let (n, draws) = (count as f64, f64::from(draws));
        let of_pairs = deviations(&pairs, draws / n, (n - 1.0).powi(2));
        assert!(of_pairs.abs() < 4.0, "{count}: {of_pairs}");
        assert_eq!(apart[0], 0);
        let of_steps = deviations(&apart[1..], draws, n - 2.0);
        assert!(of_steps.abs() < 5.0, "{count}: {of_steps}");
    }
}
