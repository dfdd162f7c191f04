//! The report, as text and as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::hunt::{self, Live, Outcome};
use crate::targets;

/// The required percentage of caught mutants.
pub const WANTED: f64 = 97.0;

/// The data of a report.
pub struct Report<'a> {
    /// The mutants that were tried, with their outcomes.
    pub results: Vec<(&'a Live, Outcome)>,
    /// The mutants that no test can distinguish from the original, with the reasons.
    pub accepted: &'a BTreeMap<String, String>,
    /// All existing mutants, tried or not.
    pub known: BTreeSet<String>,
    /// Mutants that don't compile.
    pub unviable: usize,
    /// Skipped places: file, line, reason.
    pub passed_over: Vec<(String, usize, String)>,
    /// Remarks about tests.
    pub notes: Vec<String>,
    /// The tests with their times without mutants, and the number of mutants that they reach.
    pub tests: Vec<(String, Duration, usize)>,
    /// Seconds for building, measuring and trying.
    pub seconds: [u64; 3],
}

/// The number of mutants by outcome.
#[derive(Clone, Copy, Default)]
struct Totals {
    caught: usize,
    missed: usize,
    not_reached: usize,
    accepted: usize,
}

impl Totals {
    fn add(&mut self, outcome: &Outcome, accepted: bool) {
        *match outcome {
            Outcome::Caught { .. } => &mut self.caught,
            _ if accepted => &mut self.accepted,
            Outcome::Missed { .. } => &mut self.missed,
            Outcome::NotReached => &mut self.not_reached,
        } += 1;
    }

    /// Returns the percentage of caught mutants among those that could be caught.
    fn share(&self) -> f64 {
        match self.caught + self.missed + self.not_reached {
            0 => 100.0,
            all => self.caught as f64 * 100.0 / all as f64,
        }
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{:6.1} %  {:5} caught {:5} missed {:5} not reached {:5} accepted  {name}\n",
            self.share(),
            self.caught,
            self.missed,
            self.not_reached,
            self.accepted
        )
    }
}

