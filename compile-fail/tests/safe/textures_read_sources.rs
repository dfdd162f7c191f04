use cuda_safe::{DeviceBuffer, texture::{ResourceView, ViewFormat}, Result, Sampler, Texture};

fn buffers(buffer: &DeviceBuffer<f32>) -> Result<Texture> {
    Texture::new(buffer, Sampler::default())
}

fn views(buffer: DeviceBuffer<f32>) -> Result<Texture> {
    let view = ResourceView::new(ViewFormat::FLOAT_1X32);
    Texture::with_view(buffer, Sampler::default(), view)
}

fn main() {}
