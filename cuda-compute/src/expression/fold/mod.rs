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
use rustc_hash::FxHashMap;

use super::{
    divide,
    node::{Kind, Node},
    operands::{Operands, Target},
    plan::{Leaf, Origin, Plan, Stored},
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
    let reductions = Reductions::new(evaluation, nodes)?;
    let keeps = reductions.parts.iter().map(|(own, _)| own.keep);
    let results = nodes.iter().copied().zip(keeps).collect();
    reductions.run(evaluation, results)
}

/// Computes values from the results of reductions, in the kernel of these. Returns `None` if that is
/// not possible. The values are the `roots`. All that they need apart from the reductions must be in
/// memory.
pub(super) fn run_with(
    evaluation: &mut Evaluation<'_>,
    nodes: &[&Arc<Node>],
    roots: &[&Arc<Node>],
) -> Result<Option<Vec<Stored>>> {
    let parts = parts(nodes);
    let (reduction, input) = parts[0];
    let shape = result_shape(input.shape()?, reduction);
    let are_alike = parts.iter().all(|(other, _)| other.keep == reduction.keep);
    if !are_alike || roots.iter().any(|root| root.shape != Ok(shape)) {
        return Ok(None);
    }
    let numbers = nodes.iter().map(|node| Arc::as_ptr(node)).zip(0..);
    let given: FxHashMap<*const Node, u16> = numbers.collect();
    let after = Plan::with_given(roots, shape, &evaluation.computed, &given)?;
    let is_stored = |leaf: &Leaf| {
        leaf.through.is_none() && matches!(leaf.origin, Origin::Memory(_) | Origin::Given(_))
    };
    let Some(after) = after.filter(|after| after.leaves.iter().all(is_stored)) else {
        return Ok(None);
    };
    let mut reductions = Reductions::new(evaluation, nodes)?;
    if !reductions.add_after(after) {
        return Ok(None);
    }
    let results = roots.iter().map(|root| (*root, reduction.keep)).collect();
    reductions.run(evaluation, results).map(Some)
}

/// Reductions of one shape along the same axes.
struct Reductions<'a> {
    parts: Vec<Part<'a>>,
    /// The shape of the inputs.
    shape: Shape,
    plan: Plan,
    folds: Vec<Folded>,
    groups: Groups,
}

impl<'a> Reductions<'a> {
    fn new(evaluation: &mut Evaluation<'_>, nodes: &[&'a Arc<Node>]) -> Result<Self> {
        let parts = parts(nodes);
        let (shape, axes) = (parts[0].1.shape()?, parts[0].0.axes);
        reject_without_result(&parts, shape)?;
        let inputs: Vec<&Arc<Node>> = parts.iter().map(|(_, input)| *input).collect();
        let mut plan = divide::plan(evaluation, &inputs, shape)?;
        let folds = folds(&mut plan, &parts, shape)?;
        let groups = Groups::new(&plan.read_layout(shape), axes);
        Ok(Self {
            parts,
            shape,
            plan,
            folds,
            groups,
        })
    }

    /// Adds values that are computed from the results and have their shape. Returns whether one
    /// kernel can compute all values.
    fn add_after(&mut self, after: Plan) -> bool {
        let (reduction, _) = self.parts[0];
        let kept = |axis: &usize| reduction.keep || reduction.axes >> axis & 1 == 0;
        let kept: Vec<usize> = (0..self.shape.rank()).filter(kept).collect();
        self.plan.add_after(after, &kept, self.shape)
    }

    /// Enqueues the kernel. `results` are the nodes whose values it stores, and whether their shapes
    /// contain the reduced axes.
    fn run(
        self,
        evaluation: &mut Evaluation<'_>,
        results: Vec<(&Arc<Node>, bool)>,
    ) -> Result<Vec<Stored>> {
        let (folds, groups) = (self.folds, self.groups);
        let mut stored: Vec<Stored> = Vec::with_capacity(results.len());
        for (node, keep) in &results {
            let layout = groups.result(*keep);
            let (kernels, stream) = (evaluation.kernels, evaluation.stream);
            let memory = Memory::new(kernels, stream, layout.shape.elements(), node.data)?;
            stored.push((Arc::new(memory), layout));
        }
        if stored[0].1.shape.elements() == 0 {
            return Ok(stored);
        }
        let targets = stored
            .iter()
            .zip(&results)
            .map(|((memory, _), (node, _))| Target {
                memory,
                layout: groups.target(),
                data: node.data,
            });
        let targets: Vec<Target<'_>> = targets.collect();
        let space = groups.target().shape;
        let group = |axis| groups.of(axis) as u8;
        let operands = Operands::new(self.plan, space, &targets, &groups.order, group);
        if let Some(transposed) =
            tiled::transposed(&operands, &folds, &groups, evaluation.kernels.hardware())
        {
            tiled::run(evaluation, operands, folds, &groups, transposed)?;
        } else if groups.have_one_result() {
            total::run(evaluation, operands, folds, self.shape.elements())?;
        } else {
            grouped::run(evaluation, operands, folds, &groups)?;
        }
        Ok(stored)
    }
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

#[cfg(test)]
mod tests;
