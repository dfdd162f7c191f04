//! Measurements of the model's parts, and of whole operations.

use std::time::Instant;

use anyhow::Result;
use cuda_compute::{ConvolutionOptions, Filter, Reducer};
use cuda_nccl::{
    Collectives, Reduction, SingleRank,
    spread::{Reductions, StripConvolution, part},
};
use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream};

const FILL: &str = r#"extern "C" __global__ void fill(float *x, unsigned long long n) {
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < n; i += step)
        x[i] = (float)(i % 1024) * 0x1p-10f;
}"#;

/// The numbers of devices for which the model divides the work.
pub const DEVICES: [usize; 5] = [1, 2, 4, 8, 16];

/// The sizes of all measurements.
pub struct Sizes {
    pub emulated: bool,
    /// Numbers of a sum.
    pub numbers: usize,
    /// Rows and columns of an image.
    pub side: usize,
    /// Rows and columns of the filter.
    pub filter: usize,
    /// Lengths of all-reduces, in floats.
    pub reduced: Vec<usize>,
    /// Floats sent to a neighbour, to measure the link.
    pub sent: usize,
    repeats: usize,
    /// The number of calls that are enqueued in a row.
    batch: usize,
}

impl Sizes {
    pub fn of(context: &Context) -> Result<Self> {
        let emulated = context.device().name()?.starts_with("CUDA emulator");
        Ok(if emulated {
            Self {
                emulated,
                numbers: 1 << 16,
                side: 96,
                filter: 5,
                reduced: vec![1, 1 << 10],
                sent: 1 << 12,
                repeats: 2,
                batch: 2,
            }
        } else {
            Self {
                emulated,
                numbers: 1 << 30,
                side: 8192,
                filter: 7,
                reduced: vec![1, 1 << 10, 1 << 15, 1 << 20, 1 << 24, 1 << 27],
                sent: 1 << 26,
                repeats: 15,
                batch: 20,
            }
        })
    }

    /// The bytes of one border.
    pub fn border(&self) -> usize {
        self.filter / 2 * self.side * size_of::<f32>()
    }
}

/// The times of one device for the share of a device in each of [`DEVICES`], in microseconds.
pub struct Locals {
    pub sums: Vec<f64>,
    pub convolutions: Vec<f64>,
}

/// The times of a group, in microseconds.
pub struct Measured {
    pub devices: usize,
    /// The sum with its result on the host: for divided work, and for the same work on each device.
    pub sum: [f64; 2],
    /// The sum with its result on the host, but combined on the devices by an all-reduce of one
    /// number.
    pub sum_reduced: [f64; 2],
    pub convolution: [f64; 2],
    /// All-reduces of [`Sizes::reduced`], enqueued in a row.
    pub reduces: Vec<f64>,
    /// An all-reduce of one number, including the wait.
    pub reduce_waited: f64,
    /// The wait for a stream without work.
    pub wait: f64,
    /// One number, and many numbers, sent to a neighbour and received from it.
    pub hop: f64,
    pub sent: f64,
}

pub fn locals(device: &SingleRank, sizes: &Sizes) -> Result<Locals> {
    let stream = Stream::new(device.context())?;
    let (mut sums, mut convolutions) = (Vec::new(), Vec::new());
    for devices in DEVICES {
        sums.push(sum(device, &stream, sizes, sizes.numbers / devices)?);
        convolutions.push(convolution(device, &stream, sizes, sizes.side / devices)?);
    }
    Ok(Locals { sums, convolutions })
}

/// Runs a group's measurements. All ranks must call this function. They get the same results.
pub fn group(group: &impl Collectives, sizes: &Sizes) -> Result<Measured> {
    let stream = &Stream::new(group.context())?;
    let devices = group.size();
    let own = part(sizes.numbers, devices, group.rank()).len();
    let mut one = DeviceBuffer::<f32>::zeroed(stream, 1)?;
    let mut reduces = Vec::new();
    for &len in &sizes.reduced {
        let mut data = DeviceBuffer::<f32>::zeroed(stream, len)?;
        reduces.push(batched(group, stream, sizes, || {
            Ok(group.all_reduce(stream, &mut data, Reduction::Sum)?)
        })?);
    }
    Ok(Measured {
        devices,
        sum: [
            sum(group, stream, sizes, own)?,
            sum(group, stream, sizes, sizes.numbers)?,
        ],
        sum_reduced: [
            sum_reduced(group, stream, sizes, own)?,
            sum_reduced(group, stream, sizes, sizes.numbers)?,
        ],
        convolution: [
            convolution(group, stream, sizes, sizes.side)?,
            convolution(group, stream, sizes, sizes.side * devices)?,
        ],
        reduces,
        reduce_waited: timed(group, stream, sizes.repeats, || {
            group.all_reduce(stream, &mut one, Reduction::Sum)?;
            Ok(group.wait(stream)?)
        })?,
        wait: timed(group, stream, sizes.repeats, || Ok(group.wait(stream)?))?,
        hop: ring(group, stream, sizes, 1)?,
        sent: ring(group, stream, sizes, sizes.sent)?,
    })
}

