//! Copying, slicing, joining, gathering and selecting structs.

use super::*;
use crate::{OnHost, elements, shaped, upload};

#[test]
fn structs_are_described() {
    let DataType::Struct(mixed) = Mixed::DATA_TYPE else {
        panic!("{:?}", Mixed::DATA_TYPE);
    };
    assert_eq!(
        (mixed.name(), mixed.size(), mixed.alignment()),
        ("Mixed", 40, 8)
    );
    let fields: Vec<_> = mixed.fields().iter().map(|f| (f.name, f.offset)).collect();
    assert_eq!(
        fields,
        [
            ("id", 0),
            ("position", 8),
            ("half", 20),
            ("brain", 22),
            ("wave", 24),
            ("tail", 32)
        ]
    );
    assert_eq!(
        mixed.fields()[1].data,
        FieldType::Element(Float3::DATA_TYPE)
    );
    let byte = FieldType::Element(DataType::I8);
    assert!(matches!(mixed.fields()[5].data, FieldType::Array(of, 8) if *of == byte));
    assert_ne!(Float3::DATA_TYPE, Float4::DATA_TYPE);
    assert_eq!(Mixed::DATA_TYPE.size(), 40);
    let x = Array::full(&stream(), 2, Float3::of(1)).unwrap();
    assert!(format!("{x:?}").starts_with("Array<Float3>[2]"), "{x:?}");
}

#[test]
fn structs_round_trip() {
    fn check<T: Numbered>() {
        let stream = stream();
        for count in [0, 1, 2, 3, 5, 33, 1000] {
            let host = numbers::<T>(count);
            let x = upload(&stream, &host);
            assert_eq!(x.host(), host);
            // Through kernels: copies, fills and scalars.
            assert_eq!(x.copy().unwrap().host(), host);
            let mut y = Array::full(&stream, count, T::of(77)).unwrap();
            assert_eq!(y.host(), vec![T::of(77); count]);
            y.assign(&x).unwrap();
            assert_eq!(y.host(), host);
            y.fill(T::of(3)).unwrap();
            assert_eq!(y.host(), vec![T::of(3); count]);
            y.copy_from_slice(&host).unwrap();
            assert_eq!(y.host(), host);
        }
        let zeros = Array::<T>::zeros(&stream, [2, 2]).unwrap();
        assert_eq!(zeros.host(), [T::zeroed(); 4]);
        let like = Array::<T>::zeros_like(&zeros.t()).unwrap();
        assert_eq!(like.host(), [T::zeroed(); 4]);
    }
    for_all!(check);
}

#[test]
fn views_and_writes_to_views() {
    fn check<T: Numbered>() {
        let stream = stream();
        let host = numbers::<T>(40 * 50);
        let x = shaped(&stream, [40, 50], &host);
        let at = |row: usize, column: usize| host[row * 50 + column];
        let wanted: Vec<T> = (0..50)
            .flat_map(|column| (0..40).map(move |row| (row, column)))
            .map(|(row, column)| at(row, column))
            .collect();
        // Uses tiles if they fit in shared memory.
        assert_eq!(elements(x.t().contiguous(Order::C)), wanted);
        assert_eq!(elements(x.permute([1, 0]).unwrap().flatten()), wanted);
        let part = x.slice(s![3..20;2, ..;-3]).unwrap();
        let wanted: Vec<T> = (3..20)
            .step_by(2)
            .flat_map(|row| (0..50).rev().step_by(3).map(move |column| (row, column)))
            .map(|(row, column)| at(row, column))
            .collect();
        assert_eq!(part.host(), wanted);
        let row = x.slice(s![7]).unwrap();
        let stretched = row.broadcast_to([3, 50]).unwrap();
        assert_eq!(stretched.host(), host[350..400].repeat(3));
        assert_eq!(
            x.reshape([50, 40])
                .unwrap()
                .slice(s![1, 1])
                .unwrap()
                .value(),
            host[41]
        );

        let mut y = x.clone();
        y.slice_mut(s![..;-1, 1])
            .unwrap()
            .assign(x.slice(s![.., 2]).unwrap())
            .unwrap();
        y.slice_mut(s![0, 5..]).unwrap().fill(T::of(9)).unwrap();
        let mut wanted = host.clone();
        (0..40).for_each(|row| wanted[(39 - row) * 50 + 1] = at(row, 2));
        wanted[5..50].fill(T::of(9));
        assert_eq!(y.host(), wanted);
        assert_eq!(x.host(), host);
        // Assigns to itself, shifted by one.
        let shifted = y.slice(s![.., ..-1]).unwrap();
        y.slice_mut(s![.., 1..]).unwrap().assign(shifted).unwrap();
        (0..40).for_each(|row| wanted.copy_within(row * 50..row * 50 + 49, row * 50 + 1));
        assert_eq!(y.host(), wanted);
    }
    for_all!(check);
}

