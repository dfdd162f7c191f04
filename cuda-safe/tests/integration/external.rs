//! Memory and semaphores imported from file descriptors.

use std::fs::File;
#[cfg(unix)]
use std::os::fd::OwnedFd;
#[cfg(windows)]
use std::os::windows::io::OwnedHandle as OwnedFd;

use cuda_safe::{
    Code, Context, Sampler, Texture,
    array::{ArrayFlags, TexelFormat},
    memory::virtual_memory::{PhysicalMemory, PhysicalOptions},
    share::{
        ExternalMemory, ExternalMemoryKind, ExternalSemaphore, ExternalSemaphoreKind,
        ShareableHandles,
    },
    sys::CUresult,
};

use crate::{device, failure, rejection};

const OPAQUE: ExternalMemoryKind = match cfg!(windows) {
    true => ExternalMemoryKind::OPAQUE_WIN32,
    false => ExternalMemoryKind::OPAQUE_FD,
};

/// Returns memory of two units, its file and its size in bytes.
fn exported(context: &Context) -> (PhysicalMemory, OwnedFd, usize) {
    let bytes = 2 * PhysicalMemory::unit(context).unwrap();
    let options = PhysicalOptions::default().handles(ShareableHandles::FILE);
    let memory = PhysicalMemory::with_options(context, bytes, options).unwrap();
    let file = memory.export().unwrap();
    (memory, file, bytes)
}

