//! Nodes that run other graphs if, while, or as a value says.

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
    launch::{KernelArgument, Sealed},
    raw::structures::RawConditional,
    stream::Stream,
};

/// A value that kernels of a graph set, and that one conditional node looks at: [`Graph::add_condition`].
///
/// It is an argument of kernels, as a `cudaGraphConditionalHandle`. They set it by
/// `cudaGraphSetConditional(handle, value)`, which a kernel's source declares as
/// `extern "C" __device__ void cudaGraphSetConditional(unsigned long long, unsigned);`, or has from
/// `cuda_device_runtime_api.h`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    raw: u64,
    /// The graph's number.
    graph: u64,
}

impl Condition {
    /// The driver's handle, valid as long as its graph.
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

impl Sealed for Condition {}
// SAFETY: a number is its own bytes.
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
    /// A value for a conditional node of this graph to look at. It is `default` when a launch begins; without a default it
    /// is what the launch before has left, and 0 in the first one.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) where the driver is older than CUDA 12.3.
    #[doc(alias = "cuGraphConditionalHandleCreate")]
    pub fn add_condition(&mut self, default: Option<u32>) -> Result<Condition> {
        let create = newer::cuGraphConditionalHandleCreate()?;
        let _current = self.context().enter("cuGraphConditionalHandleCreate")?;
        let (mut raw, context) = (0, self.context().as_raw());
        let (value, flags) = (default.unwrap_or(0), default.is_some().into());
        // SAFETY: a live graph and its context; `raw` is valid for the write.
        let code = unsafe { create(&mut raw, self.as_raw(), context, value, flags) };
        self.context()
            .check("cuGraphConditionalHandleCreate", code)?;
        let graph = self.number;
        Ok(Condition { raw, graph })
    }

    /// Adds a node that runs a graph if `condition` isn't 0 when its turn has come. It waits for the nodes of `after`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a condition or nodes of another graph. The
    /// driver's code where another node has the condition already. [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported)
    /// where the driver is older than CUDA 12.3. What `body` returns. After an error the node is not there.
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
    /// // SAFETY: one number is read; the handle is this graph's.
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

    /// Adds a node that runs one graph if `condition` isn't 0 when its turn has come, and another one if it is.
    ///
    /// # Errors
    /// As [`add_if`](Self::add_if). The driver's code before CUDA 12.8.
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

    /// Adds a node that runs a graph again and again, as long as `condition` isn't 0 before each round. If nothing sets
    /// it to 0, the launch never ends.
    ///
    /// # Errors
    /// As [`add_if`](Self::add_if).
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// // The next number of Collatz; goes on until it is 1.
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
    ///     // SAFETY: one thread, two numbers; the handle is this graph's.
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

    /// Adds a node that runs graph `condition` of `count`, counted from 0; none where there is no such one. `body` is
    /// called for each of them.
    ///
    /// # Errors
    /// As [`add_if`](Self::add_if), and for a count of 0. The driver's code before CUDA 12.8.
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
            let text = "the condition belongs to another graph: make it with `add_condition` of the graph, or the body, that \
                        gets the node";
            return Err(Error::invalid(CALL, text));
        }
        let size = match c_uint::try_from(size) {
            Ok(size) if size > 0 => size,
            _ => return Err(Error::invalid(CALL, format!("a choice of {size} graphs"))),
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
            // SAFETY: a live graph and live nodes of it; the parameters are a conditional node's.
            unsafe { add(node, graph, nodes, count, parameters) }
        })
        .map_err(|error| match error.driver_code() {
            Some(CUresult::CUDA_ERROR_INVALID_VALUE) => error.with_detail(
                "perhaps another node looks at the condition already, or the driver doesn't know this kind of node (before \
                 CUDA 12.8: a switch, and an else)",
            ),
            _ => error,
        })?;
        // SAFETY: the driver made as many graphs, whose handles it keeps as long as the node.
        let bodies = unsafe { slice::from_raw_parts(parameters.bodies, size as usize) };
        Ok(New {
            node: Some(node),
            bodies: bodies.to_vec(),
        })
    }
}

/// `CUgraphConditionalNodeType`
#[derive(Clone, Copy)]
enum Which {
    If = 0,
    While = 1,
    Switch = 2,
}
use Which::{If, Switch, While};

/// A conditional node that nobody knows of yet, with its graphs. It goes again, unless it is kept.
pub(super) struct New {
    node: Option<Node>,
    pub(super) bodies: Vec<CUgraph>,
}

impl New {
    fn keep(mut self) -> Node {
        self.node.take().expect("taken here alone")
    }
}

impl Drop for New {
    fn drop(&mut self) {
        if let Some(node) = self.node {
            // SAFETY: a live node, of a graph that nobody else calls meanwhile.
            unsafe { sys::cuGraphDestroyNode(node.as_raw()) };
        }
    }
}
