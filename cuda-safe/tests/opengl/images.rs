//! Textures and renderbuffers used as arrays.

use cuda_safe::{
    DeviceBuffer, LaunchConfig, Out, Result, Sampler, Stream, Surface, Texture,
    array::{ArrayFlags, ArrayShape, CudaArray, MipmappedArray, TexelFormat},
    opengl::{GraphicsResource, ImageTarget, MappedResources, RegisterFlags},
    sys::CUresult,
    texture::FilterMode,
};

use crate::{
    Shared, code, gl,
    harness::{Test, tests},
    kernel,
};

pub const TESTS: &[Test] = tests![
    Shared surface_writes_are_visible_to_opengl,
    Shared texture_reads_contents_written_by_opengl,
    Shared levels_of_a_texture_are_arrays,
    Shared layers_faces_and_slices_are_arrays,
    Shared drawn_renderbuffers_can_be_read,
    Shared opengl_reads_after_copies_on_another_stream,
    InProcess mapping_with_arrays_in_use_cannot_be_unmapped,
    Shared invalid_images_are_rejected,
];

const INVALID_VALUE: Option<CUresult> = Some(CUresult::CUDA_ERROR_INVALID_VALUE);

/// Registers an image of `gl`, for surfaces if its texel format supports them.
fn image(shared: &Shared<'_>, number: u32, target: ImageTarget) -> GraphicsResource {
    let flags = match target {
        ImageTarget::RENDERBUFFER => RegisterFlags::default(),
        _ => RegisterFlags::SURFACE,
    };
    // SAFETY: the tests do not use the image while it is mapped, and delete it after the resource.
    // The context stays current until then.
    unsafe { GraphicsResource::register_image(&shared.context, number, target, flags) }.unwrap()
}

fn texels(len: usize) -> Vec<f32> {
    (0..len).map(|i| i as f32 * 0.5).collect()
}

fn surface_writes_are_visible_to_opengl(shared: &Shared<'_>) {
    let (gl, stream) = (shared.gl, &shared.stream);
    let source = r#"extern "C" __global__ void add(cudaSurfaceObject_t s, float x) {
        const float was = surf2Dread<float>(s, threadIdx.x * 4, threadIdx.y);
        surf2Dwrite(was + x, s, threadIdx.x * 4, threadIdx.y);
    }"#;
    let add = kernel(&shared.context, source, "add");
    let number = gl.texture(gl::TEXTURE_2D, 1, gl::R32F, &[16, 8]);
    gl.write_texture(number, 0, [16, 8], &texels(128));
    let resource = image(shared, number, ImageTarget::TEXTURE_2D);
    for round in 1..=3 {
        let mut mapped = MappedResources::map(stream, [&resource]).unwrap();
        let [image] = mapped.each();
        let array = image.array(0, 0).unwrap();
        assert_eq!(array.format(), TexelFormat::of::<f32>());
        assert_eq!(array.shape(), ArrayShape::plane(16, 8));
        assert!(array.flags().contains(ArrayFlags::SURFACE) && !array.is_part());
        let surface = Surface::new(&array).unwrap();
        // SAFETY: there is one thread for each texel.
        unsafe { add.launch(stream, LaunchConfig::new(1, (16, 8)), (&surface, 100.0f32)) }.unwrap();
        drop((array, surface));
        mapped.unmap().unwrap();
        let expected: Vec<f32> = texels(128)
            .iter()
            .map(|x| x + 100.0 * round as f32)
            .collect();
        assert_eq!(gl.read_texture(number, 0, 128), expected);
    }
    resource.close().unwrap();
    gl.delete_texture(number);
}

fn texture_reads_contents_written_by_opengl(shared: &Shared<'_>) {
    let (gl, stream) = (shared.gl, &shared.stream);
    let source = r#"extern "C" __global__ void between(float *x, cudaTextureObject_t t) {
        x[threadIdx.x] = tex2D<float>(t, threadIdx.x + 1.0f, 0.5f);
    }"#;
    let between = kernel(&shared.context, source, "between");
    let number = gl.texture(gl::TEXTURE_2D, 1, gl::R32F, &[16, 8]);
    let resource = image(shared, number, ImageTarget::TEXTURE_2D);
    gl.write_texture(number, 0, [16, 8], &texels(128));
    let mut mapped = MappedResources::map(stream, [&resource]).unwrap();
    let [image] = mapped.each();
    let array = image.array(0, 0).unwrap();
    assert_eq!(array.to_vec::<f32>(stream).unwrap(), texels(128));
    let sampler = Sampler::default().filter(FilterMode::LINEAR);
    let texture = Texture::new(&array, sampler).unwrap();
    let mut found = [0.0f32; 15];
    let arguments = (Out(&mut found), &texture);
    // SAFETY: the kernel writes 15 floats and reads a texture of two dimensions.
    unsafe { between.launch(stream, LaunchConfig::new(1, 15), arguments) }.unwrap();
    let expected: Vec<f32> = (0..15).map(|i| i as f32 * 0.5 + 0.25).collect();
    assert_eq!(found[..], expected);
    drop((texture, array));
    drop(mapped);
    drop(resource);
    gl.delete_texture(number);
}

