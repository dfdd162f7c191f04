//! Compares an emulator with a GPU on random straight-line programs, and reduces programs that
//! differ.
//!
//! `compare [--seconds N] [--seed S] [--optimized N] [--emulator libcuda_emulator.so] [--driver
//! libcuda.so.1]`
//!
//! The seeds of the random programs count up from S. The emulator is the library next to `compare`
//! unless `--emulator` names another. `--driver` replaces the machine's driver, for instance by an
//! older build of the emulator. `compare` starts itself as three worker processes: two with the
//! machine's driver, with and without optimization, and one with the emulator instead. Without a
//! GPU it fails with exit code 1. Exit code 2 means that results differ.
//!
//! A program whose result on the GPU depends on the driver's optimization is counted separately.
//! `--optimized N` prints N of these, too.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use cuda_conformance::property::{
    Program, shrink, warp_pool,
    wire::{Worker, serve},
};
use cuda_conformance::{Form, Outcome, Runner};
use cuda_safe::module::JitOptions;

const USAGE: &str = "usage: compare [--seconds N] [--seed S] [--optimized N] [--emulator libcuda_emulator.so] [--driver libcuda.so.1]";
/// Number of programs per request.
const BATCH: u64 = 64;
/// Number of differing programs that are reduced and printed. The others are only counted.
const SHOWN: usize = 20;

struct Options {
    seconds: u64,
    seed: u64,
    /// Number of printed programs whose result depends on the driver's optimization.
    optimized: usize,
    emulator: PathBuf,
    driver: Option<PathBuf>,
    /// In a worker: whether code is optimized.
    worker: Option<bool>,
}

fn main() -> Result<ExitCode> {
    let options = options()?;
    match options.worker {
        Some(optimized) => {
            let level = if optimized { 4 } else { 0 };
            let runner = Runner::new();
            serve(runner.map(|r| r.options(JitOptions::default().optimization_level(level))))?;
            Ok(ExitCode::SUCCESS)
        }
        None => compare(&options),
    }
}

fn options() -> Result<Options> {
    let beside = std::env::current_exe()?.with_file_name("libcuda_emulator.so");
    let mut options = Options {
        seconds: 60,
        seed: 1,
        optimized: 0,
        emulator: beside,
        driver: None,
        worker: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().context(USAGE)?;
        match name.as_str() {
            "--seconds" => options.seconds = value.parse().context(USAGE)?,
            "--seed" => options.seed = value.parse().context(USAGE)?,
            "--optimized" => options.optimized = value.parse().context(USAGE)?,
            "--emulator" => options.emulator = value.into(),
            "--driver" => options.driver = Some(value.into()),
            "--worker" => options.worker = Some(value == "optimized"),
            _ => bail!("{USAGE}"),
        }
    }
    Ok(options)
}

/// Starts this program as a worker.
fn worker(kind: &str, driver: Option<&Path>) -> Result<Worker> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--worker", kind]);
    // Each program is compiled only once, so a cache would only fill the disk.
    command.env("CUDA_CACHE_DISABLE", "1");
    if let Some(library) = driver {
        // The library's name is libcuda.so.1, so the loader loads no other library of that name.
        command.env("LD_PRELOAD", library);
    }
    Worker::start(&mut command)
}

fn library(path: &Path, option: &str) -> Result<PathBuf> {
    path.canonicalize().with_context(|| {
        format!(
            "{}: the library does not exist. Fix: run `cargo build --release -p cuda-emulator`, or pass a library with {option}",
            path.display()
        )
    })
}

