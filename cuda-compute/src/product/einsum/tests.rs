//! Tests with the fake cuBLAS, compared with a loop over all letters.

use std::collections::BTreeMap;

use half::f16;

use super::{super::tests::stream, *};
use crate::{array::Shape, random_numbers::Random, s};

/// Returns small integers, whose sums of products are exact.
fn numbers(random: &mut Random, count: usize) -> Vec<f64> {
    (0..count).map(|_| random.below(7) as f64 - 3.0).collect()
}

/// Computes `einsum` without ellipses by a loop over the values of all letters.
fn reference(text: &str, operands: &[(Vec<usize>, Vec<f64>)]) -> Vec<f64> {
    let (inputs, output) = text.split_once("->").unwrap();
    let terms: Vec<Vec<char>> = inputs
        .split(',')
        .map(|term| term.chars().collect())
        .collect();
    let output: Vec<char> = output.chars().collect();
    let mut lengths = BTreeMap::new();
    for (term, (shape, _)) in terms.iter().zip(operands) {
        lengths.extend(term.iter().copied().zip(shape.iter().copied()));
    }
    let place = |labels: &[char], index: &BTreeMap<char, usize>| {
        labels
            .iter()
            .fold(0, |place, label| place * lengths[label] + index[label])
    };
    let mut result = vec![0.0; output.iter().map(|label| lengths[label]).product()];
    let mut index: BTreeMap<char, usize> = lengths.keys().map(|&label| (label, 0)).collect();
    let total: usize = lengths.values().product();
    for step in 0..total {
        let mut rest = step;
        for (label, at) in &mut index {
            *at = rest % lengths[label];
            rest /= lengths[label];
        }
        let factors = terms.iter().zip(operands);
        let product: f64 = factors
            .map(|(term, (_, values))| values[place(term, &index)])
            .product();
        result[place(&output, &index)] += product;
    }
    result
}

#[test]
fn contractions_match_a_loop() {
    let (stream, _keeps) = stream();
    let mut random = Random(5);
    for text in [
        "ij,jk->ik",
        "ij,jk->ki",
        "ji,kj->ik",
        "ij,ij->ij",
        "ij,ij->",
        "i,j->ij",
        "ij,j->i",
        "bij,bjk->bik",
        "ibj,jkb->kbi",
        "aibj,bjck->aick",
        "abij,abjk->abik",
        "ijk,kji->",
        "ijkl,lkm->mij",
        "iij,jk->ik",
        "ii->i",
        "iii->",
        "ijk->kj",
        "ij,jk,kl->il",
        "ij,kl,jk->li",
        "ijk,jl,kl->i",
        "i,i,i->i",
        "ij,k->j",
        "abc,abd->cd",
        "ij,jkl,lk->i",
        ",ij->ji",
    ] {
        let mut lengths: BTreeMap<char, usize> = BTreeMap::new();
        let inputs = text.split_once("->").unwrap().0;
        let operands: Vec<(Vec<usize>, Vec<f64>)> = inputs
            .split(',')
            .map(|term| {
                let length = |label| *lengths.entry(label).or_insert(1 + random.below(4));
                let shape: Vec<usize> = term.chars().map(length).collect();
                let values = numbers(&mut random, shape.iter().product());
                (shape, values)
            })
            .collect();
        let arrays: Vec<Array<f64>> = operands
            .iter()
            .map(|(shape, values)| Array::from_shape(&stream, &shape[..], values).unwrap())
            .collect();
        let wanted = reference(text, &operands);
        let got = einsum(text, &arrays).unwrap();
        assert_eq!(got.to_vec().unwrap(), wanted, "{text} of {operands:?}");
        // Views that must be copied, or are read in place.
        let views: Vec<Array<f64>> = arrays.iter().map(|x| x.t().copy().unwrap().t()).collect();
        let got = einsum(text, &views).unwrap();
        assert_eq!(
            got.to_vec().unwrap(),
            wanted,
            "{text} of transposed operands"
        );
    }
}

