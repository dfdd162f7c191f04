//! Expressions without a valid shape return the same error from every way of computing them.

use cuda_compute::{Array, Expr, Result, eval, eval_on, s};
use cuda_safe::Stream;

use crate::{shaped, stream};

/// Checks that every way of computing an expression returns the same error, and returns it.
#[track_caller]
fn shared_error(stream: &Stream, wrong: &Expr<f32>) -> String {
    let wanted = wrong.shape().unwrap_err().to_string();
    let good = Array::zeros(stream, [3, 2]).unwrap();
    let places = Array::<u32>::zeros(stream, [3, 2]).unwrap();
    let within = || Ok(good.clone());
    let outcomes: Vec<(&str, Result<()>)> = vec![
        ("eval", wrong.eval().map(drop)),
        ("eval_on", wrong.eval_on(stream).map(drop)),
        ("a tuple", eval((&good.expr(), wrong)).map(drop)),
        (
            "one on a stream",
            eval_on(stream, (wrong, &good.expr())).map(drop),
        ),
        ("computed further", (wrong * 2.0).eval_on(stream).map(drop)),
        ("reduced", wrong.sum().eval_on(stream).map(drop)),
        ("assign", within().and_then(|mut x| x.assign(wrong))),
        (
            "assign to a part",
            within().and_then(|mut x| x.slice_mut(s![1..])?.assign(wrong)),
        ),
        ("put", within().and_then(|mut x| x.put(&places, wrong))),
        (
            "put_add",
            within().and_then(|mut x| x.put_add(&places, wrong)),
        ),
        ("take", wrong.take(&places, 0).map(drop)),
        ("places", good.take(wrong.cast::<i64>(), 0).map(drop)),
        ("compress", wrong.compress(wrong.greater(0.0)).map(drop)),
        ("mask", good.compress(wrong.greater(0.0)).map(drop)),
        ("nonzero", wrong.greater(0.0).nonzero().map(drop)),
        ("cumsum", wrong.cumsum(0).map(drop)),
        ("histogram", wrong.cast::<u32>().histogram(4).map(drop)),
    ];
    for (way, outcome) in outcomes {
        let error = outcome.map_or_else(|error| error.to_string(), |()| "no error".into());
        assert_eq!(error, wanted, "{way}");
    }
    wanted
}

#[test]
fn every_way_of_computing_returns_the_same_error() {
    let stream = stream();
    let x = shaped(&stream, [3, 2], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let y = Array::<f32>::zeros(&stream, 5).unwrap();
    let twice = shared_error(&stream, &x.sum_axis([1, -1]));
    let wanted = "axes [1, -1] of shape [3, 2] name axis 1 twice. Fix: name each axis at most once";
    assert!(twice.ends_with(wanted), "{twice}");
    assert!(twice.starts_with("`sum` at "), "{twice}");
    let missing = [
        x.sum_axis(5),
        x.sum_axis(2),
        x.sum_axis(-3),
        x.max_axis(7),
        x.mean_axis(7),
        x.norm_axis(2, 2.0),
        x.argmax_axis(2).cast(),
        (&x * 2.0).sum_axis(5),
        x.sum_axis(5).keep_axes(),
        x.sum_axis(5).sum(),
        Expr::index([3, 2], 0).unwrap().sum_axis(2).cast(),
    ];
    for wrong in &missing {
        let error = shared_error(&stream, wrong);
        assert!(
            error.contains(" is out of range for shape [3, 2]. Fix: pass an axis from -2 to 1"),
            "{error}"
        );
    }
    for wrong in [&x + &y, (&x + &y).sum(), (&x + &y).sqrt().keep_axes()] {
        let error = shared_error(&stream, &wrong);
        assert!(error.contains("don't match"), "{error}");
    }
    let error = shared_error(&stream, &(&x - x.mean_axis(1)));
    assert!(
        error.contains("Fix: to keep the axes of the reduction, call `keep_axes()` on it"),
        "{error}"
    );
    let error = shared_error(&stream, &x.sqrt().keep_axes());
    assert!(
        error.contains("the expression is not a reduction"),
        "{error}"
    );
    let error = shared_error(&stream, &x.expr().field(|_| &1.0));
    assert!(error.contains("field"), "{error}");
}
