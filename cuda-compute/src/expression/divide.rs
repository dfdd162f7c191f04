//! The division of expressions that are too large for one kernel.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    elementwise,
    node::{Kind, Node},
    plan::{Computed, Plan},
    state::{Evaluation, results, targets},
};
use crate::{
    array::{Layout, Order, Shape},
    error::{Error, Result},
};

/// Limits of one part. A part within them fits in one kernel. They are below the kernel's limits,
/// because compile time grows faster than the number of operations.
const MAX_OPERATIONS: usize = 400;
const MAX_INPUTS: usize = 24;
const MAX_SCALAR_WORDS: usize = 120;
/// The values that a part's kernel stores.
const MAX_RESULTS: usize = 4;

/// A part that grows by one operation after the other.
#[derive(Default)]
struct Part {
    operations: usize,
    inputs: FxHashSet<*const Node>,
    /// The arrays that the inputs are, or are read from.
    leaves: usize,
    scalar_words: usize,
}

/// Plans the `roots`, which can be broadcast to `shape`, for one kernel. If they are too large for
/// it, this enqueues kernels for parts of them first and keeps their results.
pub(super) fn plan(
    evaluation: &mut Evaluation<'_>,
    roots: &[&Arc<Node>],
    shape: Shape,
) -> Result<Plan> {
    if let Some(plan) = Plan::new(roots, shape, &evaluation.computed)? {
        return Ok(plan);
    }
    divide(evaluation, roots)?;
    Plan::new(roots, shape, &evaluation.computed)?.ok_or_else(|| {
        Error::Shape("internal error: a part of an expression is too large for a kernel".into())
    })
}

/// Computes all parts of the roots except the last.
fn divide(evaluation: &mut Evaluation<'_>, roots: &[&Arc<Node>]) -> Result<()> {
    let operations = operations(roots, &evaluation.computed);
    // The part of each operation, and the last part that uses it.
    let mut part_of: FxHashMap<*const Node, usize> = FxHashMap::default();
    let mut last_use: FxHashMap<*const Node, usize> = FxHashMap::default();
    let (mut part, mut number) = (Part::default(), 0);
    for node in &operations {
        if !part.admits(node, |input| part_of.get(&input) == Some(&number)) {
            (part, number) = (Part::default(), number + 1);
            part.admits(node, |_| false);
        }
        part_of.insert(Arc::as_ptr(node), number);
        for input in node.inputs() {
            last_use.insert(Arc::as_ptr(input), number);
        }
    }
    for root in roots {
        last_use.insert(Arc::as_ptr(root), number);
    }
    let mut left = &operations[..];
    for part in 0..number {
        let end = left.partition_point(|node| part_of[&Arc::as_ptr(node)] == part);
        let used_later = |node: &&&Arc<Node>| last_use[&Arc::as_ptr(node)] > part;
        let mut results: Vec<&Arc<Node>> = left[..end].iter().filter(used_later).copied().collect();
        left = &left[end..];
        while let Some(first) = results.first() {
            let shape = first.shape()?;
            let mut together = Vec::new();
            results.retain(|node| {
                let fits = together.len() < MAX_RESULTS && node.shape == Ok(shape);
                if fits {
                    together.push(*node);
                }
                !fits
            });
            compute(evaluation, &together, shape)?;
        }
    }
    Ok(())
}

/// Computes values of one shape into new memory, in C order.
pub(super) fn compute(
    evaluation: &mut Evaluation<'_>,
    nodes: &[&Arc<Node>],
    shape: Shape,
) -> Result<()> {
    let plan = plan(evaluation, nodes, shape)?;
    let layout = Layout::dense(shape, Order::C);
    let stored = results(evaluation.kernels, evaluation.stream, nodes, layout)?;
    elementwise::run(evaluation, plan, shape, &targets(&stored, nodes))?;
    let nodes = nodes.iter().map(|node| Arc::as_ptr(node));
    evaluation.computed.extend(nodes.zip(stored));
    Ok(())
}

impl Part {
    /// Adds an operation, unless the part would be too large. `holds` tells whether an operation is
    /// in this part.
    fn admits(&mut self, node: &Arc<Node>, holds: impl Fn(*const Node) -> bool) -> bool {
        let mut new: Vec<&Arc<Node>> = Vec::new();
        let mut words = self.scalar_words;
        for input in node.inputs() {
            match &input.kind {
                Kind::Scalar(_) => words += input.data.size().div_ceil(8),
                _ if holds(Arc::as_ptr(input)) => {}
                _ => new.push(input),
            }
        }
        new.retain(|input| !self.inputs.contains(&Arc::as_ptr(input)));
        // Taken elements are read from an array, at indices from another.
        let of = |input: &&Arc<Node>| 1 + usize::from(matches!(input.kind, Kind::Taken(_)));
        let leaves = self.leaves + new.iter().map(of).sum::<usize>();
        let fits =
            self.operations < MAX_OPERATIONS && leaves <= MAX_INPUTS && words <= MAX_SCALAR_WORDS;
        if fits {
            self.operations += 1;
            self.inputs.extend(new.into_iter().map(Arc::as_ptr));
            self.leaves = leaves;
            self.scalar_words = words;
        }
        fits
    }
}

/// Returns the operations that are not computed yet. Each comes after its inputs.
fn operations<'a>(roots: &[&'a Arc<Node>], computed: &Computed) -> Vec<&'a Arc<Node>> {
    let mut seen = FxHashSet::default();
    let mut order = Vec::new();
    let mut waiting: Vec<(&Arc<Node>, bool)> =
        roots.iter().rev().map(|root| (*root, false)).collect();
    while let Some((node, visited)) = waiting.pop() {
        let key = Arc::as_ptr(node);
        if visited {
            order.push(node);
        } else if matches!(node.kind, Kind::Apply(..))
            && !computed.contains_key(&key)
            && seen.insert(key)
        {
            waiting.push((node, true));
            waiting.extend(node.inputs().iter().rev().map(|input| (input, false)));
        }
    }
    order
}
