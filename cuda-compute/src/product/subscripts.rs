//! The subscripts of `einsum`: text without a device.

use crate::{
    array::Shape,
    error::{Error, Result},
};

/// The name of an axis: a letter, or [`BROADCAST`] and the place in an ellipsis, from the right.
pub(super) type Label = u32;

const BROADCAST: Label = 1 << 24;

/// The labels of the axes of operands and result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Subscripts {
    pub(super) operands: Vec<Vec<Label>>,
    pub(super) result: Vec<Label>,
}

impl Subscripts {
    /// Parses subscripts such as `"ij,jk->ik"` for operands of these shapes.
    pub(super) fn parse(text: &str, shapes: &[Shape]) -> Result<Self> {
        let (inputs, output) = match text.split_once("->") {
            Some((inputs, output)) => (inputs, Some(output)),
            None => (text, None),
        };
        let terms: Vec<&str> = inputs.split(',').collect();
        if terms.len() != shapes.len() {
            return Err(Error::Value(format!(
                "einsum: the subscripts {text:?} name {} operands, but there are {}. Fix: separate the subscripts of the \
                 operands by commas",
                terms.len(),
                shapes.len()
            )));
        }
        let operands = terms.iter().zip(shapes).enumerate();
        let operands = operands
            .map(|(at, (term, shape))| operand(text, term, at, *shape))
            .collect::<Result<Vec<_>>>()?;
        check_lengths(text, &operands, shapes)?;
        let result = match output {
            Some(output) => result(text, output, &operands)?,
            None => implied(&operands),
        };
        Ok(Self { operands, result })
    }
}

/// Returns the labels of one term, whose ellipsis covers `hidden` axes.
fn labels(text: &str, term: &str, hidden: usize) -> Result<Vec<Label>> {
    let mut found = Vec::new();
    let mut rest = term;
    while let Some(next) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("...") {
            if found.iter().any(|&label| label >= BROADCAST) || after.contains("...") {
                return Err(Error::Value(format!(
                    "einsum: {term:?} of the subscripts {text:?} has several ellipses. Fix: write ... once"
                )));
            }
            found.extend((0..hidden as u32).rev().map(|place| BROADCAST + place));
            rest = after;
            continue;
        }
        if next.is_ascii_alphabetic() {
            found.push(next.into());
        } else if next != ' ' {
            return Err(Error::Value(format!(
                "einsum: {next:?} of {term:?} in the subscripts {text:?} is no subscript. Fix: write a letter for each \
                 axis, and ... for axes without a letter"
            )));
        }
        rest = &rest[next.len_utf8()..];
    }
    Ok(found)
}

/// Returns the labels of an operand.
fn operand(text: &str, term: &str, at: usize, shape: Shape) -> Result<Vec<Label>> {
    let named = labels(text, term, 0)?.len();
    let fits = match term.contains("...") {
        true => named <= shape.rank(),
        false => named == shape.rank(),
    };
    if !fits {
        return Err(Error::Shape(format!(
            "einsum: {term:?} of the subscripts {text:?} names {named} axes, but operand {at} has {} axes and shape {shape}",
            shape.rank()
        )));
    }
    labels(text, term, shape.rank() - named)
}

/// Checks that the axes of a subscript have the same length. Axes of an ellipsis are broadcast.
fn check_lengths(text: &str, operands: &[Vec<Label>], shapes: &[Shape]) -> Result<()> {
    let axes = operands.iter().enumerate().flat_map(|(operand, labels)| {
        let axes = labels.iter().enumerate();
        axes.map(move |(axis, &label)| (label, operand, axis, shapes[operand][axis]))
    });
    let axes: Vec<_> = axes.collect();
    for (at, &(label, operand, axis, length)) in axes.iter().enumerate() {
        let differs = |&&(other, _, _, before): &&(Label, usize, usize, usize)| {
            let broadcast = label >= BROADCAST && (length == 1 || before == 1);
            other == label && before != length && !broadcast
        };
        if let Some(&(_, first, place, before)) = axes[..at].iter().find(differs) {
            let name = char::from_u32(label).map_or("...".into(), String::from);
            return Err(Error::Shape(format!(
                "einsum: the subscript {name} of {text:?} is axis {place} of operand {first}, which has length {before}, and \
                 axis {axis} of operand {operand}, which has length {length}"
            )));
        }
    }
    Ok(())
}

/// Returns the labels after the arrow.
fn result(text: &str, output: &str, operands: &[Vec<Label>]) -> Result<Vec<Label>> {
    let all = || operands.iter().flatten();
    let hidden = all().filter(|&&label| label >= BROADCAST).max();
    let hidden = hidden.map_or(0, |&most| (most - BROADCAST + 1) as usize);
    if hidden > 0 && !output.contains("...") {
        return Err(Error::Value(format!(
            "einsum: operands have axes of an ellipsis, but the result {output:?} of the subscripts {text:?} has none. Fix: \
             write ... after the arrow, too"
        )));
    }
    let result = labels(text, output, hidden)?;
    for (at, &label) in result.iter().enumerate() {
        let name = char::from_u32(label).unwrap_or('.');
        if result[..at].contains(&label) {
            return Err(Error::Value(format!(
                "einsum: the subscript {name} occurs twice in the result {output:?} of {text:?}. Fix: name each axis of \
                 the result once"
            )));
        }
        if !all().any(|&other| other == label) {
            return Err(Error::Value(format!(
                "einsum: the subscript {name} of the result {output:?} of {text:?} is no axis of an operand"
            )));
        }
    }
    Ok(result)
}

/// Returns the labels of the result if there is no arrow: the axes of ellipses, and the letters that
/// occur once, in alphabetical order.
fn implied(operands: &[Vec<Label>]) -> Vec<Label> {
    let mut all: Vec<Label> = operands.iter().flatten().copied().collect();
    all.sort_unstable();
    let once = |label: &Label| all.iter().filter(|&other| other == label).count() == 1;
    let letters = all.iter().filter(|&&label| label < BROADCAST);
    let letters: Vec<Label> = letters.filter(|label| once(label)).copied().collect();
    let mut hidden: Vec<Label> = all
        .iter()
        .filter(|&&label| label >= BROADCAST)
        .copied()
        .collect();
    hidden.dedup();
    hidden.into_iter().rev().chain(letters).collect()
}

#[cfg(test)]
mod tests;
