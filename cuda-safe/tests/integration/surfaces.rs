//! Surface objects, and PyCUDA's programs with textures and surfaces rewritten with objects. The
//! results are the same.

use bytemuck::cast_slice;
use cuda_safe::{
    Context, DeviceBuffer, LaunchConfig, Module, Out, Sampler, Stream, Surface, Texture,
    array::{ArrayFlags, ArrayShape, CudaArray, MipmappedArray, Texel, TexelFormat},
    texture::{TextureResource, TextureSource},
};

use crate::{device, rejection};

#[test]
fn surfaces_can_be_read_and_written() {
    let (context, stream) = device();
    let module = Module::compile(
        &context,
        r#"extern "C" __global__ void mirror(cudaSurfaceObject_t s, int width) {
            const int here = threadIdx.x * 8, there = (width - 1 - threadIdx.x) * 8;
            const int2 a = surf2Dread<int2>(s, here, threadIdx.y);
            const int2 b = surf2Dread<int2>(s, there, threadIdx.y);
            surf2Dwrite(b, s, here, threadIdx.y);
            surf2Dwrite(a, s, there, threadIdx.y);
        }"#,
    )
    .unwrap();
    let format = TexelFormat::of::<[i32; 2]>();
    let array = CudaArray::new(&context, format, [6, 2], ArrayFlags::SURFACE).unwrap();
    let texels: Vec<[i32; 2]> = (0..12).map(|i| [i, -i]).collect();
    array.copy_from_slice(&stream, &texels).unwrap();
    let surface = Surface::new(&array).unwrap();
    let mirror = module.function("mirror").unwrap();
    // SAFETY: each row of six texels of eight bytes has three threads, and each thread uses two
    // texels.
    unsafe { mirror.launch(&stream, LaunchConfig::new(1, (3, 2)), (&surface, 6i32)) }.unwrap();
    let mirrored: Vec<[i32; 2]> = texels
        .chunks(6)
        .flat_map(|row| row.iter().rev().copied())
        .collect();
    assert_eq!(array.to_vec::<[i32; 2]>(&stream).unwrap(), mirrored);
    assert_eq!(surface.array(), Some(&array));
    assert_eq!(
        surface.resource().unwrap(),
        TextureResource::Array(array.as_raw())
    );
    assert!(format!("{surface:?}").starts_with("Surface(0x"));
}

#[test]
fn surfaces_need_the_surface_flag() {
    let (context, _) = device();
    let plain = CudaArray::uninit::<u32>(&context, [4, 4]).unwrap();
    rejection(Surface::new(&plain)).mentions("ArrayFlags::SURFACE");
    // A level of a mipmapped array can have a surface.
    let format = TexelFormat::of::<u32>();
    let levels = MipmappedArray::new(&context, format, [4, 4], 2, ArrayFlags::SURFACE).unwrap();
    let surface = Surface::new(&levels.level(1).unwrap()).unwrap();
    drop(levels);
    assert_eq!(surface.array().unwrap().shape(), ArrayShape::plane(2, 2));
    surface.close().unwrap();
}

/// Returns numbers in place of the random ones in PyCUDA's tests.
fn numbers(count: usize) -> Vec<f32> {
    let mut state = 12345u32;
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

/// PyCUDA's `matrix_to_texref(a, texref, order="F")`: element (row, column) is at x = row, y =
/// column.
fn matrix_texture(stream: &Stream, a: &[f32], [rows, columns]: [usize; 2]) -> Texture {
    let by_columns: Vec<f32> = (0..columns)
        .flat_map(|column| (0..rows).map(move |row| a[row * columns + column]))
        .collect();
    let array = CudaArray::from_slice(stream, [rows, columns], &by_columns).unwrap();
    Texture::new(&array, Sampler::default()).unwrap()
}

#[test]
fn pycuda_2d_texture_programs() {
    let (context, stream) = device();
    let module = Module::compile(
        &context,
        r#"extern "C" __global__ void copy_texture(float *dest, cudaTextureObject_t mtx_tex) {
            const int row = threadIdx.x, col = threadIdx.y, w = blockDim.y;
            dest[row * w + col] = tex2D<float>(mtx_tex, row, col);
        }
        extern "C" __global__ void add_textures(float *dest, cudaTextureObject_t a, cudaTextureObject_t b) {
            const int row = threadIdx.x, col = threadIdx.y, w = blockDim.y;
            dest[row * w + col] = tex2D<float>(a, row, col) + tex2D<float>(b, row, col);
        }"#,
    )
    .unwrap();
    let (a, b) = (numbers(12), numbers(24)[12..].to_vec());
    let first = matrix_texture(&stream, &a, [3, 4]);
    let second = matrix_texture(&stream, &b, [3, 4]);
    let config = LaunchConfig::new(1, (3, 4));
    let mut dest = [0.0f32; 12];
    let copy_texture = module.function("copy_texture").unwrap();
    // SAFETY: there are twelve threads and twelve floats, and both textures have two dimensions.
    unsafe { copy_texture.launch(&stream, config, (Out(&mut dest), &first)) }.unwrap();
    assert_eq!(dest[..], a);
    let add_textures = module.function("add_textures").unwrap();
    // SAFETY: as above.
    unsafe { add_textures.launch(&stream, config, (Out(&mut dest), &first, &second)) }.unwrap();
    let sums: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    assert_eq!(dest[..], sums);
}

