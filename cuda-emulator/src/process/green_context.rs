//! Green contexts: subsets of a device's multiprocessors, and the resources and descriptors they
//! are created from.
//!
//! A green context is not a separate context. Only its set of multiprocessors is its own, and
//! everything else belongs to the primary context. So this file depends on the device and not on
//! contexts: a stream has a green context, and a launch uses the multiprocessors of its stream. The
//! results of splits were recorded on an H200 (driver 580).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::device;
use super::handle::{Object, Table};
use super::registry::{self, Owner};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use cuda_emulator_engine::Unpoisoned;

/// The multiprocessors of a resource.
#[derive(PartialEq, Eq)]
struct Set {
    ordinal: i32,
    members: Arc<[u32]>,
    /// Whether it came from a split. To split it again, a green context must be created from it
    /// first.
    part: bool,
}

/// All sets that have a resource, each once. A resource holds its index here plus one.
static SETS: Mutex<Vec<Set>> = Mutex::new(Vec::new());
/// The multiprocessors of each descriptor, each set once. They live as long as the process.
static DESCRIPTORS: Mutex<Vec<Arc<[u32]>>> = Mutex::new(Vec::new());
/// High bits of descriptor handles. No address has them.
const DESCRIPTOR: u64 = 0x20 << 56;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unpoisoned()
}

/// Returns the smallest group on a device with `count` multiprocessors.
///
/// If the host has too few cores for two groups of the architecture's size, each multiprocessor is
/// a group, so that the device can still be divided.
fn granularity(count: u32, ignore_coscheduling: bool) -> u32 {
    let size = match device::architecture().capability.0 {
        9.. if ignore_coscheduling => 2,
        9.. => 8,
        _ => 2,
    };
    let whole = if device::architecture().capability.0 >= 9 {
        8
    } else {
        2
    };
    if count >= 2 * whole { size } else { 1 }
}

fn resource(set: Set) -> DevResource {
    let count = set.members.len() as u32;
    let granularity = granularity(device::multiprocessors(), false);
    let part = set.part;
    let mut sets = lock(&SETS);
    let place = sets.iter().position(|one| *one == set).unwrap_or_else(|| {
        sets.push(set);
        sets.len() - 1
    });
    DevResource {
        kind: CU_DEV_RESOURCE_TYPE_SM,
        set: place as u64 + 1,
        count,
        // A part cannot be split, so it reports no minimum size or alignment.
        smallest: if part { 0 } else { granularity },
        alignment: if part { 0 } else { granularity },
        ..DevResource::NONE
    }
}

/// Returns the device and the multiprocessors of a resource, and whether it came from a split.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_RESOURCE_TYPE` if the resource is not a set of multiprocessors, and
/// `CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION` if no driver call returned it.
fn members(resource: &DevResource) -> Result<(i32, Arc<[u32]>, bool)> {
    check_kind(resource.kind)?;
    let sets = lock(&SETS);
    let place = (resource.set as usize).wrapping_sub(1);
    match sets.get(place) {
        Some(set) if set.members.len() as u32 == resource.count => {
            Ok((set.ordinal, set.members.clone(), set.part))
        }
        _ => Err(Code::ERROR_INVALID_RESOURCE_CONFIGURATION),
    }
}

/// Checks that a resource type is multiprocessors.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_RESOURCE_TYPE` for any other type.
pub fn check_kind(kind: u32) -> Result {
    match kind {
        CU_DEV_RESOURCE_TYPE_SM => Ok(()),
        _ => Err(Code::ERROR_INVALID_RESOURCE_TYPE),
    }
}

/// Returns all multiprocessors of a device.
pub fn of_device(ordinal: i32) -> DevResource {
    resource(Set {
        ordinal,
        members: (0..device::multiprocessors()).collect(),
        part: false,
    })
}

/// The result of a split.
pub struct Split {
    pub groups: Vec<DevResource>,
    pub rest: DevResource,
}

