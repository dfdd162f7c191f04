//! The reductions of an expression that can be computed next.

use std::{collections::hash_map::Entry, sync::Arc};

use rustc_hash::FxHashMap;

use super::{
    fold,
    node::{Kind, Node},
    plan::Computed,
    state::Evaluation,
};
use crate::{
    array::Shape,
    error::{Error, Result},
};

/// Reductions that share a kernel.
pub(super) struct Ready<'a> {
    pub(super) together: Vec<&'a Arc<Node>>,
    /// Whether there are no other reductions that are not computed yet.
    pub(super) are_last: bool,
}

impl Ready<'_> {
    pub(super) fn run(&self, evaluation: &mut Evaluation<'_>) -> Result<()> {
        let results = fold::run(evaluation, &self.together)?;
        let nodes = self.together.iter().map(|node| Arc::as_ptr(node));
        evaluation.computed.extend(nodes.zip(results));
        Ok(())
    }
}

/// Returns the next reductions to compute, if any. Reductions of inputs with one shape along the same
/// axes share a kernel.
pub(super) fn next_reductions<'a>(
    roots: &[&'a Arc<Node>],
    computed: &Computed,
) -> Result<Option<Ready<'a>>> {
    let (ready, count) = ready_reductions(roots, computed);
    let Some(first) = ready.first() else {
        return Ok(None);
    };
    let group = group_of(first)?;
    let (mut together, mut bytes) = (Vec::new(), 0);
    for node in &ready {
        let own = accumulator_bytes(node);
        if group_of(node)? == group && (together.is_empty() || bytes + own <= MAX_ACCUMULATOR_BYTES)
        {
            together.push(*node);
            bytes += own;
        }
    }
    let are_last = together.len() == count;
    Ok(Some(Ready { together, are_last }))
}

/// The maximum size in bytes of a thread's accumulators. A block keeps 256 times this in shared
/// memory.
pub(super) const MAX_ACCUMULATOR_BYTES: usize = 176;

fn accumulator_bytes(node: &Arc<Node>) -> usize {
    match &node.kind {
        Kind::Reduce(reduction, input) => {
            let bytes = reduction.fold.accumulator_bytes(input.data);
            bytes.next_multiple_of(8)
        }
        _ => 0,
    }
}

/// Returns the properties that reductions in one kernel must share.
fn group_of(node: &Arc<Node>) -> Result<(Shape, u8)> {
    match &node.kind {
        Kind::Reduce(reduction, input) => Ok((input.shape()?, reduction.axes)),
        _ => Err(Error::Shape(
            "internal error: a reduction was expected".into(),
        )),
    }
}

/// Returns the reductions that are not computed yet and depend on no other such reduction, and the
/// number of all that are not computed yet.
fn ready_reductions<'a>(
    roots: &[&'a Arc<Node>],
    computed: &Computed,
) -> (Vec<&'a Arc<Node>>, usize) {
    let (mut ready, mut count) = (Vec::new(), 0);
    if !roots.iter().any(|root| root.reduces) {
        return (ready, count);
    }
    // Whether a node, or a node that it depends on, is a reduction that is not computed yet.
    let mut waits: FxHashMap<*const Node, bool> = FxHashMap::default();
    let mut waiting: Vec<(&Arc<Node>, bool)> =
        roots.iter().rev().map(|root| (*root, false)).collect();
    while let Some((node, visited)) = waiting.pop() {
        let key = Arc::as_ptr(node);
        if visited {
            let below = node.inputs().iter().any(|input| waits[&Arc::as_ptr(input)]);
            let own = matches!(node.kind, Kind::Reduce(..));
            count += usize::from(own);
            if own && !below {
                ready.push(node);
            }
            waits.insert(key, own || below);
        } else if computed.contains_key(&key) {
            waits.insert(key, false);
        } else if let Entry::Vacant(new) = waits.entry(key) {
            new.insert(false); // until it has been visited
            waiting.push((node, true));
            waiting.extend(node.inputs().iter().rev().map(|input| (input, false)));
        }
    }
    (ready, count)
}

#[cfg(test)]
mod tests {
    use cuda_safe::{Context, Stream};

    use super::*;
    use crate::array::Array;

    #[test]
    fn accumulators_are_counted_in_words() {
        let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
        let x = Array::<f32>::zeros(&stream, 4).unwrap();
        let wide = Array::<f64>::zeros(&stream, 4).unwrap();
        assert_eq!(accumulator_bytes(&x.sum().node), 8);
        assert_eq!(accumulator_bytes(&x.var(0).node), 16);
        assert_eq!(accumulator_bytes(&wide.sum().node), 8);
        assert_eq!(accumulator_bytes(&wide.var(0).node), 32);
        assert_eq!(accumulator_bytes(&x.expr().node), 0);
    }
}
