//! Vulkan's buffers and images used by CUDA.

use cuda_safe::{
    Sampler, Texture,
    array::{ArrayFlags, TexelFormat},
    share::{ExternalMemory, ExternalMemoryKind},
};

use crate::{
    device,
    elsewhere::{Elsewhere, elsewhere},
    waits,
};

const OPAQUE: ExternalMemoryKind = ExternalMemoryKind::OPAQUE_FD;

#[test]
fn buffer_filled_by_vulkan_can_be_read() {
    const BYTES: u64 = 1 << 20;
    let (_one, context, stream) = device();
    let Some(Elsewhere::Vulkan(vulkan)) = elsewhere() else {
        println!("the emulator has no Vulkan buffers");
        return;
    };
    let (buffer, size, file) = vulkan.buffer(BYTES);
    // SAFETY: the memory has that size. Vulkan fills it before the signal and does not use it
    // afterwards.
    let x = unsafe {
        let memory = ExternalMemory::import(&context, OPAQUE, file, size, false).unwrap();
        memory
            .buffer::<u32>(&stream, 0, (BYTES / 4) as usize)
            .unwrap()
    };
    let filled = elsewhere().unwrap().binary();
    let semaphore = filled.import(&context);
    stream.wait_semaphore(&semaphore, 0).unwrap();
    assert!(waits(&stream));
    let commands = vulkan.fill(buffer, BYTES, 0xabcd);
    vulkan.submit(None, Some(commands), None); // in queue order
    filled.signal();
    assert_eq!(x.to_vec(&stream).unwrap(), [0xabcd; (BYTES / 4) as usize]);
    vulkan.wait();
}

#[test]
fn vulkan_image_with_levels_is_a_mipmapped_array() {
    let (_one, context, stream) = device();
    let Some(Elsewhere::Vulkan(vulkan)) = elsewhere() else {
        println!("the emulator has no Vulkan images");
        return;
    };
    let mut image = vulkan.image([64, 32], 3);
    let file = image.file.take().unwrap();
    let format = TexelFormat::of::<u32>();
    let flags = ArrayFlags::SURFACE;
    // SAFETY: the memory has that size and contains an image with that format, shape and levels.
    // Both sides use it in turns.
    let array = unsafe {
        let memory = ExternalMemory::import(&context, OPAQUE, file, image.bytes, true).unwrap();
        memory
            .mipmapped_array(0, format, [64, 32], 3, flags)
            .unwrap()
    };
    vulkan.submit(None, Some(vulkan.begin_image(&image)), None);
    vulkan.wait();
    for level in 0..3 {
        let texels: Vec<u32> = (0..2048 >> (2 * level))
            .map(|i| i + 10_000 * level)
            .collect();
        let one = array.level(level).unwrap();
        one.copy_from_slice(&stream, &texels).unwrap();
        assert_eq!(vulkan.read(&image, level), texels, "level {level}");
    }
    // Vulkan writes to one level.
    vulkan.submit(None, Some(vulkan.clear(&image, 1, 4711)), None);
    vulkan.wait();
    let level = |level| array.level(level).unwrap().to_vec::<u32>(&stream).unwrap();
    assert_eq!(level(1), [4711; 32 * 16]);
    assert_eq!(level(0)[2047], 2047);
    assert_eq!(level(2)[0], 20_000);
    Texture::new(&array, Sampler::default())
        .unwrap()
        .close()
        .unwrap();
}