fn compare(options: &Options) -> Result<ExitCode> {
    let emulated = library(&options.emulator, "--emulator")?;
    let driver = options.driver.as_ref();
    let driver = driver.map(|d| library(d, "--driver")).transpose()?;
    let mut emulator = worker("optimized", Some(&emulated)).context("the emulator")?;
    if !is_emulator(&emulator) {
        bail!(
            "{} is {}, not the emulator",
            emulated.display(),
            emulator.device
        );
    }
    let mut gpu = worker("optimized", driver.as_deref()).context("no GPU to compare with")?;
    if driver.is_none() && is_emulator(&gpu) {
        bail!(
            "no GPU to compare with: the driver that this machine's loader finds is the emulator ({})",
            gpu.device
        );
    }
    let mut plain = worker("unoptimized", driver.as_deref()).context("no GPU to compare with")?;
    println!("{}\n{}\nseed {}", gpu.device, emulator.device, options.seed);

    let pool = warp_pool();
    let (start, limit) = (Instant::now(), Duration::from_secs(options.seconds));
    let mut tally = Tally::default();
    let mut next = options.seed;
    while start.elapsed() < limit {
        let programs: Vec<Program> = (next..next + BATCH)
            .map(|seed| Program::generate(&pool, seed))
            .collect();
        next += BATCH;
        let forms: Vec<Form> = programs.iter().map(Program::form).collect();
        let (on_gpu, on_emulator) = (gpu.run(&forms)?, emulator.run(&forms)?);
        for (program, (there, here)) in programs.iter().zip(on_gpu.iter().zip(&on_emulator)) {
            tally.programs += 1;
            tally.instructions += program.steps.len();
            tally.results += program.cases() * program.outputs.len();
            if there == here {
                continue;
            }
            // A difference caused by the driver's own optimization shows nothing about the
            // emulator.
            if plain.run(&[program.form()])?.remove(0) != *there {
                tally.ambiguous += 1;
                if tally.ambiguous <= options.optimized {
                    show(program, &mut gpu, None, &mut emulator)?;
                }
                continue;
            }
            tally.mismatches += 1;
            if tally.mismatches <= SHOWN {
                show(program, &mut gpu, Some(&mut plain), &mut emulator)?;
            }
        }
    }
    println!(
        "{} programs, {} instructions, {} results in {:.1} s: {} programs differ; {} more differ because of the driver's optimization",
        tally.programs,
        tally.instructions,
        tally.results,
        start.elapsed().as_secs_f64(),
        tally.mismatches,
        tally.ambiguous
    );
    Ok(ExitCode::from(if tally.mismatches > 0 { 2 } else { 0 }))
}

#[derive(Default)]
struct Tally {
    programs: usize,
    instructions: usize,
    results: usize,
    mismatches: usize,
    ambiguous: usize,
}

fn is_emulator(worker: &Worker) -> bool {
    worker.device.starts_with("CUDA emulator")
}

/// Reduces a program and prints it with both results. With `plain`, reduces only to programs that
/// optimization does not change.
fn show(
    program: &Program,
    gpu: &mut Worker,
    mut plain: Option<&mut Worker>,
    emulator: &mut Worker,
) -> Result<()> {
    let mut broken = None;
    let smallest = shrink(program, |program| {
        let form = [program.form()];
        let mut both = || -> Result<(Outcome, Outcome)> {
            let (there, here) = (gpu.run(&form)?.remove(0), emulator.run(&form)?.remove(0));
            // Differences caused by optimization are excluded from the search.
            let plain = plain.as_mut().map(|plain| plain.run(&form)).transpose()?;
            Ok(match plain {
                Some(plain) if plain[0] != there => (here.clone(), here),
                _ => (there, here),
            })
        };
        both().unwrap_or_else(|error| {
            broken.get_or_insert(error);
            (Ok(Vec::new()), Ok(Vec::new()))
        })
    });
    if let Some(error) = broken {
        return Err(error);
    }
    let smallest = smallest.as_ref().unwrap_or(program);
    let form = smallest.form();
    let (there, here) = (
        gpu.run(std::slice::from_ref(&form))?.remove(0),
        emulator.run(std::slice::from_ref(&form))?.remove(0),
    );
    println!(
        "\n{}: {} of {} instructions",
        program.name,
        smallest.steps.len(),
        program.steps.len()
    );
    println!("{}", form.body);
    match (&there, &here) {
        (Ok(there), Ok(here)) => {
            let arity = form.operands.len();
            if smallest.whole_warp() {
                for (lane, operands) in form.given.chunks(arity.max(1)).enumerate().take(32) {
                    println!("  operands of lane {lane}: {operands:x?}");
                }
            }
            let cases = (0..form.cases).filter(|&c| {
                there
                    .iter()
                    .zip(here)
                    .any(|(there, here)| there[c] != here[c])
            });
            for case in cases.take(3) {
                let operands = &form.given[case * arity..][..arity];
                println!("  case {case}, operands {operands:#x?}");
                for (output, (there, here)) in there.iter().zip(here).enumerate() {
                    println!(
                        "  d{output}: GPU {:#x}, emulator {:#x}",
                        there[case], here[case]
                    );
                }
            }
        }
        _ => println!("  GPU: {}\n  emulator: {}", status(&there), status(&here)),
    }
    println!();
    Ok(())
}

fn status(outcome: &Outcome) -> &str {
    match outcome {
        Ok(_) => "ran",
        Err(why) => why,
    }
}
