//! Functions and launches.

use cuda_safe::launch::ArgumentList;

use super::*;

#[test]
fn function_settings_are_passed_to_the_driver() {
    traced("", || {
        let (context, stream) = device();
        let set = set_kernel(&context);
        makes("cuFuncSetCacheConfig", &[], || {
            set.set_cache_config(CacheConfig::L1).unwrap()
        });
        set.set_max_dynamic_shared(64 << 10).unwrap();
        let most = FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES;
        assert_eq!(set.attribute(most).unwrap(), 64 << 10);
        failure(set.set_max_dynamic_shared(u32::MAX)).detail_contains("`set`");
        assert!(set.set_max_dynamic_shared(1 << 30).is_err());
        assert!(
            format!("{set:?}").starts_with("Function(set, 0x"),
            "{set:?}"
        );
        assert!(set.max_active_blocks(u32::MAX, 0).is_err());
        // The limits are read once.
        let config = LaunchConfig::new(1, 1);
        let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        // SAFETY: the kernel writes one number.
        let mut launch = || unsafe { set.launch(&stream, config, (&mut x,)).unwrap() };
        assert_eq!(made("cuFuncGetParamInfo", &mut launch).len(), 2);
        assert!(made("cuFuncGetParamInfo", &mut launch).is_empty());
        assert_eq!(made("cuLaunchKernel(", &mut launch).len(), 1);
        // A launch with exactly the allowed amount succeeds.
        let fits = config.shared_bytes(64 << 10);
        // SAFETY: the kernel writes one number.
        unsafe { set.launch(&stream, fits, (&mut x,)).unwrap() };
        // SAFETY: nothing is launched.
        failure(unsafe { set.launch(&stream, fits.shared_bytes((64 << 10) + 4), (&mut x,)) })
            .mentions("at most 65536 are allowed");
        stream.synchronize().unwrap();
    });
}

#[test]
fn arguments_are_unchecked_if_parameters_are_unknown() {
    traced("cuGetProcAddress:1:CUDA_ERROR_NOT_FOUND", || {
        let (context, stream) = device();
        let module = Module::from_ptx(&context, PTX).unwrap();
        let function = module.function("set").unwrap();
        // SAFETY: the handle is a kernel of this module. A borrowed handle has no PTX.
        let set = unsafe { Function::borrow_raw(function.as_raw(), "set", &module) };
        assert_eq!(set.parameters().unwrap(), None);
        let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        // SAFETY: the kernel writes one number and ignores the second argument.
        unsafe { set.launch(&stream, LaunchConfig::new(1, 1), (&mut x, 1u32)) }.unwrap();
        assert_eq!(x.to_vec(&stream).unwrap(), [7]);
        // A definite answer is kept.
        assert_eq!(calls("cuGetProcAddress").len(), 1);
        // The PTX contains the same information.
        let [p] = function.parameters().unwrap().unwrap() else {
            panic!("expected one parameter");
        };
        assert_eq!((p.offset, p.size), (0, 8));
        // SAFETY: the call fails before anything is launched.
        let rejected = unsafe { function.launch(&stream, LaunchConfig::new(1, 1), (&mut x, 1u32)) };
        failure(rejected).mentions("2 arguments");
    });
}

#[test]
fn launch_errors_give_the_reason() {
    for code in [
        "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
        "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        "CUDA_ERROR_INVALID_VALUE",
    ] {
        let fail = format!("cuLaunchKernel:1:{code}");
        traced(&fail, || {
            let (context, stream) = device();
            let set = set_kernel(&context);
            let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
            // SAFETY: the kernel writes one number.
            let error =
                unsafe { set.launch(&stream, LaunchConfig::new(3, 32), (&mut x,)) }.unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
            assert!(error.to_string().contains("kernel `set`"), "{error}");
            let text = error.to_string();
            let expected = match error.driver_code().unwrap() {
                CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => "registers per thread",
                CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => "3 blocks cannot be resident",
                _ => "compiled for at most 1024 threads",
            };
            assert!(text.contains(expected), "{text}");
        });
    }
    // The maximum of shared memory is allowed, so it is not the reason.
    traced("cuLaunchKernel:1:1", || {
        let (context, stream) = device();
        let set = set_kernel(&context);
        let most = set
            .attribute(FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES)
            .unwrap();
        let config = LaunchConfig::new(3, 32).shared_bytes(u32::try_from(most).unwrap());
        let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        // SAFETY: nothing is launched.
        failure(unsafe { set.launch(&stream, config, (&mut x,)) }).mentions("compiled for at most");
    });
    // The error has a reason even if the attributes cannot be read.
    let fail = "cuLaunchKernel:1:CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,cuFuncGetAttribute:1+:999";
    traced(fail, || {
        let (context, stream) = device();
        let set = set_kernel(&context);
        let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        // SAFETY: the kernel writes one number.
        let error =
            unsafe { set.launch(&stream, LaunchConfig::new(3, 32), (&mut x,)) }.unwrap_err();
        assert!(error.to_string().contains("with -1 registers"), "{error}");
    });
}

