//! Checks binomial, gamma and beta distributions, and halves, with fixed seeds. The bounds are those
//! of `distributions.rs`.

use cuda_compute::{Array, Element, Error, Expr, Random, RandomFloat, bf16, f16};

use crate::{
    OnHost,
    distributions::{chi_square, counts, moments, normal_distribution},
    failure::failure,
    stream, upload,
};

const COUNT: usize = 1 << 15;

/// Returns the Kolmogorov-Smirnov statistic times √n. It exceeds 2.2 once in 8000 runs.
fn kolmogorov(values: &[f64], distribution: impl Fn(f64) -> f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len() as f64;
    let distance = |(i, &value): (usize, &f64)| {
        let expected = distribution(value);
        (expected - i as f64 / n)
            .abs()
            .max(((i + 1) as f64 / n - expected).abs())
    };
    values.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt()
}

/// ln Γ(x) for x > 0, by Stirling's series after shifting x up.
fn ln_gamma(x: f64) -> f64 {
    let shift: f64 = (0..12).map(|i| (x + f64::from(i)).ln()).sum();
    let x = x + 12.0;
    let series = [
        (1, 12.0),
        (3, -360.0),
        (5, 1260.0),
        (7, -1680.0),
        (9, 1188.0),
    ];
    let series: f64 = series
        .iter()
        .map(|&(power, part)| 1.0 / (part * x.powi(power)))
        .sum();
    (x - 0.5) * x.ln() - x + (std::f64::consts::TAU).ln() / 2.0 + series - shift
}

/// The distribution of gamma numbers: the power series of the incomplete gamma function.
fn gamma_distribution(k: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let (mut term, mut sum, mut i) = (1.0 / k, 1.0 / k, k);
    while term > sum * 1e-14 {
        i += 1.0;
        term *= x / i;
        sum += term;
    }
    (sum.ln() + k * x.ln() - x - ln_gamma(k)).exp()
}

/// The distribution of beta numbers: the power series of the incomplete beta function, from the
/// nearer end.
fn beta_distribution(a: f64, b: f64, x: f64) -> f64 {
    if x > 0.5 {
        return 1.0 - beta_distribution(b, a, 1.0 - x);
    }
    let (mut term, mut sum) = (1.0, 1.0 / a);
    for i in 1..200 {
        let i = f64::from(i);
        term *= (i - b) / i * x;
        sum += term / (a + i);
    }
    sum * (a * x.ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp()
}

#[test]
fn references_have_known_values() {
    for (x, wanted) in [(1.0, 1.0), (5.0, 24.0), (0.5, std::f64::consts::PI.sqrt())] {
        assert!((ln_gamma(x) - f64::ln(wanted)).abs() < 1e-12);
    }
    assert!((gamma_distribution(1.0, 2.0) - (1.0 - (-2f64).exp())).abs() < 1e-12);
    assert!((beta_distribution(2.0, 1.0, 0.7) - 0.49).abs() < 1e-12);
    assert!((beta_distribution(0.5, 0.5, 0.25) - 1.0 / 3.0).abs() < 1e-12);
}

fn wide<T: Element + Into<f64>>(values: &[T]) -> Vec<f64> {
    values.iter().map(|&value| value.into()).collect()
}

#[test]
fn gamma_numbers() {
    let stream = stream();
    let mut random = Random::new(21);
    for k in [0.05, 0.5, 1.0, 2.5, 40.0, 1000.0] {
        let got = Array::<f64>::gamma(&stream, &mut random, COUNT, k).unwrap();
        let got = got.host();
        let distance = kolmogorov(&got, |x| gamma_distribution(k, x));
        assert!(distance < 2.2, "{k}: {distance}");
        let [mean, variance, ..] = moments(&got);
        let n = COUNT as f64;
        assert!((mean - k).abs() < 4.0 * (k / n).sqrt(), "{k}: {mean}");
        let deviation = ((2.0 * k * k + 6.0 * k) / n).sqrt();
        assert!((variance - k).abs() < 5.0 * deviation, "{k}: {variance}");
    }
    // Other types have the same numbers, rounded.
    let same = |random: &Random| random.clone();
    let double = Array::<f64>::gamma(&stream, &mut same(&random), 100, 3.0).unwrap();
    let single = Array::<f32>::gamma(&stream, &mut same(&random), 100, 3.0).unwrap();
    let rounded = double.cast::<f32>().eval().unwrap().host();
    assert_eq!(single.host(), rounded);
    let half = Array::<f16>::gamma(&stream, &mut random, 100, 3.0).unwrap();
    assert_eq!(half.host(), double.cast::<f16>().eval().unwrap().host());
    // A parameter for each element, and those without a distribution.
    let k = upload(&stream, &[0.0, -1.0, f64::NAN, f64::INFINITY, 1e12, 1e-3]);
    let got = Expr::<f64>::gamma(&mut random, [50, 6], &k).unwrap();
    for row in got.eval().unwrap().host().chunks(6) {
        assert_eq!(row[0], 0.0);
        assert!(row[1].is_nan() && row[2].is_nan());
        assert_eq!(row[3], f64::INFINITY);
        assert!((row[4] / 1e12 - 1.0).abs() < 1e-5, "{}", row[4]);
        assert!((0.0..2.0).contains(&row[5]), "{}", row[5]);
    }
    let call = |k: f64| Expr::<f64>::gamma(&mut Random::new(1), 3, k);
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        failure(call(wrong)).mentions(&format!("k = {wrong}"));
    }
}

