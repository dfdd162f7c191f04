//! Tests for all back ends. Each rank is used by its own thread.

use std::thread;

use cuda_nccl::{Collectives, Error, Reducible, Reduction};
use cuda_safe::{DeviceBuffer, Stream};
use half::{bf16, f16};

/// Runs every test of the suite, for a group of any size.
pub fn suite<C: Collectives + Send>(ranks: Vec<C>) {
    on_all(ranks, |rank| {
        reductions_of_all_types(rank);
        reductions_of_all_lengths(rank);
        parts_of_arrays_and_other_streams(rank);
        broadcasts(rank);
        gathers(rank);
        parts_of_reductions(rank);
        transpositions(rank);
        exchanges(rank);
        many_calls_in_a_row(rank);
        values_of_the_host(rank);
        local_mistakes(rank);
    });
}

/// Calls `work` on a thread for each rank.
pub fn on_all<C: Collectives + Send>(ranks: Vec<C>, work: impl Fn(&C) + Sync) {
    let work = &work;
    thread::scope(|scope| {
        for rank in ranks {
            scope.spawn(move || work(&rank));
        }
    });
}

fn stream(rank: &impl Collectives) -> Stream {
    Stream::new(rank.context()).unwrap()
}

/// Returns element `i` of rank `rank`. Values are small, so that sums are exact.
fn value(rank: usize, i: usize) -> i64 {
    ((rank * 7 + i * 3) % 11) as i64 + 1
}

fn reduced(size: usize, i: usize, reduction: Reduction) -> f64 {
    let values = (0..size).map(|rank| value(rank, i) as f64);
    match reduction {
        Reduction::Sum => values.sum(),
        Reduction::Product => values.product(),
        Reduction::Min => values.fold(f64::INFINITY, f64::min),
        Reduction::Max => values.fold(f64::NEG_INFINITY, f64::max),
        Reduction::Mean => values.sum::<f64>() / size as f64,
        other => panic!("{other:?}"),
    }
}

const REDUCTIONS: [Reduction; 5] = [
    Reduction::Sum,
    Reduction::Product,
    Reduction::Min,
    Reduction::Max,
    Reduction::Mean,
];

fn of_type<T: Reducible + PartialEq + std::fmt::Debug>(
    rank: &impl Collectives,
    from: impl Fn(f64) -> T,
    holds: f64,
) {
    let (stream, size, len) = (stream(rank), rank.size(), 37);
    for reduction in REDUCTIONS {
        let wanted: Vec<f64> = (0..len).map(|i| reduced(size, i, reduction)).collect();
        if wanted.iter().any(|&value| value > holds) {
            continue; // too large for the type with many ranks
        }
        let mine: Vec<T> = (0..len)
            .map(|i| from(value(rank.rank(), i) as f64))
            .collect();
        let mut data = DeviceBuffer::from_slice(&stream, &mine).unwrap();
        rank.all_reduce(&stream, &mut data, reduction).unwrap();
        rank.wait(&stream).unwrap();
        let wanted: Vec<T> = wanted.into_iter().map(&from).collect();
        assert_eq!(data.to_vec(&stream).unwrap(), wanted, "{reduction:?}");
    }
}

fn reductions_of_all_types(rank: &impl Collectives) {
    of_type(rank, |x| x as i8, 127.0);
    of_type(rank, |x| x as u8, 255.0);
    of_type(rank, |x| x as i32, 2e9);
    of_type(rank, |x| x as u32, 4e9);
    of_type(rank, |x| x as i64, 9e15);
    of_type(rank, |x| x as u64, 9e15);
    // The means of three are rounded, but their sum is exact.
    of_type(rank, |x| f16::from_f32(x as f32), 2048.0);
    of_type(rank, |x| bf16::from_f32(x as f32), 256.0);
    of_type(rank, |x| x as f32, 1e7);
    of_type(rank, |x| x, 9e15);
}

fn reductions_of_all_lengths(rank: &impl Collectives) {
    let (stream, size) = (stream(rank), rank.size());
    for len in [0, 1, 2, 3, 5, 63, 64, 65, 500, 1023, 4096, 5001] {
        let mine: Vec<f32> = (0..len).map(|i| value(rank.rank(), i) as f32).collect();
        let wanted: Vec<f32> = (0..len)
            .map(|i| reduced(size, i, Reduction::Sum) as f32)
            .collect();
        let mut data = DeviceBuffer::from_slice(&stream, &mine).unwrap();
        rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
        assert_eq!(data.to_vec(&stream).unwrap(), wanted, "{len}");
    }
    // Sums that need rounding have the same bits on all ranks.
    let mine: Vec<f32> = (0..3000)
        .map(|i| ((i + 1) as f32).powi(3) / (rank.rank() + 3) as f32)
        .collect();
    for len in [10, 3000] {
        let mut data = DeviceBuffer::from_slice(&stream, &mine[..len]).unwrap();
        rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
        let mut all = DeviceBuffer::zeroed(&stream, len * size).unwrap();
        rank.all_gather(&stream, &data, &mut all).unwrap();
        let (data, all) = (data.to_vec(&stream).unwrap(), all.to_vec(&stream).unwrap());
        assert!(all.chunks(len).all(|part| {
            part.iter()
                .zip(&data)
                .all(|(a, b)| a.to_bits() == b.to_bits())
        }));
    }
}

