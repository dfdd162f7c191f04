//! Changing single nodes of an executable graph.

use cuda_sys::{self as sys, CUDA_HOST_NODE_PARAMS, CUresult};

use super::{
    Graph, GraphError, GraphExec, Part,
    held::changed,
    host::HostFunction,
    node::{Node, NodeKind},
    parameters,
};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    code::function::Function,
    error::{Error, Result},
    launch::{COOPERATIVE, KernelArguments, LaunchConfig, RawAttributes, bytes_of, name_of},
    memory::PlainData,
    stream::event::Event,
};

impl GraphExec {
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
        self.expect_own(node, CALL)?;
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
            let _current = self.context().enter("cuGraphExecKernelNodeSetParams_v2")?;
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
        let _current = self.context().enter("cuGraphKernelNodeGetAttribute")?;
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
        self.expect_own(node, CALL)?;
        let (to, from) = (to.into(), from.into());
        let copy = parameters::copy(self.held(), to, from, CALL)?;
        let copy = copy.ok_or_else(|| nothing(CALL))?;
        self.held().share(to.number);
        self.held().share(from.number);
        // SAFETY: both sides are memory that the graph owns.
        unsafe { self.set_raw_copy(node, &copy) }
    }

    /// # Safety
    /// Both sides are memory that the graph owns, of that many bytes.
    pub(super) unsafe fn set_raw_copy(
        &mut self,
        node: Node,
        copy: &sys::CUDA_MEMCPY3D,
    ) -> Result<()> {
        let context = self.context();
        let _current = context.enter("cuGraphExecMemcpyNodeSetParams")?;
        // SAFETY: a live node of the graph that this was made of; the rest is the caller's promise.
        let code = unsafe {
            sys::cuGraphExecMemcpyNodeSetParams(self.as_raw(), node.raw, copy, context.as_raw())
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
        self.expect_own(node, CALL)?;
        let part = part.into();
        let fill = parameters::fill(self.held(), part, value, CALL)?;
        let fill = fill.ok_or_else(|| nothing(CALL))?;
        self.held().share(part.number);
        let context = self.context();
        let _current = context.enter("cuGraphExecMemsetNodeSetParams")?;
        // SAFETY: a live node of the graph that this was made of; the memory is its own.
        let code = unsafe {
            sys::cuGraphExecMemsetNodeSetParams(self.as_raw(), node.raw, &fill, context.as_raw())
        };
        self.checked("cuGraphExecMemsetNodeSetParams", code, node, "to fill")
    }

    /// Changes the function of the host that a node calls. Launches that were made before still call the old one, which is
    /// dropped by a later method of this type when they are over.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a node of another graph. The driver's code for another kind of node.
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream, graph::Graph};
    /// # use std::sync::mpsc;
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (sender, receiver) = mpsc::channel();
    /// let says = |word: &'static str| {
    ///     let sender = sender.clone();
    ///     move || sender.send(word).unwrap()
    /// };
    /// let mut graph = Graph::new(&context)?;
    /// let node = graph.add_host_function(&[], says("one"))?;
    /// let mut exec = graph.instantiate()?;
    /// exec.launch(&stream)?;
    /// exec.set_host_function(node, says("other"))?;
    /// exec.launch(&stream)?;
    /// stream.synchronize()?;
    /// assert_eq!(receiver.try_iter().collect::<Vec<_>>(), ["one", "other"]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphExecHostNodeSetParams")]
    pub fn set_host_function<F>(&mut self, node: Node, function: F) -> Result<()>
    where
        F: FnMut() + Send + 'static,
    {
        const CALL: &str = "cuGraphExecHostNodeSetParams";
        self.expect_own(node, CALL)?;
        let function = HostFunction::new(function);
        let (call, data) = function.as_raw();
        let host = CUDA_HOST_NODE_PARAMS {
            fn_: call,
            userData: data,
        };
        let _current = self.context().enter("cuGraphExecHostNodeSetParams")?;
        // SAFETY: a live node of the graph that this was made of; the data is a number, which stays valid.
        let code = unsafe { sys::cuGraphExecHostNodeSetParams(self.as_raw(), node.raw, &host) };
        if code == CUresult::CUDA_SUCCESS {
            self.retire(node.tag());
        }
        // After a failure too: the change may have been made.
        self.held().host(changed(node.tag()), function);
        self.checked(CALL, code, node, "to call a function")
    }

    /// Changes the event that a node records, or waits for. Launches that were made before are not changed.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a node of another graph, or of another kind, and for an event of another context.
    #[doc(alias = "cuGraphExecEventRecordNodeSetEvent")]
    #[doc(alias = "cuGraphExecEventWaitNodeSetEvent")]
    pub fn set_event(&mut self, node: Node, event: &Event) -> Result<()> {
        const CALL: &str = "GraphExec::set_event";
        self.expect_own(node, CALL)?;
        self.context()
            .expect_same(event.context(), CALL, "the graph and the event")?;
        let kind = self.template.kind(node)?;
        let _current = self.context().enter("cuGraphExecEventRecordNodeSetEvent")?;
        let (exec, raw) = (self.as_raw(), event.as_raw());
        let (call, code) = match kind {
            NodeKind::EVENT_RECORD => (
                "cuGraphExecEventRecordNodeSetEvent",
                // SAFETY: a live node of the graph that this was made of; the event is held.
                unsafe { sys::cuGraphExecEventRecordNodeSetEvent(exec, node.raw, raw) },
            ),
            NodeKind::EVENT_WAIT => (
                "cuGraphExecEventWaitNodeSetEvent",
                // SAFETY: as above.
                unsafe { sys::cuGraphExecEventWaitNodeSetEvent(exec, node.raw, raw) },
            ),
            other => {
                let text = format!("the node's kind is `{}`, which has no event", other.word());
                return Err(Error::invalid(CALL, text));
            }
        };
        if code == CUresult::CUDA_SUCCESS {
            drop(self.held().take_changed(node.tag())); // the driver keeps what launches need of the old event
        }
        // After a failure too: the change may have been made.
        self.held().event(changed(node.tag()), event);
        self.context().check(call, code)
    }

    /// Changes the graph that a node runs, for one with the same nodes and edges: with everything that it keeps. Launches
    /// that were made before are not changed. A child that this method set before is dropped when they are over, by a later
    /// method of this type, and its tokens are rejected. The graph's first child stays for
    /// [`into_graph`](Self::into_graph).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a node of another graph, and for a child of another context. The driver's code
    /// where the graphs differ in more than parameters, or the node is of another kind. The error returns the child.
    #[doc(alias = "cuGraphExecChildGraphNodeSetParams")]
    pub fn set_child(&mut self, node: Node, mut child: Graph) -> Result<(), GraphError> {
        const CALL: &str = "cuGraphExecChildGraphNodeSetParams";
        let result = self.expect_own(node, CALL).and_then(|()| {
            self.context()
                .expect_same(child.context(), CALL, "the graph and the child")?;
            let _current = self.context().enter("cuGraphExecChildGraphNodeSetParams")?;
            // SAFETY: a live node of the graph that this was made of; the driver reads the child now.
            let code = unsafe {
                sys::cuGraphExecChildGraphNodeSetParams(self.as_raw(), node.raw, child.as_raw())
            };
            self.checked(
                CALL,
                code,
                node,
                "to run a graph of the same nodes and edges",
            )
        });
        match result {
            Ok(()) => {
                self.retire(node.tag());
                self.held().absorb(changed(node.tag()), &mut child.held);
                Ok(())
            }
            Err(error) => Err(GraphError::new(error, child)),
        }
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
        self.expect_own(node, CALL)?;
        let _current = self.context().enter("cuGraphNodeSetEnabled")?;
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
        self.expect_own(node, CALL)?;
        let _current = self.context().enter("cuGraphNodeGetEnabled")?;
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
