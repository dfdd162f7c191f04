//! Physical memory at an address, without the waiting: what mappings and growable buffers are made of.

use std::mem;

use cuda_sys::{self as sys, CUdeviceptr, CUmemAccess_flags, CUmemAccessDesc, CUresult};

use super::{physical::PhysicalMemory, range::AddressRange};
use crate::{
    capture::released,
    error::{ErrorKind, Result},
    memory::{MemoryAccess, MemoryLocation},
};

/// A part of a range where physical memory is mapped. Dropping it leaves it mapped.
pub(super) struct Part {
    pub(super) range: AddressRange,
    pub(super) memory: PhysicalMemory,
    pub(super) address: CUdeviceptr,
}

impl Part {
    /// The range has room for the memory at the offset.
    pub(super) fn map(
        range: &AddressRange,
        offset: usize,
        memory: &PhysicalMemory,
    ) -> Result<Self> {
        let address = range.as_device_ptr() + offset as CUdeviceptr;
        let context = range.context();
        let _current = context.enter("cuMemMap")?;
        // SAFETY: reserved addresses, and live memory; the driver looks whether the sizes agree.
        let code = unsafe { sys::cuMemMap(address, memory.size(), 0, memory.as_raw(), 0) };
        context
            .check("cuMemMap", code)
            .map_err(|error| match code {
                CUresult::CUDA_ERROR_NOT_SUPPORTED => {
                    error
                        .with_kind(ErrorKind::InvalidArgument)
                        .with_detail(format!(
                            "the memory has another size than the {} bytes that were said: it is mapped as a whole",
                            memory.size()
                        ))
                }
                CUresult::CUDA_ERROR_INVALID_VALUE => error
                    .with_kind(ErrorKind::InvalidArgument)
                    .with_detail("something is mapped there already"),
                _ => error,
            })?;
        Ok(Self {
            range: range.clone(),
            memory: memory.clone(),
            address,
        })
    }

    pub(super) fn set_access(&self, who: MemoryLocation, access: MemoryAccess) -> Result<()> {
        let wanted = CUmemAccessDesc {
            location: who.raw(),
            flags: CUmemAccess_flags(access.0),
        };
        let context = self.range.context();
        let _current = context.enter("cuMemSetAccess")?;
        // SAFETY: mapped as a whole; the description is valid for the read.
        let code = unsafe { sys::cuMemSetAccess(self.address, self.memory.size(), &wanted, 1) };
        context.check("cuMemSetAccess", code).map_err(|error| {
            match (code, who.as_device()) {
                (CUresult::CUDA_ERROR_NOT_SUPPORTED, None) => error.with_detail(format!(
                    "{who:?} can't reach this memory, which is a device's: copy it, or make it on the host \
                     (PhysicalOptions::location)"
                )),
                _ => error,
            }
        })
    }

    /// Nothing uses the memory at these addresses any more, and this is called until it succeeds.
    pub(super) fn unmap(&self) -> Result<()> {
        let context = self.range.context();
        let _current = context.enter("cuMemUnmap").ok();
        // SAFETY: mapped as a whole; the caller has waited for what used it.
        let code = released(|| unsafe { sys::cuMemUnmap(self.address, self.memory.size()) });
        context.check("cuMemUnmap", code)
    }

    /// Keeps the addresses and the memory for ever.
    pub(super) fn leak(self) {
        mem::forget(self.range);
        mem::forget(self.memory);
    }
}
