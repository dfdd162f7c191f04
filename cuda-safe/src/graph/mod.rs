//! Graphs: work that is described once, and launched as a whole many times.
//!
//! A [`Graph`] is made of nodes (kernels, copies, fills, functions of the host) and of what each waits for. It is
//! built by hand, or recorded from what a stream is given ([`Stream::capture`](crate::Stream::capture)). Instantiated,
//! it is a [`GraphExec`], which one driver call launches.
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
//! // The graph owns what its nodes use, and gives tokens.
//! let host = graph.keep(PinnedBuffer::from_slice(&context, &[1.0f32; 1000])?);
//! let x = graph.keep(DeviceBuffer::<f32>::uninit(&stream, 1000)?);
//!
//! let up = graph.add_copy(&[], x, host)?;
//! let config = LaunchConfig::for_elements(x.len());
//! // SAFETY: the kernel changes n floats, as many as there are.
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
//! # What a graph keeps alive
//! What is handed to [`Graph::keep`] belongs to the graph: nobody can free it, and nobody can read host memory while
//! a launch writes to it. Kernels' modules, events and functions of the host are held too. So everything here is safe,
//! but for what is a launch ([`Graph::add_kernel`]) and for captures, where only the caller knows which memory the
//! captured calls use: both say what they require.
//!
//! # Which launches run at the same time
//! Launches of one [`GraphExec`] never overlap: the driver runs each after the one before, also on other streams. A
//! launch is ordered with the streams that the graph's memory belongs to, as every method that takes memory and a
//! stream is.

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
pub use region::{KeptRegion, Lent, PartRegion};

pub use crate::capture::CaptureMode;
use crate::{
    context::Context,
    error::{Error, Result},
    handle::{Handle, Kind},
};
use held::{Held, next_number};

/// Work, described as nodes and what each of them waits for. See the [module](self).
///
/// The driver wants calls for one graph to come one after the other: a graph can go to another thread, but not be
/// shared.
pub struct Graph {
    // First: the compiler's messages about sharing name the first field that forbids it.
    not_shared: NotShared,
    // Dropped in this order: what is held goes last.
    handle: Handle<GraphKind>,
    number: u64,
    held: Held,
}

/// What one thread at a time may use.
type NotShared = PhantomData<Cell<()>>;

struct GraphKind;

impl Kind for GraphKind {
    type Raw = CUgraph;
    type Parent = Context;
    const NAME: &'static str = "Graph";

    unsafe fn release(&self, raw: CUgraph, context: &Context) -> Result<()> {
        let _current = context.enter("cuGraphDestroy")?;
        // SAFETY: released once, by this function's contract.
        context.check("cuGraphDestroy", unsafe { sys::cuGraphDestroy(raw) })
    }
}

impl Graph {
    /// A graph without nodes.
    ///
    /// # Errors
    /// No memory for the graph is left, or the context is unusable after a fault.
    #[doc(alias = "cuGraphCreate")]
    pub fn new(context: &Context) -> Result<Self> {
        let _current = context.enter("cuGraphCreate")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        let code = unsafe { sys::cuGraphCreate(&mut raw, 0) };
        context.check("cuGraphCreate", code)?;
        // SAFETY: just made, owned by nobody else, and empty.
        Ok(unsafe { Self::from_raw(context, raw) })
    }

    /// Takes ownership of a raw graph. It is destroyed, with `cuGraphDestroy`, when this is dropped.
    ///
    /// # Safety
    /// `raw` is a live graph, and nobody else destroys it. What its nodes use lives until this, or the [`GraphExec`] that is
    /// made of it, is gone and its launches are over. Launches are ordered by the caller with what else uses device memory of
    /// the nodes; host memory of theirs is left alone meanwhile.
    #[must_use]
    pub unsafe fn from_raw(context: &Context, raw: CUgraph) -> Self {
        // SAFETY: as this function's contract says.
        unsafe { Self::with_held(context, raw, Held::default()) }
    }

    /// # Safety
    /// As [`from_raw`](Self::from_raw), but for what is in `held`.
    unsafe fn with_held(context: &Context, raw: CUgraph, held: Held) -> Self {
        Self {
            not_shared: PhantomData,
            // SAFETY: as this function's contract says.
            handle: unsafe { Handle::new(raw, true, context.clone(), GraphKind) },
            number: next_number(),
            held,
        }
    }

