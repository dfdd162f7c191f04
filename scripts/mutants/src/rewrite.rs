//! Inserts all mutants of a file into its text, each behind a switch.

use crate::find::{Bytes, Found, Place};

/// A file's new text.
pub struct Rewritten {
    /// The new text, which compiles if the original and the mutants do.
    pub text: String,
    /// The inserted ranges, with their mutants.
    pub inserted: Vec<(Bytes, Vec<usize>)>,
    /// Expressions and functions with mutants in the new text, and the mutants that belong directly
    /// to them.
    pub enclosing: Vec<(Bytes, Vec<usize>)>,
}

/// Text that is inserted before a byte of the old text.
struct Insertion {
    at: usize,
    /// Ends come before beginnings. Among ends, the one that began later comes first.
    order: (bool, isize),
    text: String,
    mutants: Vec<usize>,
}

/// Returns the text with the mutants for which `number` returns a number.
pub fn rewrite(text: &str, found: &Found, number: &dyn Fn(usize) -> Option<u32>) -> Rewritten {
    let mut insertions = Vec::new();
    for (index, site) in found.sites.iter().enumerate() {
        insert(&mut insertions, index as isize, &site.place, number);
    }
    insertions.sort_by_key(|insertion| (insertion.at, insertion.order));

    let mut old = text.as_bytes().to_vec();
    for function in &found.const_functions {
        if function
            .mutants
            .clone()
            .any(|mutant| number(mutant).is_some())
        {
            old[function.keyword.clone()].fill(b' ');
        }
    }
    let old = String::from_utf8(old).expect("a word was replaced");
    let mut new = String::with_capacity(old.len() * 4);
    let mut inserted = Vec::new();
    // The new positions of each byte of the old text, before and after the text inserted there.
    let mut moved: Vec<(usize, usize)> = Vec::new();
    let mut done = 0;
    for insertion in insertions {
        new += &old[done..insertion.at];
        done = insertion.at;
        let start = new.len();
        new += &insertion.text;
        inserted.push((start..new.len(), insertion.mutants));
        moved.push((done, new.len() - done));
    }
    new += &old[done..];

    // Text inserted at the start and at the end belongs to the expression.
    let place = |at: usize, with: bool| {
        let until = moved.partition_point(|(old, _)| if with { *old <= at } else { *old < at });
        at + until.checked_sub(1).map_or(0, |last| moved[last].1)
    };
    let mut enclosing = Vec::new();
    for site in &found.sites {
        let (range, mutants) = match &site.place {
            Place::Choice {
                expression,
                alternatives,
            } => (
                expression,
                alternatives.iter().map(|(mutant, _)| *mutant).collect(),
            ),
            Place::Guard {
                expression,
                always,
                never,
            } => (expression, vec![*always, *never]),
            Place::Body { values, .. } => (
                &site.function,
                values.iter().map(|(mutant, _)| *mutant).collect(),
            ),
            Place::Arm { mutant, .. } => (&site.function, vec![*mutant]),
        };
        let live: Vec<usize> = mutants
            .into_iter()
            .filter(|mutant| number(*mutant).is_some())
            .collect();
        if !live.is_empty() {
            enclosing.push((
                place(range.start, false)..place(range.end, true),
                live.clone(),
            ));
            enclosing.push((
                place(site.function.start, false)..place(site.function.end, true),
                live,
            ));
        }
    }
    Rewritten {
        text: new,
        inserted,
        enclosing,
    }
}

const ACTIVE: &str = "crate::__mutants::active";

fn insert(
    insertions: &mut Vec<Insertion>,
    index: isize,
    place: &Place,
    number: &dyn Fn(usize) -> Option<u32>,
) {
    let mut before = |at: usize, text: String, mutants: Vec<usize>| {
        insertions.push(Insertion {
            at,
            order: (true, index),
            text,
            mutants,
        });
    };
    let mut ends: Vec<(usize, String, Vec<usize>)> = Vec::new();
    match place {
        Place::Body {
            at,
            iterator,
            values,
        } => {
            let mut live = Vec::new();
            for (mutant, value) in values {
                let Some(number) = number(*mutant) else {
                    continue;
                };
                live.push(*mutant);
                let value = match iterator {
                    None => value.clone(),
                    Some(_) => format!("crate::__mutants::Either::Left(({value}).into_iter())"),
                };
                before(
                    *at,
                    format!(" if {ACTIVE}({number}) {{ return {value}; }}"),
                    vec![*mutant],
                );
            }
            if let (Some(tail), false) = (iterator, live.is_empty()) {
                before(
                    tail.start,
                    "crate::__mutants::Either::Right(".into(),
                    live.clone(),
                );
                ends.push((tail.end, ")".into(), live));
            }
        }
        Place::Choice {
            expression,
            alternatives,
        } => {
            let mut live = Vec::new();
            for (mutant, other) in alternatives {
                let Some(number) = number(*mutant) else {
                    continue;
                };
                let start = if live.is_empty() { "(if" } else { " else if" };
                let choice = format!("{start} {ACTIVE}({number}) {{ {other} }}");
                before(expression.start, choice, vec![*mutant]);
                live.push(*mutant);
            }
            if !live.is_empty() {
                // The parentheses are needed because `match x {} == y` at a block's start would be
                // two statements.
                before(expression.start, " else { (".into(), live.clone());
                ends.push((expression.end, ") })".into(), live));
            }
        }
        Place::Arm { at, mutant } => {
            if let Some(number) = number(*mutant) {
                before(*at, format!(" if !{ACTIVE}({number})"), vec![*mutant]);
            }
        }
        Place::Guard {
            expression,
            always,
            never,
        } => {
            let (yes, no) = (number(*always), number(*never));
            let live: Vec<usize> = [(*always, yes), (*never, no)]
                .into_iter()
                .filter_map(|(mutant, number)| number.map(|_| mutant))
                .collect();
            if let Some(number) = yes {
                before(
                    expression.start,
                    format!("{ACTIVE}({number}) || "),
                    vec![*always],
                );
            }
            if let Some(number) = no {
                before(
                    expression.start,
                    format!("!{ACTIVE}({number}) && "),
                    vec![*never],
                );
            }
            if !live.is_empty() {
                before(expression.start, "(".into(), live.clone());
                ends.push((expression.end, ")".into(), live));
            }
        }
    }
    for (at, text, mutants) in ends {
        insertions.push(Insertion {
            at,
            order: (false, -index),
            text,
            mutants,
        });
    }
}
