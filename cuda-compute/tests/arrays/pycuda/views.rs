//! Slices, reshapes, permutations, and views as other types.

use cuda_compute::{Array, NewAxis, Order, concatenate, s, stack};
use cuda_safe::{LaunchConfig, Module, bytemuck::Pod};
use num_complex::Complex;

use super::{value, values};
use crate::{OnHost, random::Random, shaped, stream, upload};

#[test]
fn ranges() {
    let stream = stream();
    let host: Vec<f32> = (0..20_000).map(|i| (i as f32).sin()).collect();
    let x = upload(&stream, &host);
    let mut random = Random(11);
    for _ in 0..200 {
        let start = random.below(20_000);
        let end = start + random.below(20_000 - start);
        let part = x.slice(s![start..end]).unwrap();
        assert_eq!(part.host(), host[start..end]);
    }
}

#[test]
fn rows_and_columns() {
    let stream = stream();
    let host: Vec<f32> = (0..300_000).map(|i| i as f32).collect();
    let rows = shaped(&stream, [1000, 300], &host);
    let columns = rows.t().copy().unwrap();
    assert!(columns.is_contiguous(Order::F));
    let mut random = Random(12);
    for _ in 0..50 {
        let start = random.below(1000);
        let end = start + random.below(1000 - start);
        let wanted = &host[start * 300..end * 300];
        let part = rows.slice(s![start..end]).unwrap();
        assert!(part.is_contiguous(Order::C));
        assert_eq!(part.host(), wanted);
        let part = columns.slice(s![.., start..end]).unwrap();
        assert!(part.is_contiguous(Order::F));
        assert_eq!(part.t().host(), wanted);
    }
}

#[test]
fn ranges_that_end_before_they_begin() {
    let stream = stream();
    let x = Array::range(&stream, 0..12)
        .unwrap()
        .reshape([4, 3])
        .unwrap();
    for part in [s![2..1], s![3..0], s![-1..1], s![4..4]] {
        let part = x.slice(part).unwrap();
        assert_eq!(part.shape(), [0, 3]);
        assert!(part.host().is_empty());
        assert_eq!(value(part.sum()), 0);
    }
}

#[test]
fn empty_arrays() {
    let stream = stream();
    for lengths in [&[0][..], &[0, 3], &[3, 0], &[2, 0, 4]] {
        let empty = Array::<f32>::zeros(&stream, lengths).unwrap();
        assert!(empty.is_empty() && empty.as_device_ptr() == 0);
        assert!(values(&empty + 1.0).is_empty());
        assert!(values(1.0 - &empty).is_empty());
        assert!(values(empty.sin().cast::<i32>()).is_empty());
        assert!(values(empty.less(0.0).select(1.0f32, &empty)).is_empty());
        assert_eq!(empty.copy().unwrap().shape(), empty.shape());
        assert_eq!(empty.t().copy().unwrap().rank(), lengths.len());
        assert_eq!(empty.flatten().unwrap().shape(), [0]);
        assert_eq!(empty.slice(s![..;-1]).unwrap().shape(), empty.shape());
        assert_eq!(value(empty.sum()), 0.0);
        assert_eq!(value(empty.product()), 1.0);
        assert_eq!(value((&empty * &empty).sum()), 0.0);
        assert!(value(empty.mean()).is_nan());
        assert!(value(empty.is_nan().all()) && !value(empty.is_nan().any()));
        assert!(empty.max().eval().is_err() && empty.argmin().eval().is_err());
        assert!(empty.item().is_err());
        let two = concatenate(&[&empty, &empty], 0).unwrap();
        assert_eq!(two.shape().as_slice()[1..], empty.shape().as_slice()[1..]);
        assert!(stack(&[&empty], 0).unwrap().is_empty());
        assert!(empty.to_ndarray().unwrap().is_empty());
        let host = empty.to_ndarray().unwrap();
        assert_eq!(
            Array::from_ndarray(&stream, &host).unwrap().shape(),
            empty.shape()
        );
        let (mut filled, mut copied) = (Array::ones_like(&empty).unwrap(), empty.clone());
        filled.fill(3.0).unwrap();
        copied.copy_from_slice(&[]).unwrap();
        copied.copy_to_slice(&mut []).unwrap();
        copied.assign(&filled * 2.0).unwrap();
        assert_eq!(empty.reinterpret::<u32>().unwrap().shape(), empty.shape());
    }
    // Sums along an empty axis are zeros. Sums along the other axis are empty.
    let empty = Array::<i64>::zeros(&stream, [0, 3]).unwrap();
    assert_eq!(values(empty.sum_axis(0)), [0; 3]);
    assert!(values(empty.sum_axis(1)).is_empty());
    assert!(values(empty.max_axis(1)).is_empty());
    assert!(empty.max_axis(0).eval().is_err());
}