fn parts_of_arrays_and_other_streams(rank: &impl Collectives) {
    let (stream, other, size) = (stream(rank), stream(rank), rank.size());
    for len in [9, 2000] {
        // An unaligned slice of a buffer of another stream, which is dropped at once.
        let mut data = DeviceBuffer::<i32>::zeroed(&other, len + 10).unwrap();
        data.fill(&other, 5).unwrap();
        let mut part = data.slice_mut(3..len + 3).unwrap();
        rank.all_reduce(&stream, &mut part, Reduction::Sum).unwrap();
        let all = data.to_vec(&other).unwrap();
        let wanted: Vec<i32> = (0..len + 10)
            .map(|i| match (3..len + 3).contains(&i) {
                true => 5 * size as i32,
                false => 5,
            })
            .collect();
        assert_eq!(all, wanted);
        let mut target = DeviceBuffer::<i32>::zeroed(&other, len * size).unwrap();
        rank.all_gather(&stream, &data.slice(..len).unwrap(), &mut target)
            .unwrap();
        drop(data); // other ranks may still be reading it
        let all = target.to_vec(&other).unwrap();
        assert!(all.chunks(len).all(|part| part == &wanted[..len]));
    }
}

fn broadcasts(rank: &impl Collectives) {
    let (stream, size) = (stream(rank), rank.size());
    for root in 0..size {
        for len in [0, 1, 3000] {
            let mut data = DeviceBuffer::<[u16; 3]>::zeroed(&stream, len).unwrap();
            data.fill(&stream, [rank.rank() as u16 + 1, 2, 3]).unwrap();
            rank.broadcast(&stream, &mut data, root).unwrap();
            let wanted = vec![[root as u16 + 1, 2, 3]; len];
            assert_eq!(data.to_vec(&stream).unwrap(), wanted);
        }
    }
}

fn gathers(rank: &impl Collectives) {
    let (stream, size) = (stream(rank), rank.size());
    for len in [0, 1, 7, 2500] {
        let mine: Vec<i64> = (0..len).map(|i| value(rank.rank(), i)).collect();
        let part = DeviceBuffer::from_slice(&stream, &mine).unwrap();
        let mut all = DeviceBuffer::zeroed(&stream, len * size).unwrap();
        rank.all_gather(&stream, &part, &mut all).unwrap();
        let wanted: Vec<i64> = (0..size)
            .flat_map(|rank| (0..len).map(move |i| value(rank, i)))
            .collect();
        assert_eq!(all.to_vec(&stream).unwrap(), wanted);
    }
}

fn parts_of_reductions(rank: &impl Collectives) {
    let (stream, size, me) = (stream(rank), rank.size(), rank.rank());
    // Small, in several steps, and unaligned.
    for len in [0, 1, 7, 64, 501, 4000] {
        for reduction in [Reduction::Sum, Reduction::Max, Reduction::Mean] {
            let mine: Vec<f64> = (0..len * size).map(|i| value(me, i) as f64).collect();
            let all = DeviceBuffer::from_slice(&stream, &mine).unwrap();
            let mut part = DeviceBuffer::zeroed(&stream, len).unwrap();
            rank.reduce_scatter(&stream, &all, &mut part, reduction)
                .unwrap();
            let wanted: Vec<f64> = (me * len..(me + 1) * len)
                .map(|i| reduced(size, i, reduction))
                .collect();
            assert_eq!(part.to_vec(&stream).unwrap(), wanted, "{len} {reduction:?}");
            assert_eq!(all.to_vec(&stream).unwrap(), mine);
        }
    }
    // Memory of another stream and unaligned parts. The source is dropped at once.
    let other = Stream::new(rank.context()).unwrap();
    let mut all = DeviceBuffer::<u8>::zeroed(&other, 1000 * size + 3).unwrap();
    all.fill(&other, 2).unwrap();
    let mut parts = DeviceBuffer::<u8>::zeroed(&other, 1005).unwrap();
    let mut part = parts.slice_mut(5..).unwrap();
    rank.reduce_scatter(&stream, &all.slice(3..).unwrap(), &mut part, Reduction::Sum)
        .unwrap();
    drop(all);
    let mut wanted = vec![0; 5];
    wanted.extend(vec![2 * size as u8; 1000]);
    assert_eq!(parts.to_vec(&other).unwrap(), wanted);
}

