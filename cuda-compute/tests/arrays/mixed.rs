//! Expressions and reductions of several types in one kernel, over arrays of any layout, compared
//! with ndarray.

use cuda_compute::{Array, CastFrom, Element, Ordered, eval};
use ndarray::{ArrayD, Axis, IxDyn};

use crate::{OnHost, layouts::any_layout_of, random::Random};

/// Element types whose values here are small integers.
trait Small: Ordered {
    fn of(value: i32) -> Self;
    fn wide(self) -> i64;
}

macro_rules! small {
    ($($type:ty)*) => {
        $(impl Small for $type {
            fn of(value: i32) -> Self {
                (value.rem_euclid(100)) as $type
            }
            fn wide(self) -> i64 {
                self as i64
            }
        })*
    };
}

small!(u8 i8 i16 u32 f32 f64 i64);

/// Returns a length for each axis. Some are small, some large, and some multiples of the vector
/// size.
fn lengths(random: &mut Random) -> Vec<usize> {
    let rank = 1 + random.below(4);
    let one = |random: &mut Random| match random.below(6) {
        0 => 1,
        1 => 16 * (1 + random.below(4)),
        2 => 30 + random.below(300),
        _ => 1 + random.below(20),
    };
    let mut lengths: Vec<usize> = (0..rank).map(|_| one(random)).collect();
    while lengths.iter().product::<usize>() > 20_000 {
        let longest = (0..rank).max_by_key(|&axis| lengths[axis]).unwrap();
        lengths[longest] = lengths[longest].div_ceil(3);
    }
    lengths
}

fn stretched<T: Small>(
    array: &Array<T>,
    host: &ArrayD<T>,
    lengths: &[usize],
) -> (Array<T>, ArrayD<i64>) {
    let host = host.broadcast(IxDyn(lengths)).unwrap().mapv(Small::wide);
    (array.broadcast_to(lengths).unwrap(), host)
}

#[track_caller]
fn same<T: Element + Small>(got: &Array<T>, wanted: &ArrayD<i64>, what: &str) {
    assert_eq!(got.shape(), *wanted.shape(), "{what}");
    let got: Vec<i64> = got.host().into_iter().map(Small::wide).collect();
    assert_eq!(got, wanted.iter().copied().collect::<Vec<_>>(), "{what}");
}

fn check<A: Small, B: Small>(seed: u64)
where
    i64: CastFrom<A> + CastFrom<B>,
{
    let mut random = Random(seed);
    for round in 0..15 {
        let lengths = lengths(&mut random);
        let (a, host_a) = any_layout_of(&mut random, &lengths, A::of);
        let (b, host_b) = any_layout_of(&mut random, &lengths, B::of);
        let mut what = format!(
            "{:?} and {:?}, round {round}: {lengths:?}, strides {:?} and {:?}",
            A::DATA_TYPE,
            B::DATA_TYPE,
            a.strides(),
            b.strides()
        );
        let (a, host_a) = stretched(&a, &host_a, &lengths);
        let (b, host_b) = stretched(&b, &host_b, &lengths);
        let sum = a.cast::<i64>() * 3 + b.cast::<i64>();
        let larger = a.cast::<i64>().less(b.cast::<i64>()).select(&sum, -1);
        let host_sum = &host_a * 3 + &host_b;
        let mut host_larger = host_sum.clone();
        host_larger.zip_mut_with(&(&host_a - &host_b), |v, &less| {
            if less >= 0 {
                *v = -1
            }
        });
        let (first, second, third) = eval((&sum, larger, b.maximum(B::of(50)))).unwrap();
        same(&first, &host_sum, &what);
        same(&second, &host_larger, &what);
        same(&third, &host_b.mapv(|v| v.max(50)), &what);

        let axes: Vec<usize> = (0..lengths.len()).filter(|_| random.below(3) > 0).collect();
        what += &format!(", along {axes:?}");
        let all = (
            sum.sum_axis(&axes[..]),
            a.min_axis(&axes[..]),
            b.max_axis(&axes[..]),
            a.cast::<i64>().equal(b.cast::<i64>()).count_axis(&axes[..]),
        );
        let (sums, min, max, equal) = eval(all).unwrap();
        let fold = |host: &ArrayD<i64>, first: i64, f: fn(i64, i64) -> i64| {
            let mut host = host.clone();
            for &axis in axes.iter().rev() {
                host = host.fold_axis(Axis(axis), first, |&a, &b| f(a, b));
            }
            host
        };
        same(&sums, &fold(&host_sum, 0, |a, b| a + b), &what);
        same(&min, &fold(&host_a, i64::MAX, i64::min), &what);
        same(&max, &fold(&host_b, i64::MIN, i64::max), &what);
        let host_equal = (&host_a - &host_b).mapv(|v| i64::from(v == 0));
        let equal = equal.cast::<i64>().eval().unwrap();
        same(&equal, &fold(&host_equal, 0, |a, b| a + b), &what);
    }
}

#[test]
fn bytes_and_halfwords() {
    check::<u8, i16>(1);
    check::<i8, u8>(2);
}

#[test]
fn bytes_and_words() {
    check::<u8, f32>(3);
    check::<f64, i8>(4);
}

#[test]
fn words() {
    check::<f32, f32>(5);
    check::<u32, f64>(6);
}

#[test]
fn halfwords_and_double_words() {
    check::<i16, i64>(7);
    check::<i16, i16>(8);
}
