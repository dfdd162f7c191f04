//! Buffer objects used as device memory.

use std::mem;

use cuda_safe::{
    Device, DeviceBuffer, ErrorKind, LaunchConfig, Stream,
    opengl::{self, DeviceList, GraphicsResource, MapFlags, MappedResources, RegisterFlags},
    sys::CUresult,
};

use crate::{
    Shared, buffer, code,
    harness::{Test, tests},
    kernel,
};

pub const TESTS: &[Test] = tests![
    Shared devices_of_the_opengl_context_are_listed,
    Shared kernel_changes_are_visible_to_opengl,
    Shared mapped_memory_supports_copies_and_fills,
    Shared resources_are_mapped_together_or_not_at_all,
    Shared flags_restrict_the_use_of_a_resource,
    Shared invalid_buffers_are_rejected,
    InProcess resource_lives_as_long_as_it_is_used,
    InProcess mapping_needs_the_current_opengl_context,
    Shared mapping_calls_do_not_disturb_a_capture_on_another_stream,
];

const ALREADY_MAPPED: Option<CUresult> = Some(CUresult::CUDA_ERROR_ALREADY_MAPPED);
const INVALID_VALUE: Option<CUresult> = Some(CUresult::CUDA_ERROR_INVALID_VALUE);

fn numbers(len: usize) -> Vec<f32> {
    (0..len).map(|i| i as f32).collect()
}

fn devices_of_the_opengl_context_are_listed(_: &Shared<'_>) {
    let first = Device::get(0).unwrap();
    for list in [
        DeviceList::ALL,
        DeviceList::CURRENT_FRAME,
        DeviceList::NEXT_FRAME,
    ] {
        assert_eq!(opengl::devices(list).unwrap(), [first], "{list:?}");
    }
    assert!(opengl::devices(DeviceList(77)).is_err());
}

fn kernel_changes_are_visible_to_opengl(shared: &Shared<'_>) {
    let (gl, stream) = (shared.gl, &shared.stream);
    let source = r#"extern "C" __global__ void change(float *x, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = x[i] * 2.0f + 1.0f;
    }"#;
    let change = kernel(&shared.context, source, "change");
    let mut expected = numbers(1_000_000);
    let number = gl.buffer(&expected);
    let resource = buffer(shared, number);
    for round in 1..=3 {
        // Changes the values, because the buffer already has the old ones and a late write would
        // not show.
        for x in &mut expected {
            *x += 10.0 * round as f32;
        }
        // Nothing waits before or after the mapping.
        gl.write_buffer(number, &expected);
        let mut mapped = MappedResources::map(stream, [&resource]).unwrap();
        let [mut memory] = mapped.each();
        let mut x = memory.memory_mut::<f32>().unwrap();
        assert_eq!(x.len(), expected.len());
        let config = LaunchConfig::for_elements(x.len());
        // SAFETY: the kernel gets the number of elements.
        unsafe { change.launch(stream, config, (&mut x, 1_000_000i32)) }.unwrap();
        mapped.unmap().unwrap();
        for x in &mut expected {
            *x = *x * 2.0 + 1.0;
        }
        assert_eq!(gl.read_buffer(number, expected.len()), expected);
    }
    resource.close().unwrap();
    gl.delete_buffer(number);
}

fn mapped_memory_supports_copies_and_fills(shared: &Shared<'_>) {
    let (gl, stream) = (shared.gl, &shared.stream);
    let other = Stream::new(&shared.context).unwrap();
    let number = gl.buffer(&numbers(1000));
    let resource = buffer(shared, number);
    {
        let mut mapped = MappedResources::map(stream, [&resource]).unwrap();
        assert_eq!(mapped.stream(), stream);
        let [mut memory] = mapped.each();
        assert_eq!(memory.resource(), &resource);
        let view = memory.memory::<[f32; 4]>().unwrap();
        assert_eq!((view.len(), view.stream()), (250, Some(stream)));
        assert_eq!(
            view.slice(1..2).unwrap().to_vec(&other).unwrap(),
            [[4.0, 5.0, 6.0, 7.0]]
        );
        let source = DeviceBuffer::from_slice(&other, &[-1.0f32; 10]).unwrap();
        let mut view = memory.memory_mut::<f32>().unwrap();
        view.slice_mut(10..20)
            .unwrap()
            .copy_from(&other, &source)
            .unwrap();
        let [memory] = mapped.each();
        let mut view = memory.into_memory::<f32>().unwrap();
        view.slice_mut(990..).unwrap().fill(&other, 7.0).unwrap();
    } // unmapped after the other stream's work, which is ordered with the mapping's stream
    let mut expected = numbers(1000);
    expected[10..20].fill(-1.0);
    expected[990..].fill(7.0);
    assert_eq!(gl.read_buffer(number, 1000), expected);
    drop(resource);
    gl.delete_buffer(number);
}

