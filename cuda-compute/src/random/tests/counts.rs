//! Numbers of events: Poisson and binomial numbers.

use super::{
    super::table::{Law, MAX_VARIANCE, Tables},
    block, randoms, stream,
};
use crate::{Array, Expr, Random, s};

/// Returns a function that returns the uniform numbers of an element's next attempt.
fn uniforms(random: &Random, element: u64) -> impl FnMut() -> [f64; 4] {
    let (seed, position) = (random.seed, random.position.wrapping_add(element));
    let mut attempt = 0;
    move || {
        let words = block(seed, position, attempt);
        attempt += 1;
        words.map(|word| (f64::from(word) + 0.5) / 2f64.powi(32))
    }
}

/// Returns the logarithms of the factorials of small numbers.
fn ln_factorials() -> Vec<f64> {
    let mut all = vec![0.0];
    for k in 1..20_000 {
        all.push(all[k - 1] + (k as f64).ln());
    }
    all
}

/// The documented algorithms, with logarithms of factorials from a table.
fn poisson(random: &Random, element: u64, mean: f64, ln_factorial: &[f64]) -> u32 {
    let mut next = uniforms(random, element);
    if mean < 10.0 {
        let (mut product, mut events) = (1.0, 0);
        loop {
            for uniform in next() {
                product *= uniform;
                if product <= (-mean).exp() {
                    return events;
                }
                events += 1;
            }
        }
    }
    let b = 0.931 + 2.53 * mean.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse = 1.1239 + 1.1328 / (b - 3.4);
    let inner = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let uniforms = next();
        for pair in uniforms.chunks_exact(2) {
            let (u, v) = (pair[0] - 0.5, pair[1]);
            let edge = 0.5 - u.abs();
            let k = ((2.0 * a / edge + b) * u + mean + 0.43).floor();
            if k < 0.0 || (edge < 0.013 && v > edge) {
                continue;
            }
            let accepted = (v * inverse / (a / (edge * edge) + b)).ln();
            let inside = edge >= 0.07 && v <= inner;
            if inside || accepted <= k * mean.ln() - mean - ln_factorial[k as usize] {
                return k as u32;
            }
        }
    }
}

#[test]
fn poisson_numbers_match_their_blocks() {
    let stream = stream();
    let ln_factorial = ln_factorials();
    for mut random in randoms() {
        for mean in [0.0, 1e-3, 0.5, 3.0, 9.99, 10.0, 12.5, 100.0, 1e4] {
            let before = random.clone();
            let means = Array::from_slice(&stream, &[mean]).unwrap();
            let got = Expr::poisson(&mut random, 301, &means).unwrap();
            let got = got.eval().unwrap();
            for (i, got) in got.to_vec().unwrap().into_iter().enumerate() {
                let wanted = match mean {
                    0.0 => 0,
                    _ => poisson(&before, i as u64, mean, &ln_factorial),
                };
                assert_eq!(got, wanted, "{before:?}, mean {mean}, element {i}");
            }
            assert_eq!(random.position, before.position.wrapping_add(301));
        }
    }
}

