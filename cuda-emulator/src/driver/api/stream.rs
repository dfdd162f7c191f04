//! Streams, callbacks, and values in memory that streams wait for.

use std::sync::Arc;
use std::time::Duration;

use crate::driver::abi::*;
use crate::driver::arg::{In, Out, Word};
use crate::driver::call::{self, export};
use crate::driver::fault::Fault;
use crate::driver::memory::{Allocation, Origin};
use crate::driver::pending::{HostAccess, Pending};
use crate::driver::status::{Code, Result};
use crate::driver::stream::{self, How, Stream};
use crate::driver::streams;
use crate::driver::{capture, context, event, memory};

/// `CUstreamCallback`
type Callback = unsafe extern "C" fn(u64, Code, u64);
/// `CUhostFn`
type HostFunction = unsafe extern "C" fn(u64);

fn create(place: Out<u64>, flags: u32, priority: i32) -> Result {
    place.check()?;
    let context = context::current()?;
    if flags & !CU_STREAM_NON_BLOCKING != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let (least, greatest) = stream::PRIORITIES;
    place.set(streams::create(&context, flags, priority.clamp(greatest, least)).handle)
}

/// A function pointer of the client's.
fn function<F: Copy>(word: Word) -> Result<F> {
    const { assert!(size_of::<F>() == 8) };
    if word.0 == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    // SAFETY: F is a function pointer type (the two uses below), and the client passes a function of that type.
    Ok(unsafe { std::mem::transmute_copy(&word.0) })
}

