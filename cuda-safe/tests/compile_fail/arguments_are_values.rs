use cuda_safe::{Function, LaunchConfig, Result, Stream};

fn launch(function: &Function, stream: &Stream, host: &[f32]) -> Result<()> {
    // SAFETY: does not compile: a host slice is no argument.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (host,)) }
}

fn main() {}