fn transpositions(rank: &impl Collectives) {
    let (stream, size, me) = (stream(rank), rank.size(), rank.rank());
    for len in [0, 1, 6, 900] {
        // Each element encodes its source and its target.
        let element = |from: usize, to: usize, i: usize| [from as u16, to as u16, i as u16];
        let of = |element: &dyn Fn(usize, usize) -> [u16; 3]| -> Vec<[u16; 3]> {
            let ranks = 0..size;
            ranks
                .flat_map(|rank| (0..len).map(move |i| (rank, i)))
                .map(|(rank, i)| element(rank, i))
                .collect()
        };
        let mine = of(&|rank, i| element(me, rank, i));
        let from = DeviceBuffer::from_slice(&stream, &mine).unwrap();
        let mut to = DeviceBuffer::<[u16; 3]>::zeroed(&stream, len * size).unwrap();
        rank.all_to_all(&stream, &from, &mut to).unwrap();
        drop(from); // other ranks may still be reading it
        let wanted = of(&|rank, i| element(rank, me, i));
        assert_eq!(to.to_vec(&stream).unwrap(), wanted);
    }
}

fn exchanges(rank: &impl Collectives) {
    let (stream, size, me) = (stream(rank), rank.size(), rank.rank());
    // In a ring, in both directions, with different lengths.
    let (next, previous) = ((me + 1) % size, (me + size - 1) % size);
    let data = DeviceBuffer::from_slice(&stream, &[me as u32; 100]).unwrap();
    let mut target = DeviceBuffer::<u32>::zeroed(&stream, 100).unwrap();
    let (mut low, mut high) = target.split_at_mut(40).unwrap();
    let sends = [
        (next, data.slice(..60).unwrap()),
        (previous, data.slice(60..).unwrap()),
    ];
    let mut receives = [(next, low.view_mut()), (previous, high.view_mut())];
    if size <= 2 {
        // The same rank on both sides: transfers are matched in the order of the sends.
        receives.reverse();
    }
    rank.exchange(&stream, &sends, &mut receives).unwrap();
    let mut wanted = vec![next as u32; 40];
    wanted.extend(vec![previous as u32; 60]);
    assert_eq!(target.to_vec(&stream).unwrap(), wanted);
    // Only from the first rank to the last. The others do nothing.
    let mut result = DeviceBuffer::<u32>::zeroed(&stream, 100).unwrap();
    let sends = [(size - 1, data.view())];
    let sends = &sends[..usize::from(me == 0)];
    let mut receives = [(0, result.view_mut())];
    let receives = &mut receives[..usize::from(me == size - 1)];
    rank.exchange(&stream, sends, receives).unwrap();
    assert_eq!(result.to_vec(&stream).unwrap(), [0; 100]); // the first value is 0
    rank.exchange::<u8>(&stream, &[], &mut []).unwrap();
}

/// Calls stay in order although the host never waits.
fn many_calls_in_a_row(rank: &impl Collectives) {
    let (stream, size) = (stream(rank), rank.size() as u64);
    for len in [1, 800] {
        let mut data = DeviceBuffer::<u64>::zeroed(&stream, len).unwrap();
        data.fill(&stream, 1).unwrap();
        for round in 0..12u32 {
            rank.all_reduce(&stream, &mut data, Reduction::Sum).unwrap();
            if round % 4 == 3 {
                let other = Stream::new(rank.context()).unwrap();
                rank.all_reduce(&other, &mut data, Reduction::Max).unwrap();
            }
        }
        rank.wait(&stream).unwrap();
        assert_eq!(data.to_vec(&stream).unwrap(), vec![size.pow(12); len]);
    }
}

fn values_of_the_host(rank: &impl Collectives) {
    let stream = stream(rank);
    let me = rank.rank() as f32;
    let all = rank.gather_on_host(&stream, &[me, 0.5]).unwrap();
    let wanted: Vec<f32> = (0..rank.size()).flat_map(|r| [r as f32, 0.5]).collect();
    assert_eq!(all, wanted);
}

/// All ranks make the same mistake.
fn local_mistakes(rank: &impl Collectives) {
    let (stream, size) = (stream(rank), rank.size());
    let mut data = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
    let error = rank.broadcast(&stream, &mut data, size).unwrap_err();
    assert!(matches!(error, Error::Value(_)), "{error}");
    let mut short = DeviceBuffer::<u32>::zeroed(&stream, 4 * size - 1).unwrap();
    let error = rank.all_gather(&stream, &data, &mut short).unwrap_err();
    assert!(matches!(error, Error::Value(_)), "{error}");
    let error = rank
        .reduce_scatter(&stream, &data, &mut short, Reduction::Sum)
        .unwrap_err();
    assert!(matches!(error, Error::Value(_)), "{error}");
    let error = rank.all_to_all(&stream, &data, &mut short).unwrap_err();
    assert!(matches!(error, Error::Value(_)), "{error}");
    let sends = [(size, data.view())];
    let error = rank.exchange(&stream, &sends, &mut []).unwrap_err();
    assert!(matches!(error, Error::Value(_)), "{error}");
    // The group stays usable.
    rank.all_reduce(&stream, &mut data, Reduction::Max).unwrap();
    // All ranks find an error before their call.
    rank.report_error("on purpose");
    rank.all_reduce(&stream, &mut data, Reduction::Max).unwrap();
}
