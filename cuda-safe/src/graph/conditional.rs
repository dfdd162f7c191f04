//! Conditional nodes: if, while and switch.

use std::{
    ffi::{c_uint, c_void},
    fmt, ptr, slice,
};

use cuda_sys::{self as sys, CUgraph, CUgraphNodeType, CUresult};

use super::{Body, Graph, Node, NodeKind};
use crate::{
    code::parameter::ArgumentKind,
    driver::newer,
    error::{Error, Result},
    launch::KernelArgument,
    raw::structures::RawConditional,
    stream::Stream,
};

/// A value that kernels of a graph set and one conditional node reads. Created by
/// [`Graph::add_condition`].
///
/// As a kernel argument it is a `cudaGraphConditionalHandle`. Kernels set it with
/// `cudaGraphSetConditional(handle, value)`. Declare that function in the source as
/// `extern "C" __device__ void cudaGraphSetConditional(unsigned long long, unsigned);`, or include
/// `cuda_device_runtime_api.h`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    raw: u64,
    /// The graph's number.
    graph: u64,
}

impl Condition {
    /// Returns the driver's handle, which is valid as long as the graph.
    #[must_use]
    pub fn as_raw(self) -> u64 {
        self.raw
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Condition({:#x})", self.raw)
    }
}

// SAFETY: the type consists of one number.
unsafe impl KernelArgument for Condition {
    type Staged = u64;
    type Pointers = [*mut c_void; 1];
    const SIZE: usize = size_of::<u64>();

    fn kind() -> ArgumentKind {
        ArgumentKind::Integer
    }

    unsafe fn stage(self, _: &Stream) -> Result<u64> {
        Ok(self.raw)
    }

    fn pointers(staged: &mut u64) -> [*mut c_void; 1] {
        [(&raw mut *staged).cast()]
    }
}

impl Graph {
    /// Creates a value that a conditional node of this graph reads.
    ///
    /// Each launch starts with the value `default`. Without a default, the value of the previous
    /// launch remains, and the first launch starts with 0.
    ///
    /// See [`cuGraphConditionalHandleCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 12.3.
    #[doc(alias = "cuGraphConditionalHandleCreate")]
    pub fn add_condition(&mut self, default: Option<u32>) -> Result<Condition> {
        let create = newer::cuGraphConditionalHandleCreate()?;
        let _current = self.context().enter("cuGraphConditionalHandleCreate")?;
        let (mut raw, context) = (0, self.context().as_raw());
        let (value, flags) = (default.unwrap_or(0), default.is_some().into());
        // SAFETY: the graph and its context are alive, and `raw` is valid for the write.
        let code = unsafe { create(&mut raw, self.as_raw(), context, value, flags) };
        self.context()
            .check("cuGraphConditionalHandleCreate", code)?;
        let graph = self.number;
        Ok(Condition { raw, graph })
    }

    /// Adds a node that runs a graph if `condition` is not 0 when the node runs. The node depends
    /// on the nodes in `after`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the condition
    /// or a node belongs to another graph. Returns the driver's error if another node already uses
    /// the condition. Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the
    /// driver is older than CUDA 12.3. Returns the error of `body`. After an error the node is not
    /// in the graph.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let test = Module::compile(&context, r#"
    ///     extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);
    ///     extern "C" __global__ void test(const unsigned *x, unsigned long long positive) {
    ///         cudaGraphSetConditional(positive, *x > 0);
    ///     }"#)?.function("test")?;
    /// let mut graph = Graph::new(&context)?;
    /// let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1)?);
    /// let y = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1)?);
    /// let positive = graph.add_condition(None)?;
    /// // SAFETY: the kernel reads one number, and the handle belongs to this graph.
    /// let tested = unsafe { graph.add_kernel(&[], &test, LaunchConfig::new(1, 1), (x, positive))? };
    /// graph.add_if(&[tested], positive, |then| {
    ///     then.add_fill(&[], y, 7)?;
    ///     Ok(())
    /// })?;
    /// let mut exec = graph.instantiate()?;
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.memory(y)?.to_vec(&stream)?, [0]);
    /// exec.memory(x)?.fill(&stream, 5)?;
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.memory(y)?.to_vec(&stream)?, [7]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "CU_GRAPH_COND_TYPE_IF")]
    pub fn add_if(
        &mut self,
        after: &[Node],
        condition: Condition,
        body: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
    ) -> Result<Node> {
        let new = self.conditional(after, condition, If, 1)?;
        self.build(&new, 0, body)?;
        Ok(new.keep())
    }

    /// Adds a node that runs the first graph if `condition` is not 0 when the node runs, and the
    /// second graph otherwise.
    ///
    /// # Errors
    /// Returns the errors of [`add_if`](Self::add_if). Returns the driver's error if the driver is
    /// older than CUDA 12.8.
    pub fn add_if_else(
        &mut self,
        after: &[Node],
        condition: Condition,
        then: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
        otherwise: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
    ) -> Result<Node> {
        let new = self.conditional(after, condition, If, 2)?;
        self.build(&new, 0, then)?;
        self.build(&new, 1, otherwise)?;
        Ok(new.keep())
    }

    /// Adds a node that runs a graph repeatedly, while `condition` is not 0 before each iteration.
    /// If nothing sets it to 0, the launch never ends.
    ///
    /// # Errors
    /// Returns the errors of [`add_if`](Self::add_if).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// // Computes the next Collatz number, until it is 1.
    /// let next = Module::compile(&context, r#"
    ///     extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);
    ///     extern "C" __global__ void next(unsigned *x, unsigned *steps, unsigned long long more) {
    ///         *x = *x % 2 ? 3 * *x + 1 : *x / 2;
    ///         *steps += 1;
    ///         cudaGraphSetConditional(more, *x != 1);
    ///     }"#)?.function("next")?;
    /// let mut graph = Graph::new(&context)?;
    /// let x = graph.keep(DeviceBuffer::from_slice(&stream, &[27u32])?);
    /// let steps = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1)?);
    /// let more = graph.add_condition(Some(1))?;
    /// graph.add_while(&[], more, |body| {
    ///     // SAFETY: one thread and two numbers. The handle belongs to this graph.
    ///     unsafe { body.add_kernel(&[], &next, LaunchConfig::new(1, 1), (x, steps, more))? };
    ///     Ok(())
    /// })?;
    /// let mut exec = graph.instantiate()?;
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.memory(steps)?.to_vec(&stream)?, [111]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "CU_GRAPH_COND_TYPE_WHILE")]
    pub fn add_while(
        &mut self,
        after: &[Node],
        condition: Condition,
        body: impl for<'a> FnOnce(&mut Body<'a>) -> Result<()>,
    ) -> Result<Node> {
        let new = self.conditional(after, condition, While, 1)?;
        self.build(&new, 0, body)?;
        Ok(new.keep())
    }

    /// Adds a node that runs one of `count` graphs: the one with index `condition`, or none if the
    /// index is too large. `body` is called once for each graph.
    ///
    /// # Errors
    /// Returns the errors of [`add_if`](Self::add_if). Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `count` is 0. Returns
    /// the driver's error if the driver is older than CUDA 12.8.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut graph = Graph::new(&context)?;
    /// let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1)?);
    /// let which = graph.add_condition(Some(2))?;
    /// graph.add_switch(&[], which, 3, |i, body| {
    ///     body.add_fill(&[], x, [10, 20, 30][i])?;
    ///     Ok(())
    /// })?;
    /// let mut exec = graph.instantiate()?;
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.memory(x)?.to_vec(&stream)?, [30]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "CU_GRAPH_COND_TYPE_SWITCH")]
    pub fn add_switch(
        &mut self,
        after: &[Node],
        condition: Condition,
        count: usize,
        mut body: impl for<'a> FnMut(usize, &mut Body<'a>) -> Result<()>,
    ) -> Result<Node> {
        let new = self.conditional(after, condition, Switch, count)?;
        for i in 0..count {
            self.build(&new, i, |one| body(i, one))?;
        }
        Ok(new.keep())
    }

    /// Adds a conditional node whose graphs are empty.
    fn conditional(
        &mut self,
        after: &[Node],
        condition: Condition,
        which: Which,
        size: usize,
    ) -> Result<New> {
        const CALL: &str = "cuGraphAddNode";
        if condition.graph != self.number {
            let text = "the condition belongs to another graph. Fix: create it with `add_condition` of the graph or body to \
                        which the node is added";
            return Err(Error::invalid(CALL, text));
        }
        let size = match c_uint::try_from(size) {
            Ok(size) if size > 0 => size,
            _ => {
                return Err(Error::invalid(
                    CALL,
                    format!("`count` is {size}, but must be at least 1 and fit into 32 bits"),
                ));
            }
        };
        let add = newer::cuGraphAddNode()?;
        let mut parameters = RawConditional {
            kind: CUgraphNodeType(NodeKind::CONDITIONAL.0),
            reserved: [0; 3],
            condition: condition.raw,
            which: which as c_uint,
            size,
            bodies: ptr::null_mut(),
            context: self.context().as_raw(),
            rest: [0; 26],
        };
        let node = self.add(CALL, after, |node, graph, nodes, count| {
            let parameters = (&raw mut parameters).cast();
            // SAFETY: the graph and its nodes are alive. The parameters are those of a conditional
            // node.
            unsafe { add(node, graph, nodes, count, parameters) }
        })
        .map_err(|error| match error.driver_code() {
            Some(CUresult::CUDA_ERROR_INVALID_VALUE) => error.with_detail(
                "either another node uses the condition already, or the driver does not support this kind of node \
                 (a switch and an else need CUDA 12.8)",
            ),
            _ => error,
        })?;
        // SAFETY: the driver created `size` graphs, and keeps their handles valid as long as the
        // node exists.
        let bodies = unsafe { slice::from_raw_parts(parameters.bodies, size as usize) };
        Ok(New {
            node: Some(node),
            bodies: bodies.to_vec(),
        })
    }
}

/// The kind of a conditional node (`CUgraphConditionalNodeType`).
#[derive(Clone, Copy)]
enum Which {
    If = 0,
    While = 1,
    Switch = 2,
}
use Which::{If, Switch, While};

/// A new conditional node with its graphs. Dropping it removes the node unless it was kept.
pub(super) struct New {
    node: Option<Node>,
    pub(super) bodies: Vec<CUgraph>,
}

impl New {
    fn keep(mut self) -> Node {
        self.node.take().expect("only `keep` takes the node")
    }
}

impl Drop for New {
    fn drop(&mut self) {
        if let Some(node) = self.node {
            // SAFETY: the node is alive, and no other code uses its graph meanwhile.
            unsafe { sys::cuGraphDestroyNode(node.as_raw()) };
        }
    }
}
