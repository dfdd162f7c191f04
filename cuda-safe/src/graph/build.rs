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
    /// Adds a node with whatever the driver's function is; the node waits for those of `after`.
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
                format!(
                    "{node:?} stands twice among the nodes to wait for, first at {}",
                    i - 1
                ),
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

    /// A node that allocates so many bytes, which the driver writes into the parameters.
    pub(super) fn add_allocating(
        &mut self,
        after: &[Node],
        bytes: usize,
        parameters: &mut sys::CUDA_MEM_ALLOC_NODE_PARAMS,
    ) -> Result<Node> {
        const CALL: &str = "cuGraphAddMemAllocNode";
        let mut failed = CUresult::CUDA_SUCCESS;
        let added = self.add(CALL, after, |node, graph, nodes, count| {
            // SAFETY: as `add_empty`; the parameters are valid for the write.
            failed = unsafe { sys::cuGraphAddMemAllocNode(node, graph, nodes, count, parameters) };
            failed
        });
        if failed == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            self.context().check_allocation(CALL, failed, bytes)?;
        }
        added
    }

    /// Adds a node that does nothing: for others to wait for, as one for many.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where a node of `after` belongs to another
    /// graph. No memory is left.
    #[doc(alias = "cuGraphAddEmptyNode")]
    pub fn add_empty(&mut self, after: &[Node]) -> Result<Node> {
        self.add(
            "cuGraphAddEmptyNode",
            after,
            // SAFETY: a live graph and live nodes of it; the node is valid for the write.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddEmptyNode(node, graph, nodes, count)
            },
        )
    }

    /// Adds a launch of a kernel, which waits for the nodes of `after`. The arguments are read now. Memory of
    /// the graph is passed by its token, as an address. A grid of no blocks does nothing.
    ///
    /// # Safety
    /// The caller must ensure that the contract of [`Function::launch`] holds for each launch of the graph, of graphs that
    /// it becomes a part of, and of what is instantiated from them. This includes launches after later safe calls. In
    /// particular:
    /// - Memory that is not the graph's own lives until the graph, or the [`GraphExec`](super::GraphExec) made of it, is
    ///   gone and its launches are over. A token of another graph is not rejected here.
    /// - Launches are ordered with everything else that uses this memory, if it is device memory. Nobody touches it
    ///   meanwhile if it is host memory.
    /// - The kernel is right for all values that other nodes, and the host between launches, may write to memory that it
    ///   reads. Safe methods change these values: [`set_fill`](super::GraphExec::set_fill),
    ///   [`set_copy`](super::GraphExec::set_copy), [`set_enabled`](super::GraphExec::set_enabled),
    ///   [`update`](super::GraphExec::update), [`memory`](super::GraphExec::memory) and their like. If the kernel needs
    ///   certain values, such as indices within bounds, nobody may change them so.
    ///
    /// Launches of one [`GraphExec`](super::GraphExec) do not overlap, nor do those of one that is made of it by
    /// [`into_graph`](super::GraphExec::into_graph) and [`instantiate`](Self::instantiate).
    ///
    /// # Errors
    /// [`ErrorKind::LaunchArguments`](crate::ErrorKind::LaunchArguments) as [`Function::launch`].
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for host slices (`In`, `Out`), for a kernel of
    /// another context, and as [`add_empty`](Self::add_empty).
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
        // SAFETY: the caller's promise; the closure hands them to the driver.
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
                    sys::cuGraphDestroyNode(node.raw); // nobody knows of it yet
                    return Err(error);
                }
                added = Some(node);
                Ok(())
            })?;
        }
        self.held.function(function);
        Ok(added.expect("made above, or the error was returned"))
    }

    fn set_attributes(&mut self, node: Node, config: &LaunchConfig) -> Result<()> {
        let attributes = RawAttributes::new(config);
        if attributes.as_slice().is_empty() {
            return Ok(());
        }
        let asked = config.attributes.unwrap_or_default();
        if asked.programmatic_serialization {
            let text = "a node's launch has no `programmatic_serialization`: in a graph an edge says it (`Graph::add_edge`)";
            return Err(Error::invalid("Graph::add_kernel", text));
        }
        let _current = self.context().enter("cuGraphKernelNodeSetAttribute")?;
        for one in attributes.as_slice() {
            // SAFETY: a live node of a kernel; the driver copies the value.
            let code = unsafe { sys::cuGraphKernelNodeSetAttribute(node.raw, one.id, &one.value) };
            self.context()
                .check("cuGraphKernelNodeSetAttribute", code)
                .map_err(|error| {
                    let name = name_of(one.id);
                    error.with_detail(format!(
                        "the launch's {name}, which perhaps nodes of this driver don't have"
                    ))
                })?;
        }
        Ok(())
    }

    /// Adds a copy between memory of the graph: host and device in any combination. It waits for the nodes of `after`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the lengths differ, the two overlap, or
    /// the memory belongs to another graph; and as [`add_empty`](Self::add_empty).
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
            // SAFETY: as `add_empty`; both sides are memory that the graph owns, of that many bytes.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddMemcpyNode(node, graph, nodes, count, &copy, context)
            },
        )
    }

    /// Adds a node that sets every element of device memory to `value`. It waits for the nodes of `after`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for host memory, for a value that is no
    /// repetition of 1, 2 or 4 bytes, and as [`add_copy`](Self::add_copy).
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
            // SAFETY: as `add_empty`; the memory is the graph's own.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddMemsetNode(node, graph, nodes, count, &fill, context)
            },
        )
    }

    /// Adds a call of `function`, on a thread of the driver, once in every launch. It waits for the nodes of `after`. What
    /// holds for [`Stream::launch_host_function`](crate::Stream::launch_host_function) holds here: methods of this crate
    /// return an error in the function, and a panic goes no further. After a panic the next launch calls the function again.
    ///
    /// # Errors
    /// As [`add_empty`](Self::add_empty).
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
            // SAFETY: as `add_empty`; the data is a number, which stays valid.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddHostNode(node, graph, nodes, count, &host)
            },
        )?;
        self.held.host(node.tag(), function);
        Ok(node)
    }

    /// Adds a node that records `event`, once in every launch. It waits for the nodes of `after`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an event of another context, and as
    /// [`add_empty`](Self::add_empty).
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
            // SAFETY: as `add_empty`; the graph holds the event.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddEventRecordNode(node, graph, nodes, count, event.as_raw())
            },
        )?;
        self.held.event(node.tag(), event);
        Ok(node)
    }

    /// Adds a node that waits for what `event` was last recorded after when the graph is launched. It waits for
    /// the nodes of `after` too.
    ///
    /// # Errors
    /// As [`add_event_record`](Self::add_event_record).
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
            // SAFETY: as `add_empty`; the graph holds the event.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddEventWaitNode(node, graph, nodes, count, event.as_raw())
            },
        )?;
        self.held.event(node.tag(), event);
        Ok(node)
    }

    /// Adds a node of waits and writes of words in memory: at most 255, done in their order. It waits for the nodes of
    /// `after`.
    ///
    /// **A launch hangs for ever if a wait's value never comes,** and with it whoever waits for it.
    ///
    /// # Safety
    /// As [`Stream::memory_operations`](crate::Stream::memory_operations), for each launch of the graph.
    ///
    /// # Errors
    /// As [`add_empty`](Self::add_empty), and as [`Stream::memory_operations`](crate::Stream::memory_operations).
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
    /// // SAFETY: two words, which outlive the graph's launches, and which the host leaves alone until they are over.
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
                // SAFETY: as `add_empty`; as many operations as are said, which the driver copies. The rest is the
                // caller's promise.
                |node, graph, nodes, count| unsafe {
                    sys::cuGraphAddBatchMemOpNode(node, graph, nodes, count, &batch)
                },
            )
        })
    }

    /// Adds another graph as one node, with everything that it keeps. It waits for the nodes of `after`.
    ///
    /// # Errors
    /// As [`add_event_record`](Self::add_event_record). The error returns the child.
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
    /// graph.add_fill(&[filled], x.slice(1..)?, 6)?; // the memory is this graph's now
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
                // SAFETY: as `add_empty`; the driver copies the child.
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
