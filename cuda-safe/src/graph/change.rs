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
    /// Changes the launch of a kernel node. Earlier launches of the graph are not affected.
    ///
    /// See [`cuGraphExecKernelNodeSetParams`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that the contract of [`Graph::add_kernel`] holds.
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_kernel`]. Returns [`ErrorKind::InvalidArgument`] if the
    /// node's launch has other attributes, such as cooperative instead of normal. Also returns it
    /// for a grid without blocks. To skip the node, use [`set_enabled`](Self::set_enabled).
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
                    "the grid has no blocks. Fix: skip the node with GraphExec::set_enabled",
                ));
            };
            let _current = self.context().enter("cuGraphExecKernelNodeSetParams_v2")?;
            // SAFETY: the node belongs to the instantiated graph and is alive. The driver checks
            // its kind and reads the arguments now.
            let code =
                unsafe { sys::cuGraphExecKernelNodeSetParams_v2(self.as_raw(), node.raw, kernel) };
            self.checked(
                "cuGraphExecKernelNodeSetParams_v2",
                code,
                node,
                "to launch a kernel",
            )
        };
        // SAFETY: the caller promises it.
        unsafe { parameters::kernel(function, config, arguments, CALL, change)? };
        self.held().function(function);
        Ok(())
    }

    /// Returns an error unless the attributes of `config` are those with which the node was added,
    /// which cannot change.
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
            // SAFETY: the node is alive, and the value is valid for the write.
            let code = unsafe { sys::cuGraphKernelNodeGetAttribute(node.raw, one.id, &mut value) };
            self.checked(
                "cuGraphKernelNodeGetAttribute",
                code,
                node,
                "to launch a kernel",
            )?;
            if bytes_of(&value) != bytes_of(&one.value) {
                let text = format!(
                    "the launch attribute {} of a node can't be changed. Fix: add another node with the new value",
                    name_of(one.id)
                );
                return Err(Error::invalid(call, text));
            }
        }
        Ok(())
    }

    /// Changes the operands of a copy node. Earlier launches of the graph are not affected.
    ///
    /// See [`cuGraphExecMemcpyNodeSetParams`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_copy`]. Returns the driver's error if host and device
    /// memory change roles. Returns [`ErrorKind::InvalidArgument`] if there are no elements. To
    /// skip the node, use [`set_enabled`](Self::set_enabled).
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
        // SAFETY: the graph owns both sides.
        unsafe { self.set_raw_copy(node, &copy) }
    }

    /// # Safety
    /// The caller must ensure that the graph owns both sides, and that they have that many bytes.
    pub(super) unsafe fn set_raw_copy(
        &mut self,
        node: Node,
        copy: &sys::CUDA_MEMCPY3D,
    ) -> Result<()> {
        let context = self.context();
        let _current = context.enter("cuGraphExecMemcpyNodeSetParams")?;
        // SAFETY: the node belongs to the instantiated graph and is alive. The caller promises the
        // rest.
        let code = unsafe {
            sys::cuGraphExecMemcpyNodeSetParams(self.as_raw(), node.raw, copy, context.as_raw())
        };
        self.checked("cuGraphExecMemcpyNodeSetParams", code, node, "to copy")
    }

    /// Changes the memory and the value of a fill node. Earlier launches of the graph are not
    /// affected.
    ///
    /// See [`cuGraphExecMemsetNodeSetParams`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_fill`]. Returns [`ErrorKind::InvalidArgument`] if there
    /// are no elements. To skip the node, use [`set_enabled`](Self::set_enabled).
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
        // SAFETY: the node belongs to the instantiated graph and is alive. The graph owns the
        // memory.
        let code = unsafe {
            sys::cuGraphExecMemsetNodeSetParams(self.as_raw(), node.raw, &fill, context.as_raw())
        };
        self.checked("cuGraphExecMemsetNodeSetParams", code, node, "to fill")
    }

    /// Changes the host function that a node calls. Earlier launches still call the old function. A
    /// later method of this type drops it when they have finished.
    ///
    /// See [`cuGraphExecHostNodeSetParams`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the node belongs to another graph. Returns the
    /// driver's error if the node does not call a host function.
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
        // SAFETY: the node belongs to the instantiated graph and is alive. The data is a number,
        // which stays valid.
        let code = unsafe { sys::cuGraphExecHostNodeSetParams(self.as_raw(), node.raw, &host) };
        if code == CUresult::CUDA_SUCCESS {
            self.retire(node.tag());
        }
        // After a failure too, because the change may have been made.
        self.held().host(changed(node.tag()), function);
        self.checked(CALL, code, node, "to call a function")
    }

    /// Changes the event that a node records or waits for. Earlier launches of the graph are not
    /// affected.
    ///
    /// See [`cuGraphExecEventRecordNodeSetEvent`, `cuGraphExecEventWaitNodeSetEvent`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the node belongs to another graph or has no event,
    /// or if the event belongs to another context.
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
                // SAFETY: the node belongs to the instantiated graph and is alive. The graph holds
                // the event.
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
            drop(self.held().take_changed(node.tag())); // the driver keeps the parts of the old event that launches need
        }
        // After a failure too, because the change may have been made.
        self.held().event(changed(node.tag()), event);
        self.context().check(call, code)
    }

    /// Replaces the graph of a child node, with everything that the new graph keeps. The new graph
    /// must have the same nodes and edges. Earlier launches are not affected.
    ///
    /// A child that this method set before is dropped by a later method of this type, when its
    /// launches have finished. Its tokens are rejected from now on. The first child stays for
    /// [`into_graph`](Self::into_graph).
    ///
    /// See [`cuGraphExecChildGraphNodeSetParams`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the node belongs to another graph, or the child to
    /// another context. Returns the driver's error if the graphs differ in more than parameters, or
    /// if the node is not a child graph. The error contains the child.
    #[doc(alias = "cuGraphExecChildGraphNodeSetParams")]
    pub fn set_child(&mut self, node: Node, mut child: Graph) -> Result<(), GraphError> {
        const CALL: &str = "cuGraphExecChildGraphNodeSetParams";
        let result = self.expect_own(node, CALL).and_then(|()| {
            self.context()
                .expect_same(child.context(), CALL, "the graph and the child")?;
            let _current = self.context().enter("cuGraphExecChildGraphNodeSetParams")?;
            // SAFETY: the node belongs to the instantiated graph and is alive. The driver reads the
            // child now.
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

    /// Enables or disables a kernel, copy or fill node for later launches. A disabled node behaves
    /// like an empty node.
    ///
    /// See [`cuGraphNodeSetEnabled`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if the node belongs to another graph. Returns the
    /// driver's error for other kinds of nodes.
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
        // SAFETY: the node belongs to the instantiated graph and is alive.
        let code =
            unsafe { sys::cuGraphNodeSetEnabled(self.as_raw(), node.raw, u32::from(enabled)) };
        self.checked(CALL, code, node, "to be left out")
    }

    /// Does the same as [`Context::check`](crate::Context::check), and describes the node if it may
    /// be the reason.
    fn checked(&self, call: &'static str, code: CUresult, node: Node, wanted: &str) -> Result<()> {
        let checked = self.context().check(call, code);
        match code {
            CUresult::CUDA_ERROR_INVALID_VALUE => checked.map_err(|error| {
                let kind = self.template.kind(node);
                let kind = kind.map_or_else(|_| "unknown".into(), |kind| kind.word());
                error.with_detail(format!(
                    "the node's kind is `{kind}`, which is asked {wanted}. A change can't replace host memory by device \
                     memory or the reverse, and can't change the context"
                ))
            }),
            _ => checked,
        }
    }

    /// Returns whether launches run a node. See [`set_enabled`](Self::set_enabled).
    ///
    /// See [`cuGraphNodeGetEnabled`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`set_enabled`](Self::set_enabled).
    #[doc(alias = "cuGraphNodeGetEnabled")]
    pub fn is_enabled(&self, node: Node) -> Result<bool> {
        const CALL: &str = "cuGraphNodeGetEnabled";
        self.expect_own(node, CALL)?;
        let _current = self.context().enter("cuGraphNodeGetEnabled")?;
        let mut enabled = 0;
        // SAFETY: the node is alive, and `enabled` is valid for the write.
        let code = unsafe { sys::cuGraphNodeGetEnabled(self.as_raw(), node.raw, &mut enabled) };
        self.context().check(CALL, code)?;
        Ok(enabled != 0)
    }
}

fn nothing(call: &'static str) -> Error {
    Error::invalid(
        call,
        "there are no elements. Fix: skip the node with GraphExec::set_enabled",
    )
}
