use cuda_safe::{Context, Stream};

use super::{super::elementwise::Elementwise, *};
use crate::{
    array::Array,
    expression::{Expr, eval},
    kernel::Kernels,
};

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
    let lanes = |lanes, unroll| Way::Lines(Lines::Lanes { lanes, unroll });
    // Each lane takes four vectors of four elements if there are enough rows.
    assert_eq!(chosen_on(1, &[300, 16], 1), lanes(1, 4));
    assert_eq!(chosen_on(1, &[300, 20], 1), lanes(2, 3));
    assert_eq!(chosen_on(1, &[300, 400], 1), lanes(32, 4));
    assert_eq!(chosen_on(1, &[300, 1024], 1), lanes(32, 4));
    // Few rows have more lanes.
    assert_eq!(chosen(&[3, 16], 1), lanes(4, 1));
    assert_eq!(chosen(&[3, 124], 1), lanes(32, 1));
    assert_eq!(chosen(&[529, 400], 1), lanes(32, 4));
}

#[test]
fn longer_lines_are_for_blocks() {
    let blocks = |threads, unroll, chained| {
        Way::Lines(Lines::Blocks {
            threads,
            unroll,
            chained,
        })
    };
    assert_eq!(chosen(&[3, 400], 1), blocks(128, 1, false));
    // 807 elements are no whole vectors, so each thread takes several elements.
    assert_eq!(chosen_on(1, &[300, 807], 1), blocks(128, 7, false));
    assert_eq!(chosen(&[3, 807], 1), blocks(512, 2, false));
    assert_eq!(chosen_on(1, &[3, 1028], 1), blocks(128, 3, false));
    assert_eq!(chosen_on(1, &[3, 4096], 1), blocks(256, 4, false));
    assert_eq!(chosen(&[3, 4096 * 2], 1), blocks(512, 4, false));
    assert_eq!(chosen(&[3, 4096 * 2 + 4], 1), blocks(512, 1, true));
    // A single line is always divided among blocks.
    assert_eq!(chosen(&[16], 0), blocks(128, 1, false));
    assert_eq!(chosen(&[1025], 0), blocks(128, 3, false));
    assert_eq!(chosen(&[1029], 0), blocks(256, 2, false));
    assert_eq!(chosen(&[4096], 0), blocks(512, 2, false));
    assert_eq!(chosen(&[4096 * 2], 0), blocks(512, 4, false));
    // A multiprocessor for each tile.
    assert_eq!(chosen(&[4096 * 2 + 1], 0), blocks(512, 1, true));
    assert_eq!(chosen_on(4, &[4096 * 2 + 1], 0), blocks(512, 2, true));
    assert_eq!(chosen_on(3, &[4096 * 2 + 1], 0), blocks(512, 2, true));
    assert_eq!(chosen_on(2, &[4096 * 2 + 1], 0), blocks(512, 4, true));
}

#[test]
fn long_computations_of_a_line_are_for_more_threads() {
    let context = Context::primary(0).unwrap();
    let hardware = *Kernels::of_multiprocessors(&context, 132).hardware();
    let of = |long, lines, vectors| {
        let vector = Vector {
            data: DataType::F32,
            elements: 4,
            accumulator: 4,
            long,
        };
        let (way, tiles) = Lines::new(lines, vectors, vector, &hardware);
        let Lines::Blocks { unroll, .. } = way else {
            panic!("{way:?}")
        };
        (unroll, tiles)
    };
    assert_eq!([of(false, 1, 1024), of(true, 1, 1024)], [(2, 1); 2]);
    assert_eq!([of(false, 1, 1025), of(true, 1, 1025)], [(3, 1), (1, 3)]);
    assert_eq!([of(false, 1, 2049), of(true, 1, 2049)], [(1, 5); 2]);
    // As many tiles as multiprocessors, on all lines.
    assert_eq!(of(false, 1, 132 * 512), (1, 132));
    assert_eq!(of(false, 1, 132 * 512 + 1), (2, 67));
    assert_eq!(of(false, 2, 132 * 512), (2, 66));
    assert_eq!(of(false, 1, 132 * 2048), (4, 132));
    assert_eq!(of(false, 1, 132 * 2048 + 1), (4, 133));
}

