//! Structs of plain data as elements: moved, filled, gathered, compared, reduced, scanned, seen by their fields.

use std::fmt::Debug;

use bytemuck::{Pod, Zeroable};
use cuda_compute::{
    Array, Combination, CudaFn, DataType, Element, Expr, FieldType, Order, concatenate, device_fn,
    eval, fold, interop::Incoming, s, stack,
};
use cuda_safe::Stream;
use half::{bf16, f16};
use num_complex::Complex;

use crate::stream;

/// Declares structs that are elements.
macro_rules! plain {
    ($($(#[$meta:meta])* struct $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
        #[repr(C)]
        struct $name { $($field: $type),* }
    )*};
}

plain! {
    struct Byte { only: u8 }
    struct Rgb { r: u8, g: u8, b: u8 }
    struct Pair { low: i16, high: u16 }
    struct MinMax { min: f32, max: f32 }
    struct Float3 { x: f32, y: f32, z: f32 }
    struct Float4 { x: f32, y: f32, z: f32, w: f32 }
    struct Mixed { id: u64, position: Float3, half: f16, brain: bf16, wave: Complex<f32>, tail: [i8; 8] }
    struct Matrix { rows: [[f64; 4]; 4] }
}

/// A struct whose fields are made of a number.
trait Numbered: Element + Pod {
    fn of(i: usize) -> Self;
}

impl Numbered for Byte {
    fn of(i: usize) -> Self {
        Self { only: i as u8 }
    }
}

impl Numbered for Rgb {
    fn of(i: usize) -> Self {
        Self {
            r: i as u8,
            g: (i >> 3) as u8,
            b: (i * 7) as u8,
        }
    }
}

impl Numbered for Pair {
    fn of(i: usize) -> Self {
        Self {
            low: -(i as i16),
            high: (i * 3) as u16,
        }
    }
}

impl Numbered for MinMax {
    fn of(i: usize) -> Self {
        Self {
            min: i as f32,
            max: i as f32 + 0.5,
        }
    }
}

impl Numbered for Float3 {
    fn of(i: usize) -> Self {
        let x = i as f32;
        Self {
            x,
            y: x + 0.25,
            z: -x,
        }
    }
}

impl Numbered for Float4 {
    fn of(i: usize) -> Self {
        let x = i as f32;
        Self {
            x,
            y: x + 0.25,
            z: -x,
            w: x * 2.0,
        }
    }
}

impl Numbered for Mixed {
    fn of(i: usize) -> Self {
        Self {
            id: i as u64 | 1 << 40,
            position: Float3::of(i),
            half: f16::from_f32((i % 64) as f32),
            brain: bf16::from_f32((i % 32) as f32),
            wave: Complex::new(i as f32, -1.0),
            tail: [i as i8; 8],
        }
    }
}

impl Numbered for Matrix {
    fn of(i: usize) -> Self {
        let mut rows = [[i as f64; 4]; 4];
        rows[3][1] = -(i as f64);
        Self { rows }
    }
}

fn numbers<T: Numbered>(count: usize) -> Vec<T> {
    (0..count).map(T::of).collect()
}

/// Calls a generic function for each struct.
macro_rules! for_all {
    ($function:ident) => {
        $function::<Byte>();
        $function::<Rgb>();
        $function::<Pair>();
        $function::<MinMax>();
        $function::<Float3>();
        $function::<Float4>();
        $function::<Mixed>();
        $function::<Matrix>();
    };
}

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
fn to_the_device_and_back() {
    fn check<T: Numbered>() {
        let stream = stream();
        for count in [0, 1, 2, 3, 5, 33, 1000] {
            let host = numbers::<T>(count);
            let x = Array::from_slice(&stream, &host).unwrap();
            assert_eq!(x.to_vec().unwrap(), host);
            // Through kernels: copies, fills, scalars.
            assert_eq!(x.copy().unwrap().to_vec().unwrap(), host);
            let mut y = Array::full(&stream, count, T::of(77)).unwrap();
            assert_eq!(y.to_vec().unwrap(), vec![T::of(77); count]);
            y.assign(&x).unwrap();
            assert_eq!(y.to_vec().unwrap(), host);
            y.fill(T::of(3)).unwrap();
            assert_eq!(y.to_vec().unwrap(), vec![T::of(3); count]);
            y.copy_from_slice(&host).unwrap();
            assert_eq!(y.to_vec().unwrap(), host);
        }
        let zeros = Array::<T>::zeros(&stream, [2, 2]).unwrap();
        assert_eq!(zeros.to_vec().unwrap(), [T::zeroed(); 4]);
        let like = Array::<T>::zeros_like(&zeros.t()).unwrap();
        assert_eq!(like.to_vec().unwrap(), [T::zeroed(); 4]);
    }
    for_all!(check);
}

#[test]
fn views_and_writes_to_views() {
    fn check<T: Numbered>() {
        let stream = stream();
        let host = numbers::<T>(40 * 50);
        let x = Array::from_shape(&stream, [40, 50], &host).unwrap();
        let at = |row: usize, column: usize| host[row * 50 + column];
        let wanted: Vec<T> = (0..50)
            .flat_map(|column| (0..40).map(move |row| (row, column)))
            .map(|(row, column)| at(row, column))
            .collect();
        // By tiles, where they have room.
        assert_eq!(
            x.t().contiguous(Order::C).unwrap().to_vec().unwrap(),
            wanted
        );
        assert_eq!(
            x.permute(&[1, 0])
                .unwrap()
                .flatten()
                .unwrap()
                .to_vec()
                .unwrap(),
            wanted
        );
        let part = x.slice(s![3..20;2, ..;-3]).unwrap();
        let wanted: Vec<T> = (3..20)
            .step_by(2)
            .flat_map(|row| (0..50).rev().step_by(3).map(move |column| (row, column)))
            .map(|(row, column)| at(row, column))
            .collect();
        assert_eq!(part.to_vec().unwrap(), wanted);
        let row = x.slice(s![7]).unwrap();
        let stretched = row.broadcast_to([3, 50]).unwrap();
        assert_eq!(stretched.to_vec().unwrap(), host[350..400].repeat(3));
        assert_eq!(
            x.reshape([50, 40])
                .unwrap()
                .slice(s![1, 1])
                .unwrap()
                .item()
                .unwrap(),
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
        assert_eq!(y.to_vec().unwrap(), wanted);
        assert_eq!(x.to_vec().unwrap(), host);
        // Onto itself, one further.
        let shifted = y.slice(s![.., ..-1]).unwrap();
        y.slice_mut(s![.., 1..]).unwrap().assign(shifted).unwrap();
        (0..40).for_each(|row| wanted.copy_within(row * 50..row * 50 + 49, row * 50 + 1));
        assert_eq!(y.to_vec().unwrap(), wanted);
    }
    for_all!(check);
}

#[test]
fn joined_gathered_scattered_and_selected() {
    fn check<T: Numbered>() {
        let stream = stream();
        let host = numbers::<T>(600);
        let x = Array::from_slice(&stream, &host).unwrap();
        let parts = [&x.slice(s![..7]).unwrap(), &x, &x.slice(s![5..6]).unwrap()];
        let joined = [&host[..7], &host, &host[5..6]].concat();
        assert_eq!(concatenate(&parts, 0).unwrap().to_vec().unwrap(), joined);
        let pairs: Vec<T> = host.iter().flat_map(|&v| [v, T::of(1)]).collect();
        let ones = Array::full(&stream, 600, T::of(1)).unwrap();
        assert_eq!(stack(&[&x, &ones], 1).unwrap().to_vec().unwrap(), pairs);

        let places: Vec<i32> = (0..300).map(|i| (i * 7919) % 1200 - 600).collect();
        let indices = Array::from_slice(&stream, &places).unwrap();
        let place = |i: i32| i.rem_euclid(600) as usize;
        let wanted: Vec<T> = places.iter().map(|&i| host[place(i)]).collect();
        assert_eq!(x.take(&indices, 0).unwrap().to_vec().unwrap(), wanted);
        let rows = x.reshape([6, 100]).unwrap();
        let wanted = [&host[500..], &host[..100]].concat();
        assert_eq!(
            rows.take(Array::from_slice(&stream, &[-1, 0]).unwrap(), 0)
                .unwrap()
                .to_vec()
                .unwrap(),
            wanted
        );

        let mut y = Array::full(&stream, 600, T::of(2)).unwrap();
        let each: Vec<i32> = (0..300).map(|i| (i * 7) % 600).collect();
        let values = x.slice(s![..300]).unwrap();
        y.put(Array::from_slice(&stream, &each).unwrap(), &values)
            .unwrap();
        let mut wanted = vec![T::of(2); 600];
        each.iter()
            .enumerate()
            .for_each(|(i, &at)| wanted[at as usize] = host[i]);
        assert_eq!(y.to_vec().unwrap(), wanted);

        let mask: Vec<bool> = (0..600).map(|i| i % 5 != 2).collect();
        let chosen = Array::from_slice(&stream, &mask).unwrap();
        let kept = host.iter().zip(&mask).filter(|(_, kept)| **kept);
        let wanted: Vec<T> = kept.map(|(v, _)| *v).collect();
        assert_eq!(x.compress(&chosen).unwrap().to_vec().unwrap(), wanted);
        let wanted: Vec<T> = host
            .iter()
            .zip(&mask)
            .map(|(&v, &m)| if m { v } else { T::of(4) })
            .collect();
        assert_eq!(
            chosen
                .select(&x, T::of(4))
                .eval()
                .unwrap()
                .to_vec()
                .unwrap(),
            wanted
        );
        // All fields are compared.
        let equal: Vec<bool> = host.iter().map(|&v| v == T::of(5)).collect();
        let (same, other) = eval((x.equal(T::of(5)), x.not_equal(T::of(5)))).unwrap();
        assert_eq!(same.to_vec().unwrap(), equal);
        assert_eq!(
            other.to_vec().unwrap(),
            equal.iter().map(|e| !e).collect::<Vec<_>>()
        );
    }
    for_all!(check);
}

#[test]
fn large_selections_have_several_tiles() {
    let stream = stream();
    let host = numbers::<Matrix>(5000);
    let x = Array::from_slice(&stream, &host).unwrap();
    let odd = (Expr::index(5000, 0).unwrap() % 2).equal(1);
    let wanted: Vec<Matrix> = host.iter().skip(1).step_by(2).copied().collect();
    assert!(x.compress(&odd).unwrap().to_vec().unwrap() == wanted);
}

/// Sums of two fields, kept apart, with `first` as what tells the order.
fn chain() -> Combination<Float3> {
    // SAFETY: it only computes.
    let then = unsafe {
        CudaFn::<fn(Float3, Float3) -> Float3>::new(
            "then",
            "// x -> x.x * v + x.y, one after the other; the third counts.
             __device__ Float3 then(const Float3 &a, const Float3 &b) {
                 return {a.x * b.x, a.y * b.x + b.y, a.z + b.z};
             }",
        )
    };
    let nothing = Float3 {
        x: 1.0,
        y: 0.0,
        z: 0.0,
    };
    Combination::new(&then, nothing)
}

fn then(a: Float3, b: Float3) -> Float3 {
    Float3 {
        x: a.x * b.x,
        y: a.y * b.x + b.y,
        z: a.z + b.z,
    }
}

/// Small integers, so that sums and products of signs are exact.
fn links(count: usize) -> Vec<Float3> {
    (0..count)
        .map(|i| Float3 {
            x: if i % 3 == 0 { -1.0 } else { 1.0 },
            y: (i % 7) as f32 - 3.0,
            z: 1.0,
        })
        .collect()
}

#[test]
fn scans_keep_the_order() {
    let stream = stream();
    for shape in [
        [1, 5, 1],
        [1, 700, 1],
        [1, 9000, 1],
        [40, 33, 1],
        [2, 300, 5],
        [1, 3000, 40],
    ] {
        let host = links(shape.iter().product());
        let x = Array::from_shape(&stream, shape, &host).unwrap();
        let [outer, length, inner] = shape;
        let (mut inclusive, mut exclusive) = (host.clone(), host.clone());
        for line in 0..outer * inner {
            let mut sum = Float3 {
                x: 1.0,
                y: 0.0,
                z: 0.0,
            };
            for k in 0..length {
                let at = (line / inner * length + k) * inner + line % inner;
                exclusive[at] = sum;
                sum = then(sum, host[at]);
                inclusive[at] = sum;
            }
        }
        let chain = chain();
        assert!(
            x.scan(&chain, 1).unwrap().to_vec().unwrap() == inclusive,
            "{shape:?}"
        );
        assert!(
            x.scan_exclusive(&chain, 1).unwrap().to_vec().unwrap() == exclusive,
            "{shape:?}"
        );
    }
}

/// Sums of all numbers of matrices: the largest elements there may be.
fn sums() -> Combination<Matrix> {
    // SAFETY: it only computes.
    let sum = unsafe {
        CudaFn::<fn(Matrix, Matrix) -> Matrix>::new(
            "sum",
            "__device__ Matrix sum(Matrix a, const Matrix &b) {
                 for (int i = 0; i < 4; ++i)
                     for (int k = 0; k < 4; ++k) a.rows[i][k] += b.rows[i][k];
                 return a;
             }",
        )
    };
    Combination::new(&sum, Matrix::default())
}

#[test]
fn the_largest_elements_are_folded_and_scanned() {
    let stream = stream();
    let sum_of = |matrices: &mut dyn Iterator<Item = Matrix>| {
        matrices.fold(Matrix::default(), |mut a, b| {
            for (a, b) in a.rows.iter_mut().flatten().zip(b.rows.iter().flatten()) {
                *a += b;
            }
            a
        })
    };
    let host = numbers::<Matrix>(60 * 40);
    let x = Array::from_shape(&stream, [60, 40], &host).unwrap();
    let all = sum_of(&mut host.iter().copied());
    assert_eq!(x.reduce(sums()).eval().unwrap().item().unwrap(), all);
    let columns: Vec<Matrix> = (0..40)
        .map(|column| sum_of(&mut host.iter().skip(column).step_by(40).copied()))
        .collect();
    assert_eq!(
        x.reduce_axis(0, sums()).eval().unwrap().to_vec().unwrap(),
        columns
    );
    let rows: Vec<Matrix> = host
        .chunks(40)
        .map(|row| sum_of(&mut row.iter().copied()))
        .collect();
    assert_eq!(
        x.reduce_axis(1, sums()).eval().unwrap().to_vec().unwrap(),
        rows
    );
    // More together than a block has room for.
    let (one, two, three) = eval((
        x.reduce_axis(0, sums()),
        x.flip(0).unwrap().reduce_axis(0, sums()),
        x.reduce_axis(0, sums()).field(|m| &m.rows[3][1]),
    ))
    .unwrap();
    assert_eq!(one.to_vec().unwrap(), columns);
    assert_eq!(two.to_vec().unwrap(), columns);
    let cells: Vec<f64> = columns.iter().map(|m| m.rows[3][1]).collect();
    assert_eq!(three.to_vec().unwrap(), cells);
    let ends = x.scan(sums(), 0).unwrap().slice(s![-1]).unwrap();
    assert_eq!(ends.to_vec().unwrap(), columns);
    let ends = x.scan(sums(), 1).unwrap().slice(s![.., -1]).unwrap();
    assert_eq!(ends.to_vec().unwrap(), rows);
}

#[test]
fn reductions_along_any_axes() {
    let stream = stream();
    // SAFETY: they only compute.
    let (of, merge) = unsafe {
        (
            CudaFn::<fn(f32) -> MinMax>::new(
                "of",
                "__device__ MinMax of(float x) { return {x, x}; }",
            ),
            CudaFn::<fn(MinMax, MinMax) -> MinMax>::new(
                "merge",
                "__device__ MinMax merge(MinMax a, MinMax b) {
                     return {fminf(a.min, b.min), fmaxf(a.max, b.max)};
                 }",
            ),
        )
    };
    let nothing = MinMax {
        min: f32::INFINITY,
        max: f32::NEG_INFINITY,
    };
    let both = Combination::new(&merge, nothing);
    let host: Vec<f32> = (0..7 * 30 * 40)
        .map(|i| ((i * 7919) % 10_007) as f32 - 5000.0)
        .collect();
    let x = Array::from_shape(&stream, [7, 30, 40], &host).unwrap();
    let pairs = of.map((&x,));
    let wanted = |keep: &dyn Fn(usize) -> bool| {
        host.iter()
            .enumerate()
            .filter(|(i, _)| keep(*i))
            .fold(nothing, |a, (_, &v)| MinMax {
                min: a.min.min(v),
                max: a.max.max(v),
            })
    };
    assert_eq!(
        pairs.reduce(&both).eval().unwrap().item().unwrap(),
        wanted(&|_| true)
    );
    let got = pairs
        .reduce_axis([0, 2], &both)
        .eval()
        .unwrap()
        .to_vec()
        .unwrap();
    let middle: Vec<MinMax> = (0..30).map(|k| wanted(&|i| i / 40 % 30 == k)).collect();
    assert_eq!(got, middle);
    let got = pairs
        .reduce_axis([0, 1], &both)
        .eval()
        .unwrap()
        .to_vec()
        .unwrap();
    let last: Vec<MinMax> = (0..40).map(|k| wanted(&|i| i % 40 == k)).collect();
    assert_eq!(got, last);
    // Nothing gives the identity.
    let none = x.slice(s![..0]).unwrap();
    assert_eq!(
        of.map((&none,))
            .reduce(&both)
            .eval()
            .unwrap()
            .item()
            .unwrap(),
        nothing
    );
    // A whole row with a reduction of itself, in one kernel: where in its row's range an element lies.
    let range = pairs.reduce_axis(2, &both).keep_axes();
    let unit = (&x - range.field(|r| &r.min)) / (range.field(|r| &r.max) - range.field(|r| &r.min));
    let got = unit.eval().unwrap();
    let (low, high) = eval((got.min(), got.max())).unwrap();
    assert_eq!((low.item().unwrap(), high.item().unwrap()), (0.0, 1.0));
}

