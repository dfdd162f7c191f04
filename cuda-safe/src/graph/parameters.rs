//! Creates the driver's node parameters from checked values, for new and changed nodes.

use cuda_sys::{
    self as sys, CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, CUmemorytype,
};

use super::{held::Held, kept::Part};
use crate::{
    code::function::Function,
    error::{Error, Result},
    launch::{KernelArguments, LaunchConfig},
    memory::{PlainData, expect_equal},
    stream::Stream,
};

/// Calls `then` with the parameters of a kernel launch, or with `None` if the grid is for no elements.
///
/// # Safety
/// The caller must ensure that the contract of [`Function::launch`] holds for every launch of the
/// graph, and that `then` only passes the parameters to the driver.
pub(super) unsafe fn kernel<A: KernelArguments>(
    function: &Function,
    config: LaunchConfig,
    arguments: A,
    call: &'static str,
    then: impl FnOnce(Option<&CUDA_KERNEL_NODE_PARAMS>) -> Result<()>,
) -> Result<()> {
    if A::WAITS {
        return Err(Error::invalid(
            call,
            "a kernel of a graph can't take host slices (In, Out, InOut). Fix: use buffers, and add nodes that copy",
        ));
    }
    if A::ORDERED {
        return Err(Error::invalid(
            call,
            "a kernel of a graph can't take arrays, whose memory moves if they are written while shared. Fix: pass the token \
             of `graph.keep(array.into_buffer()?)`",
        ));
    }
    if !function.is_launchable(function.context(), &config, A::TYPES)? {
        return then(None);
    }
    // Nothing is enqueued on this stream: only arguments that wait or are ordered would do so, and
    // those were rejected above.
    let stream = Stream::legacy_default(function.context());
    let LaunchConfig {
        grid,
        block,
        shared_bytes,
        ..
    } = config;
    // SAFETY: guaranteed by the caller. Kinds, sizes and limits were checked above, and the driver
    // copies the arguments.
    unsafe {
        arguments.with_pointers(&stream, |pointers| {
            then(Some(&CUDA_KERNEL_NODE_PARAMS {
                func: function.as_raw(),
                gridDimX: grid.x,
                gridDimY: grid.y,
                gridDimZ: grid.z,
                blockDimX: block.x,
                blockDimY: block.y,
                blockDimZ: block.z,
                sharedMemBytes: shared_bytes,
                kernelParams: pointers.as_mut_ptr(),
                ..Default::default()
            }))
        })
    }
}

/// Returns the parameters of a copy, or `None` if there is nothing to copy.
pub(super) fn copy<T: PlainData>(
    held: &Held,
    to: Part<T>,
    from: Part<T>,
    call: &'static str,
) -> Result<Option<CUDA_MEMCPY3D>> {
    held.expect(&to, call)?;
    held.expect(&from, call)?;
    expect_equal(from.place.len, to.place.len, call)?;
    let bytes = to.bytes();
    if bytes == 0 {
        return Ok(None);
    }
    let (a, b) = (to.place.address, from.place.address);
    if to.number == from.number && a < b + bytes as u64 && b < a + bytes as u64 {
        return Err(Error::invalid(
            call,
            format!("the source {from:?} and the destination {to:?} overlap"),
        ));
    }
    let mut copy = CUDA_MEMCPY3D {
        WidthInBytes: bytes,
        Height: 1,
        Depth: 1,
        ..Default::default()
    };
    let host = |address| std::ptr::with_exposed_provenance_mut(address as usize);
    if from.place.on_host {
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        copy.srcHost = host(b);
    } else {
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = b;
    }
    if to.place.on_host {
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        copy.dstHost = host(a);
    } else {
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = a;
    }
    Ok(Some(copy))
}

/// Returns the parameters of a fill, or `None` if there is nothing to fill.
pub(super) fn fill<T: PlainData>(
    held: &Held,
    part: Part<T>,
    value: T,
    call: &'static str,
) -> Result<Option<CUDA_MEMSET_NODE_PARAMS>> {
    held.expect(&part, call)?;
    if part.place.on_host {
        return Err(Error::invalid(
            call,
            "a node can't fill host memory. Fix: use Graph::add_host_function, or fill device memory and copy it",
        ));
    }
    let pattern = bytemuck::bytes_of(&value);
    if part.bytes() == 0 {
        return Ok(None);
    }
    let (size, number) = match *pattern {
        [a, ..] if pattern.iter().all(|&byte| byte == a) => (1, u32::from(a)),
        [a, b] => (2, u16::from_ne_bytes([a, b]).into()),
        [a, b, c, d, ..]
            if pattern.len().is_multiple_of(4)
                && pattern.chunks(4).all(|word| word == [a, b, c, d]) =>
        {
            (4, u32::from_ne_bytes([a, b, c, d]))
        }
        _ => {
            return Err(Error::invalid(
                call,
                format!(
                    "a node can only repeat 1, 2 or 4 bytes, and the {} bytes of this value do not repeat such a pattern. Fix: use a kernel",
                    pattern.len()
                ),
            ));
        }
    };
    Ok(Some(sys::CUDA_MEMSET_NODE_PARAMS {
        dst: part.place.address,
        pitch: 0,
        value: number,
        elementSize: size,
        width: part.bytes() / size as usize,
        height: 1,
    }))
}
