//! Functions, their attributes, and occupancy.

use std::sync::atomic::Ordering;

use crate::abi::pointers::{FunctionAttribute, Out, Word};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::code::library;
use crate::code::module::set_attribute;
use crate::process::call::export;
use crate::work::occupancy;
use cuda_emulator_engine::KernelInfo;

/// `CUoccupancyB2DSize`
type SharedOfBlock = unsafe extern "C" fn(i32) -> usize;

/// Stores the offset and size of a parameter.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if there is no such parameter, or if `offset` is null.
pub fn parameter(
    kernel: &KernelInfo,
    index: usize,
    offset: Out<usize>,
    size: Out<usize>,
) -> Result {
    let param = kernel.params.get(index).ok_or(Code::ERROR_INVALID_VALUE)?;
    offset.check()?.set(param.offset as usize)?;
    size.set_optional(param.size as usize);
    Ok(())
}

/// Stores the name of a function or kernel. The text lives as long as the module or library.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_HANDLE` if the handle is not live, and `CUDA_ERROR_INVALID_VALUE` if
/// `place` is null.
pub fn show_name(place: Out<u64>, handle: u64) -> Result {
    let name = if library::is_kernel(handle) {
        library::kernel(handle)?.name.as_ptr()
    } else {
        library::function(handle)?.name.as_ptr()
    };
    place.set(name as u64)
}

fn max_blocks(place: Out<i32>, function: u64, threads: i32, shared: usize) -> Result {
    place.check()?;
    let function = library::function(function)?;
    place.set(occupancy::of_function(&function, threads, shared as u64)? as i32)
}

fn best_block(
    grid: Out<i32>,
    block: Out<i32>,
    function: u64,
    shared_of: Word,
    shared: usize,
    limit: i32,
) -> Result {
    grid.check()?;
    block.check()?;
    let function = library::function(function)?;
    let limit = u32::try_from(limit).map_err(|_| Code::ERROR_INVALID_VALUE)?;
    let dynamic = |threads: u32| {
        if shared_of.0 == 0 {
            return shared as u64;
        }
        // SAFETY: the client passes a function of this type, or null.
        let shared_of: SharedOfBlock = unsafe { std::mem::transmute(shared_of.0) };
        // SAFETY: the function may be called with any block size.
        unsafe { shared_of(threads as i32) as u64 }
    };
    let (size, count) = occupancy::best_block(&function, dynamic, limit)?;
    block.set(size as i32)?;
    grid.set(count as i32)
}

export! {
    fn cuFuncGetAttribute(pi: Out<i32>, attrib: FunctionAttribute, hfunc: u64) {
        pi.check()?;
        pi.set(library::function(hfunc)?.attribute(attrib.0)?)
    }

    fn cuFuncSetAttribute(hfunc: u64, attrib: FunctionAttribute, value: i32) {
        let function = library::function(hfunc)?;
        set_attribute(function.info(), &function.settings, attrib.0, value)?;
        function.settings.own.fetch_or(1 << attrib.0, Ordering::Relaxed);
        Ok(())
    }

    fn cuFuncSetCacheConfig(hfunc: u64, config: u32) {
        library::function(hfunc)?;
        if config > CU_FUNC_CACHE_PREFER_EQUAL { Err(Code::ERROR_INVALID_VALUE) } else { Ok(()) }
    }

    fn cuFuncSetSharedMemConfig(hfunc: u64, config: u32) {
        library::function(hfunc)?;
        if config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE { Err(Code::ERROR_INVALID_VALUE) } else { Ok(()) }
    }

    fn cuFuncGetModule(hmod: Out<u64>, hfunc: u64) {
        hmod.check()?;
        hmod.set(library::function(hfunc)?.module)
    }

    fn cuFuncGetName(name: Out<u64>, hfunc: u64) {
        name.check()?;
        show_name(name, hfunc)
    }

    fn cuFuncGetParamInfo(func: u64, paramIndex: usize, paramOffset: Out<usize>, paramSize: Out<usize>) {
        parameter(library::function(func)?.info(), paramIndex, paramOffset, paramSize)
    }

    fn cuFuncGetParamCount(func: u64, paramCount: Out<usize>) {
        paramCount.check()?;
        paramCount.set(library::function(func)?.info().params.len())
    }

    fn cuFuncIsLoaded(state: Out<u32>, function: u64) {
        state.check()?;
        library::function(function)?;
        state.set(CU_FUNCTION_LOADING_STATE_LOADED)
    }

    fn cuFuncLoad(function: u64) {
        library::function(function).map(drop)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks: Out<i32>, func: u64, blockSize: i32, dynamicSMemSize: usize) {
        max_blocks(numBlocks, func, blockSize, dynamicSMemSize)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks: Out<i32>, func: u64, blockSize: i32, dynamicSMemSize: usize, flags: u32) {
        if flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        max_blocks(numBlocks, func, blockSize, dynamicSMemSize)
    }

    fn cuOccupancyMaxPotentialBlockSize(minGridSize: Out<i32>, blockSize: Out<i32>, func: u64, blockSizeToDynamicSMemSize: Word, dynamicSMemSize: usize, blockSizeLimit: i32) {
        best_block(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit)
    }

    fn cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize: Out<i32>, blockSize: Out<i32>, func: u64, blockSizeToDynamicSMemSize: Word, dynamicSMemSize: usize, blockSizeLimit: i32, flags: u32) {
        if flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        best_block(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit)
    }

    fn cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize: Out<usize>, func: u64, numBlocks: i32, blockSize: i32) {
        dynamicSmemSize.check()?;
        let function = library::function(func)?;
        if numBlocks <= 0 || blockSize <= 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        dynamicSmemSize.set(occupancy::available_shared(&function, numBlocks as u32, blockSize as u32)? as usize)
    }
}
