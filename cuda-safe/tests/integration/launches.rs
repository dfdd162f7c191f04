use cuda_safe::{
    Context, ContextFlags, Device, DeviceAttribute, DeviceBuffer, Dim3, ErrorKind, Function, In,
    InOut, LaunchConfig, Module, Out, Stream, WithLen,
    launch::{ArgumentList, ByValue},
    module::ParameterKind,
    sys,
};

use crate::{compile, device, failure, kernels, rejection};

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Pair {
    scale: f32,
    offset: i32,
}

#[test]
fn buffers_views_scalars_and_structs_are_arguments() {
    let (context, stream) = device();
    let affine = kernels(&context).function("affine").unwrap();
    let input: Vec<f32> = (0..1000u16).map(f32::from).collect();
    let x = DeviceBuffer::from_slice(&stream, &input).unwrap();
    let mut y = DeviceBuffer::<f32>::zeroed(&stream, 1000).unwrap();
    let pair = Pair {
        scale: 2.0,
        offset: -3,
    };
    let config = LaunchConfig::for_elements(500);
    let (mut low, mut high) = y.split_at_mut(500).unwrap();
    // SAFETY: the kernel reads and writes 500 floats of each buffer.
    unsafe {
        affine
            .launch(
                &stream,
                config,
                (&mut low, x.slice(..500).unwrap(), pair, 500u32),
            )
            .unwrap();
        affine
            .launch(
                &stream,
                config,
                (&mut high, x.slice(500..).unwrap(), ByValue(pair), 500u32),
            )
            .unwrap();
    }
    let expected: Vec<f32> = input.iter().map(|x| x * 2.0 - 3.0).collect();
    assert_eq!(y.to_vec(&stream).unwrap(), expected);
}

#[test]
fn host_slices_are_copied_for_the_launch() {
    let (context, stream) = device();
    let module = kernels(&context);
    let affine = module.function("affine").unwrap();
    let scale = module.function("scale").unwrap();
    let input = [1.0f32, 2.0, 3.0];
    let mut output = [0.0f32; 3];
    let pair = Pair {
        scale: 10.0,
        offset: 1,
    };
    let config = LaunchConfig::for_elements(3);
    // SAFETY: the kernels access at most three floats.
    unsafe {
        affine
            .launch(&stream, config, (Out(&mut output), In(&input), pair, 3u32))
            .unwrap();
        assert_eq!(output, [11.0, 21.0, 31.0]);
        scale
            .launch(&stream, config, (InOut(&mut output), 0.5f32, 3u32))
            .unwrap();
    }
    assert_eq!(output, [5.5, 10.5, 15.5]);
    let mut none: [f32; 0] = [];
    let arguments = (InOut(&mut none), 1.0f32, 0u32);
    // SAFETY: with n = 0, no thread accesses memory.
    unsafe { scale.launch(&stream, LaunchConfig::new(1, 1), arguments) }.unwrap();
}

/// Kernels with a length parameter after the pointer.
const LENGTHS: &str = r#"
extern "C" __global__ void as_int(const float *x, int n, float *sum) {
    for (int i = 0; i < n; ++i) *sum += x[i];
}
extern "C" __global__ void as_size(float factor, float *x, size_t n, const float *y, unsigned m) {
    for (size_t i = 0; i < n && i < m; ++i) x[i] = factor * y[i];
}
"#;

