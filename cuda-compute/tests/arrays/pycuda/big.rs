//! Arrays of more than 2³² elements.
//!
//! Each array needs 4.5 GB of device memory. On a GPU with enough memory, the tests run with their
//! full sizes. On the emulator and on smaller GPUs, they use 2¹⁸ elements and the same remainder.
//! The tests print the size they used.

use cuda_compute::{Array, Expr, s};
use cuda_safe::Stream;

use super::{emulated, value};
use crate::{OnHost, stream};

/// Returns 2³² and a few elements if `arrays` such arrays fit, otherwise fewer.
pub fn count(stream: &Stream, more: usize, arrays: u64) -> usize {
    let probe = Array::<u8>::zeros(stream, 1).unwrap();
    let free = stream.context().memory_info().unwrap().free as u64;
    let whole = !emulated(&probe) && free > arrays * (9 << 29);
    let count = if whole { 1 << 32 } else { 1 << 18 } + more;
    println!("{count} elements");
    count
}

#[test]
fn elementwise() {
    let stream = stream();
    let count = count(&stream, 12, 2);
    let places = (Expr::index(count, 0).unwrap() & 0xff).cast::<u8>();
    let x = places.eval_on(&stream).unwrap();
    // Compares with values computed from row and column, as rows of four.
    let part = count / 4 * 4;
    let table = x.slice(s![..part]).unwrap().reshape([part / 4, 4]).unwrap();
    let column = Expr::index([part / 4, 4], 0).unwrap() * 4;
    let row = Expr::index([part / 4, 4], 1).unwrap();
    let wrong = table
        .cast::<usize>()
        .not_equal((column + row) % 256)
        .count();
    assert_eq!(value(wrong), 0);
    // Compares with the host at both ends and around each power of two.
    let mut starts = vec![0, count - 100];
    starts.extend(
        (10..40)
            .map(|bit| (1usize << bit) - 50)
            .filter(|at| at + 100 <= count),
    );
    for start in starts {
        let got = x.slice(s![start..start + 100]).unwrap().host();
        let wanted: Vec<u8> = (start..start + 100).map(|i| i as u8).collect();
        assert_eq!(got, wanted, "from {start}");
    }
    let sum = (&x + 1).eval().unwrap();
    let last = sum.slice(s![-1]).unwrap().value();
    assert_eq!(last, (count - 1) as u8 + 1);
}

#[test]
fn reduction() {
    let stream = stream();
    let count = count(&stream, 11, 1);
    let x = Array::<u8>::ones(&stream, count).unwrap();
    assert_eq!(value(x.sum()), 11);
    assert_eq!(value(x.cast::<u64>().sum()), count as u64);
    let places = Expr::index(count, 0).unwrap();
    assert_eq!(value((places + x.cast::<usize>()).argmax()), count - 1);
}
