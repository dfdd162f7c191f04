//! Chooses the calls to fail, and runs the tests.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::child::{self, Folder, Run};
use super::judge::{Failing, defects};

/// A crate's integration tests.
pub struct Suite {
    /// The value of `CUDA_EMULATOR_CHECK`.
    pub checks: &'static str,
    /// Returns the calls to fail in a test that makes `calls` calls.
    pub depth: fn(calls: usize) -> Depth,
    /// Slow tests, in which only the first call of each function fails, alone and with one code.
    pub heavy: &'static [&'static str],
    /// Tests that may leak when a call fails: they hold raw handles, or they drop the last
    /// reference to an object that cannot be released at that point.
    pub leaks_itself: &'static [&'static str],
}

/// Which of a test's calls of one driver function fail.
#[derive(Clone, Copy)]
pub enum Depth {
    All,
    /// The first three and the last.
    Ends,
    First,
}

impl Depth {
    /// Returns the numbers of the calls to fail, from 1 to `count`.
    fn numbers(self, count: usize) -> Vec<usize> {
        match self {
            Depth::All => (1..=count).collect(),
            Depth::Ends if count > 4 => vec![1, 2, 3, count],
            Depth::Ends => (1..=count).collect(),
            Depth::First => vec![1],
        }
    }
}

/// One run: a test and the rule by which calls fail.
struct Job {
    test: String,
    rule: String,
    failing: Failing,
}

/// Runs each test without failures.
fn clean(suite: &Suite) -> &'static [(String, Run)] {
    static RUNS: OnceLock<Vec<(String, Run)>> = OnceLock::new();
    RUNS.get_or_init(|| {
        let (tests, folder) = (child::tests(), Folder::shared());
        let least = if child::wanted().is_empty() { 10 } else { 0 };
        assert!(tests.len() > least, "only {} tests", tests.len());
        let run = |test: &String| folder.run(test, suite.checks, "");
        // Runs the tests twice, because the first run fills the compiler's cache and the compiler
        // makes driver calls.
        child::for_each(&tests, run);
        let runs = child::for_each(&tests, run);
        tests.into_iter().zip(runs).collect()
    })
}

/// Returns how often a run called each function.
fn counts(run: &Run) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for call in &run.calls {
        *counts.entry(call.function.as_str()).or_insert(0) += 1;
    }
    counts
}

fn one_by_one(test: &str, run: &Run, depth: Depth, code: &str) -> Vec<Job> {
    let counts = counts(run).into_iter();
    let calls = counts.flat_map(|(function, count)| {
        let numbers = depth.numbers(count).into_iter();
        numbers.map(move |number| (function, number))
    });
    calls
        .map(|(function, number)| Job {
            test: test.into(),
            rule: format!("{function}:{number}:{code}"),
            failing: Failing::OneCall,
        })
        .collect()
}

impl Suite {
    /// Checks that every test passes.
    pub fn passes(&self) {
        let mut calls = 0;
        let mut failures = Vec::new();
        for (test, run) in clean(self) {
            calls += run.calls.len();
            for wrong in defects(Failing::Nothing, false, run) {
                failures.push(format!("{test}: {wrong}\n{}", run.text));
            }
        }
        assert!(calls > 1000, "only {calls} calls");
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    /// Lets calls fail one by one.
    pub fn each_call_fails(&self, code: &str) {
        let mut jobs = Vec::new();
        for (test, run) in clean(self) {
            let depth = match self.is_heavy(test) {
                true => Depth::First,
                false => (self.depth)(run.calls.len()),
            };
            jobs.extend(one_by_one(test, run, depth, code));
        }
        self.judge(&jobs);
    }

    /// Lets the first call of each function fail.
    pub fn each_kind_of_call_fails(&self, code: &str) {
        let light = clean(self).iter().filter(|(test, _)| !self.is_heavy(test));
        let jobs = light.flat_map(|(test, run)| one_by_one(test, run, Depth::First, code));
        self.judge(&jobs.collect::<Vec<_>>());
    }

    /// Lets all calls fail from the first call of each function on.
    pub fn all_calls_fail_from_each(&self, code: &str) {
        let mut jobs = Vec::new();
        let light = clean(self).iter().filter(|(test, _)| !self.is_heavy(test));
        for (test, run) in light {
            for function in counts(run).into_keys() {
                let mut calls = run.calls.iter();
                let before = calls.position(|call| call.function == function);
                jobs.push(Job {
                    test: test.clone(),
                    rule: format!("*:{}+:{code}", before.expect("the function was called") + 1),
                    failing: Failing::AllFrom,
                });
            }
        }
        self.judge(&jobs);
    }

    fn is_heavy(&self, test: &str) -> bool {
        self.heavy.iter().any(|name| test.ends_with(name))
    }

    fn judge(&self, jobs: &[Job]) {
        let folder = Folder::shared();
        let missed = AtomicUsize::new(0);
        let failures = child::for_each(jobs, |job| {
            let run = folder.run(&job.test, self.checks, &job.rule);
            if run.injected().is_none() {
                missed.fetch_add(1, Ordering::Relaxed);
            }
            let keeps = self
                .leaks_itself
                .iter()
                .any(|name| job.test.ends_with(name));
            let defects = defects(job.failing, keeps, &run);
            (!defects.is_empty()).then(|| {
                let what = format!("{} with {}: {}", job.test, job.rule, defects.join("; "));
                (what, run.text)
            })
        });
        let failures: Vec<_> = failures.into_iter().flatten().collect();
        let shown: Vec<String> = failures
            .iter()
            .take(5)
            .map(|(what, text)| {
                let lines: Vec<&str> = text.lines().take(100).collect();
                format!("{what}\n{}", lines.join("\n"))
            })
            .collect();
        let list: Vec<&str> = failures.iter().map(|(what, _)| what.as_str()).collect();
        assert!(
            failures.is_empty(),
            "{} of {} runs failed:\n{}\nThe first failures:\n{}",
            failures.len(),
            jobs.len(),
            list.join("\n"),
            shown.join("\n")
        );
        // Tests with several threads do not make the same calls every time. If the compiler's cache
        // misses, the compiler makes additional calls.
        let missed = missed.into_inner();
        println!(
            "{} runs, {missed} of which did not reach the call",
            jobs.len()
        );
        assert!(missed * 50 <= jobs.len() || !child::wanted().is_empty());
    }
}
