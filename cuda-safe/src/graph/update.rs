//! Changing a graph that is instantiated already.

use cuda_sys::{self as sys, CUgraphExecUpdateResult, CUgraphExecUpdateResultInfo, CUresult};

use super::{Graph, GraphError, GraphExec, Node, Part, parameters};
use crate::{
    error::{Error, ErrorKind, Result},
    function::Function,
    launch::{COOPERATIVE, KernelArguments, LaunchConfig, RawAttributes, bytes_of, name_of},
    memory::PlainData,
};

impl GraphExec {
    /// Takes over the parameters of all nodes of `graph`, which has the same nodes and edges, made in the same order.
    /// This is much cheaper than instantiating it. Launches that were made before are not changed.
    ///
    /// What the graph keeps is kept here from now on, in place of what was kept before: that is freed when its launches are
    /// over, and its tokens are refused. Nodes are still named by those of the graph that was instantiated. Whether a node
    /// is [enabled](Self::set_enabled) does not change.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`], with the driver's reason, where the two differ in more than parameters: nothing has
    /// changed then, and the error returns the graph.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let fill = |value: u32| -> cuda_safe::Result<_> {
    ///     let mut graph = Graph::new(&context)?;
    ///     let x = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 3)?);
    ///     graph.add_fill(&[], x, value)?;
    ///     Ok((graph, x))
    /// };
    /// let (first, _) = fill(1)?;
    /// let mut exec = first.instantiate()?;
    /// let (second, y) = fill(2)?;
    /// exec.update(second)?;
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.memory(y)?.to_vec(&stream)?, [2; 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphExecUpdate")]
    pub fn update(&mut self, graph: Graph) -> Result<(), GraphError> {
        match self.try_update(&graph) {
            Ok(()) => {
                self.replace(graph);
                Ok(())
            }
            Err(error) => Err(GraphError::new(error, graph)),
        }
    }

    fn try_update(&mut self, graph: &Graph) -> Result<()> {
        const CALL: &str = "cuGraphExecUpdate_v2";
        self.context()
            .expect_same(graph.context(), "GraphExec::update", "the two graphs")?;
        let _current = self.context().enter()?;
        let mut info = CUgraphExecUpdateResultInfo::default();
        // SAFETY: both handles are live; `info` is valid for the write.
        let code = unsafe { sys::cuGraphExecUpdate_v2(self.as_raw(), graph.as_raw(), &mut info) };
        if code != CUresult::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE {
            return self.context().check(CALL, code);
        }
        Err(Error::checked(
            ErrorKind::InvalidArgument,
            CALL,
            format!(
                "{}{}: instantiate the graph instead",
                reason(info.result),
                graph
                    .culprit(info.errorNode)
                    .map_or_else(String::new, |node| format!(", at {node} of the new one"))
            ),
        ))
    }

    /// Changes what a kernel's node launches. Launches that were made before are not changed.
    ///
    /// # Safety
    /// As [`Graph::add_kernel`].
    ///
    /// # Errors
    /// As [`Graph::add_kernel`]. A cooperative launch in place of one that is not, or the reverse. A grid of no blocks,
    /// since a node can't do nothing: [`set_enabled`](Self::set_enabled) does that.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// # let set = Module::compile(&context, r#"
    /// #     extern "C" __global__ void set(int *x, int value) { x[threadIdx.x] = value; }"#)?.function("set")?;
    /// let config = LaunchConfig::new(1, 4);
    /// let mut graph = Graph::new(&context)?;
    /// let x = graph.keep(DeviceBuffer::<i32>::zeroed(&stream, 4)?);
    /// // SAFETY: four threads, four elements.
    /// let node = unsafe { graph.add_kernel(&[], &set, config, (x, 1i32))? };
    /// let mut exec = graph.instantiate()?;
    /// // SAFETY: as above.
    /// unsafe { exec.set_kernel(node, &set, config, (x, 2i32))? };
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.memory(x)?.to_vec(&stream)?, [2; 4]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphExecKernelNodeSetParams")]
    pub unsafe fn set_kernel<A: KernelArguments>(
        &mut self,
        node: Node,
        function: &Function,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<()> {
        const CALL: &str = "GraphExec::set_kernel";
        self.template.expect_own(node, CALL)?;
        self.context()
            .expect_same(function.context(), CALL, "the graph and the kernel")?;
        self.expect_attributes(node, &config, CALL)?;
        let change = |kernel: Option<&_>| {
            let Some(kernel) = kernel else {
                return Err(Error::invalid(
                    CALL,
                    "a grid of no blocks: use GraphExec::set_enabled to leave the node out",
                ));
            };
            let _current = self.context().enter()?;
            // SAFETY: a live node of the graph that this was made of, if it is a kernel's; the arguments are read now.
            let code =
                unsafe { sys::cuGraphExecKernelNodeSetParams_v2(self.as_raw(), node.raw, kernel) };
            self.checked(
                "cuGraphExecKernelNodeSetParams_v2",
                code,
                node,
                "to launch a kernel",
            )
        };
        // SAFETY: the caller's promise.
        unsafe { parameters::kernel(function, config, arguments, CALL, change)? };
        self.held().function(function);
        Ok(())
    }

    /// An executable graph's nodes keep the attributes that they were added with: those that are asked for must be those.
    fn expect_attributes(
        &self,
        node: Node,
        config: &LaunchConfig,
        call: &'static str,
    ) -> Result<()> {
        let mut wanted = RawAttributes::new(config);
        if !config.cooperative {
            wanted.push(COOPERATIVE, &[0u32]);
        }
        let _current = self.context().enter()?;
        for one in wanted.as_slice() {
            let mut value = sys::CUlaunchAttributeValue::default();
            // SAFETY: a live node; the value is valid for the write.
            let code = unsafe { sys::cuGraphKernelNodeGetAttribute(node.raw, one.id, &mut value) };
            self.checked(
                "cuGraphKernelNodeGetAttribute",
                code,
                node,
                "to launch a kernel",
            )?;
            if bytes_of(&value) != bytes_of(&one.value) {
                let text = format!(
                    "a node's launch keeps the {} that it was added with: add another node for another",
                    name_of(one.id)
                );
                return Err(Error::invalid(call, text));
            }
        }
        Ok(())
    }

    /// Changes what a copy's node copies. Launches that were made before are not changed.
    ///
    /// # Errors
    /// As [`Graph::add_copy`]; the driver's code where host and device change their roles. No elements, since a node
    /// can't do nothing: [`set_enabled`](Self::set_enabled) does that.
    #[doc(alias = "cuGraphExecMemcpyNodeSetParams")]
    pub fn set_copy<T: PlainData>(
        &mut self,
        node: Node,
        to: impl Into<Part<T>>,
        from: impl Into<Part<T>>,
    ) -> Result<()> {
        const CALL: &str = "GraphExec::set_copy";
        self.template.expect_own(node, CALL)?;
        let copy = parameters::copy(self.held(), to.into(), from.into(), CALL)?;
        let copy = copy.ok_or_else(|| nothing(CALL))?;
        let context = self.context();
        let _current = context.enter()?;
        // SAFETY: a live node of the graph that this was made of; both sides are memory that it owns.
        let code = unsafe {
            sys::cuGraphExecMemcpyNodeSetParams(self.as_raw(), node.raw, &copy, context.as_raw())
        };
        self.checked("cuGraphExecMemcpyNodeSetParams", code, node, "to copy")
    }

    /// Changes what a fill's node writes, and where. Launches that were made before are not changed.
    ///
    /// # Errors
    /// As [`Graph::add_fill`], and as [`set_copy`](Self::set_copy).
    #[doc(alias = "cuGraphExecMemsetNodeSetParams")]
    pub fn set_fill<T: PlainData>(
        &mut self,
        node: Node,
        part: impl Into<Part<T>>,
        value: T,
    ) -> Result<()> {
        const CALL: &str = "GraphExec::set_fill";
        self.template.expect_own(node, CALL)?;
        let fill = parameters::fill(self.held(), part.into(), value, CALL)?;
        let fill = fill.ok_or_else(|| nothing(CALL))?;
        let context = self.context();
        let _current = context.enter()?;
        // SAFETY: a live node of the graph that this was made of; the memory is its own.
        let code = unsafe {
            sys::cuGraphExecMemsetNodeSetParams(self.as_raw(), node.raw, &fill, context.as_raw())
        };
        self.checked("cuGraphExecMemsetNodeSetParams", code, node, "to fill")
    }

    /// Whether later launches run a node, or pass over it as if it were empty: a kernel's, a copy's or a fill's.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a node of another graph. The driver's code for other kinds of nodes.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut graph = Graph::new(&context)?;
    /// let x = graph.keep(DeviceBuffer::<u8>::zeroed(&stream, 2)?);
    /// let node = graph.add_fill(&[], x, 9)?;
    /// let mut exec = graph.instantiate()?;
    /// exec.set_enabled(node, false)?;
    /// assert!(!exec.is_enabled(node)?);
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.memory(x)?.to_vec(&stream)?, [0, 0]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphNodeSetEnabled")]
    pub fn set_enabled(&mut self, node: Node, enabled: bool) -> Result<()> {
        const CALL: &str = "cuGraphNodeSetEnabled";
        self.template.expect_own(node, CALL)?;
        let _current = self.context().enter()?;
        // SAFETY: a live node of the graph that this was made of.
        let code =
            unsafe { sys::cuGraphNodeSetEnabled(self.as_raw(), node.raw, u32::from(enabled)) };
        self.checked(CALL, code, node, "to be left out")
    }

    /// As [`Context::check`](crate::Context::check); where the node is the reason, the error says what it is.
    fn checked(&self, call: &'static str, code: CUresult, node: Node, wanted: &str) -> Result<()> {
        let checked = self.context().check(call, code);
        match code {
            CUresult::CUDA_ERROR_INVALID_VALUE => checked.map_err(|error| {
                let kind = self.template.kind(node);
                let kind = kind.map_or_else(|_| "unknown".into(), |kind| kind.word());
                error.with_detail(format!(
                    "the node's kind is `{kind}`, which is asked {wanted}; beside that, a change can't exchange host and \
                     device, nor contexts"
                ))
            }),
            _ => checked,
        }
    }

    /// Whether launches run a node: see [`set_enabled`](Self::set_enabled).
    ///
    /// # Errors
    /// As [`set_enabled`](Self::set_enabled).
    #[doc(alias = "cuGraphNodeGetEnabled")]
    pub fn is_enabled(&self, node: Node) -> Result<bool> {
        const CALL: &str = "cuGraphNodeGetEnabled";
        self.template.expect_own(node, CALL)?;
        let _current = self.context().enter()?;
        let mut enabled = 0;
        // SAFETY: a live node; `enabled` is valid for the write.
        let code = unsafe { sys::cuGraphNodeGetEnabled(self.as_raw(), node.raw, &mut enabled) };
        self.context().check(CALL, code)?;
        Ok(enabled != 0)
    }
}

fn nothing(call: &'static str) -> Error {
    Error::invalid(
        call,
        "no elements: use GraphExec::set_enabled to leave the node out",
    )
}

/// In words, why an update was refused.
fn reason(result: CUgraphExecUpdateResult) -> String {
    use CUgraphExecUpdateResult as R;
    let text = match result {
        R::CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED => {
            "the graphs have different nodes or edges"
        }
        R::CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED => "a node is of another kind",
        R::CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED
        | R::CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE => {
            "a node launches another kernel, of a kind that can't be exchanged"
        }
        R::CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED => {
            "a parameter has changed in a way that is not supported"
        }
        R::CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED => "a node is of a kind that can't be updated",
        R::CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED => "an attribute of a node has changed",
        other => return format!("{other:?}"),
    };
    text.into()
}
