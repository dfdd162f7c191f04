//! Streams, callbacks, and stream memory operations.

use std::sync::Arc;

use crate::abi::pointers::{In, Out, Word};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::{capture, capture_events, enqueue};
use crate::memory::pool;
use crate::process::call::{self, export};
use crate::process::{context, device_attributes};
use crate::queue::event;
use crate::queue::host_functions::HostCall;
use crate::queue::pending_host_memory::{HostAccess, Pending};
use crate::queue::stream::{How, Piece};
use crate::queue::stream_table;
use crate::work::memory_operations;
use crate::work::operation::Operation;

/// `CUstreamCallback`
type Callback = unsafe extern "C" fn(u64, Code, u64);

fn create(place: Out<u64>, flags: u32, priority: i32) -> Result {
    place.check()?;
    let context = context::current()?;
    if flags & !CU_STREAM_NON_BLOCKING != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let green = context::current_green();
    place.set(stream_table::create(&context, green, flags, priority).handle)
}

fn word(stream: u64, operation: u32, address: u64, value: u64, flags: u32) -> Result {
    let stream = stream_table::resolve(stream)?;
    let operation = MemoryOperation {
        operation,
        scope: 0,
        address,
        value,
        flags,
        alias: 0,
        pad: 0,
    };
    enqueue::words(&stream, &[operation])
}

