//! Managed memory: prefetching, advice, ranges, streams.

use std::sync::Arc;

use crate::abi::pointers::{In, Out, RangeAttribute, Word};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::capture;
use crate::memory::allocations::{self, Allocation};
use crate::memory::managed::{self, DEVICE_CPU, DEVICE_INVALID, Range};
use crate::process::call::{self, export};
use crate::process::context;
use crate::queue::stream::Role;
use crate::queue::stream_table;
use crate::work::fill::Fill;
use crate::work::operation::Operation;

/// The bytes of discarded memory.
const DISCARDED: u32 = 0xdd;

/// Returns the allocation that contains a range of managed memory.
fn managed(address: u64, count: usize) -> Result<Arc<Allocation>> {
    context::current()?;
    if count == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let allocation = allocations::check(address, count as u64)?;
    if allocation.is_managed() {
        Ok(allocation)
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

/// Returns a range of managed memory.
fn range(address: u64, count: usize) -> Result<Range> {
    let allocation = managed(address, count)?;
    Ok(Range {
        id: allocation.id,
        whole: allocation.size,
        start: address - allocation.base,
        count: count as u64,
        of_pool: allocation.pool.as_ref().and_then(|pool| pool.preferred()),
    })
}

fn location(word: Word) -> Location {
    Location {
        kind: word.0 as u32,
        id: (word.0 >> 32) as i32,
    }
}

/// Converts a location of the calls before CUDA 12.2.
fn old_location(device: i32) -> Location {
    let (kind, id) = match device {
        DEVICE_CPU => (CU_MEM_LOCATION_TYPE_HOST, 0),
        device => (CU_MEM_LOCATION_TYPE_DEVICE, device),
    };
    Location { kind, id }
}

fn advise(address: u64, count: usize, advice: u32, about: Location) -> Result {
    managed::advise(&range(address, count)?, advice, about)
}

fn prefetch(address: u64, count: usize, to: Location, flags: u32, stream: u64) -> Result {
    capture::reject_work(&stream_table::resolve(stream)?)?;
    let range = range(address, count)?;
    let place = to.place()?;
    if flags != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    managed::prefetch(&range, place);
    Ok(())
}

/// Ranges and the destination of each, which are discarded if requested. The batch is checked
/// completely before any of it runs.
struct Batch {
    ranges: Vec<(u64, Range)>,
    places: Vec<(u32, i32)>,
}

impl Batch {
    fn new(addresses: In<u64>, sizes: In<usize>, count: usize, flags: u64) -> Result<Batch> {
        // No array can span more than half of the address space.
        let too_many = count > isize::MAX as usize / size_of::<u64>();
        if count == 0 || too_many || flags != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let mut ranges = Vec::with_capacity(count.min(1 << 16));
        for index in 0..count {
            let (address, size) = (addresses.at(index)?, sizes.at(index)?);
            ranges.push((address, range(address, size)?));
        }
        let places = Vec::new();
        Ok(Batch { ranges, places })
    }

    /// Assigns destinations. Each applies from its first range up to the first range of the next
    /// destination.
    fn place(mut self, places: In<Location>, firsts: In<usize>, count: usize) -> Result<Batch> {
        let all = self.ranges.len();
        if count == 0 || count > all {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let mut marks = Vec::new();
        for index in 0..count {
            let (place, first) = (places.at(index)?.place()?, firsts.at(index)?);
            let before = marks.last().map_or(0, |&(first, _)| first);
            if first >= all || first < before || index == 0 && first != 0 {
                return Err(Code::ERROR_INVALID_VALUE);
            }
            marks.push((first, place));
        }
        let ends = marks.iter().skip(1).map(|&(first, _)| first).chain([all]);
        for (&(first, place), end) in marks.iter().zip(ends) {
            self.places.extend((first..end).map(|_| place));
        }
        Ok(self)
    }

    fn enqueue(self, discard: bool, stream: u64) -> Result {
        let stream = stream_table::resolve(stream)?;
        if stream.role == Role::Legacy {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        capture::reject_work(&stream)?;
        for (index, (address, range)) in self.ranges.into_iter().enumerate() {
            if discard {
                let fill = Fill {
                    address,
                    pitch: 0,
                    value: DISCARDED,
                    width: 1,
                    extent: [range.count, 1],
                };
                if let Some(fill) = fill.check(&stream.context)? {
                    Operation::Fill(fill).submit(&stream)?;
                }
            }
            if let Some(&place) = self.places.get(index) {
                managed::prefetch(&range, place);
            }
        }
        Ok(())
    }
}

/// Stores a `CUmem_range_attribute` as 32-bit values.
fn range_attribute(
    data: Out<i32>,
    size: usize,
    attribute: u32,
    address: u64,
    count: usize,
) -> Result {
    let values = managed::attribute(&range(address, count)?, attribute)?;
    let list = attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
    if size == 0 || !size.is_multiple_of(4) || !list && size != 4 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    // The rest of a list is filled with the invalid device.
    for index in 0..size / 4 {
        data.at(index)
            .set(values.get(index).copied().unwrap_or(DEVICE_INVALID))?;
    }
    Ok(())
}

export! {
    fn cuStreamAttachMemAsync / cuStreamAttachMemAsync_ptsz(hStream: u64, dptr: u64, length: usize, flags: u32) {
        capture::reject_work(&stream_table::resolve(hStream)?)?;
        let allocation = managed(dptr, length.max(1))?;
        let whole = dptr == allocation.base && (length == 0 || length as u64 == allocation.size);
        let alone = flags == CU_MEM_ATTACH_SINGLE && hStream == 0 && !call::per_thread_default();
        match flags {
            CU_MEM_ATTACH_GLOBAL | CU_MEM_ATTACH_HOST | CU_MEM_ATTACH_SINGLE if whole && !alone => Ok(()),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    fn cuMemPrefetchAsync / cuMemPrefetchAsync_ptsz(devPtr: u64, count: usize, dstDevice: i32, hStream: u64) {
        prefetch(devPtr, count, old_location(dstDevice), 0, hStream)
    }

    fn cuMemPrefetchAsync_v2 / cuMemPrefetchAsync_v2_ptsz(devPtr: u64, count: usize, location_: Word, flags: u32, hStream: u64) {
        prefetch(devPtr, count, location(location_), flags, hStream)
    }

    fn cuMemPrefetchBatchAsync / cuMemPrefetchBatchAsync_ptsz(dptrs: In<u64>, sizes: In<usize>, count: usize, prefetchLocs: In<Location>, prefetchLocIdxs: In<usize>, numPrefetchLocs: usize, flags: u64, hStream: u64) {
        let batch = Batch::new(dptrs, sizes, count, flags)?;
        batch.place(prefetchLocs, prefetchLocIdxs, numPrefetchLocs)?.enqueue(false, hStream)
    }

    fn cuMemDiscardBatchAsync / cuMemDiscardBatchAsync_ptsz(dptrs: In<u64>, sizes: In<usize>, count: usize, flags: u64, hStream: u64) {
        Batch::new(dptrs, sizes, count, flags)?.enqueue(true, hStream)
    }

    fn cuMemDiscardAndPrefetchBatchAsync / cuMemDiscardAndPrefetchBatchAsync_ptsz(dptrs: In<u64>, sizes: In<usize>, count: usize, prefetchLocs: In<Location>, prefetchLocIdxs: In<usize>, numPrefetchLocs: usize, flags: u64, hStream: u64) {
        let batch = Batch::new(dptrs, sizes, count, flags)?;
        batch.place(prefetchLocs, prefetchLocIdxs, numPrefetchLocs)?.enqueue(true, hStream)
    }

    fn cuMemAdvise(devPtr: u64, count: usize, advice: u32, device: i32) {
        advise(devPtr, count, advice, old_location(device))
    }

    fn cuMemAdvise_v2(devPtr: u64, count: usize, advice: u32, location_: Word) {
        advise(devPtr, count, advice, location(location_))
    }

    fn cuMemRangeGetAttribute(data: Out<i32>, dataSize: usize, attribute: RangeAttribute, devPtr: u64, count: usize) {
        data.check()?;
        range_attribute(data, dataSize, attribute.0, devPtr, count)
    }

    fn cuMemRangeGetAttributes(data: In<Out<i32>>, dataSizes: In<usize>, attributes: In<u32>, numAttributes: usize, devPtr: u64, count: usize) {
        if numAttributes == 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        for index in 0..numAttributes {
            range_attribute(data.at(index)?, dataSizes.at(index)?, attributes.at(index)?, devPtr, count)?;
        }
        Ok(())
    }
}
