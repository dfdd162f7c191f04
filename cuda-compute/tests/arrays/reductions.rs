//! Reductions, compared with loops and with ndarray.

use cuda_compute::{Array, Expr, Float, Number, eval, s};
use cuda_safe::Stream;
use half::f16;
use ndarray::{ArrayD, Axis};

use crate::{random::Random, stream};

#[test]
fn all_elements_of_any_length() {
    let stream = stream();
    for length in [0usize, 1, 2, 3, 31, 33, 255, 256, 1000, 1023, 4099, 70_001] {
        let host: Vec<i64> = (0..length as i64)
            .map(|i| (i * 7919) % 1000 - 500)
            .collect();
        let x = Array::from_slice(&stream, &host).unwrap();
        assert_eq!(
            x.sum().eval().unwrap().item().unwrap(),
            host.iter().sum::<i64>(),
            "{length}"
        );
        let narrow = x.cast::<i8>();
        let wanted = host.iter().fold(0i8, |sum, &v| {
            sum.wrapping_add(v.clamp(i64::MIN, i64::MAX) as i8)
        });
        assert_eq!(narrow.sum().eval().unwrap().item().unwrap(), wanted);
        if length == 0 {
            let error = x.max().eval().unwrap_err().to_string();
            assert!(error.contains("`max`") && error.contains("[0]"), "{error}");
            continue;
        }
        let (low, high, at, all) = eval((x.min(), x.max(), x.argmax(), x.less(500).all())).unwrap();
        assert_eq!(low.item().unwrap(), *host.iter().min().unwrap());
        let largest = *host.iter().max().unwrap();
        assert_eq!(high.item().unwrap(), largest);
        assert_eq!(
            at.item().unwrap(),
            host.iter().position(|&v| v == largest).unwrap()
        );
        assert!(all.item().unwrap());
        // From an odd index on, reversed, and every third element.
        for part in [s![1..].to_vec(), s![..;-1].to_vec(), s![..;3].to_vec()] {
            let part = x.slice(part).unwrap();
            let wanted: i64 = part.to_vec().unwrap().iter().sum();
            assert_eq!(part.sum().eval().unwrap().item().unwrap(), wanted);
        }
    }
}

#[test]
fn rows_that_end_within_a_vector() {
    fn check<T: Number + PartialEq + From<u8>>(stream: &Stream) {
        for length in 1..200u8 {
            let host: Vec<T> = (0..length).map(|i| T::from(i % 2)).collect();
            let x = Array::from_slice(stream, &host).unwrap();
            let odd = x.not_equal(T::ZERO);
            let (sum, count, any, all) = eval((
                x.sum(),
                odd.count(),
                x.slice(s![1..]).unwrap().equal(T::ZERO).any(),
                x.equal(T::ZERO).all(),
            ))
            .unwrap();
            assert_eq!(sum.item().unwrap(), T::from(length / 2), "{length}");
            assert_eq!(count.item().unwrap(), usize::from(length / 2), "{length}");
            assert_eq!(any.item().unwrap(), length > 2, "{length}");
            assert_eq!(all.item().unwrap(), length < 2, "{length}");
        }
    }
    let stream = stream();
    check::<u8>(&stream);
    check::<i16>(&stream);
    check::<f32>(&stream);
    check::<f64>(&stream);
}

#[test]
fn nan_is_ignored() {
    let stream = stream();
    let x = Array::from_slice(&stream, &[f32::NAN, 2.0, -1.0, f32::NAN, 2.0]).unwrap();
    let (low, high, at) = eval((x.min(), x.max(), x.argmax())).unwrap();
    assert_eq!(
        (
            low.item().unwrap(),
            high.item().unwrap(),
            at.item().unwrap()
        ),
        (-1.0, 2.0, 1)
    );
    let nothing = Array::from_slice(&stream, &[f32::NAN; 3]).unwrap();
    let (low, at) = eval((nothing.min(), nothing.argmin())).unwrap();
    assert!(low.item().unwrap().is_nan());
    assert_eq!(at.item().unwrap(), 0);
    assert!(x.sum().eval().unwrap().item().unwrap().is_nan());
}

