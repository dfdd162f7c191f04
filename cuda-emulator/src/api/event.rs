//! Events.

use crate::abi::pointers::Out;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::{capture, capture_events};
use crate::memory::pool;
use crate::process::call::export;
use crate::queue::event;
use crate::queue::stream_table;

/// The valid flags of an event.
const KNOWN: u32 = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

fn record(event: u64, stream: u64, flags: u32) -> Result {
    let stream = stream_table::resolve(stream)?;
    if flags & !CU_EVENT_RECORD_EXTERNAL != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    capture_events::record_event(
        &stream,
        &event::get(event)?,
        flags & CU_EVENT_RECORD_EXTERNAL != 0,
    )
}

fn elapsed(milliseconds: Out<f32>, start: u64, end: u64) -> Result {
    milliseconds.check()?;
    let (start, end) = (event::get(start)?, event::get(end)?);
    capture::reject_untimed(&start)?;
    capture::reject_untimed(&end)?;
    milliseconds.set(end.since(&start)?)
}

export! {
    fn cuEventCreate(phEvent: Out<u64>, flags: u32) {
        phEvent.check()?;
        // An interprocess event cannot keep time.
        let interprocess = flags & CU_EVENT_INTERPROCESS != 0;
        if flags & !KNOWN != 0 || interprocess && flags & CU_EVENT_DISABLE_TIMING == 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        phEvent.set(event::create(flags)?.handle)
    }

    fn cuEventRecord / cuEventRecord_ptsz(hEvent: u64, hStream: u64) {
        record(hEvent, hStream, 0)
    }

    fn cuEventRecordWithFlags / cuEventRecordWithFlags_ptsz(hEvent: u64, hStream: u64, flags: u32) {
        record(hEvent, hStream, flags)
    }

    fn cuEventQuery(hEvent: u64) {
        let event = event::get(hEvent)?;
        capture::reject_captured(&event)?;
        capture::reject_unsafe()?;
        let reached = event.is_reached();
        event.context.usable()?;
        if reached { Ok(()) } else { Err(Code::ERROR_NOT_READY) }
    }

    fn cuEventSynchronize(hEvent: u64) {
        let event = event::get(hEvent)?;
        capture::reject_captured(&event)?;
        capture::reject_unsafe()?;
        event.wait();
        if let Some(mark) = event.mark() {
            pool::release_after_wait(Some(mark.stream.id), mark.stream.context.ordinal);
        }
        event.context.usable()
    }

    fn cuEventDestroy(hEvent: u64) {
        event::destroy(hEvent)
    }

    fn cuEventDestroy_v2(hEvent: u64) {
        event::destroy(hEvent)
    }

    fn cuEventElapsedTime(pMilliseconds: Out<f32>, hStart: u64, hEnd: u64) {
        elapsed(pMilliseconds, hStart, hEnd)
    }

    fn cuEventElapsedTime_v2(pMilliseconds: Out<f32>, hStart: u64, hEnd: u64) {
        elapsed(pMilliseconds, hStart, hEnd)
    }
}
