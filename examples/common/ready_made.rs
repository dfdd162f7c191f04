//! The kernels of `cuda-compute`, with the same interface as the examples' own kernels.

use anyhow::Result;
use cuda_compute::{Array, Convolution, Filter as Weights, Layout};
use cuda_safe::DeviceBuffer;

use super::{
    filter::Filter,
    gpu::Gpu,
    measure::{Times, measure},
    picture::Picture,
};

/// Computes the sum with one launch, in which the last block finishes.
pub fn sum(gpu: &Gpu, x: &DeviceBuffer<f32>, runs: usize) -> Result<(f32, Times)> {
    let reducer = cuda_compute::Reducer::new(&gpu.context)?;
    let mut on_device = DeviceBuffer::<f32>::uninit(&gpu.stream, 1)?;
    let mut sum = 0.0;
    let device = measure(gpu, runs, || {
        Ok(reducer.sum_into(&gpu.stream, x, &mut on_device)?)
    })?
    .device;
    let wall = measure(gpu, runs, || {
        sum = reducer.sum(&gpu.stream, x)?;
        Ok(())
    })?
    .wall;
    Ok((sum, Times { device, wall }))
}

/// Convolves every plane of a picture, and returns the kernels' time.
pub fn convolve(
    gpu: &Gpu,
    picture: &Picture,
    filter: &Filter,
    runs: usize,
) -> Result<(Vec<Vec<f32>>, Times)> {
    let weights = Weights::new(filter.size, filter.size, &filter.weights)?;
    let convolution = Convolution::new(&gpu.context, &weights)?;
    let layout = Layout::new(picture.width, picture.height);
    let mut images = Vec::new();
    for plane in &picture.planes {
        let image = DeviceBuffer::from_slice(&gpu.stream, plane)?;
        let out = DeviceBuffer::<f32>::uninit(&gpu.stream, plane.len())?;
        images.push((image, out));
    }
    let times = measure(gpu, runs, || {
        for (image, out) in &mut images {
            convolution.run(&gpu.stream, image, layout, out, layout)?;
        }
        Ok(())
    })?;
    let planes = images.iter().map(|(_, out)| out.to_vec(&gpu.stream));
    Ok((planes.collect::<cuda_safe::Result<_>>()?, times))
}

/// Convolves a picture's bytes with interleaved channels, as in files, and returns the kernel's time.
pub fn convolve_bytes(
    gpu: &Gpu,
    picture: &Picture,
    filter: &Filter,
    runs: usize,
) -> Result<(Vec<u8>, Times)> {
    let weights = Weights::new(filter.size, filter.size, &filter.weights)?;
    let shape = [picture.height, picture.width, picture.planes.len()];
    let image = Array::from_shape(&gpu.stream, shape, &picture.bytes(|value| value))?;
    let mut convolved = image.clone();
    let times = measure(gpu, runs, || {
        convolved = image.convolve(&weights)?;
        Ok(())
    })?;
    Ok((convolved.to_vec()?, times))
}
