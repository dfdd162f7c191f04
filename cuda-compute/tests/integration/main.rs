//! Compares the predefined kernels with references in `f64`. The tests use a GPU if there is one,
//! otherwise the emulator.

#[path = "../shared/again.rs"]
mod again;
mod arrays;
#[path = "../shared/checks.rs"]
mod checks;
mod convolution;
#[path = "../shared/random.rs"]
mod random;
mod reductions;

use cuda_safe::{Context, Stream};
pub(crate) use random::Random;

/// Returns the primary context of device 0 and a stream on it.
pub(crate) fn device() -> (Context, Stream) {
    let context = Context::primary(0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    (context, stream)
}

/// Returns whether the device is the emulator, where large sizes take too long.
pub(crate) fn emulated(context: &Context) -> bool {
    let name = context.device().name().expect("a name");
    name.starts_with("CUDA emulator")
}
