use cuda_safe::{DeviceBuffer, Result, Stream};

fn short_lived(stream: &Stream, buffer: &mut DeviceBuffer<u32>) -> Result<()> {
    stream.scope(|scope| {
        let host = vec![0; 10];
        scope.upload(&host, buffer)
    })
}

fn main() {}
