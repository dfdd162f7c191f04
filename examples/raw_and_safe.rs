//! Raw driver calls and the safe layer in one program: raw calls with the handles and errors of the safe layer.
//!
//! In a pitched allocation, each row begins at an aligned address. `PitchedBuffer` provides such memory, but this example
//! allocates and copies it by raw calls, to show how they work together with the safe layer. The context, the stream, the
//! kernel and all errors belong to the safe layer.

use anyhow::{Result, ensure};
use cuda_safe::{
    Context, DeviceView, DeviceViewMut, LaunchConfig, Module, Stream,
    sys::{self, CUmemorytype},
};

const WIDTH: usize = 100;
const HEIGHT: usize = 4;

fn main() -> Result<()> {
    let context = Context::primary(0)?;

    // A raw call creates the stream. The object then owns it.
    let stream = {
        let _current = context.push_current()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for the write. 1 is CU_STREAM_NON_BLOCKING.
        context.check("cuStreamCreate", unsafe {
            sys::cuStreamCreate(&mut raw, 1)
        })?;
        // SAFETY: just created in this context, and not destroyed by other code.
        unsafe { Stream::from_raw(raw, &context) }
    };

    let image = Pitched::new(&context)?;
    println!(
        "{HEIGHT} rows of {} bytes, {} bytes apart",
        WIDTH * 4,
        image.pitch
    );

    // A view gives the safe methods access to raw memory, here to one row after another.
    for row in 0..HEIGHT {
        let at = image.ptr + (row * image.pitch) as sys::CUdeviceptr;
        // SAFETY: a row has room for WIDTH floats, and lives until `image` is dropped.
        let mut row_view = unsafe { DeviceViewMut::<f32>::borrow_raw(at, WIDTH, &stream) };
        row_view.fill(&stream, row as f32)?;
    }

    let module = Module::compile(
        &context,
        r#"extern "C" __global__ void add_column(float *image, unsigned long long pitch, int width) {
            const int x = blockIdx.x * blockDim.x + threadIdx.x;
            float *row = (float *)((char *)image + blockIdx.y * pitch);
            if (x < width) row[x] += x;
        }"#,
    )?;
    let add_column = module.function("add_column")?;
    let config = LaunchConfig::new((1, HEIGHT as u32), 128);
    // SAFETY: the kernel accesses WIDTH floats of each row.
    unsafe {
        let whole = DeviceView::<u8>::borrow_raw(image.ptr, image.pitch * HEIGHT, &stream);
        add_column.launch(&stream, config, (whole, image.pitch as u64, WIDTH as i32))?;
    }

    let host = image.to_vec(&context, &stream)?;
    for (i, &value) in host.iter().enumerate() {
        let expected = (i / WIDTH + i % WIDTH) as f32;
        ensure!(value == expected, "element {i} is {value}, not {expected}");
    }
    println!("all {} elements are correct", host.len());

    // The failure of a raw call becomes an error of the safe layer.
    // SAFETY: plain values. The device does not exist.
    let failed = unsafe { sys::cuDeviceGetAttribute(&mut 0, sys::CUdevice_attribute(1), 1234) };
    let error = context.check("cuDeviceGetAttribute", failed).unwrap_err();
    println!("{error}");
    Ok(())
}

/// Device memory with aligned rows.
struct Pitched<'a> {
    ptr: sys::CUdeviceptr,
    /// Bytes from the start of a row to the start of the next.
    pitch: usize,
    context: &'a Context,
}

impl<'a> Pitched<'a> {
    fn new(context: &'a Context) -> cuda_safe::Result<Self> {
        let _current = context.push_current()?;
        let (mut ptr, mut pitch) = (0, 0);
        // SAFETY: both are valid for the write.
        let code = unsafe { sys::cuMemAllocPitch_v2(&mut ptr, &mut pitch, WIDTH * 4, HEIGHT, 4) };
        context.check("cuMemAllocPitch", code)?;
        Ok(Self {
            ptr,
            pitch,
            context,
        })
    }

    fn to_vec(&self, context: &Context, stream: &Stream) -> cuda_safe::Result<Vec<f32>> {
        let mut host = vec![0.0f32; WIDTH * HEIGHT];
        let copy = sys::CUDA_MEMCPY2D {
            srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
            srcDevice: self.ptr,
            srcPitch: self.pitch,
            dstMemoryType: CUmemorytype::CU_MEMORYTYPE_HOST,
            dstHost: host.as_mut_ptr().cast(),
            dstPitch: WIDTH * 4,
            WidthInBytes: WIDTH * 4,
            Height: HEIGHT,
            ..Default::default()
        };
        stream.synchronize()?; // the copy below is not ordered with any stream
        let _current = context.push_current()?;
        // SAFETY: `host` has room for all rows, and the copy has finished when the call returns.
        context.check("cuMemcpy2D", unsafe { sys::cuMemcpy2D_v2(&copy) })?;
        Ok(host)
    }
}

impl Drop for Pitched<'_> {
    fn drop(&mut self) {
        // Nothing uses the memory any more. An error cannot be handled here.
        let freed = self.context.synchronize().and_then(|()| {
            let _current = self.context.push_current()?;
            // SAFETY: allocated above, and freed once.
            self.context
                .check("cuMemFree", unsafe { sys::cuMemFree_v2(self.ptr) })
        });
        drop(freed);
    }
}