#[test]
fn fields_share_the_memory() {
    let stream = stream();
    let host = numbers::<Mixed>(30);
    let mut x = Array::from_shape(&stream, [5, 6], &host).unwrap();
    // 8 of 40 bytes, at a multiple of 8.
    let ids = x.field(|m| &m.id).unwrap();
    assert_eq!(ids.as_device_ptr(), x.as_device_ptr());
    assert_eq!((ids.shape(), ids.strides()), (x.shape(), &[30isize, 5][..]));
    assert_eq!(
        ids.to_vec().unwrap(),
        host.iter().map(|m| m.id).collect::<Vec<_>>()
    );
    let nested = x.field(|m| &m.position.y).unwrap();
    assert_eq!(
        nested.to_vec().unwrap(),
        host.iter().map(|m| m.position.y).collect::<Vec<_>>()
    );
    let halves = x.field(|m| &m.brain).unwrap();
    assert_eq!(
        halves.to_vec().unwrap(),
        host.iter().map(|m| m.brain).collect::<Vec<_>>()
    );
    let waves = x.field(|m| &m.wave).unwrap();
    assert_eq!(
        waves.conj().eval().unwrap().to_vec().unwrap()[29],
        host[29].wave.conj()
    );
    assert_eq!(waves.to_vec().unwrap()[29], host[29].wave);
    let last = x
        .slice(s![..;-2, 5])
        .unwrap()
        .field(|m| &m.tail[7])
        .unwrap();
    assert_eq!(last.to_vec().unwrap(), [29, 17, 5]);
    // A part of a part, by two steps.
    let imaginary = waves.field(|z| &z.im).unwrap();
    assert_eq!(imaginary.to_vec().unwrap(), [-1.0; 30]);

    // 12 of 40 bytes: no stride leads there, but an expression does.
    let error = x.field(|m| &m.position).unwrap_err().to_string();
    assert!(
        error.contains("a field of Float3, of 12 bytes at byte 8 of Mixed, which has 40"),
        "{error}"
    );
    let positions = x.expr().field(|m| &m.position).eval().unwrap();
    assert_eq!(
        positions.to_vec().unwrap(),
        host.iter().map(|m| m.position).collect::<Vec<_>>()
    );
    let parts = x.expr().field(|m| &m.half)
        + x.expr()
            .field(|m| &m.position)
            .field(|p| &p.x)
            .cast::<f16>();
    let wanted: Vec<f16> = host
        .iter()
        .map(|m| m.half + f16::from_f32(m.position.x))
        .collect();
    assert_eq!(parts.eval().unwrap().to_vec().unwrap(), wanted);

    // Written: the others stay, and so does what others hold.
    let before = x.clone();
    x.field_mut(|m| &m.id)
        .unwrap()
        .assign(&ids * 2 + 1)
        .unwrap();
    x.field_mut(|m| &m.half)
        .unwrap()
        .fill(f16::from_f32(0.5))
        .unwrap();
    let part = x.slice_mut(s![2, ..;-1]).unwrap();
    part.field(|m| &m.position.z)
        .unwrap()
        .assign(
            before
                .slice(s![3])
                .unwrap()
                .field(|m| &m.position.x)
                .unwrap(),
        )
        .unwrap();
    let mut wanted = host.clone();
    for (i, m) in wanted.iter_mut().enumerate() {
        m.id = m.id * 2 + 1;
        m.half = f16::from_f32(0.5);
        if i / 6 == 2 {
            m.position.z = host[18 + 5 - i % 6].position.x;
        }
    }
    assert_eq!(x.to_vec().unwrap(), wanted);
    assert_eq!(before.to_vec().unwrap(), host);
    assert_eq!(
        ids.to_vec().unwrap(),
        host.iter().map(|m| m.id).collect::<Vec<_>>()
    );
}

