//! Memory and events for other processes on this host.

use crate::abi::pointers::Out;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::memory::ipc;
use crate::process::call::export;
use crate::process::context;
use crate::process::shared_slots::Handle;
use crate::queue::event;

fn open(pdptr: Out<u64>, handle: Handle, flags: u32) -> Result {
    pdptr.check()?;
    if flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    pdptr.set(ipc::open(&handle)?)
}

export! {
    fn cuIpcGetMemHandle(pHandle: Out<Handle>, dptr: u64) {
        pHandle.check()?;
        context::current()?;
        pHandle.set(ipc::export(dptr)?)
    }

    fn cuIpcOpenMemHandle(pdptr: Out<u64>, handle: Handle, Flags: u32) {
        open(pdptr, handle, Flags)
    }

    fn cuIpcOpenMemHandle_v2(pdptr: Out<u64>, handle: Handle, Flags: u32) {
        open(pdptr, handle, Flags)
    }

    fn cuIpcCloseMemHandle(dptr: u64) {
        ipc::close(dptr)
    }

    fn cuIpcGetEventHandle(pHandle: Out<Handle>, event_: u64) {
        pHandle.check()?;
        if event_ == 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        pHandle.set(event::get(event_)?.export()?)
    }

    fn cuIpcOpenEventHandle(phEvent: Out<u64>, handle: Handle) {
        phEvent.check()?;
        phEvent.set(event::open(&handle)?.handle)
    }
}
