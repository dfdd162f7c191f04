//! The spectrum of a signal over time, as a picture and as bars.
//!
//! ```text
//! spectrum [SECONDS [OUTPUT]]
//! ```
//!
//! SECONDS is the duration of the signal, OUTPUT a PNG file.
//!
//! Shows frames that overlap, gathered by an array of indices, a window, and the Fourier transforms of all frames at once.
//! These need cuFFT. Without it and on the emulator, the example computes the transforms by their definition, as sums of
//! products. The spectrum is checked against the known tones of the signal, its energy, and the CPU.

mod common;

use std::{f64::consts::TAU, path::PathBuf};

use anyhow::{Context, Result, ensure};
use common::{
    gpu::{Gpu, heading},
    picture::{Picture, output_path},
};
use cuda_compute::{Array, Error, Random, eval, s};

/// Samples per second.
const RATE: usize = 8000;
/// Samples of a frame.
const LENGTH: usize = 256;
/// Samples from the start of a frame to the start of the next.
const STEP: usize = LENGTH / 2;
/// The distance between two frequencies of a frame.
const RESOLUTION: f64 = RATE as f64 / LENGTH as f64;
/// The frequency of the steady tone.
const STEADY: f64 = 1125.0;
/// The frequencies of the rising tone at its start and at its end.
const RISING: [f64; 2] = [300.0, 3500.0];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let gpu = Gpu::open()?;
    let seconds = match arguments.first() {
        Some(text) => text
            .parse()
            .with_context(|| format!("{text} is not a number"))?,
        None => gpu.size(10, 4),
    };
    let output = match arguments.get(1) {
        Some(path) => PathBuf::from(path),
        None => output_path("spectrum.png")?,
    };
    // In a shorter signal, the rising tone changes too much within one frame.
    ensure!(seconds >= 3, "SECONDS is {seconds}, but must be at least 3");
    heading(format!("{seconds} s of a steady and a rising tone"));

    let signal = tones(&gpu, seconds)?;
    let frames = Array::range(&gpu.stream, 0..(signal.len() - LENGTH) / STEP + 1)?;
    let within = Array::range(&gpu.stream, 0..LENGTH)?;
    let frames = signal.take(frames.reshape([-1, 1])? * STEP + &within, 0)?;
    // Hann's window: the frame fades in and out.
    let window = (within.cast::<f32>() * (TAU / LENGTH as f64) as f32).cos() * -0.5 + 0.5;
    let frames = (frames * window).eval()?;
    let power = transformed(&gpu, &frames)?;

    check_tones(&power, seconds)?;
    check_energy(&frames, &power)?;
    check_with_cpu(&frames, &power)?;
    bars(&power)?;
    draw(&power)?.write(&output, false)?;
    println!("\nwrote {}", output.display());
    Ok(())
}

/// Returns both tones with noise.
fn tones(gpu: &Gpu, seconds: usize) -> Result<Array<f32>> {
    let count = seconds * RATE;
    let time = Array::range(&gpu.stream, 0..count)?.cast::<f64>() / RATE as f64;
    let [low, high] = RISING;
    let steady = (&time * (TAU * STEADY)).sin() * 0.5;
    let half_slope = (high - low) / (2 * seconds) as f64;
    let rising = ((&time * half_slope + low) * &time * TAU).sin();
    let noise = cuda_compute::Expr::<f64>::normal(&mut Random::new(3), count)? * 0.1;
    Ok((steady + rising + noise).cast::<f32>().eval()?)
}

/// Returns the squared absolute values of the Fourier transform of each frame.
fn transformed(gpu: &Gpu, frames: &Array<f32>) -> Result<Array<f32>> {
    if gpu.emulated {
        println!("cuFFT does not run on the emulator, so the transforms are sums of products.");
        return by_sums(frames);
    }
    match frames.rfft(1) {
        Ok(spectra) => Ok(spectra.norm_sqr().eval()?),
        Err(Error::Missing(reason)) => {
            println!("{reason}");
            println!("Without it, the transforms are computed as sums of products.");
            by_sums(frames)
        }
        Err(error) => Err(error.into()),
    }
}

/// Computes the same by the definition.
fn by_sums(frames: &Array<f32>) -> Result<Array<f32>> {
    let within = Array::range(frames.stream(), 0..LENGTH)?;
    let frequencies = Array::range(frames.stream(), 0..LENGTH / 2 + 1)?;
    // The remainder is exact, so the angle is too.
    let turns = frequencies.outer(&within)? % LENGTH;
    let angles = turns.cast::<f64>() * (TAU / LENGTH as f64);
    let (cosines, sines) = eval((angles.cos().cast::<f32>(), angles.sin().cast::<f32>()))?;
    let (real, imaginary) = (frames.inner(&cosines)?, frames.inner(&sines)?);
    Ok((&real * &real + &imaginary * &imaginary).eval()?)
}

