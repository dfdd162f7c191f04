//! Scans, compared with loops, for every way in which the kernels traverse elements.

use std::{env, fmt::Debug, process::Command};

use cuda_compute::{Array, CastFrom, Combination, Fold, Integer, Number, Order, Ordered, fold, s};
use half::{bf16, f16};
use num_complex::Complex;

use crate::{OnHost, failure::failure, random::whole_numbers, shaped, stream, upload, values};

/// Sizes around those of warps and tiles, and PyCUDA's sizes.
const SIZES: [usize; 13] = [
    0,
    1,
    2,
    31,
    32,
    33,
    1019,
    1024,
    1029,
    786_432,
    786_437,
    1 << 20,
    (1 << 20) + 5,
];

/// Returns small integers without a pattern.
fn noise(count: usize) -> Vec<i32> {
    whole_numbers(count, -100..101)
}

/// Computes the scan along the middle of three axes.
fn reference<T: Copy>(
    host: &[T],
    [outer, length, inner]: [usize; 3],
    first: Option<T>,
    combine: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut result = host.to_vec();
    for line in 0..outer * inner {
        let start = line / inner * length * inner + line % inner;
        let mut before: Option<T> = None;
        for i in 0..length {
            let at = start + i * inner;
            let now = before.map_or(host[at], |before| combine(before, host[at]));
            result[at] = match first {
                Some(first) => before.unwrap_or(first),
                None => now,
            };
            before = Some(now);
        }
    }
    result
}

#[test]
fn lines_of_integers_of_all_sizes() {
    let stream = stream();
    for size in SIZES {
        let host = noise(size);
        let x = upload(&stream, &host);
        let line = [1, size, 1];
        let sums = reference(&host, line, None, i32::wrapping_add);
        assert!(x.cumsum(0).unwrap().host() == sums, "{size}");
        let before = reference(&host, line, Some(0), i32::wrapping_add);
        let exclusive = x.scan_exclusive(Combination::sum(), 0).unwrap();
        assert!(exclusive.host() == before, "{size}");
    }
}

#[test]
fn lines_of_floats_of_all_sizes() {
    let stream = stream();
    for size in SIZES {
        let host: Vec<f32> = noise(size).iter().map(|&i| i as f32 * 0.37).collect();
        let x = upload(&stream, &host);
        let wide: Vec<f64> = host.iter().map(|&x| f64::from(x) * f64::from(x)).collect();
        let wanted = reference(&wide, [1, size, 1], None, |a, b| a + b);
        let sums = values((&x * &x).cumsum(0).unwrap());
        assert_eq!(sums.len(), size);
        for (i, (got, wanted)) in sums.iter().zip(wanted).enumerate() {
            let error = (f64::from(*got) - wanted).abs();
            assert!(error <= 2e-6 * wanted, "{i} of {size}: {got} {wanted}");
        }
    }
}

#[test]
fn sums_of_floats_have_the_same_bits_every_time() {
    let stream = stream();
    let host: Vec<f32> = noise(300_001).iter().map(|&i| i as f32 * 0.37).collect();
    let x = upload(&stream, &host);
    let bits = |x: Array<f32>| -> Vec<u32> { x.host().iter().map(|x| x.to_bits()).collect() };
    let first = bits(x.cumsum(0).unwrap());
    for _ in 0..3 {
        assert!(bits(x.cumsum(0).unwrap()) == first);
    }
}

/// Checks every scan of a type along lines, rows and columns.
fn integers<T>(
    convert: fn(i32) -> T,
    add: fn(T, T) -> T,
    multiply: fn(T, T) -> T,
    [lowest, highest]: [T; 2],
) where
    T: Integer + Ord + CastFrom<i32>,
{
    let stream = stream();
    for [outer, length, inner] in [[1, 40_003, 1], [301, 37, 1], [3, 301, 37], [2, 9000, 1]] {
        let host: Vec<T> = noise(outer * length * inner)
            .into_iter()
            .map(convert)
            .collect();
        let shape = [outer, length, inner];
        let x = shaped(&stream, shape, &host);
        let check = |name: &str, got: Array<T>, wanted: Vec<T>| {
            assert!(
                got.host() == wanted,
                "{name} of {:?}, {shape:?}",
                T::DATA_TYPE
            );
        };
        check(
            "cumsum",
            x.cumsum(1).unwrap(),
            reference(&host, shape, None, add),
        );
        check(
            "cumprod",
            x.cumprod(1).unwrap(),
            reference(&host, shape, None, multiply),
        );
        check(
            "cummax",
            x.cummax(1).unwrap(),
            reference(&host, shape, None, T::max),
        );
        check(
            "cummin",
            x.cummin(1).unwrap(),
            reference(&host, shape, None, T::min),
        );
        let exclusive = |combination| x.scan_exclusive(combination, 1).unwrap();
        let wanted = reference(&host, shape, Some(T::ONE), multiply);
        check("products", exclusive(Combination::product()), wanted);
        let wanted = reference(&host, shape, Some(lowest), T::max);
        check("maxima", exclusive(Combination::max()), wanted);
        let wanted = reference(&host, shape, Some(highest), T::min);
        check("minima", exclusive(Combination::min()), wanted);
    }
}

