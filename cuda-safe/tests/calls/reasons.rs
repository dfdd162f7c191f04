//! Details of errors. Each code has a reason, which the error gives only if it applies.

use std::fs::File;

use cuda_safe::{
    Library,
    checkpoint::Process,
    green::SplitFlags,
    memory::{ManagedAttachment, RegisterFlags, RegisteredBuffer},
    module::Embedded,
    peer::PeerAttribute,
    share::{ExternalMemory, ExternalMemoryKind},
};

use super::*;

#[test]
fn groups_larger_than_the_device_are_rejected() {
    fn errors() -> (u32, cuda_safe::Error, cuda_safe::Error) {
        let all = Device::get(0).unwrap().multiprocessors().unwrap();
        let [larger, equal] = [all.count() + 1, all.count()]
            .map(|size| all.groups_of(size, SplitFlags::default()).unwrap_err());
        (all.count(), larger, equal)
    }
    fn larger(count: u32) -> String {
        format!(
            "a group of {} multiprocessors was requested, but there are only {count}",
            count + 1
        )
    }
    let fail = "cuDevSmResourceSplitByCount:1+:CUDA_ERROR_INVALID_VALUE";
    passes(fail, || {
        let (count, beyond, within) = errors();
        assert_eq!(*beyond.kind(), ErrorKind::InvalidArgument, "{beyond}");
        assert_eq!(beyond.detail(), larger(count));
        assert_eq!(*within.kind(), ErrorKind::Driver, "{within}");
        assert!(!within.detail().contains("a group of"), "{within}");
    });
    passes("cuDevSmResourceSplitByCount:1+:915", || {
        let (count, beyond, within) = errors();
        assert_eq!(beyond.detail(), larger(count));
        assert!(
            within.detail().contains("create a green context with it"),
            "{within}"
        );
    });
    passes("cuDevSmResourceSplitByCount:1+:999", || {
        for error in [errors().1, errors().2] {
            assert!(!error.detail().contains("group"), "{error}");
        }
    });
}

#[test]
fn out_of_memory_names_max_size_only_if_set() {
    passes("cuMemAllocFromPoolAsync:1:CUDA_ERROR_OUT_OF_MEMORY", || {
        let (context, stream) = device();
        let pool = MemoryPool::new(&context).unwrap();
        let error = pool.allocate::<u32>(&stream, 25).unwrap_err();
        let memory = context.memory_info().unwrap();
        let ErrorKind::OutOfMemory {
            requested, total, ..
        } = *error.kind()
        else {
            panic!("{error}");
        };
        assert_eq!((requested, total), (100, memory.total), "{error}");
        assert!(!error.detail().contains("max_size"), "{error}");
    });
}

#[test]
fn missing_unified_functions_are_named() {
    fn error() -> cuda_safe::Error {
        let library = Library::from_ptx(PTX).unwrap();
        library.unified_function("nothing").unwrap_err()
    }
    passes("cuLibraryGetUnifiedFunction:1:CUDA_ERROR_NOT_FOUND", || {
        let error = error();
        assert_eq!(*error.kind(), ErrorKind::NotFound, "{error}");
        assert!(error.detail().contains("named `nothing`"), "{error}");
    });
    let fail = "cuLibraryGetUnifiedFunction:1:CUDA_ERROR_INVALID_VALUE";
    passes(fail, || {
        let error = error();
        assert_eq!(*error.kind(), ErrorKind::Driver, "{error}");
        assert!(error.detail().contains("do not share function"), "{error}");
    });
    passes("cuLibraryGetUnifiedFunction:1:CUDA_ERROR_UNKNOWN", || {
        let error = error();
        assert_eq!((error.kind(), error.detail()), (&ErrorKind::Driver, ""));
    });
}

