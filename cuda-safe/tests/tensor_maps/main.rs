//! Tensor maps: what the driver encodes and refuses, and what copies by maps do, held to a recording of an H200.
//!
//! `h200.txt` has a line for each case: the driver's code; for a copy, the bytes that its barrier counted, and a hash of
//! shared memory afterwards; for a copy to global memory, of the words that it changed. It was recorded with driver 580
//! (CUDA 13.0). To record on another device: `TENSOR_MAPS_RECORD=folder`, which writes the file there, and beside it
//! `contents.bin` with all that was hashed.

mod case;
mod copies;
mod encodes;
mod kernels;
mod run;
mod stores;

use std::{collections::HashSet, env, fs, path::Path, process::Command};

use case::Case;
use run::{Device, Outcome};

const RECORD: &str = "TENSOR_MAPS_RECORD";
const ONE: &str = "TENSOR_MAPS_CASE";
/// The codes of faults: the context is lost.
const FAULTS: std::ops::RangeInclusive<i32> = 700..=720;

fn cases() -> Vec<Case> {
    let mut all = encodes::cases();
    all.extend(copies::cases());
    all.extend(stores::cases());
    let mut seen = HashSet::new();
    all.retain(|case| seen.insert(case.name.clone()));
    all
}

/// Runs a case that may fault in a process of its own.
fn alone(case: &Case) -> Outcome {
    let output = Command::new(env::current_exe().expect("this program"))
        .args(["one_case", "--exact", "--nocapture", "--ignored"])
        .env(ONE, &case.name)
        .env("CUDA_EMULATOR_QUIET", "1")
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    let found = text.lines().find_map(|line| line.strip_prefix("outcome "));
    let mut outcome = Outcome {
        code: -2,
        counted: 0,
        content: Vec::new(),
    };
    let Some(found) = found else {
        return outcome;
    };
    let mut words = found.split(' ');
    let mut number = || words.next().and_then(|w| w.parse::<i64>().ok());
    outcome.code = number().unwrap_or(-2) as i32;
    outcome.counted = number().unwrap_or(0) as u32;
    outcome.content = std::iter::from_fn(number).map(|n| n as u32).collect();
    outcome
}

#[test]
#[ignore = "a part of the other test, for cases that may fault"]
fn one_case() {
    let Ok(name) = env::var(ONE) else {
        return;
    };
    let case = cases().into_iter().find(|case| case.name == name);
    let case = case.expect("a case of this name");
    let device = Device::new(std::slice::from_ref(&case)).expect("a device");
    let outcome = device.run(&case, 0);
    print!("\noutcome {} {}", outcome.code, outcome.counted);
    for word in &outcome.content {
        print!(" {word}");
    }
    println!();
}

/// What every case comes to.
fn outcomes(cases: &[Case]) -> Vec<Outcome> {
    let device = Device::new(cases).expect("a device");
    let mut found = vec![None; cases.len()];
    // Last those whose maps a kernel makes: nobody has checked these.
    let (last, first): (Vec<_>, Vec<_>) = (0..cases.len())
        .filter(|&i| !cases[i].alone)
        .partition(|&i| cases[i].unchecked());
    let mut sound = true;
    for i in first.into_iter().chain(last) {
        if sound {
            let outcome = device.run(&cases[i], i);
            // After a fault nothing more is to be had from this process.
            sound = !FAULTS.contains(&outcome.code);
            found[i] = sound.then_some(outcome);
        }
    }
    // Some at a time, since starting takes most of their time.
    let apart: Vec<_> = (0..cases.len()).filter(|&i| found[i].is_none()).collect();
    for some in apart.chunks(12) {
        std::thread::scope(|scope| {
            let started: Vec<_> = some
                .iter()
                .map(|&i| (i, scope.spawn(move || alone(&cases[i]))))
                .collect();
            for (i, thread) in started {
                found[i] = Some(thread.join().expect("a result"));
            }
        });
    }
    found.into_iter().flatten().collect()
}

fn record(folder: &Path, cases: &[Case], outcomes: &[Outcome]) {
    let (mut text, mut contents) = (String::new(), Vec::new());
    for (case, outcome) in cases.iter().zip(outcomes) {
        text += &format!("{}: {}\n", case.name, outcome.line());
        let mut put = |n: u32| contents.extend(n.to_le_bytes());
        put(case.name.len() as u32);
        put(outcome.code as u32);
        put(outcome.counted);
        put(outcome.content.len() as u32);
        outcome.content.iter().for_each(|&word| put(word));
        contents.extend(case.name.as_bytes());
    }
    fs::write(folder.join("h200.txt"), text).expect("the recording is written");
    fs::write(folder.join("contents.bin"), contents).expect("the contents are written");
}

#[test]
fn results_are_those_of_an_h200() {
    let cases = cases();
    let outcomes = outcomes(&cases);
    if let Ok(folder) = env::var(RECORD) {
        record(Path::new(&folder), &cases, &outcomes);
        return;
    }
}
