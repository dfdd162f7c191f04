//! Expressions over arrays of any layout, compared with ndarray.

use cuda_compute::{Array, Element, NewAxis, Order, eval, s};
use ndarray::{ArrayD, IxDyn};

use crate::{OnHost, random::Random, shaped, stream, upload};

/// Returns an array of integers in a random layout, and the same array on the host.
fn any_layout(random: &mut Random, lengths: &[usize]) -> (Array<i32>, ArrayD<i32>) {
    any_layout_of(random, lengths, |value| value)
}

/// Returns an array of the given shape in a random layout, and the same array on the host. Some
/// axes are broadcast. The elements are made of numbers from -500 to 499.
pub fn any_layout_of<T: Element>(
    random: &mut Random,
    lengths: &[usize],
    of: fn(i32) -> T,
) -> (Array<T>, ArrayD<T>) {
    let rank = lengths.len();
    let mut axes: Vec<usize> = (0..rank).collect();
    if random.below(2) == 0 {
        random.shuffle(&mut axes);
    }
    let steps: Vec<isize> = (0..rank)
        .map(|_| [1, 1, 1, 2, -1, -2][random.below(6)])
        .collect();
    let stretched: Vec<bool> = (0..rank).map(|_| random.below(7) == 0).collect();
    // The shape before slicing and permuting: long enough for the steps, and 1 for broadcast axes.
    let mut own: Vec<usize> = vec![0; rank];
    for (place, &axis) in axes.iter().enumerate() {
        let step = steps[axis].unsigned_abs();
        own[place] = if stretched[axis] {
            1
        } else {
            lengths[axis] * step
        };
    }
    let count: usize = own.iter().product();
    let values: Vec<T> = (0..count)
        .map(|_| of(random.below(1000) as i32 - 500))
        .collect();
    let mut array = Array::from_shape(&stream(), &own[..], &values).unwrap();
    let mut host = ArrayD::from_shape_vec(IxDyn(&own), values).unwrap();
    // `axes[place]` is the axis that this axis becomes.
    let mut back = vec![0; rank];
    for (place, &axis) in axes.iter().enumerate() {
        back[axis] = place;
    }
    array = array.permute(&back).unwrap();
    host = host.permuted_axes(back);
    for axis in 0..rank {
        if !stretched[axis] && steps[axis] != 1 {
            let mut items = vec![s![..][0]; rank];
            items[axis] = s![..;steps[axis]][0];
            array = array.slice(&items).unwrap();
            host.slice_axis_inplace(
                ndarray::Axis(axis),
                ndarray::Slice::new(0, None, steps[axis]),
            );
        }
    }
    (array, host)
}

#[test]
fn arrays_of_different_layouts_combine() {
    let mut random = Random(3);
    for round in 0..60 {
        let rank = 1 + random.below(4);
        let lengths: Vec<usize> = (0..rank)
            .map(|_| {
                [
                    1 + random.below(5),
                    1 + random.below(40),
                    32 + random.below(40),
                ][random.below(3)]
            })
            .collect();
        if lengths.iter().product::<usize>() > 30_000 {
            continue;
        }
        let (a, host_a) = any_layout(&mut random, &lengths);
        let (b, host_b) = any_layout(&mut random, &lengths);
        let what = format!(
            "round {round}: {lengths:?}, strides {:?} and {:?}",
            a.strides(),
            b.strides()
        );
        let a = a.broadcast_to(&lengths[..]).unwrap();
        let b = b.broadcast_to(&lengths[..]).unwrap();
        let stretch = |host: &ArrayD<i32>| host.broadcast(IxDyn(&lengths)).unwrap().to_owned();
        let (host_a, host_b) = (stretch(&host_a), stretch(&host_b));
        let (sum, larger) = eval((&a * 3 - &b, a.greater(&b))).unwrap();
        let wanted: Vec<i32> = (&host_a * 3 - &host_b).iter().copied().collect();
        assert_eq!(sum.host(), wanted, "{what}");
        let wanted: Vec<bool> = host_a.iter().zip(&host_b).map(|(a, b)| a > b).collect();
        assert_eq!(larger.host(), wanted, "{what}");
        // Writes into a part of another array.
        let (mut c, mut host_c) = any_layout(&mut random, &lengths);
        if c.shape() == lengths[..] {
            c.assign(&a + &b).unwrap();
            host_c.assign(&(&host_a + &host_b));
            assert_eq!(
                c.host(),
                host_c.iter().copied().collect::<Vec<_>>(),
                "{what}"
            );
        }
    }
}

