//! Checks of access to memory by contexts, devices and the host.

use super::allocations::{self, Allocation};
use super::origin::Origin;
use super::permissions::Rights;
use crate::abi::*;
use crate::process::configuration;
use crate::process::context::Context;

impl Allocation {
    /// Returns whether work of a context may write (`Some(true)`), only read (`Some(false)`) or not
    /// access (`None`) the memory.
    ///
    /// For mapped memory, its rights decide. For memory of a pool, the pool's access decides. Other
    /// memory of another device needs peer access. Managed and page-locked memory is always
    /// accessible.
    pub fn is_open_to(&self, context: &Context) -> Option<bool> {
        if let Some(rights) = &self.rights {
            return match u32::from(rights.of(context.ordinal as usize)) {
                CU_MEM_ACCESS_FLAGS_PROT_NONE => None,
                flags => Some(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
            };
        }
        let open = match &self.pool {
            Some(pool) => pool.allows(context.ordinal),
            None if !self.origin.on_device() || matches!(self.origin, Origin::Managed) => true,
            None => context.reaches(&self.context),
        };
        open.then_some(self.writable)
    }

    /// Returns whether the driver rejects a copy of this memory by a call that names no contexts,
    /// as an H200's does (driver 580).
    ///
    /// Calls that name contexts reach all memory of every device. Other calls do not reach a pool
    /// of another device, unless the pool grants access to this one.
    pub fn is_closed_to_copies(&self, context: &Context) -> bool {
        self.context.ordinal != context.ordinal
            && self.pool.is_some()
            && self.is_open_to(context).is_none()
    }

    /// Returns whether the driver rejects a call that fills this memory. An H200's rejects all
    /// memory of another device that is not open for writing.
    pub fn is_closed_to_fills(&self, context: &Context) -> bool {
        self.context.ordinal != context.ordinal && self.is_open_to(context) != Some(true)
    }

    /// Returns whether work of a context may not read a part of it. [`allocations::check`] has
    /// accepted the range.
    pub fn is_closed_to_reads(&self, context: &Context, address: u64, size: u64) -> bool {
        let accessor = context.ordinal as usize;
        self.is_open_to(context).is_none() || !allows(self, address, size, accessor, false)
    }

    /// Returns whether it belongs only to another context of the same device. All contexts share
    /// page-locked and managed memory, and memory of a pool belongs to the device.
    pub fn is_foreign_to(&self, context: &Context) -> bool {
        let shared = !self.origin.on_device()
            || matches!(
                self.origin,
                Origin::Managed | Origin::Graph | Origin::Mapped
            )
            || self.pool.is_some();
        !shared && self.context.id != context.id && self.context.ordinal == context.ordinal
    }

    /// Returns why work of a context must not access it at `address`, or `None` if it may or
    /// `CUDA_EMULATOR_CHECK=context` is not set.
    pub fn foreign_access(&self, context: &Context, address: u64) -> Option<String> {
        (configuration::get().check_context && self.is_foreign_to(context)).then(|| {
            format!(
                "it is {} bytes into {}, which belongs to {}, but this work belongs to {}",
                address - self.base,
                self.summary(),
                self.context.name(),
                context.name()
            )
        })
    }
}

/// Changes the access of a device, or of the host, to mapped memory.
pub fn set_rights(allocation: &Allocation, accessor: usize, flags: u8) {
    if let Some(rights) = &allocation.rights {
        rights.set(accessor, flags);
        allocations::invalidate_lookups();
    }
}

/// Returns the base and size of the contiguous mapped memory around `at` to which a device has the
/// same access. Kernels and copies treat adjacent mappings as one.
pub fn uniform_range(at: &Allocation, accessor: usize) -> (u64, u64) {
    let Some(rights) = &at.rights else {
        return (at.base, at.size);
    };
    let flags = rights.of(accessor);
    let alike = |one: &Allocation| {
        one.rights
            .as_ref()
            .is_some_and(|own| own.of(accessor) == flags)
    };
    allocations::joined(at, alike)
}

/// Returns whether a device may access a range that [`allocations::check`] has accepted. Mapped
/// memory has its own access rights.
pub fn allows(at: &Allocation, address: u64, size: u64, accessor: usize, write: bool) -> bool {
    let enough = |rights: &Rights| match u32::from(rights.of(accessor)) {
        CU_MEM_ACCESS_FLAGS_PROT_NONE => false,
        flags => !write || flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    let Some(rights) = &at.rights else {
        return true;
    };
    let end = address.saturating_add(size);
    let (base, length) = uniform_range(at, accessor);
    let (mut reached, mut allowed) = (base + length, enough(rights));
    while allowed && reached < end {
        let Some(next) = allocations::find(reached) else {
            return false;
        };
        allowed = next.rights.as_ref().is_none_or(enough);
        let (base, length) = uniform_range(&next, accessor);
        reached = base + length;
    }
    allowed
}
