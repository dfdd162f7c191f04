//! Tables of the measurements and of the model's predictions.

use std::fmt::Write;

use super::{
    measure::{DEVICES, Locals, Measured, Sizes},
    model::{Link, Model},
};

pub fn tables(
    sizes: &Sizes,
    locals: &Locals,
    measured: &[Measured],
    network: Option<Link>,
) -> String {
    let mut text = String::new();
    let out = &mut text;
    // Writing to a string cannot fail.
    let _ = parts(out, sizes, measured);
    let model = model(sizes, locals, &measured[0]);
    let _ = scaling(out, sizes, locals, measured, &model);
    let _ = beyond(out, locals, &model, "as linked here");
    if let Some(link) = network {
        let model = Model {
            link,
            // The steps of the tree use the network, too.
            reduce_us: model.reduce_us + 2.0 * (link.hop_us - model.link.hop_us).max(0.0),
            ..model
        };
        let by = format!(
            "over a network of {} us and {} GB/s",
            link.hop_us, link.gb_per_s
        );
        let _ = beyond(out, locals, &model, &by);
    }
    text
}

/// Creates the model from the smallest group: two devices, or the launcher's number of ranks.
fn model(sizes: &Sizes, locals: &Locals, measured: &Measured) -> Model {
    let link = Link {
        hop_us: measured.hop,
        gb_per_s: (4 * sizes.sent) as f64 / (measured.sent - measured.hop).max(1e-3) / 1e3,
    };
    let without = Model {
        link,
        reduce_us: (measured.reduce_waited - measured.wait).max(0.0),
        edge_us: 0.0,
        border: sizes.border(),
    };
    let share = DEVICES
        .iter()
        .position(|&devices| devices == measured.devices);
    let edge_us = share.map_or(0.0, |share| {
        let inner = without.convolution(measured.devices, locals.convolutions[share]);
        (measured.convolution[0] - inner).max(0.0)
    });
    Model { edge_us, ..without }
}

/// Returns a size in MiB, or in KiB below one MiB.
fn size(bytes: usize) -> String {
    match bytes >> 20 {
        0 => format!("{} KiB", bytes >> 10),
        mib => format!("{mib} MiB"),
    }
}

fn parts(out: &mut String, sizes: &Sizes, measured: &[Measured]) -> std::fmt::Result {
    writeln!(out, "\nparts, in us")?;
    for found in measured {
        let devices = found.devices as f64;
        writeln!(
            out,
            "  {} devices: one number to the next {:.2}; {} to the next {:.1} ({:.1} GB/s); all-reduce of one number, waited \
             for {:.2}; the wait alone {:.2}",
            found.devices,
            found.hop,
            size(4 * sizes.sent),
            found.sent,
            (4 * sizes.sent) as f64 / found.sent / 1e3,
            found.reduce_waited,
            found.wait
        )?;
        for (&len, &us) in sizes.reduced.iter().zip(&found.reduces) {
            let bus = 2.0 * (devices - 1.0) / devices * (4 * len) as f64 / us / 1e3;
            writeln!(
                out,
                "    all-reduce of {len:>9} f32, one of many {us:>10.2}   bus {bus:>7.1} GB/s"
            )?;
        }
    }
    Ok(())
}

fn scaling(
    out: &mut String,
    sizes: &Sizes,
    locals: &Locals,
    measured: &[Measured],
    model: &Model,
) -> std::fmt::Result {
    let rows = [
        (format!("sum of {} f32", sizes.numbers), &locals.sums),
        (
            format!("{0} x {0} by {1} x {1}", sizes.side, sizes.filter),
            &locals.convolutions,
        ),
    ];
    for (kind, strong) in [
        ("strong scaling: this work divided", true),
        ("weak scaling: this work on each device", false),
    ] {
        writeln!(out, "\n{kind}")?;
        for (at, (work, local)) in rows.iter().enumerate() {
            writeln!(out, "  {work}\n    1 device  {:>12.1} us", local[0])?;
            for found in measured {
                let index = usize::from(!strong);
                let share = DEVICES.iter().position(|&devices| devices == found.devices);
                let whole = if strong { found.devices as f64 } else { 1.0 };
                let mut line = |by: &str, us: f64| {
                    let speed = if strong {
                        local[0] / us
                    } else {
                        found.devices as f64 * local[0] / us
                    };
                    writeln!(
                        out,
                        "    {} devices {us:>12.1} us   {speed:.2} times the speed, efficiency {:.1} %   {by}",
                        found.devices,
                        100.0 * local[0] / us / whole
                    )
                };
                if at == 0 {
                    line("results gathered on the host", found.sum[index])?;
                    line(
                        "results combined by an all-reduce",
                        found.sum_reduced[index],
                    )?;
                } else {
                    line("", found.convolution[index])?;
                }
                if let Some(share) = share {
                    let own = local[if strong { share } else { 0 }];
                    let us = match at {
                        0 => model.sum(found.devices, own),
                        _ => model.convolution(found.devices, own),
                    };
                    line("by the model", us)?;
                }
            }
        }
    }
    Ok(())
}

/// Writes the model's predictions for each number of devices.
fn beyond(out: &mut String, locals: &Locals, model: &Model, by: &str) -> std::fmt::Result {
    writeln!(out, "\nby the model, {by}: {model:.2?}")?;
    writeln!(
        out,
        "  devices   sum, divided   sum, each   convolution, divided   convolution, each   [us, and efficiency]"
    )?;
    for (share, devices) in DEVICES.into_iter().enumerate() {
        write!(out, "  {devices:>7}")?;
        for (local, sum) in [(&locals.sums, true), (&locals.convolutions, false)] {
            for strong in [true, false] {
                let own = local[if strong { share } else { 0 }];
                let us = if sum {
                    model.sum(devices, own)
                } else {
                    model.convolution(devices, own)
                };
                let whole = if strong { devices as f64 } else { 1.0 };
                write!(out, "   {us:>9.1} {:>5.1} %", 100.0 * local[0] / us / whole)?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}