macro_rules! all_integers {
    ($($name:ident: $type:ident;)*) => {$(
        #[test]
        fn $name() {
            integers::<$type>(
                |i| i as $type,
                $type::wrapping_add,
                $type::wrapping_mul,
                [$type::MIN, $type::MAX],
            );
        }
    )*};
}

all_integers! {
    scans_of_i8: i8;
    scans_of_i16: i16;
    scans_of_i64: i64;
    scans_of_u8: u8;
    scans_of_u16: u16;
    scans_of_u32: u32;
    scans_of_u64: u64;
}

/// Checks sums that are exact in any order.
fn exact<T: Number + Debug>(convert: fn(i32) -> T, add: fn(T, T) -> T) {
    let stream = stream();
    for [outer, length, inner] in [[1, 3001, 1], [301, 37, 1], [3, 301, 37]] {
        let host: Vec<T> = noise(outer * length * inner)
            .into_iter()
            .map(|i| convert(i % 2))
            .collect();
        let shape = [outer, length, inner];
        let x = shaped(&stream, shape, &host);
        let wanted = reference(&host, shape, None, add);
        assert!(x.cumsum(1).unwrap().host() == wanted, "{shape:?}");
        let wanted = reference(&host, shape, Some(T::ZERO), add);
        let exclusive = x.scan_exclusive(Combination::sum(), 1).unwrap();
        assert!(exclusive.host() == wanted, "{shape:?}");
    }
}

#[test]
fn sums_of_floats_and_complex_numbers() {
    exact::<f16>(|i| f16::from_f32(i as f32), |a, b| a + b);
    exact::<bf16>(|i| bf16::from_f32(i as f32), |a, b| a + b);
    exact::<f32>(|i| i as f32, |a, b| a + b);
    exact::<f64>(f64::from, |a, b| a + b);
    exact::<Complex<f32>>(|i| Complex::new(i as f32, 2.0 * i as f32), |a, b| a + b);
    exact::<Complex<f64>>(|i| Complex::new(i.into(), 2.0 * f64::from(i)), |a, b| a + b);
}

#[test]
fn halves_are_summed_in_f32_and_rounded() {
    let stream = stream();
    let x = Array::full(&stream, 5000, f16::from_f32(1.0)).unwrap();
    let sums = x.cumsum(0).unwrap().host();
    for (i, sum) in sums.into_iter().enumerate() {
        assert_eq!(sum, f16::from_f32((i + 1) as f32), "{i}");
    }
    let x = Array::full(&stream, [5000, 2], bf16::from_f32(1.0)).unwrap();
    let sums = x.cumsum(0).unwrap().host();
    for (i, sum) in sums.into_iter().enumerate() {
        assert_eq!(sum, bf16::from_f32((i / 2 + 1) as f32), "{i}");
    }
}

#[test]
fn extremes_of_floats() {
    fn check<T: Ordered + CastFrom<f32>>(name: &str) -> [Vec<bool>; 2] {
        let stream = stream();
        let x = upload(&stream, &[f32::NAN, 2.0, f32::NAN, -1.0, 3.0]);
        let x = x.cast::<T>();
        let wanted = [f32::NAN, 2.0, 2.0, 2.0, 3.0];
        let wanted = upload(&stream, &wanted).cast::<T>();
        let same = x.cummax(0).unwrap().equal(&wanted).eval().unwrap();
        assert_eq!(same.host(), [false, true, true, true, true], "{name}");
        let lowest = upload(&stream, &[f32::NEG_INFINITY]);
        let highest = upload(&stream, &[f32::INFINITY]);
        [(Combination::max(), lowest), (Combination::min(), highest)].map(|(combination, first)| {
            let exclusive = x.scan_exclusive(combination, 0).unwrap();
            let first = exclusive.slice(s![..1]).unwrap().equal(first.cast::<T>());
            first.eval().unwrap().host()
        })
    }
    assert_eq!(check::<f16>("f16"), [[true], [true]]);
    assert_eq!(check::<bf16>("bf16"), [[true], [true]]);
    assert_eq!(check::<f32>("f32"), [[true], [true]]);
    assert_eq!(check::<f64>("f64"), [[true], [true]]);
}

