//! Flags and choices of graphs.

use super::flags::{choices, flags};

choices! {
    /// What of a node another one waits for. Nodes that are not kernels have no other than [`DONE`](Self::DONE).
    ///
    /// ```
    /// use cuda_safe::graph::{EdgeData, Port};
    ///
    /// assert_eq!(EdgeData::default().port, Port::DONE);
    /// ```
    pub struct Port(u8) {
        /// That it is done.
        DONE = 0, "CU_GRAPH_KERNEL_NODE_PORT_DEFAULT";
        /// That all blocks of the kernel have run `griddepcontrol.launch_dependents`
        /// (`cudaTriggerProgrammaticLaunchCompletion`), or have ended.
        TRIGGERED = 1, "CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC";
        /// That all blocks of the kernel have begun.
        BEGUN = 2, "CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER";
    }
}

flags! {
    /// How a graph is instantiated.
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
        /// Frees at a launch what the launch before has allocated and not freed: for graphs with nodes of raw calls.
        AUTO_FREE_ON_LAUNCH = 1, "CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH";
        /// The graph can be launched by kernels too: [`GraphExec::for_device`](crate::GraphExec::for_device). It has nodes of one device only: kernels that
        /// launch no kernels, copies and fills of memory that the device reaches, and graphs of these.
        DEVICE_LAUNCH = 4, "CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH";
        /// Nodes run with the priorities that they have, and not with the stream's.
        USE_NODE_PRIORITY = 8, "CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY";
    }
}

choices! {
    /// What a node does (`CUgraphNodeType`). A newtype: kinds of newer drivers have numbers too.
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
        /// Calls a function of the host.
        HOST_FUNCTION = 3, "CU_GRAPH_NODE_TYPE_HOST";
        /// Runs another graph.
        CHILD = 4, "CU_GRAPH_NODE_TYPE_GRAPH";
        /// Does nothing: others depend on it.
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
        /// Waits for values in memory, and writes them.
        MEMORY_OPERATIONS = 12, "CU_GRAPH_NODE_TYPE_BATCH_MEM_OP";
        /// Runs other graphs if, while, or as a value says.
        CONDITIONAL = 13, "CU_GRAPH_NODE_TYPE_CONDITIONAL";
    }
}
