//! Descriptions of addresses for fault reports.

use std::sync::atomic::Ordering;

use super::allocations;
use super::freed_allocations;
use super::origin::Origin;
use crate::process::context::Context;

/// Describes the memory at `address` for the report of a faulting access of `size` bytes.
pub fn explain(address: u64, size: u32) -> String {
    let touches = |base: u64, length: u64| address < base.saturating_add(length) && address >= base;
    if address < 4096 {
        return format!("address {address:#x} is a null pointer, or an offset from one");
    }
    // After the live allocations, the most recently freed one is the most likely.
    let (before, after) = allocations::around(address);
    if let Some(live) = &before
        && touches(live.base, live.size)
    {
        let place = live.summary();
        if !live.ready.load(Ordering::Acquire) && live.origin == Origin::Graph {
            return format!(
                "{place} is not allocated now: no launch of its graph has reached the allocation, or it has been freed again"
            );
        }
        if !live.ready.load(Ordering::Acquire) {
            return format!(
                "{place} has not been allocated yet in its stream's order. Fix: wait for that stream first"
            );
        }
        let beyond = (address - live.base + u64::from(size)).saturating_sub(live.size);
        return match beyond {
            0 if !live.writable => format!("{place} is read-only"),
            0 => format!("{place} contains it"),
            _ => format!("the last {beyond} of {size} bytes are beyond the end of {place}"),
        };
    }
    if let Some((start, freed)) = freed_allocations::at(address) {
        return format!("it is {} bytes into {freed}", address - start);
    }
    let behind = before.map(|one| (address - (one.base + one.size), one));
    let ahead = after.map(|one| (one.base - address, one));
    match (behind, ahead) {
        (None, None) => "no memory is allocated".into(),
        (Some((gap, one)), other) if other.as_ref().is_none_or(|(far, _)| gap <= *far) => {
            let note = overflow(address - one.base, one.size, size);
            format!("it is {gap} bytes past the end of {}{note}", one.summary())
        }
        (_, Some((gap, one))) => {
            let note = overflow(gap, one.size, size);
            format!(
                "it is {gap} bytes before the start of {}{note}",
                one.summary()
            )
        }
        (Some(_), None) => unreachable!("covered by the second arm"),
    }
}

/// Returns a note if the distance of an access from the start of an allocation of `length` bytes
/// suggests an overflow of an index: if it is at most the allocation's length from 2^31 or 2^32
/// elements of the access's size.
fn overflow(distance: u64, length: u64, size: u32) -> &'static str {
    let wraps = [31, 32].map(|bits| u64::from(size) << bits);
    match wraps.iter().any(|wrap| wrap.abs_diff(distance) <= length) {
        true => {
            ". A 32-bit index may have overflowed, or an unsigned one may be below zero. Fix: compute it in 64 bits, and check it \
             before a subtraction"
        }
        false => "",
    }
}

/// Returns why work of a context may not access memory of another device, or `None` if it may.
pub fn closed(context: &Context, address: u64) -> Option<String> {
    let allocation = allocations::find(address)?;
    let whose = format!(
        "{} is memory of device {}",
        allocation.summary(),
        allocation.context.ordinal
    );
    let how = match allocation.pool {
        Some(_) => {
            "cuMemPoolSetAccess grants other devices access to a pool (MemoryPool::grant_access)"
        }
        None => "cuCtxEnablePeerAccess grants a context access to it",
    };
    match allocation.is_open_to(context) {
        Some(true) => None,
        Some(false) if allocation.writable => {
            Some(format!("{whose}, which this device may only read: {how}"))
        }
        Some(false) => None,
        None => Some(format!(
            "{whose}, which {} may not access: {how}",
            context.name()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::overflow;

    #[test]
    fn distances_near_a_wrapped_index_are_noted() {
        let note = ". A 32-bit index may have overflowed, or an unsigned one may be below zero. Fix: compute it in 64 bits, and check \
                    it before a subtraction";
        for (distance, size) in [
            (1 << 33, 4),
            ((1 << 33) - 64, 4),
            ((1 << 34) + 64, 4),
            (1 << 34, 8),
        ] {
            assert_eq!(overflow(distance, 64, size), note, "{distance} {size}");
        }
        for (distance, size) in [(64, 4), ((1 << 33) - 65, 4), (1 << 33, 8), (1 << 32, 4)] {
            assert_eq!(overflow(distance, 64, size), "", "{distance} {size}");
        }
    }
}
