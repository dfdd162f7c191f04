//! Graphs: work that is described once and launched as a whole many times.
//!
//! A [`Graph`] consists of nodes (kernels, copies, fills, host functions) and their dependencies.
//! You build it node by node, or capture it from a stream
//! ([`Stream::capture`](crate::Stream::capture)). Instantiating it returns a [`GraphExec`], which
//! one driver call launches.
//!
//! ```
//! use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, PinnedBuffer, Stream, graph::Graph};
//!
//! # fn main() -> cuda_safe::Result<()> {
//! let context = Context::primary(0)?;
//! let stream = Stream::new(&context)?;
//! let scale = Module::compile(&context, r#"
//!     extern "C" __global__ void scale(float *x, float factor, int n) {
//!         const int i = blockIdx.x * blockDim.x + threadIdx.x;
//!         if (i < n) x[i] *= factor;
//!     }"#)?.function("scale")?;
//!
//! let mut graph = Graph::new(&context)?;
//! // The graph owns the memory that its nodes use, and returns tokens.
//! let host = graph.keep(PinnedBuffer::from_slice(&context, &[1.0f32; 1000])?);
//! let x = graph.keep(DeviceBuffer::<f32>::uninit(&stream, 1000)?);
//!
//! let up = graph.add_copy(&[], x, host)?;
//! let config = LaunchConfig::for_elements(x.len());
//! // SAFETY: the kernel changes n floats, the length of x.
//! let scaled = unsafe { graph.add_kernel(&[up], &scale, config, (x, 3.0f32, x.len() as i32))? };
//! graph.add_copy(&[scaled], host, x)?;
//!
//! let mut exec = graph.instantiate()?;
//! exec.launch(&stream)?;
//! exec.launch(&stream)?;
//! assert!(exec.memory(host)?.iter().all(|&value| value == 9.0)); // waits for the launches
//! # Ok(())
//! # }
//! ```
//!
//! # Ownership
//! A graph owns the memory that you pass to [`Graph::keep`]. It is not freed while the graph can
//! run, and host memory cannot be read while a launch writes to it. The graph also holds the
//! modules of its kernels, its events and its host functions. All methods are therefore safe,
//! except those that launch kernels ([`Graph::add_kernel`]) and captures. In a capture, only the
//! caller knows which memory the captured calls use. The `# Safety` sections of these methods list
//! the requirements.
//!
//! # Concurrency of launches
//! Launches of one [`GraphExec`] never overlap. The driver runs each after the previous one, even
//! on different streams. A launch is ordered with the streams that own the graph's memory, like
//! every method that takes memory and a stream.

mod allocation;
mod body;
mod build;
mod capture;
mod change;
mod conditional;
mod device;
mod dot;
mod edge;
mod exec;
mod held;
mod host;
mod inspect;
mod kept;
mod node;
mod parameters;
mod region;
mod semaphores;
mod update;

use std::{
    cell::Cell,
    fmt,
    marker::PhantomData,
    ptr,
    sync::{Mutex, PoisonError},
};

use cuda_sys::{self as sys, CUgraph};

pub use allocation::{Allocation, GraphMemory};
pub use body::Body;
pub use capture::Capture;
pub use conditional::Condition;
pub use device::{DeviceGraph, UpdatableKernel};
pub use edge::{EdgeData, Port};
pub use exec::{GraphExec, InstantiateFlags};
pub use kept::{Keep, Kept, Part};
pub use node::{Node, NodeKind};
pub use region::{BorrowedRegion, KeptRegion, PartRegion};

pub use crate::capture::CaptureMode;
use crate::{
    context::Context,
    error::{Error, Result},
    handle::{Handle, Kind},
};
use held::{Held, next_number};

/// Work, described as nodes and their dependencies. See the [module](self).
///
/// The driver requires the calls for one graph to be made one after another. A graph can therefore
/// be sent to another thread, but not shared between threads.
pub struct Graph {
    // The first field, because the compiler's messages about sharing name the first field that
    // forbids it.
    not_shared: NotShared,
    // Dropped in this order: the held objects last.
    handle: Handle<GraphKind>,
    number: u64,
    held: Held,
}

