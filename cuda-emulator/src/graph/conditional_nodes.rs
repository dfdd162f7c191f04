//! Conditional nodes: graphs that run once, repeatedly or not at all, depending on a value that
//! kernels set.
//!
//! The body is chosen when the node runs. All bodies and iterations of a node are one piece of
//! stream work.

use std::sync::Arc;

use super::definition::{self, Graph, Ownership};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::context::Context;
use crate::queue::stream::{How, Piece};
use crate::work::conditional_values::{self, Condition};

/// Creates a conditional handle for a graph.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` for unknown flags.
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

/// The contents of a conditional node.
pub struct Branch {
    pub condition: Arc<Condition>,
    /// `CUgraphConditionalNodeType`
    pub kind: u32,
    pub bodies: Vec<Arc<Graph>>,
    /// The bodies' handles in the form returned to the client.
    listed: Box<[u64]>,
}

impl Branch {
    /// Creates the contents of a node, with empty bodies.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the handle is invalid or used by another node, if the
    /// type is unknown, or if the type does not allow this number of bodies.
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
        let bodies = (0..params.size).map(|_| definition::create(Ownership::Node));
        let bodies: Vec<_> = bodies.collect();
        Ok(Branch {
            condition,
            kind: params.kind,
            listed: bodies.iter().map(|body| body.handle).collect(),
            bodies,
        })
    }

    /// Returns the node's parameters.
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

/// The handles of its graphs become stale, and another node may use the condition.
impl Drop for Branch {
    fn drop(&mut self) {
        self.condition.leave();
        self.bodies.iter().for_each(|body| body.end());
    }
}

/// Returns the stream work that sets conditions to their default values.
pub fn begin(conditions: Vec<Arc<Condition>>) -> Piece {
    let work = move || {
        conditions.iter().for_each(|condition| condition.begin());
        Ok(())
    };
    Piece::new(How::Soon, Box::new(work))
}
