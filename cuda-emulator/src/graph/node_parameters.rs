//! Conversion between the tasks of nodes and the client's parameter structures.

use std::sync::Arc;

use super::conditional_nodes::Branch;
use super::definition::{self, Graph, Ownership};
use super::node::{self, Dependency, Node, Task};
use crate::abi::pointers::In;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::code::library;
use crate::process::context::{self, Context};
use crate::process::warnings;
use crate::queue::event;
use crate::queue::host_functions::HostCall;
use crate::work::copy::Transfer;
use crate::work::external_semaphore::{Act, Semaphores};
use crate::work::fill::Fill;
use crate::work::launch::{self, Launch};
use crate::work::memory_operations::{self, Words};
use crate::work::operation::Operation;
use cuda_emulator_engine::Shape;

impl From<KernelNodeParams> for KernelNodeParams2 {
    fn from(plain: KernelNodeParams) -> Self {
        KernelNodeParams2 {
            plain,
            ..KernelNodeParams2::default()
        }
    }
}

/// Returns the context in which a node runs. Null means the current one.
fn in_context(handle: u64) -> Result<Arc<Context>> {
    let context = context::get_or_current(handle)?;
    context.usable()?;
    Ok(context)
}

/// Creates the task of a kernel node.
///
/// # Errors
/// Returns the errors of [`launch::arguments`] and [`Launch::new`], and
/// `CUDA_ERROR_INVALID_HANDLE` if the function or kernel is not live.
pub fn kernel(params: &KernelNodeParams2) -> Result<Task> {
    let plain = params.plain;
    let function = if plain.function != 0 {
        library::function(plain.function)?
    } else {
        let kernel = library::kernel(params.kernel)?;
        context::push(in_context(params.context)?.into());
        let function = kernel.function();
        context::pop();
        function?
    };
    let shape = Shape {
        grid: plain.grid,
        block: plain.block,
        dynamic_shared: plain.shared,
        ..Shape::default()
    };
    let arguments = (In::of(plain.arguments), In::of(plain.extra));
    let params = launch::arguments(&function, arguments.0, arguments.1)?;
    let context = function.context.clone();
    let launch = Launch::new(function, shape, params)?;
    Ok(Task::Operation(Operation::Launch(launch), context))
}

/// Creates the task of a copy node.
///
/// # Errors
/// Returns the errors of [`Transfer::described`], `CUDA_ERROR_INVALID_VALUE` if the context may not
/// access the memory, or an error if the context is not usable.
pub fn copy(copy: &Copy3d, context: u64) -> Result<Task> {
    let context = in_context(context)?;
    let transfer = Transfer::described(copy)?;
    for side in [&transfer.to, &transfer.from] {
        side.expect_open(&context)?;
    }
    Ok(Task::Operation(Operation::Copy(transfer), context))
}

/// Creates the task of a fill node.
///
/// # Errors
/// Returns the errors of [`Fill::check`], `CUDA_ERROR_INVALID_VALUE` if there is nothing to fill,
/// or an error if the context is not usable.
pub fn fill(params: &MemsetNodeParams, context: u64) -> Result<Task> {
    let context = in_context(context)?;
    if !matches!(params.element, 1 | 2 | 4) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let fill = Fill {
        address: params.address,
        pitch: params.pitch as u64,
        value: params.value,
        width: params.element.into(),
        extent: [params.width as u64, params.height as u64],
    };
    let fill = fill.check(&context)?.ok_or(Code::ERROR_INVALID_VALUE)?;
    Ok(Task::Operation(Operation::Fill(fill), context))
}

/// Creates the task of a host node.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the function is null.
pub fn host(params: &HostNodeParams) -> Result<Task> {
    let call = HostCall::new(params.function, params.data)?;
    Ok(Task::Operation(Operation::Call(call), in_context(0)?))
}

