//! What kernels are given of graphs: to launch them, and to change their nodes.

use std::{ffi::c_void, fmt};

use cuda_sys as sys;

use super::{Graph, GraphExec, InstantiateFlags, Node};
use crate::{
    code::parameter::ArgumentKind,
    error::{Error, Result},
    launch::{KernelArgument, Sealed},
    raw::{constants::UPDATABLE, structures::RawUpdatable},
    stream::Stream,
};

/// A graph that kernels launch: [`GraphExec::for_device`].
///
/// It is an argument of kernels, as a `cudaGraphExec_t`. A kernel of another graph, or of the same one, launches it by
/// `cudaGraphLaunch(graph, mode)`, which gives a `cudaError_t`, 0 for success. A kernel's source declares that as
/// `extern "C" __device__ int cudaGraphLaunch(unsigned long long graph, unsigned long long mode);`, or has it from
/// `cuda_device_runtime_api.h` with `--relocatable-device-code=true`; nothing has to be linked. A kernel of a graph finds out
/// which one it is in by `asm("mov.u64 %0, %%current_graph_exec;" : "=l"(graph));`.
///
/// | mode | number | the graph runs |
/// | --- | --- | --- |
/// | `cudaStreamGraphTailLaunch` | `0x0100000000000000` | when the launching graph is over, with all that it launched; tail launches follow each other; a graph may launch itself once |
/// | `cudaStreamGraphFireAndForget` | `0x0200000000000000` | from now on, beside the launching graph |
/// | `cudaStreamGraphFireAndForgetAsSibling` | `0x0300000000000000` | in the same way, but tail launches of the launching graph don't wait for it |
///
/// The work that follows the host's launch on its stream waits for all of them. In one run a graph launches up to 120 others
/// beside it, and 255 after it. `cudaGraphLaunch` refuses more (1, `cudaErrorInvalidValue`), and a graph that was not uploaded
/// or that runs already.
///
/// # Safety of such launches
/// A launch by a kernel is unknown to this crate. Who launches the kernel ([`Graph::add_kernel`] and its like are unsafe)
/// promises for all launches of the kernel's graph, besides what holds for the kernel itself:
///
/// - The [`GraphExec`] was made with [`InstantiateFlags::DEVICE_LAUNCH`] and lives until these launches are over. So do
///   the graphs that its kernels launch.
/// - Meanwhile nothing else is done with it: the host doesn't launch, upload or change it, and uses none of its memory
///   ([`GraphExec::memory`]).
/// - These launches are ordered with what else uses its memory: a launch by a kernel isn't, other than a launch by the host,
///   ordered with the streams that its memory belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DeviceGraph(u64);

/// A kernel's node that other kernels change: [`Graph::make_updatable`].
///
/// It is an argument of kernels, as a `cudaGraphDeviceNode_t`, 64 bits. They call `cudaGraphKernelNodeSetParam`,
/// `cudaGraphKernelNodeSetEnabled` and `cudaGraphKernelNodeSetGridDim`, which `cuda_device_runtime_api.h` declares. A change
/// counts for the node's later runs, in the launch under way too, until the host changes the node itself.
///
/// Valid until the graph, and the [`GraphExec`] made of it, are gone: who launches a kernel with it, which is unsafe,
/// promises that, that the changed launch is one that [`Graph::add_kernel`] would allow, and that nothing else changes the
/// node, or may be running it, at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UpdatableKernel(u64);

impl DeviceGraph {
    /// The number that kernels are given.
    #[must_use]
    pub fn as_raw(self) -> u64 {
        self.0
    }
}

impl UpdatableKernel {
    /// The number that kernels are given.
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

        impl Sealed for $name {}
        // SAFETY: a number is its own bytes.
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
    /// What kernels launch this by; [`DeviceGraph`] says what holds for that. It has to be uploaded first
    /// ([`upload`](Self::upload), or a launch by the host), and again after each change: the work that launches it comes after
    /// the upload.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if it wasn't instantiated with
    /// [`InstantiateFlags::DEVICE_LAUNCH`].
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
    /// // SAFETY: one number is read; the graphs live until the launch is over, and nothing else is done with them.
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
            let text = "kernels launch only what Graph::instantiate_with made with InstantiateFlags::DEVICE_LAUNCH";
            return Err(Error::invalid("GraphExec::for_device", text));
        }
        Ok(DeviceGraph(self.as_raw() as u64))
    }
}

impl Graph {
    /// Has kernels change a kernel's node. From now on the graph can't be cloned, and what is made of it can't be
    /// [updated](GraphExec::update) as a whole.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a node of another graph. The driver's code for
    /// a node that isn't a kernel's, and before CUDA 12.4.
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
        // SAFETY: a live node; the driver writes the node's handle into the value, though it is declared const.
        let code = unsafe {
            let id = sys::CUlaunchAttributeID(UPDATABLE);
            sys::cuGraphKernelNodeSetAttribute(node.as_raw(), id, (&raw mut value).cast())
        };
        self.context().check(CALL, code).map_err(|error| {
            error
                .with_detail("kernels change nodes of kernels, with a driver of CUDA 12.4 or newer")
        })?;
        Ok(UpdatableKernel(value.node))
    }
}