fn resources_are_mapped_together_or_not_at_all(shared: &Shared<'_>) {
    let (gl, stream) = (shared.gl, &shared.stream);
    let numbers = [
        gl.buffer(&[1.0; 8]),
        gl.buffer(&[2.0; 4]),
        gl.buffer(&[3.0; 2]),
    ];
    let [a, b, c] = numbers.map(|number| buffer(shared, number));
    let mut two = MappedResources::map(stream, [&a, &b]).unwrap();
    assert!(format!("{two:?}").starts_with("[GraphicsResource(0x"));
    let [first, second] = two.each();
    let mut to = first.into_memory::<f32>().unwrap();
    let from = second.memory::<f32>().unwrap();
    to.slice_mut(4..).unwrap().copy_from(stream, &from).unwrap();
    // A mapped resource cannot be mapped again, alone or with others, and its flags cannot change.
    assert_eq!(code(MappedResources::map(stream, [&c, &b])), ALREADY_MAPPED);
    let error = b.set_map_flags(MapFlags::READ_ONLY).unwrap_err();
    assert_eq!(error.driver_code(), ALREADY_MAPPED);
    assert!(
        error
            .to_string()
            .contains("unmap it before mapping it again"),
        "{error}"
    );
    let third = MappedResources::map(stream, [&c]).unwrap();
    two.unmap().unwrap();
    third.unmap().unwrap();
    b.set_map_flags(MapFlags::READ_ONLY).unwrap();
    assert_eq!(code(b.set_map_flags(MapFlags(77))), INVALID_VALUE);
    // Each mapping uses another stream.
    for _ in 0..3 {
        let turn = Stream::new(&shared.context).unwrap();
        let mapped = MappedResources::map(&turn, [&a, &c]).unwrap();
        assert_eq!(mapped.stream(), &turn);
        mapped.unmap().unwrap();
    }
    assert_eq!(
        gl.read_buffer(numbers[0], 8),
        [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]
    );
    drop((a, b, c));
    for number in numbers {
        gl.delete_buffer(number);
    }
}

fn flags_restrict_the_use_of_a_resource(shared: &Shared<'_>) {
    let (gl, stream) = (shared.gl, &shared.stream);
    let number = gl.buffer(&[5.0; 64]);
    let register = |flags| {
        // SAFETY: nothing else uses the buffer while it is mapped, and it is deleted last. The
        // context is current.
        unsafe { GraphicsResource::register_buffer(&shared.context, number, flags) }
    };
    for flags in [RegisterFlags::READ_ONLY, RegisterFlags::WRITE_DISCARD] {
        let resource = register(flags).unwrap();
        let mut mapped = MappedResources::map(stream, [&resource]).unwrap();
        let [mut memory] = mapped.each();
        let mut view = memory.memory_mut::<f32>().unwrap();
        if flags == RegisterFlags::READ_ONLY {
            assert_eq!(view.to_vec(stream).unwrap(), [5.0; 64]);
        } else {
            view.fill(stream, 6.0).unwrap();
        }
    }
    assert_eq!(gl.read_buffer(number, 64), [6.0; 64]);
    let resource = register(RegisterFlags::default()).unwrap();
    resource.set_map_flags(MapFlags::WRITE_DISCARD).unwrap();
    let mut mapped = MappedResources::map(stream, [&resource]).unwrap();
    let [mut memory] = mapped.each();
    memory
        .memory_mut::<f32>()
        .unwrap()
        .fill(stream, 8.0)
        .unwrap();
    mapped.unmap().unwrap();
    assert_eq!(gl.read_buffer(number, 64), [8.0; 64]);
    drop(resource);
    gl.delete_buffer(number);
}

fn invalid_buffers_are_rejected(shared: &Shared<'_>) {
    let gl = shared.gl;
    let (without, ok) = (gl.empty_buffer(), gl.buffer(&[0.0; 3]));
    for (number, flags, expected) in [
        (
            12_345,
            RegisterFlags::default(),
            CUresult::CUDA_ERROR_INVALID_HANDLE,
        ),
        (
            without,
            RegisterFlags::default(),
            CUresult::CUDA_ERROR_OUT_OF_MEMORY,
        ),
        (ok, RegisterFlags(99), CUresult::CUDA_ERROR_INVALID_VALUE),
        (
            ok,
            RegisterFlags::SURFACE,
            CUresult::CUDA_ERROR_INVALID_VALUE,
        ),
    ] {
        // SAFETY: the call fails.
        let registered =
            unsafe { GraphicsResource::register_buffer(&shared.context, number, flags) };
        let error = registered.unwrap_err();
        assert_eq!(error.driver_code(), Some(expected), "{number} {error}");
        assert!(
            error.to_string().contains(&format!("buffer {number}")),
            "{error}"
        );
    }
    let resource = buffer(shared, ok);
    let mut mapped = MappedResources::map(&shared.stream, [&resource]).unwrap();
    let [memory] = mapped.each();
    // The buffer has twelve bytes.
    assert_eq!(memory.memory::<[u8; 6]>().unwrap().len(), 2);
    let error = memory.memory::<u64>().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("12 bytes"), "{error}");
    let array = memory.array(0, 0).unwrap_err();
    let levels = memory.mipmapped().unwrap_err();
    for error in [array, levels] {
        let expected = Some(CUresult::CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
        assert_eq!(error.driver_code(), expected, "{error}");
    }
    assert!(!mapped.is_held());
    drop(mapped);
    drop(resource);
    gl.delete_buffer(ok);
    gl.delete_buffer(without);
}

