//! Compares the results of a run with recorded ones.

use std::fmt;

use crate::data::Data;
use crate::form::{Check, Form};
use crate::operand::Width;
use crate::run::Outcome;

/// Maximum number of examples for each form.
const EXAMPLES: usize = 3;

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Forms that agree.
    pub agreed: usize,
    /// Number of results compared, over all forms.
    pub results: usize,
    /// Forms that differ.
    pub mismatches: Vec<Mismatch>,
    /// Forms that could not be run, and the reasons.
    pub rejected: Vec<(String, String)>,
    /// Optional forms that the driver rejected at load, and the reasons.
    pub unsupported: Vec<(String, String)>,
    /// Forms without recorded results, or with results for other operands, which must be recorded
    /// again.
    pub stale: Vec<String>,
    /// Number of forms without results that may be recorded later.
    pub awaited: usize,
}

/// A form whose results differ.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The form's name.
    pub name: String,
    /// Cases with a wrong result.
    pub wrong: usize,
    /// Total number of cases.
    pub cases: usize,
    /// The first wrong results: operands, index of the result, expected, got.
    pub examples: Vec<String>,
}

/// Compares `outcomes`, which are in the order of `forms`, with recorded results.
#[must_use]
pub fn compare(forms: &[Form], outcomes: &[Outcome], data: &Data) -> Comparison {
    let mut comparison = Comparison::default();
    for (form, outcome) in forms.iter().zip(outcomes) {
        let recorded = match data.forms.get(&form.name) {
            Some(recorded) if recorded.fingerprint == form.fingerprint() => recorded,
            None if form.awaited && outcome.is_ok() => {
                comparison.awaited += 1;
                continue;
            }
            _ => {
                comparison.stale.push(form.name.clone());
                continue;
            }
        };
        let columns = match outcome {
            Ok(columns) => columns,
            Err(why) => {
                let list = if form.optional && why.starts_with("rejected at load") {
                    &mut comparison.unsupported
                } else {
                    &mut comparison.rejected
                };
                list.push((form.name.clone(), why.clone()));
                continue;
            }
        };
        comparison.results += form.cases * form.results.len();
        match differences(form, &recorded.columns, columns) {
            None => comparison.agreed += 1,
            Some(mismatch) => comparison.mismatches.push(mismatch),
        }
    }
    comparison
}

fn differences(form: &Form, recorded: &[Vec<u64>], got: &[Vec<u64>]) -> Option<Mismatch> {
    let inputs = form.inputs();
    let arity = form.operands.len();
    let mut wrong = 0;
    let mut examples = Vec::new();
    for case in 0..form.cases {
        let operands = &inputs[case * arity..(case + 1) * arity];
        let differs = |&r: &usize| {
            let (expected, got) = (recorded[r][case], got[r][case]);
            expected != got
                && match form.check {
                    Check::Exact => true,
                    Check::Within(approximate) => !approximate.allows(operands, expected, got),
                }
        };
        let Some(r) = (0..form.results.len()).find(differs) else {
            continue;
        };
        wrong += 1;
        if examples.len() < EXAMPLES {
            let shown = form.operands.iter().zip(operands);
            let shown: Vec<String> = shown.map(|(o, &v)| hex(o.width(), v)).collect();
            examples.push(format!(
                "case {case} ({}): d{r} is {}, but a GPU computes {}",
                shown.join(", "),
                hex(form.results[r], got[r][case]),
                hex(form.results[r], recorded[r][case]),
            ));
        }
    }
    (wrong > 0).then(|| Mismatch {
        name: form.name.clone(),
        wrong,
        cases: form.cases,
        examples,
    })
}

fn hex(width: Width, value: u64) -> String {
    match width {
        Width::Pred => format!("{}", value == 1),
        width => format!("{value:#0digits$x}", digits = width.bits() as usize / 4 + 2),
    }
}

impl Comparison {
    /// Returns whether no results differ, no required form was rejected, and every form has
    /// results.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.mismatches.is_empty() && self.rejected.is_empty() && self.stale.is_empty()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for mismatch in &self.mismatches {
            writeln!(
                f,
                "{}: {} of {} cases differ",
                mismatch.name, mismatch.wrong, mismatch.cases
            )?;
            for example in &mismatch.examples {
                writeln!(f, "    {example}")?;
            }
        }
        for (what, list) in [
            ("did not run", &self.rejected),
            ("is optional and was rejected", &self.unsupported),
        ] {
            for (name, why) in list {
                let line = why.lines().next().unwrap_or_default();
                writeln!(f, "{name}: {what}: {line}")?;
            }
        }
        for name in &self.stale {
            writeln!(f, "{name}: no results recorded for these operands")?;
        }
        write!(
            f,
            "{} forms agree ({} results compared), {} differ, {} did not run, {} optional ones were rejected, {} have no results, {} will be recorded",
            self.agreed,
            self.results,
            self.mismatches.len(),
            self.rejected.len(),
            self.unsupported.len(),
            self.stale.len(),
            self.awaited
        )
    }
}
