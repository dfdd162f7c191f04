//! Vectors in files: pieces, shares, and read errors.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering::Relaxed},
    thread,
};

use cuda_compute::{MapReduce, device_fn, fold};
use cuda_nccl::{
    Collectives, Error, PeerGroup, PeerRank, SingleRank,
    spread::{FilePass, FileProgress, FileVector},
};
use cuda_safe::{Context, bytemuck};
use half::f16;

/// A file that is removed at the end of the test.
struct Temporary(PathBuf);

impl Temporary {
    fn new<T: bytemuck::Pod>(content: &[T]) -> Self {
        static FILES: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "cuda-nccl-{}-{}",
            std::process::id(),
            FILES.fetch_add(1, Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        fs::write(&path, bytemuck::cast_slice(content)).unwrap();
        Self(path)
    }
}

impl AsRef<Path> for Temporary {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn single_rank() -> SingleRank {
    SingleRank::new(&Context::primary(0).unwrap())
}

fn numbers(len: u32) -> Vec<u32> {
    (0..len)
        .map(|i| i.wrapping_mul(2_654_435_761) >> 8)
        .collect()
}

#[test]
fn pieces_may_have_any_length() {
    let content = numbers(10_007);
    let file = Temporary::new(&content);
    let group = single_rank();
    let vector = FileVector::<u32>::open(&file).unwrap();
    assert_eq!(
        (vector.len(), vector.is_empty(), vector.path()),
        (10_007, false, file.as_ref())
    );
    let sum: u64 = content.iter().map(|&x| u64::from(x)).sum();
    for (bytes, slots, threads) in [
        (0, 1, 0),
        (3, 2, 1),
        (4096, 1, 3),
        (40_027, 3, 2),
        (40_028, 3, 9),
        (1 << 20, 7, 4),
    ] {
        // Pieces of one element would need ten thousand launches.
        let part =
            FileVector::<u32>::open_at(&file, 0, if bytes < 4 { 9 } else { 10_007 }).unwrap();
        let pass = FilePass::new()
            .piece_bytes(bytes)
            .slots(slots)
            .threads(threads);
        let expected = if bytes < 4 {
            content[..9].iter().map(|&x| u64::from(x)).sum()
        } else {
            sum
        };
        assert_eq!(
            part.sum(&group, pass).unwrap(),
            expected,
            "{bytes} {slots} {threads}"
        );
    }
}

#[test]
fn several_threads_read_a_piece() {
    let content = numbers(3 << 18);
    let file = Temporary::new(&content);
    let vector = FileVector::<u32>::open_at(&file, 4, (3 << 18) - 1).unwrap();
    let pass = FilePass::new().piece_bytes(3 << 20).slots(1).threads(3);
    let largest = vector.max(&single_rank(), pass).unwrap();
    assert_eq!(largest, content[1..].iter().copied().max());
}

#[test]
fn min_and_max_of_each_type() {
    let group = single_rank();
    let pass = || FilePass::new().piece_bytes(64).slots(2);
    macro_rules! check {
        ($type:ty, $values:expr, $min:expr, $max:expr) => {{
            let file = Temporary::new::<$type>(&$values);
            let vector = FileVector::<$type>::open(&file).unwrap();
            assert_eq!(
                vector.min(&group, pass()).unwrap(),
                Some($min),
                stringify!($type)
            );
            assert_eq!(
                vector.max(&group, pass()).unwrap(),
                Some($max),
                stringify!($type)
            );
        }};
    }
    check!(i32, (-50..50).collect::<Vec<_>>(), -50, 49);
    check!(u32, (7..99).collect::<Vec<_>>(), 7, 98);
    check!(
        i64,
        (-(1 << 40)..-(1 << 40) + 30).collect::<Vec<_>>(),
        -(1 << 40),
        -(1 << 40) + 29
    );
    check!(
        u64,
        ((1 << 63)..(1 << 63) + 30).collect::<Vec<_>>(),
        1 << 63,
        (1 << 63) + 29
    );
    check!(
        f64,
        [f64::NAN, 2.5, -1.5, f64::INFINITY],
        -1.5,
        f64::INFINITY
    );
    let floats: Vec<f32> = (0..100)
        .map(|i| {
            if i % 3 == 0 {
                f32::NAN
            } else {
                i as f32 - 50.0
            }
        })
        .collect();
    check!(f32, floats, -49.0, 48.0);
    let halves: Vec<f16> = (0..100).map(|i| f16::from_f32(i as f32 / 4.0)).collect();
    check!(f16, halves, 0.0f32, 24.75);
    let nothing = Temporary::new(&[f32::NAN; 40]);
    let vector = FileVector::<f32>::open(&nothing).unwrap();
    assert!(vector.min(&group, pass()).unwrap().unwrap().is_nan());
}

#[test]
fn reduce_computes_custom_reductions() {
    let content: Vec<f32> = (0..5000).map(|i| (i % 10) as f32 - 4.5).collect();
    let file = Temporary::new(&content);
    let squares = MapReduce::<f32, f64>::of(
        &device_fn!(|x: f64| x * x),
        &fold!(|a: f64, b: f64| a + b, 0.0),
    );
    let vector = FileVector::<f32>::open(&file).unwrap();
    let pass = FilePass::new().piece_bytes(2048);
    let sum = vector
        .reduce(&single_rank(), &squares, 0.0, |a, b| a + b, pass)
        .unwrap();
    assert_eq!(
        sum,
        content
            .iter()
            .map(|&x| f64::from(x) * f64::from(x))
            .sum::<f64>()
    );
}

#[test]
fn results_have_the_same_bits_every_time() {
    let content: Vec<f32> = numbers(30_000).iter().map(|&x| (x as f32).sin()).collect();
    let file = Temporary::new(&content);
    let vector = FileVector::<f32>::open(&file).unwrap();
    let sum = || {
        vector
            .sum(&single_rank(), FilePass::new().piece_bytes(10_000))
            .unwrap()
    };
    assert_eq!(sum().to_bits(), sum().to_bits());
    let exact: f64 = content.iter().map(|&x| f64::from(x)).sum();
    assert!((sum() - exact).abs() < 1e-9);
}

#[test]
fn shares_cover_the_vector_once() {
    let file = Temporary::new(&[0u8; 11 * 8]);
    let vector = FileVector::<u64>::open(&file).unwrap();
    let shares = |size| {
        (0..size)
            .map(|rank| vector.share(rank, size))
            .collect::<Vec<_>>()
    };
    assert_eq!(vector.share(0, 1), 0..11);
    assert_eq!(shares(3), [0..4, 4..8, 8..11]);
    assert_eq!(shares(13)[9..], [9..10, 10..11, 11..11, 11..11]);
}

#[test]
fn empty_vector_has_a_sum_but_no_min_or_max() {
    let file = Temporary::new::<f32>(&[]);
    let vector = FileVector::<f32>::open(&file).unwrap();
    assert!(vector.is_empty());
    assert_eq!(vector.sum(&single_rank(), FilePass::new()).unwrap(), 0.0);
    assert_eq!(vector.min(&single_rank(), FilePass::new()).unwrap(), None);
    assert_eq!(vector.max(&single_rank(), FilePass::new()).unwrap(), None);
}

/// Ranks that share device 0. This makes no difference for the file.
fn on_ranks<R: Send>(
    size: usize,
    work: impl Fn(&PeerRank) -> Result<R, Error> + Sync,
) -> Vec<Result<R, Error>> {
    let context = Context::primary(0).unwrap();
    let ranks = PeerGroup::new(&vec![context; size]).unwrap().into_ranks();
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = ranks
            .into_iter()
            .map(|rank| scope.spawn(move || work(&rank)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

#[test]
fn each_rank_reads_its_share() {
    let content: Vec<f32> = numbers(20_011).iter().map(|&x| (x as f32).cos()).collect();
    let file = Temporary::new(&content);
    let exact: f64 = content.iter().map(|&x| f64::from(x)).sum();
    for size in [2, 3] {
        let results = on_ranks(size, |rank| {
            let vector = FileVector::<f32>::open(&file)?;
            let mut most = 0;
            let mut show = |progress: FileProgress| {
                assert_eq!(progress.of, vector.share(rank.rank(), size).len());
                most = most.max(progress.done);
            };
            let sum = vector.sum(rank, FilePass::new().piece_bytes(9000).progress(&mut show))?;
            assert_eq!(most, vector.share(rank.rank(), size).len());
            Ok((sum, vector.min(rank, FilePass::new())?))
        });
        let results: Vec<_> = results.into_iter().map(Result::unwrap).collect();
        let least = content.iter().copied().reduce(f32::min);
        for (sum, min) in &results {
            // The same bits on all ranks.
            assert_eq!(sum.to_bits(), results[0].0.to_bits());
            assert!((sum - exact).abs() < 1e-9, "{sum} {exact}");
            assert_eq!(*min, least);
        }
    }
    // More ranks than elements.
    let few = Temporary::new(&[5u32, 7]);
    for sum in on_ranks(3, |rank| {
        FileVector::<u32>::open(&few)?.sum(rank, FilePass::new())
    }) {
        assert_eq!(sum.unwrap(), 12);
    }
}

#[test]
fn read_error_of_one_rank_is_reported_to_the_others() {
    let content = numbers(3000);
    let results = on_ranks(3, |rank| {
        // Each rank has a copy of the file. The copy of rank 1 is truncated.
        let copy = Temporary::new(&content);
        let vector = FileVector::<u32>::open(&copy)?;
        if rank.rank() == 1 {
            fs::File::options()
                .write(true)
                .open(&copy)
                .unwrap()
                .set_len(6000)
                .unwrap();
        }
        vector.sum(rank, FilePass::new().piece_bytes(1024))
    });
    for (rank, result) in results.into_iter().enumerate() {
        match result.unwrap_err() {
            Error::File(text) if rank == 1 => assert!(text.contains("ends at byte 6000"), "{text}"),
            Error::Value(text) if rank != 1 => {
                assert!(text.starts_with("rank 1 can't take part: "), "{text}");
                assert!(text.contains("ends at byte 6000"), "{text}");
            }
            other => panic!("rank {rank}: {other:?}"),
        }
    }
}

#[test]
fn different_lengths_are_rejected() {
    let (short, long) = (Temporary::new(&numbers(100)), Temporary::new(&numbers(101)));
    let results = on_ranks(2, |rank| {
        let file = if rank.rank() == 0 { &short } else { &long };
        FileVector::<u32>::open(file)?.sum(rank, FilePass::new())
    });
    for result in results {
        let error = result.unwrap_err();
        assert!(
            matches!(&error, Error::Value(text) if text.starts_with("the number of elements in the file is 101 on rank 1")),
            "{error}"
        );
    }
}

/// Runs two ranks, of which rank 1 does something different. Both must return an error before
/// anything is read.
fn assert_rejected<R: Send>(
    text: &str,
    work: impl Fn(&PeerRank, FilePass<'_>, bool) -> Result<R, Error> + Sync,
) {
    let file = Temporary::new(&numbers(10));
    let results = on_ranks(2, |rank| {
        let mut show = |_: FileProgress| panic!("{text}: something was read");
        let pass = FilePass::new().progress(&mut show);
        let rejected = work(rank, pass, rank.rank() == 1).map(drop);
        // The group stays usable.
        let sum = FileVector::<u32>::open(&file)?.sum(rank, FilePass::new())?;
        assert_eq!(sum, numbers(10).iter().map(|&x| u64::from(x)).sum());
        rejected
    });
    for result in results {
        let error = result.unwrap_err();
        assert!(
            matches!(&error, Error::Value(message) if message.starts_with(text)),
            "{error}"
        );
    }
}

#[test]
fn different_reductions_are_rejected() {
    let file = Temporary::new(&numbers(100));
    assert_rejected(
        "the reduction is min on rank 1 and sum on rank 0",
        |rank, pass, other| {
            let vector = FileVector::<u64>::open(&file)?;
            match other {
                true => vector.min(rank, pass).map(drop),
                false => vector.sum(rank, pass).map(drop),
            }
        },
    );
    assert_rejected(
        "the element type is i32 on rank 1 and u32 on rank 0",
        |rank, pass, other| match other {
            true => FileVector::<i32>::open(&file)?.max(rank, pass).map(drop),
            false => FileVector::<u32>::open(&file)?.max(rank, pass).map(drop),
        },
    );
    assert_rejected(
        "the file's first byte is 4 on rank 1 and 0 on rank 0",
        |rank, pass, other| {
            let start = if other { 4 } else { 0 };
            FileVector::<u32>::open_at(&file, start, 99)?.sum(rank, pass)
        },
    );
}

#[test]
fn pass_without_slots_fails_on_all_ranks() {
    let file = Temporary::new(&numbers(100));
    let results = on_ranks(2, |rank| {
        let slots = if rank.rank() == 1 { 0 } else { 3 };
        FileVector::<u32>::open(&file)?.sum(rank, FilePass::new().slots(slots))
    });
    for result in results {
        let text = result.unwrap_err().to_string();
        assert!(text.contains("FilePass::slots is 0"), "{text}");
    }
}

#[track_caller]
fn file_error<T>(outcome: Result<T, Error>, words: &[&str]) {
    match outcome.err() {
        Some(Error::File(text)) => words
            .iter()
            .for_each(|word| assert!(text.contains(word), "no {word:?} in: {text}")),
        other => panic!("not an Error::File: {other:?}"),
    }
}

#[test]
fn lengths_are_checked() {
    let file = Temporary::new(&[1u8; 1027]);
    let name = file.as_ref().display().to_string();
    file_error(
        FileVector::<f32>::open(&file),
        &[&name, "1027 bytes", "of 4 bytes", "3 bytes are left over"],
    );
    let behind_header = FileVector::<u32>::open_at(&file, 3, 256).unwrap();
    assert_eq!(
        behind_header.sum(&single_rank(), FilePass::new()).unwrap(),
        256 * 0x0101_0101
    );
    file_error(
        FileVector::<u32>::open_at(&file, 4, 256),
        &[&name, "too few", "256 elements", "at byte 4"],
    );
    file_error(
        FileVector::<u64>::open_at(&file, 1, usize::MAX),
        &["too few"],
    );
    file_error(FileVector::<u64>::open_at(&file, u64::MAX, 1), &["too few"]);
}

#[test]
fn missing_and_special_files_are_rejected() {
    file_error(
        FileVector::<f32>::open("/no/such/file"),
        &["/no/such/file", "No such file"],
    );
    file_error(
        FileVector::<f32>::open(std::env::temp_dir()),
        &["not a regular file"],
    );
    file_error(
        FileVector::<f32>::open("/dev/zero"),
        &["/dev/zero", "not a regular file"],
    );
}

#[test]
fn truncated_file_is_reported() {
    let file = Temporary::new(&numbers(1000));
    let vector = FileVector::<u32>::open(&file).unwrap();
    fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_len(1002)
        .unwrap();
    let name = file.as_ref().display().to_string();
    file_error(
        vector.sum(&single_rank(), FilePass::new().piece_bytes(800)),
        &[&name, "ends at byte 1002", "truncates"],
    );
    // The device stays usable.
    let rest = FileVector::<u32>::open_at(&file, 0, 250).unwrap();
    assert_eq!(
        rest.sum(&single_rank(), FilePass::new()).unwrap(),
        numbers(250).iter().map(|&x| u64::from(x)).sum::<u64>()
    );
}

#[test]
fn pass_needs_a_slot() {
    let file = Temporary::new(&numbers(10));
    let vector = FileVector::<u32>::open(&file).unwrap();
    let rejected = vector
        .sum(&single_rank(), FilePass::new().slots(0))
        .unwrap_err();
    assert!(
        matches!(&rejected, Error::Value(text) if text.contains("slots")),
        "{rejected}"
    );
}

#[test]
fn slots_that_exceed_memory_are_rejected() {
    const BYTES: u64 = 1 << 43;
    let file = Temporary::new::<u8>(&[]);
    // A sparse file, which uses no disk blocks.
    let whole = fs::File::options().write(true).open(&file).unwrap();
    whole.set_len(BYTES).unwrap();
    let vector = FileVector::<f32>::open(&file).unwrap();
    let pass = FilePass::new().piece_bytes(BYTES as usize / 2).slots(2);
    let rejected = vector.sum(&single_rank(), pass).unwrap_err();
    let Error::Value(text) = &rejected else {
        panic!("{rejected}")
    };
    let start = "not enough memory for 2 slots of 4398046511104 bytes each, ";
    let words = ["FilePass::piece_bytes", "FilePass::slots", " failed: "];
    assert!(text.starts_with(start), "{text}");
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
    // The device stays usable.
    let numbers = Temporary::new(&numbers(10));
    let least = FileVector::<u32>::open(&numbers)
        .unwrap()
        .min(&single_rank(), FilePass::new());
    assert_eq!(least.unwrap(), Some(0));
}
