//! Events.

use crate::driver::abi::*;
use crate::driver::arg::Out;
use crate::driver::call::export;
use crate::driver::event;
use crate::driver::status::{Code, Result};
use crate::driver::streams;

fn record(event: u64, stream: u64, flags: u32) -> Result {
    let stream = streams::resolve(stream)?;
    // CU_EVENT_RECORD_EXTERNAL only matters in a capture.
    if flags & !1 != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    event::get(event)?.record(&stream)
}

fn elapsed(milliseconds: Out<f32>, start: u64, end: u64) -> Result {
    milliseconds.check()?;
    let (start, end) = (event::get(start)?, event::get(end)?);
    milliseconds.set(end.since(&start)?)
}

export! {
    fn cuEventCreate(phEvent: Out<u64>, flags: u32) {
        phEvent.check()?;
        if flags & !7 != 0 || flags & CU_EVENT_INTERPROCESS != 0 && flags & CU_EVENT_DISABLE_TIMING == 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        if flags & CU_EVENT_INTERPROCESS != 0 {
            return Err(Code::ERROR_NOT_SUPPORTED);
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
        if let Some(mark) = event.mark() {
            mark.want();
            return Err(Code::ERROR_NOT_READY);
        }
        event.context.usable()
    }

    fn cuEventSynchronize(hEvent: u64) {
        let event = event::get(hEvent)?;
        if let Some(mark) = event.mark() {
            mark.wait();
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
