//! Executes a plan's calls with a loop that reads them as cuBLAS does, and compares the result with
//! the product by indices.

use super::*;
use crate::{array::Order, random_numbers::Random};

/// An operand: its layout and memory.
#[derive(Clone)]
struct Operand {
    layout: Layout,
    memory: Vec<i64>,
}

impl Operand {
    fn at(&self, place: isize) -> i64 {
        self.memory[usize::try_from(place).expect("a place within the memory")]
    }

    fn element(&self, index: &[usize]) -> i64 {
        let along = index.iter().zip(self.layout.strides());
        let far: isize = along.map(|(&i, &stride)| i as isize * stride).sum();
        self.at(self.layout.offset as isize + far)
    }

    /// Returns a dense copy in C order.
    fn copied(&self) -> Self {
        let shape = self.layout.shape;
        let memory = indices(shape.as_slice()).map(|index| self.element(&index));
        Self {
            memory: memory.collect(),
            layout: Layout::dense(shape, Order::C),
        }
    }
}

/// Returns all indices of a shape, in C order.
fn indices(lengths: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let lengths = lengths.to_vec();
    let count: usize = lengths.iter().product();
    (0..count).map(move |number| {
        let mut left = number;
        let mut index = vec![0; lengths.len()];
        for axis in (0..lengths.len()).rev() {
            index[axis] = left % lengths[axis];
            left /= lengths[axis];
        }
        index
    })
}

/// Returns the index of an operand's element from the index of the batch. Missing axes and axes of
/// length 1 are broadcast.
fn stretched(lengths: &[usize], batch: &[usize], last: [usize; 2]) -> Vec<usize> {
    let own = lengths.len() - 2;
    let missing = batch.len() - own;
    let mut index: Vec<_> = (0..own)
        .map(|axis| match lengths[axis] {
            1 => 0,
            _ => batch[missing + axis],
        })
        .collect();
    index.extend(last);
    index
}

fn by_indices(lengths: &Lengths, left: &Operand, right: &Operand) -> Vec<i64> {
    let all = [lengths.batch.as_slice(), &[lengths.m, lengths.n]].concat();
    indices(&all)
        .map(|index| {
            let (batch, place) = index.split_at(index.len() - 2);
            (0..lengths.k)
                .map(|l| {
                    let of_left = left.layout.shape;
                    let of_right = right.layout.shape;
                    let a = stretched(of_left.as_slice(), batch, [place[0], l]);
                    let b = stretched(of_right.as_slice(), batch, [l, place[1]]);
                    left.element(&a) * right.element(&b)
                })
                .sum()
        })
        .collect()
}

/// Executes the calls as `cublasGemmStridedBatchedEx` does, with column-major matrices.
fn by_calls(plan: &Plan, left: &Operand, right: &Operand, elements: usize) -> Vec<i64> {
    let mut result = vec![None; elements];
    // These are the transposes: the first matrix has n rows and k columns, the second has k rows
    // and m columns.
    let check = |side: Side, rows: i64, columns: i64| {
        let stored = if side.turned { columns } else { rows };
        assert!(
            side.leading >= stored.max(1),
            "{side:?}, {rows} x {columns}"
        );
    };
    check(plan.right, plan.n, plan.k);
    check(plan.left, plan.k, plan.m);
    assert!(plan.count >= 1 && plan.steps.iter().all(|&step| step >= 0));
    let place = |side: Side, row: i64, column: i64| match side.turned {
        false => row + column * side.leading,
        true => column + row * side.leading,
    };
    for start in &plan.calls {
        for p in 0..plan.count {
            let [a, b, c]: [i64; 3] = std::array::from_fn(|at| start[at] + p * plan.steps[at]);
            for column in 0..plan.m {
                for row in 0..plan.n {
                    let sum = (0..plan.k).map(|l| {
                        let one = right.layout.offset as i64 + b + place(plan.right, row, l);
                        let other = left.layout.offset as i64 + a + place(plan.left, l, column);
                        right.at(one as isize) * left.at(other as isize)
                    });
                    let to = usize::try_from(c + row + column * plan.n).unwrap();
                    let before = result[to].replace(sum.sum::<i64>());
                    assert_eq!(before, None, "element {to} is written twice");
                }
            }
        }
    }
    result
        .into_iter()
        .map(|element| element.expect("every element is written"))
        .collect()
}