#[test]
fn transposed_arrays() {
    let stream = stream();
    for [rows, columns] in [[32, 32], [33, 70], [64, 16], [100, 31], [40, 1000]] {
        let host: Vec<f64> = (0..rows * columns).map(|i| i as f64).collect();
        let x = shaped(&stream, [rows, columns], &host);
        let turned = x.t().contiguous(Order::C).unwrap();
        assert!(turned.is_contiguous(Order::C));
        let wanted: Vec<f64> = (0..rows * columns)
            .map(|i| host[i % rows * columns + i / rows])
            .collect();
        assert_eq!(turned.host(), wanted, "{rows} x {columns}");
        let column = upload(&stream, &host[..columns]);
        let y = (&turned + x.t() * 2.0 + column.slice(s![.., NewAxis]).unwrap())
            .eval()
            .unwrap();
        let wanted: Vec<f64> = wanted
            .iter()
            .enumerate()
            .map(|(i, v)| v * 3.0 + host[i / rows])
            .collect();
        assert_eq!(y.host(), wanted, "{rows} x {columns}");
    }
    // A batch, with elements of 1 and of 16 bytes.
    let host: Vec<u8> = (0..3 * 40 * 50).map(|i| i as u8).collect();
    let x = shaped(&stream, [3, 40, 50], &host);
    let turned = x.permute([0, 2, 1]).unwrap();
    let dense = turned.contiguous(Order::C).unwrap();
    assert_eq!(
        dense.host()[40 * 50 + 2 * 40 + 7],
        host[40 * 50 + 7 * 50 + 2]
    );
    let wide = (turned.cast::<num_complex::Complex<f64>>()).eval().unwrap();
    assert_eq!(
        wide.contiguous(Order::C).unwrap().host()[41].re,
        f64::from(dense.host()[41])
    );
}

/// Adds the transposed matrices of a batch of this shape to other ones, and compares with the host. The
/// first `skip` elements of the array in memory are not part of the matrices.
fn add_transposed<T, U>(shape: [usize; 3], skip: usize, of: fn(usize) -> T, other: fn(usize) -> U)
where
    T: Element + Into<U>,
    U: Element
        + cuda_compute::CastFrom<T>
        + std::ops::Add<Output = U>
        + PartialEq
        + std::fmt::Debug,
    for<'a> cuda_compute::Expr<U>: std::ops::Add<&'a Array<U>, Output = cuda_compute::Expr<U>>,
{
    let stream = stream();
    let [batch, rows, columns] = shape;
    let each = rows * columns;
    let host: Vec<T> = (0..skip + batch * each).map(of).collect();
    let others: Vec<U> = (0..batch * each).map(other).collect();
    let x = upload(&stream, &host).slice(s![skip..]).unwrap();
    let x = x.reshape(shape).unwrap();
    let y = shaped(&stream, [batch, columns, rows], &others);
    let turned = x.permute([0, 2, 1]).unwrap().cast::<U>();
    let sum = (turned + &y).eval().unwrap().host();
    for (i, found) in sum.into_iter().enumerate() {
        let (matrix, row, column) = (i / each, i % rows, i % each / rows);
        let wanted: U = host[skip + matrix * each + row * columns + column].into();
        assert_eq!(
            found,
            wanted + others[i],
            "{shape:?} from {skip}: element {i}"
        );
    }
}

#[test]
fn transposed_arrays_in_vectors() {
    let byte = |i: usize| (i % 127) as u8;
    let short = |i: usize| (i % 16_001) as i16;
    let int = |i: usize| (i * 7) as i32;
    let long = |i: usize| (i * 11) as i64;
    // Vectors of 16 bytes, and of less because of a length or the first element.
    for shape in [[1, 128, 96], [2, 66, 100], [1, 129, 68], [1, 99, 101]] {
        for skip in [0, 2, 5] {
            add_transposed(shape, skip, short, short);
            add_transposed(shape, skip, int, int);
        }
        add_transposed(shape, 0, byte, byte);
        add_transposed(shape, 0, byte, int);
        add_transposed(shape, 0, int, long);
        add_transposed(shape, 0, long, long);
    }
    // Whole axes.
    add_transposed([3, 33, 640], 0, int, int);
    add_transposed([3, 640, 40], 0, short, int);
    add_transposed([40, 20, 18], 0, int, int);
    // Large tiles.
    add_transposed([1, 1024, 512], 0, short, short);
    // Short axes.
    add_transposed([1, 5, 210_000], 0, int, int);
    add_transposed([1, 90_000, 12], 0, short, short);
}

