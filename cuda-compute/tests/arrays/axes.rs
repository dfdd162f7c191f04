//! Axes, lengths and indices as in NumPy: negative numbers, inferred lengths, clipped slices.

use cuda_compute::{Array, Combination, Expr, MAX_RANK, Random, concatenate, s, stack};

use crate::{elements, failure::failure, stream, values};

fn cube() -> Array<i32> {
    let x = Array::range(&stream(), 0..24).unwrap();
    x.reshape([2, 3, 4]).unwrap()
}

#[test]
fn negative_axes_count_from_the_end() {
    let x = cube();
    let rank: usize = x.rank();
    for (negative, axis) in [(-1, rank - 1), (-2, 1), (-3, 0)] {
        assert_eq!(values(x.sum_axis(negative)), values(x.sum_axis(axis)));
        assert_eq!(values(x.argmax_axis(negative)), values(x.argmax_axis(axis)));
        assert_eq!(
            values(x.expr().min_axis([negative])),
            values(x.min_axis([axis]))
        );
        assert_eq!(elements(x.cumsum(negative)), elements(x.cumsum(axis)));
        assert_eq!(elements(x.flip(negative)), elements(x.flip(axis)));
        assert_eq!(elements(x.roll(1, negative)), elements(x.roll(1, axis)));
        assert_eq!(elements(x.repeat(2, negative)), elements(x.repeat(2, axis)));
        let scan = |axis| elements(x.scan(Combination::sum(), axis));
        assert_eq!(scan(negative), scan(axis as i32));
        let first = Array::from_slice(x.stream(), &[0]).unwrap();
        assert_eq!(
            elements(x.take(&first, negative)),
            elements(x.take(&first, axis))
        );
        let index = |axis| values_on(&x, Expr::index(x.shape(), axis).unwrap());
        assert_eq!(index(negative), index(axis as i32));
        let shuffled = |axis| elements(x.shuffle(&mut Random::new(1), axis));
        assert_eq!(shuffled(negative), shuffled(axis as i32));
        let joined = concatenate(&[&x, &x], negative).unwrap();
        assert_eq!(elements(Ok(joined)), elements(concatenate(&[&x, &x], axis)));
        let parts = x.axis_iter(negative).unwrap().len();
        assert_eq!(parts, x.shape()[axis]);
        assert_eq!(x.axis_chunks_iter(negative, 1).unwrap().len(), parts);
        let real = x.cast::<f64>();
        assert_eq!(
            values(real.norm_axis(negative, 1.0)),
            values(real.norm_axis(axis, 1.0))
        );
    }
    assert_eq!(values(x.sum_axis((0, -1))), values(x.sum_axis([0, 2])));
    assert_eq!(
        values(x.sum_axis([0usize, 2])),
        values(x.sum_axis(vec![-3, -1]))
    );
    assert_eq!(x.permute([-1, 0, 1]).unwrap().shape(), [4, 2, 3]);
    assert_eq!(stack(&[&x, &x], -1).unwrap().shape(), [2, 3, 4, 2]);
    assert_eq!(stack(&[&x, &x], -4).unwrap().shape(), [2, 2, 3, 4]);
}

fn values_on<T: cuda_compute::Element>(like: &Array<i32>, expression: Expr<T>) -> Vec<T> {
    elements(expression.eval_on(like.stream()))
}

#[test]
fn all_methods_describe_a_missing_axis_alike() {
    let x = cube();
    let wanted = "axis 3 is out of range for shape [2, 3, 4]. Fix: pass an axis from -3 to 2";
    let one = Array::from_slice(x.stream(), &[0]).unwrap();
    failure(x.sum_axis(3).eval()).mentions(wanted);
    failure(x.flip(3)).mentions(wanted);
    failure(x.roll(1, [0, 3])).mentions(wanted);
    failure(x.repeat(1, 3)).mentions(wanted);
    failure(x.cumsum(3)).mentions(wanted);
    failure(x.take(&one, 3)).mentions(wanted);
    failure(x.take_clamped(&one, 3)).mentions(wanted);
    failure(x.shuffle(&mut Random::new(1), 3)).mentions(wanted);
    failure(x.axis_iter(3)).mentions(wanted);
    failure(x.axis_chunks_iter(3, 1)).mentions(wanted);
    failure(x.permute([0, 1, 3])).mentions(wanted);
    failure(x.squeeze_axis(3)).mentions(wanted);
    failure(concatenate(&[&x], 3)).mentions(wanted);
    failure(Expr::index([2, 3, 4], 3)).mentions(wanted);
    failure(x.clone().index_add(3, &one, 0)).mentions(wanted);
    failure(x.flip(-4))
        .mentions("axis -4 is out of range for shape [2, 3, 4]. Fix: pass an axis from -3 to 2");
    let new = "axis 4 is out of range for shape [2, 3, 4]. Fix: pass a new axis from -4 to 3";
    failure(stack(&[&x], 4)).mentions(new);
    failure(x.expand_dims(4)).mentions(new);
    let number = x.slice(s![0, 0, 0]).unwrap();
    failure(number.flip(0)).mentions("axis 0 is out of range for shape [], which has no axes");
    failure(x.flip([0, -3])).mentions(
        "axes [0, -3] of shape [2, 3, 4] name axis 0 twice. Fix: name each axis at most once",
    );
}

