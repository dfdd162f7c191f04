//! Launches.

use crate::driver::arg::{In, Out};
use crate::driver::call::{self, export};
use crate::driver::launch::{self, Shape};
use crate::driver::library;
use crate::driver::status::{Code, Result};
use crate::driver::streams;

/// `CUlaunchConfig`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Config {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: u64,
    /// 8 bytes of id and padding, 64 bytes of value each.
    attributes: In<[u32; 18]>,
    attribute_count: u32,
}

/// `CUDA_LAUNCH_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Params {
    function: u64,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: u64,
    arguments: In<u64>,
}

fn start(function: u64, shape: Shape, stream: u64, pointers: In<u64>, extra: In<u64>) -> Result {
    let stream = streams::resolve(stream)?;
    let function = library::function(function)?;
    let params = launch::arguments(&function, pointers, extra)?;
    launch::launch(&function, &stream, shape, params)
}

/// Applies a launch attribute, or says by name why it can't be.
fn apply(shape: &mut Shape, id: u32, value: &[u32]) -> Result {
    let refused = match id {
        // Ignored by definition; hints about caches, priorities and domains; overlap with the launch before, which
        // is allowed to be none.
        0 | 1 | 3 | 5 | 6 | 8 | 9 | 10 | 14 | 16 => return Ok(()),
        2 => {
            shape.cooperative = value[0] != 0;
            return Ok(());
        }
        // A cluster of one block is a block.
        4 | 11 if value[..3] == [1, 1, 1] => return Ok(()),
        4 => "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION",
        7 => "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT",
        11 => "CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION",
        12 => "CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT",
        13 => "CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE",
        _ => return Err(Code::ERROR_INVALID_VALUE),
    };
    call::trace(|line| {
        line.push_str(&format!(
            "launch refused: the emulator doesn't implement {refused}"
        ))
    });
    Err(Code::ERROR_NOT_SUPPORTED)
}

export! {
    fn cuLaunchKernel / cuLaunchKernel_ptsz(f: u64, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32, hStream: u64, kernelParams: In<u64>, extra: In<u64>) {
        let shape = Shape {
            grid: [gridDimX, gridDimY, gridDimZ],
            block: [blockDimX, blockDimY, blockDimZ],
            shared: sharedMemBytes,
            cooperative: false,
        };
        start(f, shape, hStream, kernelParams, extra)
    }

    fn cuLaunchCooperativeKernel / cuLaunchCooperativeKernel_ptsz(f: u64, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32, hStream: u64, kernelParams: In<u64>) {
        let shape = Shape {
            grid: [gridDimX, gridDimY, gridDimZ],
            block: [blockDimX, blockDimY, blockDimZ],
            shared: sharedMemBytes,
            cooperative: true,
        };
        start(f, shape, hStream, kernelParams, In::null())
    }

    fn cuLaunchKernelEx / cuLaunchKernelEx_ptsz(config: In<Config>, f: u64, kernelParams: In<u64>, extra: In<u64>) {
        let config = config.get()?;
        let mut shape =
            Shape { grid: config.grid, block: config.block, shared: config.shared, cooperative: false };
        for index in 0..config.attribute_count as usize {
            let attribute = config.attributes.at(index)?;
            apply(&mut shape, attribute[0], &attribute[2..])?;
        }
        start(f, shape, config.stream, kernelParams, extra)
    }

    fn cuLaunchCooperativeKernelMultiDevice(launchParamsList: In<Params>, numDevices: u32, flags: u32) {
        // One device at a time (attribute 96 says so).
        if numDevices != 1 {
            return Err(Code::ERROR_NOT_SUPPORTED);
        }
        let one = launchParamsList.get()?;
        let shape = Shape { grid: one.grid, block: one.block, shared: one.shared, cooperative: true };
        start(one.function, shape, one.stream, one.arguments, In::null())
    }

    fn cuOccupancyMaxActiveClusters(numClusters: Out<i32>, func: u64, config: In<Config>) {
        numClusters.check()?;
        let function = library::function(func)?;
        let config = config.get()?;
        let threads = config.block.iter().product();
        let blocks = crate::driver::occupancy::blocks_on_device(function.info(), threads, config.shared.into());
        numClusters.set(blocks as i32)
    }
}
