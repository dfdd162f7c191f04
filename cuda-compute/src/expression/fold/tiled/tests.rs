use bytemuck::{Pod, cast_slice};
use cuda_safe::{Context, DeviceBuffer, Stream};
use half::bf16;
use ndarray::{ArrayD, Axis, IxDyn};

use super::*;
use crate::{
    array::{Array, Layout, Memory, Order, Shape},
    element::{DataType, Element},
    expression::{evaluate::eval, reduction::Fold},
    kernel::Kernels,
    random_numbers::Random,
};

/// Kernels of a device for which a few elements are many.
struct Small {
    kernels: Kernels,
    stream: Stream,
}

impl Small {
    fn new() -> Self {
        let context = Context::primary(0).unwrap();
        Self {
            stream: Stream::new(&context).unwrap(),
            kernels: Kernels::of_multiprocessors(&context, 1),
        }
    }

    fn upload<T: Element + Pod>(&self, host: &[T], lengths: &[usize]) -> Array<T> {
        let layout = Layout::dense(Shape::of(lengths), Order::C);
        let buffer = DeviceBuffer::from_slice(&self.stream, cast_slice::<T, u8>(host)).unwrap();
        Array::of(Arc::new(Memory::of(&self.kernels, buffer)), layout)
    }

    fn tiled(&self) -> Vec<TiledFold> {
        self.kernels.compiled_for()
    }
}

/// Numbers from -50 to 50, in C order.
fn numbers(random: &mut Random, lengths: &[usize]) -> ArrayD<i64> {
    let numbers = (0..lengths.iter().product()).map(|_| random.below(101) as i64 - 50);
    ArrayD::from_shape_vec(IxDyn(lengths), numbers.collect()).unwrap()
}

/// Returns the lengths before a permutation that results in these.
fn before(lengths: &[usize], order: &[usize]) -> Vec<usize> {
    let mut before = vec![0; order.len()];
    for (axis, &from) in order.iter().enumerate() {
        before[from] = lengths[axis];
    }
    before
}

fn compare(x: &Array<i64>, wanted: &ArrayD<i64>, what: &str) {
    assert_eq!(x.shape().as_slice(), wanted.shape(), "{what}");
    let found = x.to_vec().unwrap();
    assert!(found.iter().eq(wanted.iter()), "{what}");
}

/// Checks reductions along every subset of axes. The other operand is permuted.
fn check(lengths: &[usize], order: &[usize]) {
    let (small, random) = (Small::new(), &mut Random(41));
    let host = numbers(random, lengths);
    let other = numbers(random, &before(lengths, order));
    let x = small.upload(host.as_slice().unwrap(), lengths);
    let y = small.upload(other.as_slice().unwrap(), other.shape());
    let y = y.permute(order).unwrap();
    let host = &host * 3 + other.permuted_axes(IxDyn(order));
    for subset in 1u32..1 << lengths.len() {
        let axes = (0..lengths.len()).filter(|axis| subset >> axis & 1 == 1);
        let axes: Vec<usize> = axes.collect();
        let what = format!("{lengths:?}, permuted by {order:?}, along {axes:?}");
        let (mut sums, mut largest) = (host.clone(), host.clone());
        for &axis in axes.iter().rev() {
            sums = sums.sum_axis(Axis(axis));
            largest = largest.map_axis(Axis(axis), |lane| *lane.iter().max().unwrap());
        }
        let value = || &x * 3 + &y;
        let both = (value().sum_axis(&axes[..]), value().max_axis(&axes[..]));
        let (sum, max) = eval(both).unwrap();
        compare(&sum, &sums, &what);
        compare(&max, &largest, &what);
        assert_eq!(small.tiled().len(), subset as usize, "{what}");
    }
    let last = lengths.len() - 1;
    let first = host.map_axis(Axis(last), |lane| {
        let largest = lane.iter().max().unwrap();
        lane.iter().position(|value| value == largest).unwrap() as i64
    });
    let place = (&x * 3 + &y)
        .argmax_axis(last)
        .cast::<i64>()
        .eval()
        .unwrap();
    compare(&place, &first, "places");
    assert_eq!(
        small.tiled().len(),
        1 << lengths.len(),
        "{lengths:?}, {order:?}"
    );
}

#[test]
fn matrices_with_transposed_operands_are_reduced_exactly() {
    for lengths in [[96, 96], [100, 90], [31, 320], [600, 20], [20, 600]] {
        check(&lengths, &[1, 0]);
    }
}