/// Splits a resource into at most `most` groups of at least `smallest` multiprocessors. `None`
/// means no limit on the number of groups.
///
/// # Errors
/// Returns the errors of [`members`], and `CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION` if the
/// resource is already a part or has fewer than `smallest` multiprocessors.
pub fn split(input: &DevResource, most: Option<u32>, flags: u32, smallest: u32) -> Result<Split> {
    let (ordinal, members, part) = members(input)?;
    let total = members.len() as u32;
    if part || smallest > total {
        return Err(Code::ERROR_INVALID_RESOURCE_CONFIGURATION);
    }
    let ignore = flags & CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING != 0;
    let unit = granularity(device::multiprocessors(), ignore);
    let size = smallest.max(1).next_multiple_of(unit).min(total) as usize;
    let count = (members.len() / size).min(most.unwrap_or(u32::MAX) as usize);
    let named = |members: &[u32]| {
        resource(Set {
            ordinal,
            members: members.into(),
            part: true,
        })
    };
    let (used, rest) = members.split_at(count * size);
    Ok(Split {
        groups: used.chunks(size).map(named).collect(),
        rest: if rest.is_empty() {
            DevResource::NONE
        } else {
            named(rest)
        },
    })
}

/// Creates a descriptor of the union of some resources.
///
/// # Errors
/// Returns the errors of [`members`] for each resource, and `CUDA_ERROR_INVALID_VALUE` if there is
/// no resource. In that case an H200's driver ends the process.
pub fn describe(resources: &[DevResource]) -> Result<u64> {
    if resources.is_empty() {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let mut all = Vec::new();
    for resource in resources {
        all.extend_from_slice(&members(resource)?.1);
    }
    all.sort_unstable();
    all.dedup();
    let all: Arc<[u32]> = all.into();
    let mut known = lock(&DESCRIPTORS);
    let place = known.iter().position(|one| *one == all).unwrap_or_else(|| {
        known.push(all);
        known.len() - 1
    });
    Ok(DESCRIPTOR | (place as u64 + 1) << 4)
}

/// A green context.
pub struct Green {
    pub handle: u64,
    pub id: u64,
    pub ordinal: i32,
    /// The multiprocessors that its kernels run on.
    pub members: Arc<[u32]>,
    alive: AtomicBool,
}

static GREENS: Table<Green> = Table::new();

impl Object for Green {
    const NAME: &'static str = "green context";
    const TAG: u8 = 0x1e;
    const USED_BY_OTHERS: bool = true;

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        Some(format!("green context {} (cuGreenCtxCreate)", self.id))
    }
}

/// Difference between the handle of a green context and its handle as a `CUcontext`.
const AS_CONTEXT: u64 = 1 << 56;

impl Green {
    /// Returns its handle as a `CUcontext`.
    pub fn as_context(&self) -> u64 {
        self.handle ^ AS_CONTEXT
    }

    pub fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    pub fn resource(&self) -> DevResource {
        resource(Set {
            ordinal: self.ordinal,
            members: self.members.clone(),
            part: false,
        })
    }
}

/// Creates a green context. The caller has retained the device's primary context.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if `descriptor` is not a descriptor.
pub fn create(descriptor: u64, ordinal: i32) -> Result<Arc<Green>> {
    let place = (descriptor ^ DESCRIPTOR) >> 4;
    let known = lock(&DESCRIPTORS);
    let members = known
        .get((place as usize).wrapping_sub(1))
        .filter(|_| descriptor & 15 == 0)
        .ok_or(Code::ERROR_INVALID_VALUE)?;
    Ok(GREENS.insert(|handle| Green {
        handle,
        id: registry::next_number(),
        ordinal,
        members: members.clone(),
        alive: AtomicBool::new(true),
    }))
}

/// Returns the green context of a handle.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_CONTEXT` if the handle is not that of a live green context.
pub fn get(handle: u64) -> Result<Arc<Green>> {
    GREENS.get(handle).ok_or(Code::ERROR_INVALID_CONTEXT)
}

/// Returns the green context of a `CUcontext` handle.
pub fn of_context(handle: u64) -> Option<Arc<Green>> {
    GREENS.get(handle ^ AS_CONTEXT)
}

/// Destroys a green context. Work on its streams still runs.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_CONTEXT` if the handle is not that of a live green context.
pub fn destroy(handle: u64) -> Result<Arc<Green>> {
    let green = GREENS.remove(handle).ok_or(Code::ERROR_INVALID_CONTEXT)?;
    green.alive.store(false, Ordering::Release);
    Ok(green)
}