    /// A graph that a conditional node of another one owns, with what that one holds.
    ///
    /// # Safety
    /// `raw` is live as long as the result.
    unsafe fn borrow_body(context: &Context, raw: CUgraph, held: Held) -> Self {
        Self {
            not_shared: PhantomData,
            // SAFETY: as this function's contract says.
            handle: unsafe { Handle::new(raw, false, context.clone(), GraphKind) },
            number: next_number(),
            held,
        }
    }

    /// The driver's handle, valid for as long as this object exists.
    #[must_use]
    pub fn as_raw(&self) -> CUgraph {
        self.handle.raw()
    }

    /// Destroys the graph now (`cuGraphDestroy`), and reports whether that worked. Dropping does the same, and discards
    /// the error.
    ///
    /// # Errors
    /// The driver's code. The handle is not used again in any case.
    #[doc(alias = "cuGraphDestroy")]
    pub fn close(self) -> Result<()> {
        self.handle.close()
    }

    /// The context that the graph was made in.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.handle.parent()
    }

    /// Hands memory to the graph, which owns it from now on: for its nodes, and for those of a
    /// [`GraphExec`] made of it. It is freed with the last of them. The memory is of the graph's context: with memory of a
    /// stream of another one the graph can't be instantiated.
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

    /// The memory behind a token.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for memory of another graph.
    pub fn memory<M: Keep>(&mut self, kept: Kept<M>) -> Result<M::Access<'_>> {
        self.held.memory(kept, "Graph::memory")
    }

    /// Keeps something alive until the graph, or the [`GraphExec`] made of it, is gone and its launches are over: for what
    /// captured calls and kernels use beside memory of [`keep`](Self::keep).
    pub fn hold(&mut self, value: impl Send + 'static) {
        self.held.other(value);
    }

    /// A node that a raw call has added, for others to wait for.
    ///
    /// # Safety
    /// `raw` is a node of this graph. What it uses lives, and is ordered, as [`from_raw`](Self::from_raw) says.
    #[must_use]
    pub unsafe fn node(&self, raw: sys::CUgraphNode) -> Node {
        Node {
            raw,
            graph: self.number,
        }
    }

    /// A second graph with the same nodes, and the same edges. What captured calls use has to live as long as both.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the graph keeps memory or functions of the
    /// host, which only one graph may have. The driver's code for nodes that can't be copied.
    ///
    /// # Safety
    /// As [`Stream::capture`](crate::Stream::capture), for the copy too. What is made of the two graphs may run at the same
    /// time on streams that the caller does not order.
    ///
    /// ```
    /// # use cuda_safe::{Context, Graph};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let mut graph = Graph::new(&context)?;
    /// graph.add_empty(&[])?;
    /// // SAFETY: nothing is used.
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
                "the graph keeps or allocates memory, or keeps functions of the host, which only one graph may have: build it \
                 twice",
            )
        })?;
        let _current = self.context().enter("cuGraphClone")?;
        let mut raw = ptr::null_mut();
        // SAFETY: a live graph; `raw` is valid for the write.
        let code = unsafe { sys::cuGraphClone(&mut raw, self.as_raw()) };
        self.context().check("cuGraphClone", code)?;
        // SAFETY: just made, and owned by nobody else; the rest is the caller's promise.
        Ok(unsafe { Self::with_held(self.context(), raw, held) })
    }

    fn expect_own(&self, node: Node, call: &'static str) -> Result<()> {
        if node.graph == self.number {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            format!(
                "{node:?} is a node of another graph: nodes are named by what the methods of their own graph, or of the body that \
                 they are in, returned"
            ),
        ))
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.handle, f)
    }
}

/// A graph that was refused, and why. `?` turns it into an [`Error`], and drops the graph.
pub struct GraphError {
    /// Why.
    pub error: Error,
    /// Never locked: for errors that are shared between threads, as error reports want them.
    graph: Box<Mutex<Graph>>,
}

impl GraphError {
    fn new(error: Error, graph: Graph) -> Self {
        Self {
            error,
            graph: Box::new(Mutex::new(graph)),
        }
    }

    /// The graph, as it was, with everything that it keeps.
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
