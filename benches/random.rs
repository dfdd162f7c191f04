//! Random numbers, compared with the speed of writing memory.

mod common;

use anyhow::Result;
use common::Bench;
use cuda_compute::{Array, Element, Expr, Random};

fn main() -> Result<()> {
    let mut bench = Bench::new("random")?;
    let count = bench.choose(1 << 27, 1 << 16);
    let mut random = Random::new(1);
    let ones = Expr::scalar(1.0f32).broadcast_to(count)?;
    measure(&mut bench, "f32, the same number", count, &ones)?;
    let ones = Expr::scalar(1.0f64).broadcast_to(count)?;
    measure(&mut bench, "f64, the same number", count, &ones)?;
    let single = Expr::<f32>::uniform(&mut random, count)?;
    measure(&mut bench, "f32, uniform", count, &single)?;
    measure(
        &mut bench,
        "f32 to f64, uniform",
        count,
        &single.cast::<f64>(),
    )?;
    let double = Expr::<f64>::uniform(&mut random, count)?;
    measure(&mut bench, "f64, uniform", count, &double)?;
    let bits = Expr::<u64>::bits(&mut random, count)?;
    measure(&mut bench, "u64, bits", count, &bits)?;
    let dice = Expr::<i32>::uniform_integers(&mut random, count, 1..7)?;
    measure(&mut bench, "i32, of a range", count, &dice)?;
    let wide = Expr::uniform_integers(&mut random, count, 0..1i64 << 60)?;
    measure(&mut bench, "i64, of a large range", count, &wide)?;
    let chance = Expr::bernoulli(&mut random, count, 0.3)?;
    measure(&mut bench, "bool, Bernoulli 0.3", count, &chance)?;
    let single = Expr::<f32>::normal(&mut random, count)?;
    measure(&mut bench, "f32, normal", count, &single)?;
    let double = Expr::<f64>::normal(&mut random, count)?;
    measure(&mut bench, "f64, normal", count, &double)?;
    let single = Expr::<f32>::exponential(&mut random, count)?;
    measure(&mut bench, "f32, exponential", count, &single)?;
    for mean in [1.0, 9.0, 10.0, 1000.0] {
        let events = Expr::poisson(&mut random, count, mean)?;
        measure(&mut bench, &format!("u32, Poisson {mean}"), count, &events)?;
    }
    Ok(())
}

fn measure<T: Element>(
    bench: &mut Bench,
    what: &str,
    count: usize,
    values: &Expr<T>,
) -> Result<()> {
    let stream = bench.stream.clone();
    let mut to: Array<T> = values.eval_on(&stream)?;
    let us = bench.device_us(bench.choose(11, 1), |_| Ok(to.assign(values)?))?;
    let bytes = count * T::DATA_TYPE.size();
    let work = format!("{} {what}", common::size_name(count));
    let rate = format!("{} written", common::rate_name(bytes as f64 / us / 1e3));
    bench.row(&work, bench.label(), us, &rate)
}
