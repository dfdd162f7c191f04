//! Kernels that reduce expressions along axes.

mod grouped;
pub(super) mod groups;
mod schedule;
mod source;
pub(crate) mod table;
mod tiled;
pub(crate) mod total;

use std::sync::Arc;

use groups::Groups;

use super::{
    divide,
    node::{Kind, Node},
    operands::{Operands, Target},
    plan::{Plan, Stored},
    reduction::{self, Folded, Reduction},
    state::Evaluation,
};
use crate::{
    array::{Layout, Memory, Shape},
    error::{Error, Result},
};

/// A reduction and its input.
type Part<'a> = (&'a Reduction, &'a Arc<Node>);

/// Returns the shape of a reduction's result.
pub(crate) fn result_shape(input: Shape, reduction: &Reduction) -> Shape {
    let lengths: Vec<usize> = (0..input.rank())
        .filter_map(|axis| match reduction.axes >> axis & 1 {
            0 => Some(input[axis]),
            _ => reduction.keep.then_some(1),
        })
        .collect();
    Shape::of(&lengths)
}

/// Computes reductions of one shape along the same axes in one kernel. The results are in the order
/// of the nodes.
pub(super) fn run(evaluation: &mut Evaluation<'_>, nodes: &[&Arc<Node>]) -> Result<Vec<Stored>> {
    let parts = parts(nodes);
    let (shape, axes) = (parts[0].1.shape()?, parts[0].0.axes);
    reject_without_result(&parts, shape)?;
    let inputs: Vec<&Arc<Node>> = parts.iter().map(|(_, input)| *input).collect();
    let mut plan = divide::plan(evaluation, &inputs, shape)?;
    let folds = folds(&mut plan, &parts, shape)?;
    let groups = Groups::new(&plan.result_layout(shape), axes);
    let results = allocate(evaluation, nodes, &parts, &groups)?;
    if results[0].1.shape.elements() == 0 {
        return Ok(results);
    }
    let targets = results.iter().zip(nodes).map(|((memory, _), node)| Target {
        memory,
        layout: groups.target(),
        data: node.data,
    });
    let targets: Vec<Target<'_>> = targets.collect();
    let space = groups.target().shape;
    let group = |axis| groups.of(axis) as u8;
    let operands = Operands::new(plan, space, &targets, &groups.order, group);
    if let Some(transposed) =
        tiled::transposed(&operands, &folds, &groups, evaluation.kernels.hardware())
    {
        tiled::run(evaluation, operands, folds, &groups, transposed)?;
    } else if groups.have_one_result() {
        total::run(evaluation, operands, folds, shape.elements())?;
    } else {
        grouped::run(evaluation, operands, folds, &groups)?;
    }
    Ok(results)
}

fn parts<'a>(nodes: &[&'a Arc<Node>]) -> Vec<Part<'a>> {
    let parts = nodes.iter().filter_map(|node| match &node.kind {
        Kind::Reduce(reduction, input) => Some((reduction, input)),
        _ => None,
    });
    parts.collect()
}

/// Returns an error if a fold without an identity has no elements.
fn reject_without_result(parts: &[Part<'_>], shape: Shape) -> Result<()> {
    let without = parts.iter().find(|(reduction, _)| {
        !reduction.fold.has_identity() && reduction::elements(shape, reduction.axes) == 0
    });
    match without {
        None => Ok(()),
        Some((reduction, _)) => Err(Error::Shape(format!(
            "`{}` of no elements has no result (shape {shape})",
            reduction.fold.name()
        ))),
    }
}

/// Allocates the results.
fn allocate(
    evaluation: &Evaluation<'_>,
    nodes: &[&Arc<Node>],
    parts: &[Part<'_>],
    groups: &Groups,
) -> Result<Vec<Stored>> {
    let mut results = Vec::with_capacity(nodes.len());
    for (node, (reduction, _)) in nodes.iter().zip(parts) {
        let layout = groups.result(reduction.keep);
        let (kernels, stream) = (evaluation.kernels, evaluation.stream);
        let memory = Memory::new(kernels, stream, layout.shape.elements(), node.data)?;
        results.push((Arc::new(memory), layout));
    }
    Ok(results)
}

/// Returns the fold of each node. If a fold needs the places of values, they become another root of
/// the plan.
fn folds(plan: &mut Plan, parts: &[Part<'_>], shape: Shape) -> Result<Vec<Folded>> {
    let mut place = None;
    let mut folds = Vec::with_capacity(parts.len());
    for (value, (reduction, input)) in parts.iter().enumerate() {
        if reduction.fold.takes_place() && place.is_none() {
            let axes: Vec<usize> = (0..shape.rank())
                .filter(|axis| reduction.axes >> axis & 1 == 1)
                .collect();
            plan.add_places(Layout::dense_along(shape, &axes), shape)?;
            place = Some((plan.roots.len() - 1) as u8);
        }
        folds.push(Folded {
            fold: reduction.fold.clone(),
            data: input.data,
            value: value as u8,
            place: place.unwrap_or(0),
        });
    }
    Ok(folds)
}
