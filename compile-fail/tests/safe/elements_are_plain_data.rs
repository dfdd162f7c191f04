use cuda_safe::{Context, DeviceBuffer, ManagedBuffer, PinnedBuffer, Result, Stream};

fn booleans(stream: &Stream) -> Result<DeviceBuffer<bool>> {
    DeviceBuffer::from_slice(stream, &[true, false])
}

fn references<'a>(stream: &Stream, x: &'a u32) -> Result<DeviceBuffer<&'a u32>> {
    DeviceBuffer::from_slice(stream, &[x])
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Particle {
    mass: f32,
}

fn structs(stream: &Stream) -> Result<DeviceBuffer<Particle>> {
    DeviceBuffer::zeroed(stream, 8)
}

fn named(stream: &Stream) -> Result<usize> {
    let zeroed = DeviceBuffer::<Particle>::zeroed(stream, 8)?;
    let uninit = DeviceBuffer::<Particle>::uninit(stream, 8)?;
    let managed = ManagedBuffer::<Particle>::zeroed(stream, 8)?;
    Ok(0)
}

fn page_locked(context: &Context) -> Result<usize> {
    Ok(PinnedBuffer::<Particle>::zeroed(context, 8)?.len())
}

fn main() {}
