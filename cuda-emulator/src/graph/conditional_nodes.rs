//! Conditional nodes: graphs that run once, again and again, or not at all, as a value says that kernels set.
//!
//! Which body runs is decided when the node's turn has come. All of a node's bodies and rounds are one piece of work.

use std::sync::Arc;

use super::definition::{self, Graph, Standing};
use super::node::Task;
use super::plan::{Action, Plan};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::context::Context;
use crate::queue::fault::Fault;
use crate::queue::stream::{How, Piece, Stream};
use crate::work::conditional_values::{self, Condition};
use crate::work::operation::Operation;

/// Makes a handle that belongs to a graph.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for unknown flags.
pub fn create(graph: &Graph, context: Arc<Context>, default: u32, flags: u32) -> Result<u64> {
    if flags & !CU_GRAPH_COND_ASSIGN_DEFAULT != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let assigned = flags & CU_GRAPH_COND_ASSIGN_DEFAULT != 0;
    let condition = Condition::new(context, assigned.then_some(default));
    let handle = condition.handle;
    graph.conditions().push(condition);
    Ok(handle)
}

/// What a conditional node has.
pub struct Branch {
    condition: Arc<Condition>,
    /// `CUgraphConditionalNodeType`
    kind: u32,
    pub bodies: Vec<Arc<Graph>>,
    /// Their handles, as the client is given them.
    listed: Box<[u64]>,
}

impl Branch {
    /// A node's, with empty bodies.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a handle that isn't one, or that a node has already, for an unknown type, and for a
    /// number of bodies that the type can't have.
    pub fn new(params: &ConditionalNodeParams) -> Result<Branch> {
        let condition = conditional_values::get(params.handle).ok_or(Code::ERROR_INVALID_VALUE)?;
        let fits = match params.kind {
            CU_GRAPH_COND_TYPE_IF => matches!(params.size, 1 | 2),
            CU_GRAPH_COND_TYPE_WHILE => params.size == 1,
            CU_GRAPH_COND_TYPE_SWITCH => (1..=1 << 16).contains(&params.size),
            _ => false,
        };
        if !fits || !condition.take() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let bodies = (0..params.size).map(|_| definition::create(Standing::Child));
        let bodies: Vec<_> = bodies.collect();
        Ok(Branch {
            condition,
            kind: params.kind,
            listed: bodies.iter().map(|body| body.handle).collect(),
            bodies,
        })
    }

    /// The node's parameters.
    pub fn params(&self) -> ConditionalNodeParams {
        ConditionalNodeParams {
            handle: self.condition.handle,
            kind: self.kind,
            size: self.bodies.len() as u32,
            bodies: self.listed.as_ptr() as u64,
            context: self.condition.context.handle,
        }
    }

    /// Its plan; or the handle of a node that a body can't have, or that is in a cycle.
    pub fn plan(&self) -> std::result::Result<BranchPlan, u64> {
        let body = |graph: &Arc<Graph>| match graph.unfit() {
            Some(node) => Err(node),
            None => Ok(Arc::new(Plan::of(graph)?)),
        };
        Ok(BranchPlan {
            condition: self.condition.clone(),
            kind: self.kind,
            bodies: self
                .bodies
                .iter()
                .map(body)
                .collect::<std::result::Result<_, _>>()?,
        })
    }
}

/// Its graphs' handles become stale, and another node may have the condition.
impl Drop for Branch {
    fn drop(&mut self) {
        self.condition.leave();
        self.bodies.iter().for_each(|body| body.end());
    }
}

impl Graph {
    /// A node that a body of a conditional node can't have.
    fn unfit(&self) -> Option<u64> {
        let body = self.body();
        let unfit = |task: &Task| match task {
            Task::Empty | Task::Conditional(_) => false,
            Task::Child(graph) => graph.unfit().is_some(),
            Task::Operation(operation, _) => !matches!(
                operation,
                Operation::Launch(_) | Operation::Copy(_) | Operation::Fill(_)
            ),
        };
        let mut nodes = body.nodes.values();
        nodes.find(|node| unfit(&node.task)).map(|node| node.handle)
    }
}

/// What a conditional node does at a launch.
#[derive(Clone)]
pub struct BranchPlan {
    condition: Arc<Condition>,
    kind: u32,
    pub bodies: Vec<Arc<Plan>>,
}

impl BranchPlan {
    /// Whether another one's bodies can take the place of these.
    pub fn is_like(&self, other: &BranchPlan) -> bool {
        (self.kind, self.bodies.len()) == (other.kind, other.bodies.len())
    }

    /// Takes over another one's condition: its kernels set that.
    pub fn take_condition(&mut self, other: &BranchPlan) {
        self.condition = other.condition.clone();
    }

    /// The work of one launch. `of` says in fault reports what is launched.
    pub fn piece(&self, stream: &Arc<Stream>, of: u64) -> Piece {
        let (plan, stream) = (self.clone(), stream.clone());
        // Made now, so that host memory that the bodies will use is known. Later rounds make their own.
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

    /// The body that the value asks for now.
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

impl Plan {
    /// The conditions of all its conditional nodes.
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

/// The work that gives conditions their first values.
pub fn begin(conditions: Vec<Arc<Condition>>) -> Piece {
    let work = move || {
        conditions.iter().for_each(|condition| condition.begin());
        Ok(())
    };
    Piece::new(How::Soon, Box::new(work))
}
