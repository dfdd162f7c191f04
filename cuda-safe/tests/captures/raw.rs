//! Safe calls on streams that raw calls are capturing.

use cuda_safe::{
    Code, DeviceBuffer, Error, LaunchConfig, Module, Out, PinnedBuffer, Settled, Stream,
    sys::{self, CUresult, CUstreamCaptureMode as Mode, CUstreamCaptureStatus as Status},
};

use super::device;

const SPIN: &str = r#"extern "C" __global__ void spin(unsigned long long nanoseconds, unsigned *out) { *out = 1; }"#;

fn begin(stream: &Stream, mode: Mode) {
    // SAFETY: the stream is live.
    let code = unsafe { sys::cuStreamBeginCapture_v2(stream.as_raw(), mode) };
    assert_eq!(code, CUresult::CUDA_SUCCESS);
}

fn status(stream: &Stream) -> Status {
    let mut status = Status::CU_STREAM_CAPTURE_STATUS_NONE;
    // SAFETY: the stream is live, and `status` is valid for writes.
    let code = unsafe { sys::cuStreamIsCapturing(stream.as_raw(), &mut status) };
    assert_eq!(code, CUresult::CUDA_SUCCESS);
    status
}

/// Ends the capture and destroys the empty graph.
fn end(stream: &Stream) -> CUresult {
    let mut graph = std::ptr::null_mut();
    // SAFETY: the stream is live, and `graph` is valid for writes.
    let code = unsafe { sys::cuStreamEndCapture(stream.as_raw(), &mut graph) };
    if !graph.is_null() {
        // SAFETY: the line above created the graph, and it is destroyed once.
        let destroyed = unsafe { sys::cuGraphDestroy(graph) };
        assert_eq!(destroyed, CUresult::CUDA_SUCCESS);
    }
    code
}

#[track_caller]
fn assert_rejected(result: Result<(), Error>) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), Code::Checked, "{error}");
    assert!(error.to_string().contains("is being captured"), "{error}");
}

#[test]
fn waiting_calls_are_rejected_and_do_not_affect_the_capture() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
    let mut elsewhere = DeviceBuffer::<u32>::zeroed(&other, 4).unwrap();
    let mut pinned = PinnedBuffer::<u32>::zeroed(&context, 4).unwrap();
    let spin = Module::compile(&context, SPIN)
        .unwrap()
        .function("spin")
        .unwrap();
    stream.synchronize().unwrap();
    other.synchronize().unwrap();
    context.set_current().unwrap();
    for mode in [
        Mode::CU_STREAM_CAPTURE_MODE_RELAXED,
        Mode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
    ] {
        begin(&stream, mode);
        assert_rejected(stream.synchronize());
        assert_rejected(stream.query().map(drop));
        assert_rejected(buffer.copy_from_slice(&stream, &[1; 4]));
        assert_rejected(buffer.copy_to_slice(&stream, &mut [1; 4]));
        assert_rejected(buffer.to_vec(&stream).map(drop));
        assert_rejected(
            stream.scope(|_| -> cuda_safe::Result<()> { panic!("the closure must not run") }),
        );
        let failed = stream.upload(pinned, &mut buffer).unwrap_err();
        pinned = failed.host.unwrap();
        assert_rejected(Err(failed.error));
        let failed = stream.download(&buffer, pinned).unwrap_err();
        pinned = failed.host.unwrap();
        assert_rejected(Err(failed.error));
        let mut out = [0u32];
        // SAFETY: nothing is launched. The kernel would write one number.
        let launched =
            unsafe { spin.launch(&stream, LaunchConfig::new(1, 1), (0u64, Out(&mut out))) };
        assert_rejected(launched);
        // These would make a stream outside the capture join it.
        assert_rejected(buffer.copy_from(&stream, &elsewhere));
        assert_rejected(elsewhere.copy_from(&other, &buffer));
        assert!(matches!(stream.settle(), Settled::Unknown(_)));
        if mode == Mode::CU_STREAM_CAPTURE_MODE_RELAXED {
            // As a last resort, `settle` tried to wait for the context.
            assert_eq!(
                status(&stream),
                Status::CU_STREAM_CAPTURE_STATUS_INVALIDATED
            );
            assert_rejected(stream.synchronize());
        }
        end(&stream);
    }
    // Without `settle`, the capture is still valid when it ends.
    begin(&stream, Mode::CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_rejected(stream.synchronize());
    assert_rejected(buffer.copy_from_slice(&stream, &[1; 4]));
    assert_rejected(buffer.copy_from(&stream, &elsewhere));
    assert_eq!(status(&stream), Status::CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_eq!(end(&stream), CUresult::CUDA_SUCCESS);
    assert_eq!(buffer.to_vec(&stream).unwrap(), [0; 4]);
}

#[test]
fn copy_on_another_stream_finishes_during_a_capture() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let mut buffer = DeviceBuffer::<u32>::zeroed(&other, 1 << 20).unwrap();
    other.synchronize().unwrap();
    context.set_current().unwrap();
    for mode in [
        Mode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
        Mode::CU_STREAM_CAPTURE_MODE_GLOBAL,
    ] {
        begin(&stream, mode);
        let mut host = vec![7u32; 1 << 20];
        let error = buffer.copy_from_slice(&other, &host).unwrap_err();
        let code = error.driver_code();
        assert_eq!(
            code,
            Some(CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
            "{error}"
        );
        assert!(
            error.to_string().contains("CU_STREAM_CAPTURE_MODE_RELAXED"),
            "{error}"
        );
        host.fill(8);
        // The driver has invalidated the capture, as the error says.
        assert_eq!(
            end(&stream),
            CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
        );
        assert!(
            buffer
                .to_vec(&other)
                .unwrap()
                .iter()
                .all(|&value| value == 7)
        );
        buffer.fill(&other, 0).unwrap();
        other.synchronize().unwrap();
    }
    // A relaxed capture forbids nothing.
    begin(&stream, Mode::CU_STREAM_CAPTURE_MODE_RELAXED);
    buffer.copy_from_slice(&other, &vec![7; 1 << 20]).unwrap();
    assert_eq!(end(&stream), CUresult::CUDA_SUCCESS);
}

#[test]
fn memory_dropped_during_a_capture_is_freed() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let buffer = DeviceBuffer::<u8>::zeroed(&other, 100).unwrap();
    let pinned = PinnedBuffer::<u8>::zeroed(&context, 100).unwrap();
    let module = Module::compile(&context, SPIN).unwrap();
    other.synchronize().unwrap();
    context.set_current().unwrap();
    begin(&stream, Mode::CU_STREAM_CAPTURE_MODE_GLOBAL);
    // The first attempt is forbidden and invalidates the capture.
    assert!(buffer.close().is_ok());
    assert_eq!(
        end(&stream),
        CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
    );
    begin(&stream, Mode::CU_STREAM_CAPTURE_MODE_GLOBAL);
    // In the thread's relaxed mode, the call is allowed.
    assert!(pinned.close().is_ok());
    assert_eq!(end(&stream), CUresult::CUDA_SUCCESS);
    assert!(module.close().is_ok());
}
