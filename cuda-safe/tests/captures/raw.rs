//! Streams that raw calls are capturing: what the safe calls do then.

use std::sync::MutexGuard;

use cuda_safe::{
    Code, Context, DeviceBuffer, Error, LaunchConfig, Module, Out, PinnedBuffer, Settled, Stream,
    sys::{self, CUresult, CUstreamCaptureMode as Mode, CUstreamCaptureStatus as Status},
};

use super::one_at_a_time;

const SPIN: &str = r#"extern "C" __global__ void spin(unsigned long long nanoseconds, unsigned *out) { *out = 1; }"#;

/// One test at a time, with the primary context of device 0 and a stream on it.
fn device() -> (MutexGuard<'static, ()>, Context, Stream) {
    let one = one_at_a_time();
    let context = Context::primary(0).expect("a device");
    let stream = Stream::new(&context).expect("a stream");
    (one, context, stream)
}

fn begin(stream: &Stream, mode: Mode) {
    // SAFETY: a live stream.
    let code = unsafe { sys::cuStreamBeginCapture_v2(stream.as_raw(), mode) };
    assert_eq!(code, CUresult::CUDA_SUCCESS);
}

fn status(stream: &Stream) -> Status {
    let mut status = Status::CU_STREAM_CAPTURE_STATUS_NONE;
    // SAFETY: a live stream; `status` is valid for the write.
    let code = unsafe { sys::cuStreamIsCapturing(stream.as_raw(), &mut status) };
    assert_eq!(code, CUresult::CUDA_SUCCESS);
    status
}

/// Ends the capture; an empty graph is destroyed.
fn end(stream: &Stream) -> CUresult {
    let mut graph = std::ptr::null_mut();
    // SAFETY: a live stream; `graph` is valid for the write.
    let code = unsafe { sys::cuStreamEndCapture(stream.as_raw(), &mut graph) };
    if !graph.is_null() {
        // SAFETY: made by the line above, destroyed once.
        let destroyed = unsafe { sys::cuGraphDestroy(graph) };
        assert_eq!(destroyed, CUresult::CUDA_SUCCESS);
    }
    code
}

#[track_caller]
fn refused(result: Result<(), Error>) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), Code::Checked, "{error}");
    assert!(error.to_string().contains("is being captured"), "{error}");
}

#[test]
fn calls_that_wait_are_refused_and_leave_the_capture_alone() {
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
        refused(stream.synchronize());
        refused(stream.query().map(drop));
        refused(buffer.copy_from_slice(&stream, &[1; 4]));
        refused(buffer.copy_to_slice(&stream, &mut [1; 4]));
        refused(buffer.to_vec(&stream).map(drop));
        refused(stream.scope(|_| -> cuda_safe::Result<()> { panic!("not to be run") }));
        let failed = stream.upload(pinned, &mut buffer).unwrap_err();
        pinned = failed.host.unwrap();
        refused(Err(failed.error));
        let failed = stream.download(&buffer, pinned).unwrap_err();
        pinned = failed.host.unwrap();
        refused(Err(failed.error));
        let mut out = [0u32];
        // SAFETY: nothing is launched; the kernel would write one number.
        let launched =
            unsafe { spin.launch(&stream, LaunchConfig::new(1, 1), (0u64, Out(&mut out))) };
        refused(launched);
        // Joining it with a stream that is not part of the capture.
        refused(buffer.copy_from(&stream, &elsewhere));
        refused(elsewhere.copy_from(&other, &buffer));
        assert!(matches!(stream.settle(), Settled::Unknown(_)));
        if mode == Mode::CU_STREAM_CAPTURE_MODE_RELAXED {
            // `settle` has tried to wait for the context, as a last resort.
            assert_eq!(
                status(&stream),
                Status::CU_STREAM_CAPTURE_STATUS_INVALIDATED
            );
            refused(stream.synchronize());
        }
        end(&stream);
    }
    // Without that resort the capture is still good at its end.
    begin(&stream, Mode::CU_STREAM_CAPTURE_MODE_GLOBAL);
    refused(stream.synchronize());
    refused(buffer.copy_from_slice(&stream, &[1; 4]));
    refused(buffer.copy_from(&stream, &elsewhere));
    assert_eq!(status(&stream), Status::CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_eq!(end(&stream), CUresult::CUDA_SUCCESS);
    assert_eq!(buffer.to_vec(&stream).unwrap(), [0; 4]);
}

#[test]
fn a_copy_on_another_stream_is_over_though_the_capture_forbids_the_wait() {
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
        // The driver has made the capture invalid: that is what the error says.
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
fn what_is_dropped_during_a_capture_is_given_back() {
    let (_one, context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let buffer = DeviceBuffer::<u8>::zeroed(&other, 100).unwrap();
    let pinned = PinnedBuffer::<u8>::zeroed(&context, 100).unwrap();
    let module = Module::compile(&context, SPIN).unwrap();
    other.synchronize().unwrap();
    context.set_current().unwrap();
    begin(&stream, Mode::CU_STREAM_CAPTURE_MODE_GLOBAL);
    // The first attempt is forbidden, and invalidates the capture.
    assert!(buffer.close().is_ok());
    assert_eq!(
        end(&stream),
        CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
    );
    begin(&stream, Mode::CU_STREAM_CAPTURE_MODE_GLOBAL);
    // In the thread's relaxed mode it is allowed.
    assert!(pinned.close().is_ok());
    assert_eq!(end(&stream), CUresult::CUDA_SUCCESS);
    assert!(module.close().is_ok());
}
