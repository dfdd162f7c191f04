//! Flags and choices of graphs.

use super::flags::{choices, flags};

choices! {
    /// The part of a node for which another node waits. Nodes other than kernels only have
    /// [`DONE`](Self::DONE).
    ///
    /// ```
    /// use cuda_safe::graph::{EdgeData, Port};
    ///
    /// assert_eq!(EdgeData::default().port, Port::DONE);
    /// ```
    pub struct Port(u8) {
        /// The node has finished.
        DONE = 0, "CU_GRAPH_KERNEL_NODE_PORT_DEFAULT";
        /// All blocks of the kernel have executed `griddepcontrol.launch_dependents`
        /// (`cudaTriggerProgrammaticLaunchCompletion`) or have ended.
        TRIGGERED = 1, "CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC";
        /// All blocks of the kernel have started.
        STARTED = 2, "CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER";
    }
}

flags! {
    /// Flags for instantiating a graph.
    ///
    /// ```
    /// # use cuda_safe::{Context, graph::{Graph, InstantiateFlags}};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let graph = Graph::new(&context)?;
    /// let exec = graph.instantiate_with(InstantiateFlags::USE_NODE_PRIORITY)?;
    /// # drop(exec);
    /// # Ok(())
    /// # }
    /// ```
    pub struct InstantiateFlags {
        /// A launch frees the memory that the previous launch allocated and did not free. For
        /// graphs with nodes of raw calls.
        AUTO_FREE_ON_LAUNCH = 1, "CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH";
        /// Kernels can launch the graph too:
        /// [`GraphExec::for_device`](crate::GraphExec::for_device). It may only have nodes of one
        /// device: kernels that launch no kernels, copies and fills of memory that the device can
        /// access, and child graphs of these.
        DEVICE_LAUNCH = 4, "CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH";
        /// Nodes run with their own priorities and not with the stream's.
        USE_NODE_PRIORITY = 8, "CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY";
    }
}

choices! {
    /// The kind of a node (`CUgraphNodeType`). Kinds of newer drivers appear as numbers.
    ///
    /// ```
    /// # use cuda_safe::{Context, graph::{Graph, NodeKind}};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let mut graph = Graph::new(&context)?;
    /// let start = graph.add_empty(&[])?;
    /// assert_eq!(graph.kind(start)?, NodeKind::EMPTY);
    /// # Ok(())
    /// # }
    /// ```
    pub struct NodeKind(u32) {
        /// Launches a kernel.
        KERNEL = 0, "CU_GRAPH_NODE_TYPE_KERNEL";
        /// Copies memory.
        COPY = 1, "CU_GRAPH_NODE_TYPE_MEMCPY";
        /// Fills memory.
        FILL = 2, "CU_GRAPH_NODE_TYPE_MEMSET";
        /// Calls a host function.
        HOST_FUNCTION = 3, "CU_GRAPH_NODE_TYPE_HOST";
        /// Runs another graph.
        CHILD = 4, "CU_GRAPH_NODE_TYPE_GRAPH";
        /// Does nothing. Other nodes can depend on it.
        EMPTY = 5, "CU_GRAPH_NODE_TYPE_EMPTY";
        /// Waits for an event.
        EVENT_WAIT = 6, "CU_GRAPH_NODE_TYPE_WAIT_EVENT";
        /// Records an event.
        EVENT_RECORD = 7, "CU_GRAPH_NODE_TYPE_EVENT_RECORD";
        /// Signals an external semaphore.
        SEMAPHORE_SIGNAL = 8, "CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL";
        /// Waits for an external semaphore.
        SEMAPHORE_WAIT = 9, "CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT";
        /// Allocates memory.
        ALLOCATION = 10, "CU_GRAPH_NODE_TYPE_MEM_ALLOC";
        /// Frees memory.
        FREE = 11, "CU_GRAPH_NODE_TYPE_MEM_FREE";
        /// Waits for values in memory and writes values.
        MEMORY_OPERATIONS = 12, "CU_GRAPH_NODE_TYPE_BATCH_MEM_OP";
        /// Runs other graphs depending on a value: if, while or switch.
        CONDITIONAL = 13, "CU_GRAPH_NODE_TYPE_CONDITIONAL";
    }
}