#[test]
fn signs_of_zero_and_infinities_stay() {
    let stream = stream();
    let x = Array::full(&stream, [3, 40], -0.0f32).unwrap();
    for axis in [0, 1] {
        let sums = x.cumsum(axis).unwrap().host();
        assert!(sums.iter().all(|sum| sum.to_bits() == 1 << 31));
    }
    let infinite = Complex::new(f32::INFINITY, 0.0);
    let x = upload(&stream, &[Complex::new(1.0, 0.0), infinite]);
    assert_eq!(x.cumprod(0).unwrap().host()[1], infinite);
}

/// Checks scans along each axis of an array in any memory order.
fn along_each_axis(x: &Array<i32>, also: &str) {
    let (shape, host) = (x.shape(), x.host());
    for axis in 0..x.rank() {
        let product = |lengths: &[usize]| lengths.iter().product::<usize>();
        let lengths = shape.as_slice();
        let three = [
            product(&lengths[..axis]),
            lengths[axis],
            product(&lengths[axis + 1..]),
        ];
        let wanted = reference(&host, three, None, i32::wrapping_add);
        let got = x.cumsum(axis).unwrap();
        assert_eq!(got.shape(), shape);
        assert!(got.host() == wanted, "{shape}, axis {axis}, {also}");
        let wanted = reference(&host, three, Some(0), i32::wrapping_add);
        let got = x.scan_exclusive(Combination::sum(), axis).unwrap();
        assert!(
            got.host() == wanted,
            "{shape}, axis {axis}, {also}, exclusive"
        );
    }
}

#[test]
fn every_axis_of_every_layout() {
    let stream = stream();
    for shape in [
        &[5][..],
        &[1, 1],
        &[7, 1, 3],
        &[0, 4],
        &[40, 33],
        &[30, 251],
        &[30, 800],
        &[1000, 3],
        &[3, 5, 64],
        &[6, 70, 9],
        &[2, 3, 4, 5, 6],
        &[4, 3000],
        &[3000, 4],
        &[700, 1200],
    ] {
        let host = noise(shape.iter().product());
        let x = shaped(&stream, shape, &host);
        along_each_axis(&x, "C");
        along_each_axis(&x.contiguous(Order::F).unwrap(), "F");
        along_each_axis(&x.t(), "transposed");
    }
}

#[test]
fn views_and_broadcasts_are_scanned_as_they_are() {
    let stream = stream();
    let x = shaped(&stream, [90, 130], &noise(90 * 130));
    along_each_axis(&x.slice(s![3..;2, ..;-3]).unwrap(), "with steps");
    along_each_axis(&x.slice(s![1.., 1..]).unwrap(), "not aligned");
    along_each_axis(&x.slice(s![.., 7]).unwrap(), "a column");
    along_each_axis(
        &x.slice(s![4]).unwrap().broadcast_to([70, 130]).unwrap(),
        "stretched",
    );
    let scalar = x.slice(s![4, 5..6]).unwrap();
    along_each_axis(&scalar.broadcast_to(5000).unwrap(), "one element");
    // A matrix times a broadcast row, computed inside the scan.
    let row = x.slice(s![0]).unwrap();
    let sum = &x * &row + 1;
    let wanted = sum.eval().unwrap().cumsum(0).unwrap().host();
    assert!(values(sum.cumsum(0).unwrap()) == wanted);
}

#[test]
fn many_tiles_of_a_line_and_of_columns() {
    let stream = stream();
    // The elements are not adjacent, so tiles are small and there are more than 32 * 32 of them.
    let host = noise(2 * 2_100_003);
    let x = shaped(&stream, [2_100_003, 2], &host);
    along_each_axis(&x.slice(s![.., 1]).unwrap(), "a line");
    let x = shaped(&stream, [280_001, 5], &noise(280_001 * 5));
    along_each_axis(&x, "columns");
}

#[test]
fn more_elements_than_32_bits_count() {
    let stream = stream();
    let name = stream.context().device().name().unwrap();
    // The emulator is slow, so it gets fewer elements.
    let count = match name.starts_with("CUDA emulator") {
        true => (1usize << 20) + 5,
        false => (1 << 31) + 5,
    };
    let x = Array::full(&stream, count, 1u8).unwrap();
    let sums = x.cumsum(0).unwrap();
    let last: Vec<u8> = (count - 300..count).map(|i| (i + 1) as u8).collect();
    assert_eq!(sums.slice(s![-300..]).unwrap().host(), last);
    let small = sums.compress(sums.less(2)).unwrap();
    assert_eq!(small.len(), count / 256 + count.div_ceil(256));
    let ends = small.slice(s![-4..]).unwrap().host();
    assert_eq!(ends, [0, 1, 0, 1]);
    // Along columns, in memory that is read backwards.
    let flat = x.flip(0).unwrap().slice(s![..-1]).unwrap();
    let columns = flat
        .reshape([(count - 1) / 4, 4])
        .unwrap()
        .cumsum(0)
        .unwrap();
    let last = columns.slice(s![-1]).unwrap().host();
    assert_eq!(last, [((count - 1) / 4) as u8; 4]);
}

