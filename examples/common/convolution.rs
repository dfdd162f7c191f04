//! A convolution kernel, compiled for one image width and one filter size.

use anyhow::Result;
use cuda_safe::{DeviceBuffer, Function, LaunchConfig, Module, Program};

use super::{filter::Filter, gpu::Gpu};

/// `WIDTH` and `SIZE` are defined at run time. The compiler then unrolls the loops over
/// the filter and turns the division by the width into a multiplication.
const SOURCE: &str = r#"
extern "C" __global__ void convolve(float *out, const float *image, const float *filter,
                                    int height) {
    constexpr int RADIUS = SIZE / 2;
    const int pixels = WIDTH * height;
    // A grid-stride loop works with any number of blocks.
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
        const int row = i / WIDTH;
        const int column = i % WIDTH;
        float sum = 0.0f;
        #pragma unroll
        for (int fy = 0; fy < SIZE; ++fy) {
            #pragma unroll
            for (int fx = 0; fx < SIZE; ++fx) {
                const int y = row + RADIUS - fy;
                const int x = column + RADIUS - fx;
                // Pixels beyond the border are zero.
                if (y >= 0 && y < height && x >= 0 && x < WIDTH)
                    sum += filter[fy * SIZE + fx] * image[y * WIDTH + x];
            }
        }
        out[i] = sum;
    }
}
"#;

/// A filter on the device, with the kernel compiled for it.
pub struct Convolution {
    kernel: Function,
    width: usize,
    weights: DeviceBuffer<f32>,
}

impl Convolution {
    /// Compiles the kernel for images of this width, and uploads the filter.
    pub fn new(gpu: &Gpu, width: usize, filter: &Filter) -> Result<Self> {
        let program = Program::new(SOURCE)
            .name("convolve.cu")
            .define("WIDTH", width)
            .define("SIZE", filter.size);
        let module = Module::compile(&gpu.context, program)?;
        Ok(Self {
            kernel: module.function("convolve")?,
            width,
            weights: DeviceBuffer::from_slice(&gpu.stream, &filter.weights)?,
        })
    }

    /// Enqueues the convolution of one plane. `out` must have the size of `image`. Pixels beyond the
    /// border count as zero.
    pub fn run(
        &self,
        gpu: &Gpu,
        out: &mut DeviceBuffer<f32>,
        image: &DeviceBuffer<f32>,
    ) -> Result<()> {
        let pixels = image.len();
        anyhow::ensure!(
            out.len() == pixels && pixels.is_multiple_of(self.width),
            "{pixels} pixels are not a multiple of the width {}, or the output has another size",
            self.width
        );
        let height = i32::try_from(pixels / self.width)?;
        i32::try_from(pixels)?; // the kernel counts pixels in an int
        let config = LaunchConfig::for_occupancy(&self.kernel, pixels)?;
        // SAFETY: image and out have WIDTH x height elements, the filter SIZE x SIZE, and all are
        // of this stream.
        unsafe {
            self.kernel
                .launch(&gpu.stream, config, (out, image, &self.weights, height))?;
        }
        Ok(())
    }
}
