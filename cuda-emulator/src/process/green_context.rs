//! Green contexts: parts of a device's multiprocessors, and what they are made of.
//!
//! A green context is no context of its own: everything but the choice of multiprocessors is the primary context's. So
//! this file knows no contexts, only the device; a stream knows its green context, and a launch the multiprocessors of
//! its stream. What splits give was recorded on an H200 (driver 580).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::device;
use super::handle::{Object, Table};
use super::registry::{self, Owner};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use cuda_emulator_engine::Unpoisoned;

/// Multiprocessors that a resource stands for.
#[derive(PartialEq, Eq)]
struct Set {
    ordinal: i32,
    members: Arc<[u32]>,
    /// It came out of a split: only a green context of it can be split again.
    part: bool,
}

/// All sets that were ever named, each once. A resource has its number here, one more than its place.
static SETS: Mutex<Vec<Set>> = Mutex::new(Vec::new());
/// What descriptors stand for, each once: they live as long as the process.
static DESCRIPTORS: Mutex<Vec<Arc<[u32]>>> = Mutex::new(Vec::new());
/// What the handles of descriptors begin with: no address.
const DESCRIPTOR: u64 = 0x20 << 56;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unpoisoned()
}

/// The smallest group of a device with so many multiprocessors. Where the host has too few cores for two groups of the
/// architecture's size, each multiprocessor is a group of its own, so that there is something to divide.
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
        // A part says nothing about how it could be split.
        smallest: if part { 0 } else { granularity },
        alignment: if part { 0 } else { granularity },
        ..DevResource::NONE
    }
}

/// # Errors
/// `CUDA_ERROR_INVALID_RESOURCE_TYPE` for what is no set of multiprocessors,
/// `CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION` for one that no call gave.
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

/// # Errors
/// `CUDA_ERROR_INVALID_RESOURCE_TYPE` for all but multiprocessors.
pub fn check_kind(kind: u32) -> Result {
    match kind {
        CU_DEV_RESOURCE_TYPE_SM => Ok(()),
        _ => Err(Code::ERROR_INVALID_RESOURCE_TYPE),
    }
}

/// All multiprocessors of a device.
pub fn of_device(ordinal: i32) -> DevResource {
    resource(Set {
        ordinal,
        members: (0..device::multiprocessors()).collect(),
        part: false,
    })
}

/// What a split gives.
pub struct Split {
    pub groups: Vec<DevResource>,
    pub rest: DevResource,
}

/// At most `most` groups of at least `smallest` multiprocessors; `None` for as many as there can be.
///
/// # Errors
/// As for the resource; `CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION` for a part, and for more than there are.
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

/// A descriptor of all these resources together.
///
/// # Errors
/// As for each resource. `CUDA_ERROR_INVALID_VALUE` for none, where an H200's driver ends the process.
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

    fn owner(&self) -> Option<&Owner> {
        None
    }

    fn leak(&self) -> Option<String> {
        Some(format!("green context {} (cuGreenCtxCreate)", self.id))
    }
}

/// Between the handle of a green context and the handle that it has among contexts.
const AS_CONTEXT: u64 = 1 << 56;

impl Green {
    /// Its handle where a context is wanted.
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

/// Creates a green context, whose device's primary context is retained already.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for what is no descriptor.
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

/// The green context behind a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CONTEXT` for a handle that isn't a live one's.
pub fn get(handle: u64) -> Result<Arc<Green>> {
    GREENS.get(handle).ok_or(Code::ERROR_INVALID_CONTEXT)
}

/// The green context that a handle among contexts stands for.
pub fn of_context(handle: u64) -> Option<Arc<Green>> {
    GREENS.get(handle ^ AS_CONTEXT)
}

/// Destroys a green context. What is on its streams will still be done.
///
/// # Errors
/// As [`get`].
pub fn destroy(handle: u64) -> Result<Arc<Green>> {
    let green = GREENS.remove(handle).ok_or(Code::ERROR_INVALID_CONTEXT)?;
    green.alive.store(false, Ordering::Release);
    Ok(green)
}
