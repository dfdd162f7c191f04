//! Slices, transposes and other shapes of expressions.

use cuda_compute::{Array, Element, Ellipsis, Expr, NewAxis, Random, eval, s};

use crate::{elements, failure::failure, stream, values};

/// Compares a view of an expression with the same view of its evaluated values.
#[track_caller]
fn same<T: Element>(
    view: cuda_compute::Result<Expr<T>>,
    of_values: cuda_compute::Result<Array<T>>,
) {
    let (view, wanted) = (view.unwrap(), of_values.unwrap());
    assert_eq!(view.shape().unwrap(), wanted.shape());
    let got = view.eval().unwrap();
    assert_eq!(
        (got.shape(), elements(Ok(got))),
        (wanted.shape(), elements(Ok(wanted.clone())))
    );
    // The view is part of a larger expression.
    assert_eq!(values(view.equal(&wanted).all()), [true]);
}

/// Compares all kinds of views.
fn same_views<T: Element>(x: &Expr<T>) {
    let y = x.eval().unwrap();
    same(x.slice(s![1, ..;-1]), y.slice(s![1, ..;-1]));
    same(x.slice(s![.., 1..3, -1]), y.slice(s![.., 1..3, -1]));
    same(
        x.slice(s![NewAxis, Ellipsis, ..;2]),
        y.slice(s![NewAxis, Ellipsis, ..;2]),
    );
    same(x.slice(s![..0]), y.slice(s![..0]));
    same(x.permute([-1, 0, 1]), y.permute([-1, 0, 1]));
    same(Ok(x.t()), Ok(y.t()));
    same(x.reshape([6, -1]), y.reshape([6, -1]));
    same(x.flatten(), y.flatten());
    same(x.t().reshape([4, 6]), y.t().reshape([4, 6]));
    same(x.expand_dims([0, -1]), y.expand_dims([0, -1]));
    same(
        x.slice(s![.., ..1]).unwrap().squeeze_axis(1),
        y.slice(s![.., 0]),
    );
    same(
        Ok(x.slice(s![1]).unwrap().t()),
        Ok(y.slice(s![1]).unwrap().t()),
    );
    same(
        x.reshape([4, 6]).unwrap().t().slice(s![2..]),
        y.reshape([4, 6]).unwrap().t().slice(s![2..]),
    );
}

#[test]
fn views_of_expressions_are_those_of_their_values() {
    let stream = stream();
    let x = Array::range(&stream, 0..24)
        .unwrap()
        .reshape([2, 3, 4])
        .unwrap();
    let row = Array::from_slice(&stream, &[100, 200, 300, 400]).unwrap();
    let column = Array::from_nested(&stream, [[10], [20], [30]]).unwrap();
    same_views(&x.expr());
    same_views(&(&x + 1));
    same_views(&(&x + &row * &column)); // broadcast operands
    same_views(&(&row * &column + x.flip([0, 2]).unwrap()));
    same_views(&row.expr().broadcast_to([2, 3, 4]).unwrap());
    let five = Expr::scalar(5).broadcast_to([2, 3, 4]).unwrap();
    same_views(&(five + &row * 0)); // a number that is broadcast
    let turned = Array::range(&stream, 0..24)
        .unwrap()
        .reshape([4, 3, 2])
        .unwrap();
    same_views(&(turned.t() * 2 + &x)); // no strides for some shapes
    let (place, last) = (
        Expr::index([2, 3, 4], 1).unwrap(),
        Expr::index([2, 3, 4], -1).unwrap(),
    );
    same_views(&(place * 10 + last + x.cast::<usize>()));
    let sum = &x * 2 - x.sum();
    same_views(&sum); // a reduction of all elements
    same_views(&(&x - x.max_axis(-1).keep_axes())); // reductions of rows
    same_views(&(x.sum_axis(0).broadcast_to([2, 3, 4]).unwrap() + &x));
    let drawn = Expr::<f64>::uniform(&mut Random::new(4), [2, 3, 4]).unwrap();
    same_views(&(drawn + x.cast::<f64>()));
    let shared = &x + &row;
    same_views(&(&shared * &shared));
}

