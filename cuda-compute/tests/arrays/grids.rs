//! Grids of coordinates, spaced numbers, and matrices from diagonals.

use cuda_compute::{Array, Indexing, meshgrid};
use half::f16;

use crate::{elements, failure::failure, shaped, stream, upload, values};

#[test]
fn grids_repeat_coordinates() {
    let stream = stream();
    let x = upload(&stream, &[1, 2, 3]);
    let y = upload(&stream, &[10, 20]);
    let z = upload(&stream, &[7]);
    for (indexing, shape) in [(Indexing::Xy, [2, 3, 1]), (Indexing::Ij, [3, 2, 1])] {
        let grid = meshgrid(&[&x, &y, &z], indexing).unwrap();
        let mut wanted = [vec![], vec![], vec![]];
        for i in 0..shape[0] {
            for j in 0..shape[1] {
                let (column, row) = if indexing == Indexing::Xy {
                    (j, i)
                } else {
                    (i, j)
                };
                wanted[0].push([1, 2, 3][column]);
                wanted[1].push([10, 20][row]);
                wanted[2].push(7);
            }
        }
        for (grid, wanted) in grid.into_iter().zip(wanted) {
            assert_eq!(grid.shape().unwrap(), shape);
            assert_eq!(values(grid), wanted);
        }
    }
    let one = meshgrid(&[&x], Indexing::Xy).unwrap();
    assert_eq!(values(one[0].clone()), [1, 2, 3]);
    assert!(
        meshgrid::<i32, &Array<i32>>(&[], Indexing::Ij)
            .unwrap()
            .is_empty()
    );
    failure(meshgrid(
        &[&x, &shaped(&stream, [1, 2], &[1, 2])],
        Indexing::Ij,
    ))
    .mentions("meshgrid: vector 1 has shape [1, 2]");
    failure(meshgrid(&[&x; 9], Indexing::Ij)).mentions("at most 8 axes");
}

#[test]
fn numbers_are_spaced_on_a_logarithmic_scale() {
    let stream = stream();
    for count in [0, 1, 2, 7] {
        let exponent = |i: usize| -2.0 + 5.0 * i as f64 / (count.max(2) - 1) as f64;
        let got = elements(Array::<f64>::logspace(&stream, -2.0, 3.0, count, 2.0));
        assert_eq!(got.len(), count);
        for (i, got) in got.into_iter().enumerate() {
            let wanted = exponent(i).exp2();
            assert!((got - wanted).abs() <= 1e-14 * wanted, "{got} {wanted}");
        }
        let got = elements(Array::<f64>::geomspace(&stream, 3.0, 96.0, count));
        for (i, got) in got.into_iter().enumerate() {
            let wanted = 3.0 * (exponent(i) + 2.0).exp2();
            assert!((got - wanted).abs() <= 1e-14 * wanted, "{got} {wanted}");
        }
    }
    let down = elements(Array::<f32>::geomspace(&stream, -8.0, -0.3, 30));
    assert_eq!((down[0], down[29]), (-8.0, -0.3));
    let halves = elements(Array::<f16>::geomspace(
        &stream,
        f16::ONE,
        f16::from_f32(4.0),
        3,
    ));
    assert_eq!(halves, [1.0, 2.0, 4.0].map(f16::from_f32));
    failure(Array::<f32>::geomspace(&stream, 0.0, 1.0, 3))
        .mentions("geomspace: start is 0.0 and end is 1.0");
    assert!(elements(Array::<f32>::geomspace(&stream, -1.0, 1.0, 3))[1].is_nan());
}

#[test]
fn a_diagonal_makes_the_smallest_matrix() {
    let stream = stream();
    for length in [0usize, 1, 4] {
        let host: Vec<i32> = (1..=length as i32).collect();
        let x = upload(&stream, &host);
        for offset in [0isize, 2, -1] {
            let size = length + offset.unsigned_abs();
            let matrix = x.diag(offset).unwrap();
            assert_eq!(matrix.shape(), [size, size]);
            let all = elements(Ok(matrix.clone()));
            for (place, value) in all.into_iter().enumerate() {
                let (row, column) = ((place / size) as isize, (place % size) as isize);
                let first = row.min(row + offset).min(column) as usize;
                let wanted = if column - row == offset {
                    host[first]
                } else {
                    0
                };
                assert_eq!(value, wanted, "{offset}: {row} {column}");
            }
            assert_eq!(elements(matrix.diagonal(offset)), host);
        }
    }
    let truths = upload(&stream, &[true]).diag(1).unwrap();
    assert_eq!(elements(Ok(truths)), [false, true, false, false]);
    let x = shaped(&stream, [1, 2], &[1, 2]);
    failure(x.diag(0)).mentions("diag: shape [1, 2] has 2 axes");
}