#[test]
fn join_gather_scatter_and_select() {
    fn check<T: Numbered>() {
        let stream = stream();
        let host = numbers::<T>(600);
        let x = upload(&stream, &host);
        let parts = [&x.slice(s![..7]).unwrap(), &x, &x.slice(s![5..6]).unwrap()];
        let joined = [&host[..7], &host, &host[5..6]].concat();
        assert_eq!(concatenate(&parts, 0).unwrap().host(), joined);
        let pairs: Vec<T> = host.iter().flat_map(|&v| [v, T::of(1)]).collect();
        let ones = Array::full(&stream, 600, T::of(1)).unwrap();
        assert_eq!(stack(&[&x, &ones], 1).unwrap().host(), pairs);

        let places: Vec<i32> = (0..300).map(|i| (i * 7919) % 1200 - 600).collect();
        let indices = upload(&stream, &places);
        let place = |i: i32| i.rem_euclid(600) as usize;
        let wanted: Vec<T> = places.iter().map(|&i| host[place(i)]).collect();
        assert_eq!(x.take(&indices, 0).unwrap().host(), wanted);
        let rows = x.reshape([6, 100]).unwrap();
        let wanted = [&host[500..], &host[..100]].concat();
        assert_eq!(elements(rows.take(upload(&stream, &[-1, 0]), 0)), wanted);

        let mut y = Array::full(&stream, 600, T::of(2)).unwrap();
        let each: Vec<i32> = (0..300).map(|i| (i * 7) % 600).collect();
        let values = x.slice(s![..300]).unwrap();
        y.put(upload(&stream, &each), &values).unwrap();
        let mut wanted = vec![T::of(2); 600];
        each.iter()
            .enumerate()
            .for_each(|(i, &at)| wanted[at as usize] = host[i]);
        assert_eq!(y.host(), wanted);

        let mask: Vec<bool> = (0..600).map(|i| i % 5 != 2).collect();
        let chosen = upload(&stream, &mask);
        let kept = host.iter().zip(&mask).filter(|(_, kept)| **kept);
        let wanted: Vec<T> = kept.map(|(v, _)| *v).collect();
        assert_eq!(x.compress(&chosen).unwrap().host(), wanted);
        let wanted: Vec<T> = host
            .iter()
            .zip(&mask)
            .map(|(&v, &m)| if m { v } else { T::of(4) })
            .collect();
        assert_eq!(elements(chosen.select(&x, T::of(4)).eval()), wanted);
        // Comparisons include all fields.
        let equal: Vec<bool> = host.iter().map(|&v| v == T::of(5)).collect();
        let (same, other) = eval((x.equal(T::of(5)), x.not_equal(T::of(5)))).unwrap();
        assert_eq!(same.host(), equal);
        assert_eq!(other.host(), equal.iter().map(|e| !e).collect::<Vec<_>>());
    }
    for_all!(check);
}

#[test]
fn large_selections_have_several_tiles() {
    let stream = stream();
    let host = numbers::<Matrix>(5000);
    let x = upload(&stream, &host);
    let odd = (Expr::index(5000, 0).unwrap() % 2).equal(1);
    let wanted: Vec<Matrix> = host.iter().skip(1).step_by(2).copied().collect();
    assert!(x.compress(&odd).unwrap().host() == wanted);
}