#[test]
fn views_of_results_of_reductions() {
    let x = Array::range(&stream(), 0..24)
        .unwrap()
        .reshape([2, 3, 4])
        .unwrap();
    let sums = x.sum_axis(0);
    assert_eq!(values(sums.slice(s![-1, 1..]).unwrap()), [30, 32, 34]);
    let turned = sums.t();
    let first = turned.slice(s![0]).unwrap().sum();
    let (turned, straight, first) = eval((turned, &sums + 0, first)).unwrap();
    assert_eq!(
        (turned.shape(), turned.at([1, 2]).unwrap()),
        (straight.t().shape(), 30)
    );
    assert_eq!(
        (straight.at([2, 1]).unwrap(), first.item().unwrap()),
        (30, 12 + 20 + 28)
    );
    // A view of a view, between reductions.
    let rows = sums
        .t()
        .reshape([2, 6])
        .unwrap()
        .max_axis(1)
        .reshape([1, 2])
        .unwrap();
    assert_eq!(values(&rows - rows.sum()), [-34, -30]);
    let mut y = x.clone();
    y.assign(y.sum_axis(-1).t().reshape([2, 3, 1]).unwrap())
        .unwrap();
    assert_eq!(elements(y.slice(s![.., .., 0])), [6, 54, 22, 70, 38, 86]);
}

#[test]
fn views_read_the_old_elements_in_assignments() {
    let mut x = Array::range(&stream(), 0..9)
        .unwrap()
        .reshape([3, 3])
        .unwrap();
    x.assign((&x + 1).t()).unwrap();
    assert_eq!(x.to_vec().unwrap(), [1, 4, 7, 2, 5, 8, 3, 6, 9]);
    x.assign(
        x.expr()
            .flatten()
            .unwrap()
            .slice(s![..;-1])
            .unwrap()
            .reshape([3, 3])
            .unwrap(),
    )
    .unwrap();
    assert_eq!(x.to_vec().unwrap(), [9, 6, 3, 8, 5, 2, 7, 4, 1]);
}

#[test]
fn errors_of_views_are_those_of_arrays() {
    let x = Array::range(&stream(), 0..6)
        .unwrap()
        .reshape([2, 3])
        .unwrap();
    let y = &x + 1;
    failure(y.slice(s![2])).mentions("index 2 is out of range for axis 0 (length 2)");
    failure(y.reshape([4, -1]))
        .mentions("reshape of [2, 3] to [4, -1]: 6 elements don't divide into parts of 4");
    failure(y.permute([0, 0])).mentions("axes [0, 0] are not a permutation");
    failure(y.squeeze_axis(0)).mentions("squeeze_axis: axis 0 of shape [2, 3] has length 2");
    let wrong = &x + Array::<i32>::zeros(x.stream(), 5).unwrap();
    failure(wrong.slice(s![0])).mentions("don't match");
    failure(wrong.t().eval()).mentions("don't match");
    failure(x.sum_axis(5).t().eval()).mentions("axis 5 is out of range for shape [2, 3]");
}

#[test]
fn long_chains_have_views() {
    let x = Array::range(&stream(), 0..6)
        .unwrap()
        .reshape([2, 3])
        .unwrap();
    let chain = (0..3000).fold(x.expr(), |chain, _| chain + 1);
    assert_eq!(values(chain.t().slice(s![0]).unwrap()), [3000, 3003]);
    let sums = (0..499).fold(x.sum_axis(1), |chain, _| chain + 1);
    assert_eq!(values(sums.keep_axes().t()), [502, 511]);
}

#[test]
fn single_values_get_axes() {
    let x = Array::range(&stream(), 0..3).unwrap();
    let sum = x.sum().expand_dims([0, 1]).unwrap();
    assert_eq!(
        (sum.shape().unwrap(), values(sum)),
        (cuda_compute::Shape::new(&[1, 1]).unwrap(), vec![3])
    );
    let two = Expr::scalar(2).reshape([1, 1]).unwrap();
    assert_eq!(values(x.expr() * two), [0, 2, 4]);
}
