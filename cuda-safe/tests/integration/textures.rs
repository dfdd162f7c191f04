//! Texture objects: sources, samplers, views and lifetimes.

use std::{ops::RangeInclusive, sync::Arc};

use cuda_safe::{
    Context, ContextFlags, DeviceAttribute, DeviceBuffer, ErrorKind, Function, LaunchConfig,
    Module, Sampler, Stream, Texture,
    array::{ArrayFlags, ArrayShape, CudaArray, MipmappedArray, TexelFormat},
    memory::PitchedBuffer,
    texture::{AddressMode, FilterMode, ResourceView, TextureResource, TextureSource, ViewFormat},
};

use crate::{compile, device, failure, rejection};

const READS: &str = r#"
extern "C" __global__ void fetch(float *x, cudaTextureObject_t t) {
    x[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}
extern "C" __global__ void line(float *x, cudaTextureObject_t t, float from, float step) {
    x[threadIdx.x] = tex1D<float>(t, from + threadIdx.x * step);
}
extern "C" __global__ void plane(float *x, cudaTextureObject_t t, float shift) {
    x[threadIdx.y * blockDim.x + threadIdx.x] = tex2D<float>(t, threadIdx.x + shift, threadIdx.y + shift);
}
extern "C" __global__ void layer(float *x, cudaTextureObject_t t, int layer) {
    x[threadIdx.x] = tex1DLayered<float>(t, threadIdx.x, layer);
}
extern "C" __global__ void faces(float *x, cudaTextureObject_t t, int cube, int layered) {
    const int face = threadIdx.x / 2, side = threadIdx.x % 2 ? -1 : 1;
    const float u = face == 0 ? side : 0, v = face == 1 ? side : 0, w = face == 2 ? side : 0;
    x[threadIdx.x] = layered ? texCubemapLayered<float>(t, u, v, w, cube) : texCubemap<float>(t, u, v, w);
}
extern "C" __global__ void level(float *x, cudaTextureObject_t t, float level) {
    x[threadIdx.x] = tex2DLod<float>(t, (threadIdx.x + 0.5f) / blockDim.x, 0.5f, level);
}
extern "C" __global__ void late(float *x, cudaTextureObject_t t, unsigned rounds) {
    unsigned wasted = 0;
    for (unsigned i = 0; i < rounds; ++i) wasted += i * wasted + clock();
    x[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x) + (wasted == 12345 && rounds == 0);
}
"#;

fn kernel(context: &Context, name: &str) -> Function {
    let module = Module::compile(context, READS).expect("a module");
    module.function(name).expect("a kernel")
}

/// Returns the values that 8 threads of `line` read.
fn line(context: &Context, stream: &Stream, texture: &Texture, from: f32, step: f32) -> Vec<f32> {
    let mut x = DeviceBuffer::<f32>::zeroed(stream, 8).unwrap();
    let line = kernel(context, "line");
    let arguments = (&mut x, texture, from, step);
    // SAFETY: there are eight threads and eight floats. The texture has one dimension and reads
    // floats.
    unsafe { line.launch(stream, LaunchConfig::new(1, 8), arguments) }.unwrap();
    x.to_vec(stream).unwrap()
}

#[test]
fn sampler_selects_coordinates_edges_and_filters() {
    let (context, stream) = device();
    let array = CudaArray::from_slice(&stream, 4, &[0.0f32, 1.0, 2.0, 4.0]).unwrap();
    let read = |sampler: Sampler, from: f32, step: f32| {
        let texture = Texture::new(&array, sampler).unwrap();
        line(&context, &stream, &texture, from, step)
    };
    let by_texel = Sampler::default();
    // From two texels before the first to two after the last.
    assert_eq!(
        read(by_texel, -1.5, 1.0),
        [0.0, 0.0, 0.0, 1.0, 2.0, 4.0, 4.0, 4.0]
    );
    let border = by_texel
        .address([AddressMode::BORDER; 3])
        .border_color([9.0, 0.0, 0.0, 0.0]);
    assert_eq!(
        read(border, -1.5, 1.0),
        [9.0, 9.0, 0.0, 1.0, 2.0, 4.0, 9.0, 9.0]
    );
    let part = by_texel.normalized_coordinates(true);
    let folds = |mode| read(part.address([mode; 3]), -0.375, 0.25);
    assert_eq!(
        folds(AddressMode::WRAP),
        [2.0, 4.0, 0.0, 1.0, 2.0, 4.0, 0.0, 1.0]
    );
    assert_eq!(
        folds(AddressMode::MIRROR),
        [1.0, 0.0, 0.0, 1.0, 2.0, 4.0, 4.0, 2.0]
    );
    // Between texels: interpolated, with the edges repeated.
    let linear = by_texel.filter(FilterMode::LINEAR);
    assert_eq!(
        read(linear, 0.0, 0.5),
        [0.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]
    );
}

#[test]
fn integers_are_normalized_to_0_to_1() {
    let (context, stream) = device();
    let array = CudaArray::from_slice(&stream, 8, &[0u8, 51, 102, 153, 204, 255, 0, 255]).unwrap();
    let sampler = Sampler::default().normalized_read(true);
    let texture = Texture::new(&array, sampler).unwrap();
    let read = line(&context, &stream, &texture, 0.5, 1.0);
    for (value, expected) in read.iter().zip([0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 0.0, 1.0]) {
        assert!((value - expected).abs() < 1e-6, "{read:?}");
    }
    let filtered = Texture::new(&array, sampler.filter(FilterMode::LINEAR)).unwrap();
    let read = line(&context, &stream, &filtered, 1.0, 0.0);
    // An H200 returns 0.100_007_63.
    assert!((read[0] - 0.1).abs() < 1e-4, "{read:?}");
}

#[test]
fn texture_keeps_linear_memory_alive() {
    let (context, stream) = device();
    let squares: Vec<f32> = (0..100).map(|i| (i * i) as f32).collect();
    let buffer = Arc::new(DeviceBuffer::from_slice(&stream, &squares).unwrap());
    let source = TextureSource::linear(buffer.clone()).unwrap();
    let address = buffer.as_device_ptr();
    drop(buffer);
    let texture = Texture::new(source, Sampler::default()).unwrap();
    let resource = texture.resource().unwrap();
    let expected = TextureResource::Linear {
        address,
        format: TexelFormat::of::<f32>(),
        bytes: 400,
    };
    assert_eq!(resource, expected);
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 100).unwrap();
    let config = LaunchConfig::new(1, 100);
    // SAFETY: there are as many threads as elements and texels.
    unsafe { kernel(&context, "fetch").launch(&stream, config, (&mut x, &texture)) }.unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), squares);
}

