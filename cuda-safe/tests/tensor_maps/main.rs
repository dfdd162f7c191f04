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

use std::{
    collections::HashSet,
    env,
    fs::{self, File},
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use case::Case;
use run::{Device, Outcome};

const RECORD: &str = "TENSOR_MAPS_RECORD";
const ONE: &str = "TENSOR_MAPS_CASE";
/// How long a case may take.
const PATIENCE: Duration = Duration::from_secs(20);
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

/// Runs a case that may fault in a process of its own; None if it takes too long.
fn alone(case: &Case) -> Option<Outcome> {
    let mut child = Command::new(env::current_exe().expect("this program"))
        .args(["one_case", "--exact", "--nocapture", "--ignored"])
        .env(ONE, &case.name)
        .env("CUDA_EMULATOR_QUIET", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process");
    let begin = Instant::now();
    while child.try_wait().expect("a process").is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().expect("the process ends");
            child.wait().expect("the process ends");
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("its output");
    let text = String::from_utf8_lossy(&output.stdout);
    let found = text
        .lines()
        .find_map(|line| line.strip_prefix("outcome "))?;
    let mut words = found.split(' ');
    let mut number = || words.next().and_then(|w| w.parse::<i64>().ok());
    Some(Outcome {
        code: number()? as i32,
        counted: number()? as u32,
        content: std::iter::from_fn(number).map(|n| n as u32).collect(),
    })
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

/// What every case comes to, as it is known; None of those that took too long.
fn outcomes(cases: &[Case], mut known: impl FnMut(usize, Option<Outcome>)) {
    let device = Device::new(cases).expect("a device");
    // Last those whose maps a kernel makes: nobody has checked these.
    let (last, first): (Vec<_>, Vec<_>) = (0..cases.len())
        .filter(|&i| !cases[i].alone)
        .partition(|&i| cases[i].unchecked());
    let mut apart = Vec::new();
    for i in first.into_iter().chain(last) {
        if apart.is_empty() {
            let outcome = device.run(&cases[i], i);
            if !FAULTS.contains(&outcome.code) {
                known(i, Some(outcome));
                continue;
            }
        }
        // After a fault nothing more is to be had from this process.
        apart.push(i);
    }
    apart.extend((0..cases.len()).filter(|&i| cases[i].alone));
    // Some at a time, since starting takes most of their time.
    for some in apart.chunks(8) {
        std::thread::scope(|scope| {
            let started: Vec<_> = some
                .iter()
                .map(|&i| (i, scope.spawn(move || alone(&cases[i]))))
                .collect();
            for (i, thread) in started {
                known(i, thread.join().expect("a result"));
            }
        });
    }
}

/// Records: each outcome at once into `contents.bin`, as words and then the case's name, and all in the end.
fn record(folder: &Path, cases: &[Case]) {
    let mut contents = File::create(folder.join("contents.bin")).expect("a file");
    let mut lines = vec!["?".to_owned(); cases.len()];
    let begin = Instant::now();
    outcomes(cases, |i, outcome| {
        let name = &cases[i].name;
        if i % 100 == 0 || cases[i].alone {
            println!("{:?} {name}", begin.elapsed());
        }
        let Some(outcome) = outcome else {
            return;
        };
        lines[i] = outcome.line();
        let head = [
            name.len() as u32,
            outcome.code as u32,
            outcome.counted,
            outcome.content.len() as u32,
        ];
        let words = head.iter().chain(&outcome.content);
        let mut bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(name.as_bytes());
        contents
            .write_all(&bytes)
            .expect("the contents are written");
    });
    let named = cases.iter().zip(&lines);
    let text: String = named
        .map(|(case, line)| format!("{}: {line}\n", case.name))
        .collect();
    fs::write(folder.join("h200.txt"), text).expect("the recording is written");
}

#[test]
fn results_are_those_of_an_h200() {
    let cases = cases();
    if let Ok(folder) = env::var(RECORD) {
        record(Path::new(&folder), &cases);
    }
}
