//! Plans: the nodes of a graph in execution order, as they were at the instantiation.

use std::sync::Arc;

use super::conditional_nodes::Branch;
use super::definition::{Body, Graph};
use super::launch_order::LaunchOrder;
use super::node::{Link, Task};
use super::user_object::References;
use crate::abi::status::Result;
use crate::abi::*;
use crate::memory::graph_allocations::GraphMemory;
use crate::process::context::Context;
use crate::queue::fault::Fault;
use crate::queue::stream::{How, Piece, Stream};
use crate::work::conditional_values::Condition;
use crate::work::operation::Operation;

/// The nodes of a graph in topological order.
#[derive(Clone)]
pub struct Plan {
    pub steps: Vec<Step>,
    /// One reference to each of the graph's user objects.
    references: Arc<References>,
}

/// The work of one node.
#[derive(Clone)]
pub struct Step {
    /// The handle of the node from which it was made.
    pub node: u64,
    /// The node's number in its graph.
    pub number: u64,
    pub before: Vec<Link>,
    pub action: Action,
    /// Whether launches execute it.
    pub enabled: bool,
}

/// Like [`Task`], but with plans in place of the graphs that a node owns.
#[derive(Clone)]
pub enum Action {
    Empty,
    Operation(Operation, Arc<Context>),
    Child(Plan),
    Conditional(BranchPlan),
}

impl Action {
    fn of(task: &Task) -> std::result::Result<Action, u64> {
        Ok(match task {
            Task::Empty => Action::Empty,
            Task::Operation(operation, context) => {
                Action::Operation(operation.clone(), context.clone())
            }
            Task::Child(graph) => Action::Child(Plan::of(graph)?),
            Task::Conditional(branch) => Action::Conditional(BranchPlan::of(branch)?),
        })
    }

    /// Returns the `CUgraphNodeType`.
    pub fn kind(&self) -> u32 {
        match self {
            Action::Empty => Task::Empty.kind(),
            Action::Operation(operation, _) => super::node::kind_of(operation),
            Action::Child(_) => CU_GRAPH_NODE_TYPE_GRAPH,
            Action::Conditional(_) => CU_GRAPH_NODE_TYPE_CONDITIONAL,
        }
    }
}

impl Plan {
    /// Creates the plan of a graph in its current state.
    ///
    /// # Errors
    /// Returns the handle of a node in a cycle, if there is a cycle.
    pub fn of(graph: &Graph) -> std::result::Result<Plan, u64> {
        let mut references = References::default();
        references.extend(&graph.references(), Some(1));
        let body: &Body = &graph.body();
        let order = body.topological();
        let order = order.map_err(|number| body.nodes[&number].handle)?;
        let step = |number: u64| {
            let node = &body.nodes[&number];
            Ok(Step {
                node: node.handle,
                number,
                before: node.before.clone(),
                action: Action::of(&node.task)?,
                enabled: true,
            })
        };
        let steps = order.into_iter().map(step);
        Ok(Plan {
            steps: steps.collect::<std::result::Result<_, u64>>()?,
            references: Arc::new(references),
        })
    }

