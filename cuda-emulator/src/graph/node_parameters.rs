//! What nodes do, from the structures in which the client says it, and back.

use std::sync::Arc;

use super::conditional_nodes::Branch;
use super::definition::{self, Graph, Standing};
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

/// The context that a node is to run in; null for the current one.
fn in_context(handle: u64) -> Result<Arc<Context>> {
    let context = context::get_or_current(handle)?;
    context.usable()?;
    Ok(context)
}

/// # Errors
/// As for a launch.
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

/// # Errors
/// As for a copy, and `CUDA_ERROR_INVALID_VALUE` where there is nothing to copy.
pub fn copy(copy: &Copy3d, context: u64) -> Result<Task> {
    let context = in_context(context)?;
    let transfer = Transfer::described(copy)?;
    for side in [&transfer.to, &transfer.from] {
        side.expect_open(&context)?;
    }
    Ok(Task::Operation(Operation::Copy(transfer), context))
}

/// # Errors
/// As for a fill, and `CUDA_ERROR_INVALID_VALUE` where there is nothing to fill.
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

/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for null.
pub fn host(params: &HostNodeParams) -> Result<Task> {
    let call = HostCall::new(params.function, params.data)?;
    Ok(Task::Operation(Operation::Call(call), in_context(0)?))
}

/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for unknown flags and too many operations; what is wrong with one of them.
pub fn batch(params: &BatchNodeParams) -> Result<Task> {
    let context = in_context(params.context)?;
    if params.flags != 0 || params.count > memory_operations::MOST {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let operations = In::of(params.operations).array(params.count as usize)?;
    let words = Words::new(&operations)?;
    Ok(Task::Operation(Operation::Words(words), context))
}

/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for null, and for what is no semaphore.
pub fn semaphores(act: Act, params: &SemaphoreNodeParams) -> Result<Task> {
    let context = in_context(0)?;
    let count = params.count as usize;
    let handles = In::of(params.semaphores).array(count)?;
    let given = In::of(params.params).array(count)?;
    let semaphores = Semaphores::new(act, &handles, &given)?;
    Ok(Task::Operation(Operation::Semaphores(semaphores), context))
}

/// # Errors
/// `CUDA_ERROR_INVALID_HANDLE`, here and below.
pub fn record(event: u64) -> Result<Task> {
    let event = event::get(event)?;
    let context = event.context.clone();
    Ok(Task::Operation(Operation::Record(event), context))
}

pub fn wait(event: u64) -> Result<Task> {
    let event = event::get(event)?;
    let context = event.context.clone();
    Ok(Task::Operation(Operation::Await(event), context))
}

/// A node for a graph, which becomes the node's own or is copied.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a graph that isn't the client's, and for a copy of one that allocates or frees memory.
pub fn child(params: &ChildNodeParams) -> Result<Task> {
    let graph = definition::get(params.graph)?;
    match (params.ownership, graph.standing()) {
        (CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE, _) => Ok(Task::Child(graph.copy(Standing::Child)?)),
        (CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE, Standing::Own) => Ok(Task::Child(graph)),
        _ => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Adds a node. A graph that becomes its own stays the client's if that fails.
///
/// # Errors
/// As [`Graph::add`], and `CUDA_ERROR_INVALID_VALUE` for a graph that would contain itself.
pub fn add(graph: &Arc<Graph>, task: Task, on: &[Dependency]) -> Result<u64> {
    if let Task::Operation(Operation::Free(memory), _) = &task {
        let memory = memory.clone();
        return graph
            .add(task, on)
            .inspect_err(|_| memory.keep(graph.handle));
    }
    let Task::Child(child) = &task else {
        return graph.add(task, on);
    };
    let child = child.clone();
    let moved = child.standing() == Standing::Own;
    if moved && child.contains(graph) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let node = graph.add(task, on);
    match node {
        Ok(_) => child.stand(Standing::Child),
        Err(_) if !moved => child.end(),
        Err(_) => {}
    }
    node
}

/// The task that a `CUgraphNodeParams` describes.
///
/// # Errors
/// What is wrong with it; `CUDA_ERROR_NOT_SUPPORTED` for nodes that aren't emulated.
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
        // Only to be added: none can be changed.
        CU_GRAPH_NODE_TYPE_MEM_ALLOC
        | CU_GRAPH_NODE_TYPE_MEM_FREE
        | CU_GRAPH_NODE_TYPE_CONDITIONAL => Err(Code::ERROR_NOT_SUPPORTED),
        _ => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Looks at a node.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` where there is none; as `look`.
pub fn with<T>(node: u64, look: impl FnOnce(&mut Node) -> Result<T>) -> Result<T> {
    let (graph, number) = node::containing(node)?;
    let mut body = graph.body();
    let node = body.nodes.get_mut(&number);
    look(node.ok_or(Code::ERROR_INVALID_VALUE)?)
}

impl Node {
    /// A kernel node's parameters. The arguments they point to live as long as the node keeps them.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a node of another type, here and below.
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

    pub fn host_params(&self) -> Result<HostNodeParams> {
        match &self.task {
            Task::Operation(Operation::Call(call), _) => Ok(HostNodeParams {
                function: call.address(),
                data: call.data,
            }),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// The operations they point to live as long as the node keeps them.
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

    /// The semaphores and parameters they point to live as long as the node keeps them.
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

    /// The event that is recorded, or waited for.
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

    pub fn allocation_params(&self) -> Result<AllocNodeParams> {
        match &self.task {
            Task::Operation(Operation::Allocate(memory), _) => Ok(memory.params()),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// The address that the node frees.
    pub fn freed(&self) -> Result<u64> {
        match &self.task {
            Task::Operation(Operation::Free(memory), _) => Ok(memory.address()),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// What a conditional node has.
    pub fn branch(&self) -> Result<&Branch> {
        match &self.task {
            Task::Conditional(branch) => Ok(branch),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// The graph that the node owns.
    pub fn child(&self) -> Result<&Arc<Graph>> {
        match &self.task {
            Task::Child(graph) => Ok(graph),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// All of it as a `CUgraphNodeParams`.
    ///
    /// # Errors
    /// None: each task has its form.
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

    /// Gives the node a new task of the same type.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a task of another type; `CUDA_ERROR_NOT_SUPPORTED` for a new child graph.
    pub fn set(&mut self, task: Task) -> Result {
        if task.kind() != self.task.kind() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let mut task = task;
        match (&mut task, &self.task) {
            (Task::Operation(new, _), Task::Operation(old, _)) => new.keep_attributes(old)?,
            (Task::Child(graph), _) => {
                if graph.standing() == Standing::Child {
                    graph.end();
                }
                return Err(warnings::lacking("another graph for a child graph node"));
            }
            _ => {}
        }
        self.task = task;
        self.pointers = Vec::new();
        Ok(())
    }
}

impl Operation {
    /// A kernel's new parameters leave its attributes as they were.
    ///
    /// # Errors
    /// As for a launch with these attributes.
    pub fn keep_attributes(&mut self, old: &Operation) -> Result {
        let (Operation::Launch(new), Operation::Launch(old)) = (self, old) else {
            return Ok(());
        };
        new.attributes.clone_from(&old.attributes);
        new.take_attributes_of(&old.shape)?;
        new.updatable.clone_from(&old.updatable);
        // Written into the parameters of another kernel, old changes would make no sense.
        if let Some(node) = &new.updatable {
            node.forget_changes();
        }
        new.check()
    }
}
