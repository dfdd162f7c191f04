//! Random choices of elements.

use cuda_compute::{Array, Expr, Random};

use crate::{
    OnHost,
    distributions::{chi_square, counts},
    failure::failure,
    stream, upload,
};

const COUNT: usize = 1 << 14;

#[test]
fn choices_with_replacement_are_uniform() {
    let stream = stream();
    let mut random = Random::new(31);
    let x = Array::range(&stream, 0..7i32).unwrap();
    let before = random.clone();
    let got = x.choice(&mut random, COUNT, 0).unwrap().host();
    // The documented indices.
    let same = Array::<u64>::uniform_integers(&stream, &mut before.clone(), COUNT, 0..7).unwrap();
    assert!(same.host().iter().zip(&got).all(|(&a, &b)| a as i32 == b));
    let chi = chi_square(&counts(got.iter().map(|&x| x as usize), 7), |_| {
        COUNT as f64 / 7.0
    });
    assert!(chi.abs() < 4.0, "{chi}");
    // The axes of the shape replace the axis, and values on other axes stay together.
    let x = Array::range(&stream, 0..12i32)
        .unwrap()
        .reshape([2, 3, 2])
        .unwrap();
    let got = (&x * 2).choice(&mut random, [4, 5], 1).unwrap();
    assert_eq!(got.shape(), [2, 4, 5, 2]);
    let got = got.host();
    for (first, second) in got[..40].chunks(2).zip(got[40..].chunks(2)) {
        assert_eq!(first[1], first[0] + 2);
        assert_eq!(second, [first[0] + 12, first[0] + 14]);
    }
    assert!(x.choice(&mut random, 3, 3).is_err());
    let empty = Array::<f32>::zeros(&stream, [0, 2]).unwrap();
    assert_eq!(empty.choice(&mut random, 0, 0).unwrap().shape(), [0, 2]);
    failure(empty.choice(&mut random, 3, 0)).mentions("3 of 0 elements");
}

#[test]
fn choices_without_replacement_are_different() {
    let stream = stream();
    let mut random = Random::new(32);
    let x = Array::range(&stream, 0..1000u32).unwrap();
    let mut seen = vec![0u64; 10];
    for _ in 0..40 {
        let got = x.choice_without_replacement(&mut random, 100, 0).unwrap();
        let got = got.host();
        let mut sorted = got.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 100);
        assert_ne!(sorted, got, "not in random order");
        got.iter().for_each(|&x| seen[x as usize / 100] += 1);
    }
    let chi = chi_square(&seen, |_| 400.0);
    assert!(chi.abs() < 4.0, "{seen:?}");
    let all = x.choice_without_replacement(&mut random, 1000, 0).unwrap();
    let mut all = all.host();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..1000));
    failure(x.choice_without_replacement(&mut random, 1001, 0))
        .mentions("1001 of 1000 elements")
        .mentions("without replacement");
}

#[test]
fn weighted_choices_have_the_probabilities_of_their_weights() {
    let stream = stream();
    let mut random = Random::new(33);
    let weights = [0.0, 3.0, 0.0, 1.0, 4.0, 0.5, 0.0];
    let device = upload(&stream, &weights);
    let x = Array::range(&stream, 0..7u32).unwrap();
    let got = x
        .choice_weighted(&mut random, [2, COUNT / 2], &device, 0)
        .unwrap();
    assert_eq!(got.shape(), [2, COUNT / 2]);
    let seen = counts(got.host().iter().map(|&x| x as usize), 7);
    let used: Vec<usize> = (0..7).filter(|&i| weights[i] > 0.0).collect();
    assert!((0..7).all(|i| weights[i] > 0.0 || seen[i] == 0), "{seen:?}");
    let some: Vec<u64> = used.iter().map(|&i| seen[i]).collect();
    let chi = chi_square(&some, |i| weights[used[i]] / 8.5 * COUNT as f64);
    assert!(chi.abs() < 4.0, "{seen:?}");
    // Many equal weights.
    let ones = Expr::scalar(1.0).broadcast_to(3000).unwrap();
    let x = Array::range(&stream, 0..3000u32).unwrap();
    let got = x.choice_weighted(&mut random, COUNT, ones, 0).unwrap();
    let seen = counts(got.host().iter().map(|&x| x as usize / 100), 30);
    let chi = chi_square(&seen, |_| COUNT as f64 / 30.0);
    assert!(chi.abs() < 4.0, "{seen:?}");
    failure(x.choice_weighted(&mut random, 5, &device, 0)).mentions("weights of shape [3000]");
}

#[test]
fn weighted_choices_without_replacement_draw_one_after_the_other() {
    let stream = stream();
    let mut random = Random::new(34);
    let weights = [1.0, 2.0, 3.0];
    let device = upload(&stream, &weights);
    let x = Array::range(&stream, 0..3u32).unwrap();
    let runs = 600;
    let mut seen = [0u64; 9];
    for _ in 0..runs {
        let got = x
            .choice_weighted_without_replacement(&mut random, 2, &device, 0)
            .unwrap();
        let got = got.host();
        seen[got[0] as usize * 3 + got[1] as usize] += 1;
    }
    // The probability of the first one, times that of the second one among the others.
    let (mut observed, mut expected) = (Vec::new(), Vec::new());
    for first in 0..3 {
        for second in 0..3 {
            let count = seen[first * 3 + second];
            if first == second {
                assert_eq!(count, 0);
                continue;
            }
            observed.push(count);
            let left = 6.0 - weights[first];
            expected.push(weights[first] / 6.0 * weights[second] / left * f64::from(runs));
        }
    }
    let chi = chi_square(&observed, |i| expected[i]);
    assert!(chi.abs() < 4.0, "{seen:?}");
    // Weights of 0 come last.
    let zeros = upload(&stream, &[0.0, 1.0, 0.0]);
    let got = x
        .choice_weighted_without_replacement(&mut random, 3, &zeros, 0)
        .unwrap();
    assert_eq!(got.host()[0], 1);
}