/// Creates an operand of these lengths in its own memory: with axes in random order, with gaps,
/// reversed, or broadcast.
fn operand(random: &mut Random, lengths: &[usize]) -> Operand {
    let rank = lengths.len();
    let pick = |random: &mut Random, below: usize| random.bits() as usize % below;
    let mut axes: Vec<usize> = (0..rank).collect();
    for at in (1..rank).rev() {
        // Mostly in C order.
        if pick(random, 3) == 0 {
            axes.swap(at, pick(random, at + 1));
        }
    }
    let mut items = vec![SliceItem::from(..); rank];
    let mut own = lengths.to_vec();
    for axis in 0..rank {
        match pick(random, 8) {
            0 => {
                own[axis] = lengths[axis] * 2;
                items[axis] = SliceItem::from(..).with_step(2);
            }
            1 => items[axis] = SliceItem::from(..).with_step(-1),
            2 => {
                own[axis] = lengths[axis] + 3;
                items[axis] = SliceItem::from(1..lengths[axis] as isize + 1);
            }
            3 => own[axis] = 1, // broadcast below
            _ => {}
        }
    }
    let layout = Layout::dense_along(Shape::of(&own), &axes);
    let memory = (0..layout.shape.elements()).map(|_| random.bits() as i64 % 100);
    let memory = memory.collect();
    let layout = layout.sliced(&items).unwrap();
    let layout = layout.broadcast_to(Shape::of(lengths)).unwrap();
    Operand { layout, memory }
}

/// Checks the plan's result, after the copies that it requires. Returns whether it required none.
fn check(left: &Operand, right: &Operand) -> bool {
    let lengths = Lengths::of(left.layout.shape, right.layout.shape).unwrap();
    let wanted = by_indices(&lengths, left, right);
    let plan = Plan::new(&lengths, &left.layout, &right.layout).unwrap();
    if let Some(plan) = &plan {
        assert_eq!(
            by_calls(plan, left, right, wanted.len()),
            wanted,
            "{plan:?}"
        );
    }
    let (copied_left, copied_right) = (left.copied(), right.copied());
    let again = Plan::new(&lengths, &copied_left.layout, &copied_right.layout).unwrap();
    let again = again.expect("dense matrices need no copy");
    assert_eq!(
        by_calls(&again, &copied_left, &copied_right, wanted.len()),
        wanted,
        "{again:?}"
    );
    plan.is_some()
}

#[test]
fn calls_compute_products_of_random_layouts() {
    let mut random = Random(7);
    let mut without_copies = 0;
    for _ in 0..4000 {
        let mut length = |below: usize| 1 + random.bits() as usize % below;
        let (m, n, k) = (length(4), length(4), length(4));
        let batch: Vec<usize> = (0..length(4) - 1).map(|_| length(3)).collect();
        let mut some_of = |matrix: [usize; 2]| {
            let from = (length(3) - 1).min(batch.len());
            let mut lengths: Vec<_> = batch[from..].to_vec();
            for own in &mut lengths {
                if length(3) == 1 {
                    *own = 1;
                }
            }
            lengths.extend(matrix);
            lengths
        };
        let (left, right) = (some_of([m, k]), some_of([k, n]));
        let (left, right) = (operand(&mut random, &left), operand(&mut random, &right));
        without_copies += u32::from(check(&left, &right));
    }
    assert!((1000..3000).contains(&without_copies), "{without_copies}");
}

fn dense(lengths: &[usize], order: Order) -> Layout {
    Layout::dense(Shape::of(lengths), order)
}

fn plan(left: &Layout, right: &Layout) -> Plan {
    let lengths = Lengths::of(left.shape, right.shape).unwrap();
    let (left, right) = (left_matrix(left).unwrap(), right_matrix(right).unwrap());
    Plan::new(&lengths, &left, &right)
        .unwrap()
        .expect("no copy")
}

