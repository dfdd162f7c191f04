//! CUDA's device runtime: launches, streams, events, memory and queries from within kernels.
//!
//! The linker adds it to a program if NVIDIA's archive is among the inputs. [`SOURCE`] replaces the
//! archive's code, which is not run. Its functions are instructions of the engine (`call`), except
//! for those of cooperative groups, which are PTX.
//!
//! A launch by a kernel is a command of its grid (`grid`). Commands run after the grid has ended,
//! in an order that its streams and events allow (`tree`). A grid of CUDA 12 cannot wait for its
//! children, so it cannot depend on an earlier start. A GPU starts children earlier, while their
//! parent runs. A grid counts as ended for other grids when its children have ended.

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

/// The PTX that the linker uses in place of the archive's code.
pub const SOURCE: &str = include_str!("runtime.ptx");

/// The declaration in [`SOURCE`] that identifies a program with the device runtime.
pub(super) const MARK: &str = "__cuda_emulator_device_runtime";

/// Returns whether the device runtime has a function of this name, or had one for older devices.
pub(super) fn is_name(name: &str) -> bool {
    Number::of(name).is_some() || name.starts_with("cudaCG") || name.starts_with("__cudaCDP2")
}

/// A function of the device runtime.
pub(super) struct Function {
    /// The name without the prefix of CUDA 12's names and without `_ptsz`.
    name: &'static str,
    /// Size of the result in bytes.
    pub returns: u32,
    /// Sizes of the parameters in bytes.
    pub params: &'static [u32],
    /// Returns the result, or None for a fault.
    run: fn(&mut Call<'_, '_>) -> Option<u64>,
}

/// A function's index in the table, and whether its default stream is per thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number(u16);

const OWN_STREAM: u16 = 0x8000;

impl Number {
    /// Returns the function with this name.
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

    /// Converts to and from the instruction's immediate.
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

/// All functions, with their names of CUDA 11. CUDA 12 replaces `cuda` by `__cudaCDP2`.
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
    // Functions for kernels that launch or change graphs.
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
