//! Driver calls that copy boxes between checked sides.

use std::{ffi::c_void, fmt};

use cuda_sys::{
    self as sys, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER, CUarray, CUdeviceptr,
    CUmemorytype,
};

use super::{extent::Extent, layout::Strides};
use crate::{context::Context, error::Result, stream::Stream};

/// The largest pitch of the calls for two dimensions, in bytes. The calls for three accept larger ones.
const MAX_PITCH_2D: usize = i32::MAX as usize;

/// The start of a box on one side, with its strides.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Side {
    Device(CUdeviceptr, Strides),
    Host(*mut c_void, Strides),
    /// The byte within the row, the row, and the slice.
    Array(CUarray, usize, usize, usize),
    /// The side of a box without elements.
    Nothing,
}

/// A copy whose elements have been checked to exist on both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxCopy {
    pub(crate) to: Side,
    pub(crate) from: Side,
    pub(crate) extent: Extent,
    /// The size of an element in bytes.
    pub(crate) element: usize,
    /// The size of a row in bytes.
    row: usize,
}

impl BoxCopy {
    /// Returns `None` if there is nothing to copy.
    pub(crate) fn new(to: Side, from: Side, extent: Extent, element: usize) -> Option<Self> {
        let row = extent.width * element;
        (row > 0 && !extent.is_empty()).then_some(Self {
            to,
            from,
            extent,
            element,
            row,
        })
    }

    /// Returns whether elements of both sides share memory.
    pub(crate) fn overlaps(&self) -> bool {
        match (self.to, self.from) {
            (Side::Device(a, one), Side::Device(b, other)) => match a <= b {
                true => one.overlaps(&other, (b - a) as usize),
                false => other.overlaps(&one, (a - b) as usize),
            },
            (Side::Array(a, x, y, z), Side::Array(b, u, v, w)) => {
                let apart = |one: usize, other: usize, len| one.abs_diff(other) >= len;
                let Extent { height, depth, .. } = self.extent;
                a == b && !(apart(x, u, self.row) || apart(y, v, height) || apart(z, w, depth))
            }
            (Side::Host(a, one), Side::Host(b, other)) => {
                let (a, b) = (a.addr(), b.addr());
                match a <= b {
                    true => one.overlaps(&other, b - a),
                    false => other.overlaps(&one, a - b),
                }
            }
            _ => false,
        }
    }

    /// Returns whether the copy goes from slices of an array to other slices of the same array.
    pub(crate) fn moves_between_slices(&self) -> bool {
        match (self.to, self.from) {
            (Side::Array(a, .., z), Side::Array(b, .., w)) => a == b && z != w,
            _ => false,
        }
    }

    /// Returns the size in bytes if both sides are contiguous.
    pub(crate) fn linear(&self) -> Option<usize> {
        let dense = |side| match side {
            Side::Device(_, strides) | Side::Host(_, strides) => strides.is_dense(),
            Side::Array(..) | Side::Nothing => false,
        };
        let rows = self.extent.height * self.extent.depth;
        (dense(self.to) && dense(self.from)).then_some(self.row * rows)
    }

    /// Returns whether the calls for two dimensions can make the copy. Copies with arrays use the
    /// calls for three, which support layers, too.
    fn is_flat(&self) -> bool {
        let flat = |side| match side {
            Side::Device(_, strides) | Side::Host(_, strides) => strides.pitch <= MAX_PITCH_2D,
            Side::Array(..) | Side::Nothing => false,
        };
        self.extent.depth == 1 && flat(self.to) && flat(self.from)
    }

    /// Enqueues a copy within one context, or between one context and the host.
    ///
    /// # Safety
    /// The caller must ensure that the sides stay valid until the copy has finished, and that the
    /// copy is ordered with other uses of them.
    pub(crate) unsafe fn enqueue(&self, stream: &Stream) -> Result<()> {
        let _current = stream.enter("cuMemcpyDtoDAsync_v2")?;
        let raw = stream.as_raw();
        // SAFETY: the caller promises this for all calls. The driver reads the structures during
        // the call.
        unsafe {
            if let Some(bytes) = self.linear() {
                let (call, code) = match (self.to, self.from) {
                    (Side::Device(to, _), Side::Device(from, _)) => (
                        "cuMemcpyDtoDAsync_v2",
                        sys::cuMemcpyDtoDAsync_v2(to, from, bytes, raw),
                    ),
                    (Side::Device(to, _), Side::Host(from, _)) => (
                        "cuMemcpyHtoDAsync_v2",
                        sys::cuMemcpyHtoDAsync_v2(to, from, bytes, raw),
                    ),
                    (Side::Host(to, _), Side::Device(from, _)) => (
                        "cuMemcpyDtoHAsync_v2",
                        sys::cuMemcpyDtoHAsync_v2(to, from, bytes, raw),
                    ),
                    _ => unreachable!("both sides are linear, and one is device memory"),
                };
                return stream.check(call, code);
            }
            if self.is_flat() {
                let copy = self.flat();
                return stream.check("cuMemcpy2DAsync_v2", sys::cuMemcpy2DAsync_v2(&copy, raw));
            }
            let copy = self.cubic();
            stream.check("cuMemcpy3DAsync_v2", sys::cuMemcpy3DAsync_v2(&copy, raw))
        }
    }

