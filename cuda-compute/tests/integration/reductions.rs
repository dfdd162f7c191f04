use cuda_compute::{Error, MapReduce, Reducer, Reducible};
use cuda_safe::{DeviceBuffer, Stream};
use half::{bf16, f16};

use crate::{Random, device, emulated};

/// Returns lengths around the edges of a vector, a warp, a block and the device. A GPU gets more of
/// them.
fn lengths(emulated: bool) -> Vec<usize> {
    let mut lengths = vec![
        0, 1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 1023, 2048, 2049, 8191, 33_000,
    ];
    if !emulated {
        lengths.extend([65_537, (1 << 20) - 1, (1 << 22) + 3]);
    }
    lengths
}

/// Sums every length from every offset within a vector, and compares the results with `agree`.
fn check_sums<T: Reducible>(
    make: impl Fn(&mut Random) -> T,
    agree: impl Fn(&[T], T::Sum, T::Wide) -> Result<(), String>,
) {
    let (context, stream) = device();
    let reducer = Reducer::new(&context).unwrap();
    let lengths = lengths(emulated(&context));
    let longest = lengths.iter().max().unwrap() + 16;
    let mut random = Random(1);
    let host: Vec<T> = (0..longest).map(|_| make(&mut random)).collect();
    let data = DeviceBuffer::from_slice(&stream, &host).unwrap();
    for length in lengths {
        for start in 0..16 / size_of::<T>() {
            let view = data.slice(start..start + length).unwrap();
            let sum = reducer.sum(&stream, &view).unwrap();
            let wide = reducer.sum_wide(&stream, &view).unwrap();
            if let Err(why) = agree(&host[start..start + length], sum, wide) {
                panic!("{length} elements from {start}: {why}");
            }
        }
    }
}

fn close(got: f64, wanted: f64, bound: f64, what: &str) -> Result<(), String> {
    if (got - wanted).abs() <= bound {
        Ok(())
    } else {
        Err(format!(
            "{what} is {got}, not {wanted}, by more than {bound:e}"
        ))
    }
}

/// Checks sums of `value` of the elements. Errors are relative to the sum of magnitudes.
fn check_real<T: Reducible>(
    make: impl Fn(&mut Random) -> T,
    value: impl Fn(T) -> f64,
    sum_error: f64,
) where
    T::Sum: Into<f64>,
    T::Wide: Into<f64>,
{
    check_sums(make, |data, sum, wide| {
        let wanted: f64 = data.iter().map(|&x| value(x)).sum();
        let magnitude: f64 = data.iter().map(|&x| value(x).abs()).sum();
        close(sum.into(), wanted, sum_error * magnitude, "the sum")?;
        close(wide.into(), wanted, 1e-14 * magnitude, "the wide sum")
    });
}

#[test]
fn sums_of_f32() {
    check_real(|random| random.real() as f32, f64::from, 1e-6);
}

#[test]
fn sums_of_f64() {
    check_real(Random::real, |x| x, 1e-14);
}

#[test]
fn sums_of_halves_are_computed_in_f32() {
    check_real(|random| f16::from_f64(random.real()), f64::from, 1e-6);
    check_real(|random| bf16::from_f64(random.real()), f64::from, 1e-6);
}

#[test]
fn sums_of_integers_are_exact_and_wrap() {
    let exact = |equal: bool| {
        if equal {
            Ok(())
        } else {
            Err("differs".to_string())
        }
    };
    check_sums(
        |random| random.bits() as i32,
        |data, sum, wide| {
            exact(sum == data.iter().fold(0, |a: i32, b| a.wrapping_add(*b)))?;
            exact(wide == data.iter().map(|&x| i64::from(x)).sum::<i64>())
        },
    );
    check_sums(
        |random| random.bits() as u32,
        |data, sum, wide| {
            exact(sum == data.iter().fold(0, |a: u32, b| a.wrapping_add(*b)))?;
            exact(wide == data.iter().map(|&x| u64::from(x)).sum::<u64>())
        },
    );
    check_sums(
        |random| random.bits() as i64,
        |data, sum, wide| {
            exact(sum == data.iter().fold(0, |a: i64, b| a.wrapping_add(*b)))?;
            exact(wide == sum)
        },
    );
    check_sums(
        |random| random.bits(),
        |data, sum, wide| {
            exact(sum == data.iter().fold(0, |a: u64, b| a.wrapping_add(*b)))?;
            exact(wide == sum)
        },
    );
}