#[test]
fn imported_memory_can_be_mapped_as_buffers() {
    let (context, stream) = device();
    let (made, file, bytes) = exported(&context);
    let again = made.export().unwrap();
    drop(made); // the file descriptors keep the memory alive
    // SAFETY: the memory has that size and nothing else uses it.
    let memory =
        unsafe { ExternalMemory::import(&context, OPAQUE, file, bytes as u64, false) }.unwrap();
    // SAFETY: the two buffers do not overlap.
    let (mut first, mut second) = unsafe {
        (
            memory.buffer::<u32>(&stream, 0, 1000).unwrap(),
            memory
                .buffer::<u32>(&stream, bytes as u64 / 2, 1000)
                .unwrap(),
        )
    };
    first.fill(&stream, 1).unwrap();
    second.fill(&stream, 2).unwrap();
    assert_eq!((first.stream(), first.memory()), (&stream, &memory));
    drop(memory); // the buffers keep it alive
    assert_eq!(first.to_vec(&stream).unwrap(), [1; 1000]);
    second.close().unwrap();
    drop(first);
    // The other file refers to the same memory.
    //
    // SAFETY: as above. Dedicated memory is mapped as a whole.
    let (memory, all) = unsafe {
        let memory = ExternalMemory::import(&context, OPAQUE, again, bytes as u64, true).unwrap();
        let all = memory.buffer::<u32>(&stream, 0, bytes / 4).unwrap();
        (memory, all)
    };
    assert_eq!(all.slice(999..1000).unwrap().to_vec(&stream).unwrap(), [1]);
    assert_eq!(
        all.slice(bytes / 8..bytes / 8 + 1)
            .unwrap()
            .to_vec(&stream)
            .unwrap(),
        [2]
    );
    // SAFETY: the call fails.
    failure(unsafe { memory.buffer::<u32>(&stream, bytes as u64 / 2, 10) })
        .with_code(CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn invalid_imports_and_mappings_are_rejected() {
    let (context, stream) = device();
    let null =
        || OwnedFd::from(File::open(if cfg!(windows) { "NUL" } else { "/dev/null" }).unwrap());
    // SAFETY: invalid imports fail, and the memory of the valid one has that size.
    let import =
        |kind, file, bytes| unsafe { ExternalMemory::import(&context, kind, file, bytes, false) };
    failure(import(OPAQUE, null(), 4096))
        .with_code(CUresult::CUDA_ERROR_UNKNOWN)
        .mentions("is not a memory object of");
    let (_made, file, bytes) = exported(&context);
    failure(import(OPAQUE, file.try_clone().unwrap(), 0))
        .with_code(CUresult::CUDA_ERROR_INVALID_VALUE);
    let failed = import(ExternalMemoryKind(77), file.try_clone().unwrap(), 4096).unwrap_err();
    assert_eq!(
        failed.driver_code(),
        Some(CUresult::CUDA_ERROR_INVALID_VALUE)
    );
    let failed = import(ExternalMemoryKind::DMABUF_FD, null(), 4096).unwrap_err();
    assert!(matches!(failed.code(), Code::Driver(_)), "{failed}");
    let memory = import(OPAQUE, file, bytes as u64).unwrap();
    for (offset, len) in [(bytes as u64 - 9, 10), (0, bytes + 1), (bytes as u64, 1)] {
        // SAFETY: the call fails.
        let failed = unsafe { memory.buffer::<u8>(&stream, offset, len) }.unwrap_err();
        assert_eq!(
            failed.driver_code(),
            Some(CUresult::CUDA_ERROR_INVALID_VALUE),
            "{offset}"
        );
        let text = failed.to_string();
        assert!(text.contains("fit into the imported memory"), "{text}");
        assert!(
            text.contains(&format!("starting at byte {offset}")),
            "{text}"
        );
    }
    // SAFETY: the call fails.
    failure(unsafe { memory.buffer::<u32>(&stream, 102, 1) }).mentions("multiple of 4");
    // SAFETY: the call fails.
    rejection(unsafe { memory.buffer::<u8>(&stream, 0, 0) });
}

#[test]
fn imported_memory_can_be_mapped_as_arrays() {
    let (context, stream) = device();
    let (made, file, bytes) = exported(&context);
    drop(made); // the file keeps the memory alive
    // SAFETY: the memory has that size and nothing else uses it.
    let memory =
        unsafe { ExternalMemory::import(&context, OPAQUE, file, bytes as u64, false) }.unwrap();
    assert_eq!(memory.context(), &context);
    let (format, flags) = (TexelFormat::of::<u32>(), ArrayFlags::SURFACE);
    let array = |offset| {
        // SAFETY: arrays in the same memory are used one at a time.
        unsafe { memory.mipmapped_array(offset, format, [64, 32], 3, flags) }.unwrap()
    };
    let half = bytes as u64 / 2;
    let (image, same, apart) = (array(0), array(0), array(half));
    assert_eq!((image.levels(), image.flags()), (3, flags));
    assert_eq!((image.format(), image.shape()), (format, [64, 32].into()));
    assert_eq!(image.level(2).unwrap().shape(), [16, 8].into());
    let texels = |level: u32, from: u32| -> Vec<u32> {
        (0..2048 >> (2 * level)).map(|i| from + i).collect()
    };
    for level in 0..3 {
        let one = image.level(level).unwrap();
        one.copy_from_slice(&stream, &texels(level, 1000 * level))
            .unwrap();
        let one = apart.level(level).unwrap();
        one.copy_from_slice(&stream, &texels(level, 7)).unwrap();
    }
    drop(memory); // the arrays keep it alive
    for level in 0..3 {
        let read = same.level(level).unwrap().to_vec::<u32>(&stream).unwrap();
        assert_eq!(read, texels(level, 1000 * level), "level {level}");
    }
    let texture = Texture::new(&image, Sampler::default()).unwrap();
    image.close().unwrap(); // the texture keeps it alive
    texture.close().unwrap();
    let read = same.level(0).unwrap().to_vec::<u32>(&stream).unwrap();
    assert_eq!(read, texels(0, 0));
}

#[test]
fn invalid_array_mappings_are_rejected() {
    let (context, _) = device();
    let (_made, file, bytes) = exported(&context);
    // SAFETY: the memory has that size and is never accessed.
    let memory =
        unsafe { ExternalMemory::import(&context, OPAQUE, file, bytes as u64, false) }.unwrap();
    let format = TexelFormat::of::<u32>();
    let map = |offset, shape: [usize; 2], levels| {
        // SAFETY: the call fails.
        unsafe { memory.mipmapped_array(offset, format, shape, levels, ArrayFlags::default()) }
    };
    rejection(map(0, [0, 64], 1)).mentions("the width is 0");
    for levels in [0, 8] {
        rejection(map(0, [64, 64], levels));
    }
    for (offset, shape) in [(bytes as u64, [64, 64]), (0, [2048, 2048])] {
        let failed = map(offset, shape, 1).unwrap_err();
        let code = Some(CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(failed.driver_code(), code, "{offset} {shape:?}");
        let text = failed.to_string();
        assert!(text.contains("fit into the imported memory"), "{text}");
        assert!(
            text.contains(&format!("starting at byte {offset}")),
            "{text}"
        );
    }
}

#[test]
fn invalid_semaphores_are_rejected() {
    let (context, _) = device();
    let null =
        || OwnedFd::from(File::open(if cfg!(windows) { "NUL" } else { "/dev/null" }).unwrap());
    // SAFETY: the call fails.
    let import = |kind| unsafe { ExternalSemaphore::import(&context, kind, null()) }.unwrap_err();
    let kinds = match cfg!(windows) {
        true => [
            ExternalSemaphoreKind::OPAQUE_WIN32,
            ExternalSemaphoreKind::TIMELINE_WIN32,
        ],
        false => [
            ExternalSemaphoreKind::OPAQUE_FD,
            ExternalSemaphoreKind::TIMELINE_FD,
        ],
    };
    for kind in kinds {
        let failed = import(kind);
        assert_eq!(failed.driver_code(), Some(CUresult::CUDA_ERROR_UNKNOWN));
        let text = failed.to_string();
        assert!(text.contains("the file is not a semaphore"), "{text}");
    }
    let failed = import(ExternalSemaphoreKind(77));
    assert_eq!(
        failed.driver_code(),
        Some(CUresult::CUDA_ERROR_INVALID_VALUE)
    );
}
