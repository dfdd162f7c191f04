//! All properties of all devices, as tables.
//!
//! Shows how to find and query devices, and how to compute the number of cores and the peak rates of
//! memory and arithmetic from their attributes. `device_query --short` omits the list of all
//! attributes.

mod common;

use anyhow::{Result, ensure};
use common::{gpu::heading, table::Table};
use cuda_safe::{Context, Device, DeviceAttribute as Attribute, driver, program::nvrtc_version};

fn main() -> Result<()> {
    let short = std::env::args().any(|argument| argument == "--short");
    let devices = Device::all()?;
    println!(
        "driver of CUDA {}, NVRTC {}, {} device(s)",
        driver::version()?,
        nvrtc_version()?,
        devices.len()
    );
    for device in devices {
        check(device)?;
        heading(format!("device {}: {}", device.ordinal(), device.name()?));
        print!("{}", summary(device)?);
        if !short {
            heading("all attributes");
            print!("{}", attributes(device));
        }
    }
    Ok(())
}

/// Checks that different queries return the same answers.
fn check(device: Device) -> Result<()> {
    let address = device.pci_bus_id()?;
    let found = Device::by_pci_bus_id(&address)?;
    ensure!(found == device, "{address} is device {}", found.ordinal());
    let listed: Vec<_> = device.attributes().collect();
    let count = (
        Attribute::MULTIPROCESSOR_COUNT,
        device.multiprocessor_count()? as i32,
    );
    ensure!(
        listed.contains(&count),
        "the list of attributes does not contain {count:?}"
    );
    ensure!(
        device.multiprocessor_count()? > 0,
        "a device without multiprocessors"
    );
    let memory = Context::primary_of(device)?.memory_info()?;
    ensure!(
        memory.free <= memory.total,
        "the free memory exceeds the total memory"
    );
    Ok(())
}

/// The most important properties, with units.
fn summary(device: Device) -> Result<Table> {
    let get = |attribute| device.attribute(attribute);
    let capability = device.compute_capability()?;
    let multiprocessors = device.multiprocessor_count()?;
    let memory = Context::primary_of(device)?.memory_info()?;
    let clock_khz = f64::from(get(Attribute::CLOCK_RATE)?);
    let memory_khz = f64::from(get(Attribute::MEMORY_CLOCK_RATE)?);
    let bus_bits = f64::from(get(Attribute::GLOBAL_MEMORY_BUS_WIDTH)?);
    let kib = |attribute| Ok::<_, cuda_safe::Error>(format!("{} KiB", get(attribute)? / 1024));
    let extent =
        |x, y, z| Ok::<_, cuda_safe::Error>(format!("{} x {} x {}", get(x)?, get(y)?, get(z)?));

    let mut table = Table::new(&["", "value"]);
    let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
    row("UUID", device.uuid()?.to_string());
    row("PCI address", device.pci_bus_id()?);
    row("compute capability", capability.to_string());
    row("multiprocessors", multiprocessors.to_string());
    match capability.cores_per_multiprocessor() {
        Some(each) => {
            let cores = multiprocessors * each;
            row("cores", format!("{each} each, {cores} in total"));
            // One fused multiply-add per core and clock counts as two operations.
            let peak = 2.0 * f64::from(cores) * clock_khz * 1e3 / 1e12;
            row("peak of float32", format!("{peak:.1} TFLOP/s"));
        }
        None => row("cores", "unknown for this generation".to_owned()),
    }
    row("clock", format!("{:.0} MHz", clock_khz / 1e3));
    row("memory", format!("{:.1} GiB", gib(device.total_memory()?)));
    row("memory free now", format!("{:.1} GiB", gib(memory.free)));
    row("memory clock", format!("{:.0} MHz", memory_khz / 1e3));
    row("memory bus", format!("{bus_bits} bits"));
    // Two transfers per clock.
    let bandwidth = 2.0 * memory_khz * 1e3 * bus_bits / 8.0 / 1e9;
    row("peak of memory bandwidth", format!("{bandwidth:.0} GB/s"));
    row("L2 cache", kib(Attribute::L2_CACHE_SIZE)?);
    row("constant memory", kib(Attribute::TOTAL_CONSTANT_MEMORY)?);
    row(
        "shared memory per block",
        kib(Attribute::MAX_SHARED_MEMORY_PER_BLOCK)?,
    );
    row(
        "  on request",
        kib(Attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
    );
    row(
        "  per multiprocessor",
        kib(Attribute::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
    );
    row(
        "registers per block",
        get(Attribute::MAX_REGISTERS_PER_BLOCK)?.to_string(),
    );
    row("warp size", get(Attribute::WARP_SIZE)?.to_string());
    row(
        "threads per block",
        get(Attribute::MAX_THREADS_PER_BLOCK)?.to_string(),
    );
    row(
        "threads per multiprocessor",
        get(Attribute::MAX_THREADS_PER_MULTIPROCESSOR)?.to_string(),
    );
    row(
        "largest block",
        extent(
            Attribute::MAX_BLOCK_DIM_X,
            Attribute::MAX_BLOCK_DIM_Y,
            Attribute::MAX_BLOCK_DIM_Z,
        )?,
    );
    row(
        "largest grid",
        extent(
            Attribute::MAX_GRID_DIM_X,
            Attribute::MAX_GRID_DIM_Y,
            Attribute::MAX_GRID_DIM_Z,
        )?,
    );
    row(
        "copy engines",
        get(Attribute::ASYNC_ENGINE_COUNT)?.to_string(),
    );
    row("error correction", yes_or_no(get(Attribute::ECC_ENABLED)?));
    row("managed memory", yes_or_no(get(Attribute::MANAGED_MEMORY)?));
    row(
        "memory pools",
        yes_or_no(get(Attribute::MEMORY_POOLS_SUPPORTED)?),
    );
    row(
        "cooperative launch",
        yes_or_no(get(Attribute::COOPERATIVE_LAUNCH)?),
    );
    Ok(table)
}

/// All attributes of the driver, by their names.
fn attributes(device: Device) -> Table {
    let mut table = Table::new(&["attribute", "value"]);
    for (attribute, value) in device.attributes() {
        table.row([attribute.to_string(), value.to_string()]);
    }
    table
}

fn gib(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

fn yes_or_no(value: i32) -> String {
    if value != 0 { "yes" } else { "no" }.to_owned()
}
