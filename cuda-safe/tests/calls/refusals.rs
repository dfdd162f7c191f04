//! What becomes of calls that the driver does not know or does not support: the error says so, or the answer is the one
//! of a device without that ability.

use cuda_safe::{
    DeviceAttribute, Library,
    checkpoint::Process,
    coredump::Coredump,
    module::ParameterInfo,
    peer::{FlushScope, PeerLink},
    share::ShareableHandles,
};

use super::*;

/// What an answer is like when one call in it fails.
#[derive(Debug, PartialEq)]
enum Answer {
    Given,
    Unsupported,
    Failed(CUresult),
}

fn answer<T>(result: cuda_safe::Result<T>) -> Answer {
    match result {
        Ok(_) => Answer::Given,
        Err(error) if *error.kind() == ErrorKind::Unsupported => Answer::Unsupported,
        Err(error) => Answer::Failed(error.driver_code().unwrap()),
    }
}

const UNKNOWN: Answer = Answer::Failed(CUresult::CUDA_ERROR_UNKNOWN);

#[test]
fn links_of_devices_lack_what_the_driver_does_not_know() {
    const TEST: &str = "links_of_devices_lack_what_the_driver_does_not_know";
    fn link() -> cuda_safe::Result<PeerLink> {
        let [one, other] = [0, 1].map(|ordinal| Device::get(ordinal).unwrap());
        one.link_to(other)
    }
    traced(
        TEST,
        "cuDeviceGetP2PAttribute:4:CUDA_ERROR_INVALID_VALUE",
        || {
            assert!(!link().unwrap().some_atomics);
        },
    );
    traced(TEST, "cuDeviceGetP2PAttribute:4:CUDA_ERROR_UNKNOWN", || {
        assert_eq!(answer(link()), UNKNOWN);
    });
    traced(
        TEST,
        "cuDeviceGetP2PAttribute:1:CUDA_ERROR_INVALID_VALUE",
        || {
            assert_eq!(answer(link()), Answer::Unsupported);
        },
    );
}

#[test]
fn handles_that_the_driver_does_not_know_are_not_shareable() {
    const TEST: &str = "handles_that_the_driver_does_not_know_are_not_shareable";
    traced(
        TEST,
        "cuDeviceGetAttribute:1+:CUDA_ERROR_INVALID_VALUE",
        || {
            let device = Device::get(0).unwrap();
            let attribute = DeviceAttribute::HANDLE_TYPE_FABRIC_SUPPORTED;
            assert_eq!(answer(device.attribute(attribute)), Answer::Unsupported);
            assert_eq!(
                device.shareable_handles().unwrap(),
                ShareableHandles::default()
            );
        },
    );
    traced(TEST, "cuDeviceGetAttribute:1+:CUDA_ERROR_UNKNOWN", || {
        let device = Device::get(0).unwrap();
        assert_eq!(answer(device.shareable_handles()), UNKNOWN);
    });
}

#[test]
fn parameters_of_kernels_are_those_of_the_source_where_the_driver_tells_none() {
    const TEST: &str = "parameters_of_kernels_are_those_of_the_source_where_the_driver_tells_none";
    fn parameters() -> cuda_safe::Result<Option<Vec<ParameterInfo>>> {
        let context = Context::primary(0).unwrap();
        let library = Library::from_ptx(PTX).unwrap();
        library.kernel("set").unwrap().parameters(&context)
    }
    traced(TEST, "cuGetProcAddress:1+:CUDA_ERROR_NOT_FOUND", || {
        assert_eq!(parameters().unwrap().unwrap().len(), 1);
    });
    traced(TEST, "cuGetProcAddress:1+:CUDA_ERROR_UNKNOWN", || {
        assert_eq!(answer(parameters()), UNKNOWN);
    });
}

#[test]
fn what_is_not_supported_is_an_error_of_that_kind() {
    const TEST: &str = "what_is_not_supported_is_an_error_of_that_kind";
    traced(
        TEST,
        "cuFlushGPUDirectRDMAWrites:1:CUDA_ERROR_NOT_SUPPORTED",
        || {
            let (context, _stream) = device();
            let flushed = context.flush_gpu_direct_writes(FlushScope::OWNER);
            assert_eq!(answer(flushed), Answer::Unsupported);
        },
    );
    traced(
        TEST,
        "cuStreamGetAttribute:1:CUDA_ERROR_NOT_SUPPORTED",
        || {
            let (_context, stream) = device();
            assert_eq!(answer(stream.access_policy()), Answer::Unsupported);
        },
    );
}

#[test]
fn settings_that_come_too_late_say_so() {
    const TEST: &str = "settings_that_come_too_late_say_so";
    traced(
        TEST,
        "cuCoredumpSetAttribute:1:CUDA_ERROR_NOT_PERMITTED",
        || {
            let (context, _stream) = device();
            let error = Coredump::of(&context).set_lightweight(true).unwrap_err();
            assert!(
                error.detail().contains("before the context is created"),
                "{error}"
            );
        },
    );
}

#[test]
fn processes_that_have_no_checkpoints_say_why() {
    const TEST: &str = "processes_that_have_no_checkpoints_say_why";
    traced(
        TEST,
        "cuCheckpointProcessGetState:1:CUDA_ERROR_NOT_INITIALIZED",
        || {
            let error = Process::new(std::process::id()).state().unwrap_err();
            assert!(error.detail().contains("does not use CUDA"), "{error}");
        },
    );
    traced(
        TEST,
        "cuCheckpointProcessGetState:1:CUDA_ERROR_NOT_SUPPORTED",
        || {
            let error = Process::new(std::process::id()).state().unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Unsupported, "{error}");
            assert!(error.detail().contains("checkpoints"), "{error}");
        },
    );
}
