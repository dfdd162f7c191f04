//! Thread block clusters: blocks that read and write each other's shared memory.
//!
//! A histogram with more bins than the shared memory of one block can hold. Each block of a cluster holds a part of the
//! bins, and all blocks count in all parts. It is compared with atomic additions in global memory.

mod common;

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::{measure, ratio, show},
    table::Table,
};
use cuda_safe::{DeviceBuffer, LaunchConfig, Module};

const SOURCE: &str = r#"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void by_clusters(const unsigned *x, unsigned n, unsigned *counts, unsigned bins) {
    extern __shared__ unsigned mine[];
    auto cluster = cg::this_cluster();
    const unsigned part = bins / cluster.num_blocks();
    for (unsigned i = threadIdx.x; i < part; i += blockDim.x) mine[i] = 0;
    cluster.sync(); // all parts are empty
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned bin = x[i] % bins;
        atomicAdd(cluster.map_shared_rank(mine, bin / part) + bin % part, 1);
    }
    cluster.sync(); // all blocks have finished counting, and none has exited
    unsigned *to = counts + cluster.block_rank() * part;
    for (unsigned i = threadIdx.x; i < part; i += blockDim.x)
        if (mine[i]) atomicAdd(to + i, mine[i]);
}

extern "C" __global__ void in_global_memory(const unsigned *x, unsigned n, unsigned *counts, unsigned bins) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(counts + x[i] % bins, 1);
}
"#;

/// 256 KiB of counters, more than the shared memory of any block.
const BINS: usize = 1 << 16;
const CLUSTER: u32 = 8;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let stream = &gpu.stream;
    let capability = gpu.context.device().compute_capability()?;
    ensure!(
        capability.major >= 9,
        "clusters need compute capability 9.0, and this device has {capability}"
    );
    let len = gpu.size(1 << 26, 1 << 16);
    heading(format!("{len} numbers in {BINS} bins"));
    let module = Module::compile(&gpu.context, SOURCE)?;
    // Some bins get far more numbers than others, as in most data.
    let numbers: Vec<u32> = data::integers(len).iter().map(|x| x & (x >> 16)).collect();
    let x = DeviceBuffer::from_slice(stream, &numbers)?;
    let mut counts = DeviceBuffer::<u32>::zeroed(stream, BINS)?;

    let global = module.function("in_global_memory")?;
    let clusters = module.function("by_clusters")?;
    let shared_bytes = (BINS / CLUSTER as usize * size_of::<u32>()) as u32;
    clusters.set_max_dynamic_shared(shared_bytes)?;
    let mut config = LaunchConfig::new(CLUSTER, gpu.size(1024, 64))
        .shared_bytes(shared_bytes)
        .cluster(CLUSTER);
    let resident = gpu.size(clusters.max_active_clusters(config)?, 1);
    println!(
        "{resident} clusters of {CLUSTER} blocks are resident at once, with {shared_bytes} bytes of bins in each block."
    );
    config.grid = (resident * CLUSTER).into();
    let plain = LaunchConfig::for_occupancy(&global, gpu.size(len, 256))?;

    let mut expected = vec![0u32; BINS];
    numbers
        .iter()
        .for_each(|number| expected[*number as usize % BINS] += 1);
    let mut times = Vec::new();
    for (kernel, config) in [(&global, plain), (&clusters, config)] {
        let arguments = (len as u32, BINS as u32);
        times.push(measure(&gpu, 5, || {
            counts.fill(stream, 0)?;
            // SAFETY: the kernel reads `len` numbers, and writes within the `BINS` counters.
            unsafe { kernel.launch(stream, config, (&x, arguments.0, &mut counts, arguments.1))? };
            Ok(())
        })?);
        ensure!(
            counts.to_vec(stream)? == expected,
            "the counts differ from the CPU's"
        );
    }
    let mut table = Table::new(&["counted in", "time", "gain"]);
    let (global, shared) = (times[0].device, times[1].device);
    table.row(["global memory".into(), show(global), String::new()]);
    table.row([
        "shared memory of clusters".into(),
        show(shared),
        ratio(global, shared),
    ]);
    println!("{table}\nBoth results equal the CPU's.");
    Ok(())
}
