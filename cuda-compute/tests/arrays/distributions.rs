//! Checks the distributions of random numbers with fixed seeds.
//!
//! Each bound is at least 4 standard deviations of its statistic. With other seeds, a correct
//! generator would exceed a bound about once in some thousand runs.

use cuda_compute::{Array, Error, Expr, Random, eval_on};

use crate::{OnHost, stream, upload};

const COUNT: usize = 1 << 17;

/// Returns the mean, the variance, and the third and fourth moments of the standardized numbers.
pub fn moments(values: &[f64]) -> [f64; 4] {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let central = |power| values.iter().map(|v| (v - mean).powi(power)).sum::<f64>() / n;
    let variance = central(2);
    [
        mean,
        variance,
        central(3) / variance.powf(1.5),
        central(4) / (variance * variance),
    ]
}

/// Checks the moments of numbers within 5 standard deviations. `eighth` is the eighth moment of the
/// standardized numbers, which determines the deviation of the fourth.
fn check(values: &[f64], wanted: [f64; 4], sixth: f64, eighth: f64) {
    let n = values.len() as f64;
    let [_, variance, third, fourth] = wanted;
    let deviations = [
        (variance / n).sqrt(),
        variance * ((fourth - 1.0) / n).sqrt(),
        (sixth / n).sqrt() + third.abs() * (fourth / n).sqrt() * 1.5,
        (eighth / n).sqrt() + fourth * (fourth / n).sqrt() * 2.0,
    ];
    for (i, got) in moments(values).into_iter().enumerate() {
        assert!(
            (got - wanted[i]).abs() < 5.0 * deviations[i],
            "moment {}: {got}, not {} ± {}",
            i + 1,
            wanted[i],
            deviations[i]
        );
    }
}

/// Returns how many standard deviations the chi-square statistic is from its mean. A large positive
/// value means another distribution, and a large negative one means the numbers are too regular to
/// be random.
pub fn chi_square(observed: &[u64], expected: impl Fn(usize) -> f64) -> f64 {
    let sum: f64 = (observed.iter().enumerate())
        .map(|(i, &count)| (count as f64 - expected(i)).powi(2) / expected(i))
        .sum();
    let freedom = observed.len() as f64 - 1.0;
    (sum - freedom) / (2.0 * freedom).sqrt()
}

pub fn counts(places: impl Iterator<Item = usize>, bins: usize) -> Vec<u64> {
    let mut counts = vec![0; bins];
    places.for_each(|place| counts[place.min(bins - 1)] += 1);
    counts
}

/// Returns the correlation of numbers at a distance, in standard deviations.
fn correlation(values: &[f64], distance: usize) -> f64 {
    let [mean, variance, ..] = moments(values);
    let pairs = values.iter().zip(&values[distance..]);
    let sum: f64 = pairs.map(|(a, b)| (a - mean) * (b - mean)).sum();
    sum / variance / ((values.len() - distance) as f64).sqrt()
}

fn single(values: &Array<f32>) -> Vec<f64> {
    values.host().into_iter().map(f64::from).collect()
}

#[test]
fn uniform_numbers() {
    let stream = stream();
    let mut random = Random::new(1);
    // The count is odd, too.
    let x = single(&Array::<f32>::uniform(&stream, &mut random, COUNT + 1).unwrap());
    let y = Array::<f64>::uniform(&stream, &mut random, COUNT - 1)
        .unwrap()
        .host();
    for values in [&x, &y] {
        assert!(values.iter().all(|v| (0.0..1.0).contains(v)));
        check(values, [0.5, 1.0 / 12.0, 0.0, 1.8], 27.0 / 7.0, 9.0);
        let bins = counts(values.iter().map(|v| (v * 256.0) as usize), 256);
        let chi = chi_square(&bins, |_| values.len() as f64 / 256.0);
        assert!(chi.abs() < 4.0, "{chi}");
        for distance in [1, 2, 3, 4, 1024] {
            let correlation = correlation(values, distance);
            assert!(correlation.abs() < 4.0, "{distance}: {correlation}");
        }
    }
}