/// Whether an address can be waited for or written to in stream order.
fn check_word(address: u64, width: u64) -> Result<Arc<Allocation>> {
    if !address.is_multiple_of(width) {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    memory::check(address, width)
}

/// A wait or a write on a word of memory.
#[derive(Clone, Copy)]
enum WordOperation {
    Wait(u32),
    Write,
}

/// Values are compared as `CU_STREAM_WAIT_VALUE_*` asks.
fn satisfied(kind: u32, current: u64, value: u64, wide: bool) -> bool {
    match kind & CU_STREAM_WAIT_VALUE_NOR {
        CU_STREAM_WAIT_VALUE_GEQ if wide => current.wrapping_sub(value) as i64 >= 0,
        CU_STREAM_WAIT_VALUE_GEQ => (current as u32).wrapping_sub(value as u32) as i32 >= 0,
        CU_STREAM_WAIT_VALUE_EQ => current == value,
        CU_STREAM_WAIT_VALUE_AND => current & value != 0,
        // NOR: ~(current | value) has a bit
        _ => !(current | value) & if wide { u64::MAX } else { u32::MAX.into() } != 0,
    }
}

fn word(
    stream: &Arc<Stream>,
    address: u64,
    value: u64,
    wide: bool,
    operation: WordOperation,
) -> Result {
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
    let width = if wide { 8 } else { 4 };
    let allocation = check_word(address, width)?;
    let pending = matches!(allocation.origin, Origin::Host | Origin::Registered)
        .then(|| Pending::new(stream, HostAccess::Word, address, width));
    let context = stream.context.clone();
    let work = move || {
        let _pending = pending;
        if let Some(why) = allocation.trespass(&context, address) {
            let report = format!("in a stream memory operation at {address:#x}\n{why}");
            return Err(Fault::new(Code::ERROR_ILLEGAL_ADDRESS, report));
        }
        if memory::check(address, width).is_err() {
            return Err(Fault::new(
                Code::ERROR_ILLEGAL_ADDRESS,
                format!(
                    "  in a stream memory operation at {address:#x}: {}",
                    memory::explain(address, 4)
                ),
            ));
        }
        // SAFETY: the word was just found in the table of allocations and is aligned; only atomics touch it here.
        let (small, large) =
            unsafe { (&*(address as *const AtomicU32), address as *const AtomicU64) };
        match operation {
            WordOperation::Write if wide => {
                // SAFETY: as above, eight bytes long since `wide`.
                unsafe { &*large }.store(value, Ordering::SeqCst);
            }
            WordOperation::Write => small.store(value as u32, Ordering::SeqCst),
            WordOperation::Wait(kind) => loop {
                let current = if wide {
                    // SAFETY: as above, eight bytes long since `wide`.
                    unsafe { &*large }.load(Ordering::SeqCst)
                } else {
                    small.load(Ordering::SeqCst).into()
                };
                if satisfied(kind, current, value, wide)
                    || context.fault().is_some()
                    || !context.is_alive()
                {
                    break;
                }
                std::thread::sleep(Duration::from_micros(20));
            },
        }
        Ok(())
    };
    // A wait would keep a helping thread from doing what it waits for.
    stream.submit(How::ByWorker, Vec::new(), Box::new(work));
    Ok(())
}

fn wait_value(stream: u64, address: u64, value: u64, flags: u32, wide: bool) -> Result {
    let stream = streams::resolve(stream)?;
    // Bit 30 asks for a flush of remote writes, which there are none of.
    if flags & !(CU_STREAM_WAIT_VALUE_NOR | CU_STREAM_WAIT_VALUE_FLUSH) != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    word(&stream, address, value, wide, WordOperation::Wait(flags))
}

fn write_value(stream: u64, address: u64, value: u64, flags: u32, wide: bool) -> Result {
    let stream = streams::resolve(stream)?;
    if flags & !1 != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    word(&stream, address, value, wide, WordOperation::Write)
}

fn batch(stream: u64, count: u32, operations: In<MemoryOperation>, flags: u32) -> Result {
    if flags != 0 || count > 255 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    for index in 0..count as usize {
        let MemoryOperation {
            operation,
            address,
            value,
            flags,
            ..
        } = operations.at(index)?;
        match operation {
            CU_STREAM_MEM_OP_WAIT_VALUE_32 => {
                wait_value(stream, address, value & 0xffff_ffff, flags, false)?
            }
            CU_STREAM_MEM_OP_WRITE_VALUE_32 => {
                write_value(stream, address, value & 0xffff_ffff, flags, false)?
            }
            CU_STREAM_MEM_OP_WAIT_VALUE_64 => wait_value(stream, address, value, flags, true)?,
            CU_STREAM_MEM_OP_WRITE_VALUE_64 => write_value(stream, address, value, flags, true)?,
            // Flush of remote writes, barrier: streams are in order as it is.
            CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES | CU_STREAM_MEM_OP_BARRIER => {}
            _ => return Err(Code::ERROR_INVALID_VALUE),
        }
    }
    Ok(())
}

export! {
    fn cuStreamCreate(phStream: Out<u64>, flags: u32) {
        create(phStream, flags, 0)
    }

    fn cuStreamCreateWithPriority(phStream: Out<u64>, flags: u32, priority: i32) {
        create(phStream, flags, priority)
    }

    fn cuStreamDestroy(hStream: u64) {
        streams::destroy(hStream)
    }

    fn cuStreamDestroy_v2(hStream: u64) {
        streams::destroy(hStream)
    }

    fn cuStreamGetPriority / cuStreamGetPriority_ptsz(hStream: u64, priority: Out<i32>) {
        priority.check()?;
        priority.set(streams::find(hStream)?.priority)
    }

    fn cuStreamGetFlags / cuStreamGetFlags_ptsz(hStream: u64, flags: Out<u32>) {
        flags.check()?;
        flags.set(streams::find(hStream)?.flags)
    }

    fn cuStreamGetId / cuStreamGetId_ptsz(hStream: u64, streamId: Out<u64>) {
        streamId.check()?;
        streamId.set(streams::find(hStream)?.id)
    }

    fn cuStreamGetDevice / cuStreamGetDevice_ptsz(hStream: u64, device: Out<i32>) {
        device.check()?;
        device.set(streams::find(hStream)?.context.ordinal)
    }

    fn cuStreamGetCtx / cuStreamGetCtx_ptsz(hStream: u64, pctx: Out<u64>) {
        pctx.check()?;
        pctx.set(streams::find(hStream)?.context.handle)
    }

    fn cuStreamGetCtx_v2 / cuStreamGetCtx_v2_ptsz(hStream: u64, pCtx: Out<u64>, pGreenCtx: Out<u64>) {
        pCtx.check()?;
        let stream = streams::find(hStream)?;
        pGreenCtx.set_optional(0);
        pCtx.set(stream.context.handle)
    }

    fn cuStreamWaitEvent / cuStreamWaitEvent_ptsz(hStream: u64, hEvent: u64, flags: u32) {
        let stream = streams::resolve(hStream)?;
        // CU_EVENT_WAIT_EXTERNAL only matters in a capture.
        if flags & !1 != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        event::get(hEvent)?.hold_up(&stream);
        Ok(())
    }

    fn cuStreamAddCallback / cuStreamAddCallback_ptsz(hStream: u64, callback: Word, userData: Word, flags: u32) {
        let stream = streams::resolve(hStream)?;
        let callback: Callback = function(callback)?;
        if flags != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let context = stream.context.clone();
        let pending = Pending::new(&stream, HostAccess::HostFunction, userData.0, 1);
        // The client gets the handle it gave.
        let work = Box::new(move || {
            // From here on it is the function's affair.
            drop(pending);
            let status = context.fault().unwrap_or(Code::SUCCESS);
            // SAFETY: the client's function with the arguments it asked for.
            call::into_client(&context, || unsafe { callback(hStream, status, userData.0) });
            Ok(())
        });
        stream.submit(How::EvenAfterFault, Vec::new(), work);
        Ok(())
    }

    fn cuLaunchHostFunc / cuLaunchHostFunc_ptsz(hStream: u64, fn_: Word, userData: Word) {
        let stream = streams::resolve(hStream)?;
        let function: HostFunction = function(fn_)?;
        let context = stream.context.clone();
        let pending = Pending::new(&stream, HostAccess::HostFunction, userData.0, 1);
        let work = Box::new(move || {
            // From here on it is the function's affair.
            drop(pending);
            // SAFETY: the client's function with the argument it asked for.
            call::into_client(&context, || unsafe { function(userData.0) });
            Ok(())
        });
        stream.submit(How::ByWorker, Vec::new(), work);
        Ok(())
    }

    fn cuStreamQuery / cuStreamQuery_ptsz(hStream: u64) {
        let stream = streams::find(hStream)?;
        capture::refuse_wait(&stream)?;
        let idle = stream.is_idle();
        stream.context.usable()?;
        if idle { Ok(()) } else { Err(Code::ERROR_NOT_READY) }
    }

    fn cuStreamSynchronize / cuStreamSynchronize_ptsz(hStream: u64) {
        let stream = streams::find(hStream)?;
        capture::refuse_wait(&stream)?;
        stream.synchronize()
    }

    fn cuStreamCopyAttributes / cuStreamCopyAttributes_ptsz(dst: u64, src: u64) {
        streams::resolve(dst)?;
        streams::resolve(src).map(drop)
    }

    fn cuStreamGetAttribute / cuStreamGetAttribute_ptsz(hStream: u64, attr: u32, value_out: Out<AttributeValue>) {
        value_out.check()?;
        let stream = streams::find(hStream)?;
        match attr {
            // Access policy window, synchronisation policy, memory synchronisation domain: never set.
            1 | 3 | 9 | 10 => value_out.set(AttributeValue([0; 16])),
            8 => value_out.cast::<i32>().set(stream.priority),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    fn cuStreamSetAttribute / cuStreamSetAttribute_ptsz(hStream: u64, attr: u32, value: In<u64>) {
        streams::resolve(hStream)?;
        value.get()?;
        // Hints, all of them.
        if matches!(attr, 1 | 3 | 8 | 9 | 10) { Ok(()) } else { Err(Code::ERROR_INVALID_VALUE) }
    }

    fn cuStreamWaitValue32_v2 / cuStreamWaitValue32_v2_ptsz(stream_: u64, addr: u64, value: u32, flags: u32) {
        wait_value(stream_, addr, value.into(), flags, false)
    }

    fn cuStreamWaitValue64_v2 / cuStreamWaitValue64_v2_ptsz(stream_: u64, addr: u64, value: u64, flags: u32) {
        wait_value(stream_, addr, value, flags, true)
    }

    fn cuStreamWriteValue32_v2 / cuStreamWriteValue32_v2_ptsz(stream_: u64, addr: u64, value: u32, flags: u32) {
        write_value(stream_, addr, value.into(), flags, false)
    }

    fn cuStreamWriteValue64_v2 / cuStreamWriteValue64_v2_ptsz(stream_: u64, addr: u64, value: u64, flags: u32) {
        write_value(stream_, addr, value, flags, true)
    }

    fn cuStreamBatchMemOp_v2 / cuStreamBatchMemOp_v2_ptsz(stream_: u64, count: u32, paramArray: In<MemoryOperation>, flags: u32) {
        batch(stream_, count, paramArray, flags)
    }
}
