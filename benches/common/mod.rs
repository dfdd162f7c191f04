//! Shared code of the benches: the device, times by events, and the rows of the summary table.

#![allow(dead_code, reason = "every bench uses a part of it")]

pub mod calls;
pub mod measurements;

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Result;
pub use cuda_direct_benches::summary::table::rate_name;
use cuda_direct_benches::summary::{
    filter::selects,
    table::{Row, table, time_name},
};
use cuda_safe::{
    Context, DeviceAttribute, DeviceBuffer, Event, Function, LaunchConfig, Module, Stream, driver,
};
use measurements::{command_line_filter, is_detailed};

/// Kernels that generate data and measure the device's limits.
const KERNELS: &str = r#"
typedef unsigned long long u64;

// Uniform in [-1, 1), with different numbers for every seed.
extern "C" __global__ void fill_random(float *out, u64 count, u64 seed) {
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count;
         i += (u64)gridDim.x * blockDim.x) {
        u64 z = i + 0x9E3779B97F4A7C15ull * (seed + 1);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        out[i] = (int)(z >> 32) * 0x1p-31f;
    }
}

extern "C" __global__ void spin(u64 nanoseconds) {
    u64 start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < nanoseconds);
}

// A plain loop of 16-byte loads. Their sums are discarded.
extern "C" __global__ void __launch_bounds__(1024)
read_only(const float4 *in, float *out, u64 count) {
    float sum = 0;
    #pragma unroll 4
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count;
         i += (u64)gridDim.x * blockDim.x) {
        const float4 v = in[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    if (sum == 12345.678f) *out = sum;
}

// 32 independent chains of multiply-adds, 1024 per iteration.
extern "C" __global__ void __launch_bounds__(512)
fma_rate(float *out, float a, float b, int turns) {
    float x[32];
    for (int i = 0; i < 32; ++i) x[i] = threadIdx.x * 0.001f + i;
    for (int turn = 0; turn < turns; ++turn)
        #pragma unroll
        for (int k = 0; k < 32; ++k)
            #pragma unroll
            for (int i = 0; i < 32; ++i) x[i] = fmaf(x[i], a, b);
    float sum = 0;
    for (int i = 0; i < 32; ++i) sum += x[i];
    if (sum == 12345.678f) *out = sum;
}
"#;

/// The amount of work that is queued while the device spins.
#[derive(Clone, Copy)]
pub struct Queue {
    /// Calls of the work. The driver's queue has room for about a thousand entries.
    pub calls: usize,
    /// The maximum host time of a call in nanoseconds.
    pub host_ns: u64,
}

/// The device, and the file for the results.
pub struct Bench {
    pub context: Context,
    pub stream: Stream,
    /// Whether the device is the emulator. Sizes are then small, and times say nothing about a GPU.
    pub emulated: bool,
    multiprocessors: u32,
    module: Module,
    spin: Function,
    rows: File,
    path: PathBuf,
    /// The columns of the table that is printed at the end, in place of each row: texts of `by`. Empty if
    /// each row is printed.
    columns: Vec<String>,
    results: Vec<Row>,
    /// The workloads that the filter of the command line excludes.
    excluded: Vec<String>,
}

impl Bench {
    /// Opens device 0. Results are written to `<name>.jsonl` in `BENCH_OUT`, or in `benches` in the
    /// target folder.
    pub fn new(name: &str) -> Result<Self> {
        let context = Context::primary(0)?;
        let device = context.device();
        let device_name = device.name()?;
        let emulated = device_name.starts_with("CUDA emulator");
        let folder = folder_of_results();
        fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{name}.jsonl"));
        let mut rows = File::create(&path)?;
        writeln!(
            rows,
            "{{\"device\": {device_name:?}, \"emulated\": {emulated}, \"driver\": \"CUDA {}\", \
             \"clock_mhz\": {}, \"multiprocessors\": {}}}",
            driver::version()?,
            device.attribute(DeviceAttribute::CLOCK_RATE)? / 1000,
            device.multiprocessor_count()?,
        )?;
        println!("{name} on {device_name}");
        if emulated {
            println!("These are times of the emulator, not of a GPU.");
        }
        let module = Module::compile(&context, KERNELS)?;
        Ok(Self {
            stream: Stream::new(&context)?,
            emulated,
            multiprocessors: device.multiprocessor_count()?,
            spin: module.function("spin")?,
            module,
            context,
            rows,
            path,
            columns: Vec::new(),
            results: Vec::new(),
            excluded: Vec::new(),
        })
    }

    /// Prints a table of these columns at the end, in place of each row: texts of `by`. The first is the
    /// device time, which is left out on the emulator, where it includes the emulator's own waits. With
    /// arguments for criterion, rows are printed as well.
    pub fn set_columns(&mut self, columns: [String; 4]) {
        let hidden = usize::from(self.emulated);
        self.columns = columns.into_iter().skip(hidden).collect();
    }

    /// Returns whether to measure a workload: if the command line has no filter, or if its filter is a
    /// part of the workload's name or of criterion's name `id`.
    pub fn is_selected(&mut self, work: &str, id: &str) -> bool {
        let selected = command_line_filter().is_none_or(|filter| selects(&filter, work, id));
        if !selected {
            self.excluded.push(work.to_owned());
        }
        selected
    }

    /// Prints the table of the columns, with a row for each workload, the rate of the device and the
    /// ratio of the times of the last column and the first. Also prints where the results are.
    pub fn print_table(&self) {
        if let (true, Some(filter)) = (self.results.is_empty(), command_line_filter()) {
            println!(
                "No size matches {filter:?}. There are: {}.",
                self.excluded.join(", ")
            );
            return;
        }
        print!("{}", table(&self.results, &self.columns, !self.emulated));
        let (first, last) = (&self.columns[0], &self.columns[self.columns.len() - 1]);
        println!(
            "\nRatio: the time of \"{last}\" divided by that of \"{first}\". Above 1, the CPU is slower."
        );
        println!("{}", self.choose(
            "Reached: the rate of the device time, and its share of the rate measured in this run.",
            "The emulator has no column of device times, because they would not be shorter than those with copies.",
        ));
        println!("All results: {}", self.path.display());
        if !is_detailed() {
            println!("Criterion's statistics and plots: add `-- --verbose`.");
        }
    }

    /// Returns whether rows are printed when they are measured.
    fn is_printed(&self) -> bool {
        self.columns.is_empty() || is_detailed()
    }

    /// Returns `gpu` on a GPU, and `emulator` on the emulator.
    pub fn choose<T>(&self, gpu: T, emulator: T) -> T {
        if self.emulated { emulator } else { gpu }
    }

    /// Returns the name of the device's column.
    pub fn label(&self) -> &'static str {
        self.choose("GPU", "emulator")
    }

    /// Returns random numbers from -1 to 1 in device memory.
    pub fn random(&self, count: usize, seed: u64) -> Result<DeviceBuffer<f32>> {
        let mut buffer = DeviceBuffer::uninit(&self.stream, count)?;
        let config = LaunchConfig::new(self.choose(4096, 4), 256);
        let fill = self.module.function("fill_random")?;
        // SAFETY: the kernel writes `count` floats, the length of the buffer.
        unsafe { fill.launch(&self.stream, config, (&mut buffer, count as u64, seed))? };
        self.stream.synchronize()?;
        Ok(buffer)
    }

    /// Returns the device times of `repeats` calls of `work(i)`, by events before and after each call.
    /// On a GPU, the queue is filled while the device spins, which excludes the host's time.
    pub fn device_times(
        &self,
        repeats: usize,
        work: impl FnMut(usize) -> Result<()>,
    ) -> Result<Vec<Duration>> {
        let queue = Queue {
            calls: 200,
            host_ns: 12_000,
        };
        self.device_times_in(queue, repeats, work)
    }

    /// Like [`device_times`](Self::device_times), for work of more than a few launches.
    pub fn device_times_in(
        &self,
        queue: Queue,
        repeats: usize,
        mut work: impl FnMut(usize) -> Result<()>,
    ) -> Result<Vec<Duration>> {
        let mut times = Vec::with_capacity(repeats);
        while times.len() < repeats {
            let now = (repeats - times.len()).min(queue.calls);
            let events = (0..2 * now)
                .map(|_| Event::new(&self.context))
                .collect::<Result<Vec<_>, _>>()?;
            if !self.emulated {
                let nanoseconds = 100_000 + queue.host_ns * now as u64;
                // SAFETY: the kernel takes one number and touches no memory.
                unsafe {
                    self.spin
                        .launch(&self.stream, LaunchConfig::new(1, 1), (nanoseconds,))?;
                }
            }
            for pair in events.chunks_exact(2) {
                pair[0].record(&self.stream)?;
                work(times.len())?;
                pair[1].record(&self.stream)?;
                times.push(Duration::ZERO);
            }
            self.stream.synchronize()?;
            let first = times.len() - now;
            for (time, pair) in times[first..].iter_mut().zip(events.chunks_exact(2)) {
                *time = pair[1].duration_since(&pair[0])?;
            }
        }
        Ok(times)
    }

    /// Returns the median of [`device_times`](Self::device_times) in microseconds, after a warm-up call.
    pub fn device_us(
        &self,
        repeats: usize,
        mut work: impl FnMut(usize) -> Result<()>,
    ) -> Result<f64> {
        work(0)?;
        Ok(median_us(self.device_times(repeats, work)?))
    }

    /// Returns the rate at which a plain loop reads, in GB/s.
    pub fn read_ceiling(&self, data: &DeviceBuffer<f32>) -> Result<f64> {
        let kernel = self.module.function("read_only")?;
        let mut out = DeviceBuffer::<f32>::zeroed(&self.stream, 1)?;
        let mut best = f64::INFINITY;
        for (blocks, threads) in [(2, 1024), (4, 512), (8, 256)] {
            let config = LaunchConfig::new(self.multiprocessors * blocks, threads);
            let us = self.device_us(self.choose(7, 1), |_| {
                // SAFETY: the kernel reads len / 4 vectors, and the buffer is aligned to 16 bytes.
                unsafe {
                    let vectors = data.len() as u64 / 4;
                    kernel.launch(&self.stream, config, (data, &mut out, vectors))?;
                }
                Ok(())
            })?;
            best = best.min(us);
        }
        Ok(data.size_bytes() as f64 / best / 1e3)
    }

    /// Returns the rate of the driver's copy, counting reads and writes, in GB/s.
    pub fn copy_ceiling(
        &self,
        from: &DeviceBuffer<f32>,
        to: &mut DeviceBuffer<f32>,
    ) -> Result<f64> {
        let us = self.device_us(self.choose(9, 1), |_| Ok(to.copy_from(&self.stream, from)?))?;
        Ok(2.0 * from.size_bytes() as f64 / us / 1e3)
    }

    /// Returns the multiply-adds per second, in 10¹².
    pub fn fma_ceiling(&self) -> Result<f64> {
        let kernel = self.module.function("fma_rate")?;
        let mut out = DeviceBuffer::<f32>::zeroed(&self.stream, 1)?;
        let (blocks, turns) = self.choose((self.multiprocessors * 4, 400), (2, 1));
        let us = self.device_us(self.choose(9, 1), |_| {
            let config = LaunchConfig::new(blocks, 512);
            // SAFETY: the kernel may write one float.
            unsafe { kernel.launch(&self.stream, config, (&mut out, 0.999f32, 0.001f32, turns))? };
            Ok(())
        })?;
        Ok(f64::from(blocks) * 512.0 * f64::from(turns) * 1024.0 / us / 1e6)
    }

    /// Adds a row to the summary: the time of `by` for `work`, and a note such as its rate.
    pub fn row(&mut self, work: &str, by: &str, us: f64, note: &str) -> Result<()> {
        if self.is_printed() {
            println!("    {work:36} {by:32} {:>9}  {note}", time_name(us));
        }
        self.results.push(Row {
            work: work.into(),
            by: by.into(),
            us,
            note: note.into(),
        });
        writeln!(
            self.rows,
            "{{\"work\": {work:?}, \"by\": {by:?}, \"us\": {us:.4}, \"note\": {note:?}}}"
        )?;
        Ok(())
    }

    /// Adds a point to a plot of bytes per second over sizes: the time of `by` for `elements` elements.
    pub fn point(
        &mut self,
        plot: &str,
        elements: usize,
        bytes: usize,
        by: &str,
        us: f64,
    ) -> Result<()> {
        let (size, rate) = (size_name(elements), rate_name(bytes as f64 / us / 1e3));
        println!("    {plot:36} {size:32} {:>9}  {rate}", time_name(us));
        writeln!(
            self.rows,
            "{{\"plot\": {plot:?}, \"elements\": {elements}, \"bytes\": {bytes}, \"by\": {by:?}, \
             \"us\": {us:.4}}}"
        )?;
        Ok(())
    }

    /// Records a measurement that is not possible here, and the reason.
    pub fn missing(&mut self, what: &str, why: &str) -> Result<()> {
        println!("    {what}: missing ({why})");
        writeln!(self.rows, "{{\"missing\": {what:?}, \"why\": {why:?}}}")?;
        Ok(())
    }

    /// Records a ceiling that was measured in this run.
    pub fn ceiling(&mut self, name: &str, value: f64, unit: &str) -> Result<()> {
        if self.is_printed() {
            println!("    {name}: {value:.2} {unit}");
        }
        writeln!(
            self.rows,
            "{{\"ceiling\": {name:?}, \"value\": {value:.4}, \"unit\": {unit:?}}}"
        )?;
        Ok(())
    }
}

