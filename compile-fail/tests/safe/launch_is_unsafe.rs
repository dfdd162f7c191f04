use cuda_safe::{Function, LaunchConfig, Result, Stream};

fn launch(function: &Function, stream: &Stream) -> Result<()> {
    function.launch(stream, LaunchConfig::new(1, 1), ())
}

fn main() {}
