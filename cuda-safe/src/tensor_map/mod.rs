//! Tensor maps: descriptions of tensors in device memory, with which kernels copy whole tiles
//! (Tensor Memory Accelerator, TMA).
//!
//! [`TensorMap::builder`] creates a [`TensorMapBuilder`]. The finished [`TensorMap`] is a kernel
//! argument.
//!
//! - Maps: [`TensorMap`], [`TensorMapBuilder`], [`TensorMemory`]
//! - Elements: [`TensorElement`], [`TensorDataType`]
//! - Layout of tiles in shared memory: [`TensorInterleave`], [`TensorSwizzle`], [`Im2colWideMode`]
//! - Reading: [`TensorPromotion`], [`TensorFill`]

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
    launch::KernelArgument,
    memory::{DeviceMemory, DeviceView, PlainData, Storage, StorageMut},
    stream::Stream,
};

/// The driver's opaque bytes of a tensor map. The alignment is that of the newest headers; older
/// headers require 64 bytes.
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

/// A description of a tensor in device memory, with which one thread of a kernel copies a whole
/// tile (`cp.async.bulk.tensor`, also called TMA).
///
/// The copy goes from global to shared memory or back, and handles tiles at the edges. It needs
/// compute capability 9.0.
///
/// **In kernels.** Declare the parameter as `const __grid_constant__ CUtensorMap map`, by value,
/// and pass `map` to the launch or to a graph's node. NVRTC cannot include `cuda.h`, which declares
/// the type. Declare it in the source, before libcu++'s `<cuda/barrier>` if you include that:
/// `struct alignas(64) CUtensorMap_st { char bytes[128]; }; typedef CUtensorMap_st CUtensorMap;`.
/// Without libcu++, any struct of 128 bytes with an alignment of 64 works.
///
/// **Lifetime.** The map borrows the memory, so you cannot pass it to a launch after the memory has
/// been freed. A launch copies the map, and a graph's node keeps its copy. The memory must stay
/// allocated until their work has finished.
///
/// **Safety of launches.** As with an address, you promise in the launch that the kernel uses the
/// map correctly. A kernel may write through a map that was created from a shared borrow. In that
/// case nothing else may use the memory that it writes.
///
/// Copies to shared memory never read beyond the memory of the map, because this is checked when
/// the map is created. Elements outside the tensor are filled in. Copies to global memory write
/// whole units of 16 bytes. If the length of a row is not a multiple of 16 bytes, they overwrite up
/// to 15 bytes after each row (on an H200; NVIDIA does not document it). In the launch you also
/// promise that nothing else is stored there.
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
/// // SAFETY: the kernel reads through the map, and writes one number per thread.
/// unsafe { module.function("tile")?.launch(&stream, LaunchConfig::new(1, 32), (map, 60i32, 2i32, &mut out))? };
/// let tile = out.to_vec(&stream)?;
/// // Elements after the end of a row are zero.
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
    /// The size of the tensor in bytes, and the required alignment of its address.
    bytes: u64,
    align: u64,
    memory: PhantomData<&'a ()>,
}

impl<'a> TensorMap<'a> {
    /// Starts a map of a tensor at the start of `memory`. `dims` holds its 1 to 5 lengths in
    /// elements, starting with the contiguous dimension.
    ///
    /// `memory` is `&buffer`, `&mut buffer` or a [`DeviceView`]. Arguments are checked when the map
    /// is created by [`tiled`](TensorMapBuilder::tiled), [`im2col`](TensorMapBuilder::im2col) or
    /// [`im2col_wide`](TensorMapBuilder::im2col_wide).
    pub fn builder(memory: impl TensorMemory<'a>, dims: &[u64]) -> TensorMapBuilder<'a> {
        TensorMapBuilder::new(memory.described(), dims)
    }

    /// Returns a map of the same kind, sizes and strides for other memory, without building it
    /// again.
    ///
    /// See [`cuTensorMapReplaceAddress`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TENSOR__MEMORY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the memory is
    /// too short for the tensor or not sufficiently aligned.
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
        // SAFETY: the map is encoded.
        let code = unsafe {
            sys::cuTensorMapReplaceAddress(moved.map.as_mut_ptr(), memory.address as *mut c_void)
        };
        memory.context.check("cuTensorMapReplaceAddress", code)?;
        Ok(moved)
    }

    /// Returns the driver's bytes, for raw calls and for maps that kernels read from memory. Store
    /// them at a multiple of 64 bytes. They do not borrow the memory.
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

// SAFETY: a map consists of bytes, which the launch copies.
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

/// An element type of tensors.
///
/// To use another type, use one of these with the right size. For example, for `half::f16` use a
/// view of `u16` and [`TensorMapBuilder::data_type`] with [`TensorDataType::F16`].
pub trait TensorElement: PlainData {
    /// The type in a tensor map.
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

/// Memory from which a tensor map can be created: `&buffer`, `&mut buffer` or a view. The memory is
/// borrowed for `'a`.
///
/// This trait is sealed.
pub trait TensorMemory<'a>: private::Sealed {
    #[doc(hidden)]
    fn described(self) -> Described;
}

mod private {
    pub trait Sealed {}
}

/// The memory of a map.
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