/// Finds the steady tone in the mean of all frames, and the rising tone in each frame.
fn check_tones(power: &Array<f32>, seconds: usize) -> Result<()> {
    let frequencies = Array::<f64>::rfftfreq(power.stream(), LENGTH, 1.0 / RATE as f64)?;
    let (_, strongest) = power.mean_axis(0).top_k(1)?;
    let found = frequencies.take(&strongest, 0)?.item()?;
    println!("strongest on average: {found:.1} Hz");
    ensure!(
        (found - STEADY).abs() <= RESOLUTION,
        "the steady tone has {STEADY} Hz"
    );

    let found = frequencies.take(power.argmax_axis(1), 0)?;
    let middle = Array::range(power.stream(), 0..found.len())?.cast::<f64>() * STEP as f64
        + (LENGTH / 2) as f64;
    let [low, high] = RISING;
    let wanted = middle * ((high - low) / (seconds * RATE) as f64) + low;
    let furthest = (found - wanted).abs().max().item()?;
    println!("the rising tone is found in every frame, at most {furthest:.1} Hz away");
    ensure!(
        furthest <= 2.0 * RESOLUTION,
        "the rising tone is {furthest} Hz away"
    );
    Ok(())
}

/// Compares the energy of frames and frequencies (Parseval's theorem). All frequencies but the first and the last occur
/// twice, as a conjugate pair.
fn check_energy(frames: &Array<f32>, power: &Array<f32>) -> Result<()> {
    let ends = power.slice(s![.., ..;LENGTH / 2])?;
    let of_frequencies = (power.sum_axis(1) * 2.0 - ends.sum_axis(1)) / LENGTH as f32;
    let energy = (frames * frames).sum_axis(1);
    let error = ((of_frequencies - &energy) / &energy).abs().max().item()?;
    ensure!(error < 1e-4, "the energy differs by a factor of {error}");
    Ok(())
}

/// Compares some frames with sums on the CPU.
fn check_with_cpu(frames: &Array<f32>, power: &Array<f32>) -> Result<()> {
    let count = power.shape()[0];
    for frame in (0..count).step_by(count.div_ceil(8)) {
        let samples = frames.slice(s![frame])?.to_vec()?;
        let found = power.slice(s![frame])?.to_vec()?;
        let energy: f64 = samples.iter().map(|&x| f64::from(x).powi(2)).sum();
        for (k, &found) in found.iter().enumerate() {
            let (mut real, mut imaginary) = (0.0, 0.0);
            for (j, &sample) in samples.iter().enumerate() {
                let angle = TAU * (j * k % LENGTH) as f64 / LENGTH as f64;
                real += f64::from(sample) * angle.cos();
                imaginary += f64::from(sample) * angle.sin();
            }
            let wanted = real * real + imaginary * imaginary;
            ensure!(
                (f64::from(found) - wanted).abs() < 1e-4 * energy,
                "frequency {k} of frame {frame} is {found}, not {wanted}"
            );
        }
    }
    println!("energy and frequencies are those of the CPU");
    Ok(())
}

/// Prints the mean power in bands.
fn bars(power: &Array<f32>) -> Result<()> {
    heading("mean power in bands of 250 Hz");
    let bands = power.mean_axis(0).slice(s![..LENGTH / 2])?;
    let bands = bands.reshape([-1, 8])?.sum_axis(1).to_vec()?;
    let most = bands.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    for (band, value) in bands.into_iter().enumerate() {
        let decibels = 10.0 * (value / most).log10();
        let length = (60.0 + 1.5 * decibels).max(0.0) as usize;
        let start = 250 * band;
        println!("{start:>5} Hz {decibels:>6.1} dB {}", "#".repeat(length));
    }
    Ok(())
}

/// Draws time from left to right, frequencies upwards, and 60 decibels from black to white.
fn draw(power: &Array<f32>) -> Result<Picture> {
    let most = power.max().item()?;
    let gray = ((power / most).log10() * (10.0 / 60.0) + 1.0).maximum(0.0) * 255.0;
    // Each value is a square of four pixels.
    let gray = gray.eval()?.t().flip(0)?.repeat([2, 2], [0, 1])?;
    let shape = gray.shape();
    Ok(Picture {
        width: shape[1],
        height: shape[0],
        planes: vec![gray.to_vec()?],
    })
}
