//! Arrays that are created without memory, and their memory requirements.

use cuda_sys::{
    self as sys, CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY_SPARSE_PROPERTIES, CUdevice, CUresult,
};

use super::{ArrayFlags, CudaArray, MipmappedArray, query};
use crate::{
    context::Context,
    driver::callback,
    error::{Error, Result},
};

/// The memory requirements of an array that was created without memory. See
/// [`CudaArray::memory_requirements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ArrayMemory {
    /// The total size in bytes.
    pub size: usize,
    /// The required alignment of the memory's address, in bytes.
    pub alignment: usize,
}

/// The division of a sparse array into tiles. See [`CudaArray::sparse_properties`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SparseProperties {
    /// The texels of a tile along the width, the height and the depth.
    pub tile: [u32; 3],
    /// The first of the levels that share memory because they are smaller than a tile.
    pub tail_first_level: u32,
    /// The size of these levels in bytes.
    pub tail_size: u64,
    /// Whether the levels of all layers share memory (`CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL`).
    pub is_single_tail: bool,
}

impl ArrayMemory {
    /// Returns the memory requirements that `ask` writes.
    ///
    /// # Safety
    /// The caller must ensure that `ask` writes only to its argument.
    unsafe fn query(
        context: &Context,
        call: &'static str,
        ask: impl FnOnce(*mut CUDA_ARRAY_MEMORY_REQUIREMENTS, CUdevice) -> CUresult,
    ) -> Result<Self> {
        let device = context.device().as_raw();
        // SAFETY: guaranteed by this function's contract. The structure consists of numbers.
        let found = unsafe { query(context, call, |place| ask(place, device))? };
        Ok(Self {
            size: found.size,
            alignment: found.alignment,
        })
    }
}

impl SparseProperties {
    /// Returns the sparse properties that `ask` writes.
    ///
    /// # Safety
    /// The caller must ensure that `ask` writes only to its argument.
    unsafe fn query(
        context: &Context,
        call: &'static str,
        ask: impl FnOnce(*mut CUDA_ARRAY_SPARSE_PROPERTIES) -> CUresult,
    ) -> Result<Self> {
        // SAFETY: guaranteed by this function's contract. The structure consists of numbers.
        let found = unsafe { query(context, call, ask)? };
        let tile = found.tileExtent;
        Ok(Self {
            tile: [tile.width, tile.height, tile.depth],
            tail_first_level: found.miptailFirstLevel,
            tail_size: found.miptailSize,
            is_single_tail: found.flags & 1 != 0,
        })
    }
}

impl CudaArray {
    /// Returns an error if the array was created without memory, because this crate does not know
    /// what is mapped to it.
    pub(super) fn expect_memory(&self, call: &'static str) -> Result<()> {
        let without = ArrayFlags::SPARSE | ArrayFlags::DEFERRED_MAPPING;
        if self.flags().0 & without.0 == 0 {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            "the array was created without memory. Fix: map memory to it and copy with raw calls",
        ))
    }

    /// Returns how much memory must be mapped to an array that was created [without
    /// memory](ArrayFlags::DEFERRED_MAPPING). Map it with raw calls (`cuMemMapArrayAsync`).
    ///
    /// See [`cuArrayGetMemoryRequirements`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if the array has its own memory.
    #[doc(alias = "cuArrayGetMemoryRequirements")]
    pub fn memory_requirements(&self) -> Result<ArrayMemory> {
        const CALL: &str = "cuArrayGetMemoryRequirements";
        callback::reject_in_callback(CALL)?;
        // SAFETY: the array is live.
        unsafe {
            ArrayMemory::query(self.context(), CALL, |place, device| {
                sys::cuArrayGetMemoryRequirements(place, self.as_raw(), device)
            })
        }
    }

    /// Returns the tiles of a [sparse](ArrayFlags::SPARSE) array.
    ///
    /// See [`cuArrayGetSparseProperties`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if the array is not sparse.
    #[doc(alias = "cuArrayGetSparseProperties")]
    pub fn sparse_properties(&self) -> Result<SparseProperties> {
        const CALL: &str = "cuArrayGetSparseProperties";
        callback::reject_in_callback(CALL)?;
        // SAFETY: the array is live.
        unsafe {
            SparseProperties::query(self.context(), CALL, |place| {
                sys::cuArrayGetSparseProperties(place, self.as_raw())
            })
        }
    }
}

impl MipmappedArray {
    /// Returns how much memory must be mapped to an array that was created [without
    /// memory](ArrayFlags::DEFERRED_MAPPING). Map it with raw calls (`cuMemMapArrayAsync`).
    ///
    /// See [`cuMipmappedArrayGetMemoryRequirements`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if the array has its own memory.
    #[doc(alias = "cuMipmappedArrayGetMemoryRequirements")]
    pub fn memory_requirements(&self) -> Result<ArrayMemory> {
        const CALL: &str = "cuMipmappedArrayGetMemoryRequirements";
        callback::reject_in_callback(CALL)?;
        // SAFETY: the mipmapped array is live.
        unsafe {
            ArrayMemory::query(self.context(), CALL, |place, device| {
                sys::cuMipmappedArrayGetMemoryRequirements(place, self.as_raw(), device)
            })
        }
    }

    /// Returns the tiles of a [sparse](ArrayFlags::SPARSE) mipmapped array.
    ///
    /// See [`cuMipmappedArrayGetSparseProperties`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if the array is not sparse.
    #[doc(alias = "cuMipmappedArrayGetSparseProperties")]
    pub fn sparse_properties(&self) -> Result<SparseProperties> {
        const CALL: &str = "cuMipmappedArrayGetSparseProperties";
        callback::reject_in_callback(CALL)?;
        // SAFETY: the mipmapped array is live.
        unsafe {
            SparseProperties::query(self.context(), CALL, |place| {
                sys::cuMipmappedArrayGetSparseProperties(place, self.as_raw())
            })
        }
    }
}
