//! Memory that is allocated and freed in the order of a stream, and the pool behind it.
//!
//! A buffer is dropped while kernels still use it, and the next buffer gets the same memory, without a wait of the host. The
//! release threshold decides whether the pool keeps freed memory, or returns it to the device at every wait.

mod common;

use anyhow::{Result, ensure};
use common::{
    gpu::{Gpu, heading},
    measure::{measure, ratio, show},
    table::Table,
};
use cuda_safe::{DeviceBuffer, LaunchConfig, MemoryPool, Module, Stream};

const SOURCE: &str = r#"
extern "C" __global__ void add(const int *x, int *y, int value, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + value;
}
"#;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let (context, stream) = (&gpu.context, &gpu.stream);
    let add = Module::compile(context, SOURCE)?.function("add")?;
    let len = gpu.size(1 << 24, 1 << 12);
    let bytes = (len * size_of::<i32>()) as u64;
    let pool = MemoryPool::current(context)?;
    pool.trim_to(0)?;

    heading("a chain of temporary buffers without waits");
    let steps = 20;
    let chain = |stream: &Stream| -> Result<DeviceBuffer<i32>> {
        let mut x = DeviceBuffer::<i32>::zeroed(stream, len)?;
        for step in 1..=steps {
            let mut y = DeviceBuffer::<i32>::uninit(stream, len)?;
            let config = LaunchConfig::for_elements(len);
            // SAFETY: n elements are read and n written.
            unsafe { add.launch(stream, config, (&x, &mut y, step, len as i32))? };
            x = y; // frees the previous buffer after its kernel
        }
        Ok(x)
    };
    let last = chain(stream)?;
    let reserved = pool.reserved()?; // before a wait, at which the pool would return free memory
    let result = last.to_vec(stream)?;
    let expected = (1..=steps).sum::<i32>();
    ensure!(result.iter().all(|&value| value == expected));
    println!(
        "{steps} steps with a new buffer of {bytes} bytes each took {reserved} bytes from the device."
    );
    let pieces = bytes.next_multiple_of(64 << 20);
    ensure!(reserved <= 4 * pieces, "freed buffers were not reused");
    drop(last);
    stream.synchronize()?;
    ensure!(pool.used()? == 0, "not all memory was freed");

    heading("freed memory is returned to the device at a wait, or stays in the pool");
    let mut times = Vec::new();
    for threshold in [0, u64::MAX] {
        pool.set_release_threshold(threshold)?;
        times.push(measure(&gpu, 9, || {
            let buffer = DeviceBuffer::<i32>::zeroed(stream, len)?;
            drop(buffer);
            Ok(stream.synchronize()?)
        })?);
    }
    let kept = pool.reserved()?;
    ensure!(kept >= bytes, "the pool did not keep the freed memory");
    pool.trim_to(0)?;
    ensure!(
        pool.reserved()? == 0,
        "the pool did not return memory when it was trimmed"
    );
    pool.set_release_threshold(0)?;
    let mut table = Table::new(&["freed memory", "allocate, fill, free, wait", "gain"]);
    table.row(["is returned".into(), show(times[0].wall), String::new()]);
    let gain = ratio(times[0].wall, times[1].wall);
    table.row(["stays in the pool".into(), show(times[1].wall), gain]);
    println!("{table}");
    Ok(())
}
