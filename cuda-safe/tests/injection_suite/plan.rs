//! The choice of calls that fail, and the runs for them.
//!
//! A call's site is the chain of functions that made it. Each site fails once in each of three ways:
//! with an unknown error, by running out of memory, and together with every later call. The shortest
//! test that comes to a site is run for it. With `INJECT_ALL=1`, every call of every test fails.

use std::collections::{BTreeMap, HashSet};
use std::env;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::child::{self, Folder, Run};
use super::judge::{Failing, defects};

/// A crate's integration tests.
pub struct Suite {
    /// The value of `CUDA_EMULATOR_CHECK` for runs with failures. Whether kernels race does not depend
    /// on failed calls, so the checks of kernels are only in [`all_checks`](Self::all_checks).
    pub checks: &'static str,
    /// The value for runs without failures.
    pub all_checks: &'static str,
    /// Tests that leak themselves if a call fails: they hold raw handles, or drop the last owner of
    /// an object where it can't be released.
    pub leaks_itself: &'static [&'static str],
}

/// The way in which calls fail.
#[derive(Clone, Copy)]
enum Way {
    Unknown,
    OutOfMemory,
    AllFrom,
}

/// One run: a test, and the rule by which calls fail.
struct Job {
    test: String,
    rule: String,
    failing: Failing,
}

/// Each test without failures.
fn clean(suite: &Suite) -> &'static [(String, Run)] {
    static RUNS: OnceLock<Vec<(String, Run)>> = OnceLock::new();
    RUNS.get_or_init(|| {
        let (tests, folder) = (child::tests(), Folder::shared());
        let least = if child::wanted().is_empty() { 10 } else { 0 };
        assert!(tests.len() > least, "only {} tests", tests.len());
        // The first time fills the compiler's cache, because the compiler makes driver calls of its own.
        child::for_each(&tests, |test| folder.run(test, "", ""));
        let runs = child::for_each(&tests, |test| folder.run(test, suite.all_checks, ""));
        tests.into_iter().zip(runs).collect()
    })
}

/// Returns the calls that fail, as the test, the function, the number of the call among those of
/// the function, and its number among all calls.
fn calls(suite: &Suite) -> Vec<(&'static str, &'static str, usize, usize)> {
    let all = env::var_os("INJECT_ALL").is_some();
    let mut tests: Vec<_> = clean(suite).iter().collect();
    tests.sort_by_key(|(_, run)| run.time);
    let mut sites = HashSet::new();
    let mut chosen = Vec::new();
    for (test, run) in tests {
        let mut counts = BTreeMap::new();
        for (at, call) in run.calls.iter().enumerate() {
            let count = counts.entry(&call.function).or_insert(0);
            *count += 1;
            if sites.insert((&call.function, &call.site)) || all {
                chosen.push((test.as_str(), call.function.as_str(), *count, at + 1));
            }
        }
    }
    chosen
}

impl Suite {
    /// Every test passes.
    pub fn passes(&self) {
        let mut calls = 0;
        let mut failures = Vec::new();
        for (test, run) in clean(self) {
            calls += run.calls.len();
            for defect in defects(Failing::Nothing, false, run) {
                failures.push(format!("{test}: {defect}\n{}", run.text));
            }
        }
        assert!(calls > 1000, "only {calls} calls");
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    /// Each call fails with an unknown error.
    pub fn each_call_fails(&self) {
        self.fail(Way::Unknown);
    }

    /// Each call runs out of memory.
    pub fn each_call_runs_out_of_memory(&self) {
        self.fail(Way::OutOfMemory);
    }

    /// Each call fails, and so does every later one.
    pub fn all_calls_fail_from_each(&self) {
        self.fail(Way::AllFrom);
    }

    fn fail(&self, way: Way) {
        let jobs = calls(self).into_iter().map(|(test, function, number, at)| {
            let (rule, failing) = match way {
                Way::Unknown => (
                    format!("{function}:{number}:CUDA_ERROR_UNKNOWN"),
                    Failing::OneCall,
                ),
                Way::OutOfMemory => (
                    format!("{function}:{number}:CUDA_ERROR_OUT_OF_MEMORY"),
                    Failing::OneCall,
                ),
                Way::AllFrom => (format!("*:{at}+:CUDA_ERROR_UNKNOWN"), Failing::AllFrom),
            };
            Job {
                test: test.into(),
                rule,
                failing,
            }
        });
        self.judge(&jobs.collect::<Vec<_>>());
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
