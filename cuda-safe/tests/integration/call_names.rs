//! Errors of ordering with other streams name the method that the program called.

use cuda_safe::{
    Context, ContextFlags, DeviceBuffer, Error, ErrorKind, Module, PinnedBuffer, Result, Stream,
    array::CudaArray,
    graph::CaptureMode,
    memory::{HostRegion, HostRegionMut, RegionCopy},
};

use crate::device;

/// Returns the call that a rejection names.
#[track_caller]
fn name<R>(result: Result<R, impl Into<Error>>) -> &'static str {
    let error = result.map(drop).map_err(Into::into).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::InvalidArgument, "{error}");
    error.call()
}

#[test]
fn cross_context_errors_name_the_called_method() {
    let (context, stream) = device();
    let other = Context::create(context.device(), ContextFlags::AUTO).unwrap();
    let foreign = Stream::new(&other).unwrap();
    let [array, second] =
        [1u32, 2].map(|value| CudaArray::from_slice(&stream, [4], &[value; 4]).unwrap());
    let mut buffer = DeviceBuffer::<u32>::zeroed(&foreign, 4).unwrap();
    // A global variable belongs to its context, not to a stream.
    let module = Module::compile(&context, "__device__ unsigned x[4];").unwrap();
    let mut global = module.global::<u32>("x", 4).unwrap();
    let mut texels = array.texels::<u32>().unwrap();
    let pinned = || PinnedBuffer::<u32>::zeroed(&other, 4).unwrap();
    let mut host = [0; 4];
    let copy = RegionCopy::new(4);
    let mut names = vec![
        name(array.copy_from(&foreign, &buffer)),
        name(array.copy_to(&foreign, &mut buffer)),
        name(array.copy_from_array(&foreign, &second)),
        name(array.copy_from_slice(&foreign, &host)),
        name(array.to_vec::<u32>(&foreign)),
        name(global.copy_from_slice(&foreign, &host)),
        name(global.copy_to_slice(&foreign, &mut host)),
        name(global.to_vec(&foreign)),
        name(global.copy_from(&foreign, &buffer)),
        name(global.fill(&foreign, 7)),
        name(foreign.upload(pinned(), &mut global)),
        name(foreign.download(&global, pinned())),
    ];
    let region = HostRegion::new(&[0; 4], 4).unwrap();
    names.push(name(copy.upload(&foreign, &mut texels, region)));
    let region = HostRegionMut::new(&mut host, 4).unwrap();
    names.push(name(copy.download(&foreign, region, &texels)));
    names.push(name(
        foreign.scope(|scope| scope.upload(&[7; 4], &mut global)),
    ));
    names.push(name(
        foreign.scope(|scope| scope.download(&global, &mut host)),
    ));
    let expected = [
        "CudaArray::copy_from",
        "CudaArray::copy_to",
        "CudaArray::copy_from_array",
        "CudaArray::copy_from_slice",
        "CudaArray::to_vec",
        "copy_from_slice",
        "copy_to_slice",
        "to_vec",
        "copy_from",
        "fill",
        "Stream::upload",
        "Stream::download",
        "RegionCopy::upload",
        "RegionCopy::download",
        "Scope::upload",
        "Scope::download",
    ];
    assert_eq!(names, expected);
}

#[test]
fn capture_errors_name_the_called_method() {
    let (context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let array = CudaArray::from_slice(&stream, [4], &[1u32; 4]).unwrap();
    let mut buffer = DeviceBuffer::<u32>::zeroed(&other, 4).unwrap();
    let mut target = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
    let mut names = Vec::new();
    // SAFETY: the capture records nothing.
    let graph = unsafe {
        stream.capture_with_mode(CaptureMode::RELAXED, |_| -> Result<()> {
            names = vec![
                name(array.copy_from(&stream, &buffer)),
                name(array.copy_to(&stream, &mut buffer)),
                name(RegionCopy::new(4).enqueue(&stream, &mut target, &buffer)),
                name(target.copy_from(&stream, &buffer)),
                name(buffer.fill(&stream, 7)),
            ];
            Ok(())
        })
    };
    graph.unwrap();
    let expected = [
        "CudaArray::copy_from",
        "CudaArray::copy_to",
        "RegionCopy::enqueue",
        "copy_from",
        "fill",
    ];
    assert_eq!(names, expected);
}