#[test]
fn transposed_operands_are_read_in_place() {
    let side = |turned, leading| Side { turned, leading };
    let plain = plan(&dense(&[2, 3], Order::C), &dense(&[3, 5], Order::C));
    assert_eq!((plain.left, plain.right), (side(false, 3), side(false, 5)));
    assert_eq!((plain.m, plain.n, plain.k), (2, 5, 3));
    let turned = plan(&dense(&[2, 3], Order::F), &dense(&[3, 5], Order::F));
    assert_eq!((turned.left, turned.right), (side(true, 2), side(true, 3)));
    // A block of a larger matrix, with every second row.
    let block = dense(&[8, 9], Order::C)
        .sliced(&[SliceItem::from(2..6).with_step(2), (3..6).into()])
        .unwrap();
    assert_eq!(Side::of(&block), Some(side(false, 18)));
    assert_eq!(Side::of(&block.reversed_axes()), Some(side(true, 18)));
    // Every second column, reversed rows, and one row for all. These must be copied.
    for items in [
        [SliceItem::from(..), SliceItem::from(..).with_step(2)],
        [SliceItem::from(..).with_step(-1), SliceItem::from(..)],
    ] {
        let other = dense(&[8, 9], Order::C).sliced(&items).unwrap();
        assert_eq!(Side::of(&other), None);
    }
    let row = dense(&[1, 3], Order::C);
    assert_eq!(
        Side::of(&row.broadcast_to(Shape::of(&[4, 3])).unwrap()),
        None
    );
    // A vector with gaps is a matrix with a long row pitch.
    let spaced = dense(&[9], Order::C)
        .sliced(&[SliceItem::from(..).with_step(4)])
        .unwrap();
    assert_eq!(
        Side::of(&right_matrix(&spaced).unwrap()),
        Some(side(false, 4))
    );
    assert_eq!(
        Side::of(&left_matrix(&spaced).unwrap()),
        Some(side(true, 4))
    );
}

#[test]
fn batches_are_merged_into_few_calls() {
    let of =
        |left: &[usize], right: &[usize]| plan(&dense(left, Order::C), &dense(right, Order::C));
    // One right matrix: one product of all rows.
    let rows = of(&[4, 6, 2, 3], &[3, 5]);
    assert_eq!((rows.m, rows.count, rows.calls.len()), (48, 1, 1));
    // One left matrix.
    let left = of(&[2, 3], &[4, 6, 3, 5]);
    assert_eq!(
        (left.m, left.count, left.steps, left.calls.len()),
        (2, 24, [0, 15, 10], 1)
    );
    let both = of(&[4, 6, 2, 3], &[4, 6, 3, 5]);
    assert_eq!(
        (both.count, both.steps, both.calls.len()),
        (24, [6, 15, 10], 1)
    );
    // If two axes can't be merged, the longer one goes into the call.
    let crossed = of(&[4, 1, 2, 3], &[6, 3, 5]);
    assert_eq!((crossed.count, crossed.calls.len()), (6, 4));
    assert_eq!((crossed.steps, crossed.calls[1]), ([0, 15, 10], [6, 0, 60]));
    let vectors = of(&[3], &[3]);
    assert_eq!((vectors.m, vectors.n, vectors.k), (1, 1, 3));
}

#[test]
fn shapes_follow_numpy() {
    let result = |left: &[usize], right: &[usize]| {
        Lengths::of(Shape::of(left), Shape::of(right)).map(|lengths| lengths.result)
    };
    for (left, right, wanted) in [
        (&[2, 3][..], &[3, 5][..], &[2, 5][..]),
        (&[3], &[3, 5], &[5]),
        (&[2, 3], &[3], &[2]),
        (&[3], &[3], &[]),
        (&[7, 2, 3], &[3], &[7, 2]),
        (&[3], &[7, 3, 5], &[7, 5]),
        (&[7, 1, 2, 3], &[4, 3, 5], &[7, 4, 2, 5]),
        (&[0, 3], &[3, 5], &[0, 5]),
        (&[2, 0], &[0, 5], &[2, 5]),
        (&[0, 2, 3], &[1, 3, 5], &[0, 2, 5]),
    ] {
        assert_eq!(result(left, right).unwrap(), *wanted, "{left:?} {right:?}");
    }
    for (left, right, what) in [
        (&[2, 3][..], &[4, 5][..], "have 3 elements"),
        (&[], &[3], "without axes"),
        (&[3], &[], "without axes"),
        (&[2, 2, 3], &[3, 3, 5], "[2] and [3]"),
        (
            &[1 << 40, 1],
            &[1, 1 << 40],
            "more elements than isize::MAX",
        ),
    ] {
        let error = result(left, right).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}
