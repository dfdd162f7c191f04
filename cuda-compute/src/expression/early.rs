//! Launches that begin while the previous kernel of the stream still runs.

use std::ffi::c_void;

use cuda_safe::{Function, LaunchConfig, Stream, launch::LaunchAttributes};

use crate::{array::Memory, error::Result, order::ordered};

/// Enqueues a kernel, ordered with the streams of the memory that it uses.
///
/// On devices that can do this, the kernel is launched while the previous one on the stream still
/// runs, and waits for it (programmatic dependent launch). A chain of small kernels takes half of
/// the time: see `tuning/NOTES.md`.
///
/// # Safety
/// The caller must ensure that:
/// - the pointers are those of the kernel's parameters;
/// - the kernel begins with `wait_for_previous_kernel` of `kernels/array.cuh`;
/// - the kernel only accesses the memory in `memories` and memory that belongs to `stream`.
pub(super) unsafe fn launch<'a>(
    kernel: &Function,
    stream: &Stream,
    config: LaunchConfig,
    pointers: &mut [*mut c_void],
    memories: impl Iterator<Item = &'a Memory> + Clone,
) -> Result<()> {
    let config = match launches_early(stream, memories.clone()) {
        true => config.attributes(LaunchAttributes::default().programmatic_serialization(true)),
        false => config,
    };
    ordered(stream, memories.map(|memory| Some(memory.owner())), || {
        // SAFETY: the caller's promise.
        unsafe { kernel.launch_raw(stream, config, pointers)? };
        Ok(())
    })
}

/// Returns whether kernels that use this memory are launched while previous ones run. The default
/// streams are excluded, because they also wait for other streams. So are captured streams, because
/// this would add edges with data to the graph.
fn launches_early<'a>(stream: &Stream, mut memories: impl Iterator<Item = &'a Memory>) -> bool {
    let capability = memories
        .next()
        .map(|memory| memory.kernels().hardware().capability);
    let can_wait = capability.is_some_and(|capability| capability.major >= 9);
    // The handles of the default streams are small numbers.
    can_wait && stream.as_raw().addr() > 2 && !stream.is_capturing().unwrap_or(true)
}
