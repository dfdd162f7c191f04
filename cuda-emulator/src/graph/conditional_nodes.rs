//! Conditional nodes: graphs that run once, again and again, or not at all, as a value says that kernels set.
//!
//! Which body runs is decided when the node's turn has come. All of a node's bodies and rounds are one piece of work.

use std::sync::Arc;

use super::definition::{self, Graph, Standing};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::context::Context;
use crate::queue::stream::{How, Piece};
use crate::work::conditional_values::{self, Condition};

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
    pub condition: Arc<Condition>,
    /// `CUgraphConditionalNodeType`
    pub kind: u32,
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
}

/// Its graphs' handles become stale, and another node may have the condition.
impl Drop for Branch {
    fn drop(&mut self) {
        self.condition.leave();
        self.bodies.iter().for_each(|body| body.end());
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