#[test]
fn pycuda_four_channel_texture_programs() {
    let (context, stream) = device();
    let module = Module::compile(
        &context,
        r#"extern "C" __global__ void copy_plane(float4 *dest, cudaTextureObject_t mtx_tex) {
            const int row = threadIdx.x, col = threadIdx.y, w = blockDim.y;
            dest[row * w + col] = tex2D<float4>(mtx_tex, row, col);
        }
        extern "C" __global__ void copy_linear(float4 *dest, cudaTextureObject_t mtx_tex) {
            const int i = threadIdx.x + blockDim.x * threadIdx.y;
            dest[i] = tex1Dfetch<float4>(mtx_tex, i);
        }"#,
    )
    .unwrap();
    // Five rows and six columns in column-major order.
    let texels: Vec<[f32; 4]> = cast_slice(&numbers(120)).to_vec();
    let array = CudaArray::from_slice(&stream, [5, 6], &texels).unwrap();
    let texture = Texture::new(&array, Sampler::default()).unwrap();
    let mut dest = [[0.0f32; 4]; 30];
    let copy_plane = module.function("copy_plane").unwrap();
    let arguments = (Out(&mut dest), &texture);
    // SAFETY: there are thirty threads and thirty elements of four floats.
    unsafe { copy_plane.launch(&stream, LaunchConfig::new(1, (5, 6)), arguments) }.unwrap();
    for (row, column) in (0..5).flat_map(|row| (0..6).map(move |column| (row, column))) {
        assert_eq!(dest[row * 6 + column], texels[column * 5 + row]);
    }

    let texels: Vec<[f32; 4]> = cast_slice(&numbers(1024)).to_vec();
    let buffer = DeviceBuffer::from_slice(&stream, &texels).unwrap();
    let texture = Texture::new(TextureSource::linear(buffer).unwrap(), Sampler::default()).unwrap();
    let mut dest = [[0.0f32; 4]; 256];
    let copy_linear = module.function("copy_linear").unwrap();
    let config = LaunchConfig::new(1, (16, 16));
    // SAFETY: there are 256 threads, elements and texels.
    unsafe { copy_linear.launch(&stream, config, (Out(&mut dest), &texture)) }.unwrap();
    assert_eq!(dest[..], texels);
}

#[test]
fn pycuda_3d_texture_and_double_programs() {
    let (context, stream) = device();
    let module = Module::compile(
        &context,
        r#"extern "C" __global__ void copy_volume(float *dest, cudaTextureObject_t mtx_tex) {
            const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
            dest[(z * blockDim.y + y) * blockDim.x + x] = tex3D<float>(mtx_tex, x, y, z);
        }
        // PyCUDA's `fp_tex_double`: the two words of a double are two channels.
        extern "C" __global__ void copy_doubles(double *dest, cudaTextureObject_t my_tex) {
            const int2 words = tex1Dfetch<int2>(my_tex, threadIdx.x);
            dest[threadIdx.x] = __hiloint2double(words.y, words.x);
        }"#,
    )
    .unwrap();
    let texels = numbers(64);
    let array = CudaArray::from_slice(&stream, [2, 4, 8], &texels).unwrap();
    let texture = Texture::new(&array, Sampler::default()).unwrap();
    let mut dest = [0.0f32; 64];
    let copy_volume = module.function("copy_volume").unwrap();
    let config = LaunchConfig::new(1, (2, 4, 8));
    // SAFETY: there are 64 threads, elements and texels, and the texture has three dimensions.
    unsafe { copy_volume.launch(&stream, config, (Out(&mut dest), &texture)) }.unwrap();
    assert_eq!(dest[..], texels);

    let doubles: Vec<f64> = (0..384).map(|i| 1.0 / f64::from(i + 1)).collect();
    let words: &[[i32; 2]] = cast_slice(&doubles);
    let buffer = DeviceBuffer::from_slice(&stream, words).unwrap();
    let texture = Texture::new(TextureSource::linear(buffer).unwrap(), Sampler::default()).unwrap();
    let mut dest = [0.0f64; 384];
    let copy_doubles = module.function("copy_doubles").unwrap();
    let arguments = (Out(&mut dest), &texture);
    // SAFETY: there are 384 threads, elements and texels.
    unsafe { copy_doubles.launch(&stream, LaunchConfig::new(1, 384), arguments) }.unwrap();
    assert_eq!(dest[..], doubles);
}

