//! Who may use which memory: contexts, devices, the host.

use super::allocations::{self, Allocation};
use super::origin::Origin;
use super::permissions::Rights;
use crate::abi::*;
use crate::process::configuration;
use crate::process::context::Context;

impl Allocation {
    /// Whether work of a context may use it, and write to it: mapped memory as its rights say, memory of a
    /// pool as the pool says, other memory of another device where access was enabled; managed and page-locked memory in
    /// any case.
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

    /// Whether the driver refuses a call that copies it and names no contexts, as an H200's does (driver 580): calls that
    /// name them reach all memory of every device, others none of a pool of another device, unless it is open to this one.
    pub fn is_closed_to_copies(&self, context: &Context) -> bool {
        self.context.ordinal != context.ordinal
            && self.pool.is_some()
            && self.is_open_to(context).is_none()
    }

    /// Whether the driver refuses a call that fills it, as an H200's does: all of another device that isn't open for writing.
    pub fn is_closed_to_fills(&self, context: &Context) -> bool {
        self.context.ordinal != context.ordinal && self.is_open_to(context) != Some(true)
    }

    /// Whether work of a context may not read a part of it, which [`allocations::check`] has found good.
    pub fn is_closed_to_reads(&self, context: &Context, address: u64, size: u64) -> bool {
        let who = context.ordinal as usize;
        self.is_open_to(context).is_none() || !allows(self, address, size, who, false)
    }

    /// Whether it belongs to another context of the same device, and to that alone: all contexts share page-locked and
    /// managed memory, and what comes from a pool is the device's.
    pub fn is_foreign_to(&self, context: &Context) -> bool {
        let shared = !self.origin.on_device()
            || matches!(
                self.origin,
                Origin::Managed | Origin::Graph | Origin::Mapped
            )
            || self.pool.is_some();
        !shared && self.context.id != context.id && self.context.ordinal == context.ordinal
    }

    /// With `CUDA_EMULATOR_CHECK=context`: why work of a context must not touch it at `address`, if so.
    pub fn trespass(&self, context: &Context, address: u64) -> Option<String> {
        (configuration::get().check_context && self.is_foreign_to(context)).then(|| {
            format!(
                "it lies {} bytes into {}, which belongs to {}; this work is of {}",
                address - self.base,
                self.summary(),
                self.context.name(),
                context.name()
            )
        })
    }
}

/// Changes what a device, or the host, may do with mapped memory.
pub fn set_rights(allocation: &Allocation, who: usize, flags: u8) {
    if let Some(rights) = &allocation.rights {
        rights.set(who, flags);
        allocations::forget_views();
    }
}

/// Where mapped memory begins and ends that a device may use in the same way as at one of its addresses: mappings side by
/// side are one to kernels and copies.
pub fn stretch(at: &Allocation, who: usize) -> (u64, u64) {
    let Some(rights) = &at.rights else {
        return (at.base, at.size);
    };
    let flags = rights.of(who);
    let alike = |one: &Allocation| one.rights.as_ref().is_some_and(|own| own.of(who) == flags);
    allocations::joined(at, alike)
}

/// Whether a device may use a range that [`check`] has found good: mapped memory isn't for everybody.
pub fn allows(at: &Allocation, address: u64, size: u64, who: usize, write: bool) -> bool {
    let enough = |rights: &Rights| match u32::from(rights.of(who)) {
        CU_MEM_ACCESS_FLAGS_PROT_NONE => false,
        flags => !write || flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    let Some(rights) = &at.rights else {
        return true;
    };
    let end = address.saturating_add(size);
    let (base, length) = stretch(at, who);
    let (mut reached, mut allowed) = (base + length, enough(rights));
    while allowed && reached < end {
        let Some(next) = allocations::find(reached) else {
            return false;
        };
        allowed = next.rights.as_ref().is_none_or(enough);
        let (base, length) = stretch(&next, who);
        reached = base + length;
    }
    allowed
}