#[test]
fn dropping_a_texture_waits_for_its_kernels() {
    let (context, stream) = device();
    let late = kernel(&context, "late");
    let other = Stream::new(&context).unwrap();
    for _ in 0..3 {
        let numbers: Vec<f32> = (0..32).map(|i| i as f32).collect();
        let buffer = DeviceBuffer::from_slice(&other, &numbers).unwrap();
        let source = TextureSource::linear(buffer).unwrap();
        let texture = Texture::new(source, Sampler::default()).unwrap();
        let mut x = DeviceBuffer::<f32>::zeroed(&stream, 32).unwrap();
        let arguments = (&mut x, &texture, 20_000u32);
        // SAFETY: there are 32 threads, elements and texels. Dropping the texture waits for the
        // kernel.
        unsafe { late.launch(&stream, LaunchConfig::new(1, 32), arguments) }.unwrap();
        drop(texture);
        assert!(stream.query().unwrap(), "the drop did not wait");
        // Would overwrite the memory if it had been freed.
        let scribble = DeviceBuffer::from_slice(&other, &[-1.0f32; 32]).unwrap();
        assert_eq!(x.to_vec(&stream).unwrap(), numbers);
        drop(scribble);
    }
}

#[test]
fn pitched_memory_is_read_as_two_dimensions() {
    let (context, stream) = device();
    // Three rows of 4 elements, with a pitch of 8 elements.
    let rows: Vec<f32> = (0..24).map(|i| (i % 8 + 10 * (i / 8)) as f32).collect();
    let buffer = DeviceBuffer::from_slice(&stream, &rows).unwrap();
    let source = TextureSource::rows(buffer, [4, 3], 32).unwrap();
    assert!(format!("{source:?}").contains("pitched memory"));
    let sampler = Sampler::default().filter(FilterMode::LINEAR);
    let texture = Texture::new(source, sampler).unwrap();
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 12).unwrap();
    let plane = kernel(&context, "plane");
    let config = LaunchConfig::new(1, (4, 3));
    // SAFETY: there are twelve threads and elements, and the texture has two dimensions.
    unsafe { plane.launch(&stream, config, (&mut x, &texture, 0.5f32)) }.unwrap();
    let expected: Vec<f32> = (0..12).map(|i| (i % 4 + 10 * (i / 4)) as f32).collect();
    assert_eq!(x.to_vec(&stream).unwrap(), expected);
    // SAFETY: as above.
    unsafe { plane.launch(&stream, config, (&mut x, &texture, 1.0f32)) }.unwrap();
    let between: Vec<f32> = (0..12)
        .map(|i| f32::min((i % 4) as f32 + 0.5, 3.0) + f32::min(10.0 * (i / 4) as f32 + 5.0, 20.0))
        .collect();
    assert_eq!(x.to_vec(&stream).unwrap(), between);
    // The same with a pitch chosen by the driver.
    let image = PitchedBuffer::from_slice(&stream, [4, 3], &expected).unwrap();
    let pitched = TextureSource::pitched(Arc::new(image)).unwrap();
    let pitched = Texture::new(pitched, sampler).unwrap();
    // SAFETY: as above.
    unsafe { plane.launch(&stream, config, (&mut x, &pitched, 1.0f32)) }.unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), between);
    assert!(matches!(
        texture.resource().unwrap(),
        TextureResource::Pitched {
            width: 4,
            height: 3,
            pitch: 32,
            ..
        }
    ));
}

