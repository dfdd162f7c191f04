//! Division of arrays into parts, insertion and deletion.

use cuda_compute::{Array, s};

use crate::{
    elements,
    failure::failure,
    random::Random,
    several_indices::{place, places},
    shaped, stream, upload,
};

fn range(shape: &[usize]) -> Array<i32> {
    let count: usize = shape.iter().product();
    Array::range(&stream(), 0..count as i32)
        .unwrap()
        .reshape(
            shape
                .to_vec()
                .iter()
                .map(|&n| n as isize)
                .collect::<Vec<_>>(),
        )
        .unwrap()
}

/// Returns the rows of an array along an axis, each in C order.
fn rows(x: &Array<i32>, axis: usize) -> Vec<Vec<i32>> {
    let (shape, host) = (x.shape(), x.to_vec().unwrap());
    let mut rows = vec![Vec::new(); shape[axis]];
    for parts in places(shape.as_slice()) {
        rows[parts[axis]].push(host[place(shape.as_slice(), &parts)]);
    }
    rows
}

#[test]
fn parts_are_consecutive_slices() {
    let x = range(&[3, 7, 2]);
    for parts in 1..10usize {
        let lengths: Vec<usize> = x
            .array_split(parts, -2)
            .unwrap()
            .iter()
            .map(|part| part.shape()[1])
            .collect();
        let wanted: Vec<usize> = (0..parts)
            .map(|i| 7 / parts + usize::from(i < 7 % parts))
            .collect();
        assert_eq!(lengths, wanted);
        let all: Vec<Vec<i32>> = x
            .array_split(parts, 1)
            .unwrap()
            .iter()
            .flat_map(|part| rows(part, 1))
            .collect();
        assert_eq!(all, rows(&x, 1));
    }
    let halves = x.t().split(2, 0).unwrap();
    assert_eq!(
        elements(Ok(halves[1].clone())),
        elements(x.t().slice(s![1..]))
    );
    failure(x.split(2, 1)).mentions("split: axis 1 has length 7");
    failure(x.split(0, 1)).mentions("0 parts");
    failure(x.split(2, 3)).mentions("axis 3");
    let line = range(&[6]);
    let parts = line.split_at([2, 2, -1, 9], 0).unwrap();
    let parts: Vec<Vec<i32>> = parts.into_iter().map(|part| elements(Ok(part))).collect();
    assert_eq!(parts, [vec![0, 1], vec![], vec![2, 3, 4], vec![5], vec![]]);
    assert_eq!(line.split_at((), 0).unwrap().len(), 1);
}

#[test]
fn rows_are_inserted_and_deleted_along_every_axis() {
    let mut random = Random(2);
    let x = range(&[3, 4, 2]);
    for x in [x.clone(), x.t()] {
        for axis in 0..3usize {
            let length = x.shape()[axis];
            for count in [0, 2, 5] {
                let places: Vec<isize> = (0..count)
                    .map(|_| random.below(2 * length + 1) as isize - length as isize)
                    .collect();
                let start = |place: isize| if place < 0 { place + length as isize } else { place } as usize;
                let mut shape = x.shape().as_slice().to_vec();
                shape[axis] = count;
                let total: usize = shape.iter().product();
                let host: Vec<i32> = (0..total as i32).map(|i| 100 + i).collect();
                let new = shaped(x.stream(), shape, &host);
                let mut wanted = Vec::new();
                for (i, row) in rows(&x, axis)
                    .into_iter()
                    .map(Some)
                    .chain([None])
                    .enumerate()
                {
                    let here = (0..count).filter(|&row| start(places[row]) == i);
                    wanted.extend(here.map(|row| rows(&new, axis)[row].clone()));
                    wanted.extend(row);
                }
                let got = x.insert(&places, &new, axis).unwrap();
                assert_eq!(rows(&got, axis), wanted, "{places:?} of axis {axis}");

                let gone: Vec<isize> = places
                    .iter()
                    .map(|&place| if place == length as isize { 0 } else { place })
                    .collect();
                let kept: Vec<Vec<i32>> = (rows(&x, axis).into_iter().enumerate())
                    .filter(|(i, _)| gone.iter().all(|&place| start(place) != *i))
                    .map(|(_, row)| row)
                    .collect();
                let got = x.delete(&gone, axis).unwrap();
                assert_eq!(got.shape()[axis], kept.len());
                assert_eq!(rows(&got, axis), kept, "{gone:?} of axis {axis}");
            }
        }
    }
}

#[test]
fn values_are_broadcast_when_inserted() {
    let stream = stream();
    let x = range(&[2, 3]);
    assert_eq!(
        x.insert(1, 7, 0).unwrap().to_string(),
        "[[0 1 2]\n [7 7 7]\n [3 4 5]]"
    );
    let row = upload(&stream, &[8, 9, 10]);
    assert_eq!(x.insert([0, 2], &row, 0).unwrap().shape(), [4, 3]);
    let block = shaped(&stream, [1, 2], &[-1, -2]);
    assert_eq!(
        x.insert(-1, &block, 1).unwrap().to_string(),
        "[[ 0  1 -1 -2  2]\n [ 3  4 -1 -2  5]]"
    );
    assert_eq!(x.insert(3, &block * 2, 1).unwrap().shape(), [2, 5]);
    failure(x.insert(4, 0, 1)).mentions("insert: index 4 is out of bounds for an axis of length 3");
    failure(x.insert(-4, 0, 1)).mentions("index -4");
    failure(x.insert(0, &row, 1))
        .mentions("insert: values of shape [3] can't be broadcast to shape [2, 1]");
    failure(x.delete([0, 3], 1)).mentions("delete: index 3 is out of bounds");
    assert!(x.delete([0, 1, 2], 1).unwrap().is_empty());
    let empty = range(&[0]);
    assert_eq!(elements(empty.insert(0, 5, 0)), [5]);
    failure(empty.delete(0, 0)).mentions("index 0");
}