#[test]
fn first_of_equal_values_is_found_in_any_layout() {
    let stream = stream();
    let x = Array::<f32>::zeros(&stream, [100, 7]).unwrap().t();
    let places = Expr::index([7, 100], 1).unwrap() + Expr::index([7, 100], 0).unwrap() * 100;
    // In memory, place 600 comes before place 74.
    let ones = (&x + places.equal(600).cast::<f32>() + places.equal(74).cast::<f32>())
        .eval()
        .unwrap();
    let (first, last) = (ones.argmax(), (-ones.expr()).argmin());
    let (first, last, nan) = eval((first, last, ones.argmax_or_nan())).unwrap();
    let found = [first, last, nan].map(|place| place.item().unwrap());
    assert_eq!((found, ones.strides()), ([74; 3], x.strides()));
    // Several folded axes, of which the last is not the innermost in memory.
    let cube = Array::<u8>::zeros(&stream, [40, 6, 5]).unwrap();
    let permuted = cube.permute([2, 1, 0]).unwrap();
    let places = permuted.argmin_axis([0, 2]).eval().unwrap();
    assert_eq!(places.to_vec().unwrap(), [0; 6]);
}

#[test]
fn axes_of_any_array() {
    let stream = stream();
    let mut random = Random(1);
    for round in 0..60 {
        let rank = 1 + random.below(5);
        let lengths: Vec<usize> = (0..rank)
            .map(|_| match random.below(8) {
                0 => 1,
                1 => 32,
                2 => 64 + random.below(200),
                _ => 1 + random.below(9),
            })
            .collect();
        let count: usize = lengths.iter().product();
        if count > 40_000 {
            continue;
        }
        let values: Vec<i64> = (0..count)
            .map(|_| random.below(2000) as i64 - 1000)
            .collect();
        let mut host = ArrayD::from_shape_vec(lengths.clone(), values.clone()).unwrap();
        let mut array = Array::from_shape(&stream, lengths, &values).unwrap();
        if random.below(2) == 0 {
            let mut axes: Vec<usize> = (0..rank).collect();
            random.shuffle(&mut axes);
            array = array.permute(&axes).unwrap();
            host = host.permuted_axes(axes);
        }
        if random.below(3) == 0 && array.shape()[0] > 2 {
            array = array.slice(s![1..;2]).unwrap();
            host = host
                .slice_each_axis(|axis| match axis.axis.0 {
                    0 => ndarray::Slice::new(1, None, 2),
                    _ => ndarray::Slice::from(..),
                })
                .to_owned();
        }
        let mut axes: Vec<usize> = (0..rank).filter(|_| random.below(2) == 0).collect();
        let what = format!(
            "round {round}: {:?} of strides {:?} along {axes:?}",
            array.shape(),
            array.strides()
        );
        let (sum, high) = eval((
            array.sum_axis(&axes[..]),
            (&array * 3 + 1).max_axis(&axes[..]),
        ))
        .unwrap();
        let last = array.argmin_axis(&axes[..]).keep_axes().eval().unwrap();
        axes.sort_unstable();
        let (mut wanted_sum, mut wanted_high) = (host.clone(), host.mapv(|v| v * 3 + 1));
        for &axis in axes.iter().rev() {
            wanted_sum = wanted_sum.sum_axis(Axis(axis));
            wanted_high = wanted_high.fold_axis(Axis(axis), i64::MIN, |a, b| *a.max(b));
        }
        assert_eq!(sum.shape(), *wanted_sum.shape(), "{what}");
        assert_eq!(
            sum.to_vec().unwrap(),
            wanted_sum.iter().copied().collect::<Vec<_>>(),
            "{what}"
        );
        assert_eq!(
            high.to_vec().unwrap(),
            wanted_high.iter().copied().collect::<Vec<_>>(),
            "{what}"
        );
        // The index of the first smallest element, in C order along the axes.
        let kept: Vec<usize> = (0..rank).filter(|axis| !axes.contains(axis)).collect();
        let order: Vec<usize> = kept.iter().chain(&axes).copied().collect();
        let group: usize = axes.iter().map(|&axis| host.shape()[axis]).product();
        let flat: Vec<i64> = host.view().permuted_axes(order).iter().copied().collect();
        let wanted: Vec<usize> = flat
            .chunks(group)
            .map(|values| {
                let low = values.iter().min().unwrap();
                values.iter().position(|v| v == low).unwrap()
            })
            .collect();
        assert_eq!(last.to_vec().unwrap(), wanted, "{what}");
        assert_eq!(last.rank(), rank);
    }
}