#[test]
fn columns_are_for_threads_side_by_side() {
    let columns = |lanes, rows, chained| {
        Way::Columns(Columns {
            threads: 256,
            lanes,
            rows,
            chained,
        })
    };
    assert_eq!(chosen(&[65, 12], 0), columns(4, 8, false));
    // More lanes, because there are few rows.
    assert_eq!(chosen_on(1, &[5, 1200], 0), columns(32, 4, false));
    // Each of a few elements has a thread, if there are enough.
    assert_eq!(chosen_on(1, &[40, 8], 0), columns(8, 2, false));
    assert_eq!(chosen_on(1, &[5, 300], 0), columns(32, 1, false));
    assert_eq!(chosen_on(1, &[63, 32], 0), columns(16, 4, false));
    assert_eq!(chosen_on(1, &[64, 32], 0), columns(8, 4, false));
    assert_eq!(chosen(&[1024, 8], 0), columns(2, 8, false));
    assert_eq!(chosen(&[1025, 8], 0), columns(2, 8, true));
    // Strips of 128 bytes. Two of them on each of two multiprocessors need no tiles.
    assert_eq!(chosen_on(2, &[4, 300, 32], 1), columns(8, 8, false));
    assert_eq!(chosen_on(2, &[3, 300, 32], 1), columns(8, 8, false));
    // Narrower strips are enough of them.
    assert_eq!(chosen_on(2, &[2, 600, 32], 1), columns(4, 8, false));
    assert_eq!(chosen_on(2, &[2000, 32], 0), columns(2, 8, false));
    assert_eq!(chosen_on(132, &[2000, 32], 0), columns(8, 8, true));
}

#[test]
fn columns_of_other_types_have_other_threads() {
    let context = Context::primary(0).unwrap();
    let hardware = *Kernels::of_multiprocessors(&context, 132).hardware();
    let columns = |data, elements, length, width| {
        let vector = Vector {
            data,
            elements,
            accumulator: data.size().max(4),
            long: false,
        };
        let found = Columns::new(1, length, width, vector, &hardware);
        (found.threads, found.lanes, found.rows, found.chained)
    };
    let (f64, f32, f16) = (DataType::F64, DataType::F32, DataType::F16);
    assert_eq!(columns(f64, 2, 4096, 2048), (256, 8, 4, false));
    assert_eq!(columns(f64, 2, 1 << 21, 16), (256, 8, 8, true));
    assert_eq!(columns(f32, 4, 65536, 128), (512, 8, 8, true));
    assert_eq!(columns(f32, 1, 100_000, 33), (256, 8, 8, true));
    assert_eq!(columns(f16, 8, 8192, 1024), (256, 4, 8, false));
    // Elements of 16 bytes.
    assert_eq!(
        columns(DataType::Complex64, 1, 8192, 4096),
        (256, 8, 8, false)
    );
}

