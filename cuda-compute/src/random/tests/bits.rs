//! Bits, uniform numbers and integers of a range.

use super::{COUNTS, long_words, randoms, stream, words};
use crate::Array;

#[test]
fn bits_and_uniform_numbers_match_the_words() {
    let stream = stream();
    for mut random in randoms() {
        for count in COUNTS {
            let wanted = words(&random, count);
            let got = Array::<u32>::bits(&stream, &mut random, count).unwrap();
            assert_eq!(got.to_vec().unwrap(), wanted);

            let wanted = long_words(&random, count);
            let got = Array::<u64>::bits(&stream, &mut random, count).unwrap();
            assert_eq!(got.to_vec().unwrap(), wanted);

            let wanted = words(&random, count);
            let wanted: Vec<f32> = wanted
                .iter()
                .map(|w| (w >> 8) as f32 / 16_777_216.0)
                .collect();
            let got = Array::<f32>::uniform(&stream, &mut random, count).unwrap();
            assert_eq!(got.to_vec().unwrap(), wanted);

            let wanted = long_words(&random, count);
            let wanted: Vec<f64> = wanted
                .iter()
                .map(|w| (w >> 11) as f64 / 2f64.powi(53))
                .collect();
            let got = Array::<f64>::uniform(&stream, &mut random, count).unwrap();
            assert_eq!(got.to_vec().unwrap(), wanted);
        }
    }
}

#[test]
fn integers_of_a_range_match_the_words() {
    let stream = stream();
    for mut random in randoms() {
        for count in COUNTS {
            let bits = long_words(&random, count);
            let got = Array::<i32>::uniform_integers(&stream, &mut random, count, -3..4).unwrap();
            let wanted = bits.iter().map(|&b| ((u128::from(b) * 7) >> 64) as i32 - 3);
            assert!(got.to_vec().unwrap().into_iter().eq(wanted));

            let bits = long_words(&random, count);
            let all = i32::MIN..i32::MAX;
            let got = Array::<i32>::uniform_integers(&stream, &mut random, count, all).unwrap();
            let size = u128::from(u32::MAX);
            let wanted = bits
                .iter()
                .map(|&b| (((u128::from(b) * size) >> 64) as i64 + i64::from(i32::MIN)) as i32);
            assert!(got.to_vec().unwrap().into_iter().eq(wanted));

            let high = long_words(&random, count);
            let mut later = random.clone();
            later.skip(count.div_ceil(2) as u64);
            let low = long_words(&later, count);
            let range = -5..i64::MAX - 7;
            let got = Array::uniform_integers(&stream, &mut random, count, range).unwrap();
            let size = (1u128 << 63) - 3;
            let wanted = high.iter().zip(low).map(|(&high, low)| {
                let product = u128::from(high) * size + ((u128::from(low) * size) >> 64);
                (product >> 64) as i64 - 5
            });
            assert!(got.to_vec().unwrap().into_iter().eq(wanted));
            later.skip(count.div_ceil(2) as u64);
            assert_eq!(random, later);
        }
    }
}