#[test]
fn three_axes_with_permuted_operands_are_reduced_exactly() {
    for (lengths, order) in [
        ([5, 60, 32], [0, 2, 1]),
        ([60, 5, 32], [2, 1, 0]),
        ([30, 24, 28], [1, 2, 0]),
        ([30, 24, 28], [2, 0, 1]),
        ([700, 26, 25], [0, 2, 1]),
        ([26, 700, 25], [2, 1, 0]),
    ] {
        check(&lengths, &order);
    }
}

#[test]
fn few_results_of_transposed_operands_are_exact() {
    let (small, random) = (Small::new(), &mut Random(43));
    for lengths in [[640, 17], [2000, 33]] {
        let host = numbers(random, &lengths);
        let other = numbers(random, &[lengths[1], lengths[0]]);
        let x = small.upload(host.as_slice().unwrap(), &lengths);
        let y = small.upload(other.as_slice().unwrap(), other.shape());
        let sums = (&x + y.t()).sum_axis(0).eval().unwrap();
        let wanted = (&host + &other.t()).sum_axis(Axis(0));
        compare(&sums, &wanted, &format!("{lengths:?}"));
    }
    assert_eq!(small.tiled().len(), 1);
}

#[test]
fn statistics_of_transposed_operands_are_accurate() {
    let (small, random) = (Small::new(), &mut Random(42));
    let lengths = [150, 70];
    let (a, b) = (random.reals(150 * 70), random.reals(150 * 70));
    let x = small.upload(&a, &lengths);
    let y = small.upload(&b, &[70, 150]).permute([1, 0]).unwrap();
    for axis in [0, 1] {
        let value = || &x * &y + 2.0;
        let (mean, variance) = eval((value().mean_axis(axis), value().var_axis(axis, 0))).unwrap();
        let (mean, variance) = (mean.to_vec().unwrap(), variance.to_vec().unwrap());
        for place in 0..lengths[1 - axis] {
            let own: Vec<f64> = (0..lengths[axis])
                .map(|other| {
                    let (row, column) = [(other, place), (place, other)][axis];
                    f64::from(a[row * 70 + column]) * f64::from(b[column * 150 + row]) + 2.0
                })
                .collect();
            let exact = own.iter().sum::<f64>() / own.len() as f64;
            let squares: f64 = own.iter().map(|value| (value - exact).powi(2)).sum();
            let exact_variance = squares / own.len() as f64;
            assert!((f64::from(mean[place]) / exact - 1.0).abs() < 1e-6);
            assert!((f64::from(variance[place]) / exact_variance - 1.0).abs() < 1e-5);
        }
    }
    assert_eq!(small.tiled().len(), 2);
}

#[test]
fn half_precision_operands_are_transposed() {
    let small = Small::new();
    let host: Vec<bf16> = (0..96 * 90)
        .map(|i| bf16::from_f32((i % 13) as f32))
        .collect();
    let x = small.upload(&host, &[96, 90]);
    let y = small.upload(&host, &[90, 96]).permute([1, 0]).unwrap();
    let largest = (&x + &y).max_axis(1).eval().unwrap().to_vec().unwrap();
    for (row, largest) in largest.into_iter().enumerate() {
        let sums = (0..90).map(|column| host[row * 90 + column] + host[column * 96 + row]);
        let wanted = sums.map(bf16::to_f32).fold(0.0, f32::max);
        assert_eq!(largest.to_f32(), wanted, "{row}");
    }
    assert_eq!(small.tiled().len(), 1);
}

#[test]
fn few_elements_and_almost_empty_tiles_are_reduced_by_other_kernels() {
    let tiled = |lengths: [usize; 2]| {
        let small = Small::new();
        let x = small.kernels.zeros::<f32>(&small.stream, &lengths);
        let y = small
            .kernels
            .zeros::<f32>(&small.stream, &[lengths[1], lengths[0]]);
        let y = y.permute([1, 0]).unwrap();
        let sum = (&x + &y).sum_axis(0).eval().unwrap().to_vec().unwrap();
        assert_eq!(sum, vec![0.0; lengths[1]]);
        small.tiled().len()
    };
    assert_eq!(tiled([96, 96]), 1);
    assert_eq!(tiled([64, 64]), 0);
    // 33 of 64 elements along the folded axis, and along the other one.
    assert_eq!(tiled([33, 320]), 0);
    assert_eq!(tiled([320, 33]), 1);
    assert_eq!(tiled([640, 15]), 0);
    assert_eq!(tiled([0, 320]), 0);
}

