//! Arrays that are made without memory, and what is known of the memory that they need.

use cuda_sys::{
    self as sys, CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY_SPARSE_PROPERTIES, CUdevice, CUresult,
};

use super::{ArrayFlags, CudaArray, MipmappedArray, told};
use crate::{
    context::Context,
    driver::callback,
    error::{Error, Result},
};

/// How much memory an array without any needs: see [`CudaArray::memory_requirements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ArrayMemory {
    /// Bytes in all.
    pub size: usize,
    /// What the memory's address is a multiple of, in bytes.
    pub alignment: usize,
}

/// How a sparse array is divided into tiles: see [`CudaArray::sparse_properties`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SparseProperties {
    /// Texels of a tile along the width, the height and the depth.
    pub tile: [u32; 3],
    /// The first of the levels that share memory, being smaller than a tile.
    pub tail_first_level: u32,
    /// Bytes of these levels.
    pub tail_size: u64,
    /// Whether the levels of all layers share memory (`CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL`).
    pub is_single_tail: bool,
}

impl ArrayMemory {
    /// # Safety
    /// `ask` writes to its place alone.
    unsafe fn told(
        context: &Context,
        call: &'static str,
        ask: impl FnOnce(*mut CUDA_ARRAY_MEMORY_REQUIREMENTS, CUdevice) -> CUresult,
    ) -> Result<Self> {
        let device = context.device().as_raw();
        // SAFETY: as this function's contract says; the structure is numbers.
        let found = unsafe { told(context, call, |place| ask(place, device))? };
        Ok(Self {
            size: found.size,
            alignment: found.alignment,
        })
    }
}

impl SparseProperties {
    /// # Safety
    /// `ask` writes to its place alone.
    unsafe fn told(
        context: &Context,
        call: &'static str,
        ask: impl FnOnce(*mut CUDA_ARRAY_SPARSE_PROPERTIES) -> CUresult,
    ) -> Result<Self> {
        // SAFETY: as this function's contract says; the structure is numbers.
        let found = unsafe { told(context, call, ask)? };
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
    /// An error for an array that was made without memory: what is mapped to it is not known here.
    pub(super) fn expect_memory(&self, call: &'static str) -> Result<()> {
        let without = ArrayFlags::SPARSE | ArrayFlags::DEFERRED_MAPPING;
        if self.flags().0 & without.0 == 0 {
            return Ok(());
        }
        Err(Error::invalid(
            call,
            "the array was made without memory: copy by raw calls once that is mapped",
        ))
    }

    /// How much memory has to be mapped to an array that was made [without any](ArrayFlags::DEFERRED_MAPPING), by raw calls
    /// (`cuMemMapArrayAsync`).
    ///
    /// # Errors
    /// The array has memory of its own.
    #[doc(alias = "cuArrayGetMemoryRequirements")]
    pub fn memory_requirements(&self) -> Result<ArrayMemory> {
        const CALL: &str = "cuArrayGetMemoryRequirements";
        callback::refuse_within(CALL)?;
        // SAFETY: a live array.
        unsafe {
            ArrayMemory::told(self.context(), CALL, |place, device| {
                sys::cuArrayGetMemoryRequirements(place, self.as_raw(), device)
            })
        }
    }

    /// The tiles of a [sparse](ArrayFlags::SPARSE) array.
    ///
    /// # Errors
    /// The array isn't sparse.
    #[doc(alias = "cuArrayGetSparseProperties")]
    pub fn sparse_properties(&self) -> Result<SparseProperties> {
        const CALL: &str = "cuArrayGetSparseProperties";
        callback::refuse_within(CALL)?;
        // SAFETY: a live array.
        unsafe {
            SparseProperties::told(self.context(), CALL, |place| {
                sys::cuArrayGetSparseProperties(place, self.as_raw())
            })
        }
    }
}

impl MipmappedArray {
    /// How much memory has to be mapped to one that was made [without any](ArrayFlags::DEFERRED_MAPPING), by raw calls
    /// (`cuMemMapArrayAsync`).
    ///
    /// # Errors
    /// It has memory of its own.
    #[doc(alias = "cuMipmappedArrayGetMemoryRequirements")]
    pub fn memory_requirements(&self) -> Result<ArrayMemory> {
        const CALL: &str = "cuMipmappedArrayGetMemoryRequirements";
        callback::refuse_within(CALL)?;
        // SAFETY: a live mipmapped array.
        unsafe {
            ArrayMemory::told(self.context(), CALL, |place, device| {
                sys::cuMipmappedArrayGetMemoryRequirements(place, self.as_raw(), device)
            })
        }
    }

    /// The tiles of a [sparse](ArrayFlags::SPARSE) one.
    ///
    /// # Errors
    /// It isn't sparse.
    #[doc(alias = "cuMipmappedArrayGetSparseProperties")]
    pub fn sparse_properties(&self) -> Result<SparseProperties> {
        const CALL: &str = "cuMipmappedArrayGetSparseProperties";
        callback::refuse_within(CALL)?;
        // SAFETY: a live mipmapped array.
        unsafe {
            SparseProperties::told(self.context(), CALL, |place| {
                sys::cuMipmappedArrayGetSparseProperties(place, self.as_raw())
            })
        }
    }
}