#[test]
fn with_len_passes_memory_and_its_length() {
    let (context, stream) = device();
    let module = Module::compile(&context, LENGTHS).unwrap();
    let as_int = module.function("as_int").unwrap();
    let as_size = module.function("as_size").unwrap();
    let one = LaunchConfig::new(1, 1);
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 5).unwrap();
    let y = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    let mut sum = [0.5f32];
    // SAFETY: the kernels stay within the given lengths.
    unsafe {
        let x = WithLen::u64(&mut x);
        let part = y.slice(1..).unwrap();
        as_size
            .launch(&stream, one, (2.0f32, x, WithLen::u32(part)))
            .unwrap();
    }
    assert_eq!(x.to_vec(&stream).unwrap(), [4.0, 6.0, 8.0, 0.0, 0.0]);
    // SAFETY: as above, and the sum is one element.
    unsafe {
        as_int
            .launch(&stream, one, (WithLen::i32(&x), InOut(&mut sum)))
            .unwrap();
        as_int
            .launch(
                &stream,
                one,
                (WithLen::i32(In(&[10.0f32, 20.0])), InOut(&mut sum)),
            )
            .unwrap();
    }
    assert_eq!(sum, [48.5]);
    let mut out = [0.0f32; 3];
    // SAFETY: as above.
    unsafe {
        let out = WithLen::usize(Out(&mut out));
        as_size
            .launch(&stream, one, (3.0f32, out, WithLen::u32(&y)))
            .unwrap();
    }
    assert_eq!(out, [3.0, 6.0, 9.0]);
}

#[test]
fn with_len_arguments_are_checked() {
    let (context, stream) = device();
    let as_int = compile(&context, LENGTHS, "as_int");
    let one = LaunchConfig::new(1, 1);
    let x = DeviceBuffer::<f32>::zeroed(&stream, 4).unwrap();
    let mut sum = DeviceBuffer::<f32>::zeroed(&stream, 1).unwrap();
    let assert_rejected = |result: cuda_safe::Result<()>, expected: &str| {
        let error = result.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::LaunchArguments);
        assert!(error.to_string().contains(expected), "{error}");
    };
    // SAFETY: nothing is launched.
    unsafe {
        assert_rejected(
            as_int.launch(&stream, one, (WithLen::u64(&x), &mut sum)),
            "argument 1 (counted from 0) is the length as u64, an integer of 8 bytes, but the parameter is an \
             integer of 4 bytes: use `WithLen::i32` or `WithLen::u32`",
        );
        assert_rejected(
            as_int.launch(&stream, one, (WithLen::i32(&x), 4i32, &mut sum)),
            "3 parameters, but 4 arguments",
        );
        assert_rejected(
            as_int.launch(&stream, one, (WithLen::i32(&x),)),
            "3 parameters, but 2 arguments",
        );
    }
    // More elements than fit in an `int`. Elements without size need no memory.
    let many = DeviceBuffer::<()>::uninit(&stream, 1 << 31).unwrap();
    // SAFETY: nothing is launched.
    unsafe {
        assert_rejected(
            as_int.launch(&stream, one, (WithLen::i32(&many), &mut sum)),
            "a length of 2147483648 elements is more than `WithLen::i32` can pass",
        );
    }
    assert_eq!(sum.to_vec(&stream).unwrap(), [0.0]);
}

#[test]
fn for_elements_rejects_invalid_counts() {
    let (context, stream) = device();
    let function = kernels(&context).function("no_parameters").unwrap();
    for config in [
        LaunchConfig::for_elements(u64::MAX),
        LaunchConfig::for_elements(-1),
    ] {
        // SAFETY: nothing is launched.
        failure(unsafe { function.launch(&stream, config, ()) })
            .of_kind(ErrorKind::LaunchArguments)
            .mentions("the number of elements is negative");
    }
    rejection(LaunchConfig::for_occupancy(&function, -1));
}

#[test]
fn launch_without_blocks_does_nothing() {
    let (context, stream) = device();
    let function = kernels(&context).function("no_parameters").unwrap();
    // SAFETY: the kernel does nothing.
    unsafe {
        function
            .launch(&stream, LaunchConfig::for_elements(0), ())
            .unwrap();
        function
            .launch(&stream, LaunchConfig::new(1, 1), ())
            .unwrap();
    }
    stream.synchronize().unwrap();
}

#[test]
fn grids_that_were_rounded_down_to_no_blocks_are_errors() {
    let (context, stream) = device();
    let function = kernels(&context).function("no_parameters").unwrap();
    let elements = 100;
    for (grid, text) in [
        (Dim3::from(elements / 256), "a grid of 0 x 1 x 1"),
        (Dim3::from((4, 0)), "a grid of 4 x 0 x 1"),
    ] {
        // SAFETY: nothing is launched.
        failure(unsafe { function.launch(&stream, LaunchConfig::new(grid, 256), ()) })
            .of_kind(ErrorKind::LaunchArguments)
            .mentions(text)
            .mentions(
                "has no blocks, so no thread would run. Fix: round the number of blocks up, as \
                 `LaunchConfig::for_elements(n)` and `for_elements_in_blocks(n, block)` do, which launch nothing if n is 0",
            );
    }
}

