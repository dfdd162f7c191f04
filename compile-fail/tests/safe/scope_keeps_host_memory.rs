use cuda_safe::{DeviceBuffer, Result, Stream};

fn read_too_early(stream: &Stream, buffer: &DeviceBuffer<u32>) -> Result<u32> {
    let mut host = vec![0; buffer.len()];
    stream.scope(|scope| {
        scope.download(buffer, &mut host)?;
        Ok(host[0])
    })
}

fn main() {}
