//! Reduces a program that differs to the smallest one that still does.

use super::Program;
use crate::run::Outcome;

/// Reduces a program while `run` returns two outcomes that differ: to one result, to the
/// instructions that it depends on, and to the fewest instructions. The results of a removed
/// instruction become inputs, with the first outcome's values. Then reduces it to one case, or to
/// one warp if lanes depend on each other.
///
/// Returns `None` if the program does not differ.
pub fn shrink<'a>(
    program: &Program<'a>,
    mut run: impl FnMut(&Program<'a>) -> (Outcome, Outcome),
) -> Option<Program<'a>> {
    let (one, other) = run(program);
    let plain = difference(&one, &other)?;
    // With every result as an output, the first wrong one is closest to the cause.
    let all = program.all_outputs();
    let (one, other) = run(&all);
    let mut best = program.clone();
    best.outputs = match difference(&one, &other) {
        Some((output, _)) => vec![all.outputs[output]],
        // If that hides the difference, use the original output.
        None => program.outputs.get(plain.0).copied().into_iter().collect(),
    };
    let differs = |p: &Program<'a>, run: &mut dyn FnMut(&Program<'a>) -> (Outcome, Outcome)| {
        let (one, other) = run(p);
        difference(&one, &other)
    };
    if differs(&best, &mut run).is_none() {
        return Some(program.clone());
    }
    let smaller = best.clone().slice();
    if differs(&smaller, &mut run).is_some() {
        best = smaller;
    }
    if let Ok(observed) = &one {
        let mut n = 0;
        while n < best.steps.len() && best.steps.len() > 1 {
            let mut fewer = best.clone();
            let gone = fewer.steps.remove(n);
            for result in gone.results {
                let Some(at) = all.outputs.iter().position(|&r| r == result) else {
                    continue;
                };
                fewer.inputs.push((result, observed[at].clone()));
            }
            let fewer = fewer.slice();
            let still = !fewer.steps.is_empty() && differs(&fewer, &mut run).is_some();
            if still {
                best = fewer;
            } else {
                n += 1;
            }
        }
    }
    let (_, case) = differs(&best, &mut run)?;
    let first = case / 32 * 32;
    let single = match best.whole_warp() {
        true => best.part(first..first + 32),
        false => best.part(case..case + 1),
    };
    let kept = differs(&single, &mut run).is_some();
    Some(if kept { single } else { best })
}

/// Returns the first output that differs, and its first case that does. If only one outcome has
/// results, everything differs.
pub(super) fn difference(one: &Outcome, other: &Outcome) -> Option<(usize, usize)> {
    match (one, other) {
        (Ok(one), Ok(other)) => one
            .iter()
            .zip(other)
            .enumerate()
            .find_map(|(output, (a, b))| {
                let case = a.iter().zip(b).position(|(a, b)| a != b)?;
                Some((output, case))
            }),
        (Err(_), Err(_)) => None,
        _ => Some((0, 0)),
    }
}