#[test]
fn moments() {
    let stream = stream();
    let mut random = Random(5);
    for (rows, columns) in [(1, 5000), (7, 300), (300, 7), (1000, 64), (64, 1000)] {
        let host: Vec<f64> = (0..rows * columns)
            .map(|_| 1e6 + random.below(1000) as f64)
            .collect();
        let x = Array::from_shape(&stream, [rows, columns], &host).unwrap();
        for axis in [0, 1] {
            let (mean, var, std) =
                eval((x.mean_axis(axis), x.var_axis(axis, 1), x.std_axis(axis, 0))).unwrap();
            let host = ndarray::Array2::from_shape_vec((rows, columns), host.clone()).unwrap();
            let close = |got: Vec<f64>, wanted: Vec<f64>, what: &str| {
                assert_eq!(got.len(), wanted.len());
                for (got, wanted) in got.iter().zip(&wanted) {
                    let off = (got - wanted).abs() / wanted.abs().max(1e-3);
                    assert!(
                        off < 1e-9 || wanted.is_nan(),
                        "{what} {rows}x{columns} {axis}: {got} {wanted}"
                    );
                }
            };
            close(
                mean.to_vec().unwrap(),
                host.mean_axis(Axis(axis)).unwrap().to_vec(),
                "mean",
            );
            if host.len_of(Axis(axis)) > 1 {
                close(
                    var.to_vec().unwrap(),
                    host.var_axis(Axis(axis), 1.0).to_vec(),
                    "var",
                );
            }
            close(
                std.to_vec().unwrap(),
                host.std_axis(Axis(axis), 0.0).to_vec(),
                "std",
            );
        }
    }
}

#[test]
fn reductions_within_expressions() {
    let stream = stream();
    let host: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let x = Array::from_shape(&stream, [3, 4], &host).unwrap();
    // The softmax of rows: one reduction depends on another.
    let raised = (&x - x.max_axis(1).keep_axes()).exp();
    let y = (&raised / raised.sum_axis(1).keep_axes()).eval().unwrap();
    for row in y.to_vec().unwrap().chunks(4) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((row[3] - 0.643_914_3).abs() < 1e-6, "{row:?}");
    }
    let flat = x.flatten().unwrap();
    assert_eq!(flat.dot(&flat).unwrap().item().unwrap(), 506.0);
    let error = x.sum_axis(2).eval().unwrap_err().to_string();
    assert!(
        error.contains("axis 2 is out of range for shape [3, 4]"),
        "{error}"
    );
}

#[test]
fn results_have_the_same_bits_every_time() {
    let stream = stream();
    let host: Vec<f32> = (0..300_000).map(|i| (i as f32).sin()).collect();
    let x = Array::from_shape(&stream, [300, 1000], &host).unwrap();
    let once = eval((x.sum(), x.sum_axis(0))).unwrap();
    for _ in 0..3 {
        let again = eval((x.sum(), x.sum_axis(0))).unwrap();
        assert_eq!(
            again.0.item().unwrap().to_bits(),
            once.0.item().unwrap().to_bits()
        );
        assert_eq!(again.1.to_vec().unwrap(), once.1.to_vec().unwrap());
    }
    let exact: f64 = host.iter().map(|&v| f64::from(v)).sum();
    assert!((f64::from(once.0.item().unwrap()) - exact).abs() < 1e-3);
}

