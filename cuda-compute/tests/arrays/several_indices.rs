//! Access by arrays of indices: along an axis, and several at once.

use cuda_compute::{Array, Element, Order, Shape, ravel_index, s};
use half::f16;

use crate::{elements, failure::failure, random::Random, shaped, stream, upload, values};

/// Returns the index along each axis of the elements of a shape, in C order.
pub fn places(shape: &[usize]) -> Vec<Vec<usize>> {
    (0..shape.iter().product())
        .map(|mut place: usize| {
            let mut parts = vec![0; shape.len()];
            for (part, &length) in parts.iter_mut().zip(shape).rev() {
                *part = place % length;
                place /= length;
            }
            parts
        })
        .collect()
}

/// Returns the place of an element in C order.
pub fn place(shape: &[usize], parts: &[usize]) -> usize {
    (shape.iter().zip(parts)).fold(0, |place, (length, part)| place * length + part)
}

#[test]
fn indices_along_every_axis() {
    let stream = stream();
    let mut random = Random(8);
    let x = Array::range(&stream, 0..60)
        .unwrap()
        .reshape([3, 4, 5])
        .unwrap();
    for x in [x.clone(), x.t(), x.slice(s![.., ..;-2, ..;3]).unwrap()] {
        let (shape, host) = (x.shape(), x.to_vec().unwrap());
        for axis in 0..3usize {
            // One of the other axes is broadcast.
            for narrow in [None, Some((axis + 1) % 3)] {
                let mut lengths = shape.as_slice().to_vec();
                lengths[axis] = 1 + random.below(6);
                let wide = lengths.clone();
                if let Some(narrow) = narrow {
                    lengths[narrow] = 1;
                }
                let length = shape[axis];
                let indices: Vec<i64> = (0..lengths.iter().product())
                    .map(|_| random.below(2 * length) as i64 - length as i64)
                    .collect();
                let index = shaped(&stream, lengths.clone(), &indices);
                let from = |parts: &[usize]| {
                    let mut own = parts.to_vec();
                    if let Some(narrow) = narrow {
                        own[narrow] = 0;
                    }
                    let index = indices[place(&lengths, &own)].rem_euclid(length as i64);
                    let mut parts = parts.to_vec();
                    parts[axis] = index as usize;
                    place(shape.as_slice(), &parts)
                };
                let sources: Vec<usize> = places(&wide).iter().map(|parts| from(parts)).collect();
                let wanted: Vec<i32> = sources.iter().map(|&from| host[from]).collect();
                let taken = x.take_along_axis(&index, axis as i32 - 3).unwrap();
                assert_eq!(taken.shape(), wide[..]);
                assert_eq!(elements(Ok(taken)), wanted);
                // All values of an index are equal, so it may be repeated.
                let mut y = x.clone();
                y.put_along_axis(&index, -(&x.take_along_axis(&index, axis).unwrap()), axis)
                    .unwrap();
                let mut after = host.clone();
                sources.iter().for_each(|&at| after[at] = -host[at]);
                assert_eq!(elements(Ok(y)), after);
            }
        }
    }
}

#[test]
fn random_shapes_and_indices() {
    let stream = stream();
    let mut random = Random(17);
    for _ in 0..500 {
        let shape = [(); 3].map(|()| 1 + random.below(7));
        let axis = random.below(3);
        let host: Vec<u64> = (0..shape.iter().product()).map(|_| random.bits()).collect();
        let x = shaped(&stream, shape, &host);
        let mut lengths = shape;
        lengths[axis] = random.below(9);
        let mut index = |length: usize| random.below(2 * length) as i32 - length as i32;
        let count: usize = lengths.iter().product();
        let along: Vec<i32> = (0..count).map(|_| index(shape[axis])).collect();
        let parts: [Vec<i32>; 3] = shape.map(|length| (0..count).map(|_| index(length)).collect());
        let from = |i: usize, mut to: Vec<usize>| {
            to[axis] = along[i].rem_euclid(shape[axis] as i32) as usize;
            host[place(&shape, &to)]
        };
        let wanted: Vec<u64> = (places(&lengths).into_iter().enumerate())
            .map(|(i, to)| from(i, to))
            .collect();
        let taken = x.take_along_axis(shaped(&stream, lengths, &along), axis);
        assert_eq!(elements(taken), wanted, "{shape:?} along {axis}");
        let from = |i: usize| {
            let to = [0, 1, 2].map(|axis| parts[axis][i].rem_euclid(shape[axis] as i32) as usize);
            host[place(&shape, &to)]
        };
        let arrays = parts.each_ref().map(|part| upload(&stream, part));
        let taken = x.take_nd(&arrays.each_ref());
        assert_eq!(elements(taken), (0..count).map(from).collect::<Vec<_>>());
    }
}