    /// Enqueues a copy between two contexts, or between one context and the host. The stream can
    /// belong to any context.
    ///
    /// # Safety
    /// The same as for [`enqueue`](Self::enqueue), and the sides must be memory of these contexts.
    pub(crate) unsafe fn enqueue_between(
        &self,
        stream: &Stream,
        to: &Context,
        from: &Context,
    ) -> Result<()> {
        let _current = stream.enter("cuMemcpyPeerAsync")?;
        if let (Some(bytes), Side::Device(target, _), Side::Device(source, _)) =
            (self.linear(), self.to, self.from)
        {
            // SAFETY: the caller promises this.
            let code = unsafe {
                sys::cuMemcpyPeerAsync(
                    target,
                    to.as_raw(),
                    source,
                    from.as_raw(),
                    bytes,
                    stream.as_raw(),
                )
            };
            return stream.check("cuMemcpyPeerAsync", code);
        }
        let CUDA_MEMCPY3D {
            srcXInBytes,
            srcY,
            srcZ,
            srcMemoryType,
            srcHost,
            srcDevice,
            srcArray,
            srcPitch,
            srcHeight,
            dstXInBytes,
            dstY,
            dstZ,
            dstMemoryType,
            dstHost,
            dstDevice,
            dstArray,
            dstPitch,
            dstHeight,
            WidthInBytes,
            Height,
            Depth,
            ..
        } = self.cubic();
        let copy = CUDA_MEMCPY3D_PEER {
            srcXInBytes,
            srcY,
            srcZ,
            srcMemoryType,
            srcHost,
            srcDevice,
            srcArray,
            srcContext: from.as_raw(),
            srcPitch,
            srcHeight,
            dstXInBytes,
            dstY,
            dstZ,
            dstMemoryType,
            dstHost,
            dstDevice,
            dstArray,
            dstContext: to.as_raw(),
            dstPitch,
            dstHeight,
            WidthInBytes,
            Height,
            Depth,
            ..Default::default()
        };
        // SAFETY: the caller promises this. The driver reads the structure during the call.
        let code = unsafe { sys::cuMemcpy3DPeerAsync(&copy, stream.as_raw()) };
        stream.check("cuMemcpy3DPeerAsync", code)
    }

    fn flat(&self) -> CUDA_MEMCPY2D {
        let CUDA_MEMCPY3D {
            srcMemoryType,
            srcHost,
            srcDevice,
            srcPitch,
            dstMemoryType,
            dstHost,
            dstDevice,
            dstPitch,
            WidthInBytes,
            Height,
            ..
        } = self.cubic();
        CUDA_MEMCPY2D {
            srcMemoryType,
            srcHost,
            srcDevice,
            srcPitch,
            dstMemoryType,
            dstHost,
            dstDevice,
            dstPitch,
            WidthInBytes,
            Height,
            ..Default::default()
        }
    }

    /// Returns the copy as the driver describes boxes. Linear sides begin at their addresses.
    pub(crate) fn cubic(&self) -> CUDA_MEMCPY3D {
        let mut copy = CUDA_MEMCPY3D {
            WidthInBytes: self.row,
            Height: self.extent.height,
            Depth: self.extent.depth,
            ..Default::default()
        };
        match self.from {
            Side::Device(ptr, strides) => {
                copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
                copy.srcDevice = ptr;
                (copy.srcPitch, copy.srcHeight) = (strides.pitch, strides.slice_rows);
            }
            Side::Host(ptr, strides) => {
                copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
                copy.srcHost = ptr;
                (copy.srcPitch, copy.srcHeight) = (strides.pitch, strides.slice_rows);
            }
            Side::Array(array, x, y, z) => {
                copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
                copy.srcArray = array;
                (copy.srcXInBytes, copy.srcY, copy.srcZ) = (x, y, z);
            }
            Side::Nothing => unreachable!("the copy has elements"),
        }
        match self.to {
            Side::Device(ptr, strides) => {
                copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
                copy.dstDevice = ptr;
                (copy.dstPitch, copy.dstHeight) = (strides.pitch, strides.slice_rows);
            }
            Side::Host(ptr, strides) => {
                copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
                copy.dstHost = ptr;
                (copy.dstPitch, copy.dstHeight) = (strides.pitch, strides.slice_rows);
            }
            Side::Array(array, x, y, z) => {
                copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_ARRAY;
                copy.dstArray = array;
                (copy.dstXInBytes, copy.dstY, copy.dstZ) = (x, y, z);
            }
            Side::Nothing => unreachable!("the copy has elements"),
        }
        copy
    }
}

/// Formats the copy for messages, such as "4 x 3 elements of 2 bytes, from device memory at 0x700
/// to an array".
impl fmt::Display for BoxCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Extent {
            width,
            height,
            depth,
        } = self.extent;
        write!(f, "{width}")?;
        if height > 1 || depth > 1 {
            write!(f, " x {height}")?;
        }
        if depth > 1 {
            write!(f, " x {depth}")?;
        }
        let (element, from, to) = (self.element, self.from, self.to);
        write!(f, " elements of {element} bytes, from {from} to {to}")
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(address, _) => write!(f, "device memory at {address:#x}"),
            Self::Host(address, _) => write!(f, "host memory at {address:p}"),
            Self::Array(..) => f.write_str("an array"),
            Self::Nothing => f.write_str("nothing"),
        }
    }
}
