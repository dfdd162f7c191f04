//! The device of an example: a GPU or the emulator.

use std::fmt::Display;

use anyhow::Result;
use cuda_safe::{Context, Device, Stream};

/// A context and a stream on device 0, which every example uses.
pub struct Gpu {
    pub context: Context,
    pub stream: Stream,
    /// Whether the driver is the emulator, which computes on the CPU.
    pub emulated: bool,
}

impl Gpu {
    /// Opens device 0 and prints one line about it.
    pub fn open() -> Result<Self> {
        let context = Context::primary(0)?;
        let stream = Stream::new(&context)?;
        let emulated = is_emulated(context.device())?;
        println!("{}", describe(context.device())?);
        if emulated {
            println!(
                "This device is software: results are real, sizes are small, and times say \
                 nothing about a GPU."
            );
        }
        Ok(Self {
            context,
            stream,
            emulated,
        })
    }

    /// Returns a size for a GPU, or a smaller one that the emulator can handle in seconds.
    pub fn size<T>(&self, gpu: T, emulator: T) -> T {
        if self.emulated { emulator } else { gpu }
    }

    /// Returns the head of a table column with times of this device.
    pub fn label(&self) -> &'static str {
        self.size("GPU", "emulator")
    }
}

/// The emulator identifies itself in the device's name.
pub fn is_emulated(device: Device) -> Result<bool> {
    Ok(device.name()?.starts_with("CUDA emulator"))
}

/// Returns one line with name, generation and size.
fn describe(device: Device) -> Result<String> {
    let capability = device.compute_capability()?;
    let multiprocessors = device.multiprocessor_count()?;
    let cores = match capability.cores_per_multiprocessor() {
        Some(each) => format!(" ({} cores)", multiprocessors * each),
        None => String::new(),
    };
    Ok(format!(
        "{}: compute capability {capability}, {multiprocessors} multiprocessors{cores}, {:.1} GiB",
        device.name()?,
        device.total_memory()? as f64 / f64::from(1 << 30),
    ))
}

/// Prints a heading above a step's output.
pub fn heading(text: impl Display) {
    println!("\n== {text}");
}
