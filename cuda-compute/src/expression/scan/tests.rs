use cuda_safe::{Context, Stream};

use super::{super::elementwise::Elementwise, *};
use crate::{array::Array, expression::Expr, kernel::Kernels};

/// How an array of `f32` is scanned on a device with 132 multiprocessors.
fn chosen(lengths: &[usize], axis: usize) -> Way {
    chosen_on(132, lengths, axis)
}

fn chosen_on(multiprocessors: u32, lengths: &[usize], axis: usize) -> Way {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    let kernels = Kernels::of_multiprocessors(&context, multiprocessors);
    let x = kernels.zeros::<f32>(&stream, lengths);
    let result = x.cumsum(axis).unwrap();
    assert!(result.to_vec().unwrap().iter().all(|&sum| sum == 0.0));
    let mut found: Vec<Kernel> = kernels.compiled_for();
    found.remove(0).way
}

#[test]
fn short_rows_are_for_some_lanes() {
    let rows = |lanes| Way::Rows { lanes, unroll: 4 };
    assert_eq!(chosen(&[3, 16], 1), rows(1));
    assert_eq!(chosen(&[3, 20], 1), rows(2));
    assert_eq!(chosen(&[3, 400], 1), rows(32));
    assert_eq!(chosen(&[3, 1024], 1), rows(32));
}

#[test]
fn longer_lines_are_for_blocks() {
    let line = |threads, chained| Way::Line {
        threads,
        unroll: 4,
        chained,
    };
    assert_eq!(chosen(&[3, 1028], 1), line(128, false));
    // A single line is always divided among blocks.
    assert_eq!(chosen(&[16], 0), line(128, false));
    assert_eq!(chosen(&[4096 * 2], 0), line(512, false));
    assert_eq!(chosen(&[4096 * 2 + 1], 0), line(512, true));
}

#[test]
fn columns_are_for_threads_side_by_side() {
    let columns = |rows, lanes, chained| Way::Columns {
        variant: Columns { threads: 256, rows },
        lanes,
        chained,
    };
    assert_eq!(chosen(&[40, 8], 0), columns(4, 2, false));
    assert_eq!(chosen(&[65, 12], 0), columns(8, 4, false));
    assert_eq!(chosen(&[5, 300], 0), columns(4, 32, false));
    assert_eq!(chosen(&[1024, 8], 0), columns(8, 2, false));
    assert_eq!(chosen(&[1025, 8], 0), columns(8, 2, true));
    // Four strips keep a multiprocessor busy.
    assert_eq!(chosen_on(1, &[3, 1025, 8], 1), columns(8, 2, true));
    assert_eq!(chosen_on(1, &[4, 1025, 8], 1), columns(8, 2, false));
}

/// Returns the numbers of kernels of scans and of elementwise kernels.
fn compiled(kernels: &Kernels) -> (usize, usize) {
    let (scans, others): (Vec<Kernel>, Vec<Elementwise>) =
        (kernels.compiled_for(), kernels.compiled_for());
    (scans.len(), others.len())
}

#[test]
fn one_kernel_scans_and_continues() {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    let kernels_for = |make: &dyn Fn(&Array<f32>) -> Expr<f32>| {
        let kernels = Kernels::of_multiprocessors(&context, 132);
        let x = kernels.zeros::<f32>(&stream, &[40, 8]);
        let result = make(&x).eval().unwrap().to_vec().unwrap();
        assert!(result.iter().all(|&value| value == 0.0));
        compiled(&kernels)
    };
    let sums = |x: &Array<f32>, axis| x.expr().cumsum(axis).unwrap();
    assert_eq!(kernels_for(&|x| sums(x, 1)), (1, 0));
    assert_eq!(kernels_for(&|x| sums(x, 1) * 2.0 - x), (1, 0));
    // Means so far.
    let index = || Expr::index([40, 8], 0).unwrap().cast::<f32>();
    assert_eq!(kernels_for(&|x| sums(x, 0) / (index() + 1.0)), (1, 0));
    let recurrence = |x: &Array<f32>| x.linear_recurrence(0.5, 0.0, 1).unwrap();
    assert_eq!(kernels_for(&|x| recurrence(x)), (1, 0));
    // The results of all scans but one are stored.
    assert_eq!(kernels_for(&|x| sums(x, 0) + sums(x, 1)), (2, 1));
    let twice = |x: &Array<f32>| sums(x, 0).cumsum(1).unwrap();
    assert_eq!(kernels_for(&|x| twice(x) + x), (2, 0));
}
