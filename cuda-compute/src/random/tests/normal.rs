//! Normal and exponential numbers.

use super::{
    super::distributions::{EXPONENTIAL, of_bits},
    COUNTS, long_words, randoms, stream, words,
};
use crate::{Array, Random};

/// -ln((word + 1/2) / 2^width).
fn negative_log(word: u64, width: i32) -> f64 {
    let part = |word: u64| (word as f64 + 0.5) / 2f64.powi(width);
    let (top, ones) = (1 << (width - 1), u64::MAX >> (64 - width));
    match word < top {
        true => -part(word).ln(),
        false => -(-part(!word & ones)).ln_1p(),
    }
}

/// Returns Box and Muller's pair.
pub(super) fn normal_pair(a: u64, b: u64, width: i32) -> [f64; 2] {
    let r = (2.0 * negative_log(a, width)).sqrt();
    // Work in quarter turns, because the sine of a large angle loses accuracy to the rounding of
    // the angle.
    let quarter = b.wrapping_add(1 << (width - 3)) >> (width - 2);
    let left = (b as i64).wrapping_sub((quarter << (width - 2)) as i64);
    let angle = std::f64::consts::PI * (left as f64 + 0.5) / 2f64.powi(width - 1);
    let (sine, cosine) = angle.sin_cos();
    match quarter & 3 {
        0 => [r * cosine, r * sine],
        1 => [-r * sine, r * cosine],
        2 => [-r * cosine, -r * sine],
        _ => [r * sine, -r * cosine],
    }
}

/// Returns the distance in units of the expected number's last place, for a type with this many
/// bits.
fn units(got: f64, wanted: f64, bits: i32) -> f64 {
    (got - wanted).abs() / 2f64.powi(wanted.abs().log2().floor() as i32 + 1 - bits)
}

#[test]
#[cfg_attr(
    windows,
    ignore = "functions of mingw's C library are less accurate than the device's"
)]
fn normal_and_exponential_numbers_are_accurate() {
    let stream = stream();
    let mut worst = [0.0f64; 4];
    for mut random in randoms() {
        for count in COUNTS.into_iter().chain([20_001]) {
            let wanted: Vec<f64> = words(&random, count + count % 2)
                .chunks_exact(2)
                .flat_map(|pair| normal_pair(pair[0].into(), pair[1].into(), 32))
                .collect();
            let got = Array::<f32>::normal(&stream, &mut random, count).unwrap();
            for (got, wanted) in got.to_vec().unwrap().into_iter().zip(wanted) {
                worst[0] = worst[0].max(units(got.into(), wanted, 24));
            }

            let wanted: Vec<f64> = long_words(&random, count + count % 2)
                .chunks_exact(2)
                .flat_map(|pair| normal_pair(pair[0], pair[1], 64))
                .collect();
            let got = Array::<f64>::normal(&stream, &mut random, count).unwrap();
            for (got, wanted) in got.to_vec().unwrap().into_iter().zip(wanted) {
                worst[1] = worst[1].max(units(got, wanted, 53));
            }

            let wanted = words(&random, count);
            let got = Array::<f32>::exponential(&stream, &mut random, count).unwrap();
            for (got, word) in got.to_vec().unwrap().into_iter().zip(wanted) {
                worst[2] = worst[2].max(units(got.into(), negative_log(word.into(), 32), 24));
            }

            let wanted = long_words(&random, count);
            let got = Array::<f64>::exponential(&stream, &mut random, count).unwrap();
            for (got, word) in got.to_vec().unwrap().into_iter().zip(wanted) {
                worst[3] = worst[3].max(units(got, negative_log(word, 64), 53));
            }
        }
    }
    let allowed = [5.0, 5.0, 3.0, 3.5];
    assert!(
        worst
            .iter()
            .zip(allowed)
            .all(|(worst, allowed)| *worst < allowed),
        "{worst:?}"
    );
}

/// Tests both ends of the range of bits, which draws rarely reach.
#[test]
fn extreme_bits_give_accurate_numbers() {
    let stream = stream();
    let rare = |ones: u64| {
        let third = ones / 3;
        [
            0,
            1,
            2,
            third,
            2 * third,
            2 * third + 1,
            ones / 2,
            ones / 2 + 1,
            ones - 1,
            ones,
        ]
    };
    let small = rare(u32::MAX.into());
    let bits = Array::from_slice(&stream, &small.map(|bits| bits as u32)).unwrap();
    let got = of_bits::<f32>(&EXPONENTIAL, &bits.expr());
    for (got, bits) in got.eval().unwrap().to_vec().unwrap().into_iter().zip(small) {
        let wanted = negative_log(bits, 32);
        assert!(
            units(got.into(), wanted, 24) < 3.0,
            "{bits:#x}: {got} {wanted}"
        );
    }
    let large = rare(u64::MAX);
    let bits = Array::from_slice(&stream, &large).unwrap();
    let got = of_bits::<f64>(&EXPONENTIAL, &bits.expr());
    for (got, bits) in got.eval().unwrap().to_vec().unwrap().into_iter().zip(large) {
        let wanted = negative_log(bits, 64);
        assert!(units(got, wanted, 53) < 3.5, "{bits:#x}: {got} {wanted}");
    }
}

/// The expected bits were recorded when the functions were first implemented. No rounding is left
/// to the device or the compiler.
#[test]
fn normal_numbers_have_the_recorded_bits() {
    let stream = stream();
    let mut random = Random::new(1);
    let single = Array::<f32>::normal(&stream, &mut random, 4).unwrap();
    let single = single.to_vec().unwrap().into_iter().map(f32::to_bits);
    assert!(single.eq([0x3ec2_c3e3, 0xbe97_b1bc, 0xbe7f_370d, 0xbf80_7dbd]));
    let twice = Array::<f64>::normal(&stream, &mut random, 4).unwrap();
    let twice = twice.to_vec().unwrap().into_iter().map(f64::to_bits);
    assert!(twice.eq([
        0xbfd2_7859_d3b9_ebd0,
        0xbfdb_965d_20bf_99c8,
        0x3fee_866c_caed_0529,
        0xbfe0_6302_e99b_6a0f,
    ]));
}
