//! Nodes that allocate and free memory.

use std::sync::Arc;

use super::capture;
use super::definition::Graph;
use super::node::Task;
use crate::abi::pointers::In;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::memory::graph_allocations::{self, GraphMemory};
use crate::memory::pool::Pool;
use crate::process::context::{self, Context};
use crate::process::device;
use crate::process::warnings;
use crate::queue::stream::Stream;
use crate::work::operation::Operation;

/// Creates an allocation node. Returns its task and the address.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` for a size of 0, an invalid device, and more than 64 access
/// descriptors. Returns `CUDA_ERROR_NOT_SUPPORTED` for memory that is not emulated, and
/// `CUDA_ERROR_OUT_OF_MEMORY` if there is no memory left.
pub fn allocation(graph: &Graph, params: &AllocNodeParams) -> Result<(Task, u64)> {
    let properties = params.pool;
    if properties.allocation_type != CU_MEM_ALLOCATION_TYPE_PINNED || params.access_count > 64 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    if properties.handle_types != 0 {
        return Err(warnings::missing_feature(
            "graph memory for other processes",
        ));
    }
    let ordinal = properties.location.device()?;
    let access: Vec<Access> = In::of(params.access).array(params.access_count)?;
    for one in &access {
        device::check(one.location.id)?;
    }
    let context = context::on(ordinal, &context::current()?)?;
    task(graph, &context, params.size as u64, properties, access)
}

fn task(
    graph: &Graph,
    context: &Arc<Context>,
    size: u64,
    properties: PoolProperties,
    access: Vec<Access>,
) -> Result<(Task, u64)> {
    let memory = GraphMemory::new(context, size, properties, access, graph.handle)?;
    let address = memory.address();
    let task = Task::Operation(Operation::Allocate(memory), context.clone());
    Ok((task, address))
}

/// Creates a free node.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the address is not a graph's memory, or if another node
/// frees it.
pub fn release(graph: &Graph, address: u64) -> Result<Task> {
    let memory = graph_allocations::at(address)?;
    memory.free_by(graph.handle)?;
    let context = memory.context().clone();
    Ok(Task::Operation(Operation::Free(memory), context))
}

/// Captures a `cuMemAllocAsync`.
///
/// # Errors
/// Returns the errors of [`allocation`], and `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if the capture
/// is invalid.
pub fn capture_allocation(pool: &Arc<Pool>, size: u64, stream: &Arc<Stream>) -> Result<u64> {
    let context = context::on(pool.ordinal, &stream.context)?;
    let properties = PoolProperties {
        allocation_type: CU_MEM_ALLOCATION_TYPE_PINNED,
        handle_types: 0,
        location: Location {
            kind: CU_MEM_LOCATION_TYPE_DEVICE,
            id: pool.ordinal,
        },
        security: 0,
        maximum: 0,
        usage: 0,
        reserved: [0; 54],
    };
    let mut place = 0;
    capture::record_new(stream, |graph| {
        let (task, address) = task(graph, &context, size, properties, Vec::new())?;
        place = address;
        Ok(task)
    })?;
    Ok(place)
}

/// Captures a `cuMemFreeAsync`.
///
/// # Errors
/// Returns the errors of [`release`], and `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if the capture is
/// invalid.
pub fn capture_free(address: u64, stream: &Arc<Stream>) -> Result {
    capture::record_new(stream, |graph| release(graph, address))
}
