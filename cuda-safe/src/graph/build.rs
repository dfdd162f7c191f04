//! Adding nodes to a graph.

use std::ptr;

use cuda_sys::{self as sys, CUDA_HOST_NODE_PARAMS, CUgraph, CUgraphNode, CUresult};

use super::{Graph, GraphError, Part, host::HostFunction, node::Node, parameters};
use crate::{
    code::function::Function,
    error::{Error, Result},
    launch::{KernelArguments, LaunchConfig, RawAttributes, name_of},
    memory::{PlainData, operation::MemoryOperation},
    stream::event::Event,
};

impl Graph {
    /// Adds a node with the driver function in `make`. The node depends on the nodes in `after`.
    pub(super) fn add(
        &mut self,
        call: &'static str,
        after: &[Node],
        make: impl FnOnce(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize) -> CUresult,
    ) -> Result<Node> {
        for &node in after {
            self.expect_own(node, call)?;
        }
        if let Some((i, node)) = (1..)
            .zip(after)
            .find(|(i, node)| after[*i..].contains(node))
        {
            return Err(Error::invalid(
                call,
                format!("{node:?} occurs twice in `after`, first at index {}", i - 1),
            ));
        }
        let _current = self.context().enter(call)?;
        let after: Vec<_> = after.iter().map(|node| node.raw).collect();
        let mut raw = ptr::null_mut();
        let code = make(&mut raw, self.as_raw(), after.as_ptr(), after.len());
        self.context().check(call, code)?;
        Ok(Node {
            raw,
            graph: self.number,
        })
    }

