//! Launches.

use crate::driver::abi::*;
use crate::driver::arg::{In, Out};
use crate::driver::call::export;
use crate::driver::graph::enqueue::enqueue;
use crate::driver::launch::{self, Launch, apply};
use crate::driver::library;
use crate::driver::notice;
use crate::driver::operation::Operation;
use crate::driver::status::Result;
use crate::driver::streams;
use crate::engine::Shape;

fn start(function: u64, shape: Shape, stream: u64, pointers: In<u64>, extra: In<u64>) -> Result {
    start_with(function, shape, stream, pointers, extra, Vec::new())
}

fn start_with(
    function: u64,
    shape: Shape,
    stream: u64,
    pointers: In<u64>,
    extra: In<u64>,
    attributes: Vec<LaunchAttribute>,
) -> Result {
    let stream = streams::resolve(stream)?;
    let function = library::function(function)?;
    let params = launch::arguments(&function, pointers, extra)?;
    let mut launch = Launch {
        attributes,
        ..Launch::new(function, shape, params)?
    };
    if let Some(green) = &stream.green {
        launch = launch.on(green.members.clone())?;
    }
    enqueue(&stream, Operation::Launch(launch))
}

export! {
    fn cuLaunchKernel / cuLaunchKernel_ptsz(f: u64, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32, hStream: u64, kernelParams: In<u64>, extra: In<u64>) {
        let shape = Shape {
            grid: [gridDimX, gridDimY, gridDimZ],
            block: [blockDimX, blockDimY, blockDimZ],
            dynamic_shared: sharedMemBytes,
            cooperative: false,
        };
        start(f, shape, hStream, kernelParams, extra)
    }

    fn cuLaunchCooperativeKernel / cuLaunchCooperativeKernel_ptsz(f: u64, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32, hStream: u64, kernelParams: In<u64>) {
        let shape = Shape {
            grid: [gridDimX, gridDimY, gridDimZ],
            block: [blockDimX, blockDimY, blockDimZ],
            dynamic_shared: sharedMemBytes,
            cooperative: true,
        };
        start(f, shape, hStream, kernelParams, In::null())
    }

    fn cuLaunchKernelEx / cuLaunchKernelEx_ptsz(config: In<LaunchConfig>, f: u64, kernelParams: In<u64>, extra: In<u64>) {
        let config = config.get()?;
        let mut shape = config.shape();
        let attributes = config.attributes.array(config.attribute_count as usize)?;
        for attribute in &attributes {
            apply(&mut shape, *attribute)?;
        }
        start_with(f, shape, config.stream, kernelParams, extra, attributes)
    }

    fn cuLaunchCooperativeKernelMultiDevice(launchParamsList: In<LaunchParams>, numDevices: u32, flags: u32) {
        // One device at a time (attribute 96 says so).
        if numDevices != 1 {
            return Err(notice::lacking("a launch on several devices"));
        }
        let one = launchParamsList.get()?;
        let shape = Shape { cooperative: true, ..one.shape() };
        start(one.function, shape, one.stream, one.arguments, In::null())
    }

    fn cuOccupancyMaxActiveClusters(numClusters: Out<i32>, func: u64, config: In<LaunchConfig>) {
        numClusters.check()?;
        let function = library::function(func)?;
        let config = config.get()?;
        let threads = config.block.iter().product();
        let blocks = crate::driver::occupancy::blocks_on_device(&function, threads, config.shared.into());
        numClusters.set(blocks as i32)
    }
}
