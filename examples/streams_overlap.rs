//! Copies and kernels of several streams at the same time.
//!
//! Shows page-locked memory, transfers that own it while they run, one stream for each piece of work,
//! and events that measure the start and end of each step. For comparison, the same work also runs on
//! one stream.

mod common;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use common::{
    data,
    gpu::{Gpu, heading},
    measure::{ratio, show},
    scramble,
    table::Table,
};
use cuda_safe::{DeviceBuffer, Event, Function, LaunchConfig, Module, PinnedBuffer, Stream};

/// Pieces of work.
const PIECES: usize = 4;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let len = gpu.size(1 << 24, 1 << 16);
    let rounds = gpu.size(1000, 50);
    let scramble = Module::compile(&gpu.context, scramble::SOURCE)?.function("scramble")?;
    let input = data::integers(PIECES * len);
    heading(format!(
        "{PIECES} pieces of {len} numbers: copy in, compute, copy out"
    ));

    let streams: Vec<Stream> = (0..PIECES)
        .map(|_| Stream::new(&gpu.context))
        .collect::<cuda_safe::Result<_>>()?;
    let one_stream: Vec<&Stream> = vec![&streams[0]; PIECES];
    let a_stream_each: Vec<&Stream> = streams.iter().collect();

    // Memory is allocated and code is loaded before the measurement.
    let mut pieces = Pieces::new(&gpu, &streams, &input)?;
    pieces.run(&scramble, &one_stream, rounds)?;
    let serial = pieces.run(&scramble, &one_stream, rounds)?;
    pieces.check(&input, rounds)?;
    pieces.run(&scramble, &a_stream_each, rounds)?;
    let parallel = pieces.run(&scramble, &a_stream_each, rounds)?;
    pieces.check(&input, rounds)?;

    serial.draw("on one stream", parallel.device.max(serial.device));
    parallel.draw("on several streams", parallel.device.max(serial.device));
    let mut table = Table::new(&["", "by events", "by the clock"]);
    table.row(["one stream".into(), show(serial.device), show(serial.wall)]);
    table.row([
        "several streams".into(),
        show(parallel.device),
        show(parallel.wall),
    ]);
    table.row([
        "gain".into(),
        ratio(serial.device, parallel.device),
        ratio(serial.wall, parallel.wall),
    ]);
    println!("\n< copies in, # computes, > copies out. A step includes its wait for the device.");
    println!("\n{table}");

    ensure!(
        !serial.overlaps(),
        "steps of one stream ran at the same time"
    );
    println!("Both results equal the CPU's.");
    // The emulator's streams share a few CPU cores with everything else, so the system's scheduler
    // decides whether they overlap.
    let overlapped = parallel.overlaps();
    println!(
        "The streams' steps {}.",
        if overlapped {
            "overlapped"
        } else {
            "did not overlap this time"
        }
    );
    ensure!(
        gpu.emulated || overlapped,
        "the streams ran one after the other"
    );
    ensure!(
        gpu.emulated || parallel.device < serial.device,
        "several streams gained nothing"
    );
    Ok(())
}

/// The memory of each piece, on the host and on the device.
struct Pieces {
    device: Vec<DeviceBuffer<u32>>,
    /// `None` while a transfer owns it.
    inputs: Vec<Option<PinnedBuffer<u32>>>,
    outputs: Vec<Option<PinnedBuffer<u32>>>,
}