/// The documented algorithms for a probability up to 1/2.
fn binomial(
    random: &Random,
    element: u64,
    (trials, probability): (u32, f64),
    ln_factorial: &[f64],
) -> u32 {
    let n = f64::from(trials);
    let (mean, odds) = (n * probability, probability / (1.0 - probability));
    if mean < 10.0 {
        let most = n.min(mean + 10.0 * (mean + 1.0).sqrt()) as u32;
        for attempt in 0.. {
            let words = block(random.seed, random.position.wrapping_add(element), attempt);
            let word = u64::from(words[0]) | u64::from(words[1]) << 32;
            let mut left = (word as f64 + 0.5) / 2f64.powi(64);
            let mut density = (1.0 - probability).powf(n);
            for k in 0..=most {
                if left <= density {
                    return k;
                }
                left -= density;
                density *= (n - f64::from(k)) / f64::from(k + 1) * odds;
            }
        }
    }
    let deviation = (mean * (1.0 - probability)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * probability;
    let (alpha, inner) = ((2.83 + 5.1 / b) * deviation, 0.92 - 4.2 / b);
    // The logarithm of the probability of k events, up to a constant.
    let density =
        |k: f64| k * odds.ln() - ln_factorial[k as usize] - ln_factorial[(n - k) as usize];
    let mode = ((n + 1.0) * probability).floor();
    let mut next = uniforms(random, element);
    loop {
        let uniforms = next();
        for pair in uniforms.chunks_exact(2) {
            let (u, v) = (pair[0] - 0.5, pair[1]);
            let edge = 0.5 - u.abs();
            let k = ((2.0 * a / edge + b) * u + mean + 0.5).floor();
            if !(0.0..=n).contains(&k) {
                continue;
            }
            let accepted = (v * alpha / (a / (edge * edge) + b)).ln();
            let inside = edge >= 0.07 && v <= inner;
            if inside || accepted <= density(k) - density(mode) {
                return k as u32;
            }
        }
    }
}

#[test]
fn binomial_numbers_match_their_blocks() {
    let stream = stream();
    let ln_factorial = ln_factorials();
    for mut random in randoms() {
        for (trials, probability) in [
            (0, 0.5),
            (1, 0.25),
            (7, 0.5),
            (20, 0.45),
            (1000, 0.0),
            (1000, 0.003),
            (19_000, 1e-5),
            (19_000, 1e-3),
            (100, 0.125),
            (21, 0.5),
            (5000, 0.5),
            (19_000, 0.01),
            // Failures are counted instead of successes.
            (50, 0.75),
            (19_000, 0.9999),
            (300, 1.0),
        ] {
            let before = random.clone();
            let probabilities = Array::from_slice(&stream, &[probability]).unwrap();
            let got = Expr::binomial(&mut random, 301, trials, &probabilities).unwrap();
            for (i, got) in got
                .eval()
                .unwrap()
                .to_vec()
                .unwrap()
                .into_iter()
                .enumerate()
            {
                let half = f64::min(probability, 1.0 - probability);
                let rarer = match half {
                    0.0 => 0,
                    _ => binomial(&before, i as u64, (trials, half), &ln_factorial),
                };
                let wanted = match probability > 0.5 {
                    true => trials - rarer,
                    false => rarer,
                };
                assert_eq!(
                    got, wanted,
                    "{before:?}, {trials} trials of {probability}, element {i}"
                );
            }
            assert_eq!(random.position, before.position.wrapping_add(301));
        }
    }
}

#[test]
fn counts_by_table_match_their_words() {
    let stream = stream();
    for mut random in randoms() {
        for law in [
            Law::Poisson(0.0),
            Law::Poisson(0.25),
            Law::Poisson(9.0),
            Law::Poisson(1000.0),
            Law::Poisson(MAX_VARIANCE),
            Law::Binomial(1, 0.5),
            Law::Binomial(1000, 0.75),
            Law::Binomial(u32::MAX, 1.0),
        ] {
            let before = random.clone();
            let got = match law {
                Law::Poisson(mean) => Expr::poisson(&mut random, 301, mean),
                Law::Binomial(trials, p) => Expr::binomial(&mut random, 301, trials, p),
            };
            let got = got.unwrap();
            let table = Tables::new().of(law).unwrap();
            let words = table.lookup.words();
            let size = 1 << (32 - table.bits);
            let wanted = (0..301).map(|i| {
                let position = before.position.wrapping_add(i / 4);
                let bits = block(before.seed, position, 0)[i as usize % 4];
                let (bucket, within) = (bits / size, bits % size);
                let word = words[bucket as usize];
                let own = within < word >> table.bits;
                table.first
                    + if own {
                        bucket
                    } else {
                        word & (words.len() as u32 - 1)
                    }
            });
            let wanted: Vec<u32> = wanted.collect();
            let all = got.eval_on(&stream).unwrap();
            assert_eq!(all.to_vec().unwrap(), wanted, "{before:?}, {law:?}");
            assert_eq!(random.position, before.position.wrapping_add(76));
            // In other kernels: one value at a time, reduced, and another view.
            let odd = got.slice(s![1..; 2]).unwrap().eval_on(&stream).unwrap();
            assert!(wanted.iter().skip(1).step_by(2).eq(&odd.to_vec().unwrap()));
            let sum = got.cast::<u64>().sum().eval_on(&stream).unwrap();
            let expected: u64 = wanted.iter().map(|&count| u64::from(count)).sum();
            assert_eq!(sum.item().unwrap(), expected);
        }
    }
}

/// A table that two streams use, and one that is used again after its stream is dropped.
#[test]
fn streams_share_a_table() {
    let mut random = Random::new(3);
    let one = stream();
    let first = Array::<u32>::poisson(&one, &mut random, 100, 4.0).unwrap();
    let second = Array::<u32>::poisson(&stream(), &mut random, 100, 4.0).unwrap();
    drop(one);
    let third = Array::<u32>::poisson(&stream(), &mut random, 100, 4.0).unwrap();
    let mut other = Random::new(3);
    for counts in [first, second, third] {
        let again = Array::<u32>::poisson(&stream(), &mut other, 100, 4.0).unwrap();
        assert_eq!(counts.to_vec().unwrap(), again.to_vec().unwrap());
    }
    assert_eq!(random, other);
    assert_eq!(
        format!("{random:?}"),
        "Random { seed: 3, position: 75, .. }"
    );
}