#[test]
fn argument_errors_name_the_type_and_size() {
    let (context, stream) = device();
    let scale = kernels(&context).function("scale").unwrap();
    let mut x = DeviceBuffer::<f32>::zeroed(&stream, 10).unwrap();
    let other = DeviceBuffer::<f32>::zeroed(&stream, 10).unwrap();
    let config = LaunchConfig::for_elements(10);
    // SAFETY: nothing is launched.
    failure(unsafe { scale.launch(&stream, config, (&mut x, 2.0f32)) })
        .of_kind(ErrorKind::LaunchArguments)
        .mentions("it has 3 parameters, but 2 arguments were passed. Parameter 0 is a")
        .mentions(", of 8 bytes, 1 is a float of 4 bytes, 2 is an integer of 4 bytes");
    // SAFETY: nothing is launched.
    let error = unsafe { scale.launch(&stream, config, (&mut x,)) }.unwrap_err();
    assert!(
        error.to_string().contains("but 1 argument was passed"),
        "{error}"
    );
    // The error lists all wrong arguments with their remedies.
    //
    // SAFETY: nothing is launched.
    let error = unsafe { scale.launch(&stream, config, (&mut x, 2.0f64, 10usize)) }.unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("argument 1 (counted from 0) is f64")
            && text.contains("of 4 bytes: write a number as `2.0f32`, or convert by `as f32`; argument 2")
            && text.contains("is usize, an integer of 8 bytes")
            && text.ends_with(
                "convert by `as i32` or `as u32`, or pass a buffer and its length as `WithLen::i32(&buffer)`"
            ),
        "{text}"
    );
    // SAFETY: nothing is launched.
    failure(unsafe { scale.launch(&stream, config, (&mut x, &other, 1u8)) })
        .mentions("is &DeviceBuffer<f32>, an address of 8 bytes")
        .mentions("is u8, an integer of 1 byte, but");
    // SAFETY: nothing is launched.
    failure(unsafe { scale.launch(&stream, config, (&mut x, 2.0f64, 10u32)) })
        .mentions("`scale`")
        .mentions("argument 1")
        .mentions("f64")
        .mentions("8 bytes")
        .mentions("4 bytes");
    assert_eq!(x.to_vec(&stream).unwrap(), [0.0; 10]);
}

