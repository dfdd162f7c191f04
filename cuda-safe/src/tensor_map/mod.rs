//! Tensor maps: descriptions of tensors in device memory, by which kernels copy whole tiles (the Tensor Memory Accelerator).
//!
//! [`TensorMap::builder`] begins a [`TensorMapBuilder`]. The finished [`TensorMap`] is an argument of a launch.
//!
//! - Maps: [`TensorMap`], [`TensorMapBuilder`], [`TensorMemory`]
//! - Elements: [`TensorElement`], [`TensorDataType`]
//! - How tiles lie in shared memory: [`TensorInterleave`], [`TensorSwizzle`], [`Im2colWideMode`]
//! - How they are read: [`TensorPromotion`], [`TensorFill`]

mod build;
mod check;
mod choices;

use std::{ffi::c_void, fmt, marker::PhantomData};

use cuda_sys as sys;

pub use build::TensorMapBuilder;
pub use choices::{
    Im2colWideMode, TensorDataType, TensorFill, TensorInterleave, TensorPromotion, TensorSwizzle,
};

use crate::{
    code::parameter::ArgumentKind,
    context::Context,
    error::Result,
    launch::{KernelArgument, Sealed},
    memory::{DeviceMemory, DeviceView, PlainData, Storage, StorageMut},
    stream::Stream,
};

/// What a tensor map is to the driver: bytes that nobody looks at. As aligned as the newest headers have it; older ones
/// ask for 64 bytes.
#[derive(Clone, Copy)]
#[repr(C, align(128))]
pub struct Encoded([u8; 128]);

impl Encoded {
    const fn new() -> Self {
        Self([0; 128])
    }

    fn as_mut_ptr(&mut self) -> *mut sys::CUtensorMap {
        (&raw mut *self).cast()
    }
}

/// A tensor in device memory, described so that one thread of a kernel copies a whole tile of it (`cp.async.bulk.tensor`,
/// also called TMA): from global to shared memory or back, with the tile's edges taken care of. Needs compute capability
/// 9.0.
///
/// A kernel takes it by value, as `const __grid_constant__ CUtensorMap map`. `cuda.h`, which declares that type, is no header
/// for NVRTC: the source declares it itself, before libcu++'s `<cuda/barrier>` if it includes that,
/// by `struct alignas(64) CUtensorMap_st { char bytes[128]; }; typedef CUtensorMap_st CUtensorMap;`. Without libcu++ any struct
/// of 128 bytes that is aligned to 64 will do. `map` is passed to a launch like other arguments, or to a
/// graph's node.
///
/// The map borrows the memory: it can't be passed to a launch after the memory is gone. What a kernel does by it is the
/// launch's promise, as with an address. A kernel may write by a map that was made of a shared borrow: then nothing else may
/// use what it writes. A launch copies the map, and a graph's node keeps its copy: the memory stays until their work is
/// over.
///
/// No copy to shared memory reaches beyond the memory that the map was made of: this is checked when it is made. What lies
/// outside of the tensor is filled in. A copy to global memory writes whole 16 bytes: where a row of the tensor isn't a
/// multiple of 16 bytes long, up to 15 bytes behind each row are overwritten (by an H200; NVIDIA doesn't document it). That
/// nothing else lies there is the launch's promise, too.
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream, tensor_map::TensorMap};
///
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let module = Module::compile(&context, r#"
///     struct alignas(64) TensorMap { char bytes[128]; };
///     // Copies the tile at (x, y), 8 by 4.
///     extern "C" __global__ void tile(const __grid_constant__ TensorMap map, int x, int y, float *out) {
///         __shared__ alignas(128) float tile[4][8];
///         __shared__ unsigned long long barrier;
///         const unsigned to = __cvta_generic_to_shared(tile), bar = __cvta_generic_to_shared(&barrier);
///         if (threadIdx.x == 0) {
///             asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar));
///             asm volatile("fence.mbarrier_init.release.cluster;");
///             asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "n"(sizeof tile));
///             asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
///                          " [%0], [%1, {%2, %3}], [%4];"
///                          :: "r"(to), "l"(&map), "r"(x), "r"(y), "r"(bar) : "memory");
///         }
///         __syncthreads();
///         asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }"
///                      :: "r"(bar) : "memory");
///         out[threadIdx.x] = tile[threadIdx.x / 8][threadIdx.x % 8];
///     }"#)?;
/// let numbers: Vec<f32> = (0..64 * 16).map(|i| i as f32).collect();
/// let tensor = DeviceBuffer::from_slice(&stream, &numbers)?;
/// // 16 rows of 64 elements; copies of 4 rows with 8 elements each.
/// let map = TensorMap::builder(&tensor, &[64, 16]).tiled(&[8, 4])?;
///
/// let mut out = DeviceBuffer::<f32>::zeroed(&stream, 32)?;
/// // SAFETY: the kernel reads by the map, and writes a number for each thread.
/// unsafe { module.function("tile")?.launch(&stream, LaunchConfig::new(1, 32), (map, 60i32, 2i32, &mut out))? };
/// let tile = out.to_vec(&stream)?;
/// // What lies behind the end of a row is zero.
/// assert_eq!(tile[..8], [188.0, 189.0, 190.0, 191.0, 0.0, 0.0, 0.0, 0.0]);
/// assert_eq!(tile[8..12], [252.0, 253.0, 254.0, 255.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
#[doc(alias = "CUtensorMap")]
#[doc(alias = "TMA")]
pub struct TensorMap<'a> {
    map: Encoded,
    /// Bytes from the first to the last of the tensor, and what its address is a multiple of.
    bytes: u64,
    align: u64,
    memory: PhantomData<&'a ()>,
}