#[test]
fn threads_of_columns_suit_the_kernel() {
    let context = Context::primary(0).unwrap();
    let hardware = *Kernels::of_multiprocessors(&context, 132).hardware();
    let sizes = [1, 2, 3, 5, 31, 64, 65, 1000, 20_000];
    for (elements, accumulator) in [(1, 4), (4, 4), (16, 4), (2, 8), (1, 12), (3, 12), (1, 128)] {
        for (length, width) in sizes.into_iter().flat_map(|x| sizes.map(|y| (x, y))) {
            let vector = Vector {
                data: DataType::F32,
                elements,
                accumulator,
                long: false,
            };
            let columns = Columns::new(1, length, width, vector, &hardware);
            let (threads, lanes) = (columns.threads, columns.lanes);
            assert!(lanes.is_power_of_two() && lanes <= 32, "{columns:?}");
            assert!(
                threads.is_power_of_two() && (32..=512).contains(&threads),
                "{columns:?}"
            );
            let shared = 2 * (threads / 32 * lanes) as usize * elements * accumulator;
            assert!(shared as u64 <= table::ROOM, "{columns:?}");
            assert!(!columns.chained || columns.tiles(length) > 1, "{columns:?}");
        }
    }
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
    assert_eq!(kernels_for(&|x| sums(x, 0) + sums(x, 1)), (2, 0));
    let twice = |x: &Array<f32>| sums(x, 0).cumsum(1).unwrap();
    assert_eq!(kernels_for(&|x| twice(x) + x), (2, 0));
    // One scan depends on the other one, whose results are used twice.
    let both = |x: &Array<f32>| {
        let first = sums(x, 0);
        first.cumsum(1).unwrap() + first
    };
    assert_eq!(kernels_for(&both), (2, 0));
    // An operand that is contiguous along the other axis is read in tiles by another kernel.
    let transposed = |x: &Array<f32>| sums(x, 1) + x.reshape([8, 40]).unwrap().t();
    assert_eq!(kernels_for(&transposed), (1, 1));
    // A view of the results needs them in memory.
    let turned = |x: &Array<f32>| {
        let own = sums(x, 0);
        let reversed = own.slice(crate::s![..;-1]).unwrap();
        own - reversed
    };
    assert_eq!(kernels_for(&turned), (1, 1));
}

#[test]
fn stored_scans_are_not_copied() {
    let context = Context::primary(0).unwrap();
    let stream = Stream::new(&context).unwrap();
    let kernels = Kernels::of_multiprocessors(&context, 132);
    let x = kernels.zeros::<f32>(&stream, &[40, 8]);
    let sums = |axis| x.expr().cumsum(axis).unwrap();
    let (one, other) = eval((sums(0), sums(1))).unwrap();
    assert_eq!(
        [one.to_vec().unwrap(), other.to_vec().unwrap()],
        [vec![0.0; 320], vec![0.0; 320]]
    );
    assert_eq!(compiled(&kernels), (2, 0));
    let found: Vec<Kernel> = kernels.compiled_for();
    assert!(found.iter().all(|kernel| kernel.form.outputs.len() == 1));
    // One root is stored, and the other one is computed by the kernel of its scan.
    let (stored, next) = eval((sums(0), sums(1) + 1.0)).unwrap();
    assert_eq!(
        [stored.to_vec().unwrap(), next.to_vec().unwrap()],
        [vec![0.0; 320], vec![1.0; 320]]
    );
    let (next, stored) = eval((sums(1) + 1.0, sums(0))).unwrap();
    assert_eq!(
        [stored.to_vec().unwrap(), next.to_vec().unwrap()],
        [vec![0.0; 320], vec![1.0; 320]]
    );
    assert_eq!(compiled(&kernels).1, 0);
}

#[test]
fn threads_of_lines_suit_the_kernel() {
    let context = Context::primary(0).unwrap();
    let hardware = *Kernels::of_multiprocessors(&context, 132).hardware();
    let sizes = [1, 2, 31, 32, 33, 128, 129, 256, 257, 807, 5000, 1 << 20];
    for (elements, accumulator) in [(1, 4), (4, 4), (16, 4), (2, 8), (1, 12), (1, 128)] {
        for (lines, vectors) in sizes.into_iter().flat_map(|x| sizes.map(|y| (x, y))) {
            let vector = Vector {
                data: DataType::F32,
                elements,
                accumulator,
                long: false,
            };
            let (way, tiles) = Lines::new(lines, vectors, vector, &hardware);
            let at = format!("{lines} of {vectors} {vector:?}: {way:?}");
            match way {
                Lines::Lanes { lanes, unroll } => {
                    assert!(lanes.is_power_of_two() && lanes <= 32 && unroll > 0, "{at}");
                    assert_eq!(tiles, 1, "{at}");
                }
                Lines::Blocks {
                    threads,
                    unroll,
                    chained,
                } => {
                    assert!(
                        threads.is_power_of_two() && (32..=1024).contains(&threads),
                        "{at}"
                    );
                    assert!(tiles * u64::from(threads * unroll) >= vectors, "{at}");
                    assert_eq!(chained, tiles > 1, "{at}");
                }
            }
        }
    }
}