#[test]
fn reshapes() {
    let stream = stream();
    let host: Vec<i32> = (0..128).collect();
    let x = shaped(&stream, [8, 16], &host);
    let y = x.reshape([4, 32]).unwrap();
    assert_eq!(
        (y.shape(), y.as_device_ptr()),
        (x.reshape([4, 32]).unwrap().shape(), x.as_device_ptr())
    );
    assert_eq!(y.host(), host);
    assert!(x.reshape([4, 16]).is_err());
    // The result is always in C order, also for an array in Fortran order.
    let turned = x.t().reshape([4, 32]).unwrap();
    let wanted: Vec<i32> = (0..128).map(|i| i % 8 * 16 + i / 8).collect();
    assert_eq!(turned.host(), wanted);
    assert!(turned.is_contiguous(Order::C));
    assert_eq!(x.t().flatten().unwrap().host(), wanted);
}

#[test]
fn views_of_other_types() {
    let stream = stream();
    let host: Vec<f32> = (0..128).map(|i| i as f32 * 0.5).collect();
    let x = shaped(&stream, [8, 16], &host);
    fn bytes<T: Pod>(values: &[T]) -> Vec<u8> {
        cuda_safe::bytemuck::cast_slice(values).to_vec()
    }
    let complex = x.reinterpret::<Complex<f32>>().unwrap();
    assert_eq!(complex.shape(), [8, 8]);
    assert_eq!(complex.as_device_ptr(), x.as_device_ptr());
    assert_eq!(bytes(&complex.host()), bytes(&host));
    let short = x.reinterpret::<i16>().unwrap();
    assert_eq!(short.shape(), [8, 32]);
    assert_eq!(bytes(&short.host()), bytes(&host));
    // A part can be viewed if each row holds whole elements of the other type, otherwise the call
    // fails.
    let part = x.slice(s![..;-2, 2..6]).unwrap();
    let wanted = bytes(&part.host());
    assert_eq!(bytes(&part.reinterpret::<u64>().unwrap().host()), wanted);
    assert_eq!(bytes(&part.reinterpret::<u8>().unwrap().host()), wanted);
    for wrong in [s![.., 1..5], s![.., ..3], s![.., ..;2], s![.., ..;-1]] {
        assert!(x.slice(wrong).unwrap().reinterpret::<f64>().is_err());
    }
    assert!(x.t().reinterpret::<f64>().is_err());
    assert_eq!(x.t().reinterpret::<u32>().unwrap().strides(), [1, 16]);
    let odd = Array::<f32>::zeros(&stream, [2, 3]).unwrap();
    assert!(odd.reinterpret::<f64>().is_err());
    assert!(odd.slice(s![0, 0]).unwrap().reinterpret::<u8>().is_err());
    // An assignment reads the old bytes of the array, also through a view of another type.
    let mut x = upload(&stream, &[0x0201u16, 0x0403, 0x0605, 0x0807]);
    let low = x.reinterpret::<u8>().unwrap().slice(s![..4]).unwrap();
    x.assign(low.cast::<u16>()).unwrap();
    assert_eq!(x.host(), [1, 2, 3, 4]);
}