/// Returns `BENCH_OUT`, or `benches` in the target folder. Relative paths start at the repository, because
/// cargo runs a bench in the folder of its package.
fn folder_of_results() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let repository = package.as_deref().and_then(Path::parent);
    let target = || std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let folder = std::env::var_os("BENCH_OUT")
        .map_or_else(|| Path::new(&target()).join("benches"), PathBuf::from);
    repository.unwrap_or(Path::new("")).join(folder)
}

/// Returns the median in microseconds.
pub fn median_us(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// Returns the median host time of a call in microseconds, from the calls of a quarter of a second, or
/// at least three.
pub fn host_us(mut work: impl FnMut()) -> f64 {
    let mut times = Vec::new();
    let begin = std::time::Instant::now();
    while times.len() < 3 || (begin.elapsed().as_secs_f64() < 0.25 && times.len() < 1000) {
        let start = std::time::Instant::now();
        work();
        times.push(start.elapsed());
    }
    median_us(times)
}

/// Returns a text such as "2^20" or "2^27 - 157", or the number.
pub fn size_name(count: usize) -> String {
    if count.is_power_of_two() {
        return format!("2^{}", count.trailing_zeros());
    }
    let above = count.next_power_of_two();
    if above - count < 1000 && above > 1 << 14 {
        return format!("2^{} - {}", above.trailing_zeros(), above - count);
    }
    count.to_string()
}