#[test]
fn the_same_data_gives_the_same_bits() {
    let (context, stream) = device();
    let reducer = Reducer::new(&context).unwrap();
    let count = if emulated(&context) {
        40_000
    } else {
        3_000_001
    };
    let data = DeviceBuffer::from_slice(&stream, &Random(5).reals(count)).unwrap();
    let first = reducer.sum(&stream, &data).unwrap();
    for _ in 0..20 {
        assert_eq!(
            reducer.sum(&stream, &data).unwrap().to_bits(),
            first.to_bits()
        );
    }
    let other = Stream::new(&context).unwrap();
    assert_eq!(
        reducer.sum(&other, &data).unwrap().to_bits(),
        first.to_bits()
    );
    let another = Reducer::new(&context).unwrap();
    assert_eq!(
        another.sum(&other, &data).unwrap().to_bits(),
        first.to_bits()
    );
}

#[test]
fn nan_and_infinity_propagate_through_sums() {
    let (context, stream) = device();
    let reducer = Reducer::new(&context).unwrap();
    let mut host = Random(2).reals(5000);
    host[4321] = f32::INFINITY;
    let data = DeviceBuffer::from_slice(&stream, &host).unwrap();
    assert_eq!(reducer.sum(&stream, &data).unwrap(), f32::INFINITY);
    assert!(
        reducer
            .sum(&stream, &data.slice(..4321).unwrap())
            .unwrap()
            .is_finite()
    );
    host[17] = f32::NEG_INFINITY;
    let data = DeviceBuffer::from_slice(&stream, &host).unwrap();
    assert!(reducer.sum(&stream, &data).unwrap().is_nan());
    assert!(reducer.sum_wide(&stream, &data).unwrap().is_nan());
}

#[test]
fn minima_and_maxima() {
    let (context, stream) = device();
    let reducer = Reducer::new(&context).unwrap();
    let mut host = Random(3).reals(9999);
    let least = host.iter().copied().fold(f32::NAN, f32::min);
    let greatest = host.iter().copied().fold(f32::NAN, f32::max);
    let data = DeviceBuffer::from_slice(&stream, &host).unwrap();
    assert_eq!(reducer.min(&stream, &data).unwrap(), Some(least));
    assert_eq!(reducer.max(&stream, &data).unwrap(), Some(greatest));
    assert_eq!(
        reducer.min(&stream, &data.slice(..0).unwrap()).unwrap(),
        None
    );

    // NaN is ignored unless all elements are NaN.
    host[5] = f32::NAN;
    host[9998] = f32::NEG_INFINITY;
    let data = DeviceBuffer::from_slice(&stream, &host).unwrap();
    assert_eq!(
        reducer.min(&stream, &data).unwrap(),
        Some(f32::NEG_INFINITY)
    );
    assert!(
        reducer
            .max(&stream, &data.slice(5..6).unwrap())
            .unwrap()
            .unwrap()
            .is_nan()
    );

    let integers: Vec<i64> = host
        .iter()
        .map(|x| (f64::from(*x) * -1e18) as i64)
        .collect();
    let data = DeviceBuffer::from_slice(&stream, &integers).unwrap();
    assert_eq!(
        reducer.min(&stream, &data).unwrap(),
        integers.iter().min().copied()
    );
    assert_eq!(
        reducer.max(&stream, &data).unwrap(),
        integers.iter().max().copied()
    );
    let unsigned: Vec<u32> = integers.iter().map(|&x| (x >> 20) as u32).collect();
    let data = DeviceBuffer::from_slice(&stream, &unsigned).unwrap();
    assert_eq!(
        reducer.min(&stream, &data).unwrap(),
        unsigned.iter().min().copied()
    );
    assert_eq!(
        reducer.max(&stream, &data).unwrap(),
        unsigned.iter().max().copied()
    );
    let halves: Vec<f16> = host.iter().map(|&x| f16::from_f32(x * 3.0)).collect();
    let data = DeviceBuffer::from_slice(&stream, &halves[6..9000]).unwrap();
    let greatest = halves[6..9000]
        .iter()
        .map(|x| x.to_f32())
        .fold(f32::NAN, f32::max);
    assert_eq!(reducer.max(&stream, &data).unwrap(), Some(greatest));
}

