//! Combinations of structs: reductions and scans.

use super::*;
use crate::shaped;

/// Composes the functions v -> x * v + y in order, so results depend on the order. The field z
/// counts.
fn chain() -> Combination<Float3> {
    // SAFETY: The function only computes its result.
    let then = unsafe {
        CudaFn::<fn(Float3, Float3) -> Float3>::new(
            "then",
            "// Composes the functions v -> x * v + y. z counts.
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

/// Returns small integers, so that sums and products of signs are exact.
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
        let x = shaped(&stream, shape, &host);
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
        assert!(x.scan(&chain, 1).unwrap().host() == inclusive, "{shape:?}");
        assert!(
            x.scan_exclusive(&chain, 1).unwrap().host() == exclusive,
            "{shape:?}"
        );
    }
}

/// Adds all numbers of matrices, which have the maximum size of an element.
fn sums() -> Combination<Matrix> {
    // SAFETY: The function only computes its result.
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
fn elements_of_maximum_size_are_folded_and_scanned() {
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
    let x = shaped(&stream, [60, 40], &host);
    let all = sum_of(&mut host.iter().copied());
    assert_eq!(x.reduce(sums()).eval().unwrap().value(), all);
    let columns: Vec<Matrix> = (0..40)
        .map(|column| sum_of(&mut host.iter().skip(column).step_by(40).copied()))
        .collect();
    assert_eq!(x.reduce_axis(0, sums()).eval().unwrap().host(), columns);
    let rows: Vec<Matrix> = host
        .chunks(40)
        .map(|row| sum_of(&mut row.iter().copied()))
        .collect();
    assert_eq!(x.reduce_axis(1, sums()).eval().unwrap().host(), rows);
    // Together they need more shared memory than a block has.
    let (one, two, three) = eval((
        x.reduce_axis(0, sums()),
        x.flip(0).unwrap().reduce_axis(0, sums()),
        x.reduce_axis(0, sums()).field(|m| &m.rows[3][1]),
    ))
    .unwrap();
    assert_eq!(one.host(), columns);
    assert_eq!(two.host(), columns);
    let cells: Vec<f64> = columns.iter().map(|m| m.rows[3][1]).collect();
    assert_eq!(three.host(), cells);
    let ends = x.scan(sums(), 0).unwrap().slice(s![-1]).unwrap();
    assert_eq!(ends.host(), columns);
    let ends = x.scan(sums(), 1).unwrap().slice(s![.., -1]).unwrap();
    assert_eq!(ends.host(), rows);
}

#[test]
fn reductions_along_any_axes() {
    let stream = stream();
    // SAFETY: The functions only compute their result.
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
    let x = shaped(&stream, [7, 30, 40], &host);
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
        pairs.reduce(&both).eval().unwrap().value(),
        wanted(&|_| true)
    );
    let got = pairs.reduce_axis([0, 2], &both).eval().unwrap().host();
    let middle: Vec<MinMax> = (0..30).map(|k| wanted(&|i| i / 40 % 30 == k)).collect();
    assert_eq!(got, middle);
    let got = pairs.reduce_axis([0, 1], &both).eval().unwrap().host();
    let last: Vec<MinMax> = (0..40).map(|k| wanted(&|i| i % 40 == k)).collect();
    assert_eq!(got, last);
    // An empty reduction returns the identity.
    let none = x.slice(s![..0]).unwrap();
    assert_eq!(
        of.map((&none,)).reduce(&both).eval().unwrap().value(),
        nothing
    );
    // Combines each row with a reduction of that row in one kernel: the position of an element
    // within the row's range.
    let range = pairs.reduce_axis(2, &both).keep_axes();
    let unit = (&x - range.field(|r| &r.min)) / (range.field(|r| &r.max) - range.field(|r| &r.min));
    let got = unit.eval().unwrap();
    let (low, high) = eval((got.min(), got.max())).unwrap();
    assert_eq!((low.value(), high.value()), (0.0, 1.0));
}