#[test]
fn fields_are_written_in_place() {
    let stream = stream();
    let host = numbers::<Float4>(1000);
    let mut x = Array::from_slice(&stream, &host).unwrap();
    let address = x.as_device_ptr();
    let sums = x.field(|v| &v.x).unwrap() + x.field(|v| &v.y).unwrap();
    x.field_mut(|v| &v.w).unwrap().assign(sums).unwrap();
    // From a field that lies between those that are written.
    let y = x.field(|v| &v.y).unwrap();
    x.field_mut(|v| &v.z).unwrap().assign(y).unwrap();
    assert_eq!(x.as_device_ptr(), address);
    let wanted: Vec<Float4> = host
        .iter()
        .map(|v| Float4 {
            z: v.y,
            w: v.x + v.y,
            ..*v
        })
        .collect();
    assert_eq!(x.to_vec().unwrap(), wanted);
    // Closures of fields, and reductions of them.
    let twice = device_fn!(|a: f32, b: f32| a * 2.0 + b);
    let got = twice.map((x.field(|v| &v.x).unwrap(), x.expr().field(|v| &v.w)));
    let most = got.reduce(fold!(|a: f32, b: f32| a.max(b), f32::NEG_INFINITY));
    let host = wanted
        .iter()
        .map(|v| v.x * 2.0 + v.w)
        .fold(f32::NEG_INFINITY, f32::max);
    assert_eq!(most.eval().unwrap().item().unwrap(), host);
}