/// Measures a sum, until the result is on the host.
fn sum(group: &impl Collectives, stream: &Stream, sizes: &Sizes, own: usize) -> Result<f64> {
    let numbers = numbers(stream, own)?;
    let reductions = Reductions::new(group)?;
    timed(group, stream, sizes.repeats, || {
        reductions.sum(stream, &numbers)?;
        Ok(())
    })
}

fn sum_reduced(
    group: &impl Collectives,
    stream: &Stream,
    sizes: &Sizes,
    own: usize,
) -> Result<f64> {
    let numbers = numbers(stream, own)?;
    let reducer = Reducer::new(group.context())?;
    let mut total = DeviceBuffer::<f32>::zeroed(stream, 1)?;
    let mut host = [0.0];
    timed(group, stream, sizes.repeats, || {
        reducer.sum_into(stream, &numbers, &mut total)?;
        group.all_reduce(stream, &mut total, Reduction::Sum)?;
        group.wait(stream)?;
        Ok(total.copy_to_slice(stream, &mut host)?)
    })
}

/// Measures the convolution of an image with that number of rows.
fn convolution(
    group: &impl Collectives,
    stream: &Stream,
    sizes: &Sizes,
    rows: usize,
) -> Result<f64> {
    let weights = vec![1.0 / (sizes.filter * sizes.filter) as f32; sizes.filter * sizes.filter];
    let filter = Filter::new(sizes.filter, sizes.filter, &weights)?;
    let strips = StripConvolution::new(
        group,
        &filter,
        ConvolutionOptions::default(),
        sizes.side,
        rows,
    )?;
    let (mut from, mut to) = (strips.strip(stream)?, strips.strip(stream)?);
    batched(group, stream, sizes, || {
        Ok(strips.run(stream, &mut from, &mut to)?)
    })
}

/// Each rank sends to the next rank, and receives from the previous one.
fn ring(group: &impl Collectives, stream: &Stream, sizes: &Sizes, len: usize) -> Result<f64> {
    let (rank, size) = (group.rank(), group.size());
    let out = DeviceBuffer::<f32>::zeroed(stream, len)?;
    let mut into = DeviceBuffer::<f32>::zeroed(stream, len)?;
    batched(group, stream, sizes, || {
        let sends = [((rank + 1) % size, out.view())];
        let mut receives = [((rank + size - 1) % size, into.view_mut())];
        Ok(group.exchange(stream, &sends, &mut receives)?)
    })
}

/// Measures one of several calls that are enqueued in a row.
fn batched(
    group: &impl Collectives,
    stream: &Stream,
    sizes: &Sizes,
    mut work: impl FnMut() -> Result<()>,
) -> Result<f64> {
    let all = timed(group, stream, sizes.repeats, || {
        (0..sizes.batch).try_for_each(|_| work())?;
        Ok(group.wait(stream)?)
    })?;
    Ok(all / sizes.batch as f64)
}

/// Returns the median of the slowest rank's times in microseconds, measured from when all ranks are ready. All ranks get the
/// same value.
fn timed(
    group: &impl Collectives,
    stream: &Stream,
    repeats: usize,
    mut work: impl FnMut() -> Result<()>,
) -> Result<f64> {
    work()?;
    let mut own = Vec::new();
    for _ in 0..repeats {
        group.wait(stream)?;
        group.gather_on_host(stream, &[0u32])?;
        let clock = Instant::now();
        work()?;
        own.push(clock.elapsed().as_secs_f64() * 1e6);
    }
    let all = group.gather_on_host(stream, &own)?;
    let slowest = |turn| {
        all.chunks(repeats)
            .map(|rank| rank[turn])
            .fold(0.0, f64::max)
    };
    let mut slowest: Vec<f64> = (0..repeats).map(slowest).collect();
    slowest.sort_by(f64::total_cmp);
    Ok(slowest[repeats / 2])
}

fn numbers(stream: &Stream, len: usize) -> Result<DeviceBuffer<f32>> {
    let fill = Module::compile(stream.context(), FILL)?.function("fill")?;
    let mut numbers = DeviceBuffer::uninit(stream, len)?;
    let blocks = len.div_ceil(256).clamp(1, 4096) as u32;
    // SAFETY: the kernel writes `len` numbers.
    unsafe {
        fill.launch(
            stream,
            LaunchConfig::new(blocks, 256),
            (&mut numbers, len as u64),
        )?
    };
    Ok(numbers)
}