impl<'a> TensorMap<'a> {
    /// Begins a map of a tensor that begins where `memory` does. `dims` are its lengths in elements, those of the dimension
    /// whose elements follow each other first; there are 1 to 5.
    ///
    /// `memory` is `&buffer`, `&mut buffer` or a [`DeviceView`]. Mistakes are found when the map is made, by
    /// [`tiled`](TensorMapBuilder::tiled), [`im2col`](TensorMapBuilder::im2col) or
    /// [`im2col_wide`](TensorMapBuilder::im2col_wide).
    pub fn builder(memory: impl TensorMemory<'a>, dims: &[u64]) -> TensorMapBuilder<'a> {
        TensorMapBuilder::new(memory.described(), dims)
    }

    /// The same tensor in other memory: a map of the same kind, sizes and strides, without building it anew.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the memory is too short for the tensor, or
    /// not aligned as it has to be.
    #[doc(alias = "cuTensorMapReplaceAddress")]
    pub fn moved_to<'b>(&self, memory: impl TensorMemory<'b>) -> Result<TensorMap<'b>> {
        const CALL: &str = "TensorMap::moved_to";
        let memory = memory.described();
        check::address(CALL, memory.address, self.align)?;
        check::within(CALL, self.bytes, memory.bytes)?;
        let mut moved = TensorMap {
            map: self.map,
            bytes: self.bytes,
            align: self.align,
            memory: PhantomData,
        };
        let _current = memory.context.enter("cuTensorMapReplaceAddress")?;
        // SAFETY: an encoded map.
        let code = unsafe {
            sys::cuTensorMapReplaceAddress(moved.map.as_mut_ptr(), memory.address as *mut c_void)
        };
        memory.context.check("cuTensorMapReplaceAddress", code)?;
        Ok(moved)
    }

    /// The driver's bytes, for raw calls and for maps that kernels read from memory: where they lie there is a multiple of
    /// 64. What is done with them is no longer tied to the memory's life.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 128] {
        self.map.0
    }
}

impl fmt::Debug for TensorMap<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorMap")
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl Sealed for TensorMap<'_> {}
// SAFETY: a map is its own bytes, which the launch copies.
unsafe impl KernelArgument for TensorMap<'_> {
    type Staged = Encoded;
    type Pointers = [*mut c_void; 1];
    const SIZE: usize = size_of::<Encoded>();

    fn kind() -> ArgumentKind {
        ArgumentKind::Other
    }

    #[inline]
    unsafe fn stage(self, _: &Stream) -> Result<Encoded> {
        Ok(self.map)
    }

    #[inline]
    fn pointers(staged: &mut Encoded) -> [*mut c_void; 1] {
        [(&raw mut *staged).cast()]
    }
}

/// A type of a tensor's elements.
///
/// Other types are described by one of these: `half::f16`, for instance, by a view of `u16` and
/// [`TensorMapBuilder::data_type`] with [`TensorDataType::F16`].
pub trait TensorElement: PlainData {
    /// What a tensor map takes it for.
    const DATA_TYPE: TensorDataType;
}

macro_rules! elements {
    ($($type:ty: $name:ident),*) => {$(
        impl TensorElement for $type {
            const DATA_TYPE: TensorDataType = TensorDataType::$name;
        }
    )*};
}

elements!(u8: U8, i8: U8, u16: U16, i16: U16, u32: U32, i32: I32, u64: U64, i64: I64, f32: F32, f64: F64);

/// What a tensor map can be made of: `&buffer`, `&mut buffer` or a view, whose memory is borrowed for `'a`.
///
/// Sealed.
pub trait TensorMemory<'a>: private::Sealed {
    #[doc(hidden)]
    fn described(self) -> Described;
}

mod private {
    pub trait Sealed {}
}

/// Memory that a map is made of.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Described {
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) element: u64,
    pub(super) data_type: TensorDataType,
    pub(super) context: Context,
}

impl Described {
    fn of<S: Storage, T: TensorElement>(memory: &DeviceMemory<S, T>) -> Self {
        Self {
            address: memory.as_device_ptr(),
            bytes: memory.size_bytes() as u64,
            element: size_of::<T>() as u64,
            data_type: T::DATA_TYPE,
            context: memory.owner().context().clone(),
        }
    }
}

impl<S: Storage, T: TensorElement> private::Sealed for &DeviceMemory<S, T> {}
impl<'a, S: Storage, T: TensorElement> TensorMemory<'a> for &'a DeviceMemory<S, T> {
    fn described(self) -> Described {
        Described::of(self)
    }
}

impl<S: StorageMut, T: TensorElement> private::Sealed for &mut DeviceMemory<S, T> {}
impl<'a, S: StorageMut, T: TensorElement> TensorMemory<'a> for &'a mut DeviceMemory<S, T> {
    fn described(self) -> Described {
        Described::of(self)
    }
}

impl<T: TensorElement> private::Sealed for DeviceView<'_, T> {}
impl<'a, T: TensorElement> TensorMemory<'a> for DeviceView<'a, T> {
    fn described(self) -> Described {
        Described::of(&self)
    }
}
