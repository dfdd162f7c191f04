//! A custom operator of candle, written with `cuda-compute`: the activation function *mish*,
//! x tanh(ln(1 + exp(x))), as one kernel on candle's memory and candle's stream, without a copy.
//!
//! The program compares its results and its time with those of candle's own operations, of which
//! mish needs five. README.md says how to build it.

use std::time::{Duration, Instant};

use candle_core::{
    CpuStorage, CudaStorage, CustomOp1, DType, Device, Error, Layout, Result, Shape, Tensor,
    backend::BackendStorage,
};
use cuda_compute::{Array, device_fn};
use cuda_safe_cudarc::{into_slice, read};

/// The operator.
struct Mish {
    /// Compiled kernels are kept as long as there is an array in their context.
    _keeper: Array<f32>,
}

impl Mish {
    fn new(device: &Device) -> Result<Self> {
        let stream = cuda_safe_cudarc::stream(&device.as_cuda_device()?.cuda_stream());
        let empty = Array::zeros(&stream.map_err(Error::wrap)?, 0).map_err(Error::wrap)?;
        Ok(Self { _keeper: empty })
    }
}

impl CustomOp1 for Mish {
    fn name(&self) -> &'static str {
        "mish"
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        Err(Error::Msg("mish is an operator for CUDA devices".into()))
    }

    fn cuda_fwd(&self, storage: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        let device = storage.device();
        let on = device.cuda_stream();
        let slice = storage.as_cuda_slice::<f32>()?;
        let strides: Vec<isize> = layout.stride().iter().map(|&each| each as isize).collect();
        let mish = device_fn!(|x: f32| x * (1.0 + x.exp()).ln().tanh());
        let computed = read(slice, &on, |stream, memory| {
            let first = memory.as_device_ptr() + (layout.start_offset() * size_of::<f32>()) as u64;
            // SAFETY: candle's layout describes elements of the slice. It is borrowed, and `read`
            // orders its later use and its release after the stream's work.
            let x = unsafe { Array::from_raw(stream, first, layout.dims(), Some(&strides), ()) }?;
            mish.map((&x,)).eval()?.into_buffer()
        });
        let buffer = computed.map_err(Error::wrap)?.map_err(Error::wrap)?;
        let result = into_slice(buffer, &on).map_err(Error::wrap)?;
        let result = CudaStorage::wrap_cuda_slice(result, device.clone());
        Ok((result, layout.shape().clone()))
    }
}

/// The same by candle's operations, each of which is a kernel.
fn mish_by_candle(x: &Tensor) -> Result<Tensor> {
    x * ((x.exp()? + 1.0)?.log()?.tanh()?)
}

/// Returns the time of one call on the device, as the mean of many.
fn time(device: &Device, mut call: impl FnMut() -> Result<Tensor>) -> Result<Duration> {
    const CALLS: u32 = 100;
    for _ in 0..10 {
        call()?;
    }
    device.synchronize()?;
    let start = Instant::now();
    for _ in 0..CALLS {
        call()?;
    }
    device.synchronize()?;
    Ok(start.elapsed() / CALLS)
}

fn main() -> Result<()> {
    let device = Device::new_cuda(0)?;
    let mish = Mish::new(&device)?;
    for shape in [[64, 100], [4096, 4096]] {
        let x = Tensor::randn(0f32, 3.0, &shape, &device)?;
        // Also a transposed tensor, whose elements are not contiguous.
        for x in [x.clone(), x.t()?] {
            let (own, theirs) = (x.apply_op1_no_bwd(&mish)?, mish_by_candle(&x)?);
            assert_eq!((own.shape(), own.dtype()), (x.shape(), DType::F32));
            let largest = (own - theirs)?
                .abs()?
                .flatten_all()?
                .max(0)?
                .to_scalar::<f32>()?;
            // A few roundings of values up to 15.
            assert!(largest < 1e-5, "the results differ by {largest}");
        }
        let own = time(&device, || x.apply_op1_no_bwd(&mish))?;
        let theirs = time(&device, || mish_by_candle(&x))?;
        println!(
            "mish of {shape:?}: {own:?} as one kernel, {theirs:?} by candle's five operations"
        );
    }
    Ok(())
}