#[test]
fn expressions_and_all_element_sizes_are_taken_along_an_axis() {
    fn of<T: Element>(make: fn(u8) -> T) {
        let stream = stream();
        let host: Vec<T> = (0..12).map(make).collect();
        let x = shaped(&stream, [3, 4], &host);
        let index = shaped(&stream, [1, 4], &[2u8, 0, 1, 2]);
        let wanted = [8, 1, 6, 11].map(make);
        assert_eq!(elements(x.take_along_axis(&index, 0)), wanted);
    }
    of::<bool>(|x| x % 3 == 0);
    of::<u8>(|x| x);
    of::<f16>(|x| f16::from_f32(x.into()));
    of::<f64>(f64::from);
    of::<cuda_compute::Complex<f64>>(|x| cuda_compute::Complex::new(x.into(), 1.0));
    let stream = stream();
    let x = Array::range(&stream, 0..6)
        .unwrap()
        .reshape([2, 3])
        .unwrap();
    let largest = (&x * -1).argmax_axis(1).expand_dims(1).unwrap();
    assert_eq!(elements((&x * 10).take_along_axis(&largest, 1)), [0, 30]);
}

#[test]
fn wrong_indices_along_an_axis_are_reported() {
    let stream = stream();
    let x = Array::range(&stream, 0..6)
        .unwrap()
        .reshape([2, 3])
        .unwrap();
    let flat = upload(&stream, &[0]);
    failure(x.take_along_axis(&flat, 0))
        .mentions("take_along_axis: indices of shape [1] don't fit shape [2, 3]");
    let index = shaped(&stream, [2, 1], &[2, -4]);
    failure(x.take_along_axis(&index, 1))
        .mentions("element 1 of the indices is -4, but there are only 3");
    failure(x.take_along_axis(&index, 2)).mentions("axis 2");
    let mut y = x.clone();
    failure(y.put_along_axis(&index, 9, 1)).mentions("element 1 of the indices is -4");
    assert_eq!(y.to_vec().unwrap(), [0, 1, 9, 3, 4, 5]);
    failure(y.put_along_axis(&index, upload(&stream, &[1, 2, 3]), 1)).mentions("broadcast");
    // No indices.
    let none = Array::<i32>::zeros(&stream, [2, 0]).unwrap();
    assert_eq!(x.take_along_axis(&none, 1).unwrap().shape(), [2, 0]);
    y.put_along_axis(&none, 7, 1).unwrap();
}

