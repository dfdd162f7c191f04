//! Activates each mutant and searches for a test that detects it.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::mutant::Mutant;
use crate::process::End;
use crate::suite::{Runner, Test};
use crate::targets;
use crate::work;

/// The result of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A test failed, hung or exceeded its memory limit.
    Caught {
        /// The test.
        test: String,
        /// The way in which it ended.
        end: String,
    },
    /// All tests that reach it still pass.
    Missed {
        /// Their number.
        tests: usize,
    },
    /// No test reaches it.
    NotReached,
}

/// A mutant that compiles.
pub struct Live {
    /// Its number.
    pub number: u32,
    /// The mutant.
    pub mutant: Mutant,
}

/// The search for tests that detect mutants.
pub struct Hunt<'a> {
    /// Runs the tests.
    pub runner: &'a Runner<'a>,
    /// The tests with their measurements.
    pub tests: &'a [Test],
    /// The number of parallel tests.
    pub jobs: usize,
    /// The time limit for all tests of one mutant together.
    pub patience: Duration,
    /// Results are written here immediately, in case the run is stopped.
    pub log: &'a Mutex<File>,
}

/// Returns the time limit of a test with a mutant.
fn limit(test: &Test) -> Duration {
    test.time * 5 + Duration::from_secs(10)
}

impl Hunt<'_> {
    /// Returns the outcome of each of `mutants`.
    ///
    /// # Errors
    /// Returns an error if a test can't be run.
    pub fn all(&self, mutants: &[Live]) -> Result<Vec<Outcome>, String> {
        let mut reached_by: HashMap<u32, Vec<usize>> = HashMap::new();
        for (index, test) in self.tests.iter().enumerate() {
            for number in &test.reaches {
                reached_by.entry(*number).or_default().push(index);
            }
        }
        // The test that caught one mutant of a function is likely to catch the next one.
        let likely: Mutex<HashMap<String, Vec<usize>>> = Mutex::default();
        let (start, done, caught) = (Instant::now(), AtomicUsize::new(0), AtomicUsize::new(0));
        let outcomes = work::share(mutants.len(), self.jobs, |worker, index| {
            let live = &mutants[index];
            let function = format!("{} {}", live.mutant.file, live.mutant.function);
            let first = likely.lock().map_or_else(
                |_| Vec::new(),
                |likely| likely.get(&function).cloned().unwrap_or_default(),
            );
            let begun = Instant::now();
            let candidates = self.candidates(live, reached_by.get(&live.number), &first);
            let outcome = self.one(live, worker, &candidates)?;
            if let (Outcome::Caught { .. }, Some(test), Ok(mut likely)) =
                (&outcome.0, outcome.1, likely.lock())
            {
                let tests = likely.entry(function).or_default();
                tests.retain(|other| *other != test);
                tests.insert(0, test);
                tests.truncate(3);
                caught.fetch_add(1, Ordering::Relaxed);
            }
            self.note(live, &outcome.0, begun.elapsed());
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done % 50 == 0 || done == mutants.len() {
                println!(
                    "{done} of {} mutants, {} caught, {} s",
                    mutants.len(),
                    caught.load(Ordering::Relaxed),
                    start.elapsed().as_secs()
                );
            }
            Ok(outcome.0)
        });
        outcomes.into_iter().collect()
    }

    /// Returns the tests that count for a mutant and reach it: first the likely ones, then the
    /// others by increasing time.
    fn candidates(
        &self,
        live: &Live,
        reached_by: Option<&Vec<usize>>,
        first: &[usize],
    ) -> Vec<usize> {
        let packages = targets::of(&live.mutant.file).map_or(&[][..], |target| target.tests);
        let counts = |test: &usize| {
            let program = self.tests[*test].program;
            packages.contains(&self.runner.built.programs[program].package.as_str())
        };
        let mut candidates: Vec<usize> = reached_by
            .into_iter()
            .flatten()
            .copied()
            .filter(counts)
            .collect();
        candidates.sort_by_key(|test| {
            let likely = first.iter().position(|other| other == test);
            (likely.unwrap_or(usize::MAX), self.tests[*test].time)
        });
        candidates
    }

    fn one(
        &self,
        live: &Live,
        worker: usize,
        candidates: &[usize],
    ) -> Result<(Outcome, Option<usize>), String> {
        let number = live.number.to_string();
        let begun = Instant::now();
        for (tried, index) in candidates.iter().enumerate() {
            if begun.elapsed() > self.patience {
                return Ok((Outcome::Missed { tests: tried }, None));
            }
            let test = &self.tests[*index];
            let variable = ("MUTANT", number.as_str());
            let kept = targets::compiles_as_before(&live.mutant.file);
            let (end, _) = self
                .runner
                .run(test, worker, variable, limit(test), kept, None)?;
            if !end.is_good() {
                let end = match end {
                    End::Exit(Some(targets::LEAKED)) => "leaks".into(),
                    End::Exit(Some(_)) => "fails".into(),
                    End::Exit(None) => "crashes".into(),
                    End::Time => "takes too long".into(),
                    End::Memory => "takes too much memory".into(),
                };
                let test = self.runner.shown(test);
                return Ok((Outcome::Caught { test, end }, Some(*index)));
            }
        }
        Ok(match candidates.len() {
            0 => (Outcome::NotReached, None),
            tests => (Outcome::Missed { tests }, None),
        })
    }

    fn note(&self, live: &Live, outcome: &Outcome, time: Duration) {
        let line = serde_json::json!({
            "identity": live.mutant.identity(),
            "outcome": to_json(outcome),
            "seconds": time.as_secs_f64(),
        });
        if let Ok(mut log) = self.log.lock() {
            // A failure to write the log only prevents resuming, so it does not stop this run.
            let _ = writeln!(log, "{line}");
        }
    }
}

/// Converts an outcome to JSON.
pub fn to_json(outcome: &Outcome) -> serde_json::Value {
    match outcome {
        Outcome::Caught { test, end } => serde_json::json!({ "caught": test, "end": end }),
        Outcome::Missed { tests } => serde_json::json!({ "missed": tests }),
        Outcome::NotReached => serde_json::json!("not reached"),
    }
}

/// Reads an outcome from JSON.
pub fn from_json(value: &serde_json::Value) -> Option<Outcome> {
    if value == "not reached" {
        Some(Outcome::NotReached)
    } else if let Some(tests) = value["missed"].as_u64() {
        Some(Outcome::Missed {
            tests: tests as usize,
        })
    } else {
        Some(Outcome::Caught {
            test: value["caught"].as_str()?.into(),
            end: value["end"].as_str()?.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_round_trip_through_json() {
        for outcome in [
            Outcome::NotReached,
            Outcome::Missed { tests: 3 },
            Outcome::Caught {
                test: "a".into(),
                end: "fails".into(),
            },
        ] {
            assert_eq!(from_json(&to_json(&outcome)), Some(outcome));
        }
        assert_eq!(from_json(&serde_json::json!("?")), None);
    }
}