    /// Returns the step of a node, here or in a child graph.
    pub fn step(&mut self, node: u64) -> Option<&mut Step> {
        for step in &mut self.steps {
            if step.node == node {
                return Some(step);
            }
            let found = match &mut step.action {
                Action::Child(plan) => plan.step(node),
                // A launch in progress keeps its own copy.
                Action::Conditional(branch) => {
                    let mut bodies = branch.bodies.iter_mut();
                    bodies.find_map(|body| Arc::make_mut(body).step(node))
                }
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Replaces its user objects with those of another plan.
    pub fn take_references(&mut self, other: &Plan) {
        self.references = other.references.clone();
    }

    /// Collects the references that keep all of its user objects alive.
    pub fn references(&self, all: &mut Vec<Arc<References>>) {
        if !self.references.is_empty() {
            all.push(self.references.clone());
        }
        for step in &self.steps {
            match &step.action {
                Action::Child(plan) => plan.references(all),
                Action::Conditional(branch) => {
                    branch.bodies.iter().for_each(|body| body.references(all));
                }
                _ => {}
            }
        }
    }

    /// Returns whether kernels can change one of its nodes.
    pub fn is_updatable(&self) -> bool {
        self.steps.iter().any(|step| match &step.action {
            Action::Operation(Operation::Launch(launch), _) => launch.updatable.is_some(),
            Action::Child(plan) => plan.is_updatable(),
            Action::Conditional(branch) => branch.bodies.iter().any(|body| body.is_updatable()),
            _ => false,
        })
    }

    /// Collects the memory that it allocates and frees.
    pub fn memory(&self, allocated: &mut Vec<Arc<GraphMemory>>, freed: &mut Vec<Arc<GraphMemory>>) {
        for step in &self.steps {
            match &step.action {
                Action::Operation(Operation::Allocate(memory), _) => allocated.push(memory.clone()),
                Action::Operation(Operation::Free(memory), _) => freed.push(memory.clone()),
                Action::Child(plan) => plan.memory(allocated, freed),
                _ => {}
            }
        }
    }

    /// Checks that all contexts of its work can be used.
    ///
    /// # Errors
    /// Returns an error if a context is destroyed or has faulted.
    pub fn usable(&self) -> Result {
        for step in &self.steps {
            match &step.action {
                Action::Empty => {}
                Action::Operation(_, context) => context.usable()?,
                Action::Child(plan) => plan.usable()?,
                Action::Conditional(branch) => {
                    branch.bodies.iter().try_for_each(|body| body.usable())?;
                }
            }
        }
        Ok(())
    }

    /// Adds the stream work of one launch, in order. `of` is the executable graph named in fault
    /// reports.
    pub fn pieces(&self, stream: &Arc<Stream>, of: u64, pieces: &mut Vec<Piece>) {
        self.ordered_pieces(stream, of, pieces, LaunchOrder::new(of));
    }

    fn ordered_pieces(
        &self,
        stream: &Arc<Stream>,
        of: u64,
        pieces: &mut Vec<Piece>,
        mut order: Option<LaunchOrder>,
    ) {
        for step in &self.steps {
            let start = pieces.len();
            let before = order.as_ref().map(|order| order.before(&step.before));
            match &step.action {
                // Whether it runs is decided when it starts, because kernels can change that.
                Action::Operation(Operation::Launch(launch), _) if launch.updatable.is_some() => {
                    let piece = launch.clone().updatable_piece(step.enabled);
                    pieces.push(named(piece, of, step.node));
                }
                _ if !step.enabled => {}
                Action::Empty => {}
                Action::Operation(operation, context) => {
                    let node = step.node;
                    let all = operation.clone().pieces(context, stream);
                    pieces.extend(all.into_iter().map(|piece| named(piece, of, node)));
                }
                Action::Child(plan) => {
                    let inner = order.as_ref().zip(before.as_ref());
                    let inner = inner.map(|(order, before)| order.of_child(before));
                    plan.ordered_pieces(stream, of, pieces, inner);
                }
                Action::Conditional(branch) => pieces.push(branch.piece(stream, of)),
            }
            if let Some((order, before)) = order.as_mut().zip(before) {
                order.place((step.number, step.node), before, pieces, start);
            }
        }
    }
}

impl Plan {
    /// Collects the conditions of all its conditional nodes.
    pub fn conditions(&self, all: &mut Vec<Arc<Condition>>) {
        for step in &self.steps {
            match &step.action {
                Action::Child(plan) => plan.conditions(all),
                Action::Conditional(branch) => {
                    all.push(branch.condition.clone());
                    branch.bodies.iter().for_each(|body| body.conditions(all));
                }
                _ => {}
            }
        }
    }

    fn work(&self, stream: &Arc<Stream>, of: u64) -> Vec<Piece> {
        let mut pieces = Vec::new();
        self.pieces(stream, of, &mut pieces);
        pieces
    }
}

/// The plan of a conditional node.
#[derive(Clone)]
pub struct BranchPlan {
    condition: Arc<Condition>,
    kind: u32,
    pub bodies: Vec<Arc<Plan>>,
}

impl BranchPlan {
    /// Creates the plan of a node. If a body contains a node that is not allowed or is in a cycle,
    /// returns the handle of that node.
    fn of(branch: &Branch) -> std::result::Result<BranchPlan, u64> {
        let body = |graph: &Arc<Graph>| match unfit(graph) {
            Some(node) => Err(node),
            None => Ok(Arc::new(Plan::of(graph)?)),
        };
        Ok(BranchPlan {
            condition: branch.condition.clone(),
            kind: branch.kind,
            bodies: branch
                .bodies
                .iter()
                .map(body)
                .collect::<std::result::Result<_, _>>()?,
        })
    }

    /// Returns whether another plan's bodies can replace these.
    pub fn is_like(&self, other: &BranchPlan) -> bool {
        (self.kind, self.bodies.len()) == (other.kind, other.bodies.len())
    }

    /// Takes over the condition of another plan, because the new kernels set that one.
    pub fn take_condition(&mut self, other: &BranchPlan) {
        self.condition = other.condition.clone();
    }

    /// Returns the stream work of one launch. `of` is the executable graph named in fault reports.
    pub fn piece(&self, stream: &Arc<Stream>, of: u64) -> Piece {
        let (plan, stream) = (self.clone(), stream.clone());
        // Created now, so that the host memory that the bodies will use is registered. Later
        // iterations create their own work.
        let first = plan.bodies.iter().map(|body| body.work(&stream, of));
        let mut first: Vec<_> = first.map(Some).collect();
        let work = move || {
            while let Some(body) = plan.choice() {
                let pieces = first[body].take();
                let pieces = pieces.unwrap_or_else(|| plan.bodies[body].work(&stream, of));
                for piece in pieces {
                    (piece.work)()?;
                }
                let context = &plan.condition.context;
                if plan.kind != CU_GRAPH_COND_TYPE_WHILE
                    || context.own_fault().is_some()
                    || !context.is_alive()
                {
                    break;
                }
            }
            Ok::<(), Fault>(())
        };
        Piece::new(How::Soon, Box::new(work))
    }

    /// Returns the body selected by the current value.
    fn choice(&self) -> Option<usize> {
        let value = self.condition.value();
        let body = match self.kind {
            CU_GRAPH_COND_TYPE_SWITCH => value as usize,
            _ if value != 0 => 0,
            CU_GRAPH_COND_TYPE_IF => 1,
            _ => return None,
        };
        (body < self.bodies.len()).then_some(body)
    }
}

/// Returns a node that is not allowed in a body of a conditional node.
fn unfit(graph: &Graph) -> Option<u64> {
    let body = graph.body();
    let unfit = |task: &Task| match task {
        Task::Empty | Task::Conditional(_) => false,
        Task::Child(graph) => unfit(graph).is_some(),
        Task::Operation(operation, _) => !matches!(
            operation,
            Operation::Launch(_) | Operation::Copy(_) | Operation::Fill(_)
        ),
    };
    let mut nodes = body.nodes.values();
    nodes.find(|node| unfit(&node.task)).map(|node| node.handle)
}

/// Adds the node to the reports of faults.
fn named(piece: Piece, exec: u64, node: u64) -> Piece {
    let work = piece.work;
    let work = move || {
        work().map_err(|fault: Fault| {
            fault.with(&format!(
                "in node {node:#x} of the executable graph {exec:#x}"
            ))
        })
    };
    Piece {
        work: Box::new(work),
        ..piece
    }
}
