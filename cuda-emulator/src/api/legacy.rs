//! The launch calls that CUDA 4.0 replaced.

use crate::abi::pointers::In;
use crate::abi::status::{Code, Result};
use crate::code::library;
use crate::graph::enqueue::enqueue;
use crate::process::call::export;
use crate::queue::stream_table;
use crate::work::launch::Launch;
use crate::work::operation::Operation;
use cuda_emulator_engine::Shape;
use cuda_emulator_engine::Unpoisoned;

/// Writes bytes into a function's parameter buffer.
fn put(function: u64, offset: i32, bytes: &[u8]) -> Result {
    let function = library::function(function)?;
    let mut legacy = function.legacy.lock().unpoisoned();
    let start = usize::try_from(offset).map_err(|_| Code::ERROR_INVALID_VALUE)?;
    let end = start + bytes.len();
    // More than a launch could take.
    if end > 32 << 10 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    if legacy.params.len() < end {
        legacy.params.resize(end, 0);
    }
    legacy.params[start..end].copy_from_slice(bytes);
    Ok(())
}

fn start(function: u64, width: i32, height: i32, stream: u64) -> Result {
    let stream = stream_table::resolve(stream)?;
    let function = library::function(function)?;
    let side = |size: i32| u32::try_from(size).map_err(|_| Code::ERROR_INVALID_VALUE);
    let grid = [side(width)?, side(height)?, 1];
    let legacy = function.legacy.lock().unpoisoned();
    let shape = Shape {
        grid,
        ..legacy.shape
    };
    let mut params = legacy.params.clone();
    drop(legacy);
    params.resize(function.info().param_bytes as usize, 0);
    let launch = Launch::new(function, shape, params.into())?;
    enqueue(&stream, Operation::Launch(launch))
}

export! {
    fn cuFuncSetBlockShape(hfunc: u64, x: i32, y: i32, z: i32) {
        let function = library::function(hfunc)?;
        if x <= 0 || y <= 0 || z <= 0 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        function.legacy.lock().unpoisoned().shape.block = [x as u32, y as u32, z as u32];
        Ok(())
    }

    fn cuFuncSetSharedSize(hfunc: u64, bytes: u32) {
        let function = library::function(hfunc)?;
        function.legacy.lock().unpoisoned().shape.dynamic_shared = bytes;
        Ok(())
    }

    fn cuParamSetSize(hfunc: u64, numbytes: u32) {
        let function = library::function(hfunc)?;
        if numbytes > 32 << 10 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        function.legacy.lock().unpoisoned().params.resize(numbytes as usize, 0);
        Ok(())
    }

    fn cuParamSeti(hfunc: u64, offset: i32, value: u32) {
        put(hfunc, offset, &value.to_ne_bytes())
    }

    fn cuParamSetf(hfunc: u64, offset: i32, value: f32) {
        put(hfunc, offset, &value.to_ne_bytes())
    }

    fn cuParamSetv(hfunc: u64, offset: i32, ptr: In<u8>, numbytes: u32) {
        if numbytes > 32 << 10 {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        put(hfunc, offset, &ptr.bytes(numbytes as usize)?)
    }

    fn cuLaunch(f: u64) {
        start(f, 1, 1, 0)
    }

    fn cuLaunchGrid(f: u64, grid_width: i32, grid_height: i32) {
        start(f, grid_width, grid_height, 0)
    }

    fn cuLaunchGridAsync(f: u64, grid_width: i32, grid_height: i32, hStream: u64) {
        start(f, grid_width, grid_height, hStream)
    }
}