#[test]
fn ellipses_are_broadcast() {
    let (stream, _keeps) = stream();
    let mut random = Random(6);
    let left = numbers(&mut random, 2 * 3 * 4);
    let right = numbers(&mut random, 5 * 4 * 2);
    let x = Array::from_shape(&stream, [1, 2, 3, 4], &left).unwrap();
    let y = Array::from_shape(&stream, [5, 1, 4, 2], &right).unwrap();
    let got = einsum("...ij,...jk->...ik", &[&x, &y]).unwrap();
    assert_eq!(got.shape(), [5, 2, 3, 2]);
    assert_eq!(
        got.to_vec().unwrap(),
        x.matmul(&y).unwrap().to_vec().unwrap()
    );
    let rows = Array::from_shape(&stream, [2, 3], &left[..6]).unwrap();
    let sums = einsum("...i->...", &[&rows]).unwrap().to_vec().unwrap();
    assert_eq!(
        sums,
        [left[..3].iter().sum(), left[3..6].iter().sum::<f64>()]
    );
}

#[test]
fn tensordot_matches_einsum() {
    let (stream, _keeps) = stream();
    let mut random = Random(7);
    let x = numbers(&mut random, 24);
    let x = Array::from_shape(&stream, [2, 3, 4], &x).unwrap();
    let y = numbers(&mut random, 60);
    let y = Array::from_shape(&stream, [3, 4, 5], &y).unwrap();
    let host = |array: Result<Array<f64>>| {
        let array = array.unwrap();
        (array.shape(), array.to_vec().unwrap())
    };
    let wanted = host(einsum("ijk,jkl->il", &[&x, &y]));
    assert_eq!(host(x.tensordot(&y, 2)), wanted);
    assert_eq!(host(x.tensordot_axes(&y, [1, 2], [0, 1])), wanted);
    assert_eq!(host(x.tensordot_axes(&y, [2, 1], [1, -3])), wanted);
    let outer = x.tensordot(&y, 0).unwrap();
    assert_eq!(outer.shape(), [2, 3, 4, 3, 4, 5]);
    let last = x.tensordot_axes(&y, 2, 1).unwrap();
    assert_eq!(host(Ok(last)), host(einsum("ija,bac->ijbc", &[&x, &y])));
    let number = x.tensordot(&x, 3).unwrap();
    assert_eq!(number.shape(), Shape::of(&[]));
    let fails = |result: Result<Array<f64>>, text: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    fails(
        x.tensordot(&y, 1),
        "axis 2 of shape [2, 3, 4] has length 4, and axis 0 of shape [3, 4, 5] has length 3",
    );
    fails(x.tensordot(&y, 4), "Fix: pass at most 3");
    fails(
        x.tensordot_axes(&y, [1, 2], [0]),
        "2 axes of the first array and 1 of the second",
    );
    fails(x.tensordot_axes(&y, [1, 1], [0, 1]), "twice");
}

#[test]
fn halves_are_rounded_once() {
    let (stream, _keeps) = stream();
    let x = Array::from_slice(&stream, &[2048.0f32, 1.0, 1.0].map(f16::from_f32)).unwrap();
    let ones = Array::from_slice(&stream, &[f16::ONE; 3]).unwrap();
    let sum = einsum("i,i->", &[&x, &ones]).unwrap().item().unwrap();
    assert_eq!(sum, f16::from_f32(2050.0));
}

#[test]
fn summed_axes_take_the_order_that_needs_fewer_copies() {
    let (stream, _keeps) = stream();
    let x = Array::<f32>::zeros(&stream, [2, 3, 4]).unwrap();
    let y = Array::<f32>::zeros(&stream, [4, 3, 5]).unwrap();
    // Returns which of both operands are copied for "ijk,kjl->il".
    let copied = |x: &Array<f32>, y: &Array<f32>| {
        let (of_x, of_y) = (Shape::of(&[2, 12]), Shape::of(&[12, y.shape()[2]]));
        let by_left = [(x.clone(), of_x), (y.permute([1, 0, 2]).unwrap(), of_y)];
        let by_right = [(x.permute([0, 2, 1]).unwrap(), of_x), (y.clone(), of_y)];
        fewest_copies([by_left, by_right])
            .map(|(array, shape)| array.layout.reshaped(shape).is_none())
    };
    // One of them must be copied: the smaller one.
    assert_eq!(copied(&x, &y), [true, false]);
    let narrow = y.slice(s![.., .., ..1]).unwrap();
    assert_eq!(copied(&x, &narrow), [false, true]);
    let turned = Array::<f32>::zeros(&stream, [2, 4, 3]).unwrap();
    let turned = turned.permute([0, 2, 1]).unwrap();
    assert_eq!(copied(&turned, &y), [false, false]);
}
