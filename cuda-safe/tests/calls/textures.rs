//! Textures, and memory that raw handles refer to.

use cuda_safe::{
    Sampler, Texture,
    array::{ArrayFlags, ArrayShape, CudaArray, TexelFormat},
    memory::virtual_memory::{PhysicalMemory, PhysicalOptions},
    share::{ExternalMemory, ExternalMemoryKind, ShareableHandles},
    texture::{ResourceView, TextureSource, ViewFormat},
};

use super::*;

#[test]
fn texture_into_raw_waits_before_its_source_is_freed() {
    traced("", || {
        let (_, stream) = device();
        let buffer = DeviceBuffer::<f32>::zeroed(&stream, 64).unwrap();
        stream.synchronize().unwrap();
        let source = TextureSource::linear(buffer).unwrap();
        let texture = Texture::new(source, Sampler::default()).unwrap();
        let mut raw = None;
        makes("cuMemFreeAsync", &[], || {
            makes("cuCtxSynchronize", &[], || {
                raw = Some(texture.into_raw().unwrap());
            });
        });
        // SAFETY: `into_raw` gave up the handle, and it is destroyed once.
        let code = unsafe { sys::cuTexObjectDestroy(raw.unwrap()) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
    });
}

#[test]
fn cube_views_cover_all_faces() {
    passes("", || {
        let (context, _) = device();
        let view = ResourceView::new(ViewFormat::UINT_1X32);
        let sampler = Sampler::default().normalized_coordinates(true);
        for (shape, last) in [
            (ArrayShape::cube(4), 0),
            (ArrayShape::cubes(4, 1), 0),
            (ArrayShape::cubes(4, 2), 1),
            (ArrayShape::planes(4, 4, 6), 5),
        ] {
            let array = CudaArray::uninit::<f32>(&context, shape).unwrap();
            let texture = Texture::with_view(&array, sampler, view).unwrap();
            let reported = texture.view().unwrap().unwrap();
            assert_eq!(reported.layers, Some((0, last)), "{shape}");
            assert_eq!(reported.levels, Some((0, 0)), "{shape}");
        }
    });
}

#[test]
fn unknown_view_formats_are_named() {
    passes("", || {
        let (context, _) = device();
        let array = CudaArray::uninit::<f32>(&context, [4, 4]).unwrap();
        let view = ResourceView::new(ViewFormat(99));
        let error = Texture::with_view(&array, Sampler::default(), view).unwrap_err();
        assert_eq!(error.detail(), "the driver does not know ViewFormat(99)");
    });
}

#[test]
fn external_memory_stays_mapped_for_raw_levels() {
    traced("", || {
        let context = Context::primary(0).unwrap();
        let unit = PhysicalMemory::unit(&context).unwrap();
        let handles = ShareableHandles::FILE;
        let options = PhysicalOptions::default().handles(handles);
        let memory = PhysicalMemory::with_options(&context, unit, options).unwrap();
        let file = memory.export().unwrap();
        let kind = match cfg!(windows) {
            true => ExternalMemoryKind::OPAQUE_WIN32,
            false => ExternalMemoryKind::OPAQUE_FD,
        };
        let (format, flags) = (TexelFormat::of::<f32>(), ArrayFlags::default());
        // SAFETY: the memory has that size and nothing else uses it.
        let (memory, levels) = unsafe {
            let memory = ExternalMemory::import(&context, kind, file, unit as u64, false).unwrap();
            let levels = memory.mipmapped_array(0, format, [8, 8], 1, flags).unwrap();
            (memory, levels)
        };
        let raw_memory = memory.as_raw();
        let mut raw = None;
        let destroyed = made("cuDestroyExternalMemory", || {
            drop(memory);
            raw = Some(levels.into_raw().unwrap());
        });
        assert!(destroyed.is_empty(), "{destroyed:?}");
        // SAFETY: `into_raw` gave up the handle, and it is destroyed once. The mipmapped array
        // leaked the memory.
        unsafe {
            let code = sys::cuMipmappedArrayDestroy(raw.unwrap());
            assert_eq!(code, CUresult::CUDA_SUCCESS);
            let code = sys::cuDestroyExternalMemory(raw_memory);
            assert_eq!(code, CUresult::CUDA_SUCCESS);
            // It also leaked its reference to the context.
            drop(context);
            let code = sys::cuDevicePrimaryCtxRelease_v2(0);
            assert_eq!(code, CUresult::CUDA_SUCCESS);
        }
    });
}
