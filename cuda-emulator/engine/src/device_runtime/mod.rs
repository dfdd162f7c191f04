//! CUDA's device runtime: launches, streams, events, memory and queries from within kernels.
//!
//! A program gets it from the linker, when NVIDIA's archive of it is among the inputs: the archive's code isn't run,
//! [`SOURCE`] takes its place. Its functions are instructions of the engine (`call`); those of cooperative groups are
//! PTX.
//!
//! A launch by a kernel is a command of its grid (`grid`). Commands run when the grid has ended, in an order that its
//! streams and events allow (`tree`): a grid of CUDA 12 can't wait for its children, so it may not depend on more. A GPU
//! begins children earlier, while their parent runs. A grid has ended for whoever waits for it when its children have.

mod call;
mod copies;
mod errors;
mod grid;
mod launches;
mod queries;
mod streams;
mod tree;

pub(super) use call::call;
pub(super) use grid::Grid;
pub use tree::run;

use call::Call;

/// What the linker takes instead of the archive's code.
pub const SOURCE: &str = include_str!("runtime.ptx");

/// The declaration in [`SOURCE`] by which a program is known to have the device runtime.
pub(super) const MARK: &str = "__cuda_emulator_device_runtime";

/// Whether a name is one that the device runtime has, or had for older devices.
pub(super) fn is_name(name: &str) -> bool {
    Number::of(name).is_some() || name.starts_with("cudaCG") || name.starts_with("__cudaCDP2")
}

/// A function of the device runtime.
pub(super) struct Function {
    /// Without the prefix of CUDA 12's names, and without `_ptsz`.
    name: &'static str,
    /// Bytes of the result.
    pub returns: u32,
    /// Bytes of the parameters.
    pub params: &'static [u32],
    /// Gives the result, or None for a fault.
    run: fn(&mut Call<'_, '_>) -> Option<u64>,
}

/// A function by its place in the table, and whether its default stream is the thread's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number(u16);

const OWN_STREAM: u16 = 0x8000;

impl Number {
    /// The function that a name stands for.
    pub(super) fn of(name: &str) -> Option<Number> {
        let (name, own) = match name.strip_suffix("_ptsz") {
            Some(name) => (name, OWN_STREAM),
            None => (name, 0),
        };
        let plain = match name.strip_prefix("__cudaCDP2") {
            Some(rest) => FUNCTIONS.iter().position(|f| f.name[4..] == *rest),
            None => FUNCTIONS.iter().position(|f| f.name == name),
        };
        plain.map(|at| Number(at as u16 | own))
    }

    pub(super) fn function(self) -> &'static Function {
        &FUNCTIONS[usize::from(self.0 & !OWN_STREAM)]
    }

    fn own_stream(self) -> bool {
        self.0 & OWN_STREAM != 0
    }

    /// For the instruction's immediate, and back.
    pub(super) fn bits(self) -> u64 {
        self.0.into()
    }

    fn from_bits(bits: u64) -> Number {
        Number(bits as u16)
    }
}

const fn function(
    name: &'static str,
    returns: u32,
    params: &'static [u32],
    run: fn(&mut Call<'_, '_>) -> Option<u64>,
) -> Function {
    Function {
        name,
        returns,
        params,
        run,
    }
}

