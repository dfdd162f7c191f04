//! Graph handles for kernels, which launch graphs and change their nodes.

use std::{ffi::c_void, fmt};

use cuda_sys as sys;

use super::{Graph, GraphExec, InstantiateFlags, Node};
use crate::{
    code::parameter::ArgumentKind,
    error::{Error, Result},
    launch::KernelArgument,
    raw::{constants::UPDATABLE, structures::RawUpdatable},
    stream::Stream,
};

/// A graph that kernels can launch. Created by [`GraphExec::for_device`].
///
/// As a kernel argument it is a `cudaGraphExec_t`. A kernel of another graph, or of the same graph,
/// launches it with `cudaGraphLaunch(graph, mode)`. That returns a `cudaError_t`, which is 0 for
/// success. Declare the function in the source as
/// `extern "C" __device__ int cudaGraphLaunch(unsigned long long graph, unsigned long long mode);`,
/// or include `cuda_device_runtime_api.h` and compile with `--relocatable-device-code=true`.
/// Nothing has to be linked. To get the graph in which it runs, a kernel uses
/// `asm("mov.u64 %0, %%current_graph_exec;" : "=l"(graph));`.
///
/// | mode | number | when the graph runs |
/// | --- | --- | --- |
/// | `cudaStreamGraphTailLaunch` | `0x0100000000000000` | after the launching graph and everything that it launched; tail launches run one after another; a graph can launch itself once |
/// | `cudaStreamGraphFireAndForget` | `0x0200000000000000` | immediately, in parallel with the launching graph |
/// | `cudaStreamGraphFireAndForgetAsSibling` | `0x0300000000000000` | immediately, but tail launches of the launching graph do not wait for it |
///
/// Later work on the stream of the host's launch waits for all of them. In one run a graph can
/// launch up to 120 other graphs in parallel, and 255 after it. `cudaGraphLaunch` returns 1
/// (`cudaErrorInvalidValue`) for further launches, and for a graph that was not uploaded or is
/// already running.
///
/// # Safety of such launches
/// This crate does not know about launches by kernels. If you launch a kernel that launches graphs
/// (with [`Graph::add_kernel`] or a similar unsafe method), you promise the following for all
/// launches of the kernel's graph, in addition to the requirements of the kernel itself:
///
/// - The [`GraphExec`] was instantiated with [`InstantiateFlags::DEVICE_LAUNCH`] and lives until
///   these launches have finished. The same holds for the graphs that its own kernels launch.
/// - Nothing else uses it meanwhile: the host does not launch, upload or change it, and does not
///   use its memory ([`GraphExec::memory`]).
/// - These launches are ordered with all other uses of its memory. Unlike a launch by the host, a
///   launch by a kernel is not ordered with the streams that own the memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DeviceGraph(u64);

/// A kernel node that other kernels can change. Created by [`Graph::make_updatable`].
///
/// As a kernel argument it is a `cudaGraphDeviceNode_t`, which has 64 bits. Kernels call
/// `cudaGraphKernelNodeSetParam`, `cudaGraphKernelNodeSetEnabled` and
/// `cudaGraphKernelNodeSetGridDim`, which `cuda_device_runtime_api.h` declares. A change applies to
/// later runs of the node, including the current launch, until the host changes the node itself.
///
/// It is valid until the graph and the [`GraphExec`] instantiated from it have been dropped. If you
/// launch a kernel with it, which is unsafe, you promise that:
///
/// - the graph still exists;
/// - [`Graph::add_kernel`] would allow the changed launch;
/// - nothing else changes or runs the node at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UpdatableKernel(u64);

impl DeviceGraph {
    /// Returns the number that is passed to kernels.
    #[must_use]
    pub fn as_raw(self) -> u64 {
        self.0
    }
}

impl UpdatableKernel {
    /// Returns the number that is passed to kernels.
    #[must_use]
    pub fn as_raw(self) -> u64 {
        self.0
    }
}

macro_rules! argument {
    ($name:ident) => {
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:#x})"), self.0)
            }
        }

        // SAFETY: the type consists of one number.
        unsafe impl KernelArgument for $name {
            type Staged = u64;
            type Pointers = [*mut c_void; 1];
            const SIZE: usize = size_of::<u64>();

            fn kind() -> ArgumentKind {
                ArgumentKind::Integer
            }

            unsafe fn stage(self, _: &Stream) -> Result<u64> {
                Ok(self.0)
            }

            fn pointers(staged: &mut u64) -> [*mut c_void; 1] {
                [(&raw mut *staged).cast()]
            }
        }
    };
}
argument!(DeviceGraph);
argument!(UpdatableKernel);