fn levels_of_a_texture_are_arrays(shared: &Shared<'_>) {
    let (gl, stream) = (shared.gl, &shared.stream);
    let number = gl.texture(gl::TEXTURE_2D, 4, gl::R32F, &[16, 8]);
    let resource = image(shared, number, ImageTarget::TEXTURE_2D);
    gl.write_texture(number, 1, [8, 4], &texels(32));
    let mut mapped = MappedResources::map(stream, [&resource]).unwrap();
    let [image] = mapped.each();
    let levels: MipmappedArray = image.mipmapped().unwrap();
    // The driver also provides the fifth level.
    assert_eq!(
        (levels.levels(), levels.shape()),
        (5, ArrayShape::plane(16, 8))
    );
    let level: CudaArray = levels.level(1).unwrap();
    assert_eq!(level.to_vec::<f32>(stream).unwrap(), texels(32));
    assert_eq!(level.shape(), image.array(0, 1).unwrap().shape());
    let last = levels.level(3).unwrap();
    assert_eq!(last.shape(), ArrayShape::plane(2, 1));
    last.copy_from_slice(stream, &[7.0f32, 8.0]).unwrap();
    assert!(levels.level(5).is_err());
    let error = image.array(0, 5).unwrap_err();
    assert_eq!(error.driver_code(), INVALID_VALUE);
    assert!(
        error.to_string().contains("no layer 0 with a level 5"),
        "{error}"
    );
    drop((levels, level));
    assert!(mapped.is_held()); // the last level holds it
    drop(last);
    assert!(!mapped.is_held());
    mapped.unmap().unwrap();
    assert_eq!(gl.read_texture(number, 3, 2), [7.0, 8.0]);
    drop(resource);
    gl.delete_texture(number);
}

fn layers_faces_and_slices_are_arrays(shared: &Shared<'_>) {
    let (gl, stream) = (shared.gl, &shared.stream);
    let layers = gl.texture(gl::TEXTURE_2D_ARRAY, 1, gl::R32F, &[8, 4, 3]);
    let cube = gl.texture(gl::TEXTURE_CUBE_MAP, 1, gl::R32F, &[4, 4]);
    let volume = gl.texture(gl::TEXTURE_3D, 1, gl::R32F, &[4, 4, 2]);
    let resources = [
        image(shared, layers, ImageTarget::TEXTURE_2D_ARRAY),
        image(shared, cube, ImageTarget::TEXTURE_CUBE_MAP),
        image(shared, volume, ImageTarget::TEXTURE_3D),
    ];
    let mut mapped = MappedResources::map(stream, resources.each_ref()).unwrap();
    let [layer, face, slices] = mapped.each();
    for number in 0..3 {
        let array = layer.array(number, 0).unwrap();
        assert_eq!(array.shape(), ArrayShape::plane(8, 4));
    }
    assert_eq!(code(layer.array(3, 0)), INVALID_VALUE);
    let whole = layer.mipmapped().unwrap();
    assert_eq!(whole.shape(), ArrayShape::planes(8, 4, 3));
    for number in 0..6 {
        let array = face.array(number, 0).unwrap();
        assert_eq!(array.shape(), ArrayShape::plane(4, 4));
    }
    assert_eq!(code(face.array(6, 0)), INVALID_VALUE);
    let slice = slices.array(0, 0).unwrap();
    assert_eq!(slice.shape(), ArrayShape::volume(4, 4, 2));
    assert_eq!(code(slices.array(1, 0)), INVALID_VALUE);
    drop((whole, slice));
    mapped.unmap().unwrap();
    drop(resources);
    for number in [layers, cube, volume] {
        gl.delete_texture(number);
    }
}

fn drawn_renderbuffers_can_be_read(shared: &Shared<'_>) {
    let (gl, stream) = (shared.gl, &shared.stream);
    let number = gl.renderbuffer([64, 32]);
    let resource = image(shared, number, ImageTarget::RENDERBUFFER);
    for (colour, bytes) in [
        ([1.0, 0.0, 0.0, 1.0], [255u8, 0, 0, 255]),
        ([0.0, 1.0, 1.0, 0.0], [0, 255, 255, 0]),
    ] {
        gl.draw(number, colour); // nothing waits for the drawing
        let mut mapped = MappedResources::map(stream, [&resource]).unwrap();
        let [image] = mapped.each();
        let array = image.array(0, 0).unwrap();
        assert_eq!(array.to_vec::<[u8; 4]>(stream).unwrap(), [bytes; 64 * 32]);
    }
    drop(resource);
    gl.delete_renderbuffer(number);
}

