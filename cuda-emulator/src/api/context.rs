//! Contexts and peers.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::abi::pointers::{In, Limit, Out};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::capture;
use crate::memory::{allocations, pool};
use crate::process::call::export;
use crate::process::context::{self, Context, Current};
use crate::process::device;
use crate::process::green_context::Green;
use crate::process::warnings;
use crate::queue::stream::ContextStreams;
use crate::queue::{event, fault, stream_attributes};

use super::device::CONTEXT_FLAGS;

fn create(pctx: Out<u64>, flags: u32, dev: i32) -> Result {
    pctx.check()?;
    device::check(dev)?;
    // At most one of spin, yield and blocking sync.
    if flags & !CONTEXT_FLAGS != 0 || (flags & CU_CTX_SCHED_MASK).count_ones() > 1 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    pctx.set(
        context::create(dev, flags)
            .map_err(fault::explained)?
            .handle,
    )
}

fn handle_of(context: Option<Current>) -> u64 {
    context.map_or(0, |context| context.handle())
}

/// Returns a context that can be made current: alive, even if a fault has poisoned it.
fn selectable(handle: u64) -> Result<Current> {
    let found = context::find(handle)?;
    if found.context.is_alive() {
        Ok(found)
    } else {
        Err(Code::ERROR_CONTEXT_IS_DESTROYED)
    }
}

/// Waits for the streams of a green context.
fn synchronize_green(context: &Arc<Context>, green: &Arc<Green>) -> Result {
    capture::reject_wait_for_green(green)?;
    for stream in ContextStreams::of(context).of_green(green) {
        stream.wait(stream.submitted());
    }
    context.usable()
}

fn push(ctx: u64) -> Result {
    context::push(selectable(ctx)?);
    Ok(())
}

fn pop(pctx: Out<u64>) -> Result {
    let top = context::pop().ok_or(Code::ERROR_INVALID_CONTEXT)?;
    pctx.set_optional(top.handle());
    Ok(())
}

