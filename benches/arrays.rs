//! Arrays: fused expressions, reductions along axes, transpositions, scans, histograms. Some are measured over all sizes, for
//! plots.
//!
//! `cargo bench --bench arrays -- NAME` measures only the work whose name contains NAME.

mod common;

use std::cell::Cell;

use anyhow::Result;
use common::{Bench, size_name};
use cuda_compute::{Array, Evaluate, Expr, Order, Random, eval_on, s};
use cuda_safe::{DeviceBuffer, MemoryPool};

fn main() -> Result<()> {
    let mut bench = Bench::new("arrays")?;
    // Otherwise, every wait returns unused memory to the system: see MemoryPool.
    MemoryPool::current(bench.stream.context())?.set_release_threshold(u64::MAX)?;
    let only = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let mut rows = Rows {
        only,
        read: 0.0,
        copy: 0.0,
    };
    rows.ceilings(&mut bench)?;
    rows.maps(&mut bench)?;
    rows.reductions(&mut bench)?;
    rows.moves(&mut bench)?;
    rows.scans(&mut bench)?;
    rows.put_add(&mut bench)?;
    rows.histogram(&mut bench)?;
    rows.products(&mut bench)?;
    rows.sizes(&mut bench)
}

struct Rows {
    /// Selects the work whose name contains this.
    only: Option<String>,
    /// The device's rates for reading, and for reading and writing, in GB/s.
    read: f64,
    copy: f64,
}

impl Rows {
    fn ceilings(&mut self, bench: &mut Bench) -> Result<()> {
        let pool = bench.random(bench.choose(1 << 28, 1 << 16), 1)?;
        let mut other = DeviceBuffer::uninit(&bench.stream, pool.len())?;
        self.read = bench.read_ceiling(&pool)?;
        self.copy = bench.copy_ceiling(&pool, &mut other)?;
        bench.ceiling("read", self.read, "GB/s")?;
        bench.ceiling("copy", self.copy, "GB/s")
    }

    /// Adds a row for an expression. `bytes` is the number of bytes that must be moved, and `writes` tells whether some of them
    /// are written.
    fn measure<E: Evaluate>(
        &self,
        bench: &mut Bench,
        work: &str,
        bytes: usize,
        writes: bool,
        make: impl Fn(usize) -> E,
    ) -> Result<()> {
        let stream = bench.stream.clone();
        self.measure_call(bench, work, bytes, writes, |i| {
            drop(eval_on(&stream, make(i))?);
            Ok(())
        })
    }

    /// Adds a row for an operation that is not an expression.
    fn measure_call(
        &self,
        bench: &mut Bench,
        work: &str,
        bytes: usize,
        writes: bool,
        call: impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        if self.skips(work) {
            return Ok(());
        }
        let us = bench.device_us(bench.choose(31, 2), call)?;
        let rate = bytes as f64 / us / 1e3;
        let (limit, name) = match writes {
            true => (self.copy, "copy"),
            false => (self.read, "read"),
        };
        let note = format!(
            "{}, {:.1} % of {name}",
            common::rate_name(rate),
            100.0 * rate / limit
        );
        let by = format!("{}, device time", bench.label());
        bench.row(work, &by, us, &note)
    }

    fn skips(&self, work: &str) -> bool {
        self.only
            .as_ref()
            .is_some_and(|only| !work.contains(only.as_str()))
    }

    fn array(&self, bench: &Bench, shape: &[usize], seed: u64) -> Result<Array<f32>> {
        let count = shape.iter().product();
        let numbers = bench.random(count, seed)?;
        Ok(Array::from_buffer(numbers, shape)?)
    }