/// Writes numbers to a surface by (row, column, slice) and reads them by (slice, column, row), as
/// PyCUDA's tests do.
fn check_transposed<T: Texel + PartialEq + std::fmt::Debug>(
    context: &Context,
    stream: &Stream,
    ty: &str,
    volume: bool,
    value: impl Fn(usize) -> T,
) {
    const N: usize = 8;
    let source = r#"
        extern "C" __global__ void copy_3d(TYPE *dest, cudaSurfaceObject_t s, int rw) {
            const int row = threadIdx.x, col = threadIdx.y, slice = threadIdx.z;
            const int tid = row + col * blockDim.x + slice * blockDim.x * blockDim.y;
            if (rw == 0) surf3Dwrite(dest[tid], s, row * (int)sizeof(TYPE), col, slice, cudaBoundaryModeClamp);
            else surf3Dread(&dest[tid], s, slice * (int)sizeof(TYPE), col, row, cudaBoundaryModeClamp);
        }
        extern "C" __global__ void copy_2d(TYPE *dest, cudaSurfaceObject_t s, int rw) {
            const int row = threadIdx.x, col = threadIdx.y, layer = 1;
            const int tid = row + col * blockDim.x;
            if (rw == 0) surf2DLayeredwrite(dest[tid], s, row * (int)sizeof(TYPE), col, layer, cudaBoundaryModeClamp);
            else surf2DLayeredread(&dest[tid], s, col * (int)sizeof(TYPE), row, layer, cudaBoundaryModeClamp);
        }"#
    .replace("TYPE", ty);
    let module = Module::compile(context, source.as_str()).unwrap();
    let (name, shape, depth) = if volume {
        ("copy_3d", ArrayShape::volume(N, N, N), N)
    } else {
        ("copy_2d", ArrayShape::planes(N, N, 2), 1)
    };
    let array = CudaArray::new(context, T::FORMAT, shape, ArrayFlags::SURFACE).unwrap();
    let zeros = vec![bytemuck::Zeroable::zeroed(); shape.texels().unwrap()];
    array.copy_from_slice::<T>(stream, &zeros).unwrap();
    let surface = Surface::new(&array).unwrap();
    let texels: Vec<T> = (0..N * N * depth).map(value).collect();
    let mut dest = DeviceBuffer::from_slice(stream, &texels).unwrap();
    let copy = module.function(name).unwrap();
    let config = LaunchConfig::new(1, (N as u32, N as u32, depth as u32));
    for rw in [0i32, 1] {
        // SAFETY: the numbers of threads, elements and texels are equal.
        unsafe { copy.launch(stream, config, (&mut dest, &surface, rw)) }.unwrap();
    }
    let read = dest.to_vec(stream).unwrap();
    for (i, found) in read.iter().enumerate() {
        let (x, y, z) = (i % N, i / N % N, i / N / N);
        let from = if volume {
            (x * N + y) * N + z
        } else {
            x * N + y
        };
        assert_eq!(*found, texels[from], "{ty} at {i}");
    }
}

#[test]
fn pycuda_surface_programs() {
    let (context, stream) = device();
    for volume in [true, false] {
        check_transposed(&context, &stream, "short", volume, |i| i as i16);
        check_transposed(&context, &stream, "float", volume, |i| i as f32 / 3.0);
        // Doubles and complex numbers are passed as their words.
        check_transposed(&context, &stream, "int2", volume, |i| [i as i32, -1]);
        check_transposed(&context, &stream, "int4", volume, |i| [i as i32, 1, 2, 3]);
    }
}