#[test]
fn invalid_linear_sources_are_rejected() {
    let (context, stream) = device();
    let buffer = || DeviceBuffer::<f32>::zeroed(&stream, 64).unwrap();
    let none = DeviceBuffer::<f32>::zeroed(&stream, 0).unwrap();
    rejection(TextureSource::linear(none))
        .mentions("0 texels")
        .mentions("must have 1 to");
    for (lengths, pitch, text) in [
        ([4, 3], 40, "multiple of 32"),
        ([12, 2], 32, "rows of 48"),
        ([4, 9], 32, "do not fit into 256 bytes"),
        ([0, 2], 32, "0 x 2 texels"),
        ([4, 0], 32, "0 rows"),
        ([4, usize::MAX], 32, "do not fit into"),
    ] {
        rejection(TextureSource::rows(buffer(), lengths, pitch)).mentions(text);
    }
    let slices = PitchedBuffer::<f32>::zeroed(&stream, [4, 3, 2]).unwrap();
    rejection(TextureSource::pitched(slices)).mentions("2 slices");
    let shared = buffer();
    let odd = shared.as_device_ptr() + 4;
    let float = TexelFormat::of::<f32>();
    // SAFETY: the memory is within the buffer, which outlives the sources.
    let sources = unsafe {
        [
            TextureSource::linear_raw(&context, odd, float, 8),
            TextureSource::pitched_raw(&context, odd, float, [4, 1], 32),
        ]
    };
    for source in sources {
        rejection(source).mentions("multiple of");
    }
    let address = shared.as_device_ptr();
    let packed = TexelFormat::new(cuda_safe::array::ChannelFormat::BC1_UNORM, 4);
    // SAFETY: as above.
    let source = unsafe { TextureSource::linear_raw(&context, address, packed, 8) };
    rejection(source).mentions("can't be stored in linear memory");
    // SAFETY: as above.
    let source = unsafe { TextureSource::linear_raw(&context, address, float, 64) }.unwrap();
    let linear = Sampler::default().filter(FilterMode::LINEAR);
    rejection(Texture::new(source.clone(), linear)).mentions("tex1Dfetch");
    let view = ResourceView::new(ViewFormat::FLOAT_1X32);
    let viewed = Texture::with_view(source.clone(), Sampler::default(), view);
    rejection(viewed).mentions("linear memory");
    Texture::new(source, Sampler::default())
        .unwrap()
        .close()
        .unwrap();
}

