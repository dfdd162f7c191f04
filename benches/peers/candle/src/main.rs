//! The work of bench `arrays` by candle, under the same names.
//!
//! `candle-peer FILE` loads the kernel `spin` from a cubin and prints rows as in `peers.jsonl`. `../run.py` runs it.
//! Times are device times: medians of the time between two events around a call, with the queue filled while the device
//! spins.

use std::{cell::Cell, error::Error, sync::Arc};

use candle_core::{
    Device, Tensor,
    cuda_backend::cudarc::{
        driver::{CudaFunction, CudaStream, LaunchConfig, PushKernelArg, sys::CUevent_flags},
        nvrtc::Ptx,
    },
};
use candle_nn::ops::softmax_last_dim;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const REPEATS: usize = 15;
/// The nanoseconds for which the device spins while the calls are queued.
const SPIN: u64 = 3_000_000;

fn main() -> Result<()> {
    let file = std::env::args_os()
        .nth(1)
        .ok_or("usage: candle-peer FILE, a cubin file with a kernel `spin`")?;
    let device = Device::new_cuda(0)?;
    let stream = device.as_cuda_device()?.cuda_stream();
    let spin = stream
        .context()
        .load_module(Ptx::from_file(file))?
        .load_function("spin")?;
    let peer = Peer {
        device,
        stream,
        spin,
    };
    peer.maps()?;
    peer.reductions()?;
    peer.sizes()
}

struct Peer {
    device: Device,
    stream: Arc<CudaStream>,
    spin: CudaFunction,
}

impl Peer {
    fn random(&self, shape: &[usize]) -> Result<Tensor> {
        Ok(Tensor::rand(-1.0f32, 1.0, shape, &self.device)?)
    }

    /// Returns several inputs to alternate between, so that they are not read from the cache.
    fn turns(&self, shape: &[usize]) -> Result<Vec<Tensor>> {
        let elements: usize = shape.iter().product();
        let count = ((1usize << 27) / elements).clamp(1, 12);
        (0..count).map(|_| self.random(shape)).collect()
    }

    /// Returns the median of the device times in microseconds, after a warm-up call.
    fn device_us(&self, mut call: impl FnMut() -> candle_core::Result<Tensor>) -> Result<f64> {
        drop(call()?);
        self.stream.synchronize()?;
        let config = LaunchConfig {
            grid_dim: (1, 1, 1),
            block_dim: (1, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the kernel takes one number and touches no memory.
        unsafe {
            let mut launch = self.stream.launch_builder(&self.spin);
            launch.arg(&SPIN).launch(config)?;
        }
        let event = || {
            self.stream
                .record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))
        };
        let mut events = Vec::with_capacity(REPEATS);
        for _ in 0..REPEATS {
            let before = event()?;
            drop(call()?);
            events.push((before, event()?));
        }
        self.stream.synchronize()?;
        let mut times = Vec::with_capacity(REPEATS);
        for (before, after) in &events {
            times.push(f64::from(before.elapsed_ms(after)?) * 1e3);
        }
        times.sort_by(f64::total_cmp);
        Ok(times[REPEATS / 2])
    }

    /// Prints a row of the table, with alternating inputs.
    fn row(
        &self,
        work: &str,
        inputs: &[Tensor],
        call: impl Fn(&Tensor, usize) -> candle_core::Result<Tensor>,
    ) -> Result<()> {
        let next = Cell::new(0);
        let us = self.device_us(|| {
            let at = next.get();
            next.set((at + 1) % inputs.len());
            call(&inputs[at], at)
        })?;
        println!(
            "{{\"work\": \"{work}\", \"by\": \"candle\", \"us\": {us:.4}, \"note\": \"device time\"}}"
        );
        Ok(())
    }

    fn maps(&self) -> Result<()> {
        for exponent in [20, 24, 27] {
            let (x, y) = (self.turns(&[1 << exponent])?, self.turns(&[1 << exponent])?);
            let name = format!("2^{exponent} f32");
            self.row(&format!("2x + 3, {name}"), &x, |x, _| x.affine(2.0, 3.0))?;
            self.row(&format!("sin(x) exp(y) + x y, {name}"), &x, |x, at| {
                wave(x, &y[at])
            })?;
        }
        let x = [self.random(&[16_384, 8192])?];
        for (other, shape) in [("row", [1, 8192]), ("column", [16_384, 1])] {
            let added = self.random(&shape)?;
            let work = format!("matrix + {other}, 16384 x 8192 f32");
            self.row(&work, &x, |x, _| x.broadcast_add(&added))?;
        }
        Ok(())
    }

    fn reductions(&self) -> Result<()> {
        for exponent in [20, 27] {
            let x = self.turns(&[1 << exponent])?;
            self.row(&format!("sum of 2^{exponent} f32"), &x, |x, _| x.sum_all())?;
            self.row(&format!("argmax of 2^{exponent} f32"), &x, |x, _| {
                x.argmax(0)
            })?;
        }
        let shapes: [&[u32]; 5] = [&[12, 12], &[14, 13], &[20, 6], &[6, 20], &[8, 8, 8]];
        for exponents in shapes {
            let shape: Vec<usize> = exponents.iter().map(|exponent| 1 << exponent).collect();
            let name: Vec<String> = exponents.iter().map(|e| format!("2^{e}")).collect();
            let name = format!("{} f32", name.join(" x "));
            let x = self.turns(&shape)?;
            for axis in 0..shape.len() {
                let work = format!("sum along axis {axis} of {name}");
                self.row(&work, &x, |x, _| x.sum(axis))?;
            }
            if shape.len() == 2 {
                let work = format!("softmax of rows, {name}");
                self.row(&work, &x, |x, _| softmax_last_dim(x))?;
                let work = format!("transposition of {name}");
                self.row(&work, &x, |x, _| x.t()?.contiguous())?;
            }
        }
        Ok(())
    }

    /// Prints points of the plots. The inputs are changing pieces of a large tensor.
    fn sizes(&self) -> Result<()> {
        let pool = self.random(&[1 << 29])?;
        let next = Cell::new(0);
        let piece = |count: usize| {
            let start = match next.get() {
                start if start + count > 1 << 29 => 0,
                start => start,
            };
            next.set(start + count);
            pool.narrow(0, start, count)
        };
        for exponent in (10..=28).step_by(2) {
            let (count, edge) = (1usize << exponent, 1usize << (exponent / 2));
            let point = |plot: &str, bytes: usize, us: f64| {
                println!(
                    "{{\"plot\": \"{plot}\", \"elements\": {count}, \"bytes\": {}, \"by\": \"candle\", \"us\": {us:.4}}}",
                    bytes * count
                );
            };
            let us = self.device_us(|| piece(count)?.affine(2.0, 3.0))?;
            point("2x + 3", 8, us);
            let us = self.device_us(|| wave(&piece(count)?, &piece(count)?))?;
            point("sin(x) exp(y) + x y", 12, us);
            let us = self.device_us(|| piece(count)?.sum_all())?;
            point("sum", 4, us);
            let us = self.device_us(|| piece(count)?.reshape((edge, edge))?.t()?.contiguous())?;
            point("transposition of a square", 8, us);
            let rows = |x: Tensor| x.reshape((count / 1024, 1024));
            let us = self.device_us(|| softmax_last_dim(&rows(piece(count)?)?))?;
            point("softmax of rows of 1024", 8, us);
        }
        Ok(())
    }
}

fn wave(x: &Tensor, y: &Tensor) -> candle_core::Result<Tensor> {
    (x.sin()? * y.exp()?)? + (x * y)?
}
