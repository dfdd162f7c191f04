//! A group-by: the number, sum, mean, smallest and largest amount of each shop, with arrays only.
//!
//! ```text
//! group_by [SALES]
//! ```
//!
//! Shows a sort by key, runs of equal keys, reductions of segments, and the shops with the largest sums. Every aggregate is
//! compared with the CPU's.

mod common;

use std::{collections::BTreeMap, time::Instant};

use anyhow::{Context, Result, ensure};
use common::{
    gpu::{Gpu, heading},
    measure::show,
    table::Table,
};
use cuda_compute::{Array, Combination, Random, eval};

/// The number of shops. Their numbers have gaps.
const SHOPS: u32 = 1000;

fn main() -> Result<()> {
    let gpu = Gpu::open()?;
    let count = match std::env::args().nth(1) {
        Some(text) => text
            .parse()
            .with_context(|| format!("{text} is not a number"))?,
        None => gpu.size(1_000_000, 20_000),
    };
    ensure!(count > 0, "expected at least one sale");
    let mut random = Random::new(7);
    let shop = Array::<u32>::uniform_integers(&gpu.stream, &mut random, count, 0..SHOPS)?;
    let shop = (shop * 17 + 3).eval()?;
    // In cents: sums of integers are exact.
    let cents = Array::<u32>::uniform_integers(&gpu.stream, &mut random, count, 1..100_000)?;

    heading(format!("{count} sales, grouped by shop"));
    let clock = Instant::now();
    let (shop, cents) = shop.sort_by_key(&cents)?;
    let (shops, numbers) = shop.run_length()?;
    // The sales of shop i are those from offsets[i] up to offsets[i + 1].
    let offsets =
        cuda_compute::concatenate(&[&Array::zeros(&gpu.stream, 1)?, &numbers.cumsum(0)?], 0)?;
    let sums = cents
        .cast::<u64>()
        .segment_reduce(Combination::sum(), &offsets)?;
    let smallest = cents.segment_reduce(Combination::min(), &offsets)?;
    let largest = cents.segment_reduce(Combination::max(), &offsets)?;
    let means = (sums.cast::<f64>() / numbers.cast::<f64>()).eval()?;
    let (best, places) = sums.top_k(shops.len().min(5))?;
    gpu.stream.synchronize()?;
    println!("{} shops in {}", shops.len(), show(clock.elapsed()));

    let mut table = Table::new(&["shop", "sales", "sum", "mean", "smallest", "largest"]);
    let best_rows = eval((
        shops.take(&places, 0)?.expr(),
        numbers.take(&places, 0)?.expr(),
        means.take(&places, 0)?.expr(),
        smallest.take(&places, 0)?.expr(),
        largest.take(&places, 0)?.expr(),
    ))?;
    let (names, sales, mean, low, high) = best_rows;
    let (names, sales, mean) = (names.to_vec()?, sales.to_vec()?, mean.to_vec()?);
    let (low, high) = (low.to_vec()?, high.to_vec()?);
    let euros = |cents: f64| format!("{:.2}", cents / 100.0);
    for (i, sum) in best.to_vec()?.into_iter().enumerate() {
        table.row([
            names[i].to_string(),
            sales[i].to_string(),
            euros(sum as f64),
            euros(mean[i]),
            euros(low[i].into()),
            euros(high[i].into()),
        ]);
    }
    print!("{table}");

    let mut groups = BTreeMap::<u32, Vec<u32>>::new();
    for (shop, cents) in shop.to_vec()?.into_iter().zip(cents.to_vec()?) {
        groups.entry(shop).or_default().push(cents);
    }
    let wanted: Vec<_> = groups
        .iter()
        .map(|(&shop, cents)| {
            let sum = cents.iter().map(|&one| u64::from(one)).sum::<u64>();
            let (low, high) = (cents.iter().min(), cents.iter().max());
            let mean = sum as f64 / cents.len() as f64;
            (shop, cents.len(), sum, mean, low.copied(), high.copied())
        })
        .collect();
    let (shops, numbers, sums) = (shops.to_vec()?, numbers.to_vec()?, sums.to_vec()?);
    let (smallest, largest, means) = (smallest.to_vec()?, largest.to_vec()?, means.to_vec()?);
    let found: Vec<_> = (0..shops.len())
        .map(|i| {
            let (low, high) = (Some(smallest[i]), Some(largest[i]));
            (shops[i], numbers[i], sums[i], means[i], low, high)
        })
        .collect();
    ensure!(found == wanted, "the groups differ from the CPU's");
    let largest_sum = wanted.iter().map(|group| group.2).max();
    ensure!(Some(best.at(0)?) == largest_sum, "the best shop is wrong");
    println!("all {} groups are those of the CPU", shops.len());
    Ok(())
}
