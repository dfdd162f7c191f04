//! Calls that the driver does not know or does not support. The error says so, or the result is
//! that of a device without the feature.

use cuda_safe::{
    DeviceAttribute, Library,
    checkpoint::Process,
    coredump::Coredump,
    module::ParameterInfo,
    peer::{FlushScope, PeerLink},
    share::ShareableHandles,
};

use super::*;

/// The outcome of a query in which one call fails.
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
fn device_links_lack_features_unknown_to_the_driver() {
    fn link() -> cuda_safe::Result<PeerLink> {
        let [one, other] = [0, 1].map(|ordinal| Device::get(ordinal).unwrap());
        one.link_to(other)
    }
    traced("cuDeviceGetP2PAttribute:4:CUDA_ERROR_INVALID_VALUE", || {
        assert!(!link().unwrap().some_atomics);
    });
    traced("cuDeviceGetP2PAttribute:4:CUDA_ERROR_UNKNOWN", || {
        assert_eq!(answer(link()), UNKNOWN);
    });
    traced("cuDeviceGetP2PAttribute:1:CUDA_ERROR_INVALID_VALUE", || {
        assert_eq!(answer(link()), Answer::Unsupported);
    });
}

#[test]
fn unknown_handle_types_are_not_shareable() {
    traced("cuDeviceGetAttribute:1+:CUDA_ERROR_INVALID_VALUE", || {
        let device = Device::get(0).unwrap();
        let attribute = DeviceAttribute::HANDLE_TYPE_FABRIC_SUPPORTED;
        assert_eq!(answer(device.attribute(attribute)), Answer::Unsupported);
        assert_eq!(
            device.shareable_handles().unwrap(),
            ShareableHandles::default()
        );
    });
    traced("cuDeviceGetAttribute:1+:CUDA_ERROR_UNKNOWN", || {
        let device = Device::get(0).unwrap();
        assert_eq!(answer(device.shareable_handles()), UNKNOWN);
    });
}

#[test]
fn kernel_parameters_fall_back_to_ptx() {
    fn parameters() -> cuda_safe::Result<Option<Vec<ParameterInfo>>> {
        let context = Context::primary(0).unwrap();
        let library = Library::from_ptx(PTX).unwrap();
        library.kernel("set").unwrap().parameters(&context)
    }
    traced("cuGetProcAddress:1+:CUDA_ERROR_NOT_FOUND", || {
        assert_eq!(parameters().unwrap().unwrap().len(), 1);
    });
    traced("cuGetProcAddress:1+:CUDA_ERROR_UNKNOWN", || {
        assert_eq!(answer(parameters()), UNKNOWN);
    });
}

#[test]
fn unsupported_calls_return_unsupported() {
    let fail = "cuFlushGPUDirectRDMAWrites:1:CUDA_ERROR_NOT_SUPPORTED";
    traced(fail, || {
        let (context, _stream) = device();
        let flushed = context.flush_gpu_direct_writes(FlushScope::OWNER);
        assert_eq!(answer(flushed), Answer::Unsupported);
    });
    traced("cuStreamGetAttribute:1:CUDA_ERROR_NOT_SUPPORTED", || {
        let (_context, stream) = device();
        assert_eq!(answer(stream.access_policy()), Answer::Unsupported);
    });
}

#[test]
fn late_settings_are_rejected_with_the_reason() {
    traced("cuCoredumpSetAttribute:1:CUDA_ERROR_NOT_PERMITTED", || {
        let (context, _stream) = device();
        failure(Coredump::of(&context).set_lightweight(true))
            .detail_contains("before the context is created");
    });
}

#[test]
fn checkpoint_errors_give_the_reason() {
    let fail = "cuCheckpointProcessGetState:1:CUDA_ERROR_NOT_INITIALIZED";
    traced(fail, || {
        failure(Process::new(std::process::id()).state()).detail_contains("does not use CUDA");
    });
    let fail = "cuCheckpointProcessGetState:1:CUDA_ERROR_NOT_SUPPORTED";
    traced(fail, || {
        let error = Process::new(std::process::id()).state().unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Unsupported, "{error}");
        assert!(error.detail().contains("checkpoints"), "{error}");
    });
}