#[test]
fn empty_rows_reduce_to_identities() {
    let stream = crate::stream();
    // Fills the memory with other values first, so that unwritten results would show.
    drop(Array::full(&stream, [7, 5], 3i32).unwrap());
    let nothing = Array::<i32>::zeros(&stream, [7, 0, 5]).unwrap();
    for kept in [nothing.clone(), nothing.permute([0, 2, 1]).unwrap()] {
        let axis = if kept.shape()[1] == 0 { 1 } else { 2 };
        let (sum, product) = eval((kept.sum_axis(axis), kept.product_axis(axis))).unwrap();
        assert_eq!(sum.to_vec().unwrap(), [0; 35]);
        assert_eq!(product.to_vec().unwrap(), [1; 35]);
        let means = kept.cast::<f32>().mean_axis(axis).eval().unwrap();
        assert!(means.to_vec().unwrap().iter().all(|mean| mean.is_nan()));
        assert!(kept.min_axis(axis).eval().is_err());
    }
}

#[test]
fn empty_arrays_reduce_to_identities_along_several_axes() {
    let stream = stream();
    // Fills the memory with bytes that would show if results were left unwritten.
    drop(Array::full(&stream, [1 << 12], 0x55u8).unwrap());
    for (shape, axes, kept) in [
        ([2, 6, 0], &[0, 2][..], 6),
        ([6, 2, 0], &[1, 2], 6),
        ([0, 6, 20], &[0, 1], 20),
        ([3, 0, 20], &[0, 1], 20),
        ([0, 20, 7], &[0, 2], 20),
        ([4, 0, 5], &[0, 1, 2], 1),
    ] {
        let what = format!("{shape:?} along {axes:?}");
        let empty = Array::<i32>::zeros(&stream, shape).unwrap();
        let (sum, product, count, all) = eval((
            empty.sum_axis(axes),
            empty.product_axis(axes),
            empty.equal(0).count_axis(axes),
            empty.equal(0).all_axis(axes),
        ))
        .unwrap();
        assert_eq!(sum.to_vec().unwrap(), vec![0; kept], "{what}");
        assert_eq!(product.to_vec().unwrap(), vec![1; kept], "{what}");
        assert_eq!(count.to_vec().unwrap(), vec![0; kept], "{what}");
        assert_eq!(all.to_vec().unwrap(), vec![true; kept], "{what}");
        let turned = empty.t();
        let turned_axes: Vec<usize> = axes.iter().map(|axis| 2 - axis).collect();
        let product = turned.product_axis(&turned_axes[..]).keep_axes();
        assert_eq!(
            product.eval().unwrap().to_vec().unwrap(),
            vec![1; kept],
            "{what}, turned"
        );
    }
}

#[test]
fn variance_divided_by_zero_matches_numpy() {
    fn check<T: Float>(of: impl Fn(f64) -> T, wide: impl Fn(T) -> f64) {
        let stream = stream();
        let three = Array::from_slice(&stream, &[1.0, 2.0, 6.0].map(&of)).unwrap();
        let same = Array::from_slice(&stream, &[2.0; 3].map(&of)).unwrap();
        let none = three.slice(s![..0]).unwrap();
        for ddof in [3, 4, u32::MAX] {
            let (var, std) = eval((three.var(ddof), three.std(ddof))).unwrap();
            assert_eq!(wide(var.item().unwrap()), f64::INFINITY, "var({ddof})");
            assert_eq!(wide(std.item().unwrap()), f64::INFINITY, "std({ddof})");
            let zero = same.var(ddof).eval().unwrap().item().unwrap();
            assert!(wide(zero).is_nan(), "var({ddof}) of equal values");
        }
        for ddof in [0, 1, u32::MAX] {
            let (var, std) = eval((none.var(ddof), none.std(ddof))).unwrap();
            assert!(
                wide(var.item().unwrap()).is_nan(),
                "var({ddof}) of no elements"
            );
            assert!(
                wide(std.item().unwrap()).is_nan(),
                "std({ddof}) of no elements"
            );
        }
        let (one, two) = eval((three.var(1), three.var(2))).unwrap();
        assert_eq!(wide(one.item().unwrap()), 7.0);
        assert_eq!(wide(two.item().unwrap()), 14.0);
    }
    check(|x| x as f32, f64::from);
    check(|x| x, |x| x);
    check(f16::from_f64, f16::to_f64);
}

