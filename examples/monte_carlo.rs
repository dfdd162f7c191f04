//! Integrals by random numbers, with error bars: mean and variance in one pass.
//!
//! ```text
//! monte_carlo [SAMPLES]
//! ```
//!
//! Shows random numbers that whatever kernel uses them makes, without memory of their own; several reductions of one
//! kernel; the same sequence on every device; and reductions along an axis, which tell whether the error bars hold what
//! they promise. The integrals are ones whose value is known.

mod common;

use std::f64::consts::{E, PI};

use anyhow::{Context, Result, ensure};
use common::{
    gpu::{Gpu, heading},
    measure::{measure, show},
    table::Table,
};
use cuda_compute::{Expr, Random, device_fn, eval_on};

const SEED: u64 = 20_130_607;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let samples = match std::env::args().nth(1) {
        Some(text) => text
            .parse()
            .with_context(|| format!("SAMPLES is a number, not {text}"))?,
        None => gpu.size(1 << 28, 1 << 16),
    };
    integrals(&gpu, samples)?;
    option_price(&gpu, samples)?;
    error_bars(&gpu)
}

/// The mean of a function at random places is its integral; its deviation tells how far off that may be.
struct Estimate {
    mean: f64,
    error: f64,
}

impl Estimate {
    /// Of values that are computed, summed and forgotten: one kernel, which reads no memory.
    fn of(gpu: &Gpu, values: &Expr<f64>) -> Result<Self> {
        let samples = values.shape()?.elements() as f64;
        let (mean, variance) = eval_on(&gpu.stream, (values.mean(), values.var(1)))?;
        Ok(Self {
            mean: mean.item()?,
            error: (variance.item()? / samples).sqrt(),
        })
    }

    /// How many error bars the truth is away.
    fn off(&self, truth: f64) -> f64 {
        (self.mean - truth) / self.error
    }
}

fn integrals(gpu: &Gpu, samples: usize) -> Result<()> {
    heading(format!("integrals by {samples} samples"));
    let mut random = Random::new(SEED);
    let mut uniform = || Expr::<f64>::uniform(&mut random, samples);
    let bell = device_fn!(|x: f64| (-x * x).exp());
    let (x, y, z) = (uniform()?, uniform()?, uniform()?);
    let in_ball = (&x * &x + &y * &y + &z * &z).less(1.0);
    let u = uniform()?;
    let cases = [
        ("exp(x) from 0 to 1", u.exp(), E - 1.0),
        // The same, of a sample and its mirror image: their errors cancel for the most part.
        (
            "exp(x), antithetic",
            (u.exp() + (1.0 - &u).exp()) * 0.5,
            E - 1.0,
        ),
        (
            "exp(-x²) from 0 to 1",
            bell.map((&u,)),
            0.746_824_132_812_427,
        ),
        (
            "volume of the ball",
            in_ball.select(8.0, 0.0),
            4.0 / 3.0 * PI,
        ),
    ];
    let mut table = Table::new(&["", "integral", "error bar", "truth", "off by", "by events"]);
    for (name, values, truth) in cases {
        let estimate = Estimate::of(gpu, &values)?;
        let time = measure(gpu, gpu.size(5, 1), || {
            drop(eval_on(&gpu.stream, (values.mean(), values.var(1)))?);
            Ok(())
        })?;
        let off = estimate.off(truth);
        table.row([
            name.to_owned(),
            format!("{:.7}", estimate.mean),
            format!("{:.7}", estimate.error),
            format!("{truth:.7}"),
            format!("{off:+.2} bars"),
            show(time.device),
        ]);
        ensure!(
            off.abs() < 5.0,
            "{name} is {truth}, and not {}",
            estimate.mean
        );
    }
    print!("{table}");
    Ok(())
}

/// What the right to buy a share at a price in a year is worth, if its logarithm walks at random (Black and Scholes, "The
/// pricing of options and corporate liabilities", 1973).
fn option_price(gpu: &Gpu, samples: usize) -> Result<()> {
    heading("a European call option: 100 now, strike 105, a year, 5 % interest, 20 % volatility");
    let payoff = device_fn!(|normal: f64| {
        let share = 100.0 * (0.05 - 0.5 * 0.2 * 0.2 + 0.2 * normal).exp();
        (-0.05f64).exp() * (share - 105.0).max(0.0)
    });
    let mut random = Random::new(SEED + 1);
    let normal = Expr::<f64>::normal(&mut random, samples)?;
    let estimate = Estimate::of(gpu, &payoff.map((normal,)))?;
    // Their formula, with the normal distribution's function.
    let truth = 8.021_352_235_143_176;
    println!(
        "{:.5} ± {:.5}; by the formula {truth:.5}",
        estimate.mean, estimate.error
    );
    ensure!(
        estimate.off(truth).abs() < 5.0,
        "the option is worth {truth}"
    );
    Ok(())
}

/// An error bar promises to hold the truth in 68.3 % of all runs, and two of them in 95.4 %. Here are many runs at once, a
/// row each.
fn error_bars(gpu: &Gpu) -> Result<()> {
    let (runs, samples) = (gpu.size(100_000, 2000), 256);
    heading(format!(
        "the error bars of {runs} runs of {samples} samples"
    ));
    let mut random = Random::new(SEED + 2);
    let values = Expr::<f32>::uniform(&mut random, [runs, samples])?.exp();
    let (means, variances) = eval_on(&gpu.stream, (values.mean_axis(1), values.var_axis(1, 1)))?;

    let truth = std::f32::consts::E - 1.0;
    let errors = (variances / samples as f32).sqrt();
    let off = (means - truth).abs() / errors;
    let (one, two) = cuda_compute::eval((off.less(1.0).count(), off.less(2.0).count()))?;
    for (bars, held, promised) in [(1, one.item()?, 0.683), (2, two.item()?, 0.954)] {
        let share = held as f64 / runs as f64;
        println!(
            "{bars} bar(s) hold the truth in {:.1} %, as promised in {:.1} %",
            100.0 * share,
            100.0 * promised
        );
        // The share is an estimate too.
        let error = (promised * (1.0 - promised) / runs as f64).sqrt();
        ensure!(
            (share - promised).abs() < 5.0 * error + 0.005,
            "the error bars are wrong: {share}"
        );
    }
    Ok(())
}