#[test]
fn bits() {
    let stream = stream();
    let mut random = Random::new(2);
    let words = Array::<u32>::bits(&stream, &mut random, COUNT)
        .unwrap()
        .host();
    let long = Array::<u64>::bits(&stream, &mut random, COUNT)
        .unwrap()
        .host();
    for bit in 0..64 {
        let ones = long.iter().filter(|&&w| w >> bit & 1 == 1).count() as f64;
        let deviation = (ones - COUNT as f64 / 2.0) / (COUNT as f64 / 4.0).sqrt();
        assert!(deviation.abs() < 4.5, "{bit}: {deviation}");
    }
    for shift in [0, 12, 24] {
        let bins = counts(words.iter().map(|w| (w >> shift & 255) as usize), 256);
        let chi = chi_square(&bins, |_| COUNT as f64 / 256.0);
        assert!(chi.abs() < 4.0, "{shift}: {chi}");
    }
}

/// The cumulative distribution function of the standard normal distribution, by a continued
/// fraction or the series of its integral.
pub fn normal_distribution(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    if x.abs() > 3.0 {
        let fraction = (1..60)
            .rev()
            .fold(x.abs(), |below, k| x.abs() + f64::from(k) / below);
        let tail = density / fraction;
        return if x < 0.0 { tail } else { 1.0 - tail };
    }
    let (mut term, mut sum) = (x, x);
    for k in 1..80 {
        term *= x * x / f64::from(2 * k + 1);
        sum += term;
    }
    0.5 + density * sum
}

fn check_normal(values: &[f64]) {
    check(values, [0.0, 1.0, 0.0, 3.0], 15.0, 105.0);
    // 64 bins from -4 to 4, and one for each tail.
    let part = |v: f64| (v * 8.0 + 33.0).clamp(0.0, 65.0) as usize;
    let bins = counts(values.iter().map(|&v| part(v)), 66);
    let end = |i: usize| match i {
        0 => 0.0,
        66 => 1.0,
        _ => normal_distribution((i as f64 - 33.0) / 8.0),
    };
    let chi = chi_square(&bins, |i| values.len() as f64 * (end(i + 1) - end(i)));
    assert!(chi.abs() < 4.0, "{chi}");
    for distance in [1, 2, 3, 4] {
        assert!(correlation(values, distance).abs() < 4.0);
        let squares: Vec<f64> = values.iter().map(|v| v * v).collect();
        assert!(correlation(&squares, distance).abs() < 4.0);
    }
}

#[test]
fn normal_numbers() {
    let stream = stream();
    let mut random = Random::new(3);
    check_normal(&single(
        &Array::<f32>::normal(&stream, &mut random, COUNT + 1).unwrap(),
    ));
    let twice = Array::<f64>::normal(&stream, &mut random, [COUNT - 1]).unwrap();
    check_normal(&twice.host());
    // The logarithms of log-normal numbers are normal.
    let log = Expr::<f64>::log_normal(&mut random, COUNT, 2.0, 0.5).unwrap();
    let back = ((log.ln() - 2.0) / 0.5).eval_on(&stream).unwrap();
    check_normal(&back.host());
    let log = Array::<f32>::log_normal(&stream, &mut random, COUNT, 0.0, 0.25).unwrap();
    let mean = moments(&single(&log))[0];
    let wanted = (0.0625f64 / 2.0).exp();
    let variance = 0.0625f64.exp() * (0.0625f64.exp() - 1.0);
    assert!(
        (mean - wanted).abs() < 4.0 * (variance / COUNT as f64).sqrt(),
        "{mean}"
    );
}

#[test]
fn exponential_numbers() {
    let stream = stream();
    let mut random = Random::new(4);
    let x = single(&Array::<f32>::exponential(&stream, &mut random, COUNT).unwrap());
    let y = Array::<f64>::exponential(&stream, &mut random, COUNT + 1)
        .unwrap()
        .host();
    for values in [&x, &y] {
        assert!(values.iter().all(|&v| v > 0.0));
        check(values, [1.0, 1.0, 2.0, 9.0], 265.0, 14833.0);
        let bins = counts(values.iter().map(|v| (v * 8.0) as usize), 64);
        let chi = chi_square(&bins, |i| {
            let from = |i: usize| (-(i as f64) / 8.0).exp();
            values.len() as f64 * (from(i) - if i == 63 { 0.0 } else { from(i + 1) })
        });
        assert!(chi.abs() < 4.0, "{chi}");
    }
}

