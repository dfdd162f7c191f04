//! The scaling of sums and convolutions over devices: measurements, and the predictions of a model for more devices.
//! `docs/SCALING.md` describes the model.
//!
//! scaling [--network MICROSECONDS GB_PER_S]
//!
//! Without a launcher, it uses all devices with one thread each. It measures twice: with copies
//! between the devices, and with NCCL if it is installed. Under `mpirun` or another launcher, each
//! process is a rank, and NCCL connects them.

mod scales;

use std::{env, thread, time::Duration};

use anyhow::{Context as _, Result, anyhow, ensure};
use cuda_nccl::{
    Collectives, Communicator, CommunicatorOptions, Launch, Library, PeerGroup, SingleRank,
};
use cuda_safe::{Context, Device};
use scales::{
    measure::{self, Locals, Measured, Sizes},
    model::Link,
    report,
};

fn main() -> Result<()> {
    let network = network()?;
    let options = CommunicatorOptions::default().timeout(Duration::from_secs(60));
    // SAFETY: all ranks run this program, with the same arguments.
    let options = unsafe { options.unverified() };
    if let Some(launch) = Launch::from_env()? {
        let group = launch.communicator(options)?;
        let sizes = Sizes::of(group.context())?;
        let locals = measure::locals(&SingleRank::new(group.context()), &sizes)?;
        let found = measure::group(&group, &sizes)?;
        if launch.rank == 0 {
            print(
                &format!("NCCL, {launch}"),
                &sizes,
                &locals,
                &[found],
                network,
            )?;
        }
        return Ok(());
    }
    if env::var_os("CUDA_EMULATOR_DEVICES").is_none() {
        // SAFETY: there is one thread, and the driver has not been called yet. A GPU's driver ignores this variable.
        unsafe { env::set_var("CUDA_EMULATOR_DEVICES", "2") };
    }
    let contexts: Vec<_> = Device::all()?
        .into_iter()
        .map(Context::primary_of)
        .collect::<Result<_, _>>()?;
    let sizes = Sizes::of(&contexts[0])?;
    let locals = measure::locals(&SingleRank::new(&contexts[0]), &sizes)?;
    let mut peers = Vec::new();
    for size in 2..=contexts.len() {
        let ranks = PeerGroup::new(&contexts[..size])?.into_ranks();
        peers.push(on_ranks(ranks, &sizes)?);
    }
    print(
        "copies between devices of one process",
        &sizes,
        &locals,
        &peers,
        network,
    )?;
    match Library::get() {
        Ok(library) => {
            let mut nccl = Vec::new();
            for size in 2..=contexts.len() {
                let ranks = Communicator::for_devices(&contexts[..size], options.clone())?;
                nccl.push(on_ranks(ranks, &sizes)?);
            }
            let by = format!("NCCL {}, one thread per device", library.version());
            print(&by, &sizes, &locals, &nccl, network)
        }
        Err(missing) => {
            println!("\n{missing}");
            Ok(())
        }
    }
}

/// Runs the measurements of a group's ranks, each on its own thread.
fn on_ranks<C: Collectives + Send>(ranks: Vec<C>, sizes: &Sizes) -> Result<Measured> {
    thread::scope(|scope| {
        let threads: Vec<_> = ranks
            .into_iter()
            .map(|rank| scope.spawn(move || measure::group(&rank, sizes)))
            .collect();
        let mut found: Vec<_> = threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| anyhow!("a rank panicked"))?)
            .collect::<Result<_>>()?;
        // All ranks have the same results.
        Ok(found.swap_remove(0))
    })
}

fn print(
    by: &str,
    sizes: &Sizes,
    locals: &Locals,
    measured: &[Measured],
    network: Option<Link>,
) -> Result<()> {
    println!("\n== {by}");
    if sizes.emulated {
        println!("These are times of the emulator, not of a GPU.");
    }
    if measured.is_empty() {
        println!("There is only one device, so there is nothing to compare.");
        return Ok(());
    }
    print!("{}", report::tables(sizes, locals, measured, network));
    Ok(())
}

/// Parses latency and bandwidth between hosts, which cannot be measured on one host.
fn network() -> Result<Option<Link>> {
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument != "--network" {
            continue;
        }
        let mut number = || -> Result<f64> {
            let text = arguments.next();
            let text = text.context(
                "--network needs microseconds and GB/s. Fix: use a form such as --network 5 48",
            )?;
            let number: f64 = text
                .parse()
                .with_context(|| format!("{text:?} is not a number"))?;
            ensure!(number > 0.0, "{text} must be greater than 0");
            Ok(number)
        };
        return Ok(Some(Link {
            hop_us: number()?,
            gb_per_s: number()?,
        }));
    }
    Ok(None)
}