export! {
    fn cuCtxCreate_v2(pctx: Out<u64>, flags: u32, dev: i32) {
        create(pctx, flags, dev)
    }

    fn cuCtxCreate_v3(pctx: Out<u64>, paramsArray: In<u64>, numParams: i32, flags: u32, dev: i32) {
        // An H200 (driver 580) treats a negative number as 0.
        if numParams > 0 {
            paramsArray.get()?;
            return Err(Code::ERROR_UNSUPPORTED_EXEC_AFFINITY);
        }
        create(pctx, flags, dev)
    }

    fn cuCtxCreate_v4(pctx: Out<u64>, ctxCreateParams: In<ContextParams>, flags: u32, dev: i32) {
        // The parameters can only request execution affinity and graphics interoperability.
        if !ctxCreateParams.is_null() {
            let params = ctxCreateParams.get()?;
            if params.affinity != 0 && params.affinity_count != 0 {
                return Err(Code::ERROR_UNSUPPORTED_EXEC_AFFINITY);
            }
            if params.graphics != 0 {
                return Err(warnings::missing_feature("a context for graphics"));
            }
        }
        create(pctx, flags, dev)
    }

    fn cuCtxDestroy(ctx: u64) {
        context::destroy(ctx)
    }

    fn cuCtxDestroy_v2(ctx: u64) {
        context::destroy(ctx)
    }

    fn cuCtxPushCurrent(ctx: u64) {
        push(ctx)
    }

    fn cuCtxPushCurrent_v2(ctx: u64) {
        push(ctx)
    }

    fn cuCtxPopCurrent(pctx: Out<u64>) {
        pop(pctx)
    }

    fn cuCtxPopCurrent_v2(pctx: Out<u64>) {
        pop(pctx)
    }

    fn cuCtxSetCurrent(ctx: u64) {
        let context = if ctx == 0 { None } else { Some(selectable(ctx)?) };
        context::set_current(context);
        Ok(())
    }

    fn cuCtxGetCurrent(pctx: Out<u64>) {
        pctx.set(handle_of(context::peek_current()))
    }

    fn cuCtxGetDevice(device: Out<i32>) {
        device.check()?;
        device.set(context::peek().ok_or(Code::ERROR_INVALID_CONTEXT)?.ordinal)
    }

    fn cuCtxGetDevice_v2(device: Out<i32>, ctx: u64) {
        device.check()?;
        device.set(context::alive_or_current(ctx)?.ordinal)
    }

    fn cuCtxGetFlags(flags: Out<u32>) {
        flags.check()?;
        // As on an H200, the call also works after a fault.
        let context = context::peek().ok_or(Code::ERROR_INVALID_CONTEXT)?;
        context.alive()?;
        flags.set(context.flags.load(Ordering::Relaxed))
    }

    fn cuCtxSetFlags(flags: u32) {
        if flags & !CONTEXT_FLAGS != 0 || (flags & CU_CTX_SCHED_MASK).count_ones() > 1 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        context::current()?.flags.store(flags, Ordering::Relaxed);
        Ok(())
    }

    fn cuCtxGetId(ctx: u64, ctxId: Out<u64>) {
        ctxId.check()?;
        context::alive_or_current(ctx)?;
        let found = match ctx {
            0 => context::peek_current(),
            handle => Some(context::find(handle)?),
        };
        let found = found.ok_or(Code::ERROR_INVALID_CONTEXT)?;
        let green = found.green.as_ref().map(|green| green.id);
        ctxId.set(green.unwrap_or(found.context.id))
    }

    fn cuCtxSynchronize() {
        let context = context::current()?;
        if let Some(green) = context::current_green() {
            return synchronize_green(&context, &green);
        }
        capture::reject_wait_for_all(&context)?;
        context.synchronize()?;
        pool::release_after_wait(None, context.ordinal);
        Ok(())
    }

    fn cuCtxSynchronize_v2(ctx: u64) {
        let context = context::get_or_current(ctx)?;
        let green = match ctx {
            0 => context::current_green(),
            handle => context::find(handle)?.green,
        };
        if let Some(green) = green {
            return synchronize_green(&context, &green);
        }
        capture::reject_wait_for_all(&context)?;
        context.synchronize()?;
        pool::release_after_wait(None, context.ordinal);
        Ok(())
    }

    fn cuCtxSetLimit(limit: Limit, value: usize) {
        context::current()?.set_limit(limit.0, value as u64)
    }

    fn cuCtxGetLimit(pvalue: Out<usize>, limit: Limit) {
        pvalue.check()?;
        pvalue.set(context::current()?.limit(limit.0)? as usize)
    }

    fn cuCtxGetCacheConfig(pconfig: Out<u32>) {
        pconfig.check()?;
        pconfig.set(context::current()?.cache_config.load(Ordering::Relaxed))
    }

    fn cuCtxSetCacheConfig(config: u32) {
        if config > CU_FUNC_CACHE_PREFER_EQUAL {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        context::current()?.cache_config.store(config, Ordering::Relaxed);
        Ok(())
    }

    fn cuCtxGetSharedMemConfig(pConfig: Out<u32>) {
        pConfig.check()?;
        pConfig.set(context::current()?.shared_config.load(Ordering::Relaxed))
    }

    fn cuCtxSetSharedMemConfig(config: u32) {
        if config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        // Banks are always four bytes wide, as on every device since compute capability 5.0.
        context::current().map(drop)
    }

    fn cuCtxGetApiVersion(ctx: u64, version: Out<u32>) {
        version.check()?;
        context::alive_or_current(ctx)?;
        version.set(3020)
    }

    fn cuCtxGetStreamPriorityRange(leastPriority: Out<i32>, greatestPriority: Out<i32>) {
        context::current()?;
        leastPriority.set_optional(stream_attributes::PRIORITIES.0);
        greatestPriority.set_optional(stream_attributes::PRIORITIES.1);
        Ok(())
    }

    fn cuCtxResetPersistingL2Cache() {
        context::current().map(drop)
    }

    fn cuCtxGetExecAffinity(pExecAffinity: Out<[u32; 2]>, type_: u32) {
        pExecAffinity.check()?;
        context::current()?;
        if type_ != CU_EXEC_AFFINITY_TYPE_SM_COUNT {
            return Err(Code::ERROR_UNSUPPORTED_EXEC_AFFINITY);
        }
        // No context is limited, because that needs MPS.
        pExecAffinity.set([type_, device::multiprocessors()])
    }

    fn cuCtxRecordEvent(hCtx: u64, hEvent: u64) {
        let context = context::get_or_current(hCtx)?;
        let event = event::get(hEvent)?;
        capture::reject_wait_for_all(&context)?;
        event.record_all(&context)
    }

    fn cuCtxWaitEvent(hCtx: u64, hEvent: u64) {
        let context = context::get_or_current(hCtx)?;
        let event = event::get(hEvent)?;
        capture::reject_wait_for_all(&context)?;
        capture::reject_captured(&event)?;
        for stream in ContextStreams::of(&context).all() {
            event.make_wait(&stream);
        }
        Ok(())
    }

    fn cuCtxAttach(pctx: Out<u64>, flags: u32) {
        pctx.check()?;
        if flags != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        pctx.set(context::current()?.handle)
    }

    fn cuCtxDetach(ctx: u64) {
        if !context::is_handle(ctx) {
            return Err(Code::ERROR_INVALID_CONTEXT);
        }
        context::destroy(ctx)
    }

    fn cuCtxEnablePeerAccess(peerContext: u64, flags: u32) {
        let (current, peer) = (context::current()?, context::get(peerContext)?);
        peer.alive()?;
        if flags != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        capture::reject_unsafe()?;
        if !device::are_linked(current.ordinal, peer.ordinal) {
            return Err(Code::ERROR_PEER_ACCESS_UNSUPPORTED);
        }
        if current.set_peer(&peer, true) {
            allocations::invalidate_lookups();
            return Ok(());
        }
        Err(Code::ERROR_PEER_ACCESS_ALREADY_ENABLED)
    }

    fn cuCtxDisablePeerAccess(peerContext: u64) {
        let (current, peer) = (context::current()?, context::get(peerContext)?);
        peer.alive()?;
        capture::reject_unsafe()?;
        if current.set_peer(&peer, false) {
            allocations::invalidate_lookups();
            return Ok(());
        }
        Err(Code::ERROR_PEER_ACCESS_NOT_ENABLED)
    }
}
