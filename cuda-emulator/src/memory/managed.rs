//! Advice and prefetches of managed memory, recorded per page.
//!
//! The emulator has one memory, so nothing moves. The attributes of a range have the values that an
//! H200's driver (580) returns.

use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::configuration;
use crate::system::PAGE;
use cuda_emulator_engine::Unpoisoned;

/// `CU_DEVICE_CPU` and `CU_DEVICE_INVALID`
pub const DEVICE_CPU: i32 = -1;
pub const DEVICE_INVALID: i32 = -2;

/// The properties of a page.
#[derive(Clone, Default, PartialEq, Eq)]
struct Page {
    read_mostly: bool,
    /// Location type and id, as the attributes return them.
    preferred: Option<(u32, i32)>,
    prefetched: Option<(u32, i32)>,
    /// Device ordinals, and -1 for the host.
    accessed_by: BTreeSet<i32>,
}

/// Runs of pages with equal properties: the end of each run and the properties.
type Runs = Vec<(u64, Page)>;

/// Runs by allocation id. Allocations without advice or prefetches have no entry.
static KNOWN: Mutex<Option<HashMap<u64, Runs>>> = Mutex::new(None);

/// A range of bytes within an allocation.
#[derive(Clone, Copy)]
pub struct Range {
    /// The allocation's id and size.
    pub id: u64,
    pub whole: u64,
    /// The range's start and size.
    pub start: u64,
    pub count: u64,
    /// The location of its pool.
    pub of_pool: Option<(u32, i32)>,
}

impl Range {
    fn pages(&self) -> (u64, u64) {
        (self.start / PAGE, (self.start + self.count).div_ceil(PAGE))
    }
}

fn change(range: &Range, change: impl Fn(&mut Page)) {
    let (first, end) = range.pages();
    let all = range.whole.div_ceil(PAGE);
    let mut known = KNOWN.lock().unpoisoned();
    let runs = known.get_or_insert_default();
    let runs = runs
        .entry(range.id)
        .or_insert_with(|| vec![(all, Page::default())]);
    let mut after: Runs = Vec::with_capacity(runs.len() + 2);
    let mut push = |until: u64, page: Page| match after.last_mut() {
        Some((last, same)) if *same == page => *last = until,
        _ => after.push((until, page)),
    };
    let mut from = 0;
    for (until, page) in runs.drain(..) {
        if from < first.min(until) {
            push(first.min(until), page.clone());
        }
        if from.max(first) < end.min(until) {
            let mut changed = page.clone();
            change(&mut changed);
            push(end.min(until), changed);
        }
        if from.max(end) < until {
            push(until, page);
        }
        from = until;
    }
    *runs = after;
}

/// Returns a property if all pages of a range have the same value.
fn common<T: PartialEq>(range: &Range, get: impl Fn(&Page) -> Option<T>) -> Option<T> {
    let (first, end) = range.pages();
    let known = KNOWN.lock().unpoisoned();
    let runs = known.as_ref().and_then(|all| all.get(&range.id))?;
    let mut from = 0;
    let mut found: Option<Option<T>> = None;
    for (until, page) in runs {
        if from < end && first < *until {
            let this = get(page);
            match &found {
                Some(before) if *before != this => return None,
                _ => found = Some(this),
            }
        }
        from = *until;
    }
    found.flatten()
}

/// Forgets a freed allocation.
pub fn forget(id: u64) {
    if let Some(known) = KNOWN.lock().unpoisoned().as_mut() {
        known.remove(&id);
    }
}

