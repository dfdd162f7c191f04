//! Sorts and order statistics of arrays, and the sort of the standard library on one core.

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
    })
}

fn sort<K: SortKey>(bench: &mut Bench, work: &str, keys: &Array<K>) -> Result<()> {
    measure(bench, work, || keys.sort())
}

/// Adds a row for a call. The median of its device times includes the allocation of the result.
fn measure<R>(
    bench: &mut Bench,
    work: &str,
    call: impl Fn() -> cuda_compute::Result<R>,
) -> Result<()> {
    let us = bench.device_us(bench.choose(21, 2), |_| {
        drop(call()?);
        Ok(())
    })?;
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