impl Report<'_> {
    fn sorted(&self) -> Vec<&(&Live, Outcome)> {
        let mut results: Vec<_> = self.results.iter().collect();
        results.sort_by_key(|(live, _)| {
            let mutant = &live.mutant;
            (&mutant.file, mutant.line, mutant.column, live.number)
        });
        results
    }

    fn is_accepted(&self, live: &Live) -> bool {
        self.accepted.contains_key(&live.mutant.identity())
    }

    fn totals(&self) -> Totals {
        let mut all = Totals::default();
        for (live, outcome) in &self.results {
            all.add(outcome, self.is_accepted(live));
        }
        all
    }

    /// Returns whether enough mutants were caught.
    pub fn is_good(&self) -> bool {
        self.totals().share() >= WANTED
    }

    /// Returns messages about wrong entries in the list of accepted mutants.
    pub fn complaints(&self) -> Vec<String> {
        let gone = self
            .accepted
            .keys()
            .filter(|identity| !self.known.contains(*identity))
            .map(|identity| {
                format!(
                    "accepted.txt: this mutant does not exist: {identity}. Fix: remove the entry"
                )
            });
        let caught = self
            .sorted()
            .into_iter()
            .filter_map(|(live, outcome)| match outcome {
                Outcome::Caught { test, .. } if self.is_accepted(live) => Some(format!(
                    "accepted.txt: caught by {test} after all: {}",
                    live.mutant.identity()
                )),
                _ => None,
            });
        gone.chain(caught).collect()
    }

    /// Returns the report as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut files: BTreeMap<&str, Totals> = BTreeMap::new();
        let mut packages: BTreeMap<&str, Totals> = BTreeMap::new();
        for (live, outcome) in &self.results {
            let accepted = self.is_accepted(live);
            let file = live.mutant.file.as_str();
            let package = targets::of(file).map_or("", |target| target.package);
            files.entry(file).or_default().add(outcome, accepted);
            packages.entry(package).or_default().add(outcome, accepted);
        }
        text += "Missed\n======\n";
        for (live, outcome) in self.sorted() {
            let why = match outcome {
                Outcome::Missed { tests: 1 } => "1 test reaches it".to_string(),
                Outcome::Missed { tests } => format!("{tests} tests reach it"),
                Outcome::NotReached => "not reached".to_string(),
                Outcome::Caught { .. } => continue,
            };
            if !self.is_accepted(live) {
                let mutant = &live.mutant;
                let ordinal = match mutant.ordinal {
                    1 => String::new(),
                    n => format!(" #{n}"),
                };
                let _ = writeln!(
                    text,
                    "{}: {}: {}{ordinal} ({why})",
                    mutant.place(),
                    mutant.function,
                    mutant.change
                );
            }
        }
        let complaints = self.complaints();
        let passed_over = self
            .passed_over
            .iter()
            .map(|(file, line, reason)| format!("{file}:{line}: {reason}"));
        for (title, lines) in [
            ("Wrong entries", complaints),
            ("Skipped", passed_over.collect()),
            ("Notes", self.notes.clone()),
        ] {
            if !lines.is_empty() {
                let _ = write!(
                    text,
                    "\n{title}\n{}\n{}\n",
                    "=".repeat(title.len()),
                    lines.join("\n")
                );
            }
        }
        text += "\nFiles\n=====\n";
        for (file, totals) in files {
            text += &totals.line(file);
        }
        text += "\nPackages\n========\n";
        for (package, totals) in packages {
            text += &totals.line(package);
        }
        text += &self.totals().line("all");
        let [build, measure, hunt] = self.seconds;
        let _ = writeln!(
            text,
            "\n{} mutants don't compile. {build} s to build, {measure} s for the tests alone, {hunt} s with the \
             mutants.",
            self.unviable
        );
        text
    }

    /// Returns the report as JSON.
    pub fn json(&self) -> Value {
        let mutants: Vec<Value> = self
            .sorted()
            .into_iter()
            .map(|(live, outcome)| {
                let mutant = &live.mutant;
                json!({
                    "number": live.number,
                    "identity": mutant.identity(),
                    "file": mutant.file,
                    "line": mutant.line,
                    "column": mutant.column,
                    "function": mutant.function,
                    "change": mutant.change,
                    "outcome": hunt::to_json(outcome),
                    "accepted": self.accepted.get(&mutant.identity()),
                })
            })
            .collect();
        let totals = self.totals();
        let tests: Vec<Value> = self
            .tests
            .iter()
            .map(|(name, time, reaches)| {
                json!({ "name": name, "seconds": time.as_secs_f64(), "reaches": reaches })
            })
            .collect();
        json!({
            "share": totals.share(),
            "caught": totals.caught,
            "missed": totals.missed,
            "not_reached": totals.not_reached,
            "accepted": totals.accepted,
            "unviable": self.unviable,
            "seconds": self.seconds,
            "tests": tests,
            "mutants": mutants,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::Mutant;

    fn live(number: u32) -> Live {
        Live {
            number,
            mutant: Mutant {
                file: "cuda-safe/src/x.rs".into(),
                line: 100 - number as usize,
                column: 1,
                function: "f".into(),
                change: format!("change {number}"),
                ordinal: 1,
            },
        }
    }

    #[test]
    fn accepted_mutants_are_counted_separately_and_checked() {
        let lives: Vec<Live> = (1..=4).map(live).collect();
        let caught = Outcome::Caught {
            test: "t".into(),
            end: "fails".into(),
        };
        let outcomes = [
            caught.clone(),
            caught,
            Outcome::Missed { tests: 2 },
            Outcome::NotReached,
        ];
        let entry = |n: u32| {
            (
                format!("cuda-safe/src/x.rs: f: change {n}"),
                "why".to_string(),
            )
        };
        let report = |accepted: &BTreeMap<String, String>| {
            let report = Report {
                results: lives.iter().zip(outcomes.clone()).collect(),
                accepted,
                known: lives.iter().map(|live| live.mutant.identity()).collect(),
                unviable: 0,
                passed_over: Vec::new(),
                notes: Vec::new(),
                tests: Vec::new(),
                seconds: [0; 3],
            };
            (
                report.is_good(),
                report.totals().share(),
                report.complaints(),
                report.text(),
            )
        };
        let (good, share, complaints, text) = report(&BTreeMap::new());
        assert_eq!((good, share, complaints.len()), (false, 50.0, 0));
        let lines: Vec<&str> = text.lines().skip(2).take(2).collect();
        assert_eq!(
            lines,
            [
                "cuda-safe/src/x.rs:96:1: f: change 4 (not reached)",
                "cuda-safe/src/x.rs:97:1: f: change 3 (2 tests reach it)",
            ]
        );

        let (good, share, complaints, _) =
            report(&BTreeMap::from([entry(3), entry(4), entry(1), entry(9)]));
        assert_eq!((good, share), (true, 100.0));
        assert_eq!(complaints.len(), 2);
        assert!(complaints[0].contains("does not exist") && complaints[0].contains("change 9"));
        assert!(
            complaints[1].contains("caught by t after all") && complaints[1].contains("change 1")
        );
    }
}
