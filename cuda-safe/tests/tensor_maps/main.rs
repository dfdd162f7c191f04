//! Tensor maps: the maps that the driver encodes or rejects, and the results of copies, compared
//! with a recording of an H200.
//!
//! `h200.txt` has a line for each case:
//! - the driver's code;
//! - for a copy to shared memory, the bytes that its barrier counted and a hash of shared memory
//!   afterwards;
//! - for a copy to global memory, a hash of the words that it changed.
//!
//! It was recorded on an NVIDIA H200 with driver 580 (CUDA 13.0), in several runs. To record on
//! another device, set `TENSOR_MAPS_RECORD` to a folder. The test writes `recorded.txt` there, and
//! `contents.bin` with all hashed data. If `TENSOR_MAPS_SKIP` names such a file, its cases are left
//! out.

mod case;
mod copies;
mod encodes;
mod kernels;
mod run;
mod stores;

use std::{
    collections::{HashMap, HashSet},
    env,
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
};

use case::Case;
use run::{Device, Outcome};

const RECORD: &str = "TENSOR_MAPS_RECORD";
const SKIP: &str = "TENSOR_MAPS_SKIP";
const WORK: &str = "TENSOR_MAPS_WORK";
/// The codes of faults, after which the context is unusable.
const FAULTS: std::ops::RangeInclusive<i32> = 700..=720;
const RECORDED: &str = include_str!("h200.txt");

fn cases() -> Vec<Case> {
    let mut all = encodes::cases();
    all.extend(copies::cases());
    all.extend(stores::cases());
    let mut seen = HashSet::new();
    all.retain(|case| seen.insert(case.name.clone()));
    all
}

/// Returns the name and the outcome of each line.
fn lines(text: &str) -> HashMap<&str, &str> {
    text.lines()
        .filter_map(|line| line.rsplit_once(": "))
        .collect()
}

#[test]
#[ignore = "runs as a child process of the other test"]
fn worker() {
    let Ok(work) = env::var(WORK) else {
        return;
    };
    let all = cases();
    let numbers: Vec<usize> = work.split(' ').filter_map(|n| n.parse().ok()).collect();
    let chosen: Vec<Case> = numbers.iter().map(|&n| all[n].clone()).collect();
    let device = Device::new(&chosen).expect("a device");
    for (i, (number, case)) in numbers.iter().zip(&chosen).enumerate() {
        println!("\nbegin {number}");
        let outcome = device.run(case, i);
        let mut line = format!("outcome {number} {} {}", outcome.code, outcome.counted);
        for word in &outcome.content {
            line += &format!(" {word}");
        }
        println!("{line}");
        if FAULTS.contains(&outcome.code) {
            // After a fault, this process can run no more cases.
            return;
        }
    }
}

/// Runs these cases in child processes and passes each outcome to `known`. A fault ends a process,
/// and another process continues with the rest.
fn outcomes(cases: &[Case], mut left: Vec<usize>, mut known: impl FnMut(usize, Outcome)) {
    while !left.is_empty() {
        let work: Vec<_> = left.iter().map(|n| n.to_string()).collect();
        let mut child = Command::new(env::current_exe().expect("this program"))
            .args(["worker", "--exact", "--nocapture", "--ignored"])
            .env(WORK, work.join(" "))
            .env("CUDA_EMULATOR_QUIET", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a process");
        let mut last = None;
        for line in BufReader::new(child.stdout.take().expect("its output")).lines() {
            let line = line.expect("text");
            let (what, rest) = line.split_once(' ').unwrap_or_default();
            let mut words = rest.split(' ').map_while(|word| word.parse::<i64>().ok());
            let mut number = || words.next().expect("a number");
            match what {
                "begin" => last = Some(number() as usize),
                "outcome" => {
                    let case = number() as usize;
                    let outcome = Outcome {
                        code: number() as i32,
                        counted: number() as u32,
                        content: words.map(|n| n as u32).collect(),
                    };
                    left.retain(|&n| n != case);
                    last = None;
                    known(case, outcome);
                }
                _ => {}
            }
        }
        let status = child.wait().expect("its end");
        // The case that broke the process is skipped, so that the rest can run.
        match last {
            Some(broken) => {
                println!("{}: {status}", cases[broken].name);
                left.retain(|&n| n != broken);
            }
            None => assert!(left.is_empty() || status.success(), "{status}"),
        }
    }
}

/// Returns the order of the cases, with those that may fault last.
fn order(cases: &[Case]) -> Vec<usize> {
    let mut all: Vec<_> = (0..cases.len()).collect();
    all.sort_by_key(|&i| (cases[i].alone, cases[i].unchecked()));
    all
}

fn record(folder: &Path, cases: &[Case]) {
    let skip = env::var(SKIP).map_or(String::new(), |path| {
        fs::read_to_string(path).expect("text")
    });
    let skip = lines(&skip);
    let mut left = order(cases);
    left.retain(|&i| !skip.contains_key(&*cases[i].name));
    println!("{} cases", left.len());
    let mut text = File::create(folder.join("recorded.txt")).expect("a file");
    let mut contents = File::create(folder.join("contents.bin")).expect("a file");
    outcomes(cases, left, |i, outcome| {
        let name = &cases[i].name;
        writeln!(text, "{name}: {}", outcome.line()).expect("the line is written");
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
}

#[test]
fn results_match_an_h200() {
    let cases = cases();
    if let Ok(folder) = env::var(RECORD) {
        return record(Path::new(&folder), &cases);
    }
    let recorded = lines(RECORDED);
    let mut wrong = Vec::new();
    let mut seen = HashSet::new();
    outcomes(&cases, order(&cases), |i, outcome| {
        let (name, line) = (&*cases[i].name, outcome.line());
        seen.insert(name);
        if recorded.get(name) != Some(&&*line) {
            let known = recorded.get(name).unwrap_or(&"nothing");
            wrong.push(format!("{name}: recorded {known}, found {line}"));
        }
    });
    for case in cases.iter().filter(|case| !seen.contains(&*case.name)) {
        wrong.push(format!("{}: nothing came of it", case.name));
    }
    assert!(
        wrong.is_empty(),
        "{} of {} cases:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}