#[test]
fn what_is_no_field_is_refused() {
    let stream = stream();
    let x = Array::full(&stream, 3, MinMax::of(1)).unwrap();
    static ELSEWHERE: f32 = 1.0;
    let error = x.field(|_| &ELSEWHERE).unwrap_err().to_string();
    assert!(
        error.contains("a field of MinMax gives a reference to something else of type f32"),
        "{error}"
    );
    let error = x
        .expr()
        .field(|_| &ELSEWHERE)
        .eval()
        .unwrap_err()
        .to_string();
    assert!(error.contains("something else"), "{error}");
    let mut y = x.clone();
    y.field_mut(|_| &ELSEWHERE).unwrap_err();
}

#[test]
fn structs_are_seen_as_their_parts_and_back() {
    let stream = stream();
    let host = numbers::<Float3>(4);
    let x = Array::from_slice(&stream, &host).unwrap();
    let flat = x.reinterpret::<f32>().unwrap();
    assert_eq!(
        flat.to_vec().unwrap(),
        bytemuck::cast_slice::<_, f32>(&host)
    );
    let rows = flat.reshape([4, 3]).unwrap();
    let back = (&rows * 2.0)
        .eval()
        .unwrap()
        .reinterpret::<Float3>()
        .unwrap();
    assert_eq!(back.shape(), [4, 1]);
    let twice: Vec<Float3> = host
        .iter()
        .map(|v| Float3 {
            x: v.x * 2.0,
            y: v.y * 2.0,
            z: v.z * 2.0,
        })
        .collect();
    assert_eq!(back.to_vec().unwrap(), twice);
    // 12 bytes are no multiple of 8, nor 16 of 12.
    assert!(x.reinterpret::<u64>().is_err());
    assert!(x.reinterpret::<Float4>().is_err());
    let parts = x.reinterpret::<MinMax>().unwrap_err().to_string();
    assert!(parts.contains("no rows of whole MinMax"), "{parts}");
}

