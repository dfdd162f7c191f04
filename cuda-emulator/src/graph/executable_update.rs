//! Updates of an executable graph: of one node, or of all nodes from another graph.
//!
//! The permitted changes, and the codes for others, follow NVIDIA's documentation of
//! `cuGraphExecUpdate` and of the `cuGraphExec*SetParams` functions. Changes that it says "may" be
//! rejected are allowed.

use std::collections::HashMap;
use std::sync::Arc;

use super::definition::Graph;
use super::executable::Exec;
use super::node::{self, Task};
use super::plan::{Action, Plan, Step};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::context::Context;
use crate::work::copy::Transfer;
use crate::work::fill::CheckedFill;
use crate::work::launch::Launch;
use crate::work::memory_operations::Words;
use crate::work::operation::Operation;

/// The reason why an update is rejected.
pub struct UpdateError {
    /// `CUgraphExecUpdateResult`
    pub result: u32,
    /// The node of the new graph, or 0 for none in particular.
    pub node: u64,
    /// The node at the start of the offending edge in the new graph, or 0.
    pub from: u64,
}

impl UpdateError {
    pub fn plain(result: u32) -> UpdateError {
        UpdateError {
            result,
            node: 0,
            from: 0,
        }
    }

    fn at(result: u32, step: &Step) -> UpdateError {
        UpdateError {
            result,
            node: step.node,
            from: 0,
        }
    }
}

type Checked<T = ()> = std::result::Result<T, UpdateError>;
/// Maps nodes of the executable graph to nodes of the new graph.
type Pairs = HashMap<usize, usize>;

const TOPOLOGY: u32 = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
const PARAMETERS: u32 = CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;

impl Plan {
    fn places(&self) -> HashMap<u64, usize> {
        let steps = self.steps.iter().enumerate();
        steps.map(|(place, step)| (step.number, place)).collect()
    }

    /// Returns the positions of the steps on which nothing depends, in order of their nodes'
    /// creation.
    fn exits(&self) -> Vec<usize> {
        let places = self.places();
        let mut last = vec![true; self.steps.len()];
        for link in self.steps.iter().flat_map(|step| &step.before) {
            last[places[&link.number]] = false;
        }
        let mut exits: Vec<usize> = (0..last.len()).filter(|&place| last[place]).collect();
        exits.sort_by_key(|&place| self.steps[place].number);
        exits
    }
}

/// Pairs the steps of two plans, from the last ones backwards along the edges.
fn pair(old: &Plan, new: &Plan) -> Checked<Pairs> {
    if old.steps.len() != new.steps.len() {
        return Err(UpdateError::plain(TOPOLOGY));
    }
    let (old_places, new_places) = (old.places(), new.places());
    let (old_exits, new_exits) = (old.exits(), new.exits());
    if old_exits.len() != new_exits.len() {
        let more = new_exits.get(old_exits.len()).or(new_exits.last());
        let step = more.map(|&place| &new.steps[place]);
        return Err(UpdateError {
            node: step.map_or(0, |step| step.node),
            ..UpdateError::plain(TOPOLOGY)
        });
    }
    let mut pairs = Pairs::new();
    let mut back = Pairs::new();
    let mut open: Vec<(usize, usize)> = old_exits.into_iter().zip(new_exits).collect();
    for &(one, other) in &open {
        pairs.insert(one, other);
        back.insert(other, one);
    }
    while let Some((one, other)) = open.pop() {
        let (one, other) = (&old.steps[one], &new.steps[other]);
        if one.before.len() != other.before.len() {
            return Err(UpdateError::at(TOPOLOGY, other));
        }
        for (mine, theirs) in one.before.iter().zip(&other.before) {
            let places = (old_places[&mine.number], new_places[&theirs.number]);
            let known = (pairs.get(&places.0), back.get(&places.1));
            match known {
                (None, None) => {
                    pairs.insert(places.0, places.1);
                    back.insert(places.1, places.0);
                    open.push(places);
                }
                (Some(&paired), Some(_)) if paired == places.1 => {}
                _ => {
                    return Err(UpdateError {
                        from: new.steps[places.1].node,
                        ..UpdateError::at(TOPOLOGY, other)
                    });
                }
            }
            if mine.data != theirs.data {
                return Err(UpdateError::at(TOPOLOGY, other));
            }
        }
    }
    Ok(pairs)
}

