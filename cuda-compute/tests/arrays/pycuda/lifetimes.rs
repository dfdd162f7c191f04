//! Lifetimes of arrays, and their use from several threads and streams.

use std::thread;

use cuda_compute::Array;
use cuda_safe::{Context, Stream};

use super::value;
use crate::{OnHost, stream};

#[test]
fn arrays_outlive_their_stream_and_context() {
    let x = {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        Array::range(&stream, 0..1000).unwrap()
    };
    let kept = &x + 1;
    drop(x);
    assert_eq!(value(kept.sum()), 500_500);
}

#[test]
fn arrays_can_be_used_on_other_threads() {
    let stream = stream();
    let x = Array::range(&stream, 0..1000).unwrap();
    // All threads request the same new kernel at once.
    let sums = thread::scope(|scope| {
        let work = |i: i32| {
            let x = x.clone();
            move || value(((&x ^ 0x155) * i).sum())
        };
        let threads: Vec<_> = (0..4).map(|i| scope.spawn(work(i))).collect();
        threads
            .into_iter()
            .map(|t| t.join().unwrap())
            .collect::<Vec<_>>()
    });
    let whole: i32 = (0..1000).map(|i| i ^ 0x155).sum();
    assert_eq!(sums, [0, whole, 2 * whole, 3 * whole]);
    thread::spawn(move || drop(x)).join().unwrap();
    assert_eq!(Array::<u8>::ones(&stream, 3).unwrap().host(), [1; 3]);
}

#[test]
fn memory_is_reused_across_streams() {
    // The pool reuses freed memory, also for another stream, but never before the work that reads
    // it is done.
    let (first, second) = (stream(), stream());
    for round in 0..50 {
        let x = Array::full(&first, 10_000, round).unwrap();
        let y = (&x + 1).eval_on(&second).unwrap();
        drop(x);
        let mut z = Array::full(&first, 10_000, -1).unwrap();
        let w = (&y - &z).eval_on(&first).unwrap();
        z.assign(&y * 0).unwrap();
        drop(y);
        assert_eq!(value(w.min()), round + 2);
        assert_eq!(value(w.max()), round + 2);
        assert_eq!(value(z.cast::<i64>().abs().sum()), 0);
    }
}