#[test]
fn one_length_of_a_reshape_is_inferred() {
    let x = cube();
    let rows: usize = 6;
    assert_eq!(x.reshape(-1).unwrap().shape(), [24]);
    assert_eq!(x.reshape([-1, 12]).unwrap().shape(), [2, 12]);
    assert_eq!(x.reshape((rows, -1)).unwrap().shape(), [6, 4]);
    assert_eq!(x.reshape([rows, 4]).unwrap().shape(), [6, 4]);
    assert_eq!(x.reshape(x.shape()).unwrap().shape(), [2, 3, 4]);
    assert_eq!(
        x.t().reshape([-1, 2]).unwrap().to_vec().unwrap()[..4],
        [0, 12, 4, 16]
    );
    let empty = x.slice(s![..0]).unwrap();
    assert_eq!(empty.reshape([3, -1]).unwrap().shape(), [3, 0]);
    assert_eq!(
        x.slice(s![0, 0, 0]).unwrap().reshape(-1).unwrap().shape(),
        [1]
    );
    failure(x.reshape([-1, -1]))
        .mentions("reshape of [2, 3, 4] to [-1, -1]: only one length can be inferred");
    failure(x.reshape([5, -1])).mentions("24 elements don't divide into parts of 5");
    failure(empty.reshape([0, -1])).mentions("0 elements don't divide into parts of 0");
    failure(x.reshape([-2, 12])).mentions("-2 is not a length. Fix: pass -1 to infer a length");
    failure(x.reshape([5, 5])).mentions("there are 24 elements, but the new shape has 25");
    failure(x.reshape(())).mentions("there are 24 elements, but the new shape has 1");
}

#[test]
fn slices_are_clipped_but_indices_are_not() {
    let x = Array::range(&stream(), 0..5).unwrap();
    assert_eq!(elements(x.slice(s![3..100])), [3, 4]);
    assert_eq!(elements(x.slice(s![-100..2])), [0, 1]);
    assert_eq!(elements(x.slice(s![..100;-2])), [4, 2, 0]);
    assert_eq!(elements(x.slice(s![7..])), [0; 0]);
    assert_eq!(elements(x.slice(s![..-7])), [0; 0]);
    let mut y = x.clone();
    y.slice_mut(s![4..9]).unwrap().fill(-1).unwrap();
    assert_eq!(y.to_vec().unwrap(), [0, 1, 2, 3, -1]);
    failure(x.slice(s![5])).mentions("index 5 is out of range for axis 0 (length 5)");
}

#[test]
fn single_elements_are_read() {
    let x = cube();
    assert_eq!(x.at([1, 2, 3]).unwrap(), 23);
    assert_eq!(x.at((0usize, -1, -4)).unwrap(), 8);
    assert_eq!(x.t().at([1, 0, 1]).unwrap(), 13);
    assert_eq!(x.slice(s![0, 0, 0]).unwrap().at(()).unwrap(), 0);
    let flags = Array::from_slice(x.stream(), &[false, true]).unwrap();
    assert!(flags.at(-1).unwrap());
    failure(x.at([0, 3, 0])).mentions("index 3 is out of range for axis 1 (length 3)");
    failure(x.at([0, 0])).mentions(
        "at: [0, 0] does not name one element of an array of shape [2, 3, 4]. Fix: pass 3 indices, one for each axis",
    );
}

#[test]
fn axes_of_length_1_are_inserted_and_removed() {
    let x = Array::range(&stream(), 0..3).unwrap();
    let y = x.expand_dims([0, -1]).unwrap();
    assert_eq!(y.shape(), [1, 3, 1]);
    assert_eq!(y.squeeze_axis(0).unwrap().shape(), [3, 1]);
    assert_eq!(y.squeeze_axis((0, -1)).unwrap().shape(), [3]);
    assert_eq!(elements(y.squeeze_axis(-1)), [0, 1, 2]);
    failure(y.squeeze_axis(1)).mentions(
        "squeeze_axis: axis 1 of shape [1, 3, 1] has length 3, but only axes of length 1 can be removed",
    );
    failure(x.expand_dims([0, -3]))
        .mentions("expand_dims: axes [0, -3] name axis 0 twice. Fix: name each axis at most once");
    let many: Vec<usize> = (0..MAX_RANK).collect();
    failure(x.expand_dims(many)).mentions("an array has at most 8 axes");
}

