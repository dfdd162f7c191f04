//! Green contexts: subsets of a device's multiprocessors.

use crate::abi::pointers::{In, Out};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::capture;
use crate::process::call::export;
use crate::process::{context, device, first_fault, green_context};
use crate::queue::stream::ContextStreams;
use crate::queue::{event, fault, stream_table};

/// Returns the green context of a handle, with its primary context.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_CONTEXT` if the handle is not that of a live green context, or an
/// error if the primary context is destroyed or has faulted.
fn usable(handle: u64) -> Result<context::Current> {
    let green = green_context::get(handle)?;
    let found = context::find(green.as_context())?;
    found.context.usable()?;
    Ok(found)
}

export! {
    fn cuDeviceGetDevResource(device_: i32, resource: Out<DevResource>, type_: u32) {
        resource.check()?;
        device::check(device_)?;
        green_context::check_kind(type_)?;
        resource.set(green_context::of_device(device_))
    }

    fn cuCtxGetDevResource(hCtx: u64, resource: Out<DevResource>, type_: u32) {
        resource.check()?;
        // Null does not mean the current context here.
        let found = context::find(hCtx)?;
        found.context.usable()?;
        green_context::check_kind(type_)?;
        resource.set(match &found.green {
            Some(green) => green.resource(),
            None => green_context::of_device(found.context.ordinal),
        })
    }

    fn cuGreenCtxGetDevResource(hCtx: u64, resource: Out<DevResource>, type_: u32) {
        resource.check()?;
        usable(hCtx)?;
        green_context::check_kind(type_)?;
        resource.set(green_context::get(hCtx)?.resource())
    }

    fn cuDevSmResourceSplitByCount(result: Out<DevResource>, nbGroups: Out<u32>, input: In<DevResource>, remainder: Out<DevResource>, flags: u32, minCount: u32) {
        let wanted = nbGroups.get()?;
        let input = input.get()?;
        const BOTH: u32 = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING
            | CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE;
        // An H200 (driver 580) ignores unknown flags.
        if flags & BOTH == BOTH || (!result.is_null() && wanted == 0) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        if result.is_null() {
            return nbGroups.set(green_context::split(&input, None, flags, minCount)?.groups.len() as u32);
        }
        let split = green_context::split(&input, Some(wanted), flags, minCount)?;
        for (index, group) in split.groups.iter().enumerate() {
            result.at(index).set(*group)?;
        }
        remainder.set_optional(split.rest);
        nbGroups.set(split.groups.len() as u32)
    }

    fn cuDevResourceGenerateDesc(phDesc: Out<u64>, resources: In<DevResource>, nbResources: u32) {
        phDesc.check()?;
        // There cannot be more parts than multiprocessors.
        if nbResources > crate::process::device::multiprocessors() {
            return Err(Code::ERROR_INVALID_RESOURCE_CONFIGURATION);
        }
        phDesc.set(green_context::describe(&resources.array(nbResources as usize)?)?)
    }

    fn cuGreenCtxCreate(phCtx: Out<u64>, desc: u64, dev: i32, flags: u32) {
        phCtx.check()?;
        device::check(dev)?;
        // A later driver also accepts 0.
        if flags != CU_GREEN_CTX_DEFAULT_STREAM {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        first_fault::check().map_err(fault::explained)?;
        let green = green_context::create(desc, dev)?;
        if let Err(code) = context::retain_primary(dev) {
            green_context::destroy(green.handle)?;
            return Err(code);
        }
        phCtx.set(green.handle)
    }

    fn cuGreenCtxDestroy(hCtx: u64) {
        let green = green_context::destroy(hCtx)?;
        let context = context::primary(green.ordinal);
        stream_table::forget_green(&context, &green);
        context::release_primary(green.ordinal)
    }

    fn cuCtxFromGreenCtx(pContext: Out<u64>, hCtx: u64) {
        pContext.check()?;
        pContext.set(green_context::get(hCtx)?.as_context())
    }

    fn cuGreenCtxGetId(greenCtx: u64, greenCtxId: Out<u64>) {
        greenCtxId.check()?;
        let green = match greenCtx {
            0 => context::current_green().ok_or(Code::ERROR_INVALID_CONTEXT)?,
            handle => green_context::get(handle)?,
        };
        greenCtxId.set(green.id)
    }

    fn cuGreenCtxStreamCreate(phStream: Out<u64>, greenCtx: u64, flags: u32, priority: i32) {
        phStream.check()?;
        let context = usable(greenCtx)?.context;
        if flags != CU_STREAM_NON_BLOCKING {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let green = green_context::get(greenCtx)?;
        phStream.set(stream_table::create(&context, Some(green), flags, priority).handle)
    }

    fn cuGreenCtxRecordEvent(hCtx: u64, hEvent: u64) {
        let (context, green) = (usable(hCtx)?.context, green_context::get(hCtx)?);
        let event = event::get(hEvent)?;
        capture::reject_wait_for_green(&green)?;
        let streams = ContextStreams::of(&context).of_green(&green);
        event.record_behind(&context, &streams, &stream_table::of_green(&context, &green))
    }

    fn cuGreenCtxWaitEvent(hCtx: u64, hEvent: u64) {
        let (context, green) = (usable(hCtx)?.context, green_context::get(hCtx)?);
        let event = event::get(hEvent)?;
        capture::reject_wait_for_green(&green)?;
        capture::reject_captured(&event)?;
        stream_table::of_green(&context, &green);
        for stream in ContextStreams::of(&context).of_green(&green) {
            event.make_wait(&stream);
        }
        Ok(())
    }

    fn cuStreamGetGreenCtx(hStream: u64, phCtx: Out<u64>) {
        phCtx.check()?;
        phCtx.set(stream_table::find(hStream)?.green.as_ref().map_or(0, |green| green.handle))
    }
}