impl GraphExec {
    /// Returns a handle with which kernels can launch this graph. See [`DeviceGraph`] for the
    /// requirements.
    ///
    /// First upload the graph ([`upload`](Self::upload), or a launch by the host), and again after
    /// each change. The work that launches it must come after the upload.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the graph was
    /// not instantiated with [`InstantiateFlags::DEVICE_LAUNCH`].
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, graph::{Graph, InstantiateFlags}};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// // Launches one of two graphs.
    /// let choose = Module::compile(&context, r#"
    ///     extern "C" __device__ int cudaGraphLaunch(unsigned long long graph, unsigned long long mode);
    ///     extern "C" __global__ void choose(unsigned long long even, unsigned long long odd, const int *x) {
    ///         cudaGraphLaunch(*x % 2 ? odd : even, 0x0200000000000000); // fire and forget
    ///     }"#)?.function("choose")?;
    /// let filling = |value: u32| -> cuda_safe::Result<_> {
    ///     let mut graph = Graph::new(&context)?;
    ///     let kept = graph.keep(DeviceBuffer::<u32>::zeroed(&stream, 1)?);
    ///     graph.add_fill(&[], kept, value)?;
    ///     let mut exec = graph.instantiate_with(InstantiateFlags::DEVICE_LAUNCH)?;
    ///     exec.upload(&stream)?;
    ///     Ok((exec, kept))
    /// };
    /// let ((mut even, zero), (mut odd, one)) = (filling(10)?, filling(11)?);
    /// let mut graph = Graph::new(&context)?;
    /// let x = graph.keep(DeviceBuffer::from_slice(&stream, &[7i32])?);
    /// let graphs = (even.for_device()?, odd.for_device()?, x);
    /// // SAFETY: the kernel reads one number. The graphs live until the launch has finished, and
    /// // nothing else uses them.
    /// unsafe { graph.add_kernel(&[], &choose, LaunchConfig::new(1, 1), graphs)? };
    /// let mut exec = graph.instantiate()?;
    /// exec.launch(&stream)?;
    /// stream.synchronize()?;
    /// assert_eq!(even.memory(zero)?.to_vec(&stream)?, [0]);
    /// assert_eq!(odd.memory(one)?.to_vec(&stream)?, [11]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH")]
    #[doc(alias = "cudaGraphLaunch")]
    pub fn for_device(&self) -> Result<DeviceGraph> {
        if self.flags.0 & InstantiateFlags::DEVICE_LAUNCH.0 == 0 {
            let text = "the graph can't be launched by kernels. Fix: call Graph::instantiate_with(InstantiateFlags::DEVICE_LAUNCH)";
            return Err(Error::invalid("GraphExec::for_device", text));
        }
        Ok(DeviceGraph(self.as_raw() as u64))
    }
}

impl Graph {
    /// Allows kernels to change a kernel node. From now on the graph cannot be cloned, and a
    /// [`GraphExec`] instantiated from it cannot be [updated](GraphExec::update) as a whole.
    ///
    /// See [`cuGraphKernelNodeSetAttribute`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the node
    /// belongs to another graph. Returns the driver's error if the node is not a kernel, or if the
    /// driver is older than CUDA 12.4.
    #[doc(alias = "cuGraphKernelNodeSetAttribute")]
    #[doc(alias = "CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE")]
    pub fn make_updatable(&mut self, node: Node) -> Result<UpdatableKernel> {
        const CALL: &str = "cuGraphKernelNodeSetAttribute";
        self.expect_own(node, "Graph::make_updatable")?;
        let _current = self.context().enter("cuGraphKernelNodeSetAttribute")?;
        let mut value = RawUpdatable {
            updatable: 1,
            node: 0,
            rest: [0; 6],
        };
        // SAFETY: the node is alive. The driver writes the node's handle into the value, although
        // it is declared const.
        let code = unsafe {
            let id = sys::CUlaunchAttributeID(UPDATABLE);
            sys::cuGraphKernelNodeSetAttribute(node.as_raw(), id, (&raw mut value).cast())
        };
        self.context().check(CALL, code).map_err(|error| {
            error
                .with_detail("kernels can only change kernel nodes, and only with a driver of CUDA 12.4 or newer")
        })?;
        Ok(UpdatableKernel(value.node))
    }
}