    /// Adds a node that allocates `bytes` bytes. The driver writes the address into the parameters.
    pub(super) fn add_allocating(
        &mut self,
        after: &[Node],
        bytes: usize,
        parameters: &mut sys::CUDA_MEM_ALLOC_NODE_PARAMS,
    ) -> Result<Node> {
        const CALL: &str = "cuGraphAddMemAllocNode";
        let mut failed = CUresult::CUDA_SUCCESS;
        let added = self.add(CALL, after, |node, graph, nodes, count| {
            // SAFETY: as in `add_empty`. The parameters are valid for the write.
            failed = unsafe { sys::cuGraphAddMemAllocNode(node, graph, nodes, count, parameters) };
            failed
        });
        if failed == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            self.context().check_allocation(CALL, failed, bytes)?;
        }
        added
    }

    /// Adds a node that does nothing. Many nodes can depend on it instead of on many others.
    ///
    /// See [`cuGraphAddEmptyNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `after`
    /// contains a node twice or a node of another graph. Returns an error if no memory is left.
    #[doc(alias = "cuGraphAddEmptyNode")]
    pub fn add_empty(&mut self, after: &[Node]) -> Result<Node> {
        self.add(
            "cuGraphAddEmptyNode",
            after,
            // SAFETY: the graph and its nodes are alive, and `node` is valid for the write.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddEmptyNode(node, graph, nodes, count)
            },
        )
    }

    /// Adds a kernel launch, which depends on the nodes in `after`. The arguments are read now.
    /// Pass memory of the graph by its token, which becomes an address. A grid for no elements does
    /// nothing.
    ///
    /// See [`cuGraphAddKernelNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that the contract of [`Function::launch`] holds for each launch of
    /// the graph, of graphs that contain it, and of everything that is instantiated from them. This
    /// includes launches after later safe calls. In particular:
    ///
    /// - Memory that the graph does not own lives until the graph, or the
    ///   [`GraphExec`](super::GraphExec) instantiated from it, has been dropped and its launches
    ///   have finished. A token of another graph is not rejected here.
    /// - Launches are ordered with all other uses of such memory, if it is device memory. If it is
    ///   host memory, nothing uses it during a launch.
    /// - The kernel is correct for all values that other nodes, and the host between launches, may
    ///   write to memory that it reads. Safe methods change these values:
    ///   [`set_fill`](super::GraphExec::set_fill), [`set_copy`](super::GraphExec::set_copy),
    ///   [`set_enabled`](super::GraphExec::set_enabled), [`update`](super::GraphExec::update),
    ///   [`memory`](super::GraphExec::memory) and similar. If the kernel needs certain values, such
    ///   as indices within bounds, no code may violate that.
    ///
    /// Launches of one [`GraphExec`](super::GraphExec) do not overlap. Nor do they overlap with
    /// launches of one that is created from it by [`into_graph`](super::GraphExec::into_graph) and
    /// [`instantiate`](Self::instantiate).
    ///
    /// # Errors
    /// Returns [`ErrorKind::LaunchArguments`](crate::ErrorKind::LaunchArguments) if
    /// [`Function::launch`] would. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for host slices (`In`,
    /// `Out`) and for a kernel of another context. Also returns the errors of
    /// [`add_empty`](Self::add_empty).
    #[doc(alias = "cuGraphAddKernelNode")]
    pub unsafe fn add_kernel<A: KernelArguments>(
        &mut self,
        after: &[Node],
        function: &Function,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<Node> {
        const CALL: &str = "Graph::add_kernel";
        self.context()
            .expect_same(function.context(), CALL, "the graph and the kernel")?;
        let mut added = None;
        // SAFETY: guaranteed by the caller. The closure passes the parameters to the driver.
        unsafe {
            parameters::kernel(function, config, arguments, CALL, |kernel| {
                let Some(kernel) = kernel else {
                    added = Some(self.add_empty(after)?);
                    return Ok(());
                };
                let node = self.add(
                    "cuGraphAddKernelNode_v2",
                    after,
                    |node, graph, nodes, count| {
                        sys::cuGraphAddKernelNode_v2(node, graph, nodes, count, kernel)
                    },
                )?;
                if let Err(error) = self.set_attributes(node, &config) {
                    sys::cuGraphDestroyNode(node.raw); // no other code knows the node yet
                    return Err(error);
                }
                added = Some(node);
                Ok(())
            })?;
        }
        self.held.function(function);
        Ok(added.expect("the node was added above, or the error was returned"))
    }

    fn set_attributes(&mut self, node: Node, config: &LaunchConfig) -> Result<()> {
        let attributes = RawAttributes::new(config);
        if attributes.as_slice().is_empty() {
            return Ok(());
        }
        let asked = config.attributes.unwrap_or_default();
        if asked.programmatic_serialization {
            let text = "a launch in a graph can't have `programmatic_serialization`. Fix: add an edge with `Graph::add_edge`";
            return Err(Error::invalid("Graph::add_kernel", text));
        }
        let _current = self.context().enter("cuGraphKernelNodeSetAttribute")?;
        for one in attributes.as_slice() {
            // SAFETY: the node is alive and launches a kernel. The driver copies the value.
            let code = unsafe { sys::cuGraphKernelNodeSetAttribute(node.raw, one.id, &one.value) };
            self.context()
                .check("cuGraphKernelNodeSetAttribute", code)
                .map_err(|error| {
                    let name = name_of(one.id);
                    error.with_detail(format!(
                        "the launch attribute {name} was rejected; nodes of this driver may not support it"
                    ))
                })?;
        }
        Ok(())
    }

    /// Adds a copy between memory of the graph, host or device in any combination. It depends on
    /// the nodes in `after`.
    ///
    /// See [`cuGraphAddMemcpyNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the lengths
    /// differ, if the two overlap, or if the memory belongs to another graph. Also returns the
    /// errors of [`add_empty`](Self::add_empty).
    #[doc(alias = "cuGraphAddMemcpyNode")]
    pub fn add_copy<T: PlainData>(
        &mut self,
        after: &[Node],
        to: impl Into<Part<T>>,
        from: impl Into<Part<T>>,
    ) -> Result<Node> {
        let copy = parameters::copy(&self.held, to.into(), from.into(), "Graph::add_copy")?;
        let Some(copy) = copy else {
            return self.add_empty(after);
        };
        let context = self.context().as_raw();
        self.add(
            "cuGraphAddMemcpyNode",
            after,
            // SAFETY: as in `add_empty`. The graph owns both sides, which have that many bytes.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddMemcpyNode(node, graph, nodes, count, &copy, context)
            },
        )
    }

    /// Adds a node that sets every element of device memory to `value`. It depends on the nodes in
    /// `after`.
    ///
    /// See [`cuGraphAddMemsetNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for host memory,
    /// and for a value that is not a repetition of 1, 2 or 4 bytes. Also returns the errors of
    /// [`add_copy`](Self::add_copy).
    #[doc(alias = "cuGraphAddMemsetNode")]
    pub fn add_fill<T: PlainData>(
        &mut self,
        after: &[Node],
        part: impl Into<Part<T>>,
        value: T,
    ) -> Result<Node> {
        let fill = parameters::fill(&self.held, part.into(), value, "Graph::add_fill")?;
        let Some(fill) = fill else {
            return self.add_empty(after);
        };
        let context = self.context().as_raw();
        self.add(
            "cuGraphAddMemsetNode",
            after,
            // SAFETY: as in `add_empty`. The graph owns the memory.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddMemsetNode(node, graph, nodes, count, &fill, context)
            },
        )
    }

    /// Adds a call of `function` on a driver thread, once in every launch. It depends on the nodes
    /// in `after`.
    ///
    /// As in [`Stream::launch_host_function`](crate::Stream::launch_host_function), methods of this
    /// crate return an error inside the function, and a panic is caught. After a panic, the next
    /// launch calls the function again.
    ///
    /// See [`cuGraphAddHostNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`add_empty`](Self::add_empty).
    ///
    /// ```
    /// # use cuda_safe::{Context, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// let mut graph = Graph::new(&context)?;
    /// let mut launch = 0;
    /// graph.add_host_function(&[], move || {
    ///     launch += 1;
    ///     sender.send(launch).unwrap();
    /// })?;
    /// let mut exec = graph.instantiate()?;
    /// exec.launch(&stream)?;
    /// exec.launch(&stream)?;
    /// stream.synchronize()?;
    /// assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphAddHostNode")]
    pub fn add_host_function<F>(&mut self, after: &[Node], function: F) -> Result<Node>
    where
        F: FnMut() + Send + 'static,
    {
        let function = HostFunction::new(function);
        let (call, data) = function.as_raw();
        let host = CUDA_HOST_NODE_PARAMS {
            fn_: call,
            userData: data,
        };
        let node = self.add(
            "cuGraphAddHostNode",
            after,
            // SAFETY: as in `add_empty`. The data is a number, which stays valid.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddHostNode(node, graph, nodes, count, &host)
            },
        )?;
        self.held.host(node.tag(), function);
        Ok(node)
    }

    /// Adds a node that records `event` once in every launch. It depends on the nodes in `after`.
    ///
    /// See [`cuGraphAddEventRecordNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the event
    /// belongs to another context. Also returns the errors of [`add_empty`](Self::add_empty).
    #[doc(alias = "cuGraphAddEventRecordNode")]
    pub fn add_event_record(&mut self, after: &[Node], event: &Event) -> Result<Node> {
        self.context().expect_same(
            event.context(),
            "Graph::add_event_record",
            "the graph and the event",
        )?;
        let node = self.add(
            "cuGraphAddEventRecordNode",
            after,
            // SAFETY: as in `add_empty`. The graph holds the event.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddEventRecordNode(node, graph, nodes, count, event.as_raw())
            },
        )?;
        self.held.event(node.tag(), event);
        Ok(node)
    }

    /// Adds a node that waits for `event`, as it was last recorded when the graph is launched. It
    /// also depends on the nodes in `after`.
    ///
    /// See [`cuGraphAddEventWaitNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`add_event_record`](Self::add_event_record).
    #[doc(alias = "cuGraphAddEventWaitNode")]
    pub fn add_event_wait(&mut self, after: &[Node], event: &Event) -> Result<Node> {
        self.context().expect_same(
            event.context(),
            "Graph::add_event_wait",
            "the graph and the event",
        )?;
        let node = self.add(
            "cuGraphAddEventWaitNode",
            after,
            // SAFETY: as in `add_empty`. The graph holds the event.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddEventWaitNode(node, graph, nodes, count, event.as_raw())
            },
        )?;
        self.held.event(node.tag(), event);
        Ok(node)
    }

    /// Adds a node that waits for and writes words in memory: at most 255 operations, in order. It
    /// depends on the nodes in `after`.
    ///
    /// **A launch hangs forever if the value for which it waits is never written,** and everything
    /// that waits for the launch hangs too.
    ///
    /// See [`cuGraphAddBatchMemOpNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that the contract of
    /// [`Stream::memory_operations`](crate::Stream::memory_operations) holds for each launch of the
    /// graph.
    ///
    /// # Errors
    /// Returns the errors of [`add_empty`](Self::add_empty) and of
    /// [`Stream::memory_operations`](crate::Stream::memory_operations).
    ///
    /// ```
    /// # use cuda_safe::{
    /// #     Context, memory::{MemoryOperation, PinnedFlags, WaitUntil}, PinnedBuffer, Stream, graph::Graph,
    /// # };
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let x = PinnedBuffer::<u32>::with_flags(&context, 2, PinnedFlags::DEVICE_MAP)?;
    /// let address = x.device_ptr()?;
    /// let mut graph = Graph::new(&context)?;
    /// let operations = [
    ///     MemoryOperation::write_u32(address, 1),
    ///     MemoryOperation::wait_u32(address, WaitUntil::EQUAL, 1),
    ///     MemoryOperation::write_u32(address + 4, 2),
    /// ];
    /// // SAFETY: the two words outlive the graph's launches, and the host does not use them
    /// // meanwhile.
    /// unsafe { graph.add_memory_operations(&[], &operations)? };
    /// graph.instantiate()?.launch(&stream)?;
    /// stream.synchronize()?;
    /// assert_eq!(*x, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphAddBatchMemOpNode")]
    pub unsafe fn add_memory_operations(
        &mut self,
        after: &[Node],
        operations: &[MemoryOperation],
    ) -> Result<Node> {
        if operations.is_empty() {
            return self.add_empty(after);
        }
        let context = self.context().as_raw();
        MemoryOperation::with_raw(operations, |raw, count| {
            let batch = sys::CUDA_BATCH_MEM_OP_NODE_PARAMS {
                ctx: context,
                count,
                paramArray: raw,
                flags: 0,
            };
            self.add(
                "cuGraphAddBatchMemOpNode",
                after,
                // SAFETY: as in `add_empty`. The list has `count` operations, which the driver
                // copies. The caller guarantees the rest.
                |node, graph, nodes, count| unsafe {
                    sys::cuGraphAddBatchMemOpNode(node, graph, nodes, count, &batch)
                },
            )
        })
    }

    /// Adds another graph as one node, with everything that it keeps. The node depends on the nodes
    /// in `after`.
    ///
    /// See [`cuGraphAddChildGraphNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the child
    /// belongs to another context. Also returns the errors of [`add_empty`](Self::add_empty). The
    /// error contains the child.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, Stream, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let mut child = Graph::new(&context)?;
    /// let x = child.keep(DeviceBuffer::<u32>::zeroed(&stream, 2)?);
    /// child.add_fill(&[], x, 5)?;
    /// let mut graph = Graph::new(&context)?;
    /// let filled = graph.add_child(&[], child)?;
    /// graph.add_fill(&[filled], x.slice(1..)?, 6)?; // `graph` owns the memory now
    /// let mut exec = graph.instantiate()?;
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.memory(x)?.to_vec(&stream)?, [5, 6]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphAddChildGraphNode")]
    pub fn add_child(&mut self, after: &[Node], mut child: Self) -> Result<Node, GraphError> {
        let same = self.context().expect_same(
            child.context(),
            "Graph::add_child",
            "the graph and the child",
        );
        let added = same.and_then(|()| {
            self.add(
                "cuGraphAddChildGraphNode",
                after,
                // SAFETY: as in `add_empty`. The driver copies the child.
                |node, graph, nodes, count| unsafe {
                    sys::cuGraphAddChildGraphNode(node, graph, nodes, count, child.as_raw())
                },
            )
        });
        match added {
            Ok(node) => {
                self.held.absorb(node.tag(), &mut child.held);
                Ok(node)
            }
            Err(error) => Err(GraphError::new(error, child)),
        }
    }
}
