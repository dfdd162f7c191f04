//! Launches.

use std::sync::Arc;

use crate::abi::pointers::{In, Out};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::code::library;
use crate::graph::enqueue::enqueue;
use crate::graph::{capture, capture_events};
use crate::process::call::export;
use crate::process::warnings;
use crate::queue::event::Event;
use crate::queue::stream_table;
use crate::work::cluster_limits;
use crate::work::launch::{self, Launch};
use crate::work::launch_attributes::LaunchOptions;
use crate::work::operation::Operation;
use cuda_emulator_engine::Shape;

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
    let stream = stream_table::resolve(stream)?;
    let function = library::function(function)?;
    let captured = capture::of(&stream).is_some();
    let (shape, options) = options_of(shape, &attributes, captured)?;
    let params = launch::arguments(&function, pointers, extra)?;
    let mut launch = Launch {
        attributes,
        ..Launch::new(function, shape, params)?
    };
    if let Some(preferred) = options.preferred {
        cluster_limits::check_preferred(launch.shape.grid, launch.shape.cluster, preferred)?;
    }
    let context = &stream.context;
    let foreign = |event: &Event| !Arc::ptr_eq(&event.context, context);
    if options.events.iter().any(|(event, _)| foreign(event)) {
        return Err(Code::ERROR_INVALID_HANDLE);
    }
    if let Some(green) = &stream.green {
        launch = launch.on(green.members.clone())?;
    }
    enqueue(&stream, Operation::Launch(launch))?;
    // The driver may report such an event as late as the end of the kernel.
    for (event, edge) in options.events {
        capture_events::record_launch(&stream, &event, edge)?;
    }
    Ok(())
}

/// Applies attributes to a shape. Returns the shape and the other options.
fn options_of(
    mut shape: Shape,
    attributes: &[LaunchAttribute],
    captured: bool,
) -> Result<(Shape, LaunchOptions)> {
    let mut options = LaunchOptions::default();
    for attribute in attributes {
        options.add(&mut shape, attribute, captured)?;
    }
    Ok((shape, options))
}

/// Returns the cluster query for a launch.
fn question(config: &LaunchConfig) -> Result<cluster_limits::Question> {
    let attributes = config.attributes.array(config.attribute_count as usize)?;
    let (shape, _) = options_of(config.shape(), &attributes, false)?;
    Ok(cluster_limits::Question {
        grid: shape.grid,
        block: shape.block,
        shared: shape.dynamic_shared.into(),
        cluster: shape.cluster,
    })
}

export! {
    fn cuLaunchKernel / cuLaunchKernel_ptsz(f: u64, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32, hStream: u64, kernelParams: In<u64>, extra: In<u64>) {
        let shape = Shape {
            grid: [gridDimX, gridDimY, gridDimZ],
            block: [blockDimX, blockDimY, blockDimZ],
            dynamic_shared: sharedMemBytes,
            ..Shape::default()
        };
        start(f, shape, hStream, kernelParams, extra)
    }

    fn cuLaunchCooperativeKernel / cuLaunchCooperativeKernel_ptsz(f: u64, gridDimX: u32, gridDimY: u32, gridDimZ: u32, blockDimX: u32, blockDimY: u32, blockDimZ: u32, sharedMemBytes: u32, hStream: u64, kernelParams: In<u64>) {
        let shape = Shape {
            grid: [gridDimX, gridDimY, gridDimZ],
            block: [blockDimX, blockDimY, blockDimZ],
            dynamic_shared: sharedMemBytes,
            cooperative: true,
            ..Shape::default()
        };
        start(f, shape, hStream, kernelParams, In::null())
    }

    fn cuLaunchKernelEx / cuLaunchKernelEx_ptsz(config: In<LaunchConfig>, f: u64, kernelParams: In<u64>, extra: In<u64>) {
        let config = config.get()?;
        let attributes = config.attributes.array(config.attribute_count as usize)?;
        start_with(f, config.shape(), config.stream, kernelParams, extra, attributes)
    }

    fn cuLaunchCooperativeKernelMultiDevice(launchParamsList: In<LaunchParams>, numDevices: u32, flags: u32) {
        // Only one device at a time, as attribute 96 says.
        if numDevices != 1 {
            return Err(warnings::missing_feature("a launch on several devices"));
        }
        let one = launchParamsList.get()?;
        let shape = Shape { cooperative: true, ..one.shape() };
        start(one.function, shape, one.stream, one.arguments, In::null())
    }

    fn cuOccupancyMaxActiveClusters(numClusters: Out<i32>, func: u64, config: In<LaunchConfig>) {
        numClusters.check()?;
        let config = config.get()?;
        let function = library::function(func)?;
        numClusters.set(question(&config)?.active(&function)? as i32)
    }

    fn cuOccupancyMaxPotentialClusterSize(clusterSize: Out<i32>, func: u64, config: In<LaunchConfig>) {
        clusterSize.check()?;
        let config = config.get()?;
        let function = library::function(func)?;
        clusterSize.set(question(&config)?.largest(&function)? as i32)
    }
}