/// Every function; names as in CUDA 11, which CUDA 12 prefixes by `__cudaCDP2` in place of `cuda`.
#[rustfmt::skip]
static FUNCTIONS: &[Function] = &[
    function("cudaGetParameterBuffer", 8, &[8, 8], launches::parameter_buffer),
    function("cudaGetParameterBufferV2", 8, &[8, 12, 12, 4], launches::parameter_buffer_v2),
    function("cudaLaunchDevice", 4, &[8, 8, 12, 12, 4, 8], launches::launch),
    function("cudaLaunchDeviceV2", 4, &[8, 8], launches::launch_v2),
    function("cudaStreamCreateWithFlags", 4, &[8, 4], streams::create_stream),
    function("cudaStreamDestroy", 4, &[8], streams::destroy_stream),
    function("cudaStreamWaitEvent", 4, &[8, 8, 4], streams::wait),
    function("cudaEventCreateWithFlags", 4, &[8, 4], streams::create_event),
    function("cudaEventRecord", 4, &[8, 8], streams::record),
    function("cudaEventRecordWithFlags", 4, &[8, 8, 4], streams::record),
    function("cudaEventDestroy", 4, &[8], streams::destroy_event),
    function("cudaMalloc", 4, &[8, 8], copies::malloc),
    function("cudaFree", 4, &[8], copies::free),
    function("cudaMemcpyAsync", 4, &[8, 8, 8, 4, 8], copies::copy),
    function("cudaMemcpy2DAsync", 4, &[8, 8, 8, 8, 8, 8, 4, 8], copies::copy_2d),
    function("cudaMemcpy3DAsync", 4, &[8, 8], copies::copy_3d),
    function("cudaMemsetAsync", 4, &[8, 4, 8, 8], copies::set),
    function("cudaMemset2DAsync", 4, &[8, 8, 4, 8, 8, 8], copies::set_2d),
    function("cudaMemset3DAsync", 4, &[32, 4, 24, 8], copies::set_3d),
    function("cudaGetLastError", 4, &[], queries::last_error),
    function("cudaPeekAtLastError", 4, &[], queries::peek_error),
    function("cudaGetErrorString", 8, &[4], queries::error_string),
    function("cudaGetErrorName", 8, &[4], queries::error_name),
    function("cudaGetDevice", 4, &[8], queries::device),
    function("cudaGetDeviceCount", 4, &[8], queries::device_count),
    function("cudaDeviceGetAttribute", 4, &[8, 4, 4], queries::device_attribute),
    function("cudaDeviceGetLimit", 4, &[8, 4], queries::limit),
    function("cudaDeviceGetCacheConfig", 4, &[8], queries::cache_config),
    function("cudaDeviceGetSharedMemConfig", 4, &[8], queries::shared_config),
    function("cudaRuntimeGetVersion", 4, &[8], queries::version),
    function("cudaFuncGetAttributes", 4, &[8, 8], queries::function_attributes),
    function("cudaOccupancyMaxActiveBlocksPerMultiprocessor", 4, &[8, 8, 4, 8], queries::occupancy),
    function("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 4, &[8, 8, 4, 8, 4], queries::occupancy),
    function("__cudaDeviceSynchronizeDeprecationAvoidance", 4, &[], queries::synchronize),
    // Graphs that are launched or changed by kernels.
    function("cudaGraphLaunch", 4, &[8, 8], queries::unsupported),
    function("cudaGraphKernelNodeSetParam", 4, &[8, 8, 8, 8], queries::unsupported),
    function("cudaGraphKernelNodeSetEnabled", 4, &[8, 4], queries::unsupported),
    function("cudaGraphKernelNodeSetGridDim", 4, &[8, 12], queries::unsupported),
    function("cudaGraphKernelNodeUpdatesApply", 4, &[8, 8], queries::unsupported),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_generations_are_known() {
        for name in [
            "cudaMalloc",
            "__cudaCDP2Malloc",
            "cudaLaunchDeviceV2",
            "__cudaCDP2LaunchDeviceV2",
        ] {
            assert!(!Number::of(name).unwrap().own_stream(), "{name}");
        }
        let own = Number::of("__cudaCDP2MemcpyAsync_ptsz").unwrap();
        assert!(own.own_stream());
        assert_eq!(own.function().name, "cudaMemcpyAsync");
        assert_eq!(Number::from_bits(own.bits()), own);
        for name in ["cudaDeviceSynchronize", "__cudaCDP2", "malloc", "_ptsz"] {
            assert_eq!(Number::of(name), None, "{name}");
        }
    }
}