#[test]
fn structs_of_one_name_are_told_apart() {
    fn other() -> CudaFn<fn(super::structs::MinMax) -> i32> {
        // SAFETY: it only computes.
        unsafe {
            CudaFn::new(
                "width",
                "__device__ int width(MinMax m) { return (int)(m.max - m.min); }",
            )
        }
    }
    plain! { struct MinMax { max: i32, min: i32 } }
    let stream = stream();
    // SAFETY: it only computes.
    let width = unsafe {
        CudaFn::<fn(MinMax) -> i32>::new(
            "width",
            "__device__ int width(MinMax m) { return m.max - m.min; }",
        )
    };
    let one = Array::full(&stream, 3, MinMax { max: 9, min: 2 }).unwrap();
    let two = Array::full(&stream, 3, super::structs::MinMax { min: 1.0, max: 5.5 }).unwrap();
    let both = width.map((&one,)) * 10 + other().map((&two,));
    assert_eq!(both.eval().unwrap().to_vec().unwrap(), [74; 3]);
    assert_ne!(MinMax::DATA_TYPE, super::structs::MinMax::DATA_TYPE);
}

#[test]
fn arrays_of_ndarray() {
    let stream = stream();
    let host = ndarray::Array2::from_shape_fn((3, 4), |(i, k)| Float3::of(i * 10 + k));
    let x = Array::from_ndarray(&stream, &host).unwrap();
    assert_eq!(x.to_ndarray().unwrap(), host.clone().into_dyn());
    let turned = Array::from_ndarray(&stream, &host.t()).unwrap();
    assert_eq!(turned.to_ndarray().unwrap(), host.t().to_owned().into_dyn());
}