export! {
    fn cuStreamCreate(phStream: Out<u64>, flags: u32) {
        create(phStream, flags, 0)
    }

    fn cuStreamCreateWithPriority(phStream: Out<u64>, flags: u32, priority: i32) {
        create(phStream, flags, priority)
    }

    fn cuStreamDestroy(hStream: u64) {
        stream_table::destroy(hStream)
    }

    fn cuStreamDestroy_v2(hStream: u64) {
        stream_table::destroy(hStream)
    }

    fn cuStreamGetPriority / cuStreamGetPriority_ptsz(hStream: u64, priority: Out<i32>) {
        priority.check()?;
        priority.set(stream_table::find(hStream)?.preferences().priority)
    }

    fn cuStreamGetFlags / cuStreamGetFlags_ptsz(hStream: u64, flags: Out<u32>) {
        flags.check()?;
        let stream = stream_table::find(hStream)?;
        // As on an H100 (driver 580).
        capture::reject_unsafe()?;
        flags.set(stream.flags)
    }

    fn cuStreamGetId / cuStreamGetId_ptsz(hStream: u64, streamId: Out<u64>) {
        streamId.check()?;
        streamId.set(stream_table::find(hStream)?.id)
    }

    fn cuStreamGetDevice / cuStreamGetDevice_ptsz(hStream: u64, device: Out<i32>) {
        device.check()?;
        device.set(stream_table::find(hStream)?.context.ordinal)
    }

    fn cuStreamGetCtx / cuStreamGetCtx_ptsz(hStream: u64, pctx: Out<u64>) {
        pctx.check()?;
        let stream = stream_table::find(hStream)?;
        let green = stream.green.as_ref().map(|green| green.as_context());
        pctx.set(green.unwrap_or(stream.context.handle))
    }

    fn cuStreamGetCtx_v2 / cuStreamGetCtx_v2_ptsz(hStream: u64, pCtx: Out<u64>, pGreenCtx: Out<u64>) {
        let stream = stream_table::find(hStream)?;
        pGreenCtx.set_optional(stream.green.as_ref().map_or(0, |green| green.handle));
        // An H200's driver (580) also accepts null here.
        pCtx.set_optional(stream.context.handle);
        Ok(())
    }

    fn cuStreamWaitEvent / cuStreamWaitEvent_ptsz(hStream: u64, hEvent: u64, flags: u32) {
        let stream = stream_table::resolve(hStream)?;
        if flags & !CU_EVENT_WAIT_EXTERNAL != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        capture_events::wait_event(&stream, &event::get(hEvent)?, flags & CU_EVENT_WAIT_EXTERNAL != 0)
    }

    fn cuStreamAddCallback / cuStreamAddCallback_ptsz(hStream: u64, callback: Word, userData: Word, flags: u32) {
        let stream = stream_table::resolve(hStream)?;
        // The callback's status argument has no meaning in a graph.
        capture::reject_work(&stream)?;
        if callback.0 == 0 || flags != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        // SAFETY: the client passes a function of that type.
        let callback = unsafe { std::mem::transmute::<u64, Callback>(callback.0) };
        let context = stream.context.clone();
        let pending = Pending::new(&stream, HostAccess::HostFunction, userData.0, 1);
        // The callback gets the handle that the client passed.
        let work = Box::new(move || {
            // From here on the callback is responsible for the memory.
            drop(pending);
            let status = context.fault().unwrap_or(Code::SUCCESS);
            // SAFETY: the client's function is called with the client's arguments.
            call::call_client(&context, || unsafe { callback(hStream, status, userData.0) });
            Ok(())
        });
        stream.submit(Piece::new(How::EvenAfterFault, work));
        Ok(())
    }

    fn cuLaunchHostFunc / cuLaunchHostFunc_ptsz(hStream: u64, fn_: Word, userData: Word) {
        let stream = stream_table::resolve(hStream)?;
        enqueue::enqueue(&stream, Operation::Call(HostCall::new(fn_.0, userData.0)?))
    }

    fn cuStreamQuery / cuStreamQuery_ptsz(hStream: u64) {
        let stream = stream_table::find(hStream)?;
        capture::reject_wait(&stream)?;
        let idle = stream.is_idle();
        stream.context.usable()?;
        if idle { Ok(()) } else { Err(Code::ERROR_NOT_READY) }
    }

    fn cuStreamSynchronize / cuStreamSynchronize_ptsz(hStream: u64) {
        let stream = stream_table::find(hStream)?;
        capture::reject_wait(&stream)?;
        stream.synchronize()?;
        pool::release_after_wait(Some(stream.id), stream.context.ordinal);
        Ok(())
    }

    fn cuStreamCopyAttributes / cuStreamCopyAttributes_ptsz(dst: u64, src: u64) {
        let (to, from) = (stream_table::find(dst)?, stream_table::find(src)?);
        if !Arc::ptr_eq(&to.context, &from.context) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let preferences = from.preferences().clone();
        *to.preferences() = preferences;
        Ok(())
    }

    fn cuStreamGetAttribute / cuStreamGetAttribute_ptsz(hStream: u64, attr: u32, value_out: Out<AttributeValue>) {
        value_out.check()?;
        let bytes = stream_table::find(hStream)?.preferences().get(attr)?;
        // Only as many bytes as the value has.
        let place = value_out.cast::<u8>();
        bytes.iter().enumerate().try_for_each(|(index, byte)| place.at(index).set(*byte))
    }

    fn cuStreamSetAttribute / cuStreamSetAttribute_ptsz(hStream: u64, attr: u32, value: In<AttributeValue>) {
        let stream = stream_table::find(hStream)?;
        let domains = device_attributes::attribute(CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT, stream.context.ordinal)?;
        stream.preferences().set(attr, value.get()?, domains as u32)
    }

    fn cuStreamWaitValue32_v2 / cuStreamWaitValue32_v2_ptsz(stream_: u64, addr: u64, value: u32, flags: u32) {
        word(stream_, CU_STREAM_MEM_OP_WAIT_VALUE_32, addr, value.into(), flags)
    }

    fn cuStreamWaitValue64_v2 / cuStreamWaitValue64_v2_ptsz(stream_: u64, addr: u64, value: u64, flags: u32) {
        word(stream_, CU_STREAM_MEM_OP_WAIT_VALUE_64, addr, value, flags)
    }

    fn cuStreamWriteValue32_v2 / cuStreamWriteValue32_v2_ptsz(stream_: u64, addr: u64, value: u32, flags: u32) {
        word(stream_, CU_STREAM_MEM_OP_WRITE_VALUE_32, addr, value.into(), flags)
    }

    fn cuStreamWriteValue64_v2 / cuStreamWriteValue64_v2_ptsz(stream_: u64, addr: u64, value: u64, flags: u32) {
        word(stream_, CU_STREAM_MEM_OP_WRITE_VALUE_64, addr, value, flags)
    }

    fn cuStreamBatchMemOp_v2 / cuStreamBatchMemOp_v2_ptsz(stream_: u64, count: u32, paramArray: In<MemoryOperation>, flags: u32) {
        if flags != 0 || count > memory_operations::MOST {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let stream = stream_table::resolve(stream_)?;
        enqueue::words(&stream, &paramArray.array(count as usize)?)
    }
}
