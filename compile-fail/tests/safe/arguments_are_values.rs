use cuda_safe::{array::CudaArray, launch::ByValue, DeviceBuffer, Function, In, LaunchConfig, PinnedBuffer, Result, Stream};

fn slices(function: &Function, stream: &Stream, host: &[f32]) -> Result<()> {
    // SAFETY: does not compile: a host slice is not an argument.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (host,)) }
}

fn vectors(function: &Function, stream: &Stream, host: Vec<f32>) -> Result<()> {
    // SAFETY: does not compile: neither is a vector.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (1u32, &host)) }
}

fn booleans(function: &Function, stream: &Stream) -> Result<()> {
    // SAFETY: does not compile: a `bool` is not plain data, and is passed as `ByValue(true)`.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (true, ByValue(true))) }
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Affine {
    scale: f32,
    shift: f32,
}

fn structs(function: &Function, stream: &Stream, affine: Affine) -> Result<()> {
    // SAFETY: does not compile: the struct derives neither `Pod` nor `Zeroable`.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (affine,)) }
}

fn references_to_structs(function: &Function, stream: &Stream, affine: Affine) -> Result<()> {
    // SAFETY: does not compile: a struct goes by value.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (&affine,)) }
}

fn slices_of_structs(function: &Function, stream: &Stream, host: &[Affine]) -> Result<()> {
    // SAFETY: does not compile: the struct derives neither `Pod` nor `Zeroable`.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (In(host),)) }
}

fn no_tuple(function: &Function, stream: &Stream, x: DeviceBuffer<f32>) -> Result<()> {
    // SAFETY: does not compile: a tuple of one is `(&x,)`.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), &x) }
}

fn moved_buffers(function: &Function, stream: &Stream, x: DeviceBuffer<f32>) -> Result<()> {
    // SAFETY: does not compile: buffers are passed by reference.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (x,)) }
}

fn page_locked(function: &Function, stream: &Stream, x: PinnedBuffer<f32>) -> Result<()> {
    // SAFETY: does not compile: access to host memory needs an explicit argument type.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (&x,)) }
}

fn arrays(function: &Function, stream: &Stream, x: CudaArray) -> Result<()> {
    // SAFETY: does not compile: an array is reached through a texture or a surface.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (&x,)) }
}

fn elements(function: &Function, stream: &Stream, host: &[bool]) -> Result<()> {
    // SAFETY: does not compile: a `bool` is not an element of device memory.
    unsafe { function.launch(stream, LaunchConfig::new(1, 1), (In(host),)) }
}

fn main() {}