#[test]
fn axes_of_length_1() {
    let stream = stream();
    let x = Array::range(&stream, 0..40_000)
        .unwrap()
        .reshape([40, 2, 5, 100])
        .unwrap();
    for (part, lengths, dense) in [
        (s![0..1].to_vec(), &[2, 5, 100][..], true),
        (s![.., 0..1].to_vec(), &[40, 5, 100], false),
        (s![.., .., 2..3].to_vec(), &[40, 2, 100], false),
        (s![3..4, 1..2].to_vec(), &[5, 100], true),
        (s![.., 0..1, 0..1, 0..1].to_vec(), &[40], false),
    ] {
        let part = x.slice(part).unwrap();
        let squeezed = part.squeeze();
        assert_eq!(squeezed.shape(), *lengths);
        assert_eq!(squeezed.is_contiguous(Order::C), dense);
        assert_eq!(squeezed.host(), part.host());
        let doubled: Vec<i32> = part.host().iter().map(|v| v * 2).collect();
        assert_eq!(values(&squeezed * 2), doubled);
    }
}

#[test]
fn permuted_axes() {
    let stream = stream();
    let host: Vec<i32> = (0..6000).collect();
    let x = shaped(&stream, [10, 20, 30], &host);
    let wanted = ndarray::Array3::from_shape_vec((10, 20, 30), host).unwrap();
    assert_eq!(x.t().shape(), [30, 20, 10]);
    assert_eq!(x.t().to_ndarray().unwrap(), wanted.t().into_dyn());
    for axes in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let turned = x.permute(axes).unwrap();
        let host = wanted.view().permuted_axes(axes);
        assert_eq!(turned.to_ndarray().unwrap(), host.into_dyn());
    }
    // A view that is not dense.
    let part = x.slice(s![..;2, 3..15;4, ..;-7]).unwrap();
    let host = wanted.slice(ndarray::s![..;2, 3..15;4, ..;-7]);
    assert_eq!(part.t().to_ndarray().unwrap(), host.t().into_dyn());
    assert_eq!(
        values(part.t() + 1),
        host.t().iter().map(|v| v + 1).collect::<Vec<_>>()
    );
    let new = x.slice(s![.., NewAxis, .., NewAxis]).unwrap();
    assert_eq!(new.shape(), [10, 1, 20, 1, 30]);
    assert_eq!(new.host(), x.host());
}

#[test]
fn mixed_memory_orders() {
    let stream = stream();
    let host = ndarray::Array2::from_shape_fn((5, 7), |(i, j)| (10 * i + j) as f32);
    let c = Array::from_ndarray(&stream, &host).unwrap();
    let f = c.contiguous(Order::F).unwrap();
    assert!(f.is_contiguous(Order::F) && !f.is_contiguous(Order::C));
    let wanted = (&host * 3.0).into_dyn();
    assert_eq!(
        (&c * 2.0 + &f).eval().unwrap().to_ndarray().unwrap(),
        wanted
    );
    assert_eq!(
        (&f * 2.0 + &c).eval().unwrap().to_ndarray().unwrap(),
        wanted
    );
    assert_eq!(value((&c * &f).sum()), (&host * &host).sum());
    // Shapes that differ only in their order do not match.
    assert!((&c + c.t()).eval().is_err());
    let row = upload(&stream, &[1.0f32; 6]);
    let matrix = Array::<f32>::zeros(&stream, [4, 6]).unwrap();
    assert_eq!(values(&matrix + &row), [1.0; 24]);
}

#[test]
fn slices_can_be_passed_to_user_kernels() {
    let stream = stream();
    let module = Module::compile(
        stream.context(),
        r#"extern "C" __global__ void twice(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }"#,
    )
    .unwrap();
    let x = Array::<f32>::ones(&stream, 65_536).unwrap();
    let part = x.slice(s![256..-256]).unwrap();
    let twice = module.function("twice").unwrap();
    let config = LaunchConfig::new(254, 256);
    // SAFETY: There is one thread for each element of `part`, and nothing else uses the elements
    // meanwhile.
    unsafe { twice.launch(&stream, config, (part.as_device_ptr(),)) }.unwrap();
    let host = x.host();
    assert_eq!(host[255..=256], [1.0, 2.0]);
    assert_eq!(host[65_279..=65_280], [2.0, 1.0]);
}