#[test]
fn blocks_may_run_in_any_order() {
    // Runs in a separate process, because the emulator reads the variable once.
    if env::var_os("CUDA_EMULATOR_SEED").is_some() {
        return;
    }
    for (seed, test) in [
        ("1", "scans::many_tiles_of_a_line_and_of_columns"),
        ("2", "scans::user_combinations_keep_the_order"),
        ("3", "scans::sums_of_floats_have_the_same_bits_every_time"),
        ("4", "scans::every_axis_of_every_layout"),
        ("5", "selections::elements_of_all_sizes"),
        ("6", "segments::combinations_keep_the_order"),
    ] {
        let output = Command::new(env::current_exe().unwrap())
            .args([test, "--exact"])
            .env("CUDA_EMULATOR_SEED", seed)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{text}"
        );
    }
}

/// Composes the functions x -> a x + b of 16-bit numbers, stored as `a << 16 | b`, in order.
pub(crate) fn one_after_the_other() -> Fold<u32> {
    fold!(
        |one: u32, other: u32| {
            let factor = (one >> 16).wrapping_mul(other >> 16) << 16;
            let addend = (one & 0xffff)
                .wrapping_mul(other >> 16)
                .wrapping_add(other & 0xffff);
            factor | (addend & 0xffff)
        },
        1 << 16
    )
}

#[test]
fn user_combinations_keep_the_order() {
    let then = one_after_the_other();
    let call = |one, other| then.call((one, other));
    let stream = stream();
    // Within a vector and a warp, in several warps, in tiles and in groups of tiles. Also along
    // columns.
    for shape in [
        [1, 3, 1],
        [1, 40, 1],
        [1, 300, 1],
        [1, 9000, 1],
        [1, 300_007, 1],
        [5, 3, 1],
        [70, 1000, 1],
        [1, 5, 3],
        [1, 70, 70],
        [2, 3000, 2],
        [1, 20_000, 3],
        [1, 2000, 400],
    ] {
        // The factors are odd, so their products never become 0.
        let host: Vec<u32> = (0..shape.iter().product::<usize>() as u32)
            .map(|i| i.wrapping_mul(2_654_435_761) | 1 << 16)
            .collect();
        let x = shaped(&stream, shape, &host);
        let wanted = reference(&host, shape, None, call);
        assert!(x.scan(then, 1).unwrap().host() == wanted, "{shape:?}");
        let wanted = reference(&host, shape, Some(1 << 16), call);
        assert!(
            x.scan_exclusive(then, 1).unwrap().host() == wanted,
            "{shape:?}"
        );
    }
}

#[test]
fn combinations_of_bools_and_floats() {
    let stream = stream();
    let host: Vec<bool> = noise(3000).iter().map(|&i| i > 0).collect();
    let x = upload(&stream, &host);
    let parity = fold!(|a: bool, b: bool| a ^ b, false);
    let wanted = reference(&host, [1, 3000, 1], None, |a, b| a ^ b);
    assert_eq!(x.scan(parity, 0).unwrap().host(), wanted);
    let y = upload(&stream, &[1.0f64, -7.0, 3.0, -9.0]);
    let size = fold!(|a: f64, b: f64| a.abs().max(b.abs()), 0.0);
    assert_eq!(
        y.scan_exclusive(size, 0).unwrap().host(),
        [0.0, 1.0, 7.0, 7.0]
    );
}

#[test]
fn inner_reductions_are_computed_first() {
    let stream = stream();
    let x = shaped(&stream, [30, 40], &noise(1200));
    let centred = &x - x.max_axis(0);
    let wanted = centred.eval().unwrap().cumsum(1).unwrap().host();
    assert_eq!(values(centred.cumsum(1).unwrap()), wanted);
}

#[test]
fn invalid_scans_are_rejected() {
    let stream = stream();
    let x = Array::<f32>::zeros(&stream, [4, 6]).unwrap();
    failure(x.cumsum(2)).mentions("axis 2 is out of range for shape [4, 6]");
    let y = Array::<f32>::zeros(&stream, 4).unwrap();
    failure((&x + &y).cumsum(0)).mentions("[4, 6] and [4]");
}
