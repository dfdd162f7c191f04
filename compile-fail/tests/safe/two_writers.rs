use cuda_safe::{DeviceBuffer, Result, Stream};

fn both(stream: &Stream, buffer: &mut DeviceBuffer<u32>) -> Result<()> {
    let mut a = buffer.slice_mut(..2)?;
    let mut b = buffer.slice_mut(1..)?;
    a.fill(stream, 1)?;
    b.fill(stream, 2)
}

fn main() {}
