//! Running programs until one fails or all have run, and the report of a failure.

use std::{
    env, fmt,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    child::{Failure, PATIENCE, Selection, run},
    program::{BATCH, Settings},
    shrink::shrink,
};

/// The default number of programs. A number gives the same programs on every machine.
const PROGRAMS: u64 = 1500;
/// The default limit in seconds for shortening a failing program.
const SHRINK_SECONDS: u64 = 90;
/// How often a program that has failed is run again until it fails once more. Schedules differ.
const TRIES: usize = 300;
/// How often a shorter one is run, at least.
const FEWEST_TRIES: usize = 16;

fn number<T: std::str::FromStr>(variable: &str, default: T) -> T
where
    T::Err: fmt::Debug,
{
    match env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|error| panic!("{variable}={text}: {error:?}")),
        Err(_) => default,
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get())
}

/// A failure, and the programs that were in the process.
struct Found {
    failure: Failure,
    programs: Vec<Selection>,
}

/// Runs random programs from a first seed on: a number of them, or for `CUDA_FUZZ_SECONDS`. Reports the first failure
/// and panics.
pub fn search() {
    let seconds = number("CUDA_FUZZ_SECONDS", 0);
    let first = number("CUDA_FUZZ_START", 0u64) / BATCH;
    let begin = Instant::now();
    let last = first + number("CUDA_FUZZ_PROGRAMS", PROGRAMS).div_ceil(BATCH);
    let is_over = |batch| match seconds {
        0 => batch >= last,
        seconds => begin.elapsed() >= Duration::from_secs(seconds),
    };
    let (next, count) = (AtomicU64::new(first), AtomicUsize::new(0));
    let found: Mutex<Option<Found>> = Mutex::new(None);
    thread::scope(|threads| {
        for _ in 0..processors() {
            threads.spawn(|| {
                while found.lock().unwrap().is_none() {
                    let batch = next.fetch_add(1, Ordering::Relaxed);
                    if is_over(batch) {
                        return;
                    }
                    let batch = batch * BATCH;
                    let all: Vec<_> = (batch..batch + BATCH).map(Selection::whole).collect();
                    let size = match Settings::of(batch).is_alone() {
                        true => 1,
                        false => all.len(),
                    };
                    for programs in all.chunks(size) {
                        if let Err(failure) = run(programs, PATIENCE) {
                            let programs = programs.to_vec();
                            found
                                .lock()
                                .unwrap()
                                .get_or_insert(Found { failure, programs });
                            return;
                        }
                        count.fetch_add(size, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let (count, seconds) = (count.into_inner(), begin.elapsed().as_secs());
    let from = first * BATCH;
    match found.into_inner().unwrap() {
        None => println!("fuzz: {count} programs from seed {from} in {seconds} s, none fails"),
        Some(found) => {
            println!("fuzz: found after {count} programs from seed {from}, {seconds} s");
            report(found);
        }
    }
}

/// Runs the one program that the environment names, several times, and reports its failure.
pub fn replay(seed: &str) {
    let keep = env::var("CUDA_FUZZ_KEEP").map_or(String::new(), |keep| format!(":{keep}"));
    let text = format!("{seed}{keep}");
    let selection = Selection::parse(&text).unwrap_or_else(|| panic!("no program: {text}"));
    println!("{}", selection.program());
    let tries = number("CUDA_FUZZ_TRIES", 50);
    let failures: Vec<Failure> = (0..tries)
        .filter_map(|_| run(std::slice::from_ref(&selection), PATIENCE).err())
        .collect();
    println!("fuzz: {} of {tries} runs fail", failures.len());
    for failure in &failures {
        println!("fuzz: {}", failure.reason);
    }
    if let Some(failure) = failures.first() {
        panic!("{}", failure.text);
    }
}

/// Runs a program until it fails, several times at most, several processes at once. Returns the number of runs, too.
fn fails(programs: &[Selection], tries: usize) -> Option<(Failure, usize)> {
    let (left, stop) = (AtomicUsize::new(tries), AtomicBool::new(false));
    let found = Mutex::new(None);
    thread::scope(|threads| {
        for _ in 0..processors() {
            threads.spawn(|| {
                let take = || {
                    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1))
                };
                while !stop.load(Ordering::Relaxed) && take().is_ok() {
                    if let Err(failure) = run(programs, PATIENCE / 3) {
                        stop.store(true, Ordering::Relaxed);
                        *found.lock().unwrap() = Some(failure);
                    }
                }
            });
        }
    });
    let runs = tries - left.into_inner();
    found.into_inner().unwrap().map(|failure| (failure, runs))
}

/// Finds the program of a batch that fails, makes it short, and ends the test.
fn report(found: Found) {
    let Found { failure, programs } = found;
    println!("fuzz: {}", failure.reason);
    if let Some(seed) = failure.seed {
        println!("fuzz: in program {seed}");
    }
    // The one that ran last, or, for a leak, whichever fails alone.
    let suspects: Vec<u64> = match failure.seed {
        Some(seed) if !failure.reason.contains("leaks") => vec![seed],
        _ => programs.iter().map(|one| one.seed).collect(),
    };
    let culprit = suspects
        .into_iter()
        .map(Selection::whole)
        .find_map(|selection| {
            let (failure, runs) = fails(std::slice::from_ref(&selection), TRIES)?;
            Some((selection, failure, runs))
        });
    let Some((selection, mut failure, runs)) = culprit else {
        let seeds: Vec<u64> = programs.iter().map(|one| one.seed).collect();
        for one in &programs {
            println!("{}", one.program());
        }
        panic!(
            "programs {seeds:?} failed together, and each alone did not:\n{}",
            failure.text
        );
    };
    let program = selection.program();
    let groups: Vec<Vec<usize>> = program
        .threads()
        .iter()
        .map(|thread| {
            let steps = program.steps.iter().filter(|step| step.thread == *thread);
            steps.map(|step| step.number).collect()
        })
        .collect();
    let seconds = number("CUDA_FUZZ_SHRINK_SECONDS", SHRINK_SECONDS);
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let seed = selection.seed;
    let tries = (4 * runs).clamp(FEWEST_TRIES, TRIES);
    let kept = shrink(&groups, deadline, |steps| {
        let keep = Some(steps.to_vec());
        match fails(&[Selection { seed, keep }], tries) {
            Some((shorter, _)) => {
                failure = shorter;
                true
            }
            None => false,
        }
    });
    let keep: Vec<String> = kept.iter().map(usize::to_string).collect();
    let shorter = Selection {
        seed,
        keep: Some(kept),
    };
    panic!(
        "a program fails: {}\n{}\nrun it again with\n  CUDA_FUZZ_SEED={seed} CUDA_FUZZ_KEEP={} cargo test -p cuda-safe \
         --test fuzz random_programs -- --nocapture\n\nwhat it printed:\n{}",
        failure.reason,
        shorter.program(),
        keep.join(","),
        failure.text
    );
}
