//! Kernels of all forms, which draw the same numbers.

use super::stream;
use crate::{Array, Expr, Random, eval_on};

/// Kernels of other widths and offsets: wider and narrower results, rows, other orders, and broadcast
/// results.
#[test]
fn numbers_do_not_depend_on_the_kernel() {
    let stream = stream();
    let mut random = Random::new(77);
    for shape in [[4, 8], [8, 4], [6, 2], [2, 6], [5, 7], [1, 9], [64, 48]] {
        let count = shape[0] * shape[1];
        let single = Expr::<f32>::normal(&mut random, shape).unwrap();
        let twice = Expr::<f64>::normal(&mut random, shape).unwrap();
        let bits = Expr::<u32>::bits(&mut random, shape).unwrap();
        let long = Expr::<u64>::bits(&mut random, shape).unwrap();
        let [x, y] = [single.eval_on(&stream), single.eval_on(&stream)].map(Result::unwrap);
        let x = x.to_vec().unwrap();
        assert_eq!(x, y.to_vec().unwrap(), "evaluated twice");
        let d = twice.eval_on(&stream).unwrap().to_vec().unwrap();
        let b = bits.eval_on(&stream).unwrap().to_vec().unwrap();
        let l = long.eval_on(&stream).unwrap().to_vec().unwrap();

        // Several draws in one kernel, with elements of other sizes.
        let all = (
            single.cast::<f64>(),
            twice.cast::<f32>(),
            bits.cast::<u8>(),
            long.cast::<u8>(),
        );
        let all = eval_on(&stream, all).unwrap();
        assert!(
            all.0
                .to_vec()
                .unwrap()
                .into_iter()
                .eq(x.iter().map(|&x| x.into()))
        );
        assert!(
            all.1
                .to_vec()
                .unwrap()
                .into_iter()
                .eq(d.iter().map(|&d| d as f32))
        );
        assert!(
            all.2
                .to_vec()
                .unwrap()
                .into_iter()
                .eq(b.iter().map(|&b| b as u8))
        );
        assert!(
            all.3
                .to_vec()
                .unwrap()
                .into_iter()
                .eq(l.iter().map(|&l| l as u8))
        );
        let bytes = eval_on(&stream, (bits.cast::<u8>(), long.cast::<u8>())).unwrap();
        assert_eq!(bytes.0.to_vec().unwrap(), all.2.to_vec().unwrap());
        assert_eq!(bytes.1.to_vec().unwrap(), all.3.to_vec().unwrap());

        // Reduced along each axis, without being stored in memory.
        for axis in [0, 1] {
            let (most, sum) =
                eval_on(&stream, (single.max_axis(axis), bits.sum_axis(axis))).unwrap();
            let line = |i: usize| match axis {
                0 => (i..count).step_by(shape[1]),
                _ => (i * shape[1]..(i + 1) * shape[1]).step_by(1),
            };
            for (i, most) in most.to_vec().unwrap().into_iter().enumerate() {
                assert_eq!(most, line(i).map(|k| x[k]).fold(f32::MIN, f32::max));
            }
            for (i, sum) in sum.to_vec().unwrap().into_iter().enumerate() {
                assert_eq!(sum, line(i).fold(0, |sum, k| b[k].wrapping_add(sum)));
            }
        }
        let most = twice.max().eval_on(&stream).unwrap().item().unwrap();
        assert_eq!(most, d.iter().copied().fold(f64::MIN, f64::max));

        // Combined with a transposed array, whose order the result has.
        let zeros = Array::<f32>::zeros(&stream, [shape[1], shape[0]]).unwrap();
        let zeros = zeros.permute([1, 0]).unwrap();
        let (sum, also) =
            eval_on(&stream, (&single + &zeros, &bits + zeros.cast::<u32>())).unwrap();
        if shape[0] > 1 {
            assert_eq!(sum.strides(), zeros.strides());
        }
        assert_eq!(
            (sum.to_vec().unwrap(), also.to_vec().unwrap()),
            (x.clone(), b.clone())
        );
        let straight = Array::<f32>::zeros(&stream, shape).unwrap();
        let turned = (&straight + &zeros + &single).eval().unwrap();
        assert_eq!(turned.to_vec().unwrap(), x);
        let zeros = zeros.cast::<f64>().eval().unwrap();
        let (sum, also) = eval_on(&stream, (&twice + &zeros, &long + zeros.cast::<u64>())).unwrap();
        assert_eq!(
            (sum.to_vec().unwrap(), also.to_vec().unwrap()),
            (d.clone(), l.clone())
        );

        // In rows that are not contiguous, and broadcast over an axis, outside and inside.
        let mut wide = Array::<f32>::zeros(&stream, [shape[0], shape[1] + 4]).unwrap();
        let rows = wide.slice_mut(crate::s![.., 4..]).unwrap();
        rows.assign(&single).unwrap();
        assert_eq!(wide.slice(crate::s![.., 4..]).unwrap().to_vec().unwrap(), x);
        let stretched = single.broadcast_to([3, shape[0], shape[1]]).unwrap();
        let stretched = stretched.eval_on(&stream).unwrap().to_vec().unwrap();
        assert_eq!(stretched, [&x[..]; 3].concat());
        let column = Expr::<f32>::normal(&mut random, [count, 1]).unwrap();
        let wanted = column.eval_on(&stream).unwrap().to_vec().unwrap();
        let stretched = column.broadcast_to([count, 8]).unwrap();
        let stretched = stretched.eval_on(&stream).unwrap().to_vec().unwrap();
        let wanted = wanted.iter().flat_map(|&value| [value; 8]);
        assert!(stretched.into_iter().eq(wanted));
    }
}
