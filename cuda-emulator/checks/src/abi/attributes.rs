//! Launches with attributes for `cuLaunchKernelEx`.

use super::*;

/// A launch attribute: its number and its value.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct Attribute(u32, u32, [u32; 16]);

/// Creates an attribute whose value begins with these words.
pub fn attribute(id: u32, words: &[u32]) -> Attribute {
    let mut value = [0; 16];
    value[..words.len()].copy_from_slice(words);
    Attribute(id, 0, value)
}

/// Creates the attribute for the number of blocks per cluster.
pub fn cluster(sides: [u32; 3]) -> Attribute {
    attribute(4, &sides)
}

/// Creates an attribute that records an event, with its two flags.
pub fn recording(id: u32, event: CUevent, flags: u32, at_start: u32) -> Attribute {
    let event = event as u64;
    attribute(id, &[event as u32, (event >> 32) as u32, flags, at_start])
}

/// Creates a launch configuration. `attributes` must outlive its use.
pub fn config(
    grid: [u32; 3],
    block: u32,
    shared: u32,
    stream: CUstream,
    attributes: &[Attribute],
) -> CUlaunchConfig {
    // SAFETY: Zero is a valid value of the C struct.
    let mut config: CUlaunchConfig = unsafe { std::mem::zeroed() };
    (config.gridDimX, config.gridDimY, config.gridDimZ) = (grid[0], grid[1], grid[2]);
    (config.blockDimX, config.blockDimY, config.blockDimZ) = (block, 1, 1);
    config.sharedMemBytes = shared;
    config.hStream = stream;
    config.attrs = attributes.as_ptr().cast_mut().cast();
    config.numAttrs = attributes.len() as u32;
    config
}

/// Launches blocks of 32 threads with attributes.
pub fn launch_with(
    function: CUfunction,
    grid: [u32; 3],
    stream: CUstream,
    attributes: &[Attribute],
    arguments: &mut [*mut c_void],
) -> CUresult {
    let config = config(grid, 32, 0, stream, attributes);
    // SAFETY: The attributes have C's layout, and the arguments have the kernel's types.
    unsafe { cuLaunchKernelEx(&config, function, arguments.as_mut_ptr(), null_mut()) }
}