#[test]
fn argument_kinds_are_checked_with_ptx() {
    let (context, stream) = device();
    let source = r#"struct One { float x; };
        extern "C" __global__ void k(float *p, float f, int i, double d, One one, bool b) {
            if (p) *p = f + i + d + one.x + b;
        }"#;
    let module = Module::compile(&context, source).unwrap();
    let k = module.function("k").unwrap();
    let config = LaunchConfig::new(1, 1);
    let mut out = [0.0f32];
    // Arguments that PTX does not distinguish are accepted: an unsigned for an int, a float for a
    // struct of one float, and an address as a number.
    //
    // SAFETY: the kernel writes one float or nothing.
    unsafe {
        let arguments = (Out(&mut out), 1.0f32, 2u32, 4.0f64, 8.0f32, ByValue(true));
        k.launch(&stream, config, arguments).unwrap();
        let arguments = (0u64, [1.0f32], [2u8; 4], 4.0f64, ByValue(8.0f32), 1u8);
        k.launch(&stream, config, arguments).unwrap();
    }
    assert_eq!(out, [16.0]);
    let x = DeviceBuffer::<f32>::zeroed(&stream, 1).unwrap();
    macro_rules! rejection {
        ($k:expr, $arguments:expr) => {{
            // SAFETY: the launch fails before it starts.
            let error = unsafe { $k.launch(&stream, config, $arguments) }.unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
            error.to_string()
        }};
    }
    let text = rejection!(k, (&x, 1i32, 2, 4.0f64, 8.0f32, 1u8));
    assert!(
        text.contains("argument 1 (counted from 0) is i32, an integer of 4 bytes")
            && text.contains("the parameter is a float of 4 bytes"),
        "{text}"
    );
    let text = rejection!(k, (1.5f64, 1.0f32, 2, 4.0f64, 8.0f32, 1u8));
    assert!(text.contains("f64, a float of 8 bytes"), "{text}");
    assert!(
        text.contains("an integer or a pointer, of 8 bytes"),
        "{text}"
    );
    let text = rejection!(k, (&x, 1.0f32, 2.0f32, 4.0f64, 8.0f32, 1u8));
    assert!(
        text.contains("argument 2") && text.contains("is an integer of 4"),
        "{text}"
    );
    let text = rejection!(k, (&x, 1.0f32, 2, &x, 8.0f32, 1u8));
    assert!(
        text.contains("argument 3") && text.contains("an address of 8 bytes"),
        "{text}"
    );
    rejection!(k, (&x, 1.0f32, 2, In(&[4.0f64]), 8.0f32, 1u8));
    // A previous successful launch does not make a wrong one valid.
    rejection!(k, (&x, 1i32, 2, 4.0f64, 8.0f32, 1u8));
    // The argument kinds of a raw kernel handle are unknown.
    //
    // SAFETY: the handle is a kernel of this module, and it does not write to the null address.
    unsafe {
        let raw = Function::borrow_raw(k.as_raw(), "k", &module);
        let kinds = raw.parameters().unwrap().map(|all| all[1].kind);
        assert_eq!(kinds, Some(ParameterKind::Unknown));
        raw.launch(&stream, config, (0u64, 1i32, 2, 4.0f64, 8.0f32, 1u8))
            .unwrap();
    }
    stream.synchronize().unwrap();
}

#[test]
fn argument_kinds_are_read_from_ptx_with_pointer_attributes() {
    let (context, stream) = device();
    let ptx = ".version 7.0\n.target sm_50\n.address_size 64\n\
        .visible .entry k(\n\t.param .u64 .ptr .global .align 4 p,\n\t.param .b32 x\n) { ret; }";
    let k = Module::from_ptx(&context, ptx)
        .unwrap()
        .function("k")
        .unwrap();
    let kinds: Vec<_> = k
        .parameters()
        .unwrap()
        .unwrap()
        .iter()
        .map(|p| p.kind)
        .collect();
    assert_eq!(kinds, [ParameterKind::Pointer, ParameterKind::Unknown]);
    let launch = |is_float: bool| {
        let config = LaunchConfig::new(1, 1);
        // SAFETY: the kernel does nothing.
        unsafe {
            if is_float {
                k.launch(&stream, config, (1.0f64, 1.0f32))
            } else {
                k.launch(&stream, config, (0u64, 1.0f32))
            }
        }
    };
    launch(false).unwrap();
    failure(launch(true)).mentions("the parameter is a pointer, of 8 bytes");
}

