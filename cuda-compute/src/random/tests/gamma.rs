//! Gamma and beta numbers.

use super::{block, normal::normal_pair, randoms, stream};
use crate::{Array, Random};

/// Returns a 64-bit word of a block as a number between 0 and 1.
fn uniform(low: u32, high: u32) -> f64 {
    ((u64::from(low) | u64::from(high) << 32) as f64 + 0.5) / 2f64.powi(64)
}

/// The documented algorithm: Marsaglia and Tsang's, and for a shape below 1 the factor of its root.
/// Returns the logarithm.
fn ln_gamma_number(random: &Random, element: u64, shape: f64) -> f64 {
    let block = |attempt| block(random.seed, random.position.wrapping_add(element), attempt);
    if shape < 1.0 {
        let words = block(u32::MAX);
        let boost = uniform(words[0], words[1]).ln() / shape;
        return ln_gamma_number(random, element, shape + 1.0) + boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    for attempt in (0..).step_by(2) {
        let (normal, bits) = (block(attempt), block(attempt + 1));
        let word = |i: usize| u64::from(normal[i]) | u64::from(normal[i + 1]) << 32;
        let normal = normal_pair(word(0), word(2), 64);
        for (x, i) in normal.into_iter().zip([0, 2]) {
            let v = (1.0 + c * x).powi(3);
            if v <= 0.0 {
                continue;
            }
            let u = uniform(bits[i], bits[i + 1]);
            let near = u < 1.0 - 0.0331 * x.powi(4);
            if near || u.ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
                return (d * v).ln();
            }
        }
    }
    unreachable!("an attempt succeeds")
}

const SHAPES: [f64; 8] = [1e-3, 0.3, 0.999, 1.0, 1.5, 7.0, 1e3, 1e8];

#[test]
fn gamma_numbers_match_their_blocks() {
    let stream = stream();
    for mut random in randoms() {
        for shape in SHAPES {
            let before = random.clone();
            let got = Array::<f64>::gamma(&stream, &mut random, 301, shape).unwrap();
            for (i, got) in got.to_vec().unwrap().into_iter().enumerate() {
                let wanted = ln_gamma_number(&before, i as u64, shape);
                // Below this, numbers have fewer bits.
                if wanted > -700.0 {
                    let what = format!("{before:?}, shape {shape}, element {i}");
                    assert!(
                        (got.ln() - wanted).abs() < 1e-12 * wanted.abs().max(1.0),
                        "{what}"
                    );
                }
            }
            assert_eq!(random.position, before.position.wrapping_add(301));
        }
    }
}

#[test]
fn beta_numbers_match_their_blocks() {
    let stream = stream();
    for mut random in randoms() {
        for (a, b) in [(0.5, 0.5), (1.0, 3.0), (1e-3, 2.0), (40.0, 1e3)] {
            let before = random.clone();
            let mut second = before.clone();
            second.skip(301);
            let got = Array::<f64>::beta(&stream, &mut random, 301, a, b).unwrap();
            for (i, got) in got.to_vec().unwrap().into_iter().enumerate() {
                let x = ln_gamma_number(&before, i as u64, a);
                let y = ln_gamma_number(&second, i as u64, b);
                let wanted = 1.0 / (1.0 + (y - x).exp());
                let what = format!("{before:?}, {a} and {b}, element {i}");
                // The difference of the logarithms has an absolute error.
                let error = 1e-12 * (1.0 + (x - y).abs());
                assert!((got - wanted).abs() <= error * wanted + 1e-300, "{what}");
            }
            assert_eq!(random.position, before.position.wrapping_add(602));
        }
    }
}