#[test]
fn variance_with_an_infinity_is_nan() {
    let stream = stream();
    for length in [1usize, 2, 9, 300, 5000] {
        for place in [0, 1, length / 2, length - 1] {
            for wrong in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
                let mut host: Vec<f32> = (0..length).map(|i| (i % 7) as f32).collect();
                host[place.min(length - 1)] = wrong;
                let rows = Array::from_shape(&stream, [1, length], &host).unwrap();
                let (all, columns) = eval((rows.var(0), rows.t().std_axis(0, 0))).unwrap();
                let within = (&rows * 0.0f32 + rows.var_axis(1, 0).keep_axes()).eval();
                let what = format!("{wrong} at {place} of {length}");
                assert!(all.item().unwrap().is_nan(), "{what}");
                assert!(columns.to_vec().unwrap()[0].is_nan(), "{what}, columns");
                let other = (place + 1) % length;
                assert!(
                    within.unwrap().to_vec().unwrap()[other].is_nan(),
                    "{what}, rows"
                );
            }
        }
    }
}

#[test]
fn variance_of_finite_values_is_never_nan() {
    let stream = stream();
    for length in [2usize, 9, 300, 5000] {
        // The squares overflow, but the differences from the mean do not.
        let host = vec![1e30f32; length];
        let x = Array::from_slice(&stream, &host).unwrap();
        assert_eq!(x.var(0).eval().unwrap().item().unwrap(), 0.0, "{length}");
        for place in [0, 1, length / 2, length - 1] {
            for others in [0.0, 3e38f32] {
                let mut host = vec![others; length];
                host[place] = -3e38;
                let x = Array::from_slice(&stream, &host).unwrap();
                let got = x.var(0).eval().unwrap().item().unwrap();
                assert_eq!(got, f32::INFINITY, "-3e38 at {place} of {length}");
            }
        }
    }
}

#[test]
fn expressions_of_reductions_keep_their_axes() {
    let stream = stream();
    let x = Array::from_shape(&stream, [2, 3], &[3.0f32, 0.0, 4.0, 6.0, -8.0, 0.0]).unwrap();
    let unit = (&x / x.norm_axis(1, 2.0).keep_axes()).eval().unwrap();
    assert_eq!(unit.to_vec().unwrap(), [0.6, 0.0, 0.8, 0.6, -0.8, 0.0]);
    let range = (x.max_axis(0) - x.min_axis(0)).keep_axes();
    assert_eq!(range.eval().unwrap().shape(), [1, 3]);
    assert_eq!(
        (range * 2.0).eval().unwrap().to_vec().unwrap(),
        [6.0, 16.0, 8.0]
    );
    // Subexpressions that occur many times.
    let mut sum = x.sum_axis(1);
    for _ in 0..60 {
        sum = (&sum + &sum) * 0.5;
    }
    let kept = sum.keep_axes().eval().unwrap();
    assert_eq!(kept.shape(), [2, 1]);
    assert_eq!(kept.to_vec().unwrap(), [7.0, -2.0]);
    for wrong in [(x.sum_axis(1) + x.slice(s![.., 0]).unwrap()), x.sqrt()] {
        let error = wrong.keep_axes().eval().unwrap_err().to_string();
        assert!(
            error.contains("keep_axes") && error.contains("reductions.rs"),
            "{error}"
        );
    }
    let mut deep = x.sum();
    for _ in 0..100_000 {
        deep += 1.0;
    }
    assert!(deep.keep_axes().eval().is_err());
}