#[test]
fn launch_shape_errors_name_the_device_limits() {
    let (context, stream) = device();
    let function = kernels(&context).function("no_parameters").unwrap();
    let launch = |config: LaunchConfig| {
        // SAFETY: the kernel does nothing.
        let error = unsafe { function.launch(&stream, config, ()) }.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
        error.to_string()
    };
    let text = launch(LaunchConfig::new(1, 2048));
    assert!(
        text.contains("2048 threads") && text.contains("1024"),
        "{text}"
    );
    launch(LaunchConfig::new(1, (1, 1, 65)));
    launch(LaunchConfig::new(1, (32, 33)));
    launch(LaunchConfig::new(1, 0));
    launch(LaunchConfig::new((1, 65_536), 1));
    launch(LaunchConfig::new(u32::MAX, 1));
    let text = launch(LaunchConfig::new(1, 1).shared_bytes(100 << 10));
    let most = DeviceAttribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
    let most = context.device().attribute(most).unwrap();
    let remedy = format!("set_max_dynamic_shared, up to {most}");
    assert!(text.contains(&remedy), "{text}");
    failure(function.set_max_dynamic_shared(64 << 20))
        .of_kind(ErrorKind::LaunchArguments)
        .detail_contains(&format!("at most {most} on this device"));
    // The failed launches have no lasting effect.
    //
    // SAFETY: the kernel does nothing.
    unsafe { function.launch(&stream, LaunchConfig::new(1, 1024), ()) }.unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn dynamic_shared_memory_is_available() {
    let (context, stream) = device();
    let sum = kernels(&context).function("shared_sum").unwrap();
    for n in [100u32, 12_288, 20_000] {
        if n > 12_288 {
            sum.set_max_dynamic_shared(n * 4).unwrap();
        }
        let mut out = [0u32];
        let config = LaunchConfig::new(1, 128).shared_bytes(n * 4);
        // SAFETY: the kernel uses n words of shared memory and writes one number.
        unsafe { sum.launch(&stream, config, (Out(&mut out), n)).unwrap() };
        assert_eq!(out[0], n * (n - 1) / 2);
    }
}

#[test]
fn cooperative_blocks_can_synchronize() {
    let (context, stream) = device();
    let module = Module::compile(
        &context,
        "__device__ unsigned arrived;
         extern \"C\" __global__ void barrier(unsigned *out) {
             if (threadIdx.x == 0) {
                 atomicAdd(&arrived, 1);
                 while (atomicAdd(&arrived, 0) < gridDim.x) {}
                 out[blockIdx.x] = arrived;
             }
         }",
    )
    .unwrap();
    let barrier = module.function("barrier").unwrap();
    let resident = barrier.max_active_blocks(32, 0).unwrap()
        * context.device().multiprocessor_count().unwrap();
    let mut out = [0u32; 8];
    let config = LaunchConfig::new(8, 32).cooperative(true);
    // SAFETY: each block writes one number.
    unsafe { barrier.launch(&stream, config, (Out(&mut out),)).unwrap() };
    assert_eq!(out, [8; 8]);
    let config = LaunchConfig::new(resident + 1, 32).cooperative(true);
    // SAFETY: there are too many blocks, so nothing is launched.
    let error = unsafe { barrier.launch(&stream, config, (0u64,)) }.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::LaunchArguments, "{error}");
}

#[test]
fn thirty_two_arguments_are_passed_in_order() {
    let (context, stream) = device();
    let parameters: Vec<String> = (0..31).map(|i| format!("int a{i}")).collect();
    let stores: Vec<String> = (0..31).map(|i| format!("out[{i}] = a{i};")).collect();
    let source = format!(
        "extern \"C\" __global__ void many(int *out, {}) {{ {} }}",
        parameters.join(", "),
        stores.join(" ")
    );
    let many = compile(&context, source, "many");
    let mut out = [0i32; 31];
    #[rustfmt::skip]
    let arguments = (
        Out(&mut out), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
        21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
    );
    // SAFETY: the kernel writes 31 ints.
    unsafe { many.launch(&stream, LaunchConfig::new(1, 1), arguments) }.unwrap();
    assert!(out.iter().copied().eq(0..31), "{out:?}");
}

#[test]
fn launch_rejects_a_stream_of_another_context() {
    let (context, _) = device();
    let function = kernels(&context).function("no_parameters").unwrap();
    let other = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let stream = Stream::new(&other).unwrap();
    // SAFETY: nothing is launched.
    rejection(unsafe { function.launch(&stream, LaunchConfig::new(1, 1), ()) });
}

#[test]
fn occupancy_config_covers_all_elements() {
    let (context, stream) = device();
    let scale = kernels(&context).function("scale").unwrap();
    let small = LaunchConfig::for_occupancy(&scale, 10).unwrap();
    assert_eq!(small.grid.x, 1);
    let large = LaunchConfig::for_occupancy(&scale, u64::MAX).unwrap();
    assert!(large.threads() >= 1024);
    assert_eq!(LaunchConfig::for_occupancy(&scale, 0).unwrap().grid.x, 0);
    let mut x = DeviceBuffer::from_slice(&stream, &[1.0f32; 10]).unwrap();
    // SAFETY: the kernel accesses at most ten floats.
    unsafe { scale.launch(&stream, small, (&mut x, 3.0f32, 10u32)) }.unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), [3.0; 10]);
}