#[test]
fn other_libraries_see_vectors_of_bytes() {
    let stream = stream();
    let host = numbers::<Float3>(6);
    let x = Array::from_shape(&stream, [2, 3], &host).unwrap();
    let tensor = x.t().into_dlpack().unwrap().into_raw();
    // SAFETY: a tensor that was just made, of memory that nobody else uses.
    let mut back = unsafe {
        let tensor = Incoming::from_versioned(tensor).unwrap();
        assert_eq!((tensor.dtype().bits, tensor.dtype().lanes), (8, 12));
        assert!(tensor.data_type().is_err());
        tensor.into_array::<Float3>(&stream).unwrap()
    };
    assert_eq!(back.t().to_vec().unwrap(), host);
    back.field_mut(|v| &v.y).unwrap().fill(0.5).unwrap();
    assert!(back.to_vec().unwrap().iter().all(|v| v.y == 0.5));
    // Memory that must not be written to is copied first.
    let shared = x.share_dlpack().into_raw();
    // SAFETY: as above; it is only read.
    let mut own = unsafe {
        let tensor = Incoming::from_versioned(shared).unwrap();
        tensor.into_array::<Float3>(&stream).unwrap()
    };
    own.field_mut(|v| &v.x).unwrap().fill(7.0).unwrap();
    assert_eq!(x.to_vec().unwrap(), host);
    assert!(own.to_vec().unwrap().iter().all(|v| v.x == 7.0));
    let error = x.cuda_array_interface().unwrap_err().to_string();
    assert!(error.contains("elements of Float3 have no name"), "{error}");
}

