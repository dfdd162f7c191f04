//! From a program that differs to the smallest one that still does.

use super::Program;
use crate::run::Outcome;

/// Cuts a program down as long as `run` gives two outcomes that differ: to one result, to what that depends on, and to
/// as few instructions as will do. An instruction that goes leaves its results behind as inputs, with the values that
/// the first outcome had. Then to one case, or to one warp where lanes look at one another.
///
/// `None` when the program doesn't differ.
pub fn shrink<'a>(
    program: &Program<'a>,
    mut run: impl FnMut(&Program<'a>) -> (Outcome, Outcome),
) -> Option<Program<'a>> {
    let (one, other) = run(program);
    let plain = difference(&one, &other)?;
    // With every result looked at, the first wrong one is the nearest to the cause.
    let all = program.all_outputs();
    let (one, other) = run(&all);
    let mut best = program.clone();
    best.outputs = match difference(&one, &other) {
        Some((output, _)) => vec![all.outputs[output]],
        // Looking at them all makes it go away; then the one that was seen.
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

/// The first output that differs, and the first case in which it does. Where one has no results and the other has, that
/// is a difference in all.
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