#[test]
fn registers_and_shared_memory_limit_the_tiles() {
    let space = crate::expression::transposed::tests::space(&[64, 64], &[&[1, 64]]);
    let transposed = |bytes| Transposed::find(&space, 1, LEAST_AXIS, |_| Some(bytes)).unwrap();
    let form = |others: usize| {
        let small = Small::new();
        let zeros = || small.kernels.zeros::<f32>(&small.stream, &[96, 96]);
        let turned = zeros().permute([1, 0]).unwrap();
        let sum = (1..others).fold(zeros() + &turned, |sum, _| sum + zeros());
        sum.sum_axis(1).eval().unwrap();
        (*small.tiled()[0].form).clone()
    };
    let (one, ten) = (form(1), form(10));
    let folds = |fold: Fold, data, count| {
        vec![
            Folded {
                fold,
                data,
                value: 0,
                place: 0
            };
            count
        ]
    };
    let sum = folds(Fold::Sum, DataType::F32, 1);
    let of = |form, bytes, folds: &[Folded], most| {
        let found = Residence::of(form, transposed(bytes), folds, most);
        (found.unroll, found.early, found.blocks)
    };
    assert_eq!(of(&one, 4, &sum, 100), (4, true, 4));
    assert_eq!(of(&one, 4, &sum, 3), (2, true, 4));
    assert_eq!(of(&one, 16, &sum, 100), (2, true, 4));
    assert_eq!(of(&ten, 4, &sum, 100), (1, true, 2));
    assert_eq!(
        of(&one, 4, &folds(Fold::Variance(0), DataType::F32, 1), 100),
        (4, true, 2)
    );
    assert_eq!(
        of(&one, 4, &folds(Fold::Variance(0), DataType::F64, 4), 100),
        (1, false, 1)
    );
}

#[test]
fn many_operands_and_many_results_are_reduced_exactly() {
    let small = Small::new();
    let host = numbers(&mut Random(43), &[96, 96]);
    let x = small.upload(host.as_slice().unwrap(), &[96, 96]);
    let y = x.permute([1, 0]).unwrap();
    // More operands than registers.
    let others: Vec<Array<i64>> = (0..14)
        .map(|i| {
            let other = host.map(|value| value + i);
            small.upload(other.as_slice().unwrap(), &[96, 96])
        })
        .collect();
    let sum = others.iter().fold(&x + &y, |sum, other| sum + other);
    let wanted = &host * 15 + host.t() + 91;
    compare(
        &sum.sum_axis(1).eval().unwrap(),
        &wanted.sum_axis(Axis(1)),
        "many operands",
    );
    let kernels = small.tiled();
    assert_eq!(
        (kernels.len(), kernels[0].residence),
        (1, Residence::SMALLEST)
    );
    // Accumulators that leave no shared memory for a tile.
    let doubles: Vec<f64> = host.iter().map(|&value| value as f64).collect();
    let x = small.upload(&doubles, &[96, 96]);
    let value = &x + x.permute([1, 0]).unwrap();
    let variance = |scale: f64| (&value * scale).var_axis(1, 0);
    let five = (
        variance(1.0),
        variance(2.0),
        variance(3.0),
        variance(4.0),
        variance(5.0),
    );
    let (one, _, _, _, five) = eval(five).unwrap();
    for (one, five) in one
        .to_vec()
        .unwrap()
        .into_iter()
        .zip(five.to_vec().unwrap())
    {
        assert!((one * 25.0 / five - 1.0).abs() < 1e-12);
    }
    assert_eq!(small.tiled().len(), 1);
}

#[test]
fn blocks_share_few_results() {
    let residence = Residence {
        unroll: 4,
        early: true,
        blocks: 4,
    };
    let hardware = Hardware {
        capability: cuda_safe::ComputeCapability { major: 9, minor: 0 },
        multiprocessors: 132,
        shared_per_block: 227 << 10,
    };
    let splits = |kept, folded, most| splits(kept, folded, most, residence, &hardware);
    // 528 blocks fill the device.
    assert_eq!(splits(528, 1000, 128), 1);
    assert_eq!(splits(100, 1000, 128), 5);
    assert_eq!(splits(1, 1 << 20, 128), 128);
    // Each block has four tiles or more.
    assert_eq!(splits(1, 1, 128), 1);
    assert_eq!(splits(1, 40, 128), 10);
    // 15 blocks with 4 tiles each would leave 4 blocks with nothing.
    assert_eq!(splits(35, 41, 128), 11);
}
