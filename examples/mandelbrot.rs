//! The Mandelbrot set as a picture: a Rust closure as device code.
//!
//! ```text
//! mandelbrot [WIDTH [STEPS [OUTPUT]]]
//! ```
//!
//! WIDTH is the picture's width in pixels, STEPS the maximum number of steps per point, OUTPUT a PNG file.
//!
//! Shows closures that run on the device and on the CPU, one of them with a loop, a row and a column that are broadcast to a
//! plane, a kernel with three outputs (the colours), and reductions. The picture is checked against the known area of the
//! set, against a part that has a formula, and against the CPU.

mod common;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use common::{
    gpu::{Gpu, heading},
    measure::{measure, measure_cpu, show},
    picture::{Picture, output_path},
};
use cuda_compute::{Array, DeviceFn, device_fn, eval};

/// Returns the number of steps of z² + c after which a point leaves the circle of radius 16, with a
/// fraction for smooth colours. Returns 0 for points that never leave it in these steps, which are
/// treated as points of the set.
const STEPS_OUT: DeviceFn<fn(f32, f32, u32) -> f32> =
    device_fn!(|re: f32, im: f32, most: u32| -> f32 {
        let mut x = 0.0f32;
        let mut y = 0.0f32;
        for step in 0..most {
            let squares = x * x + y * y;
            if squares > 256.0 {
                return step as f32 + 1.0 - (squares.ln() * 0.5).log2();
            }
            let next = x * x - y * y + re;
            y = 2.0 * x * y + im;
            x = next;
        }
        0.0
    });

/// Returns whether a point is well inside one of the two largest parts of the set: the cardioid, and the circle to its left.
const INSIDE: DeviceFn<fn(f32, f32) -> bool> = device_fn!(|re: f32, im: f32| -> bool {
    let from_cusp = (re - 0.25) * (re - 0.25) + im * im;
    let heart = from_cusp * (from_cusp + (re - 0.25)) < 0.249 * im * im;
    let circle = (re + 1.0) * (re + 1.0) + im * im < 0.062;
    heart || circle
});

/// Returns one of the colours, from 0 to 255. Each has a different phase.
const COLOUR: DeviceFn<fn(f32, f32) -> f32> = device_fn!(|steps: f32, shift: f32| {
    if steps > 0.0 {
        127.5 - 127.5 * (steps.ln_1p() * 2.5 + shift).cos()
    } else {
        0.0
    }
});

/// The visible part of the plane, which contains the whole set.
const LEFT: f32 = -2.1;
const RIGHT: f32 = 0.7;
const TOP: f32 = 1.2;
/// The set's area, known to these digits by counting pixels.
const AREA: f64 = 1.506_592;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, name: &str| -> Result<Option<u32>> {
        let parse = |text: &String| {
            text.parse()
                .with_context(|| format!("{name} is {text}, but must be a number"))
        };
        arguments.get(at).map(parse).transpose()
    };
    let gpu = Gpu::open()?;
    let width = number(0, "WIDTH")?.unwrap_or(gpu.size(2800, 350)) as usize;
    let most = number(1, "STEPS")?.unwrap_or(gpu.size(2000, 200));
    let output = match arguments.get(2) {
        Some(path) => PathBuf::from(path),
        None => output_path("mandelbrot.png")?,
    };
    ensure!(width >= 16, "WIDTH is {width}, but must be at least 16");
    let height = (width as f32 * 2.0 * TOP / (RIGHT - LEFT)) as usize;
    heading(format!("{width} x {height} points, at most {most} steps"));

    // A row and a column, which are broadcast to the plane.
    let re = Array::linspace(&gpu.stream, LEFT, RIGHT, width)?;
    let im = Array::linspace(&gpu.stream, TOP, -TOP, height)?.reshape([height, 1])?;
    let mut steps_out = STEPS_OUT.map((&re, &im, most)).eval()?;
    let time = measure(&gpu, gpu.size(5, 1), || {
        Ok(steps_out.assign(STEPS_OUT.map((&re, &im, most)))?)
    })?;
    println!("{} on the {}, by events", show(time.device), gpu.label());

    known(&steps_out, &re, &im, most)?;
    against_the_cpu(&steps_out, &re, &im, most)?;

    let colour = |shift: f32| COLOUR.map((&steps_out, shift));
    let (red, green, blue) = eval((colour(0.4), colour(0.0), colour(-0.8)))?;
    let picture = Picture {
        width,
        height,
        planes: vec![red.to_vec()?, green.to_vec()?, blue.to_vec()?],
    };
    picture.write(&output, false)?;
    println!("\nwrote {}", output.display());
    Ok(())
}

/// Checks known properties of the set.
fn known(steps_out: &Array<f32>, re: &Array<f32>, im: &Array<f32>, most: u32) -> Result<()> {
    let stays = steps_out.equal(0.0);
    let inside = INSIDE.map((re, im));
    // One kernel reads the plane once for all three.
    let (members, sure, wrong) = eval((stays.count(), inside.count(), (inside & !&stays).count()))?;
    let (members, sure, wrong) = (members.item()?, sure.item()?, wrong.item()?);
    let (width, height) = (re.len(), im.len());
    let plane = f64::from((RIGHT - LEFT) * 2.0 * TOP);
    // The outermost points are on the edge of the plane.
    let point = plane / ((width - 1) * (height - 1)) as f64;
    let area = members as f64 * point;
    println!("area of the points that stay: {area:.4}, of the set: {AREA}");
    println!("{sure} points are known to stay, and they do");
    ensure!(
        wrong == 0,
        "{wrong} points of the cardioid and the circle left"
    );
    // With few steps, a rim of points has not left yet. With few pixels, the border is sampled coarsely.
    let tolerance = 10.0 / f64::from(most) + 10.0 / width as f64;
    ensure!((area - AREA).abs() < tolerance, "the area is not {AREA}");
    Ok(())
}

/// Compares with the same closure on the CPU. The device may round a product and a sum once instead of twice, so points
/// near the border may leave at another step. Elsewhere, the steps are nearly equal.
fn against_the_cpu(
    steps_out: &Array<f32>,
    re: &Array<f32>,
    im: &Array<f32>,
    most: u32,
) -> Result<()> {
    let (re_host, im_host) = (re.to_vec()?, im.to_vec()?);
    let width = re_host.len();
    // Only some of the rows, because one core is slow.
    let rows: Vec<usize> = (0..im_host.len())
        .step_by(im_host.len().div_ceil(24))
        .collect();
    let (host, cpu_time) = measure_cpu(1, || {
        let row = |&row: &usize| re_host.iter().map(move |re| (row, *re));
        let points = rows.iter().flat_map(row);
        points
            .map(|(row, re)| STEPS_OUT.call((re, im_host[row], most)))
            .collect::<Vec<_>>()
    });
    let device = steps_out.to_vec()?;
    let device = rows.iter().flat_map(|row| &device[row * width..][..width]);
    let others = device
        .zip(&host)
        .filter(|(a, b)| (**a - **b).abs() > 0.01)
        .count();
    let share = 100.0 * others as f64 / host.len() as f64;
    println!(
        "{} rows on one core of the CPU, by the clock: {}. {share:.2} % of their points leave at another step there",
        rows.len(),
        show(cpu_time)
    );
    ensure!(share < 2.0, "the picture differs from the CPU's");
    Ok(())
}
