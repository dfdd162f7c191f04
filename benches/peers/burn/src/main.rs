//! The work of bench `arrays` by burn with fusion, under the same names.
//!
//! `burn-peer` prints rows as in `peers.jsonl`. `../run.py` runs it. The device times of this version of burn include a wait
//! in each call. So this program measures host times of several calls in a row with one wait at the end, divided by their
//! number. It prints medians, after calls in which burn compiles and selects its kernels.

use std::{error::Error, time::Instant};

use burn_cuda::{Cuda, CudaDevice};
use burn_tensor::{Distribution, activation::softmax, backend::Backend};

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Tensor<const D: usize> = burn_tensor::Tensor<Cuda, D>;

const ROUNDS: usize = 15;
const CALLS: usize = 8;

fn main() -> Result<()> {
    let peer = Peer {
        device: CudaDevice::default(),
    };
    peer.maps()?;
    peer.reductions()
}

struct Peer {
    device: CudaDevice,
}

impl Peer {
    fn random<const D: usize>(&self, shape: [usize; D]) -> Tensor<D> {
        Tensor::random(shape, Distribution::Uniform(-1.0, 1.0), &self.device)
    }

    /// Returns inputs to alternate between, if memory suffices, so that they are not read from the cache.
    fn inputs<const D: usize>(&self, shape: [usize; D]) -> Vec<Tensor<D>> {
        let elements: usize = shape.iter().product();
        let count = ((1usize << 29) / elements).clamp(1, CALLS);
        (0..count).map(|_| self.random(shape)).collect()
    }

    fn host_us<I: Clone, O>(&self, inputs: &[I], call: impl Fn(I) -> O) -> Result<f64> {
        let mut times = Vec::with_capacity(ROUNDS);
        // The first round is slow and is not counted.
        for _ in 0..ROUNDS {
            Cuda::<f32, i32>::sync(&self.device)?;
            let start = Instant::now();
            // A result that is dropped before it is computed might never be written.
            let results: Vec<O> = (0..CALLS)
                .map(|i| call(inputs[i % inputs.len()].clone()))
                .collect();
            Cuda::<f32, i32>::sync(&self.device)?;
            times.push(start.elapsed().as_secs_f64() * 1e6 / CALLS as f64);
            drop(results);
        }
        times.sort_by(f64::total_cmp);
        Ok(times[ROUNDS / 2])
    }

    /// Prints a row of the table.
    fn row<I: Clone, O>(&self, work: &str, inputs: &[I], call: impl Fn(I) -> O) -> Result<()> {
        let us = self.host_us(inputs, call)?;
        println!(
            "{{\"work\": \"{work}\", \"by\": \"burn, {CALLS} in a row\", \"us\": {us:.4}, \"note\": \"host time\"}}"
        );
        Ok(())
    }

    fn maps(&self) -> Result<()> {
        for exponent in [20, 24, 27] {
            let x = self.inputs([1 << exponent]);
            let pairs = pairs(&x, self.inputs([1 << exponent]));
            let name = format!("2^{exponent} f32");
            self.row(&format!("2x + 3, {name}"), &x, affine)?;
            self.row(&format!("sin(x) exp(y) + x y, {name}"), &pairs, wave)?;
            self.row(&format!("x + y and x - y, {name}"), &pairs, |(x, y)| {
                (x.clone() + y.clone(), x - y)
            })?;
        }
        let x = self.inputs([16_384, 8192]);
        for (other, shape) in [("row", [1, 8192]), ("column", [16_384, 1])] {
            let added = self.random(shape);
            let both: Vec<_> = x.iter().map(|x| (x.clone(), added.clone())).collect();
            let work = format!("matrix + {other}, 16384 x 8192 f32");
            self.row(&work, &both, |(x, y)| x + y)?;
        }
        Ok(())
    }

    fn reductions(&self) -> Result<()> {
        for exponent in [20, 27] {
            let x = self.inputs([1 << exponent]);
            let name = format!("2^{exponent} f32");
            self.row(&format!("sum of {name}"), &x, |x| x.sum())?;
            let squares = |x: Tensor<1>| (x.clone() * x).sum();
            self.row(&format!("sum of squares of {name}"), &x, squares)?;
            self.row(&format!("argmax of {name}"), &x, |x| x.argmax(0))?;
        }
        for (rows, columns) in [(12, 12), (14, 13), (20, 6), (6, 20)] {
            let x = self.inputs([1 << rows, 1 << columns]);
            let name = format!("2^{rows} x 2^{columns} f32");
            for axis in 0..2 {
                let work = format!("sum along axis {axis} of {name}");
                self.row(&work, &x, |x| x.sum_dim(axis))?;
            }
            self.row(&format!("softmax of rows, {name}"), &x, |x| softmax(x, 1))?;
            let y = self.inputs([1 << columns, 1 << rows]);
            let work = format!("transposition of {name}, added");
            self.row(&work, &pairs(&y, x), |(y, x)| y + x.transpose())?;
        }
        let x = self.inputs([256, 256, 256]);
        for axis in 0..3 {
            let work = format!("sum along axis {axis} of 2^8 x 2^8 x 2^8 f32");
            self.row(&work, &x, |x| x.sum_dim(axis))?;
        }
        Ok(())
    }
}

fn affine(x: Tensor<1>) -> Tensor<1> {
    x * 2.0 + 3.0
}

fn wave((x, y): (Tensor<1>, Tensor<1>)) -> Tensor<1> {
    x.clone().sin() * y.clone().exp() + x * y
}

fn pairs<const D: usize>(x: &[Tensor<D>], y: Vec<Tensor<D>>) -> Vec<(Tensor<D>, Tensor<D>)> {
    x.iter().cloned().zip(y).collect()
}