/// Creates the task of a node with stream memory operations.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` for unknown flags and too many operations, or the error of an
/// invalid operation.
pub fn batch(params: &BatchNodeParams) -> Result<Task> {
    let context = in_context(params.context)?;
    if params.flags != 0 || params.count > memory_operations::MOST {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let operations = In::of(params.operations).array(params.count as usize)?;
    let words = Words::new(&operations)?;
    Ok(Task::Operation(Operation::Words(words), context))
}

/// Creates the task of a semaphore node.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if a pointer is null or a semaphore is invalid.
pub fn semaphores(act: Act, params: &SemaphoreNodeParams) -> Result<Task> {
    let context = in_context(0)?;
    let count = params.count as usize;
    let handles = In::of(params.semaphores).array(count)?;
    let given = In::of(params.params).array(count)?;
    let semaphores = Semaphores::new(act, &handles, &given)?;
    Ok(Task::Operation(Operation::Semaphores(semaphores), context))
}

/// Creates the task of an event record node.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the event does not exist.
pub fn record(event: u64) -> Result<Task> {
    let event = event::get(event)?;
    let context = event.context.clone();
    Ok(Task::Operation(Operation::Record(event), context))
}

/// Creates the task of an event wait node.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the event does not exist.
pub fn wait(event: u64) -> Result<Task> {
    let event = event::get(event)?;
    let context = event.context.clone();
    Ok(Task::Operation(Operation::Await(event), context))
}

/// Creates the task of a child graph node from a graph that is moved or copied.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the graph is to be moved and the client does not own it,
/// and the errors of [`Graph::copy`].
pub fn child(params: &ChildNodeParams) -> Result<Task> {
    let graph = definition::get(params.graph)?;
    match (params.ownership, graph.ownership()) {
        (CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE, _) => Ok(Task::Child(graph.copy(Ownership::Node)?)),
        (CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE, Ownership::Client) => Ok(Task::Child(graph)),
        _ => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Adds a node. If that fails, a graph to be moved into it still belongs to the client.
///
/// # Errors
/// Returns the errors of [`Graph::add`], and `CUDA_ERROR_INVALID_VALUE` for a graph that would
/// contain itself.
pub fn add(graph: &Arc<Graph>, task: Task, on: &[Dependency]) -> Result<u64> {
    if let Task::Operation(Operation::Free(memory), _) = &task {
        let memory = memory.clone();
        return graph
            .add(task, on)
            .inspect_err(|_| memory.undo_free_by(graph.handle));
    }
    let Task::Child(child) = &task else {
        return graph.add(task, on);
    };
    let child = child.clone();
    let moved = child.ownership() == Ownership::Client;
    if moved && child.contains(graph) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let node = graph.add(task, on);
    match node {
        Ok(_) => child.set_ownership(Ownership::Node),
        Err(_) if !moved => child.end(),
        Err(_) => {}
    }
    node
}

/// Creates the task described by a `CUgraphNodeParams`.
///
/// # Errors
/// Returns the error of the node's own parameters, and `CUDA_ERROR_NOT_SUPPORTED` for nodes whose
/// parameters cannot be changed.
pub fn task(params: &NodeParams) -> Result<Task> {
    if params.reserved != [0; 3] || params.reserved_too != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    match params.kind {
        CU_GRAPH_NODE_TYPE_EMPTY => Ok(Task::Empty),
        CU_GRAPH_NODE_TYPE_KERNEL => kernel(&params.get()),
        CU_GRAPH_NODE_TYPE_MEMCPY => {
            let params: MemcpyNodeParams = params.get();
            if params.flags != 0 || params.reserved != 0 {
                return Err(Code::ERROR_INVALID_VALUE);
            }
            copy(&params.copy, params.context)
        }
        CU_GRAPH_NODE_TYPE_MEMSET => {
            let params: MemsetNodeParams2 = params.get();
            fill(&params.plain, params.context)
        }
        CU_GRAPH_NODE_TYPE_HOST => host(&params.get()),
        CU_GRAPH_NODE_TYPE_GRAPH => child(&params.get()),
        CU_GRAPH_NODE_TYPE_WAIT_EVENT => wait(params.get()),
        CU_GRAPH_NODE_TYPE_EVENT_RECORD => record(params.get()),
        CU_GRAPH_NODE_TYPE_BATCH_MEM_OP => batch(&params.get()),
        CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL => semaphores(Act::Signal, &params.get()),
        CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT => semaphores(Act::Wait, &params.get()),
        // These can be added but not changed.
        CU_GRAPH_NODE_TYPE_MEM_ALLOC
        | CU_GRAPH_NODE_TYPE_MEM_FREE
        | CU_GRAPH_NODE_TYPE_CONDITIONAL => Err(Code::ERROR_NOT_SUPPORTED),
        _ => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Calls `look` with a node.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if there is no such node, or the error of `look`.
pub fn with<T>(node: u64, look: impl FnOnce(&mut Node) -> Result<T>) -> Result<T> {
    let (graph, number) = node::containing(node)?;
    let mut body = graph.body();
    let node = body.nodes.get_mut(&number);
    look(node.ok_or(Code::ERROR_INVALID_VALUE)?)
}

impl Node {
    /// Returns a kernel node's parameters. Its argument pointers are valid as long as the node
    /// keeps these parameters.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it is not a kernel node.
    pub fn kernel_params(&mut self) -> Result<KernelNodeParams2> {
        let Task::Operation(Operation::Launch(launch), context) = &self.task else {
            return Err(Code::ERROR_INVALID_VALUE);
        };
        if self.pointers.is_empty() {
            let base = launch.params.as_ptr() as u64;
            let params = &launch.function.info().params;
            let places = params.iter().map(|param| base + u64::from(param.offset));
            self.pointers = places.collect();
        }
        Ok(KernelNodeParams2 {
            plain: KernelNodeParams {
                function: launch.function.handle,
                grid: launch.shape.grid,
                block: launch.shape.block,
                shared: launch.shape.dynamic_shared,
                arguments: match self.pointers.is_empty() {
                    true => 0,
                    false => self.pointers.as_ptr() as u64,
                },
                extra: 0,
            },
            kernel: 0,
            context: context.handle,
        })
    }

    /// Returns a copy node's parameters.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it is not a copy node.
    pub fn copy_params(&self) -> Result<MemcpyNodeParams> {
        match &self.task {
            Task::Operation(Operation::Copy(transfer), context) => Ok(MemcpyNodeParams {
                flags: 0,
                reserved: 0,
                context: context.handle,
                copy: transfer.describe(),
            }),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// Returns a fill node's parameters.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it is not a fill node.
    pub fn fill_params(&self) -> Result<MemsetNodeParams2> {
        let Task::Operation(Operation::Fill(checked), context) = &self.task else {
            return Err(Code::ERROR_INVALID_VALUE);
        };
        let fill = checked.fill;
        Ok(MemsetNodeParams2 {
            plain: MemsetNodeParams {
                address: fill.address,
                pitch: fill.pitch as usize,
                value: fill.value,
                element: fill.width as u32,
                width: fill.extent[0] as usize,
                height: fill.extent[1] as usize,
            },
            context: context.handle,
        })
    }

    /// Returns a host node's parameters.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it is not a host node.
    pub fn host_params(&self) -> Result<HostNodeParams> {
        match &self.task {
            Task::Operation(Operation::Call(call), _) => Ok(HostNodeParams {
                function: call.address(),
                data: call.data,
            }),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// Returns the parameters of a node with stream memory operations. Their pointers are valid as
    /// long as the node keeps these parameters.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the node has another type.
    pub fn batch_params(&self) -> Result<BatchNodeParams> {
        match &self.task {
            Task::Operation(Operation::Words(words), context) => Ok(BatchNodeParams {
                context: context.handle,
                count: words.given.len() as u32,
                operations: words.given.as_ptr() as u64,
                flags: 0,
            }),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// Returns the parameters of a semaphore node. Their pointers are valid as long as the node
    /// keeps these parameters.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the node has another type.
    pub fn semaphore_params(&self, act: Act) -> Result<SemaphoreNodeParams> {
        match &self.task {
            Task::Operation(Operation::Semaphores(semaphores), _) if semaphores.act == act => {
                Ok(SemaphoreNodeParams {
                    semaphores: semaphores.handles.as_ptr() as u64,
                    params: semaphores.given.as_ptr() as u64,
                    count: semaphores.handles.len() as u32,
                })
            }
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// Returns the event that it records, or for which it waits. `kind` selects the type of node.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the node has another type.
    pub fn event(&self, kind: u32) -> Result<u64> {
        match &self.task {
            Task::Operation(Operation::Record(event) | Operation::Await(event), _)
                if self.task.kind() == kind =>
            {
                Ok(event.handle)
            }
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// Returns an allocation node's parameters.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it is not an allocation node.
    pub fn allocation_params(&self) -> Result<AllocNodeParams> {
        match &self.task {
            Task::Operation(Operation::Allocate(memory), _) => Ok(memory.params()),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// Returns the address that it frees.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it is not a free node.
    pub fn freed(&self) -> Result<u64> {
        match &self.task {
            Task::Operation(Operation::Free(memory), _) => Ok(memory.address()),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// Returns the contents of a conditional node.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it is not a conditional node.
    pub fn branch(&self) -> Result<&Branch> {
        match &self.task {
            Task::Conditional(branch) => Ok(branch),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// Returns the graph that a child graph node owns.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it is not a child graph node.
    pub fn child(&self) -> Result<&Arc<Graph>> {
        match &self.task {
            Task::Child(graph) => Ok(graph),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// Returns all parameters as a `CUgraphNodeParams`.
    ///
    /// # Errors
    /// Does not fail, because every task has parameters.
    pub fn params(&mut self) -> Result<NodeParams> {
        let kind = self.task.kind();
        Ok(match kind {
            CU_GRAPH_NODE_TYPE_KERNEL => NodeParams::new(kind, self.kernel_params()?),
            CU_GRAPH_NODE_TYPE_MEMCPY => NodeParams::new(kind, self.copy_params()?),
            CU_GRAPH_NODE_TYPE_MEMSET => NodeParams::new(kind, self.fill_params()?),
            CU_GRAPH_NODE_TYPE_HOST => NodeParams::new(kind, self.host_params()?),
            CU_GRAPH_NODE_TYPE_BATCH_MEM_OP => NodeParams::new(kind, self.batch_params()?),
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL => {
                NodeParams::new(kind, self.semaphore_params(Act::Signal)?)
            }
            CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT => {
                NodeParams::new(kind, self.semaphore_params(Act::Wait)?)
            }
            CU_GRAPH_NODE_TYPE_GRAPH => NodeParams::new(
                kind,
                ChildNodeParams {
                    graph: self.child()?.handle,
                    ownership: CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE,
                },
            ),
            CU_GRAPH_NODE_TYPE_MEM_ALLOC => NodeParams::new(kind, self.allocation_params()?),
            CU_GRAPH_NODE_TYPE_MEM_FREE => NodeParams::new(kind, self.freed()?),
            CU_GRAPH_NODE_TYPE_CONDITIONAL => NodeParams::new(kind, self.branch()?.params()),
            CU_GRAPH_NODE_TYPE_EMPTY => NodeParams::new(kind, ()),
            _ => NodeParams::new(kind, self.event(kind)?),
        })
    }

    /// Replaces the node's task with another task of the same type.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the task has another type, and
    /// `CUDA_ERROR_NOT_SUPPORTED` for a new child graph.
    pub fn set(&mut self, task: Task) -> Result {
        if task.kind() != self.task.kind() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let mut task = task;
        match (&mut task, &self.task) {
            (Task::Operation(new, _), Task::Operation(old, _)) => new.keep_attributes(old)?,
            (Task::Child(graph), _) => {
                if graph.ownership() == Ownership::Node {
                    graph.end();
                }
                return Err(warnings::missing_feature(
                    "a new graph for a child graph node",
                ));
            }
            _ => {}
        }
        self.task = task;
        self.pointers = Vec::new();
        Ok(())
    }
}

impl Operation {
    /// Keeps the attributes of a kernel node whose parameters are replaced.
    ///
    /// # Errors
    /// Returns the errors of [`Launch::check`].
    pub fn keep_attributes(&mut self, old: &Operation) -> Result {
        let (Operation::Launch(new), Operation::Launch(old)) = (self, old) else {
            return Ok(());
        };
        new.attributes.clone_from(&old.attributes);
        new.take_attributes_of(&old.shape)?;
        new.updatable.clone_from(&old.updatable);
        // Changes made by kernels would be meaningless in the parameters of another kernel.
        if let Some(node) = &new.updatable {
            node.forget_changes();
        }
        new.check()
    }
}