#[test]
fn rolls_repeats_and_flips_of_several_axes() {
    let x = Array::range(&stream(), 0..12)
        .unwrap()
        .reshape([3, 4])
        .unwrap();
    let host = x.to_vec().unwrap();
    let rolled = x.roll([1, -1], [0, 1]).unwrap().to_vec().unwrap();
    let both = x.roll(5, (-1, 0)).unwrap().to_vec().unwrap();
    for i in 0..3usize {
        for j in 0..4usize {
            assert_eq!(rolled[i * 4 + j], host[(i + 2) % 3 * 4 + (j + 1) % 4]);
            assert_eq!(both[i * 4 + j], host[(i + 1) % 3 * 4 + (j + 3) % 4]);
        }
    }
    assert_eq!(x.roll([0, 4], [0, 1]).unwrap().to_vec().unwrap(), host);
    let mut backwards = host.clone();
    backwards.reverse();
    assert_eq!(elements(x.flip([0, -1])), backwards);
    let wide = x.repeat([2, 3], [-1, 0]).unwrap();
    assert_eq!(wide.shape(), [9, 8]);
    let wide = wide.to_vec().unwrap();
    for (at, value) in wide.iter().enumerate() {
        assert_eq!(*value, host[at / 8 / 3 * 4 + at % 8 / 2]);
    }
    failure(x.roll([1, 2, 3], [0, 1])).mentions(
        "roll: there are 3 shifts for 2 axes. Fix: pass one for all axes, or one for each",
    );
    failure(x.repeat([1, 2], 0)).mentions("repeat: there are 2 counts for 1 axes");
    failure(x.repeat(-1, 0)).mentions("repeat: the count -1 of axis 0 is negative");
}

#[test]
fn owned_arrays_are_concatenated_and_stacked() {
    let x = Array::range(&stream(), 0..3).unwrap();
    let parts: Vec<Array<i32>> = (0..3).map(|i| x.slice(s![i..]).unwrap()).collect();
    assert_eq!(elements(concatenate(&parts, 0)), [0, 1, 2, 1, 2, 2]);
    assert_eq!(elements(concatenate(&parts[1..], -1)), [1, 2, 2]);
    let rows = x
        .reshape([3, 1])
        .unwrap()
        .axis_iter(0)
        .unwrap()
        .collect::<Vec<_>>();
    let stacked = stack(&rows, 1).unwrap();
    assert_eq!(
        (stacked.shape(), elements(Ok(stacked))),
        (x.expand_dims(0).unwrap().shape(), vec![0, 1, 2])
    );
}

#[test]
fn nested_arrays_and_vectors_become_arrays() {
    let stream = stream();
    let x = Array::from_nested(&stream, [[[1u8, 2], [3, 4], [5, 6]]]).unwrap();
    assert_eq!(x.shape(), [1, 3, 2]);
    assert_eq!(x.to_vec().unwrap(), [1, 2, 3, 4, 5, 6]);
    let rows = [vec![true], vec![false]];
    assert_eq!(
        Array::from_nested(&stream, &rows[..]).unwrap().shape(),
        [2, 1]
    );
    assert_eq!(Array::from_nested(&stream, 2.5f32).unwrap().shape(), []);
    assert_eq!(
        Array::from_nested(&stream, [[0i32; 0]; 2]).unwrap().shape(),
        [2, 0]
    );
    failure(Array::from_nested(&stream, vec![vec![1, 2], vec![3]])).mentions(
        "from_nested: rows at depth 1 have lengths 2 and 1. Fix: make all rows equally long",
    );
}

#[test]
fn machine_integers_are_elements() {
    let stream = stream();
    let x = Array::range(&stream, 0..5usize).unwrap();
    assert_eq!(values((&x * 2 + 1) % 4usize), [1, 3, 1, 3, 1]);
    let y = Array::from_slice(&stream, &[3isize, -4]).unwrap();
    assert_eq!(values(-y.abs()), [-3, -4]);
    assert_eq!(values(y.cast::<f32>()), [3.0, -4.0]);
    assert_eq!(elements(x.take(&y, 0)), [3, 1]);
    let table = ["a", "b", "c"];
    let scores = Array::from_slice(&stream, &[0.5f32, 2.5, 1.0]).unwrap();
    assert_eq!(table[scores.argmax().eval().unwrap().item().unwrap()], "b");
    let count: usize = scores.greater(0.7).count().eval().unwrap().item().unwrap();
    assert_eq!(count, 2);
    let drawn = Array::<usize>::uniform_integers(&stream, &mut Random::new(3), 9, 5..7).unwrap();
    assert!(
        elements(Ok(drawn))
            .iter()
            .all(|number| (5..7).contains(number))
    );
}