fn opengl_reads_after_copies_on_another_stream(shared: &Shared<'_>) {
    const TEXELS: usize = 2048 * 2048;
    let (gl, stream) = (shared.gl, &shared.stream);
    let other = Stream::new(&shared.context).unwrap();
    let number = gl.texture(gl::TEXTURE_2D, 1, gl::R32F, &[2048, 2048]);
    let resource = image(shared, number, ImageTarget::TEXTURE_2D);
    for round in [1.0f32, 2.0, 3.0] {
        let source = DeviceBuffer::from_slice(&other, &vec![round; TEXELS]).unwrap();
        let mut mapped = MappedResources::map(stream, [&resource]).unwrap();
        let [image] = mapped.each();
        let array = image.array(0, 0).unwrap();
        array.copy_from(&other, &source).unwrap();
        drop(array); // does not wait
        mapped.unmap().unwrap();
        let read = gl.read_texture(number, 0, TEXELS);
        assert!(read.iter().all(|x| *x == round), "round {round}");
    }
    drop(resource);
    gl.delete_texture(number);
}

fn mapping_with_arrays_in_use_cannot_be_unmapped(shared: &Shared<'_>) {
    let (gl, stream) = (shared.gl, &shared.stream);
    let number = gl.texture(gl::TEXTURE_2D, 1, gl::R32F, &[16, 8]);
    let resource = image(shared, number, ImageTarget::TEXTURE_2D);
    let map = || MappedResources::map(stream, [&resource]);
    let texture = |mapped: &mut MappedResources<1>| {
        let [image] = mapped.each();
        Texture::new(&image.array(0, 0).unwrap(), Sampler::default()).unwrap()
    };
    let mut mapped = map().unwrap();
    let held = texture(&mut mapped);
    assert!(mapped.is_held());
    let failed = mapped.unmap().unwrap_err();
    assert!(failed.to_string().contains("still exists"), "{failed}");
    drop(held); // a kernel could have read it until now
    failed.mapped.unwrap().unmap().unwrap();
    // A texture dropped during a capture on any stream is destroyed after the capture.
    let mut mapped = map().unwrap();
    let held = texture(&mut mapped);
    let other = Stream::new(&shared.context).unwrap();
    let mut still = None;
    // SAFETY: the capture records nothing.
    let graph = unsafe {
        other.capture(|_| -> Result<()> {
            drop(held);
            still = mapped.unmap().unwrap_err().mapped;
            Ok(())
        })
    };
    graph.unwrap();
    still.unwrap().unmap().unwrap();
    // If the mapping is dropped while an array is in use, the resource stays mapped forever and is
    // not even unregistered.
    let mut mapped = map().unwrap();
    let held = texture(&mut mapped);
    drop(mapped);
    drop(held);
    let expected = Some(CUresult::CUDA_ERROR_ALREADY_MAPPED);
    assert_eq!(code(map()), expected);
    let raw = resource.as_raw();
    drop(resource);
    // SAFETY: the resource is still registered.
    let resource = unsafe { GraphicsResource::borrow_raw(raw, &shared.context) };
    assert_eq!(code(MappedResources::map(stream, [&resource])), expected);
}

fn invalid_images_are_rejected(shared: &Shared<'_>) {
    let gl = shared.gl;
    let depth = gl.texture(gl::TEXTURE_2D, 1, gl::DEPTH16, &[16, 8]);
    let number = gl.texture(gl::TEXTURE_2D, 1, gl::R32F, &[16, 8]);
    let register = |number, target, flags| {
        // SAFETY: the call fails, or nothing else uses the image and it is deleted last.
        unsafe { GraphicsResource::register_image(&shared.context, number, target, flags) }
    };
    let plain = RegisterFlags::default();
    let unknown = CUresult::CUDA_ERROR_INVALID_HANDLE;
    let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
    for (number, target, flags, expected) in [
        (12_345, ImageTarget::TEXTURE_2D, plain, unknown),
        (number, ImageTarget::RENDERBUFFER, plain, unknown),
        (depth, ImageTarget::TEXTURE_2D, plain, invalid),
        (number, ImageTarget(0x0de0), plain, invalid),
        (number, ImageTarget::TEXTURE_2D, RegisterFlags(99), invalid),
    ] {
        let error = register(number, target, flags).unwrap_err();
        assert_eq!(
            error.driver_code(),
            Some(expected),
            "{number} {target:?} {error}"
        );
        assert!(
            error.to_string().contains(&format!("image {number}")),
            "{error}"
        );
    }
    let resource = register(number, ImageTarget::TEXTURE_2D, plain).unwrap();
    let mut mapped = MappedResources::map(&shared.stream, [&resource]).unwrap();
    let [image] = mapped.each();
    let error = image.memory::<f32>().unwrap_err();
    let expected = Some(CUresult::CUDA_ERROR_NOT_MAPPED_AS_POINTER);
    assert_eq!(error.driver_code(), expected, "{error}");
    // The image was not registered for surfaces.
    let array = image.array(0, 0).unwrap();
    assert!(Surface::new(&array).is_err());
    drop(array);
    mapped.unmap().unwrap();
    drop(resource);
    for number in [depth, number] {
        gl.delete_texture(number);
    }
}
