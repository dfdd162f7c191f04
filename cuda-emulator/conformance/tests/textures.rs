//! Compares the emulator's textures and surfaces with an H200's recorded results.

use std::{
    collections::BTreeMap,
    env,
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

use cuda_conformance::texture::{Case, Outcome, cases, inexact, recorded, run, start};

/// Links the emulator instead of `libcuda.so.1`.
use cuda_emulator as _;

/// The number of the case that a child process runs.
const CHILD: &str = "CUDA_CONFORMANCE_TEXTURE_CASE";
const OUTCOME: &str = "outcome:";

/// Runs a case that may fault in a separate process, since a fault ends the process's use of the
/// device.
fn run_in_child(number: usize) -> Outcome {
    let output = Command::new(env::current_exe().unwrap())
        .args([
            "emulator_matches_recorded_textures",
            "--exact",
            "--nocapture",
        ])
        .env(CHILD, number.to_string())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.split_once(OUTCOME));
    let (_, line) = line.unwrap_or_else(|| panic!("case {number}: {output:?}"));
    let mut numbers = line.split_whitespace().map(|one| one.parse().unwrap());
    Outcome {
        step: numbers.next().unwrap(),
        code: numbers.next().unwrap(),
        words: numbers.collect(),
    }
}

fn child(case: &Case) {
    start();
    let Outcome { step, code, words } = run(case);
    let words: Vec<_> = words.iter().map(u32::to_string).collect();
    println!("{OUTCOME} {step} {code} {}", words.join(" "));
}

/// Runs all cases, on one thread for each processor. Returns their outcomes in order.
fn run_all(cases: &[Case]) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(BTreeMap::new());
    let work = || {
        start();
        loop {
            let number = next.fetch_add(1, Relaxed);
            let Some(case) = cases.get(number) else {
                return;
            };
            let outcome = match case.may_fault() {
                true => run_in_child(number),
                false => run(case),
            };
            outcomes.lock().unwrap().insert(number, outcome);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    outcomes.into_inner().unwrap().into_values().collect()
}

#[test]
fn emulator_matches_recorded_textures() {
    let cases = cases();
    if let Ok(number) = env::var(CHILD) {
        return child(&cases[number.parse::<usize>().unwrap()]);
    }
    let recorded = recorded(&cases).unwrap();
    let outcomes = run_all(&cases);
    assert_eq!(outcomes.len(), cases.len());
    let (mut wrong, mut differing) = (Vec::new(), BTreeMap::new());
    for ((case, gpu), here) in cases.iter().zip(&recorded).zip(&outcomes) {
        if (here.step, here.code, here.words.len()) != (gpu.step, gpu.code, gpu.words.len()) {
            let codes = [here.step, here.code, gpu.step, gpu.code];
            wrong.push(format!(
                "{}: step and code on the emulator and on a GPU: {codes:?}",
                case.name()
            ));
            continue;
        }
        let both = here.words.iter().zip(&gpu.words).enumerate();
        let (mut count, mut too_far) = (0, Vec::new());
        let kind = inexact(case);
        for (word, (&here, &gpu)) in both.filter(|(_, (a, b))| a != b) {
            match kind.filter(|kind| kind.allows(case, word, here, gpu)) {
                Some(_) => count += 1,
                None => too_far.push((word, here, gpu)),
            }
        }
        if let Some(kind) = kind
            && count > 0
        {
            *differing.entry((kind.what, kind.most)).or_insert(0) += count;
        }
        if let Some(first) = too_far.first() {
            wrong.push(format!(
                "{}: {} words exceed the bound, first {first:x?}",
                case.name(),
                too_far.len()
            ));
        }
    }
    println!("{differing:?}");
    for ((what, most), count) in differing {
        if count > most {
            wrong.push(format!(
                "{what}: {count} words differ, but at most {most} are allowed"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} cases:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
