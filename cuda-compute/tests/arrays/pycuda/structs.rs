//! Structures as elements: fills, reductions, and scalar arguments of different alignments.

use bytemuck::{Pod, Zeroable};
use cuda_compute::{Array, Combination, CudaFn, Element};

use super::{singles, uniform};
use crate::{OnHost, random::Random, stream, upload};

#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
#[repr(C)]
struct Float3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
#[repr(C)]
struct MinMax {
    cur_min: f32,
    cur_max: f32,
}

/// A byte before an 8-byte number, with the padding that C inserts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
#[repr(C)]
struct ByteAndDouble {
    byte: i8,
    pad: [u8; 7],
    number: f64,
}

#[test]
fn vectors_are_filled() {
    let stream = stream();
    let mut x = Array::<Float3>::zeros(&stream, 100).unwrap();
    let value = Float3 {
        x: 1.0,
        y: 2.0,
        z: 3.0,
    };
    x.fill(value).unwrap();
    assert_eq!(x.host(), [value; 100]);
    x.fill(Float3::default()).unwrap();
    assert_eq!(x.host(), [Float3::default(); 100]);
}

#[test]
fn a_structure_is_reduced() {
    let stream = stream();
    let host = singles(&uniform(&mut Random(5), 20_000, 0.0, 1.0));
    let x = upload(&stream, &host);
    // SAFETY: Both functions only compute their result.
    let (from_scalar, agg) = unsafe {
        (
            CudaFn::<fn(f32) -> MinMax>::new(
                "mmc_from_scalar",
                "__device__ MinMax mmc_from_scalar(float x) {
                     MinMax result;
                     result.cur_min = x;
                     result.cur_max = x;
                     return result;
                 }",
            ),
            CudaFn::<fn(MinMax, MinMax) -> MinMax>::new(
                "agg_mmc",
                "__device__ MinMax agg_mmc(MinMax a, MinMax b) {
                     MinMax result = a;
                     if (b.cur_min < result.cur_min) result.cur_min = b.cur_min;
                     if (b.cur_max > result.cur_max) result.cur_max = b.cur_max;
                     return result;
                 }",
            ),
        )
    };
    let neutral = MinMax {
        cur_min: 10_000.0,
        cur_max: -10_000.0,
    };
    let both = from_scalar
        .map((&x,))
        .reduce(Combination::new(&agg, neutral));
    let wanted = MinMax {
        cur_min: host.iter().copied().fold(2.0, f32::min),
        cur_max: host.iter().copied().fold(-1.0, f32::max),
    };
    assert_eq!(both.eval().unwrap().value(), wanted);
}

#[test]
fn scalars_of_different_alignments_are_passed_together() {
    let stream = stream();
    let x = Array::range(&stream, 0..100).unwrap().cast::<f32>();
    // SAFETY: Both functions only compute their result.
    let (single, double) = unsafe {
        (
            CudaFn::<fn(i8, Float3, f32) -> f32>::new(
                "add",
                "__device__ float add(signed char c, Float3 v, float x) { return c + v.x * 10 + v.y * 100 + v.z * 1000 + x; }",
            ),
            CudaFn::<fn(i8, ByteAndDouble, f32) -> f64>::new(
                "add",
                "__device__ double add(signed char c, const ByteAndDouble &v, float x) { return c + v.byte + v.number * 100 + x; }",
            ),
        )
    };
    let vector = Float3 {
        x: 1.0,
        y: 2.0,
        z: 3.0,
    };
    let got = single.map((-7, vector, &x)).eval().unwrap().host();
    let wanted: Vec<f32> = (0..100).map(|i| 3203.0 + i as f32).collect();
    assert_eq!(got, wanted);
    let pair = ByteAndDouble {
        byte: -3,
        pad: [0xff; 7],
        number: 0.25,
    };
    let got = double.map((-7, pair, &x)).eval().unwrap().host();
    let wanted: Vec<f64> = (0..100).map(|i| 15.0 + f64::from(i)).collect();
    assert_eq!(got, wanted);
    // The same with arrays.
    let pairs = Array::full(&stream, 100, pair).unwrap();
    let bytes = Array::full(&stream, 100, -7i8).unwrap();
    let got = double.map((&bytes, &pairs, &x)).eval().unwrap().host();
    assert_eq!(got, wanted);
}
