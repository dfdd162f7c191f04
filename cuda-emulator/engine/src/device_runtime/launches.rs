//! Launches by kernels.

use super::call::Call;
use super::errors::Error;
use super::grid::{Child, Work};
use super::tree::MAX_DEPTH;
use crate::boundary::Shape;

/// Limits of compute capability 9.0: threads per block, sizes of blocks and grids, and shared
/// memory without opt-in.
const MAX_THREADS: u64 = 1024;
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
const MAX_GRID: [u32; 3] = [0x7fff_ffff, 65535, 65535];
const SHARED: u32 = 48 << 10;
/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
const DYNAMIC_SHARED: u32 = 8;
/// Maximum size of the parameters in bytes.
const MAX_PARAMS: u64 = 32764;

/// Checks whether a kernel can be launched with this shape.
fn check(call: &Call<'_, '_>, child: &Child) -> Result<(), Error> {
    let Child { kernel, shape } = child;
    let info = &call.ctx.launch.program.kernels[*kernel];
    let fits = |size: [u32; 3], most: [u32; 3]| (0..3).all(|i| (1..=most[i]).contains(&size[i]));
    let threads = shape.block.iter().map(|&n| u64::from(n)).product::<u64>();
    let allowed = call.ctx.launch.device.host();
    let allowed = allowed.and_then(|host| host.function_attribute(*kernel, DYNAMIC_SHARED));
    let allowed = match allowed {
        Some(bytes) => bytes.max(0) as u32,
        None => SHARED.saturating_sub(info.static_shared),
    };
    let right = fits(shape.grid, MAX_GRID)
        && fits(shape.block, MAX_BLOCK)
        && threads <= MAX_THREADS.min(info.max_threads.map_or(MAX_THREADS, u64::from))
        && info.required_block.is_none_or(|block| block == shape.block)
        && shape.dynamic_shared <= allowed;
    if !right {
        return Err(Error::InvalidConfiguration);
    }
    let divides = |sides: [u32; 3]| {
        (0..3).all(|axis| sides[axis] != 0 && shape.grid[axis].is_multiple_of(sides[axis]))
    };
    if !info.required_cluster.is_none_or(divides) {
        return Err(Error::InvalidClusterSize);
    }
    if call.grid.depth >= MAX_DEPTH {
        return Err(Error::LaunchMaxDepthExceeded);
    }
    Ok(())
}

fn child(
    call: &Call<'_, '_>,
    function: u64,
    dims: [usize; 2],
    dynamic_shared: u32,
) -> Result<Child, Error> {
    let kernel = call.kernel(function).ok_or(Error::InvalidDeviceFunction)?;
    let shape = Shape {
        grid: call.dim(dims[0]),
        block: call.dim(dims[1]),
        dynamic_shared,
        ..Shape::default()
    };
    let child = Child { kernel, shape };
    check(call, &child).map(|()| child)
}

/// Returns a pointer, or null after setting the thread's last error.
fn pointer(call: &mut Call<'_, '_>, result: Result<u64, Error>) -> Option<u64> {
    match result {
        Ok(address) => Some(address),
        Err(error) => call.fail(error).map(|_| 0),
    }
}

/// `cudaGetParameterBuffer(alignment, size)`
pub(super) fn parameter_buffer(call: &mut Call<'_, '_>) -> Option<u64> {
    let (align, size) = (call.long(0), call.long(1));
    let result = if size > MAX_PARAMS || align > 64 || align.count_ones() > 1 {
        Err(Error::InvalidValue)
    } else {
        call.grid.buffer(None, size as usize, align as usize)
    };
    pointer(call, result)
}

/// `cudaGetParameterBufferV2(kernel, grid, block, shared)`
pub(super) fn parameter_buffer_v2(call: &mut Call<'_, '_>) -> Option<u64> {
    let result = child(call, call.long(0), [1, 2], call.word(3)).and_then(|child| {
        let size = call.ctx.launch.program.kernels[child.kernel].param_bytes;
        call.grid.buffer(Some(child), size as usize, 0)
    });
    pointer(call, result)
}

/// `cudaLaunchDevice(kernel, parameters, grid, block, shared, stream)`
pub(super) fn launch(call: &mut Call<'_, '_>) -> Option<u64> {
    let buffer = call.long(1);
    let child = match child(call, call.long(0), [2, 3], call.word(4)) {
        Ok(child) => child,
        Err(error) => return call.fail(error),
    };
    let needed = call.ctx.launch.program.kernels[child.kernel].param_bytes as usize;
    let Some(key) = call.stream(5) else {
        return call.fail(Error::InvalidValue);
    };
    let size = if buffer == 0 && needed == 0 {
        match call.grid.tree.reserve() {
            Ok(()) => 0,
            Err(error) => return call.fail(error),
        }
    } else {
        match call.grid.claim(buffer) {
            Some((None, size)) if size >= needed => needed,
            Some(_) => {
                call.grid.tree.release();
                return call.fail(Error::InvalidValue);
            }
            None => return call.fail(Error::InvalidValue),
        }
    };
    let params = if size == 0 {
        Vec::new()
    } else {
        call.bytes(buffer, size)?
    };
    call.enqueue(key, Work::Launch(child, params))
}

/// `cudaLaunchDeviceV2(parameters, stream)`
pub(super) fn launch_v2(call: &mut Call<'_, '_>) -> Option<u64> {
    let buffer = call.long(0);
    let Some(key) = call.stream(1) else {
        return call.fail(Error::InvalidValue);
    };
    match call.grid.claim(buffer) {
        Some((Some(child), size)) => {
            let params = if size == 0 {
                Vec::new()
            } else {
                call.bytes(buffer, size)?
            };
            call.enqueue(key, Work::Launch(child, params))
        }
        Some(_) => {
            call.grid.tree.release();
            call.fail(Error::InvalidValue)
        }
        None => call.fail(Error::InvalidValue),
    }
}
