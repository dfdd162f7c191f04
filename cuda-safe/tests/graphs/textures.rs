//! Textures, surfaces and arrays in graphs: objects that a graph holds, and those whose release a
//! capture delays.

use cuda_safe::{
    Context, DeviceBuffer, Function, Graph, LaunchConfig, Module, Result, Sampler, Stream, Surface,
    Texture,
    array::{ArrayFlags, CudaArray, TexelFormat},
};

use super::{device, launched, rejection};

fn read(context: &Context) -> Function {
    let source = r#"extern "C" __global__ void read(float *x, cudaTextureObject_t t) {
        x[threadIdx.x] += tex1D<float>(t, threadIdx.x);
    }"#;
    let module = Module::compile(context, source).unwrap();
    module.function("read").unwrap()
}

fn texture(stream: &Stream) -> Texture {
    let array = CudaArray::from_slice(stream, 4, &[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    Texture::new(&array, Sampler::default()).unwrap()
}

#[test]
fn graph_holds_the_texture_of_its_kernel() {
    let (_one, context, stream) = device();
    let read = read(&context);
    let mut graph = Graph::new(&context).unwrap();
    let x = graph.keep(DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap());
    let texture = texture(&stream);
    graph.hold(texture.clone());
    // SAFETY: there are four threads, elements and texels, and the graph holds both objects.
    unsafe { graph.add_kernel(&[], &read, LaunchConfig::new(1, 4), (x, &texture)) }.unwrap();
    let mut exec = graph.instantiate().unwrap();
    // `into_raw` fails while the graph holds the texture.
    let texture = texture.into_raw().unwrap_err();
    let kept = texture.clone();
    drop(texture);
    for _ in 0..3 {
        exec.launch(&stream).unwrap();
    }
    let sums = exec.memory(x).unwrap().to_vec(&stream).unwrap();
    assert_eq!(sums, [3.0, 6.0, 9.0, 12.0]);
    let kept = kept.into_raw().unwrap_err();
    // Dropping the graph releases its reference.
    drop(exec);
    let raw = kept.into_raw().unwrap();
    // SAFETY: `into_raw` gave up the handle, and nothing else uses it.
    unsafe { Texture::from_raw(raw, &context) }.close().unwrap();
}

#[test]
fn objects_dropped_during_a_capture_are_destroyed_afterwards() {
    let (_one, context, stream) = device();
    let read = read(&context);
    let texture = texture(&stream);
    let format = TexelFormat::of::<f32>();
    let array = CudaArray::new(&context, format, 4, ArrayFlags::SURFACE).unwrap();
    let surface = Surface::new(&array).unwrap();
    let spare = CudaArray::uninit::<u8>(&context, 8).unwrap();
    let source = DeviceBuffer::from_slice(&stream, &[5.0f32, 6.0, 7.0, 8.0]).unwrap();
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    // SAFETY: there are four threads, elements and texels. The capture holds the texture, and the
    // rest outlives the graph.
    let graph = unsafe {
        stream.capture(|capture| -> Result<()> {
            // Calls that cannot be captured are rejected and do not end the capture.
            rejection(CudaArray::uninit::<f32>(&context, 4)).mentions("before the capture");
            rejection(Surface::new(&array)).mentions("before the capture");
            rejection(array.to_vec::<f32>(&stream)).mentions("captured");
            array.copy_from(&stream, &source)?;
            read.launch(&stream, LaunchConfig::new(1, 4), (&mut x, &texture))?;
            capture.hold(texture);
            drop((spare, surface));
            Ok(())
        })
    }
    .unwrap();
    let mut exec = launched(graph, &stream);
    exec.launch(&stream).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [2.0, 4.0, 6.0, 8.0]);
    assert_eq!(array.to_vec::<f32>(&stream).unwrap(), [5.0, 6.0, 7.0, 8.0]);
}