impl Location {
    /// Returns the location type and id for prefetches to this location.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_DEVICE` for a device that does not exist, and
    /// `CUDA_ERROR_INVALID_VALUE` for any other location that does not exist.
    pub fn place(&self) -> Result<(u32, i32)> {
        match self.kind {
            CU_MEM_LOCATION_TYPE_DEVICE => {
                let there = (0..configuration::get().devices as i32).contains(&self.id);
                there
                    .then_some((self.kind, self.id))
                    .ok_or(Code::ERROR_INVALID_DEVICE)
            }
            CU_MEM_LOCATION_TYPE_HOST => Ok((self.kind, DEVICE_CPU)),
            // The host has one NUMA node.
            CU_MEM_LOCATION_TYPE_HOST_NUMA if self.id == 0 => Ok((self.kind, 0)),
            CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => Ok((self.kind, 0)),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }
}

/// Records a prefetch.
pub fn prefetch(range: &Range, to: (u32, i32)) {
    change(range, |page| page.prefetched = Some(to));
}

/// Records advice for a range.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the advice or the location does not exist.
pub fn advise(range: &Range, advice: u32, about: Location) -> Result {
    if about.kind == CU_MEM_LOCATION_TYPE_NONE {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let place = || about.place().map_err(|_| Code::ERROR_INVALID_VALUE);
    // Only devices and the host as a whole can be accessors.
    let accessor = || match place()? {
        (CU_MEM_LOCATION_TYPE_DEVICE | CU_MEM_LOCATION_TYPE_HOST, id) => Ok(id),
        _ => Err(Code::ERROR_INVALID_VALUE),
    };
    let set = |with: &dyn Fn(&mut Page)| change(range, with);
    match advice {
        CU_MEM_ADVISE_SET_READ_MOSTLY => set(&|page| page.read_mostly = true),
        CU_MEM_ADVISE_UNSET_READ_MOSTLY => set(&|page| page.read_mostly = false),
        CU_MEM_ADVISE_SET_PREFERRED_LOCATION => {
            // A NUMA node is accepted, but the attributes do not return it.
            let (kind, id) = place()?;
            let reported = matches!(
                kind,
                CU_MEM_LOCATION_TYPE_DEVICE | CU_MEM_LOCATION_TYPE_HOST
            );
            set(&|page| page.preferred = reported.then_some((kind, id)));
        }
        CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION => set(&|page| page.preferred = None),
        CU_MEM_ADVISE_SET_ACCESSED_BY => {
            let accessor = accessor()?;
            set(&|page| {
                page.accessed_by.insert(accessor);
            });
        }
        CU_MEM_ADVISE_UNSET_ACCESSED_BY => {
            let accessor = accessor()?;
            set(&|page| {
                page.accessed_by.remove(&accessor);
            });
        }
        _ => return Err(Code::ERROR_INVALID_VALUE),
    }
    Ok(())
}

/// Returns the values of a `CUmem_range_attribute`. Only the accessors attribute has several.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` for an unknown attribute.
pub fn attribute(range: &Range, attribute: u32) -> Result<Vec<i32>> {
    let preferred = || common(range, |page| page.preferred).or(range.of_pool);
    let prefetched = || common(range, |page| page.prefetched);
    // Older attributes have no location type and return every part of the host as the CPU.
    let old = |place: Option<(u32, i32)>| match place {
        Some((CU_MEM_LOCATION_TYPE_DEVICE, id)) => id,
        Some(_) => DEVICE_CPU,
        None => DEVICE_INVALID,
    };
    let kind = |place: Option<(u32, i32)>| {
        place.map_or(CU_MEM_LOCATION_TYPE_INVALID as i32, |one| one.0 as i32)
    };
    let id = |place: Option<(u32, i32)>| place.map_or(DEVICE_INVALID, |one| one.1);
    Ok(match attribute {
        CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY => {
            let all = common(range, |page| Some(page.read_mostly));
            vec![i32::from(all == Some(true))]
        }
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION => vec![old(preferred())],
        CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY => {
            let everywhere = |accessor: &i32| {
                let has = |page: &Page| Some(page.accessed_by.contains(accessor));
                common(range, has) == Some(true)
            };
            let devices = 0..configuration::get().devices as i32;
            devices.chain([DEVICE_CPU]).filter(everywhere).collect()
        }
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION => vec![old(prefetched())],
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE => vec![kind(preferred())],
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID => vec![id(preferred())],
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE => vec![kind(prefetched())],
        CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID => vec![id(prefetched())],
        _ => return Err(Code::ERROR_INVALID_VALUE),
    })
}
