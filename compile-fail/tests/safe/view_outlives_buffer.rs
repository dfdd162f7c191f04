use cuda_safe::{DeviceBuffer, Result, Stream};

fn first(stream: &Stream) -> Result<Vec<u32>> {
    let buffer = DeviceBuffer::from_slice(stream, &[1u32, 2, 3])?;
    let view = buffer.slice(..1)?;
    drop(buffer);
    view.to_vec(stream)
}

fn main() {}