/// Checks that a kernel can replace another.
fn check_launch(old: &Launch, new: &Launch, flags: u64) -> std::result::Result<(), u32> {
    if !Arc::ptr_eq(&old.function.context, &new.function.context) {
        return Err(CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE);
    }
    let by_priority = flags & u64::from(CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY) != 0;
    let priority = |launch: &Launch| launch.attribute(CU_LAUNCH_ATTRIBUTE_PRIORITY);
    if old.shape.cooperative != new.shape.cooperative
        || by_priority && priority(old) != priority(new)
    {
        return Err(CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED);
    }
    Ok(())
}

fn check_fill(old: &CheckedFill, new: &CheckedFill) -> bool {
    let (one, other) = (old.fill, new.fill);
    let flat = one.extent[1] == 1 && other.extent[1] == 1;
    let same = (one.extent, one.width, one.pitch) == (other.extent, other.width, other.pitch);
    old.is_like(new) && (flat || same)
}

fn check_words(old: &Words, new: &Words) -> bool {
    let kinds = |words: &Words| -> Vec<u32> {
        let given = words.given.iter();
        given.map(|operation| operation.operation).collect()
    };
    kinds(old) == kinds(new)
}

/// Checks that an operation can replace another. Otherwise returns the `CUgraphExecUpdateResult`.
fn check_operation(
    old: (&Operation, &Arc<Context>),
    new: (&Operation, &Arc<Context>),
    flags: u64,
) -> std::result::Result<(), u32> {
    let same_context = Arc::ptr_eq(old.1, new.1);
    let allowed = match (old.0, new.0) {
        (Operation::Launch(old), Operation::Launch(new)) => return check_launch(old, new, flags),
        (Operation::Copy(old), Operation::Copy(new)) => old.is_like(new) && same_context,
        (Operation::Fill(old), Operation::Fill(new)) => check_fill(old, new) && same_context,
        (Operation::Allocate(old), Operation::Allocate(new))
        | (Operation::Free(old), Operation::Free(new)) => {
            return match Arc::ptr_eq(old, new) {
                true => Ok(()),
                false => Err(CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED),
            };
        }
        (Operation::Words(old), Operation::Words(new)) => check_words(old, new) && same_context,
        (Operation::Semaphores(old), Operation::Semaphores(new)) => {
            old.handles.len() == new.handles.len() && same_context
        }
        _ => true,
    };
    if allowed { Ok(()) } else { Err(PARAMETERS) }
}

/// Checks that all work of a new plan can replace that of an old one.
fn check(old: &Plan, new: &Plan, flags: u64) -> Checked<Pairs> {
    let pairs = pair(old, new)?;
    // In order of creation, so that the reported node depends on nothing else.
    for (place, one) in old.steps.iter().enumerate() {
        let other = &new.steps[pairs[&place]];
        if one.action.kind() != other.action.kind() {
            let result = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
            return Err(UpdateError::at(result, other));
        }
        match (&one.action, &other.action) {
            (Action::Operation(one, mine), Action::Operation(two, theirs)) => {
                check_operation((one, mine), (two, theirs), flags)
                    .map_err(|result| UpdateError::at(result, other))?;
            }
            (Action::Child(one), Action::Child(two)) => {
                check(one, two, flags)?;
            }
            (Action::Conditional(one), Action::Conditional(two)) => {
                if !one.is_like(two) {
                    return Err(UpdateError::at(PARAMETERS, other));
                }
                for (one, two) in one.bodies.iter().zip(&two.bodies) {
                    check(one, two, flags)?;
                }
            }
            _ => {}
        }
    }
    Ok(pairs)
}