fn resource_lives_as_long_as_it_is_used(shared: &Shared<'_>) {
    let Shared {
        gl,
        context,
        stream,
    } = shared;
    let number = gl.buffer(&[1.0; 16]);
    // Ownership works like that of other handles.
    let resource = buffer(shared, number);
    let again = resource.clone();
    assert_eq!(resource, again);
    let resource = resource.into_raw().unwrap_err(); // fails, because there are two references
    drop(again);
    let raw = resource.into_raw().unwrap();
    // SAFETY: `into_raw` gave up the handle.
    let resource = unsafe { GraphicsResource::from_raw(raw, context) };
    // SAFETY: `resource` outlives the borrow.
    let borrowed = unsafe { GraphicsResource::borrow_raw(raw, context) };
    assert_eq!((&borrowed, borrowed.as_raw()), (&resource, raw));
    borrowed.close().unwrap();
    // A mapping keeps its resource alive.
    let mut mapped = MappedResources::map(stream, [&resource]).unwrap();
    drop(resource);
    let [mut memory] = mapped.each();
    memory
        .memory_mut::<f32>()
        .unwrap()
        .fill(stream, 2.0)
        .unwrap();
    drop(mapped); // unmaps and unregisters it after the fill
    assert_eq!(gl.read_buffer(number, 16), [2.0; 16]);
    // A forgotten mapping stays mapped.
    let resource = buffer(shared, number);
    mem::forget(MappedResources::map(stream, [&resource]).unwrap());
    assert_eq!(
        code(MappedResources::map(stream, [&resource])),
        ALREADY_MAPPED
    );
}

fn mapping_needs_the_current_opengl_context(shared: &Shared<'_>) {
    let (gl, stream) = (shared.gl, &shared.stream);
    let expected = Some(CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
    let numbers = [gl.buffer(&[1.0; 16]), gl.buffer(&[2.0; 16])];
    let [first, second] = numbers.map(|number| buffer(shared, number));
    let mapped = MappedResources::map(stream, [&first]).unwrap();
    gl.make_current(false);
    assert_eq!(code(MappedResources::map(stream, [&second])), expected);
    let failed = mapped.unmap().unwrap_err();
    assert_eq!(failed.error.driver_code(), expected);
    assert!(failed.mapped.is_none()); // the mapping is lost
    assert_eq!(code(second.close()), expected); // the resource stays registered
    gl.make_current(true);
    assert_eq!(code(MappedResources::map(stream, [&first])), ALREADY_MAPPED);
    drop(first);
    let again = buffer(shared, numbers[1]);
    MappedResources::map(stream, [&again])
        .unwrap()
        .unmap()
        .unwrap();
}

fn mapping_calls_do_not_disturb_a_capture_on_another_stream(shared: &Shared<'_>) {
    let (gl, stream) = (shared.gl, &shared.stream);
    let other = Stream::new(&shared.context).unwrap();
    let numbers = [gl.buffer(&[1.0; 16]), gl.buffer(&[1.0; 16])];
    let [first, second] = numbers.map(|number| buffer(shared, number));
    let mut mapped = MappedResources::map(stream, [&first]).unwrap();
    let [mut memory] = mapped.each();
    memory
        .memory_mut::<f32>()
        .unwrap()
        .fill(stream, 3.0)
        .unwrap();
    let mut parts = Some((mapped, first));
    let mut filled = DeviceBuffer::<u32>::zeroed(&other, 16).unwrap();
    // SAFETY: `filled` outlives the graph.
    let graph = unsafe {
        other.capture(|_| {
            // Dropped during the capture, in which mapping is rejected.
            drop(parts.take());
            assert!(MappedResources::map(stream, [&second]).is_err());
            filled.fill(&other, 9)
        })
    };
    let graph = graph.unwrap();
    graph.instantiate().unwrap().launch(&other).unwrap();
    assert_eq!(filled.to_vec(&other).unwrap(), [9; 16]);
    assert_eq!(gl.read_buffer(numbers[0], 16), [3.0; 16]);
    drop(second);
    // Both resources were unmapped and unregistered, so the buffers can be used again.
    let [first, second] = numbers.map(|number| buffer(shared, number));
    MappedResources::map(stream, [&first, &second])
        .unwrap()
        .unmap()
        .unwrap();
    drop((first, second));
    for number in numbers {
        gl.delete_buffer(number);
    }
}
