use cuda_safe::{DeviceBuffer, ResourceView, Result, Sampler, Texture, ViewFormat};

fn buffers(buffer: &DeviceBuffer<f32>) -> Result<Texture> {
    Texture::new(buffer, Sampler::default())
}

fn views(buffer: DeviceBuffer<f32>) -> Result<Texture> {
    let view = ResourceView::new(ViewFormat::FLOAT_1X32);
    Texture::with_view(buffer, Sampler::default(), view)
}

fn main() {}