#[test]
fn poisson_numbers() {
    let stream = stream();
    let mut random = Random::new(5);
    // From a table, and by the methods for expressions.
    let means = [0.3f64, 4.0, 9.5, 10.0, 30.0];
    let cases = means.map(|mean| [(mean, true), (mean, false)]);
    for (mean, is_number) in cases.into_iter().flatten() {
        let count = COUNT / 4;
        let of_each = upload(&stream, &[mean]);
        let got = match is_number {
            true => Expr::poisson(&mut random, count, mean),
            false => Expr::poisson(&mut random, count, &of_each),
        };
        let got = got.unwrap().eval_on(&stream).unwrap().host();
        let mut probability = (-mean).exp();
        let mut probabilities = vec![probability];
        // Extends the bins until the expected count is small. The last bin holds the rest.
        while (probabilities.len() as f64) < mean || probability * count as f64 > 5.0 {
            probability *= mean / probabilities.len() as f64;
            probabilities.push(probability);
        }
        let begin = probabilities
            .iter()
            .take_while(|&&p| p * (count as f64) < 5.0)
            .count();
        let first: f64 = probabilities[..=begin].iter().sum();
        let mut expected = vec![first];
        expected.extend(&probabilities[begin + 1..]);
        let last = expected.len() - 1;
        expected[last] = 1.0 - expected[..last].iter().sum::<f64>();
        let places = got.iter().map(|&k| (k as usize).saturating_sub(begin));
        let bins = counts(places, expected.len());
        let chi = chi_square(&bins, |i| expected[i] * count as f64);
        assert!(chi.abs() < 4.0, "{mean}: {chi}");
        if mean == 10.0 {
            let nine = got.iter().filter(|&&k| k == 9).count() as f64 / count as f64;
            let deviation = (0.12511f64 * 0.87489 / count as f64).sqrt();
            assert!((nine - 0.12511).abs() < 4.0 * deviation, "{nine}");
        }
        let values: Vec<f64> = got.iter().map(|&k| k.into()).collect();
        let [got_mean, variance, ..] = moments(&values);
        let n = count as f64;
        assert!((got_mean - mean).abs() < 4.0 * (mean / n).sqrt());
        let deviation = ((mean + 2.0 * mean * mean) / n).sqrt();
        assert!(
            (variance - mean).abs() < 4.0 * deviation,
            "{mean}: {variance}"
        );
    }
    // Large means, and a separate mean for each element.
    let means = upload(&stream, &[0.0, -1.0, f64::NAN, 5.0, 1e6, 2e9]);
    let got = Expr::<u32>::poisson(&mut random, [1000, 6], &means).unwrap();
    let got = got.eval().unwrap().host();
    let column = |i: usize| got.iter().skip(i).step_by(6).map(|&k| f64::from(k));
    assert!((0..3).all(|i| column(i).all(|k| k == 0.0)));
    for (i, mean) in [(3, 5.0f64), (4, 1e6), (5, 2e9)] {
        let got = column(i).sum::<f64>() / 1000.0;
        assert!(
            (got - mean).abs() < 4.0 * (mean / 1000.0).sqrt(),
            "{mean}: {got}"
        );
    }
}