#[test]
fn beta_numbers() {
    let stream = stream();
    let mut random = Random::new(22);
    for (a, b) in [
        (0.5, 0.5),
        (1.0, 3.0),
        (2.0, 2.0),
        (0.02, 0.03),
        (30.0, 5.0),
    ] {
        let got = Array::<f64>::beta(&stream, &mut random, COUNT, a, b).unwrap();
        let got = got.host();
        assert!(got.iter().all(|x| (0.0..=1.0).contains(x)));
        let distance = kolmogorov(&got, |x| match x {
            0.0 => 0.0,
            1.0 => 1.0,
            x => beta_distribution(a, b, x),
        });
        // Numbers next to 1 are rounded to it if `b` is small, which is a jump of the distribution.
        if a.min(b) > 0.1 {
            assert!(distance < 2.2, "{a}, {b}: {distance}");
        }
        let [mean, variance, ..] = moments(&got);
        let wanted = a * b / ((a + b).powi(2) * (a + b + 1.0));
        let n = COUNT as f64;
        assert!((mean - a / (a + b)).abs() < 4.0 * (wanted / n).sqrt());
        assert!(
            (variance / wanted - 1.0).abs() < 0.1,
            "{a}, {b}: {variance}"
        );
    }
    let call = |a: f64, b: f64| Expr::<f32>::beta(&mut Random::new(1), 3, a, b);
    failure(call(0.0, 1.0)).mentions("a = 0");
    failure(call(1.0, -2.0)).mentions("b = -2");
}

#[test]
fn binomial_numbers() {
    let stream = stream();
    let mut random = Random::new(23);
    // From a table, and by the methods for expressions.
    let parameters = [
        (1u32, 0.3f64),
        (20, 0.1),
        (20, 0.95),
        (40, 0.5),
        (1000, 0.02),
        (1000, 0.7),
    ];
    let cases = parameters.map(|(trials, p)| [(trials, p, true), (trials, p, false)]);
    for (trials, p, is_number) in cases.into_iter().flatten() {
        let of_each = upload(&stream, &[p]);
        let got = match is_number {
            true => Expr::binomial(&mut random, COUNT, trials, p),
            false => Expr::binomial(&mut random, COUNT, trials, &of_each),
        };
        let got = got.unwrap().eval_on(&stream).unwrap().host();
        assert!(got.iter().all(|&k| k <= trials));
        let n = f64::from(trials);
        let probability = |k: f64| {
            let ways = ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
            (ways + k * p.ln() + (n - k) * (-p).ln_1p()).exp()
        };
        let likely = |&k: &u32| probability(k.into()) * COUNT as f64 > 5.0;
        let first = (0..=trials).find(likely).unwrap();
        let last = (0..=trials).rev().find(likely).unwrap();
        // The first and the last bin have the tails.
        let mut expected: Vec<f64> = (first..=last).map(|k| probability(k.into())).collect();
        expected[0] = (0..=first).map(|k| probability(k.into())).sum();
        let end = expected.len() - 1;
        expected[end] = 1.0 - expected[..end].iter().sum::<f64>();
        let places = got.iter().map(|&k| k.saturating_sub(first) as usize);
        let chi = chi_square(&counts(places, expected.len()), |i| {
            expected[i] * COUNT as f64
        });
        assert!(chi.abs() < 4.0, "{trials}, {p}: {chi}");
        let [mean, variance, ..] = moments(&wide(&got));
        let wanted = n * p * (1.0 - p);
        let deviation = (wanted / COUNT as f64).sqrt();
        assert!(
            (mean - n * p).abs() < 4.0 * deviation,
            "{trials}, {p}: {mean}"
        );
        assert!((variance / wanted - 1.0).abs() < 0.05, "{trials}, {p}");
    }
    // Parameters for each element: the ends, and many trials.
    let trials = upload(&stream, &[5u32, 5, 5, 0, u32::MAX, u32::MAX]);
    let p = upload(&stream, &[0.0, 1.5, f64::NAN, 0.5, 0.25, 1e-9]);
    let got = Expr::<u32>::binomial(&mut random, [1000, 6], &trials, &p).unwrap();
    let got = got.eval().unwrap().host();
    let mut sums = [0.0; 6];
    for row in got.chunks(6) {
        assert_eq!(row[..4], [0, 5, 0, 0]);
        for (sum, &k) in sums.iter_mut().zip(row) {
            *sum += f64::from(k) / 1000.0;
        }
    }
    for (i, p) in [(4, 0.25f64), (5, 1e-9)] {
        let mean = f64::from(u32::MAX) * p;
        let deviation = (mean * (1.0 - p) / 1000.0).sqrt();
        assert!((sums[i] - mean).abs() < 4.0 * deviation, "{p}: {}", sums[i]);
    }
    let call = |p: f64| Expr::binomial(&mut Random::new(1), 3, 10, p);
    failure(call(1.5)).mentions("probability 1.5");
    let short = Expr::scalar(1u32).broadcast_to(2).unwrap();
    let error = Expr::binomial(&mut random, 3, short, 0.5).unwrap_err();
    assert!(matches!(error, Error::Shape(_)), "{error}");
}