#[test]
fn several_arrays_of_indices() {
    let stream = stream();
    let mut random = Random(11);
    let lengths = [4, 3, 5];
    let host: Vec<i32> = (0..60).map(|_| random.below(1000) as i32).collect();
    let c = shaped(&stream, lengths, &host);
    let f = c.contiguous(Order::F).unwrap();
    for x in [c, f] {
        for count in 1..=3 {
            // Shapes [2, 1], [3], [2, 1] have the common shape [2, 3].
            let shapes = [&[2, 1][..], &[3], &[2, 1]];
            let shapes = &shapes[..count];
            let common: &[usize] = if count == 1 { &[2, 1] } else { &[2, 3] };
            let indices: Vec<Vec<i32>> = (0..count)
                .map(|axis| {
                    let (n, length) = (shapes[axis].iter().product(), lengths[axis]);
                    (0..n)
                        .map(|_| random.below(2 * length) as i32 - length as i32)
                        .collect()
                })
                .collect();
            let arrays: Vec<Array<i32>> = (indices.iter().zip(shapes))
                .map(|(indices, &shape)| shaped(&stream, shape, indices))
                .collect();
            let arrays: Vec<&Array<i32>> = arrays.iter().collect();
            let wide = [common, &lengths[count..]].concat();
            let sources: Vec<usize> = places(&wide)
                .into_iter()
                .map(|parts| {
                    let mut to: Vec<usize> = (0..count)
                        .map(|axis| {
                            let own = if shapes[axis] == [3] {
                                parts[1]
                            } else {
                                parts[0]
                            };
                            indices[axis][own].rem_euclid(lengths[axis] as i32) as usize
                        })
                        .collect();
                    to.extend(&parts[2..]);
                    place(&lengths, &to)
                })
                .collect();
            let taken = x.take_nd(&arrays).unwrap();
            assert_eq!(taken.shape(), wide[..]);
            let wanted: Vec<i32> = sources.iter().map(|&from| host[from]).collect();
            assert_eq!(elements(Ok(taken)), wanted);
            let mut y = x.clone();
            y.put_nd(&arrays, -x.take_nd(&arrays).unwrap()).unwrap();
            let mut after = host.clone();
            sources.iter().for_each(|&at| after[at] = -host[at]);
            assert_eq!(elements(Ok(y)), after);
            if count == 3 {
                let flat = ravel_index(&arrays, lengths).unwrap();
                assert_eq!(values(flat), sources);
            }
        }
    }
}

#[test]
fn wrong_arrays_of_indices_are_reported() {
    let stream = stream();
    let x = Array::range(&stream, 0..6)
        .unwrap()
        .reshape([2, 3])
        .unwrap();
    let (rows, columns) = (upload(&stream, &[1, 0, -1]), upload(&stream, &[0, 3, 1]));
    failure(x.take_nd(&[&rows, &columns]))
        .mentions("element 1 of the indices along axis 1 is 3, but the axis has only 3");
    failure(x.take_nd(&[&columns])).mentions("element 1 of the indices along axis 0 is 3");
    failure(x.take_nd(&[&rows, &columns, &rows]))
        .mentions("take_nd: there are 3 arrays of indices for shape [2, 3]");
    failure(x.take_nd::<i32, Array<i32>>(&[])).mentions("there are 0 arrays");
    let two = upload(&stream, &[0, 1]);
    failure(x.take_nd(&[&rows, &two])).mentions("[3] and [2] can't be broadcast");
    failure(ravel_index(&[&rows], [2, 3])).mentions("ravel_index: there are 1 arrays");
    let flat = values(ravel_index(&[&rows, &columns], [2, 3]).unwrap());
    assert_eq!(flat, [3, usize::MAX, 4]);
    let mut y = x.clone();
    failure(y.put_nd(&[&rows, &columns], 9)).mentions("along axis 1 is 3");
    assert_eq!(y.to_vec().unwrap(), [0, 1, 2, 9, 9, 5]);
}

#[test]
fn unraveled_indices_are_those_of_each_axis() {
    let stream = stream();
    for shape in [&[3, 4, 5][..], &[7], &[1, 6, 1, 2]] {
        let count: usize = shape.iter().product();
        let flat = Array::range(&stream, 0..count as i32).unwrap();
        let parts = flat.unravel_index(Shape::new(shape).unwrap()).unwrap();
        assert_eq!(parts.len(), shape.len());
        for (axis, part) in parts.iter().enumerate() {
            let wanted: Vec<usize> = places(shape).iter().map(|parts| parts[axis]).collect();
            assert_eq!(values(part.clone()), wanted);
        }
        let back = ravel_index(&parts, Shape::new(shape).unwrap()).unwrap();
        assert_eq!(values(back), (0..count).collect::<Vec<_>>());
    }
    // Indices out of bounds stay out of bounds.
    let parts = upload(&stream, &[-1, 6]).unravel_index([2, 3]).unwrap();
    assert!(values(parts[0].clone()).iter().all(|&row| row >= 2));
}