#[test]
fn largest_block_can_be_launched() {
    passes("", || {
        let (context, stream) = device();
        let set = set_kernel(&context);
        let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        // SAFETY: all threads write the same number to one element.
        unsafe { set.launch(&stream, LaunchConfig::new(1, 1024), (&mut x,)) }.unwrap();
        // SAFETY: nothing is launched.
        let error = unsafe { set.launch(&stream, LaunchConfig::new(1, (1, 1, 65)), (&mut x,)) }
            .unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("kernel `set`: block.z is 65, but at most 64 is allowed"),
            "{error}"
        );
        // SAFETY: nothing is launched.
        let error =
            unsafe { set.launch(&stream, LaunchConfig::new(1, 1025), (&mut x,)) }.unwrap_err();
        assert!(
            error
                .to_string()
                .contains("has 1025 threads; the device allows 1024"),
            "{error}"
        );
        // Blocks of the largest size, but too many of them.
        // SAFETY: as above.
        let error = unsafe { set.launch(&stream, LaunchConfig::new((1, 65_536), 1024), (&mut x,)) }
            .unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("kernel `set`: grid.y is 65536, but at most 65535 is allowed"),
            "{error}"
        );
        // SAFETY: as above.
        let error = unsafe { set.launch(&stream, LaunchConfig::new(1, 0), (&mut x,)) }.unwrap_err();
        assert!(error.to_string().contains("has no threads"), "{error}");
        // SAFETY: as above.
        let error =
            unsafe { set.launch(&stream, LaunchConfig::new(1, (1024, 1, 1)), ()) }.unwrap_err();
        assert!(
            error
                .to_string()
                .contains("1 parameter, but 0 arguments were passed. Parameter 0 is"),
            "{error}"
        );
    });
}

#[test]
fn launch_with_host_slices_waits_once() {
    traced("", || {
        let (context, stream) = device();
        let set = set_kernel(&context);
        // SAFETY: the kernel writes one number.
        let launch = || unsafe {
            set.launch(&stream, LaunchConfig::new(1, 1), (In(&[1u32]),))
                .unwrap()
        };
        makes("cuStreamSynchronize", &[], launch);
        let mut host = [1u32];
        // SAFETY: the kernel writes one number.
        makes("cuStreamSynchronize", &[], || unsafe {
            let arguments = (Out(&mut host),);
            set.launch(&stream, LaunchConfig::new(1, 1), arguments)
                .unwrap();
        });
        let mut again = [1u32];
        // SAFETY: as above.
        makes("cuStreamSynchronize", &[], || unsafe {
            let arguments = (InOut(&mut again),);
            set.launch(&stream, LaunchConfig::new(1, 1), arguments)
                .unwrap();
        });
        assert_eq!((host, again), ([7], [7]));
    });
}

#[test]
fn argument_lists_wait_only_for_host_slices() {
    traced("", || {
        let (context, stream) = device();
        let set = set_kernel(&context);
        let mut x = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        let mut arguments = ArgumentList::new();
        assert!(arguments.is_empty());
        arguments.push(&mut x);
        assert!(!arguments.is_empty());
        let config = LaunchConfig::new(1, 1);
        let waits = made("cuStreamSynchronize", || {
            // SAFETY: the kernel writes one number.
            unsafe { set.launch_list(&stream, config, arguments) }.unwrap()
        });
        assert!(waits.is_empty(), "{waits:?}");
        let mut host = [1u32];
        let mut arguments = ArgumentList::new();
        arguments.push(Out(&mut host));
        makes("cuStreamSynchronize", &[], || {
            // SAFETY: as above.
            unsafe { set.launch_list(&stream, config, arguments) }.unwrap()
        });
        assert_eq!(host, [7]);
    });
}
