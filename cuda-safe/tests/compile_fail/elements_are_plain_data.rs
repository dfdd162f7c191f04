use cuda_safe::{DeviceBuffer, Result, Stream};

fn booleans(stream: &Stream) -> Result<DeviceBuffer<bool>> {
    DeviceBuffer::from_slice(stream, &[true, false])
}

fn references<'a>(stream: &Stream, x: &'a u32) -> Result<DeviceBuffer<&'a u32>> {
    DeviceBuffer::from_slice(stream, &[x])
}

fn main() {}