#[test]
fn dot_products_of_any_offset() {
    let (context, stream) = device();
    let reducer = Reducer::new(&context).unwrap();
    let (x, y) = (Random(7).reals(12_000), Random(8).reals(12_000));
    let x_device = DeviceBuffer::from_slice(&stream, &x).unwrap();
    let y_device = DeviceBuffer::from_slice(&stream, &y).unwrap();
    for count in [0, 1, 3, 7, 500, 11_111] {
        for (from_x, from_y) in [(0, 0), (1, 1), (0, 1), (3, 2), (2, 0)] {
            let a = x_device.slice(from_x..from_x + count).unwrap();
            let b = y_device.slice(from_y..from_y + count).unwrap();
            let products = || {
                x[from_x..][..count]
                    .iter()
                    .zip(&y[from_y..][..count])
                    .map(|(x, y)| f64::from(*x) * f64::from(*y))
            };
            let wanted: f64 = products().sum();
            let magnitude: f64 = products().map(f64::abs).sum();
            let dot = f64::from(reducer.dot(&stream, &a, &b).unwrap());
            close(dot, wanted, 1e-6 * magnitude, "the dot product").unwrap();
            let wide = reducer.dot_wide(&stream, &a, &b).unwrap();
            close(wide, wanted, 1e-14 * magnitude, "the wide dot product").unwrap();
        }
    }
    let error = reducer
        .dot(&stream, &x_device, &y_device.slice(1..).unwrap())
        .unwrap_err();
    assert!(matches!(error, Error::Shape(_)), "{error}");
}

#[test]
fn user_defined_reductions() {
    let (context, stream) = device();
    let reducer = Reducer::new(&context).unwrap();
    let host = Random(9).reals(7000);
    let data = DeviceBuffer::from_slice(&stream, &host).unwrap();
    // SAFETY: The expressions only compute their result.
    let count = unsafe { MapReduce::<f32, u32>::new("0", "a + b", "0u") };
    assert_eq!(reducer.reduce(&stream, &count, &data).unwrap(), 0);
    // SAFETY: The expressions only compute their result.
    let squares = unsafe { MapReduce::<f32, f64>::new("x * x", "a + b", "0.0") };
    let wanted: f64 = host.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    let got = reducer.reduce(&stream, &squares, &data).unwrap();
    close(got, wanted, 1e-10, "the sum of squares").unwrap();

    let mut result = DeviceBuffer::<f64>::zeroed(&stream, 1).unwrap();
    reducer
        .reduce_into(&stream, &squares, &data, &mut result)
        .unwrap();
    assert_eq!(result.to_vec(&stream).unwrap(), [got]);

    // SAFETY: This expression does not compile.
    let wrong = unsafe { MapReduce::<f32, f32>::new("x * not_a_name", "a + b", "0.0f") };
    let error = reducer.reduce(&stream, &wrong, &data).unwrap_err();
    assert!(error.to_string().contains("not_a_name"), "{error}");
    // The reducer still works.
    assert_eq!(reducer.reduce(&stream, &squares, &data).unwrap(), got);
}

#[test]
fn the_result_may_stay_on_the_device() {
    let (context, stream) = device();
    let reducer = Reducer::new(&context).unwrap();
    let data = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3, 4]).unwrap();
    let mut sums = DeviceBuffer::<u32>::zeroed(&stream, 3).unwrap();
    for i in 0..3 {
        let part = data.slice(i..).unwrap();
        reducer
            .sum_into(&stream, &part, &mut sums.slice_mut(i..=i).unwrap())
            .unwrap();
    }
    assert_eq!(sums.to_vec(&stream).unwrap(), [10, 9, 7]);
    let error = reducer.sum_into(&stream, &data, &mut sums).unwrap_err();
    assert!(error.to_string().contains("3 elements"), "{error}");
}