/// Replaces the work of a plan with that of another plan that was checked.
fn apply(old: &mut Plan, new: Plan, pairs: &Pairs, flags: u64) -> Checked {
    old.take_references(&new);
    let mut actions: HashMap<usize, Action> = new
        .steps
        .into_iter()
        .enumerate()
        .map(|(place, step)| (place, step.action))
        .collect();
    for (place, step) in old.steps.iter_mut().enumerate() {
        let action = actions.remove(&pairs[&place]).expect("each is paired once");
        match (&mut step.action, action) {
            (Action::Child(old), Action::Child(new)) => {
                let pairs = check(old, &new, flags)?;
                apply(old, new, &pairs, flags)?;
            }
            (Action::Conditional(old), Action::Conditional(new)) => {
                old.take_condition(&new);
                for (old, new) in old.bodies.iter_mut().zip(new.bodies) {
                    let pairs = check(old, &new, flags)?;
                    let new = Arc::unwrap_or_clone(new);
                    apply(Arc::make_mut(old), new, &pairs, flags)?;
                }
            }
            (old, new) => *old = new,
        }
    }
    Ok(())
}

impl Exec {
    /// Replaces its work with that of a graph.
    ///
    /// # Errors
    /// Returns the reason if the graph differs too much. In that case nothing changes.
    pub fn update(&self, graph: &Graph) -> Checked {
        let new = Plan::of(graph).map_err(|_| UpdateError::plain(CU_GRAPH_EXEC_UPDATE_ERROR))?;
        let plan = &mut self.state().plan;
        let pairs = check(plan, &new, self.flags)?;
        apply(plan, new, &pairs, self.flags)
    }

    /// Replaces the task of a node with another task of the same type, for later launches.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the executable graph was not made from a graph with
    /// this node, if the node was destroyed, or if the task has another type or differs too much.
    pub fn set(&self, node: u64, task: Task) -> Result {
        node::containing(node)?;
        let mut state = self.state();
        let step = state.plan.step(node).ok_or(Code::ERROR_INVALID_VALUE)?;
        let rejected = Err(Code::ERROR_INVALID_VALUE);
        let (Action::Operation(old, mine), Task::Operation(mut new, theirs)) =
            (&mut step.action, task)
        else {
            return rejected;
        };
        if node::kind_of(old) != node::kind_of(&new) {
            return rejected;
        }
        new.keep_attributes(old)?;
        let flat = |one: &Transfer, two: &Transfer| one.is_linear() && two.is_linear();
        if let (Operation::Copy(one), Operation::Copy(two)) = (&*old, &new)
            && !flat(one, two)
        {
            return rejected;
        }
        if check_operation((old, mine), (&new, &theirs), self.flags).is_err() {
            return rejected;
        }
        (*old, *mine) = (new, theirs);
        Ok(())
    }

    /// Replaces the work of a child graph node with that of another graph.
    ///
    /// # Errors
    /// Returns the errors of [`Exec::set`].
    pub fn set_child(&self, node: u64, graph: &Graph) -> Result {
        node::containing(node)?;
        let new = Plan::of(graph).map_err(|_| Code::ERROR_INVALID_VALUE)?;
        let mut state = self.state();
        let step = state.plan.step(node).ok_or(Code::ERROR_INVALID_VALUE)?;
        let Action::Child(old) = &mut step.action else {
            return Err(Code::ERROR_INVALID_VALUE);
        };
        let rejected = |_| Code::ERROR_INVALID_VALUE;
        let pairs = check(old, &new, self.flags).map_err(rejected)?;
        apply(old, new, &pairs, self.flags).map_err(rejected)
    }

    /// Calls `look` with the enabled flag of a kernel, copy or fill node.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the node has another type or was destroyed, or if the
    /// executable graph was not made from it.
    pub fn switch<T>(&self, node: u64, look: impl FnOnce(&mut bool) -> T) -> Result<T> {
        node::containing(node)?;
        let mut state = self.state();
        match state.plan.step(node) {
            Some(step)
                if matches!(
                    step.action.kind(),
                    CU_GRAPH_NODE_TYPE_KERNEL
                        | CU_GRAPH_NODE_TYPE_MEMCPY
                        | CU_GRAPH_NODE_TYPE_MEMSET
                ) =>
            {
                let before = step.enabled;
                let answer = look(&mut step.enabled);
                if let Action::Operation(Operation::Launch(launch), _) = &step.action
                    && let Some(node) = &launch.updatable
                    && before != step.enabled
                {
                    node.forget_changes();
                }
                Ok(answer)
            }
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }
}
