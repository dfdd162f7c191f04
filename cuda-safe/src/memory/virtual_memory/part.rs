//! Mapped physical memory without waiting, the building block of mappings and growable buffers.

use std::mem;

use cuda_sys::{self as sys, CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUresult};

use super::{physical::PhysicalMemory, range::AddressRange};
use crate::{
    capture::released,
    error::{ErrorKind, Result},
    memory::{MemoryAccess, MemoryLocation},
};

/// A part of a range where physical memory is mapped. Dropping it does not unmap it.
pub(super) struct Part {
    pub(super) range: AddressRange,
    pub(super) memory: PhysicalMemory,
    pub(super) address: CUdeviceptr,
}

impl Part {
    /// Maps memory at an offset of a range. The caller has checked that it fits there.
    pub(super) fn map(
        range: &AddressRange,
        offset: usize,
        memory: &PhysicalMemory,
    ) -> Result<Self> {
        let address = range.as_device_ptr() + offset as CUdeviceptr;
        let context = range.context();
        let _current = context.enter("cuMemMap")?;
        // SAFETY: the addresses are reserved and the memory is live. The driver checks that the
        // sizes match.
        let code = unsafe { sys::cuMemMap(address, memory.size(), 0, memory.as_raw(), 0) };
        context
            .check("cuMemMap", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_NOT_SUPPORTED => {
                    error
                        .with_kind(ErrorKind::InvalidArgument)
                        .with_detail(format!(
                            "the memory's size is not {} bytes, and memory can only be mapped as a whole",
                            memory.size()
                        ))
                }
                CUresult::CUDA_ERROR_INVALID_VALUE => error
                    .with_kind(ErrorKind::InvalidArgument)
                    .with_detail("other memory is already mapped there"),
                _ => error,
            })?;
        Ok(Self {
            range: range.clone(),
            memory: memory.clone(),
            address,
        })
    }

    pub(super) fn set_access(&self, place: MemoryLocation, access: MemoryAccess) -> Result<()> {
        let wanted = CUmemAccessDesc {
            location: place.raw(),
            flags: CUmemAccess_flags(access.0),
        };
        let context = self.range.context();
        let _current = context.enter("cuMemSetAccess")?;
        // SAFETY: the part is mapped as a whole, and the description is valid for the read.
        let code = unsafe { sys::cuMemSetAccess(self.address, self.memory.size(), &wanted, 1) };
        context.check("cuMemSetAccess", code).map_err(|error| {
            match (code, place.as_device()) {
                (CUresult::CUDA_ERROR_NOT_SUPPORTED, None) => error.with_detail(format!(
                    "{place:?} cannot access this memory, because it is on a device. Fix: copy it, or allocate it on \
                     the host (PhysicalOptions::location)"
                )),
                _ => error,
            }
        })
    }

    /// Unmaps the memory. The caller has waited until nothing uses it, and repeats a failed call.
    pub(super) fn unmap(&self) -> Result<()> {
        let context = self.range.context();
        let _current = context.enter("cuMemUnmap").ok();
        // SAFETY: the part is mapped as a whole, and the caller has waited for its users.
        let code = released(|| unsafe { sys::cuMemUnmap(self.address, self.memory.size()) });
        context.check("cuMemUnmap", code)
    }

    /// Leaks the addresses and the memory.
    pub(super) fn leak(self) {
        mem::forget(self.range);
        mem::forget(self.memory);
    }
}
