//! Arrays: simulates the temperature of a plate, and evaluates it.
//!
//! ```text
//! arrays [EDGE [STEPS]]
//! ```
//!
//! Shows expressions that become one kernel each, views of an array, assignment to a part of an array, reductions along
//! an axis, closures as device code, and a kernel with three results: the colours of a picture. A plain loop on the CPU
//! checks the temperatures.

mod common;

use anyhow::{Context, Result, ensure};
use common::{
    gpu::{Gpu, heading},
    picture::{Picture, output_path},
};
use cuda_compute::{Array, device_fn, eval, s};

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: usize| match arguments.get(at) {
        Some(text) => text
            .parse()
            .with_context(|| format!("{text} is not a number")),
        None => Ok(otherwise),
    };
    let edge: usize = number(0, gpu.size(384, 64))?;
    let steps = number(1, gpu.size(5000, 100))?;
    ensure!(edge >= 8, "EDGE is {edge}, and must be at least 8");

    heading(format!(
        "heat in a plate of {edge} x {edge} points, {steps} steps"
    ));
    // One side stays hot, and the others stay cold.
    let mut plate = Array::<f32>::zeros(&gpu.stream, [edge, edge])?;
    plate.slice_mut(s![0])?.fill(100.0)?;
    for _ in 0..steps {
        // Each point becomes the mean of its neighbours. They are views that share the array's memory.
        let above = plate.slice(s![..-2, 1..-1])?;
        let below = plate.slice(s![2.., 1..-1])?;
        let left = plate.slice(s![1..-1, ..-2])?;
        let right = plate.slice(s![1..-1, 2..])?;
        let next = ((above + below) + (left + right)) * 0.25;
        // The expression reads the old values.
        plate.slice_mut(s![1..-1, 1..-1])?.assign(next)?;
    }

    // Several reductions in one pass over the plate.
    let (mean, hottest, rows) = eval((
        plate.mean(),
        plate.slice(s![1..])?.max(),
        plate.mean_axis(1),
    ))?;
    println!(
        "mean {:.3}, hottest inner point {:.3}",
        mean.item()?,
        hottest.item()?
    );
    let rows = rows.to_vec()?;
    println!("means of the first rows: {:.2?}", &rows[..5]);
    ensure!(
        rows.windows(2).all(|pair| pair[0] >= pair[1] - 1e-3),
        "the plate is not warmest at its hot side"
    );

    let celsius_to_fahrenheit = device_fn!(|celsius: f32| celsius * 1.8 + 32.0);
    let fahrenheit = celsius_to_fahrenheit.map((&plate,)).eval()?;
    let corner = fahrenheit.slice(s![-1, -1])?.item()?;
    ensure!(corner == celsius_to_fahrenheit.call((0.0,)), "{corner}");

    // From black through red and yellow to white: each colour rises over a third of the range.
    let glow = device_fn!(|celsius: f32, from: f32| ((celsius - from) * 7.65).clamp(0.0, 255.0));
    let (red, green, blue) = eval((
        glow.map((&plate, 0.0)),
        glow.map((&plate, 33.3)),
        glow.map((&plate, 66.6)),
    ))?;
    let picture = Picture {
        width: edge,
        height: edge,
        planes: vec![red.to_vec()?, green.to_vec()?, blue.to_vec()?],
    };
    let output = output_path("heat.png")?;
    picture.write(&output, false)?;
    println!("wrote {}", output.display());

    let host = on_the_cpu(edge, steps);
    let gpu_plate = plate.to_vec()?;
    let off = host
        .iter()
        .zip(&gpu_plate)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max);
    println!("largest difference from the CPU: {off:e}");
    ensure!(off < 1e-3, "the result differs from the CPU's by {off}");
    Ok(())
}

fn on_the_cpu(edge: usize, steps: usize) -> Vec<f32> {
    let mut plate = vec![0.0; edge * edge];
    plate[..edge].fill(100.0);
    let mut next = plate.clone();
    for _ in 0..steps {
        for row in 1..edge - 1 {
            for column in 1..edge - 1 {
                let at = row * edge + column;
                let vertical = plate[at - edge] + plate[at + edge];
                next[at] = (vertical + (plate[at - 1] + plate[at + 1])) * 0.25;
            }
        }
        std::mem::swap(&mut plate, &mut next);
    }
    plate
}