    fn maps(&self, bench: &mut Bench) -> Result<()> {
        let sizes: &[usize] = bench.choose(&[1 << 20, 1 << 24, 1 << 27], &[1 << 12]);
        for &count in sizes {
            // Alternates between several inputs, so that they are not read from the cache.
            let sets = ((1usize << 27) / count).clamp(1, 12);
            let name = size_name(count);
            let inputs: Vec<_> = (0..bench.choose(sets, 1))
                .map(|i| {
                    Ok((
                        self.array(bench, &[count], 2 * i as u64)?,
                        self.array(bench, &[count], 2 * i as u64 + 1)?,
                    ))
                })
                .collect::<Result<_>>()?;
            let of = |i: usize| &inputs[i % inputs.len()];
            self.measure(
                bench,
                &format!("2x + 3, {name} f32"),
                8 * count,
                true,
                |i| &of(i).0 * 2.0 + 3.0,
            )?;
            self.measure(
                bench,
                &format!("sin(x) exp(y) + x y, {name} f32"),
                12 * count,
                true,
                |i| {
                    let (x, y) = of(i);
                    x.sin() * y.exp() + x * y
                },
            )?;
            self.measure(
                bench,
                &format!("x + y and x - y, {name} f32"),
                16 * count,
                true,
                |i| {
                    let (x, y) = of(i);
                    (x + y, x - y)
                },
            )?;
        }
        let (rows, columns) = bench.choose((16_384, 8192), (64, 64));
        let x = self.array(bench, &[rows, columns], 1)?;
        let row = self.array(bench, &[columns], 2)?;
        let column = self.array(bench, &[rows, 1], 3)?;
        let bytes = 8 * rows * columns;
        self.measure(
            bench,
            &format!("matrix + row, {rows} x {columns} f32"),
            bytes,
            true,
            |_| &x + &row,
        )?;
        self.measure(
            bench,
            &format!("matrix + column, {rows} x {columns} f32"),
            bytes,
            true,
            |_| &x + &column,
        )?;
        Ok(())
    }

    fn reductions(&self, bench: &mut Bench) -> Result<()> {
        let shapes: &[&[usize]] = bench.choose(
            &[
                &[1 << 20],
                &[1 << 27],
                &[4096, 4096],
                &[16_384, 8192],
                &[1 << 20, 64],
                &[64, 1 << 20],
                &[256, 256, 256],
            ],
            &[&[1 << 12], &[64, 64]],
        );
        for shape in shapes {
            let count: usize = shape.iter().product();
            let sets = ((1usize << 27) / count).clamp(1, 12);
            let inputs: Vec<_> = (0..bench.choose(sets, 1))
                .map(|i| self.array(bench, shape, i as u64))
                .collect::<Result<_>>()?;
            let of = |i: usize| &inputs[i % inputs.len()];
            let name: Vec<String> = shape.iter().map(|&length| size_name(length)).collect();
            let name = name.join(" x ");
            if shape.len() == 1 {
                self.measure(
                    bench,
                    &format!("sum of {name} f32"),
                    4 * count,
                    false,
                    |i| of(i).sum(),
                )?;
                self.measure(
                    bench,
                    &format!("sum of squares of {name} f32"),
                    4 * count,
                    false,
                    |i| (of(i) * of(i)).sum(),
                )?;
                self.measure(
                    bench,
                    &format!("argmax of {name} f32"),
                    4 * count,
                    false,
                    |i| of(i).argmax(),
                )?;
                continue;
            }
            for axis in 0..shape.len() {
                self.measure(
                    bench,
                    &format!("sum along axis {axis} of {name} f32"),
                    4 * count,
                    false,
                    |i| of(i).sum_axis(axis),
                )?;
            }
            if shape.len() == 2 {
                self.measure(
                    bench,
                    &format!("mean and variance of rows, {name} f32"),
                    4 * count,
                    false,
                    |i| (of(i).mean_axis(1), of(i).var_axis(1, 0)),
                )?;
                self.measure(
                    bench,
                    &format!("softmax of rows, {name} f32"),
                    8 * count,
                    true,
                    |i| softmax(of(i)),
                )?;
            }
        }
        Ok(())
    }