#[test]
fn uniform_integers_and_bernoulli() {
    let stream = stream();
    let mut random = Random::new(6);
    fn check_die(values: impl Iterator<Item = i128>) {
        let bins = counts(values.map(|v| usize::try_from(v + 2).unwrap()), 7);
        let chi = chi_square(&bins[..6], |_| COUNT as f64 / 6.0);
        assert!(bins[6] == 0 && chi.abs() < 4.0, "{bins:?}: {chi}");
    }
    let die = Array::<i32>::uniform_integers(&stream, &mut random, COUNT, -2..4).unwrap();
    check_die(die.host().into_iter().map(i128::from));
    let die = Array::<i64>::uniform_integers(&stream, &mut random, COUNT, -2..4).unwrap();
    check_die(die.host().into_iter().map(i128::from));
    let die = Array::<u32>::uniform_integers(&stream, &mut random, COUNT, 10..16).unwrap();
    check_die(die.host().into_iter().map(|v| i128::from(v) - 12));
    // The range is three quarters of 64 bits. Taking a remainder would favor the lowest quarter.
    let most = Array::<u64>::uniform_integers(&stream, &mut random, COUNT, 0..3 << 62).unwrap();
    let bins = counts(most.host().iter().map(|v| (v >> 60) as usize), 13);
    let chi = chi_square(&bins[..12], |_| COUNT as f64 / 12.0);
    assert!(bins[12] == 0 && chi.abs() < 4.0, "{bins:?}: {chi}");

    for probability in [0.0, 1e-3, 0.3, 1.0] {
        let got = Array::bernoulli(&stream, &mut random, COUNT, probability).unwrap();
        let got = got.host().iter().filter(|&&b| b).count() as f64;
        let n = COUNT as f64;
        let deviation = (n * probability * (1.0 - probability)).sqrt();
        assert!((got - n * probability).abs() <= 4.0 * deviation, "{got}");
    }
}

#[test]
fn draws_continue_the_sequence() {
    let stream = stream();
    let mut random = Random::new(7);
    let first = Array::<u32>::bits(&stream, &mut random, 9).unwrap().host();
    assert_eq!((random.seed(), random.position()), (7, 3));
    let second = Array::<u32>::bits(&stream, &mut random, 9).unwrap().host();
    let mut again = Random::new(7);
    let whole = Array::<u32>::bits(&stream, &mut again, 24).unwrap().host();
    assert_eq!(whole[..9], first);
    assert_eq!(whole[12..21], second);
    let mut skipped = Random::new(7);
    skipped.skip(3);
    let mut copy = skipped.clone();
    let got = Array::<u32>::bits(&stream, &mut skipped, [3, 3])
        .unwrap()
        .host();
    assert_eq!(got, second);
    assert_ne!(copy, skipped);
    // Two draws from the same position in one kernel return the same numbers.
    let one = Expr::<f32>::uniform(&mut copy.clone(), 100).unwrap();
    let other = Expr::<f32>::uniform(&mut copy.clone(), 100).unwrap();
    let next = Expr::<f32>::uniform(&mut Random::new(8), 100).unwrap();
    let (zero, different) = eval_on(&stream, (&one - &other, &one - &next)).unwrap();
    assert_eq!(zero.host(), [0.0; 100]);
    assert!(different.host().iter().all(|&d| d != 0.0));
    // An empty draw does not advance the position.
    let before = copy.clone();
    assert!(
        Array::<f64>::normal(&stream, &mut copy, [0, 3])
            .unwrap()
            .is_empty()
    );
    assert!(
        Array::<u32>::poisson(&stream, &mut copy, 0, 3.0)
            .unwrap()
            .is_empty()
    );
    assert_eq!(copy, before);
    assert_ne!(Random::from_entropy(), Random::from_entropy());
}

#[test]
fn invalid_parameters_are_rejected() {
    let mut random = Random::new(9);
    let before = random.clone();
    let value = |error: Error| assert!(matches!(error, Error::Value(_)), "{error}");
    value(Expr::uniform_integers(&mut random, 3, 5..5).unwrap_err());
    let [low, high] = [5, 4u64];
    value(Expr::uniform_integers(&mut random, 3, low..high).unwrap_err());
    for wrong in [-0.1, 1.1, f64::NAN] {
        value(Expr::bernoulli(&mut random, 3, wrong).unwrap_err());
    }
    for wrong in [-0.1, 1e10, f64::NAN] {
        value(Expr::poisson(&mut random, 3, wrong).unwrap_err());
    }
    let shape = |error: Error| assert!(matches!(error, Error::Shape(_)), "{error}");
    let means = Expr::scalar(1.0).broadcast_to(4).unwrap();
    shape(Expr::poisson(&mut random, 3, means).unwrap_err());
    shape(Expr::<f32>::uniform(&mut random, [1 << 62, 4]).unwrap_err());
    assert_eq!(random, before, "nothing was drawn");
}

