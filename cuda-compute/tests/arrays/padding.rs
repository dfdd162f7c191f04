//! Padding, compared with a copy of single elements on the host.

use cuda_compute::{Array, Element, Order, Pad, s};
use half::bf16;

use crate::{
    elements,
    failure::failure,
    random::Random,
    several_indices::{place, places},
    shaped, stream, upload,
};

/// Returns the index of the element that a padded axis has at `index`, as NumPy's `pad` describes
/// it: by walking from the axis step by step.
fn source<T>(mode: &Pad<T>, index: isize, length: usize) -> Option<usize> {
    if (0..length as isize).contains(&index) {
        return Some(index as usize);
    }
    if matches!(mode, Pad::Constant(_)) {
        return None;
    }
    let last = length - 1;
    let steps = if index < 0 {
        index.unsigned_abs()
    } else {
        index as usize - last
    };
    let mut at = if index < 0 { 0 } else { last };
    let mut up = index >= 0;
    for _ in 0..steps {
        match mode {
            Pad::Constant(_) | Pad::Edge => {}
            Pad::Wrap if up => at = if at == last { 0 } else { at + 1 },
            Pad::Wrap => at = if at == 0 { last } else { at - 1 },
            Pad::Reflect if last == 0 => {}
            Pad::Reflect | Pad::Symmetric => {
                // Walks outwards, and turns round at the ends.
                if (up && at == last) || (!up && at == 0) {
                    up = !up;
                    if matches!(mode, Pad::Symmetric) {
                        continue;
                    }
                }
                if up { at += 1 } else { at -= 1 }
            }
        }
    }
    Some(at)
}

fn check<T: Element>(x: &Array<T>, widths: &[(usize, usize)], mode: Pad<T>, otherwise: T) {
    let (shape, host) = (x.shape(), x.to_vec().unwrap());
    let all = |axis: usize| {
        if widths.len() == 1 {
            widths[0]
        } else {
            widths[axis]
        }
    };
    let lengths: Vec<usize> = (0..shape.rank())
        .map(|axis| shape[axis] + all(axis).0 + all(axis).1)
        .collect();
    let wanted: Vec<T> = places(&lengths)
        .iter()
        .map(|parts| {
            let parts: Option<Vec<usize>> = (parts.iter().enumerate())
                .map(|(axis, &part)| {
                    source(&mode, part as isize - all(axis).0 as isize, shape[axis])
                })
                .collect();
            parts.map_or(otherwise, |parts| host[place(shape.as_slice(), &parts)])
        })
        .collect();
    let padded = x.pad(widths, mode).unwrap();
    assert_eq!(padded.shape(), lengths[..]);
    assert_eq!(elements(Ok(padded)), wanted, "{shape} {widths:?} {mode:?}");
}

#[test]
fn every_mode_and_width() {
    let stream = stream();
    let modes = [
        Pad::Constant(-7),
        Pad::Edge,
        Pad::Reflect,
        Pad::Symmetric,
        Pad::Wrap,
    ];
    let x = Array::range(&stream, 0..24)
        .unwrap()
        .reshape([2, 3, 4])
        .unwrap();
    let line = Array::range(&stream, 0..5).unwrap();
    let one = upload(&stream, &[9]);
    for mode in modes {
        for width in [(0, 0), (1, 0), (0, 3), (4, 4), (5, 5), (6, 2), (17, 23)] {
            check(&line, &[width], mode, -7);
        }
        check(&one, &[(2, 3)], mode, -7);
        check(&x, &[(1, 1)], mode, -7);
        check(&x, &[(0, 0), (2, 1), (0, 3)], mode, -7);
        check(&x, &[(3, 0), (0, 0), (9, 1)], mode, -7);
        check(&x.t(), &[(1, 2), (0, 0), (1, 0)], mode, -7);
        check(&x.contiguous(Order::F).unwrap(), &[(1, 1)], mode, -7);
        check(&x.slice(s![.., ..;-2, 1..]).unwrap(), &[(1, 1)], mode, -7);
    }
}

#[test]
fn random_shapes_and_widths() {
    let stream = stream();
    let mut random = Random(31);
    for case in 0..1000 {
        let shape = [1 + random.below(6), 1 + random.below(9)];
        let mut width = || (random.below(14), 1 + random.below(20));
        let widths = [width(), width()];
        let mode = [
            Pad::Constant(-1),
            Pad::Edge,
            Pad::Reflect,
            Pad::Symmetric,
            Pad::Wrap,
        ][case % 5];
        let count = shape[0] * shape[1];
        let host: Vec<i32> = (0..count as i32).collect();
        check(&shaped(&stream, shape, &host), &widths, mode, -1);
    }
}

#[test]
fn expressions_halves_and_empty_arrays() {
    let stream = stream();
    let x = upload(&stream, &[1, 2]);
    assert_eq!(
        elements((&x * 10).pad([(1, 1)], Pad::Edge)),
        [10, 10, 20, 20]
    );
    let halves = upload(&stream, &[bf16::ONE]);
    check(
        &halves,
        &[(1, 2)],
        Pad::Constant(bf16::NEG_ONE),
        bf16::NEG_ONE,
    );
    let truths = upload(&stream, &[true, false]);
    check(&truths, &[(3, 1)], Pad::Constant(true), true);
    let empty = Array::<i32>::zeros(&stream, [0, 2]).unwrap();
    check(&empty, &[(1, 0), (0, 1)], Pad::Constant(4), 4);
    failure(empty.pad([(1, 0)], Pad::Wrap)).mentions("pad: axis 0 of shape [0, 2] has no elements");
    assert_eq!(
        empty.pad([(0, 0), (1, 1)], Pad::Edge).unwrap().shape(),
        [0, 4]
    );
    failure(empty.pad([(0, 0); 3], Pad::Edge)).mentions("pad: there are 3 pairs of widths");
    failure(x.pad([(usize::MAX, 1)], Pad::Edge)).mentions("more elements than isize::MAX");
    let scalar = shaped(&stream, [], &[5]);
    assert_eq!(elements(scalar.pad([], Pad::Edge)), [5]);
}