#[test]
fn invalid_samplers_are_rejected() {
    let (context, _) = device();
    let numbers = CudaArray::uninit::<[u16; 2]>(&context, [4, 4]).unwrap();
    let words = CudaArray::uninit::<u32>(&context, [4, 4]).unwrap();
    let plain = Sampler::default();
    let filtered = plain.filter(FilterMode::LINEAR);
    rejection(Texture::new(&numbers, filtered)).mentions("floating point");
    assert!(Texture::new(&numbers, filtered.normalized_read(true)).is_ok());
    rejection(Texture::new(&words, plain.normalized_read(true))).mentions("32-bit integers");
    let wrapped = plain.address([AddressMode::CLAMP, AddressMode::WRAP, AddressMode::CLAMP]);
    rejection(Texture::new(&words, wrapped)).mentions("normalized_coordinates");
    rejection(Texture::new(&words, plain.seamless_cube(true))).mentions("a cube");
    let cube = CudaArray::uninit::<f32>(&context, ArrayShape::cube(4)).unwrap();
    assert!(Texture::new(&cube, plain.seamless_cube(true)).is_ok());
    // The driver does not know these numbers.
    for (sampler, field) in [
        (
            plain.address([AddressMode(9); 3]),
            "address: AddressMode(9)",
        ),
        (
            plain.mipmap_filter(FilterMode(9)),
            "mipmap_filter: FilterMode(9)",
        ),
    ] {
        failure(Texture::new(&words, sampler)).detail_contains(field);
    }
}

#[test]
fn views_select_formats_levels_and_layers() {
    let (context, stream) = device();
    let bits: Vec<u32> = (0..24).map(|i| (i as f32 / 2.0).to_bits()).collect();
    let array = CudaArray::from_slice(&stream, ArrayShape::lines(8, 3), &bits).unwrap();
    let view = ResourceView::new(ViewFormat::FLOAT_1X32).layers(1..=2);
    let texture = Texture::with_view(&array, Sampler::default(), view).unwrap();
    let reported = texture.view().unwrap().expect("a view");
    assert_eq!(
        (reported.format, reported.layers),
        (view.format, Some((1, 2)))
    );
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
    let layer = kernel(&context, "layer");
    // SAFETY: there are eight threads and elements. The texture is a layered one of one dimension.
    unsafe { layer.launch(&stream, LaunchConfig::new(1, 8), (&mut x, &texture, 1i32)) }.unwrap();
    let expected: Vec<f32> = (16..24).map(|i| i as f32 / 2.0).collect();
    assert_eq!(x.to_vec(&stream).unwrap(), expected);

    let make = |view| Texture::with_view(&array, Sampler::default(), view);
    rejection(make(view.layers(2..=3))).mentions("layers 2 to 3 do not exist");
    rejection(make(view.levels(1..=1))).mentions("levels 1 to 1 do not exist");
    failure(make(ResourceView::new(ViewFormat::FLOAT_2X32))).mentions("same number of bytes");
    let integers = ResourceView::new(ViewFormat::SINT_2X16);
    let filtered = Sampler::default().filter(FilterMode::LINEAR);
    rejection(Texture::with_view(&array, filtered, integers)).mentions("floating");
}