#[test]
fn permutations_contain_each_index_once() {
    let stream = stream();
    let mut random = Random::new(11);
    for count in [
        0, 1, 2, 3, 7, 127, 128, 129, 255, 256, 257, 1000, 65_535, 65_536, 65_537,
    ] {
        let before = random.clone();
        let places = Array::<u32>::permutation(&stream, &mut random, count).unwrap();
        let places = places.host();
        let mut sorted = places.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..count as u32), "{count}");
        // The result depends on the position but not on the type.
        let again = Array::<u64>::permutation(&stream, &mut before.clone(), count).unwrap();
        let again = again.host();
        assert!(again.into_iter().eq(places.iter().map(|&i| i.into())));
        let mut seeded = Random::new(12);
        seeded.skip(before.position());
        for mut other in [random.clone(), seeded] {
            let other = Array::<u32>::permutation(&stream, &mut other, count).unwrap();
            assert!(count < 100 || other.host() != places, "{count}");
        }
    }
    // The result is the same in every run and on every device.
    let places = Array::<u32>::permutation(&stream, &mut Random::new(0), 10).unwrap();
    assert_eq!(places.host(), [0, 9, 5, 6, 2, 4, 7, 8, 1, 3]);
    let error = Expr::<u32>::permutation(&mut random, (1 << 32) + 1).unwrap_err();
    assert!(
        matches!(&error, Error::Value(text) if text.contains("4294967297")),
        "{error}"
    );
    assert_eq!(
        Expr::<u32>::permutation(&mut random, 1 << 32)
            .unwrap()
            .shape()
            .unwrap(),
        [1 << 32]
    );
}

#[test]
fn shuffle_works_along_every_axis() {
    let stream = stream();
    let x = Array::range(&stream, 0..3 * 40 * 5)
        .unwrap()
        .reshape([3, 40, 5])
        .unwrap();
    for x in [x.clone(), x.t(), x.flip(1).unwrap()] {
        for axis in 0..3 {
            let mut random = Random::new(axis as u64);
            let places = Array::<u64>::permutation(&stream, &mut random.clone(), x.shape()[axis]);
            let wanted = x.take(places.unwrap(), axis).unwrap();
            let got = (&x * 1).shuffle(&mut random, axis).unwrap();
            assert_eq!(got.host(), wanted.host());
            assert_eq!(got.shape(), x.shape());
        }
    }
    let shuffled = x.shuffle(&mut Random::new(4), 1).unwrap();
    assert_ne!(shuffled.host(), x.host());
    assert!(x.shuffle(&mut Random::new(4), 3).is_err());
    let empty = Array::<f32>::zeros(&stream, [0, 2]).unwrap();
    assert_eq!(
        empty.shuffle(&mut Random::new(4), 0).unwrap().shape(),
        [0, 2]
    );
}

#[test]
fn a_capture_needs_the_table_on_the_device() {
    let stream = stream();
    let draw = |random: &mut Random| Expr::poisson(random, 64, 3.0).unwrap();
    let mut counts = Array::<u32>::zeros(&stream, 64).unwrap();
    // This compiles the kernel, with another table.
    counts.assign(draw(&mut Random::new(1))).unwrap();
    let events = draw(&mut Random::new(2));
    let mut results = Vec::new();
    let mut record = || -> cuda_compute::Result<()> {
        results.push(counts.assign(&events));
        Ok(())
    };
    // Another stream has a copy of its own.
    events.eval_on(&crate::stream()).unwrap();
    // SAFETY: the array and the table outlive the graphs.
    drop(unsafe { stream.capture(|_| record()) }.unwrap());
    let wanted = events.eval_on(&stream).unwrap().host();
    // SAFETY: as above.
    let graph = unsafe { stream.capture(|_| record()) }.unwrap();
    graph.instantiate().unwrap().launch(&stream).unwrap();
    assert!(
        matches!(results[0], Err(Error::Cuda(_))),
        "{:?}",
        results[0]
    );
    assert!(results[1].is_ok());
    assert_eq!(counts.host(), wanted);
}
