//! External memory and external semaphores.

use crate::abi::pointers::{In, Out};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::{capture, enqueue};
use crate::memory::external_memory;
use crate::process::call::export;
use crate::process::context;
use crate::queue::stream_table;
use crate::system::Descriptor;
use crate::work::external_semaphore::{self, Act};

const CUDA_EXTERNAL_MEMORY_DEDICATED: u32 = 1;

/// Enqueues signals of semaphores, or waits for them.
fn put(
    act: Act,
    semaphores: In<u64>,
    params: In<ExternalSemaphoreParams>,
    count: u32,
    stream: u64,
) -> Result {
    let stream = stream_table::resolve(stream)?;
    let semaphores = semaphores.array(count as usize)?;
    let params = params.array(count as usize)?;
    enqueue::semaphores(&stream, act, &semaphores, &params)
}

export! {
    fn cuImportExternalMemory(extMem_out: Out<u64>, memHandleDesc: In<ExternalMemoryHandle>) {
        extMem_out.check()?;
        context::current()?;
        let wanted = memHandleDesc.get()?;
        match wanted.kind {
            EXTERNAL_MEMORY_HANDLE_TYPE_FILE => {}
            // As on an H200 (driver 580).
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD => return Err(Code::ERROR_NOT_SUPPORTED),
            _ => return Err(Code::ERROR_INVALID_VALUE),
        }
        if wanted.size == 0 || wanted.flags & !CUDA_EXTERNAL_MEMORY_DEDICATED != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let dedicated = wanted.flags & CUDA_EXTERNAL_MEMORY_DEDICATED != 0;
        extMem_out.set(external_memory::import(wanted.handle[0] as Descriptor, wanted.size, dedicated)?)
    }

    fn cuExternalMemoryGetMappedBuffer(devPtr: Out<u64>, extMem: u64, bufferDesc: In<ExternalMemoryBuffer>) {
        devPtr.check()?;
        let wanted = bufferDesc.get()?;
        if wanted.flags != 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        devPtr.set(external_memory::map(extMem, wanted.offset, wanted.size)?)
    }

    fn cuExternalMemoryGetMappedMipmappedArray(mipmap: Out<u64>, extMem: u64, mipmapDesc: In<ExternalMemoryArray>) {
        mipmap.check()?;
        mipmap.set(external_memory::map_array(extMem, &mipmapDesc.get()?)?)
    }

    fn cuDestroyExternalMemory(extMem: u64) {
        external_memory::destroy(extMem)
    }

    fn cuImportExternalSemaphore(extSem_out: Out<u64>, semHandleDesc: In<ExternalSemaphoreHandle>) {
        extSem_out.check()?;
        capture::reject_unsafe()?;
        extSem_out.set(external_semaphore::import(&semHandleDesc.get()?)?)
    }

    fn cuSignalExternalSemaphoresAsync / cuSignalExternalSemaphoresAsync_ptsz(extSemArray: In<u64>, paramsArray: In<ExternalSemaphoreParams>, numExtSems: u32, stream_: u64) {
        put(Act::Signal, extSemArray, paramsArray, numExtSems, stream_)
    }

    fn cuWaitExternalSemaphoresAsync / cuWaitExternalSemaphoresAsync_ptsz(extSemArray: In<u64>, paramsArray: In<ExternalSemaphoreParams>, numExtSems: u32, stream_: u64) {
        put(Act::Wait, extSemArray, paramsArray, numExtSems, stream_)
    }

    fn cuDestroyExternalSemaphore(extSem: u64) {
        // The call waits.
        capture::reject_unsafe()?;
        external_semaphore::destroy(extSem)
    }
}
