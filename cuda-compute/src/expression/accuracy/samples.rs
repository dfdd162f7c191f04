//! Arguments for tests: of every exponent, and near points where functions change.

use std::f64::consts::{FRAC_PI_2, SQRT_2};

use half::{bf16, f16};

pub(super) use crate::random_numbers::Random;
use crate::{Float, element::Element};

/// Zeros, infinities, NaN, the ends of the ranges, and numbers at which functions change.
pub(super) const EDGES: [f64; 22] = [
    0.0,
    -0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    0.5,
    -0.5,
    1.0,
    -1.0,
    1.5,
    -1.5,
    2.0,
    -2.0,
    2.5,
    3.0,
    -3.0,
    8.0,
];

/// A type whose errors are measured.
pub(super) trait Measured: Float {
    /// The number of bits of the mantissa without the leading one, and the exponents of the
    /// smallest and the largest normal number.
    const MANTISSA: i32;
    const LOWEST: i32;
    const HIGHEST: i32;

    fn wide(self) -> f64;
    fn nearest(x: f64) -> Self;
    /// Returns the arguments for tests.
    fn samples() -> Vec<Self>;

    /// Returns the distance of two numbers in units in the last place of the second. Infinities
    /// count as the first number beyond the range.
    fn distance(got: Self, exact: f64) -> f64 {
        let got = got.wide();
        if got.is_nan() || exact.is_nan() {
            return if got.is_nan() == exact.is_nan() {
                0.0
            } else {
                f64::INFINITY
            };
        }
        let end = 2f64.powi(Self::HIGHEST) * 2.0;
        let exact = exact.clamp(-end, end);
        let exponent =
            ((exact.to_bits() >> 52 & 0x7ff) as i32 - 1023).clamp(Self::LOWEST, Self::HIGHEST);
        (got.clamp(-end, end) - exact).abs() / 2f64.powi(exponent - Self::MANTISSA)
    }
}

/// All halves are samples.
macro_rules! halves {
    ($($type:ty: $mantissa:literal, $lowest:literal, $highest:literal;)*) => {$(
        impl Measured for $type {
            const MANTISSA: i32 = $mantissa;
            const LOWEST: i32 = $lowest;
            const HIGHEST: i32 = $highest;

            fn wide(self) -> f64 {
                self.to_f64()
            }

            fn nearest(x: f64) -> Self {
                Self::from_f32(x as f32)
            }

            fn samples() -> Vec<Self> {
                (0..=u16::MAX).map(Self::from_bits).collect()
            }
        }
    )*};
}

halves! {
    f16: 10, -14, 15;
    bf16: 7, -126, 127;
}

impl Measured for f32 {
    const MANTISSA: i32 = 23;
    const LOWEST: i32 = -126;
    const HIGHEST: i32 = 127;

    fn wide(self) -> f64 {
        self.into()
    }

    fn nearest(x: f64) -> Self {
        x as Self
    }

    fn samples() -> Vec<Self> {
        let mut random = Random(1);
        let mut samples: Vec<Self> = EDGES.iter().map(|&x| x as Self).collect();
        // Samples every exponent with both signs, including both ends of the mantissa. The first
        // exponent is that of subnormal numbers.
        for top in 0..512u32 {
            let mut push = |mantissa: u32| {
                samples.push(Self::from_bits(top << 23 | mantissa & ((1 << 23) - 1)));
            };
            [0, 1, !0].into_iter().for_each(&mut push);
            (0..21).for_each(|_| push(random.bits() as u32));
        }
        for x in places() {
            neighbours(x as Self, &mut samples);
        }
        for _ in 0..8000 {
            samples.push(random.between(-20.0, 20.0) as Self);
            samples.push(random.between(-110.0, 110.0) as Self);
            samples.push(random.between(-2.0, 2.0) as Self);
            // Most zeros of the logarithm of the gamma function are in this range.
            samples.push(random.between(-11.0, -2.0) as Self);
        }
        samples
    }
}

/// Returns points near which functions have zeros or change: multiples of a quarter turn, integers
/// and half-integers.
fn places() -> impl Iterator<Item = f64> {
    let quarters = (-400..400).chain((10..60).map(|power| 1i64 << power));
    let angles = quarters.map(|quarter| quarter as f64 * FRAC_PI_2);
    let halves = (-120..120).map(|half| f64::from(half) / 2.0);
    // Zeros of Bessel functions and of the logarithm of the gamma function.
    let zeros = [
        2.404_825_557_695_773,
        5.520_078_110_286_311,
        3.831_705_970_207_512_5,
        7.015_586_669_815_619,
        0.893_576_966_279_167_5,
        3.957_678_419_314_858,
        2.197_141_326_031_017,
        5.429_681_040_794_135,
        -2.457_024_738_220_8,
        -2.747_682_646_727_4,
        SQRT_2,
        SQRT_2 / 2.0,
    ];
    angles.chain(halves).chain(zeros)
}

fn neighbours(x: f32, samples: &mut Vec<f32>) {
    samples.extend([x.next_down(), x, x.next_up()]);
}

/// Returns samples of `f64`: of every exponent with both signs, and the neighbours of special
/// points.
pub(super) fn doubles() -> Vec<f64> {
    let mut random = Random(2);
    let mut samples = EDGES.to_vec();
    for top in 0..4096u64 {
        for _ in 0..3 {
            samples.push(f64::from_bits(top << 52 | random.bits() >> 12));
        }
        samples.push(f64::from_bits(top << 52));
    }
    for x in places() {
        samples.extend([x.next_down(), x, x.next_up()]);
    }
    for _ in 0..3000 {
        samples.push(random.between(-20.0, 20.0));
        samples.push(random.between(-750.0, 750.0));
    }
    samples
}

/// Returns pairs: all pairs of edge cases, numbers of related magnitudes, and random numbers.
pub(super) fn pairs<T: Measured>() -> (Vec<T>, Vec<T>) {
    let mut random = Random(3);
    let mut pairs = Vec::new();
    for a in EDGES {
        pairs.extend(EDGES.map(|b| (a, b)));
    }
    let range = f64::from(T::HIGHEST - T::LOWEST);
    for _ in 0..12_000 {
        let a = random.between(1.0, 2.0) * 2f64.powf(random.between(-0.5, 0.5) * range);
        let near = a * 2f64.powf(random.between(-8.0, 8.0));
        let sign = |random: &mut Random| if random.below(2) == 0 { 1.0 } else { -1.0 };
        pairs.push((a * sign(&mut random), near * sign(&mut random)));
        // Powers that are neither NaN nor infinite.
        pairs.push((random.between(0.0, 30.0), random.between(-20.0, 20.0)));
        let near_one = 1.0 + random.between(-1.0, 1.0) * 2f64.powf(-random.between(0.0, 24.0));
        pairs.push((
            near_one,
            random.between(-60.0, 60.0) / near_one.ln().abs().max(1e-7),
        ));
        pairs.push((
            random.between(-20.0, 20.0),
            random.between(-20.0, 20.0).round(),
        ));
    }
    pairs
        .iter()
        .map(|&(a, b)| (T::nearest(a), T::nearest(b)))
        .unzip()
}

/// Returns the type's name.
pub(super) fn name<T: Element>() -> &'static str {
    T::DATA_TYPE.name()
}