/// Compares sums over each axis of a transposed matrix of this shape, plus another matrix, with the host.
fn sum_transposed<T: Element + Into<i32>>([rows, columns]: [usize; 2], of: fn(usize) -> T)
where
    i32: cuda_compute::CastFrom<T>,
{
    let stream = stream();
    let host: Vec<T> = (0..rows * columns).map(of).collect();
    let others: Vec<i32> = (0..rows * columns).map(|i| (i % 1013) as i32).collect();
    let x = shaped(&stream, [rows, columns], &host);
    let y = shaped(&stream, [columns, rows], &others);
    let sums = [0, 1].map(|axis| (x.t().cast::<i32>() + &y).sum_axis(axis));
    let mut wanted = [vec![0; rows], vec![0; columns]];
    for (i, other) in others.iter().enumerate() {
        let (column, row) = (i / rows, i % rows);
        let value = host[row * columns + column].into() + other;
        wanted[0][row] += value;
        wanted[1][column] += value;
    }
    for (sum, wanted) in sums.into_iter().zip(wanted) {
        assert_eq!(sum.eval().unwrap().host(), wanted, "{rows} x {columns}");
    }
}

#[test]
fn sums_of_transposed_arrays_in_vectors() {
    for shape in [[160, 128], [150, 134], [170, 129], [320, 68]] {
        sum_transposed(shape, |i| (i % 251) as u8);
        sum_transposed(shape, |i| (i % 16_001) as i16);
        sum_transposed(shape, |i| (i % 16_001) as i32);
    }
}

/// Compares the differences of neighbouring elements, in rows and without, with the host.
fn differences<T>(of: fn(usize) -> T)
where
    T: Element + bytemuck::Pod + std::ops::Sub<Output = T> + PartialEq + std::fmt::Debug,
    for<'a> &'a Array<T>: std::ops::Sub<&'a Array<T>, Output = cuda_compute::Expr<T>>,
{
    let stream = stream();
    for (rows, columns) in [
        (1, 600_001),
        (1, 600_002),
        (600, 1001),
        (600, 1002),
        (500, 1003),
    ] {
        let host: Vec<T> = (0..rows * columns).map(of).collect();
        let x = shaped(&stream, [rows, columns], &host);
        let [left, right] = [s![.., ..-1], s![.., 1..]].map(|part| x.slice(part).unwrap());
        let wanted = host.chunks(columns);
        let wanted = wanted.flat_map(|row| row.windows(2).map(|pair| pair[1] - pair[0]));
        let wanted: Vec<T> = wanted.collect();
        let found = (&right - &left).eval().unwrap();
        assert_eq!(found.host(), wanted, "{rows} x {columns}");
        // In place, from an odd and from an even element on.
        for start in [1, 2] {
            let result = Array::zeros(&stream, [rows, columns + 1]).unwrap();
            let mut part = result.slice(s![.., start..columns - 1 + start]).unwrap();
            part.assign(&right - &left).unwrap();
            assert_eq!(part.host(), wanted, "{rows} x {columns} at {start}");
        }
    }
}

#[test]
fn differences_of_neighbours() {
    differences(|i| (i * 37 % 101) as i8);
    differences(|i| (i * 37 % 1009) as i16);
    differences(|i| (i * 37 % 10_007) as f32);
    differences(|i| (i * 37 % 10_007) as f64);
}

#[test]
fn indices_along_axes() {
    let stream = stream();
    let x = Array::<usize>::zeros(&stream, [40, 36]).unwrap();
    let index = cuda_compute::Expr::index([40, 36], 0).unwrap() * 100
        + cuda_compute::Expr::index([36], 0).unwrap();
    let y = (x.t().expr().broadcast_to([36, 40]).unwrap() + 1)
        .eval()
        .unwrap();
    assert_eq!(y.shape(), [36, 40]);
    let z = (&x + index).eval().unwrap().host();
    assert!(
        z.iter()
            .enumerate()
            .all(|(i, &v)| v == i / 36 * 100 + i % 36)
    );
}

#[test]
fn slices_of_empty_arrays_are_copied() {
    let stream = stream();
    let mut x = Array::<i32>::zeros(&stream, [0, 3])
        .unwrap()
        .slice(s![.., ..;-1])
        .unwrap();
    assert!(x.host().is_empty());
    x.copy_from_slice(&[]).unwrap();
    assert_eq!(x.shape(), [0, 3]);
}