#[test]
fn kernels_that_fail_to_load_are_named() {
    traced("", || {
        let (context, _) = device();
        let set = set_kernel(&context);
        makes("cuFuncLoad(", &[], || set.load().unwrap());
        assert!(set.is_loaded().unwrap());
    });
    passes("cuFuncLoad:1:CUDA_ERROR_UNKNOWN", || {
        let (context, _) = device();
        let set = set_kernel(&context);
        let error = set.load().unwrap_err();
        assert_eq!(error.detail(), "cannot load kernel `set`");
    });
    // This error has its own reason.
    passes("cuFuncLoad:1:CUDA_ERROR_NOT_PERMITTED", || {
        let (context, _) = device();
        let set = set_kernel(&context);
        failure(set.load()).detail_contains("not permitted here");
    });
}

#[test]
fn embedded_ptx_replaces_machine_code_that_the_driver_rejects() {
    const REJECTED: &str = "cuModuleLoadDataEx:1:CUDA_ERROR_NO_BINARY_FOR_GPU";
    /// Returns machine code for this device. Its contents do not matter, because loading it fails.
    fn embedded(context: &Context, ptx: &'static str) -> Embedded {
        let capability = context.device().compute_capability().unwrap();
        let name = format!("sm_{}{}", capability.major, capability.minor);
        let name: &'static str = name.leak();
        let cubins: &'static [_] = vec![(name, PTX.as_bytes())].leak();
        // SAFETY: the emulator compiles the text like any PTX.
        unsafe { Embedded::new(cubins, ptx) }
    }
    passes(REJECTED, || {
        let (context, _) = device();
        let embedded = embedded(&context, PTX);
        assert_eq!((embedded.ptx(), embedded.cubins().len()), (PTX, 1));
        assert_eq!(embedded.cubins()[0].1, PTX.as_bytes());
        Module::from_embedded(&context, &embedded).unwrap();
    });
    passes(REJECTED, || {
        let (context, _) = device();
        let error = Module::from_embedded(&context, &embedded(&context, "")).unwrap_err();
        let code = Some(CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
        assert_eq!(error.driver_code(), code, "{error}");
    });
    passes("cuModuleLoadDataEx:1:CUDA_ERROR_UNKNOWN", || {
        let (context, _) = device();
        let error = Module::from_embedded(&context, &embedded(&context, PTX)).unwrap_err();
        assert_eq!(error.driver_code(), Some(CUresult::CUDA_ERROR_UNKNOWN));
    });
}

#[test]
fn registration_errors_give_the_reason() {
    fn error(flags: RegisterFlags) -> cuda_safe::Error {
        let (context, _) = device();
        let host = vec![0u32; 250];
        let failed = RegisteredBuffer::with_flags(&context, host, flags);
        failed.unwrap_err().into()
    }
    passes("cuMemHostRegister:1:CUDA_ERROR_OUT_OF_MEMORY", || {
        let error = error(RegisterFlags::default());
        let kind = ErrorKind::OutOfMemory {
            requested: 1000,
            free: 0,
            total: 0,
        };
        assert_eq!(*error.kind(), kind, "{error}");
        assert!(error.detail().contains("ulimit -l"), "{error}");
    });
    let fail = "cuMemHostRegister:1:CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED";
    passes(fail, || {
        let error = error(RegisterFlags::default());
        assert!(error.detail().contains("page-locked already"), "{error}");
    });
    passes("cuMemHostRegister:1:CUDA_ERROR_INVALID_VALUE", || {
        let error = error(RegisterFlags::PORTABLE);
        assert_eq!(*error.kind(), ErrorKind::Driver, "{error}");
        assert!(!error.detail().contains("does not know"), "{error}");
    });
    passes("cuMemHostRegister:1:CUDA_ERROR_UNKNOWN", || {
        let error = error(RegisterFlags::default());
        assert_eq!((error.kind(), error.detail()), (&ErrorKind::Driver, ""));
    });
}

#[test]
fn external_memory_errors_give_the_reason() {
    const FAIL: &str = "cuImportExternalMemory:1+:CUDA_ERROR_INVALID_VALUE";
    passes(FAIL, || {
        let (context, _) = device();
        let import = |bytes| {
            let file = File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
                .unwrap()
                .into();
            let kind = match cfg!(windows) {
                true => ExternalMemoryKind::OPAQUE_WIN32,
                false => ExternalMemoryKind::OPAQUE_FD,
            };
            // SAFETY: the import fails.
            unsafe { ExternalMemory::import(&context, kind, file, bytes, false) }.unwrap_err()
        };
        assert_eq!(import(0).detail(), "cannot import 0 bytes");
        assert!(!import(1).detail().contains("0 bytes"));
    });
}

#[test]
fn unknown_attachments_are_named() {
    passes("cuStreamAttachMemAsync:1+:CUDA_ERROR_INVALID_VALUE", || {
        let (_, stream) = device();
        let mut buffer = ManagedBuffer::<u32>::zeroed(&stream, 4).unwrap();
        let known = buffer.attach(ManagedAttachment::SINGLE).unwrap_err();
        assert!(!known.detail().contains("does not know"), "{known}");
        failure(buffer.attach(ManagedAttachment(77))).detail_contains("ManagedAttachment(77)");
    });
}

#[test]
fn peer_attribute_explains_only_links_to_the_same_device() {
    let fail = "cuDeviceGetP2PAttribute:1+:CUDA_ERROR_INVALID_DEVICE";
    traced(fail, || {
        let [one, other] = [0, 1].map(|ordinal| Device::get(ordinal).unwrap());
        let attribute = PeerAttribute::ACCESS_SUPPORTED;
        let error = one.peer_attribute(other, attribute).unwrap_err();
        assert!(!error.detail().contains("itself"), "{error}");
        let error = one.peer_attribute(one, attribute).unwrap_err();
        assert_eq!(error.detail(), "a device has no link to itself");
    });
}

#[test]
fn missing_processes_are_named() {
    let fail = "cuCheckpointProcessGetState:1:CUDA_ERROR_OPERATING_SYSTEM";
    passes(fail, || {
        failure(Process::new(4321).state()).detail_contains("process 4321 does not exist");
    });
}

#[test]
fn shared_memory_is_the_reason_only_above_the_limit() {
    const STATIC: &str = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() {\n\
        .shared .align 4 .b8 s[1024];\n.reg .u32 %v;\nmov.u32 %v, 1;\nst.shared.u32 [s], %v;\nret;\n}\n";
    fn kernel() -> (Function, u32) {
        let (context, _) = device();
        let kernel = Module::from_ptx(&context, STATIC)
            .unwrap()
            .function("k")
            .unwrap();
        let fixed = kernel
            .attribute(FunctionAttribute::SHARED_SIZE_BYTES)
            .unwrap();
        assert_eq!(fixed, 1024);
        let all = cuda_safe::DeviceAttribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let all = context.device().attribute(all).unwrap();
        (kernel, (all - fixed) as u32)
    }
    passes("", || {
        let (kernel, most) = kernel();
        kernel.set_max_dynamic_shared(most).unwrap();
        let error = kernel.set_max_dynamic_shared(most + 1).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
        let expected = format!("at most {most} on this device");
        assert!(error.detail().contains(&expected), "{error}");
    });
    passes("cuFuncSetAttribute:1:CUDA_ERROR_UNKNOWN", || {
        let (kernel, most) = kernel();
        failure(kernel.set_max_dynamic_shared(most)).of_kind(ErrorKind::Driver);
    });
}

#[test]
fn failed_capture_query_is_not_reported_as_capture() {
    passes("cuStreamGetCaptureInfo:1+:CUDA_ERROR_UNKNOWN", || {
        let (context, stream) = device();
        let other = Stream::new(&context).unwrap();
        let source = DeviceBuffer::<u32>::uninit(&other, 4).unwrap();
        let mut target = DeviceBuffer::<u32>::uninit(&stream, 4).unwrap();
        if let Err(error) = target.copy_from(&stream, &source) {
            let code = Some(CUresult::CUDA_ERROR_UNKNOWN);
            assert_eq!(error.driver_code(), code, "{error}");
        }
    });
}

#[test]
fn library_load_errors_have_the_log_of_the_driver() {
    passes("cuLibraryGetKernel:1:CUDA_ERROR_INVALID_SOURCE", || {
        let error = Library::from_ptx(PTX).unwrap_err();
        let log = String::new();
        assert_eq!(*error.kind(), ErrorKind::Load { log }, "{error}");
    });
}