/// Makes a type usable by only one thread at a time.
type NotShared = PhantomData<Cell<()>>;

struct GraphKind;

impl Kind for GraphKind {
    type Raw = CUgraph;
    type Parent = Context;
    const NAME: &'static str = "Graph";

    unsafe fn release(&self, raw: CUgraph, context: &Context) -> Result<()> {
        let _current = context.enter("cuGraphDestroy")?;
        // SAFETY: the caller guarantees that the handle is live, owned and unused.
        context.check("cuGraphDestroy", unsafe { sys::cuGraphDestroy(raw) })
    }
}

impl Graph {
    /// Creates a graph without nodes.
    ///
    /// See [`cuGraphCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the driver is out of memory, or if the context is unusable after a
    /// fault.
    #[doc(alias = "cuGraphCreate")]
    pub fn new(context: &Context) -> Result<Self> {
        let _current = context.enter("cuGraphCreate")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        let code = unsafe { sys::cuGraphCreate(&mut raw, 0) };
        context.check("cuGraphCreate", code)?;
        // SAFETY: the graph was just created, has no other owner, and is empty.
        Ok(unsafe { Self::from_raw(raw, context) })
    }

    /// Takes ownership of a raw graph. Dropping the result destroys it with `cuGraphDestroy`.
    ///
    /// # Safety
    /// The caller must ensure that:
    ///
    /// - `raw` is a live graph, and no other code destroys it;
    /// - everything that its nodes use lives until this graph, or the [`GraphExec`] instantiated
    ///   from it, has been dropped and its launches have finished;
    /// - launches are ordered with all other uses of device memory of the nodes, and nothing uses
    ///   their host memory during a launch.
    #[must_use]
    pub unsafe fn from_raw(raw: CUgraph, context: &Context) -> Self {
        // SAFETY: guaranteed by this function's contract.
        unsafe { Self::with_held(context, raw, Held::default()) }
    }

    /// Takes ownership of a raw graph, with objects that it holds.
    ///
    /// # Safety
    /// The contract of [`from_raw`](Self::from_raw) applies, except for the objects in `held`.
    unsafe fn with_held(context: &Context, raw: CUgraph, held: Held) -> Self {
        Self {
            not_shared: PhantomData,
            // SAFETY: guaranteed by this function's contract.
            handle: unsafe { Handle::new(raw, true, context.clone(), GraphKind) },
            number: next_number(),
            held,
        }
    }

    /// Wraps a graph that a conditional node of another graph owns, with the objects that the other
    /// graph holds.
    ///
    /// # Safety
    /// The caller must ensure that `raw` is live as long as the result.
    unsafe fn borrow_body(context: &Context, raw: CUgraph, held: Held) -> Self {
        Self {
            not_shared: PhantomData,
            // SAFETY: guaranteed by this function's contract.
            handle: unsafe { Handle::new(raw, false, context.clone(), GraphKind) },
            number: next_number(),
            held,
        }
    }

    /// Returns the driver's handle, which is valid as long as this object exists.
    #[must_use]
    pub fn as_raw(&self) -> CUgraph {
        self.handle.raw()
    }

    /// Destroys the graph now (`cuGraphDestroy`) and returns the error that dropping would discard.
    ///
    /// See [`cuGraphDestroy`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error. The handle is not used again in any case.
    #[doc(alias = "cuGraphDestroy")]
    pub fn close(self) -> Result<()> {
        self.handle.close()
    }