/// Halves have the bits of `f32` draws, rounded, except that uniform numbers are cut.
fn check_halves<T: RandomFloat<Word = u32> + Into<f64>>(round: fn(f64) -> T, digits: i32) {
    let stream = stream();
    let random = Random::new(24);
    let with = || random.clone();
    let uniform = Array::<T>::uniform(&stream, &mut with(), COUNT)
        .unwrap()
        .host();
    let single = Array::<f32>::uniform(&stream, &mut with(), COUNT)
        .unwrap()
        .host();
    let scale = 2f64.powi(digits);
    for (half, single) in uniform.iter().zip(single) {
        let half: f64 = (*half).into();
        assert_eq!(half, (f64::from(single) * scale).floor() / scale);
    }
    let bins = counts(wide(&uniform).iter().map(|x| (x * 64.0) as usize), 64);
    let chi = chi_square(&bins, |_| COUNT as f64 / 64.0);
    assert!(chi.abs() < 4.0, "{chi}");

    let bits = |values: Vec<T>| wide(&values);
    let rounded =
        |values: Vec<f32>| -> Vec<f64> { values.iter().map(|&x| round(x.into()).into()).collect() };
    let normal = Array::<T>::normal(&stream, &mut with(), COUNT)
        .unwrap()
        .host();
    let single = Array::<f32>::normal(&stream, &mut with(), COUNT).unwrap();
    assert_eq!(bits(normal.clone()), rounded(single.host()));
    let distance = kolmogorov(&wide(&normal), normal_distribution);
    // The numbers have few digits, and so the distribution has steps.
    assert!(distance < 2.2 + (COUNT as f64).sqrt() / scale, "{distance}");
    let exponential = Array::<T>::exponential(&stream, &mut with(), 1001).unwrap();
    let single = Array::<f32>::exponential(&stream, &mut with(), 1001).unwrap();
    assert_eq!(bits(exponential.host()), rounded(single.host()));
    let log = Array::<T>::log_normal(&stream, &mut with(), 1001, round(0.5), round(0.25));
    let single = Array::<f32>::log_normal(&stream, &mut with(), 1001, 0.5, 0.25).unwrap();
    assert_eq!(bits(log.unwrap().host()), rounded(single.host()));
}

#[test]
fn halves_are_rounded_and_stay_below_one() {
    check_halves(f16::from_f64, 11);
    check_halves(bf16::from_f64, 8);
}

#[test]
fn multivariate_normal_numbers_have_the_given_covariance() {
    let stream = stream();
    let mut random = Random::new(25);
    let mean = upload(&stream, &[1.0f64, -2.0, 0.5]);
    let factor = [[2.0, 0.0], [1.0, 1.0], [-0.5, 3.0]];
    let device = Array::from_nested(&stream, factor).unwrap();
    let before = random.clone();
    let got = Array::multivariate_normal(&mut random, [2, COUNT / 2], &mean, &device).unwrap();
    assert_eq!(got.shape(), [2, COUNT / 2, 3]);
    let got = got.host();
    // The documented formula.
    let normal = Array::<f64>::normal(&stream, &mut before.clone(), [COUNT, 2]).unwrap();
    let mean = mean.host();
    for (z, x) in normal.host().chunks(2).zip(got.chunks(3)) {
        for (i, row) in factor.iter().enumerate() {
            let wanted = mean[i] + row[0] * z[0] + row[1] * z[1];
            assert!((x[i] - wanted).abs() < 1e-12);
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let sum: f64 = (got.chunks(3))
                .map(|x| (x[i] - mean[i]) * (x[j] - mean[j]))
                .sum();
            let wanted: f64 = (0..2).map(|k| factor[i][k] * factor[j][k]).sum();
            assert!((sum / COUNT as f64 - wanted).abs() < 0.3, "{i}, {j}: {sum}");
        }
    }
    let flat = upload(&stream, &[1.0f64, 2.0]);
    failure(Array::multivariate_normal(&mut random, 5, &flat, &device))
        .mentions("mean has shape [2]")
        .mentions("factor [3, 2]");
    failure(Array::multivariate_normal(&mut random, 5, &flat, &flat)).mentions("[n, k]");
}