    fn moves(&self, bench: &mut Bench) -> Result<()> {
        let shapes: &[[usize; 2]] =
            bench.choose(&[[4096, 4096], [16_384, 8192], [1 << 20, 64]], &[[64, 32]]);
        for &[rows, columns] in shapes {
            let x = self.array(bench, &[rows, columns], 1)?;
            let other = self.array(bench, &[columns, rows], 2)?;
            let work = format!(
                "transposition of {} x {} f32",
                size_name(rows),
                size_name(columns)
            );
            // The result has the memory order of the first operand. The second operand is
            // transposed.
            self.measure(
                bench,
                &format!("{work}, added"),
                12 * rows * columns,
                true,
                |_| &other + x.t(),
            )?;
            let transposed = x.t();
            self.measure_call(bench, &work, 8 * rows * columns, true, |_| {
                drop(transposed.contiguous(Order::C)?);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn scans(&self, bench: &mut Bench) -> Result<()> {
        let sizes: &[usize] = bench.choose(&[1 << 20, 1 << 24, 1 << 27], &[1 << 12]);
        for &count in sizes {
            let work = format!("inclusive scan of {} f32", size_name(count));
            let x = self.array(bench, &[count], 1)?;
            self.measure_call(bench, &work, 8 * count, true, |_| {
                drop(x.cumsum(0)?);
                Ok(())
            })?;
        }
        let edge = bench.choose(8192, 64);
        let x = self.array(bench, &[edge, edge], 1)?;
        for axis in [0, 1] {
            let name = size_name(edge);
            let work = format!("scan along axis {axis} of {name} x {name} f32");
            self.measure_call(bench, &work, 8 * edge * edge, true, |_| {
                drop(x.cumsum(axis)?);
                Ok(())
            })?;
        }
        // The host waits for the number of elements.
        let count = bench.choose(1 << 27, 1 << 12);
        let x = self.array(bench, &[count], 1)?;
        let work = format!("selection of half of {} f32", size_name(count));
        if self.skips(&work) {
            return Ok(());
        }
        let mask = x.greater(0.0).eval()?;
        bench.stream.synchronize()?;
        let us = common::host_us(|| {
            drop(x.compress(&mask).expect("the selection"));
            bench.stream.synchronize().expect("the selection");
        });
        let by = format!("{}, host time", bench.label());
        bench.row(&work, &by, us, "")
    }

    /// Adds values at random indices. The host waits, because indices are checked.
    fn put_add(&self, bench: &mut Bench) -> Result<()> {
        let (count, length) = (
            bench.choose(1 << 24, 1 << 10),
            bench.choose(1 << 20, 1 << 6),
        );
        let work = format!(
            "{} f32 added at {} places",
            size_name(count),
            size_name(length)
        );
        if self.skips(&work) {
            return Ok(());
        }
        let values = self.array(bench, &[count], 1)?;
        let bits = Expr::<u32>::bits(&mut Random::new(1), count)?;
        let places = (bits & (length as u32 - 1)).eval_on(&bench.stream)?;
        let mut sums = Array::<f32>::zeros(&bench.stream, length)?;
        bench.stream.synchronize()?;
        let us = common::host_us(|| {
            sums.put_add(&places, &values).expect("the sums");
        });
        let by = format!("{}, host time", bench.label());
        bench.row(&work, &by, us, "the same bits in every run")
    }

    fn histogram(&self, bench: &mut Bench) -> Result<()> {
        let count = bench.choose(1 << 27, 1 << 12);
        let bits = Expr::<u32>::bits(&mut Random::new(1), count)?;
        let bytes = (bits & 255).cast::<u8>().eval_on(&bench.stream)?;
        let work = format!("histogram of {} u8, 256 bins", size_name(count));
        self.measure_call(bench, &work, count, false, |_| {
            drop(bytes.histogram(256)?);
            Ok(())
        })
    }

    /// Matrix products by cuBLAS, which must be installed.
    fn products(&self, bench: &mut Bench) -> Result<()> {
        fn product<T: cuda_compute::Math>(
            rows: &Rows,
            bench: &mut Bench,
            element: &str,
            (a, b): (Array<T>, Array<T>),
        ) -> Result<()> {
            let edge = a.shape()[0];
            let name = size_name(edge);
            let work = format!("product of {name} x {name} matrices of {element}");
            if rows.skips(&work) {
                return Ok(());
            }
            let us = bench.device_us(bench.choose(31, 2), |_| {
                drop(a.matmul(&b)?);
                Ok(())
            })?;
            let rate = 2.0 * (edge as f64).powi(3) / us / 1e6;
            let by = format!("{}, device time", bench.label());
            bench.row(&work, &by, us, &format!("{rate:.1} TFLOP/s"))
        }
        let edge = bench.choose(1 << 12, 1 << 4);
        let a = self.array(bench, &[edge, edge], 1)?;
        let b = self.array(bench, &[edge, edge], 2)?;
        let halves = |x: &Array<f32>| x.cast::<half::f16>().eval();
        let of_halves = (halves(&a)?, halves(&b)?);
        product(self, bench, "f32", (a, b))?;
        product(self, bench, "f16", of_halves)
    }

    /// Measures rates over sizes, for the plots. Inputs are changing pieces of a large array, so that they come from memory
    /// and not from the cache.
    fn sizes(&self, bench: &mut Bench) -> Result<()> {
        let pieces = Pieces {
            pool: self.array(bench, &[bench.choose(1 << 29, 1 << 14)], 7)?,
            next: Cell::new(0),
        };
        let largest = bench.choose(28, 12);
        for exponent in (10..=largest).step_by(2) {
            let count = 1usize << exponent;
            let edge = 1usize << (exponent / 2);
            let stream = bench.stream.clone();
            let one = |shape: &[usize]| pieces.take(shape);
            self.size(bench, "2x + 3", count, 8, one(&[count])?, |x| {
                drop(eval_on(&stream, x * 2.0 + 3.0)?);
                Ok(())
            })?;
            let first = one(&[count])?;
            let mut second = first.clone();
            second.rotate_left(first.len() / 2);
            let pairs = first.into_iter().zip(second).collect();
            self.size(bench, "sin(x) exp(y) + x y", count, 12, pairs, |(x, y)| {
                drop(eval_on(&stream, x.sin() * y.exp() + x * y)?);
                Ok(())
            })?;
            self.size(bench, "sum", count, 4, one(&[count])?, |x| {
                drop(eval_on(&stream, x.sum())?);
                Ok(())
            })?;
            self.size(bench, "inclusive scan", count, 8, one(&[count])?, |x| {
                drop(x.cumsum(0)?);
                Ok(())
            })?;
            let turned = one(&[edge, edge])?.iter().map(Array::t).collect();
            self.size(bench, "transposition of a square", count, 8, turned, |x| {
                drop(x.contiguous(Order::C)?);
                Ok(())
            })?;
            let rows = one(&[count / 1024, 1024])?;
            self.size(bench, "softmax of rows of 1024", count, 8, rows, |x| {
                drop(eval_on(&stream, softmax(x))?);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Adds a point of a plot. Each call uses the next input. `bytes` is the number of bytes that must be moved per element.
    fn size<I>(
        &self,
        bench: &mut Bench,
        plot: &str,
        count: usize,
        bytes: usize,
        inputs: Vec<I>,
        call: impl Fn(&I) -> Result<()>,
    ) -> Result<()> {
        if self.skips(plot) {
            return Ok(());
        }
        let us = bench.device_us(bench.choose(21, 2), |i| call(&inputs[i % inputs.len()]))?;
        let by = format!("{}, device time", bench.label());
        bench.point(plot, count, bytes * count, &by, us)
    }
}

/// A large array, and the start of its next piece.
struct Pieces {
    pool: Array<f32>,
    next: Cell<usize>,
}

impl Pieces {
    /// Returns up to 22 inputs of this shape from consecutive pieces of the pool. There are fewer
    /// if the pool is too small for that many.
    fn take(&self, shape: &[usize]) -> Result<Vec<Array<f32>>> {
        let count: usize = shape.iter().product();
        (0..(self.pool.len() / count).min(22))
            .map(|_| {
                let start = match self.next.get() {
                    next if next + count > self.pool.len() => 0,
                    next => next,
                };
                self.next.set(start + count);
                let piece = self.pool.slice(s![start..start + count])?;
                Ok(piece.reshape(shape)?)
            })
            .collect()
    }
}

fn softmax(x: &Array<f32>) -> Expr<f32> {
    let raised = (x - x.max_axis(1).keep_axes()).exp();
    &raised / raised.sum_axis(1).keep_axes()
}
