//! Four ways for a kernel to read a vector, each element once: from a copy, from the page-locked vector over the link
//! (zero-copy), the same for a borrowed slice, and from managed memory, which the driver moves.

mod common;

use anyhow::{Result, ensure};
use common::{
    gpu::{Gpu, heading},
    measure::{measure, show},
    table::Table,
};
use cuda_safe::{
    DeviceBuffer, DeviceMemory, Function, LaunchConfig, ManagedBuffer, MappedBuffer, Module,
    Stream,
    memory::{RegisterFlags, RegisteredBuffer, Storage},
};

const SOURCE: &str = r#"
extern "C" __global__ void sum(const unsigned *x, unsigned n, unsigned long long *total) {
    unsigned long long own = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += x[i];
    // Each block adds only one sum to the host's memory, because an atomic addition there takes a microsecond.
    __shared__ unsigned long long block;
    if (threadIdx.x == 0) block = 0;
    __syncthreads();
    atomicAdd(&block, own);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, block);
}
"#;

/// Adds up `x`, in any kind of memory. The kernel writes the small result to the host's memory directly.
fn sum(
    kernel: &Function,
    stream: &Stream,
    x: &DeviceMemory<impl Storage, u32>,
    total: &mut MappedBuffer<u64>,
) -> Result<u64> {
    total.host_mut()?[0] = 0;
    let config = LaunchConfig::new(264, 256);
    // SAFETY: the kernel reads n elements and writes one, all of this stream.
    unsafe { kernel.launch(stream, config, (x, x.len() as u32, &mut *total))? };
    Ok(total.host()?[0])
}

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let (context, stream) = (&gpu.context, &gpu.stream);
    let kernel = Module::compile(context, SOURCE)?.function("sum")?;
    let len = gpu.size(1 << 26, 1 << 14);
    let numbers: Vec<u32> = (0..len as u32).collect();
    let expected: u64 = numbers.iter().map(|&x| u64::from(x)).sum();
    let mut total = MappedBuffer::<u64>::zeroed(stream, 1)?;
    let mut table = Table::new(&["location of the vector", "time of one sum"]);
    let runs = 5;

    heading("a copy in device memory");
    let time = measure(&gpu, runs, || {
        let x = DeviceBuffer::from_slice(stream, &numbers)?;
        ensure!(sum(&kernel, stream, &x, &mut total)? == expected);
        Ok(())
    })?;
    table.row(["copied each time".into(), show(time.wall)]);

    heading("borrowed, and page-locked while a function runs");
    let time = measure(&gpu, runs, || {
        let found = stream.mapped_read(&numbers, RegisterFlags::default(), |x| {
            Ok(sum(&kernel, stream, &x, &mut total))
        })?;
        ensure!(found? == expected);
        Ok(())
    })?;
    table.row(["page-locked each time".into(), show(time.wall)]);

    heading("the vector itself, page-locked permanently");
    let mapped = RegisteredBuffer::new(context, numbers)?.into_mapped(stream)?;
    let time = measure(&gpu, runs, || {
        ensure!(sum(&kernel, stream, &mapped, &mut total)? == expected);
        Ok(())
    })?;
    table.row(["page-locked once".into(), show(time.wall)]);
    let numbers = mapped.into_host()?.into_host()?; // returns the vector

    heading("managed memory, prefetched");
    let mut managed = ManagedBuffer::<u32>::zeroed(stream, len)?;
    managed.host_mut()?.copy_from_slice(&numbers);
    managed.prefetch(stream, context.device())?;
    let time = measure(&gpu, runs, || {
        ensure!(sum(&kernel, stream, &managed, &mut total)? == expected);
        Ok(())
    })?;
    table.row(["moved to the device once".into(), show(time.wall)]);
    println!("{table}");
    println!(
        "The kernel reads {} KiB. All four sums are equal.",
        len * 4 / 1024
    );
    Ok(())
}
