//! What clients have said of managed memory, page by page: advice, and where it was prefetched last. There is only one
//! memory, so nothing moves; what the driver tells of a range is what an H200's (580) does.

use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::configuration;
use crate::process::memory_file::PAGE;
use cuda_emulator_engine::Unpoisoned;

/// `CU_DEVICE_CPU` and `CU_DEVICE_INVALID`
pub const DEVICE_CPU: i32 = -1;
pub const DEVICE_INVALID: i32 = -2;

/// What is known of a page.
#[derive(Clone, Default, PartialEq, Eq)]
struct Page {
    read_mostly: bool,
    /// Kind and number, as the attributes give them.
    preferred: Option<(u32, i32)>,
    prefetched: Option<(u32, i32)>,
    /// Devices, and -1 for the host.
    accessed_by: BTreeSet<i32>,
}

/// Runs of pages that are alike: where each ends.
type Runs = Vec<(u64, Page)>;

/// By the id of the allocation. What was never spoken of isn't there.
static KNOWN: Mutex<Option<HashMap<u64, Runs>>> = Mutex::new(None);

/// A range of bytes within an allocation.
#[derive(Clone, Copy)]
pub struct Range {
    /// The allocation's id, and bytes.
    pub id: u64,
    pub whole: u64,
    /// The range's first byte, and its bytes.
    pub start: u64,
    pub count: u64,
    /// Where its pool has it be.
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

/// What all pages of a range have in common.
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

/// An allocation has gone.
pub fn forget(id: u64) {
    if let Some(known) = KNOWN.lock().unpoisoned().as_mut() {
        known.remove(&id);
    }
}

impl Location {
    /// Where memory can be prefetched to: the kind, and the number that attributes give.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_DEVICE` for a device, `CUDA_ERROR_INVALID_VALUE` for anything else that isn't there.
    pub fn place(&self) -> Result<(u32, i32)> {
        match self.kind {
            CU_MEM_LOCATION_TYPE_DEVICE => {
                let there = (0..configuration::get().devices as i32).contains(&self.id);
                there
                    .then_some((self.kind, self.id))
                    .ok_or(Code::ERROR_INVALID_DEVICE)
            }
            CU_MEM_LOCATION_TYPE_HOST => Ok((self.kind, DEVICE_CPU)),
            // One node.
            CU_MEM_LOCATION_TYPE_HOST_NUMA if self.id == 0 => Ok((self.kind, 0)),
            CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => Ok((self.kind, 0)),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }
}

/// Memory is prefetched.
pub fn prefetch(range: &Range, to: (u32, i32)) {
    change(range, |page| page.prefetched = Some(to));
}

/// Advice on a range.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for what is no advice, or about nobody that there is.
pub fn advise(range: &Range, advice: u32, about: Location) -> Result {
    if about.kind == CU_MEM_LOCATION_TYPE_NONE {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let place = || about.place().map_err(|_| Code::ERROR_INVALID_VALUE);
    // Those who access memory are devices, or the host as a whole.
    let accessor = || match place()? {
        (CU_MEM_LOCATION_TYPE_DEVICE | CU_MEM_LOCATION_TYPE_HOST, id) => Ok(id),
        _ => Err(Code::ERROR_INVALID_VALUE),
    };
    let set = |with: &dyn Fn(&mut Page)| change(range, with);
    match advice {
        CU_MEM_ADVISE_SET_READ_MOSTLY => set(&|page| page.read_mostly = true),
        CU_MEM_ADVISE_UNSET_READ_MOSTLY => set(&|page| page.read_mostly = false),
        CU_MEM_ADVISE_SET_PREFERRED_LOCATION => {
            // A node is accepted, and not told of.
            let (kind, id) = place()?;
            let told = matches!(
                kind,
                CU_MEM_LOCATION_TYPE_DEVICE | CU_MEM_LOCATION_TYPE_HOST
            );
            set(&|page| page.preferred = told.then_some((kind, id)));
        }
        CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION => set(&|page| page.preferred = None),
        CU_MEM_ADVISE_SET_ACCESSED_BY => {
            let who = accessor()?;
            set(&|page| {
                page.accessed_by.insert(who);
            });
        }
        CU_MEM_ADVISE_UNSET_ACCESSED_BY => {
            let who = accessor()?;
            set(&|page| {
                page.accessed_by.remove(&who);
            });
        }
        _ => return Err(Code::ERROR_INVALID_VALUE),
    }
    Ok(())
}

/// The values of a `CUmem_range_attribute`; several only for those who access it.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for an unknown one.
pub fn attribute(range: &Range, attribute: u32) -> Result<Vec<i32>> {
    let preferred = || common(range, |page| page.preferred).or(range.of_pool);
    let prefetched = || common(range, |page| page.prefetched);
    // Before there were kinds, every part of the host was the host.
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
            let everywhere = |who: &i32| {
                let has = |page: &Page| Some(page.accessed_by.contains(who));
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