#[test]
fn cubes_are_read_by_direction() {
    let (context, stream) = device();
    let faces = kernel(&context, "faces");
    let read = |texture: &Texture, cube: i32, layered: i32| {
        let mut x = DeviceBuffer::<f32>::zeroed(&stream, 6).unwrap();
        let arguments = (&mut x, texture, cube, layered);
        // SAFETY: there are six threads and elements. The texture is a cube or several cubes.
        unsafe { faces.launch(&stream, LaunchConfig::new(1, 6), arguments) }.unwrap();
        x.to_vec(&stream).unwrap()
    };
    let sampler = Sampler::default().normalized_coordinates(true);
    let view = ResourceView::new(ViewFormat::FLOAT_1X32);
    let texels = |count: usize| -> Vec<f32> { (0..4 * count).map(|i| (i / 4) as f32).collect() };
    let one = CudaArray::from_slice(&stream, ArrayShape::cube(2), &texels(6)).unwrap();
    let two = CudaArray::from_slice(&stream, ArrayShape::cubes(2, 2), &texels(12)).unwrap();
    for with_view in [false, true] {
        let make = |array: &CudaArray| match with_view {
            false => Texture::new(array, sampler).unwrap(),
            true => Texture::with_view(array, sampler, view).unwrap(),
        };
        assert_eq!(read(&make(&one), 0, 0), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let both = make(&two);
        assert_eq!(read(&both, 0, 1), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(read(&both, 1, 1), [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    }
    let chosen = Texture::with_view(&two, sampler, view.layers(0..=1));
    rejection(chosen).mentions("layers of cubes");
}

/// Results of an H200 with driver 580. Coordinates of mipmapped textures are normalized, whatever
/// the sampler says. A minimum level above the maximum wins. A NaN selects the last level.
#[test]
fn mipmap_levels_match_an_h200() {
    let (context, stream) = device();
    let format = TexelFormat::of::<f32>();
    let image = MipmappedArray::new(&context, format, [8, 8], 4, ArrayFlags::default()).unwrap();
    for level in 0..4 {
        let part = image.level(level).unwrap();
        let texels = part.shape().texels().unwrap();
        let texels: Vec<f32> = (0..texels)
            .map(|i| (100 * level as usize + i) as f32)
            .collect();
        part.copy_from_slice(&stream, &texels).unwrap();
    }
    let source = r#"extern "C" __global__ void levels(float *out, cudaTextureObject_t image) {
        for (int level = 0; level < 5; level++) {
            out[2 * level] = tex2DLod<float>(image, 1.5f, 0.5f, level);
            out[2 * level + 1] = tex2DLod<float>(image, 0.3f, 0.3f, level);
        }
    }"#;
    let kernel = compile(&context, source, "levels");
    let plain = Sampler::default();
    let normalized = plain.normalized_coordinates(true);
    let each = [
        39.0, 18.0, 111.0, 105.0, 203.0, 200.0, 300.0, 300.0, 300.0, 300.0,
    ];
    let last = [300.0; 10];
    for (sampler, expected) in [
        (normalized, each),
        (plain, each),
        (normalized.max_mipmap_level(1e30), each),
        (normalized.max_anisotropy(999), each),
        (normalized.min_mipmap_level(-1.0), each),
        (
            normalized.min_mipmap_level(2.0).max_mipmap_level(1.0),
            [203.0, 200.0].repeat(5).try_into().unwrap(),
        ),
        (normalized.mipmap_bias(f32::NAN), last),
        (normalized.mipmap_bias(100.0), last),
        (
            normalized
                .min_mipmap_level(f32::NAN)
                .max_mipmap_level(f32::NAN),
            last,
        ),
    ] {
        let texture = Texture::new(&image, sampler).unwrap();
        let mut out = DeviceBuffer::<f32>::zeroed(&stream, 10).unwrap();
        // SAFETY: one thread writes ten elements. The texture is mipmapped and has two dimensions.
        unsafe { kernel.launch(&stream, LaunchConfig::new(1, 1), (&mut out, &texture)) }.unwrap();
        assert_eq!(out.to_vec(&stream).unwrap(), expected, "{sampler:?}");
    }
    let texture = Texture::new(&image, plain.filter(FilterMode::LINEAR)).unwrap();
    let mut out = DeviceBuffer::<f32>::zeroed(&stream, 10).unwrap();
    // SAFETY: as above.
    unsafe { kernel.launch(&stream, LaunchConfig::new(1, 1), (&mut out, &texture)) }.unwrap();
    let mixed = [
        35.0,
        17.0 + 22.0 / 256.0,
        109.0,
        103.0 + 127.0 / 256.0,
        202.0,
        200.0 + 78.0 / 256.0,
        300.0,
        300.0,
        300.0,
        300.0,
    ];
    assert_eq!(out.to_vec(&stream).unwrap(), mixed);
}

#[test]
fn mipmap_levels_are_selected_and_interpolated() {
    let (context, stream) = device();
    let format = TexelFormat::of::<f32>();
    let image = MipmappedArray::new(&context, format, [8, 8], 3, ArrayFlags::default()).unwrap();
    for level in 0..3 {
        let part = image.level(level).unwrap();
        let texels = part.shape().texels().unwrap();
        part.copy_from_slice(&stream, &vec![10.0 * level as f32; texels])
            .unwrap();
    }
    let sampler = Sampler::default()
        .normalized_coordinates(true)
        .filter(FilterMode::LINEAR)
        .mipmap_filter(FilterMode::LINEAR)
        .max_mipmap_level(2.0);
    let kernel = kernel(&context, "level");
    let read = |sampler: Sampler, level: f32| {
        let texture = Texture::new(&image, sampler).unwrap();
        let mut x = DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
        // SAFETY: there are eight threads and elements. The texture is mipmapped and has two
        // dimensions.
        unsafe { kernel.launch(&stream, LaunchConfig::new(1, 8), (&mut x, &texture, level)) }
            .unwrap();
        x.to_vec(&stream).unwrap()
    };
    assert_eq!(read(sampler, 1.0), [10.0; 8]);
    assert_eq!(read(sampler, 0.5), [5.0; 8]);
    assert_eq!(read(sampler, 9.0), [20.0; 8]);
    assert_eq!(read(sampler.max_mipmap_level(1.0), 9.0), [10.0; 8]);
    assert_eq!(read(sampler.min_mipmap_level(1.0), 0.0), [10.0; 8]);
    assert_eq!(read(sampler.mipmap_bias(1.0), 0.0), [10.0; 8]);
    assert_eq!(
        read(sampler.mipmap_filter(FilterMode::POINT), 1.0),
        [10.0; 8]
    );
    // By default, a sampler reads all levels.
    let plain = Sampler::default().normalized_coordinates(true);
    for level in 0..3 {
        assert_eq!(read(plain, level as f32), [10.0 * level as f32; 8]);
    }
    assert_eq!(read(plain, 9.0), [20.0; 8]);
    let last = ResourceView::new(ViewFormat::FLOAT_1X32).levels(1..=2);
    let viewed = Texture::with_view(&image, plain, last).unwrap();
    assert_eq!(viewed.sampler().unwrap(), plain);
    // SAFETY: the texture outlives the borrow.
    let borrowed = unsafe { Texture::borrow_raw(viewed.as_raw(), &context) };
    assert_eq!(borrowed.sampler().unwrap().max_mipmap_level, 1.0);
    let texture = Texture::new(&image, sampler).unwrap();
    assert_eq!(texture.sampler().unwrap(), sampler);
    let raw = TextureResource::Mipmapped(image.as_raw());
    assert_eq!(texture.resource().unwrap(), raw);
    let view = ResourceView::new(ViewFormat::FLOAT_1X32);
    for levels in [2..=3, RangeInclusive::new(2, 1)] {
        rejection(Texture::with_view(&image, sampler, view.levels(levels))).mentions("there are 3");
    }
}

#[test]
fn texture_returns_its_source_sampler_and_view() {
    let (context, stream) = device();
    let array = CudaArray::from_slice(&stream, [2, 2], &[1u8, 2, 3, 4]).unwrap();
    let sampler = Sampler::default()
        .filter(FilterMode::LINEAR)
        .normalized_read(true)
        .normalized_coordinates(true)
        .address([AddressMode::MIRROR, AddressMode::BORDER, AddressMode::WRAP])
        .border_color([0.25, 0.5, 0.75, 1.0])
        .max_anisotropy(4);
    let texture = Texture::new(&array, sampler).unwrap();
    assert_eq!(texture.sampler().unwrap(), sampler);
    assert_eq!(texture.view().unwrap(), None);
    let raw = TextureResource::Array(array.as_raw());
    assert_eq!(texture.resource().unwrap(), raw);
    assert_eq!(texture.source().unwrap().format(), TexelFormat::of::<u8>());
    // A texture from a raw handle returns the same, except for the border color.
    //
    // SAFETY: the texture outlives the borrow.
    let borrowed = unsafe { Texture::borrow_raw(texture.as_raw(), &context) };
    let plain = sampler.border_color([0.0; 4]);
    assert_eq!(borrowed.sampler().unwrap(), plain);
    assert!(borrowed.source().is_none());
    assert_eq!(borrowed, texture);
    let shown = format!("{texture:?}");
    assert!(shown.starts_with("Texture(0x"), "{shown}");
}

#[test]
fn textures_of_another_context_are_rejected() {
    let (context, stream) = device();
    let created = Context::create(context.device(), ContextFlags::AUTO).unwrap();
    let array = CudaArray::uninit::<f32>(&created, 32).unwrap();
    let texture = Texture::new(&array, Sampler::default()).unwrap();
    let fetch = kernel(&context, "fetch");
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 32).unwrap();
    // SAFETY: the launch fails.
    let launched = unsafe { fetch.launch(&stream, LaunchConfig::new(1, 32), (&mut x, &texture)) };
    rejection(launched).mentions("the stream and the texture");
}

#[test]
fn texture_cannot_be_passed_as_a_float() {
    let (context, stream) = device();
    let source = r#"extern "C" __global__ void wants(double x) {}"#;
    let wants = compile(&context, source, "wants");
    let array = CudaArray::uninit::<f32>(&context, 4).unwrap();
    let texture = Texture::new(&array, Sampler::default()).unwrap();
    // SAFETY: the launch fails.
    let launched = unsafe { wants.launch(&stream, LaunchConfig::new(1, 1), (&texture,)) };
    assert_eq!(*launched.unwrap_err().kind(), ErrorKind::LaunchArguments);
}

cuda_safe::kernels! {
    /// Kernels that take a texture and a surface.
    struct Declared = "
        __global__ void threshold(cudaTextureObject_t from, cudaSurfaceObject_t to, float least) {
            const float x = tex2D<float>(from, threadIdx.x, threadIdx.y);
            surf2Dwrite(x < least ? 0.0f : 1.0f, to, threadIdx.x * 4, threadIdx.y);
        }";
    /// Marks texels that are at least `least`.
    fn threshold(from: &Texture, to: &Surface, least: f32);
}

#[test]
fn typed_kernels_accept_textures_and_surfaces() {
    let (context, stream) = device();
    let declared = Declared::load(&context).unwrap();
    let from = CudaArray::from_slice(&stream, [2, 2], &[1.0f32, 5.0, 2.0, 7.0]).unwrap();
    let float = TexelFormat::of::<f32>();
    let to = CudaArray::new(&context, float, [2, 2], ArrayFlags::SURFACE).unwrap();
    let texture = Texture::new(&from, Sampler::default()).unwrap();
    let surface = cuda_safe::Surface::new(&to).unwrap();
    let config = LaunchConfig::new(1, (2, 2));
    // SAFETY: the kernel reads and writes two by two texels of four bytes each.
    unsafe { declared.threshold(&stream, config, &texture, &surface, 3.0) }.unwrap();
    assert_eq!(to.to_vec::<f32>(&stream).unwrap(), [0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn views_can_select_one_level_or_layer() {
    let (context, stream) = device();
    let (format, none) = (TexelFormat::of::<u32>(), ArrayFlags::default());
    let levels = MipmappedArray::new(&context, format, 8, 3, none).unwrap();
    let layers = CudaArray::from_slice(&stream, ArrayShape::lines(8, 3), &[0u32; 24]).unwrap();
    let sampler = Sampler::default().normalized_coordinates(true);
    let view = ResourceView::new(ViewFormat::FLOAT_1X32);
    for number in 0..3 {
        let level = view.levels(number..=number);
        let texture = Texture::with_view(&levels, sampler, level).unwrap();
        let reported = texture.view().unwrap().unwrap();
        assert_eq!(reported.levels, Some((number, number)));
        let layer = view.layers(number..=number);
        let texture = Texture::with_view(&layers, sampler, layer).unwrap();
        let reported = texture.view().unwrap().unwrap();
        assert_eq!(reported.layers, Some((number, number)));
    }
    let (first, last) = (2, 1);
    let backwards = Texture::with_view(&levels, sampler, view.levels(first..=last));
    rejection(backwards).mentions("levels 2 to 1 do not exist");
    let backwards = Texture::with_view(&layers, sampler, view.layers(first..=last));
    rejection(backwards).mentions("layers 2 to 1 do not exist");
}

#[test]
fn integer_views_must_match_the_channel_size() {
    let (context, _) = device();
    let plain = Sampler::default();
    let filtered = plain.filter(FilterMode::LINEAR);
    let bytes = CudaArray::uninit::<u8>(&context, [4, 4]).unwrap();
    let halves = CudaArray::uninit::<u16>(&context, [4, 4]).unwrap();
    let words = CudaArray::uninit::<u32>(&context, [4, 4]).unwrap();
    for (array, format) in [
        (&bytes, ViewFormat::UINT_1X8),
        (&bytes, ViewFormat::SINT_1X8),
        (&halves, ViewFormat::UINT_1X16),
        (&halves, ViewFormat::SINT_2X8),
    ] {
        let view = ResourceView::new(format);
        rejection(Texture::with_view(array, filtered, view)).mentions("floating point");
        Texture::with_view(array, filtered.normalized_read(true), view).unwrap();
    }
    let view = ResourceView::new(ViewFormat::UINT_1X32);
    rejection(Texture::with_view(&words, filtered, view)).mentions("floating point");
    let normalized = plain.normalized_read(true);
    rejection(Texture::with_view(&words, normalized, view)).mentions("32-bit integers");
    Texture::with_view(&words, plain, view).unwrap();
}

#[test]
fn sources_are_limited_by_memory_and_device() {
    let (context, stream) = device();
    let buffer = || DeviceBuffer::<f32>::zeroed(&stream, 64).unwrap();
    TextureSource::rows(buffer(), [8, 8], 32).unwrap();
    rejection(TextureSource::rows(buffer(), [8, 9], 32)).mentions("do not fit into");

    let device = context.device();
    let of = |attribute| usize::try_from(device.attribute(attribute).unwrap()).unwrap();
    let widest = of(DeviceAttribute::MAXIMUM_TEXTURE2D_LINEAR_WIDTH);
    let tallest = of(DeviceAttribute::MAXIMUM_TEXTURE2D_LINEAR_HEIGHT);
    let longest = of(DeviceAttribute::MAXIMUM_TEXTURE2D_LINEAR_PITCH);
    let unit = of(DeviceAttribute::TEXTURE_PITCH_ALIGNMENT);
    let memory = buffer();
    let address = memory.as_device_ptr();
    let byte = TexelFormat::of::<u8>();
    let rows = |lengths, pitch| {
        // SAFETY: the memory is smaller, but no texture reads it.
        unsafe { TextureSource::pitched_raw(&context, address, byte, lengths, pitch) }
    };
    rows([4, 1], longest).unwrap();
    rejection(rows([4, 1], longest + unit)).mentions(&format!("to {longest}"));
    let pitch = (widest + 2).next_multiple_of(unit);
    rows([widest, tallest], pitch).unwrap();
    for lengths in [
        [widest + 1, 1],
        [widest + 2, 1],
        [4, tallest + 1],
        [4, tallest + 2],
    ] {
        let limits = format!("1 to {widest} texels in a row, and 1 to {tallest} rows");
        rejection(rows(lengths, pitch)).mentions(&limits);
    }
    for format in [byte, TexelFormat::of::<[f32; 4]>()] {
        let most = device.texture_1d_linear_max_width(format.channel, format.channels);
        let most = most.unwrap();
        let line = |texels| {
            // SAFETY: as above.
            unsafe { TextureSource::linear_raw(&context, address, format, texels) }
        };
        line(most).unwrap();
        rejection(line(most + 1)).mentions(&format!("{} texels", most + 1));
    }
    let nothing = TexelFormat::new(cuda_safe::array::ChannelFormat::F32, 0);
    // SAFETY: as above.
    let source = unsafe { TextureSource::pitched_raw(&context, address, nothing, [4, 1], 32) };
    rejection(source).mentions("can't be stored in linear memory");
}
