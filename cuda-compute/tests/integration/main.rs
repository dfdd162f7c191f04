//! The ready-made kernels against references in `f64`: on a GPU where there is one, on the
//! emulator otherwise.

mod convolution;
mod reductions;

use cuda_safe::{Context, Stream};

/// The primary context of device 0 and a stream on it.
pub(crate) fn device() -> (Context, Stream) {
    let context = Context::primary(0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    (context, stream)
}

/// Whether the device is the emulator, where large sizes take too long.
pub(crate) fn emulated(context: &Context) -> bool {
    let name = context.device().name().expect("a name");
    name.starts_with("CUDA emulator")
}

/// Random numbers that are the same every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn bits(&mut self) -> u64 {
        // A linear congruence, its better bits mixed down.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mixed = self.0 ^ (self.0 >> 33);
        mixed.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ (mixed >> 29)
    }

    /// Uniform in -1 to 1.
    fn real(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn reals(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.real() as f32).collect()
    }
}