#[test]
fn launch_sets_its_context() {
    let (context, stream) = device();
    let scale = kernels(&context).function("scale").unwrap();
    let other = Context::create(Device::get(0).unwrap(), ContextFlags::AUTO).unwrap();
    let current = || {
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for writes.
        let code = unsafe { sys::cuCtxGetCurrent(&mut raw) };
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
        raw
    };
    for set_other in [true, false] {
        let mut x = DeviceBuffer::from_slice(&stream, &[1.0f32; 4]).unwrap();
        // A new thread has no current context.
        std::thread::scope(|scope| {
            scope.spawn(|| {
                if set_other {
                    other.set_current().unwrap();
                }
                for _ in 0..3 {
                    let arguments = (&mut x, 2.0f32, 4u32);
                    // SAFETY: the kernel accesses at most four floats.
                    unsafe { scale.launch(&stream, LaunchConfig::new(1, 4), arguments) }.unwrap();
                }
                if set_other {
                    assert_eq!(current(), other.as_raw());
                }
            });
        });
        assert_eq!(x.to_vec(&stream).unwrap(), [8.0; 4]);
    }
}

#[test]
fn argument_lists_behave_like_tuples() {
    let (context, stream) = device();
    let source = r#"
        struct Pair { char a; int b; };
        extern "C" __global__ void mix(const int *x, int *y, int n, float f, Pair p, int *out) {
            const int i = threadIdx.x;
            if (i < n) y[i] = x[i] * (int)f + p.a * p.b;
            if (i == 0) *out = n;
        }
        extern "C" __global__ void none() {}
    "#;
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Padded(i8, i32);
    let module = Module::compile(&context, source).unwrap();
    let mix = module.function("mix").unwrap();
    let none = module.function("none").unwrap();
    let x = [1, 2, 3, 4];
    let mut y = DeviceBuffer::<i32>::zeroed(&stream, 4).unwrap();
    let mut out = [0i32];
    let config = LaunchConfig::new(1, 4);
    let mut list = ArgumentList::new();
    assert!(list.is_empty());
    list.push(In(&x))
        .push(WithLen::i32(&mut y)) // two parameters
        .push(10.5f32)
        .push(ByValue(Padded(2, 50)))
        .push(Out(&mut out));
    assert_eq!(list.len(), 6);
    assert!(format!("{list:?}").contains("f32"), "{list:?}");
    // SAFETY: each buffer has four elements, and the output has one.
    unsafe { mix.launch_list(&stream, config, list) }.unwrap();
    assert_eq!(out, [4]); // the launch waited for the host slice
    assert_eq!(y.to_vec(&stream).unwrap(), [110, 120, 130, 140]);
    // SAFETY: the kernel does nothing.
    unsafe { none.launch_list(&stream, config, ArgumentList::new()) }.unwrap();

    let launch_error = |list: ArgumentList<'_>, config| {
        // SAFETY: the launch fails.
        failure(unsafe { mix.launch_list(&stream, config, list) })
            .of_kind(ErrorKind::LaunchArguments)
    };
    let mut few = ArgumentList::new();
    few.push(&y).push(4i32);
    launch_error(few, config).mentions("6 parameters, but 2 arguments");
    let good = || {
        let mut list = ArgumentList::new();
        list.push(&y).push(&y).push(4i32).push(1.0f32);
        list.push(ByValue(Padded(0, 0))).push(&y);
        list
    };
    launch_error(good(), LaunchConfig::new(1, 4096)).mentions("4096 threads");
    let mut wrong = ArgumentList::new();
    wrong.push(&y).push(&y).push(4i64).push(1.0f32);
    wrong.push(ByValue(Padded(0, 0))).push(&y);
    launch_error(wrong, config).mentions("argument 2");
    launch_error(good(), LaunchConfig::new(0, 4)).mentions("a grid of 0 x 1 x 1 has no blocks");
    // SAFETY: the grid has no blocks.
    unsafe { mix.launch_list(&stream, LaunchConfig::for_elements(0), good()) }.unwrap();
}