#[test]
fn many_large_scalars_have_room() {
    let stream = stream();
    fn pick<T: Element + Debug>(stream: &Stream, values: &[T]) {
        let places = Array::range(stream, 0..values.len() as i32).unwrap();
        let mut chosen = Expr::scalar(values[0]);
        for (i, &value) in values.iter().enumerate().skip(1) {
            chosen = places.equal(i as i32).select(value, chosen);
        }
        assert_eq!(chosen.eval().unwrap().to_vec().unwrap(), values);
    }
    pick(&stream, &numbers::<Matrix>(20));
    pick(&stream, &numbers::<Mixed>(30));
    pick(&stream, &numbers::<Rgb>(30));
    // More than the parameters of a kernel hold.
    let mut all = Expr::scalar(false);
    let x = Array::full(&stream, 2, Matrix::of(0)).unwrap();
    for i in 0..40 {
        all = all | x.equal(Matrix::of(i));
    }
    let error = all.eval().unwrap_err().to_string();
    assert!(error.contains("words of 500"), "{error}");
}

/// Structs and their fields need no `unsafe` of those who use them.
#[forbid(unsafe_code)]
mod without_unsafe {
    use bytemuck::{Pod, Zeroable};
    use cuda_compute::{Array, Element};

    #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
    #[repr(C)]
    pub struct Point {
        pub x: f64,
        pub y: f64,
    }

    #[test]
    fn fields() {
        let stream = crate::stream();
        let mut points = Array::full(&stream, 3, Point { x: 3.0, y: 4.0 }).unwrap();
        let size = points
            .field(|p| &p.x)
            .unwrap()
            .hypot(points.field(|p| &p.y).unwrap());
        points.field_mut(|p| &p.x).unwrap().assign(size).unwrap();
        assert_eq!(points.to_vec().unwrap(), [Point { x: 5.0, y: 4.0 }; 3]);
    }
}