    /// Returns the context in which the graph was created.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.handle.parent()
    }

    /// Moves memory into the graph, for its nodes and for those of a [`GraphExec`] instantiated
    /// from it. The memory is freed with the last of them.
    ///
    /// The memory must belong to the graph's context. A graph that keeps memory of another
    /// context's stream cannot be instantiated.
    ///
    /// ```
    /// # use cuda_safe::{Context, PinnedBuffer, graph::Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let mut graph = Graph::new(&context)?;
    /// let host = graph.keep(PinnedBuffer::from_slice(&context, &[1u8, 2, 3])?);
    /// graph.memory(host)?[0] = 7; // nothing runs yet
    /// assert_eq!(graph.memory(host)?, [7, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn keep<M: Keep>(&mut self, memory: M) -> Kept<M> {
        self.held.keep(memory)
    }

    /// Returns access to the memory behind a token.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the memory
    /// belongs to another graph.
    pub fn memory<M: Keep>(&mut self, kept: Kept<M>) -> Result<M::Access<'_>> {
        self.held.memory(kept, "Graph::memory")
    }

    /// Keeps a value alive until the graph, or the [`GraphExec`] instantiated from it, has been
    /// dropped and its launches have finished. Use it for objects that captured calls and kernels
    /// use, in addition to memory of [`keep`](Self::keep).
    pub fn hold(&mut self, value: impl Send + 'static) {
        self.held.other(value);
    }

    /// Wraps a node that a raw call has added, so that other nodes can depend on it.
    ///
    /// # Safety
    /// The caller must ensure that `raw` is a node of this graph, and that everything it uses lives
    /// and is ordered as [`from_raw`](Self::from_raw) requires.
    #[must_use]
    pub unsafe fn node(&self, raw: sys::CUgraphNode) -> Node {
        Node {
            raw,
            graph: self.number,
        }
    }

    /// Creates a second graph with the same nodes and edges.
    ///
    /// See [`cuGraphClone`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the graph keeps
    /// memory or host functions, which only one graph can own. Returns the driver's error for nodes
    /// that cannot be copied.
    ///
    /// # Safety
    /// The contract of [`Stream::capture`](crate::Stream::capture) applies to the copy too: the
    /// caller must ensure that everything that captured calls use lives as long as both graphs.
    /// Graphs instantiated from the two may run at the same time, on streams that you must order
    /// yourself.
    ///
    /// ```
    /// # use cuda_safe::{Context, Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let mut graph = Graph::new(&context)?;
    /// graph.add_empty(&[])?;
    /// // SAFETY: the nodes use nothing.
    /// let copy = unsafe { graph.try_clone()? };
    /// graph.add_empty(&[])?;
    /// assert_eq!((graph.nodes()?.len(), copy.nodes()?.len()), (2, 1));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuGraphClone")]
    pub unsafe fn try_clone(&self) -> Result<Self> {
        let held = self.held.try_clone().ok_or_else(|| {
            Error::invalid(
                "Graph::try_clone",
                "the graph keeps or allocates memory, or owns host functions, which only one graph can own. Fix: \
                 build the graph twice",
            )
        })?;
        let _current = self.context().enter("cuGraphClone")?;
        let mut raw = ptr::null_mut();
        // SAFETY: the graph is alive, and `raw` is valid for the write.
        let code = unsafe { sys::cuGraphClone(&mut raw, self.as_raw()) };
        self.context().check("cuGraphClone", code)?;
        // SAFETY: the graph was just created and has no other owner. The caller guarantees the
        // rest.
        Ok(unsafe { Self::with_held(self.context(), raw, held) })
    }

    fn expect_own(&self, node: Node, call: &'static str) -> Result<()> {
        if node.graph == self.number {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            format!(
                "{node:?} is a node of another graph. Fix: pass nodes that methods of the same graph or body returned"
            ),
        ))
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.handle, f)
    }
}

/// The error of a method that takes a graph. It returns the graph, together with the reason. `?`
/// turns it into an [`Error`] and drops the graph.
pub struct GraphError {
    /// The reason.
    pub error: Error,
    /// The graph, in a mutex that is never locked. The mutex makes the error `Sync`, as error
    /// reporting crates require.
    graph: Box<Mutex<Graph>>,
}

impl GraphError {
    fn new(error: Error, graph: Graph) -> Self {
        Self {
            error,
            graph: Box::new(Mutex::new(graph)),
        }
    }

    /// Returns the graph, unchanged, with everything that it keeps.
    #[must_use]
    pub fn into_graph(self) -> Graph {
        let graph = self.graph.into_inner();
        graph.unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<GraphError> for Error {
    fn from(failed: GraphError) -> Self {
        failed.error
    }
}

impl fmt::Debug for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl std::error::Error for GraphError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}
