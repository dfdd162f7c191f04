use cuda_safe::{Result, Stream};

fn borrow(stream: &Stream) -> Result<()> {
    let mut count = 0;
    stream.launch_host_function(|| count += 1)
}

fn main() {}