#[test]
fn sums_order_with_the_stream_of_their_data() {
    let (context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let reducer = Reducer::new(&context).unwrap();
    let mut results = DeviceBuffer::<u64>::zeroed(&stream, 20).unwrap();
    for round in 0..20usize {
        let mut data = DeviceBuffer::<u64>::uninit(&other, 5000).unwrap();
        data.fill(&other, round as u64).unwrap();
        let mut result = results.slice_mut(round..=round).unwrap();
        reducer.sum_into(&stream, &data, &mut result).unwrap();
        // The pool may reuse the memory at once, but not before the sum has read it.
        drop(data);
        let mut trash = DeviceBuffer::<u64>::uninit(&other, 5000).unwrap();
        trash.fill(&other, u64::MAX).unwrap();
    }
    let wanted: Vec<u64> = (0..20).map(|round| round * 5000).collect();
    assert_eq!(results.to_vec(&stream).unwrap(), wanted);
}

#[test]
fn one_reducer_serves_many_threads_and_streams() {
    let (context, stream) = device();
    let reducer = Reducer::new(&context).unwrap();
    let rounds = if emulated(&context) { 5 } else { 1000 };
    let work = |number: u32| {
        // Half of the threads share a stream and therefore its workspace.
        let own = Stream::new(&context).unwrap();
        let stream = if number < 4 { &stream } else { &own };
        let count = 5000 + 1000 * number as usize;
        let mut data = DeviceBuffer::<u32>::uninit(stream, count).unwrap();
        data.fill(stream, number + 1).unwrap();
        let mut sum = DeviceBuffer::<u32>::zeroed(stream, 1).unwrap();
        let wanted = (number + 1) * count as u32;
        for _ in 0..rounds {
            assert_eq!(reducer.sum(stream, &data).unwrap(), wanted);
            assert_eq!(reducer.max(stream, &data).unwrap(), Some(number + 1));
            reducer.sum_into(stream, &data, &mut sum).unwrap();
            assert_eq!(sum.to_vec(stream).unwrap(), [wanted]);
        }
    };
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..8).map(|n| scope.spawn(move || work(n))).collect();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

/// Long vectors are read by other code than short ones. The test uses more than 2^32 elements if
/// they fit.
#[test]
fn long_vectors() {
    let (context, stream) = device();
    let room = context.memory_info().unwrap().free / size_of::<i32>();
    let length = if !emulated(&context) && room > 5 << 30 {
        (1 << 32) + 12_345
    } else if env!("CARGO_CRATE_NAME") == "injection_suite" {
        (1 << 16) + 12_345 // the driver calls are the same
    } else {
        (1 << 26) + 12_345
    };
    let mut data = DeviceBuffer::<i32>::uninit(&stream, length).unwrap();
    data.fill(&stream, 3).unwrap();
    // A piece with wrong bounds would miss one of these elements or count it twice.
    let marks = [
        0,
        1,
        4095,
        4096,
        length / 2,
        length - 4097,
        length - 2,
        length - 1,
    ];
    for (i, at) in marks.into_iter().enumerate() {
        let mut one = data.slice_mut(at..=at).unwrap();
        one.copy_from_slice(&stream, &[1 << (8 + i)]).unwrap();
    }
    let reducer = Reducer::new(&context).unwrap();
    for (start, end) in [
        (0, length),
        (1, length),
        (3, length - 1),
        (0, length - 4096),
    ] {
        let marked = marks.iter().enumerate();
        let marked = marked.filter(|(_, at)| (start..end).contains(at));
        let marked: Vec<i64> = marked.map(|(i, _)| 1 << (8 + i)).collect();
        let wanted = (end - start - marked.len()) as i64 * 3 + marked.iter().sum::<i64>();
        let view = data.slice(start..end).unwrap();
        assert_eq!(
            reducer.sum(&stream, &view).unwrap(),
            wanted as i32,
            "{start}..{end}"
        );
        assert_eq!(
            reducer.sum_wide(&stream, &view).unwrap(),
            wanted,
            "{start}..{end}"
        );
        let largest = reducer.max(&stream, &view).unwrap().map(i64::from);
        assert_eq!(largest, marked.into_iter().max(), "{start}..{end}");
    }
}
