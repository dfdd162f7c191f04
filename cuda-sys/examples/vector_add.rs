//! Compiles a kernel, adds two vectors with it, and copies the result back.

use core::ffi::c_void;
use core::ptr::{null, null_mut};
use std::error::Error;

use cuda_sys::*;

/// Makes a call. Its error names the function.
#[collapse_debuginfo(yes)] // Reports of cuda-emulator name the line of the call.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $function($($argument),*)
            .result()
            .map_err(|code| format!("{} failed: {code}", stringify!($function)))
    };
}

const SOURCE: &core::ffi::CStr = cr#"
extern "C" __global__ void add(const float *x, const float *y, float *sum, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = x[i] + y[i];
}
"#;

/// Returns the source as PTX, the assembly text that the driver compiles for its device.
fn compile() -> Result<Vec<u8>, Box<dyn Error>> {
    let (mut program, mut size) = (null_mut(), 0);
    let options = [c"--gpu-architecture=compute_75", c"--generate-line-info"];
    let options = options.map(|option| option.as_ptr());
    // SAFETY: all pointers are valid for the calls, and each buffer has the requested size.
    unsafe {
        let name = c"add.cu".as_ptr();
        call!(nvrtcCreateProgram(
            &mut program,
            SOURCE.as_ptr(),
            name,
            0,
            null(),
            null()
        ))?;
        let compiled = call!(nvrtcCompileProgram(
            program,
            options.len() as i32,
            options.as_ptr()
        ));
        if let Err(error) = compiled {
            call!(nvrtcGetProgramLogSize(program, &mut size))?;
            let mut log = vec![0; size];
            call!(nvrtcGetProgramLog(program, log.as_mut_ptr().cast()))?;
            return Err(format!("{error}\n{}", String::from_utf8_lossy(&log)).into());
        }
        call!(nvrtcGetPTXSize(program, &mut size))?;
        let mut ptx = vec![0; size];
        call!(nvrtcGetPTX(program, ptx.as_mut_ptr().cast()))?;
        call!(nvrtcDestroyProgram(&mut program))?;
        Ok(ptx) // It ends in NUL.
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let (x, y) = (vec![1.0f32; 1000], vec![2.0f32; 1000]);
    let mut sum = vec![0.0f32; x.len()];
    let (mut n, bytes) = (x.len() as u32, size_of_val(&*x));
    let ptx = compile()?;
    let (mut device, mut context, mut module, mut add) = (0, null_mut(), null_mut(), null_mut());
    let (mut dx, mut dy, mut dsum) = (0, 0, 0);
    // SAFETY: all pointers are valid for the calls. The kernel accesses n elements of each vector.
    unsafe {
        call!(cuInit(0))?;
        call!(cuDeviceGet(&mut device, 0))?;
        call!(cuDevicePrimaryCtxRetain(&mut context, device))?;
        call!(cuCtxSetCurrent(context))?;
        call!(cuModuleLoadData(&mut module, ptx.as_ptr().cast()))?;
        call!(cuModuleGetFunction(&mut add, module, c"add".as_ptr()))?;
        for address in [&mut dx, &mut dy, &mut dsum] {
            call!(cuMemAlloc(address, bytes))?;
        }
        call!(cuMemcpyHtoD(dx, x.as_ptr().cast(), bytes))?;
        call!(cuMemcpyHtoD(dy, y.as_ptr().cast(), bytes))?;
        let mut arguments: [*mut c_void; 4] = [
            (&raw mut dx).cast(),
            (&raw mut dy).cast(),
            (&raw mut dsum).cast(),
            (&raw mut n).cast(),
        ];
        let (blocks, threads) = (n.div_ceil(256), 256);
        call!(cuLaunchKernel(
            add,
            blocks,
            1,
            1,
            threads,
            1,
            1,
            0,
            null_mut(),
            arguments.as_mut_ptr(),
            null_mut(),
        ))?;
        // Waits for the kernel, because both use the default stream.
        call!(cuMemcpyDtoH(sum.as_mut_ptr().cast(), dsum, bytes))?;
        for address in [dx, dy, dsum] {
            call!(cuMemFree(address))?;
        }
        call!(cuModuleUnload(module))?;
        call!(cuDevicePrimaryCtxRelease(device))?;
    }
    assert_eq!(sum, vec![3.0; 1000]);
    println!("1 + 2 = {}", sum[0]);
    Ok(())
}
