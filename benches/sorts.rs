//! Sorts, order statistics and searches of arrays, and the sort of the standard library on one core.

mod common;

use std::hint::black_box;

use anyhow::{Result, ensure};
use common::{Bench, host_us, size_name};
use cuda_compute::{Array, Expr, Random, SortKey, Sorter};
use cuda_safe::MemoryPool;

fn main() -> Result<()> {
    let mut bench = Bench::new("sorts")?;
    // Otherwise, every wait returns unused memory to the system: see MemoryPool.
    MemoryPool::current(bench.stream.context())?.set_release_threshold(u64::MAX)?;
    let sizes: &[usize] = bench.choose(&[1 << 16, 1 << 20, 1 << 24, 1 << 27], &[1 << 12]);
    let mut random = Random::new(1);
    for &count in sizes {
        let name = size_name(count);
        let bits = Expr::<u32>::bits(&mut random, count)?.eval_on(&bench.stream)?;
        let normal = Expr::<f32>::normal(&mut random, count)?.eval_on(&bench.stream)?;
        let wide = Expr::<u64>::bits(&mut random, count)?.eval_on(&bench.stream)?;
        let bytes = (&bits & 255).cast::<u8>().eval()?;
        sort(&mut bench, &format!("sort of {name} u32"), &bits)?;
        sort(&mut bench, &format!("sort of {name} f32"), &normal)?;
        sort(&mut bench, &format!("sort of {name} u64"), &wide)?;
        sort(&mut bench, &format!("sort of {name} u8"), &bytes)?;
        cpu(&mut bench, &format!("sort of {name} u32"), &bits)?;
        sort_in_place(&mut bench, &format!("sort of {name} u32 in place"), &bits)?;
        measure(&mut bench, &format!("sort of {name} u32 with u32"), || {
            bits.sort_by_key(&bits)
        })?;
        measure(&mut bench, &format!("argsort of {name} f32"), || {
            normal.argsort()
        })?;
        measure(&mut bench, &format!("100 largest of {name} f32"), || {
            normal.top_k(100)
        })?;
        measure(&mut bench, &format!("median of {name} f32"), || {
            normal.median()
        })?;
    }
    let [rows, columns] = bench.choose([1 << 14, 1 << 13], [8, 1 << 10]);
    let shape = format!("{} rows of {}", size_name(rows), size_name(columns));
    let bits = Expr::<u32>::bits(&mut random, [rows, columns])?.eval_on(&bench.stream)?;
    let normal = Expr::<f32>::normal(&mut random, [rows, columns])?.eval_on(&bench.stream)?;
    measure(&mut bench, &format!("sort of {shape} u32"), || {
        bits.sort_axis(1)
    })?;
    measure(&mut bench, &format!("10 largest of {shape} f32"), || {
        normal.top_k_axis(10, 1)
    })?;
    sets(&mut bench, &mut random, sizes[sizes.len() - 1])?;
    over_sizes(&mut bench, &mut random)
}

/// Adds rows for unique elements and for searches.
fn sets(bench: &mut Bench, random: &mut Random, count: usize) -> Result<()> {
    let name = size_name(count);
    let ordered = Expr::<u32>::bits(random, count)?
        .eval_on(&bench.stream)?
        .sort()?;
    let us = host_us(|| drop(black_box(ordered.unique_consecutive())));
    bench.row(
        &format!("unique of {name} u32 in order"),
        &format!("{}, host time", bench.label()),
        us,
        "waits for the number of elements",
    )?;
    drop(ordered);
    let table = bench.choose(1 << 16, 1 << 8);
    let sorted = Expr::<f32>::normal(random, table)?
        .eval_on(&bench.stream)?
        .sort()?;
    let values = Expr::<f32>::normal(random, count)?.eval_on(&bench.stream)?;
    let work = format!("searchsorted of {name} in {} f32", size_name(table));
    measure(bench, &work, || sorted.searchsorted(&values))
}

/// Adds the points of plots over sizes.
fn over_sizes(bench: &mut Bench, random: &mut Random) -> Result<()> {
    for exponent in (10..=bench.choose(28, 12)).step_by(2) {
        let count = 1usize << exponent;
        let bits = Expr::<u32>::bits(random, count)?.eval_on(&bench.stream)?;
        let normal = Expr::<f32>::normal(random, count)?.eval_on(&bench.stream)?;
        point(bench, "sort of u32", count, 8, || bits.sort())?;
        point(bench, "argsort of f32", count, 12, || normal.argsort())?;
        point(bench, "100 largest of f32", count, 4, || normal.top_k(100))?;
    }
    Ok(())
}

/// Adds a point of a plot. `bytes` is the number of bytes per element that the work reads and writes.
fn point<R>(
    bench: &mut Bench,
    plot: &str,
    count: usize,
    bytes: usize,
    call: impl Fn() -> cuda_compute::Result<R>,
) -> Result<()> {
    let us = time(bench, call)?;
    let by = format!("{}, device time", bench.label());
    bench.point(plot, count, bytes * count, &by, us)
}

/// Returns the median of the device times of a call, including the allocation of its result.
fn time<R>(bench: &Bench, call: impl Fn() -> cuda_compute::Result<R>) -> Result<f64> {
    bench.device_us(bench.choose(21, 2), |_| {
        drop(call()?);
        Ok(())
    })
}

fn sort<K: SortKey>(bench: &mut Bench, work: &str, keys: &Array<K>) -> Result<()> {
    measure(bench, work, || keys.sort())
}

/// Adds a row for a call.
fn measure<R>(
    bench: &mut Bench,
    work: &str,
    call: impl Fn() -> cuda_compute::Result<R>,
) -> Result<()> {
    let us = time(bench, call)?;
    bench.row(work, &format!("{}, device time", bench.label()), us, "")
}

/// Adds a row for sorts without allocations.
fn sort_in_place(bench: &mut Bench, work: &str, keys: &Array<u32>) -> Result<()> {
    let mut sorter = Sorter::<u32>::new(&bench.stream, keys.len())?;
    let mut sorted = keys.copy()?.into_buffer()?;
    sorter.sort(&mut sorted)?;
    let mut wanted = keys.to_vec()?;
    wanted.sort_unstable();
    ensure!(sorted.to_vec(&bench.stream)? == wanted, "{work} is wrong");
    let us = bench.device_us(bench.choose(21, 2), |_| Ok(sorter.sort(&mut sorted)?))?;
    bench.row(
        work,
        &format!("{}, device time", bench.label()),
        us,
        "of keys in order, with a Sorter",
    )
}

/// Adds a row for the standard library's sort. The copy of the keys before it is not timed.
fn cpu(bench: &mut Bench, work: &str, keys: &Array<u32>) -> Result<()> {
    let keys = keys.to_vec()?;
    let mut copy = keys.clone();
    let copying = host_us(|| copy.copy_from_slice(black_box(&keys)));
    let us = host_us(|| {
        copy.copy_from_slice(&keys);
        black_box(&mut copy).sort_unstable();
    });
    bench.row(work, "CPU, sort_unstable on one core", us - copying, "")
}