impl Pieces {
    fn new(gpu: &Gpu, streams: &[Stream], input: &[u32]) -> Result<Self> {
        let len = input.len() / streams.len();
        let mut pieces = Self {
            device: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        for (stream, part) in streams.iter().zip(input.chunks(len)) {
            let buffer = DeviceBuffer::uninit(stream, len)?;
            // All other uses of the buffer are ordered after its allocation.
            stream.synchronize()?;
            pieces.device.push(buffer);
            pieces
                .inputs
                .push(Some(PinnedBuffer::from_slice(&gpu.context, part)?));
            pieces
                .outputs
                .push(Some(PinnedBuffer::zeroed(&gpu.context, len)?));
        }
        Ok(pieces)
    }

    /// Runs every piece on its stream and waits for all.
    fn run(&mut self, scramble: &Function, streams: &[&Stream], rounds: i32) -> Result<Timeline> {
        let context = scramble.context();
        let origin = Event::new(context)?;
        let clock = Instant::now();
        origin.record(streams[0])?;
        for stream in &streams[1..] {
            stream.wait_event(&origin)?;
        }
        let mut marks = Vec::new();
        let mut transfers = Vec::new();
        for (i, stream) in streams.iter().enumerate() {
            let mark = || -> Result<Event> {
                let event = Event::new(context)?;
                event.record(stream)?;
                Ok(event)
            };
            let buffer = &mut self.device[i];
            let input = self.inputs[i].take().expect("the last run returned it");
            let output = self.outputs[i].take().expect("the last run returned it");
            let n = i32::try_from(buffer.len())?;
            let config = LaunchConfig::for_occupancy(scramble, buffer.len())?;

            let begin = mark()?;
            let upload = stream.upload(input, buffer)?;
            let copied_in = mark()?;
            // SAFETY: the kernel changes n numbers, the length of the buffer. It follows the upload on
            // the same stream, and `Pieces::new` and the end of each run waited for all other work.
            unsafe { scramble.launch(stream, config, (&mut *buffer, n, rounds))? };
            let computed = mark()?;
            let download = stream.download(buffer, output)?;
            marks.push([begin, copied_in, computed, mark()?]);
            transfers.push((upload, download));
        }
        for (i, (upload, download)) in transfers.into_iter().enumerate() {
            self.inputs[i] = Some(upload.wait()?);
            self.outputs[i] = Some(download.wait()?);
        }
        let wall = clock.elapsed();
        context.synchronize()?;
        Timeline::new(&origin, &marks, wall)
    }

    fn check(&self, input: &[u32], rounds: i32) -> Result<()> {
        let outputs = self
            .outputs
            .iter()
            .flatten()
            .flat_map(|output| output.iter());
        scramble::check(input, outputs, rounds)
    }
}

/// The end of each step of each piece, relative to the common start.
struct Timeline {
    /// Start, end of the copy in, end of the computation, end of the copy out.
    marks: Vec<[Duration; 4]>,
    device: Duration,
    wall: Duration,
}

impl Timeline {
    fn new(origin: &Event, marks: &[[Event; 4]], wall: Duration) -> Result<Self> {
        let mut times = Vec::new();
        for piece in marks {
            let mut row = [Duration::ZERO; 4];
            for (time, event) in row.iter_mut().zip(piece) {
                *time = event.duration_since(origin)?;
            }
            times.push(row);
        }
        let device = times.iter().map(|row| row[3]).max().unwrap_or_default();
        Ok(Self {
            marks: times,
            device,
            wall,
        })
    }

    /// Returns whether a piece started before an earlier one had finished.
    fn overlaps(&self) -> bool {
        self.marks.windows(2).any(|pair| pair[1][1] < pair[0][3])
    }

    /// Prints a line for each piece: `<` copies in, `#` computes, `>` copies out.
    fn draw(&self, title: &str, longest: Duration) {
        const COLUMNS: f64 = 72.0;
        println!("\n{title}:");
        let column =
            |time: Duration| (time.as_secs_f64() / longest.as_secs_f64() * COLUMNS) as usize;
        for (i, marks) in self.marks.iter().enumerate() {
            let [begin, copied_in, computed, copied_out] = marks.map(column);
            println!(
                "  {i} {}{}{}{}",
                " ".repeat(begin),
                "<".repeat(copied_in - begin),
                "#".repeat(computed - copied_in),
                ">".repeat(copied_out - computed),
            );
        }
    }
}
