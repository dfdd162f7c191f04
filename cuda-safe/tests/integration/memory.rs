use cuda_safe::{
    DeviceBuffer, DeviceView, DeviceViewMut, ErrorKind, MemoryPool, Stream,
    memory::virtual_memory::{Granularity, PhysicalMemory, PhysicalOptions, PhysicalUsage},
};

use crate::{device, failure, rejection};

#[test]
fn copies_round_trip_at_every_length() {
    let (_, stream) = device();
    for len in [0, 1, 2, 3, 31, 1000, 100_003] {
        let host: Vec<u32> = (0..len).collect();
        let buffer = DeviceBuffer::from_slice(&stream, &host).unwrap();
        assert_eq!(buffer.len(), host.len());
        assert_eq!(buffer.size_bytes(), host.len() * 4);
        assert_eq!(buffer.is_empty(), host.is_empty());
        assert_eq!(buffer.as_device_ptr() == 0, host.is_empty());
        assert_eq!(buffer.to_vec(&stream).unwrap(), host);
        let mut back = vec![u32::MAX; host.len()];
        buffer.copy_to_slice(&stream, &mut back).unwrap();
        assert_eq!(back, host);
        buffer.close().unwrap();
    }
}

#[test]
fn elements_without_size_need_no_memory() {
    let (_, stream) = device();
    let buffer = DeviceBuffer::from_slice(&stream, &[(); 5]).unwrap();
    assert_eq!(buffer.as_device_ptr(), 0);
    assert_eq!(buffer.to_vec(&stream).unwrap(), [(); 5]);
}

#[test]
fn length_mismatch_error_names_both_lengths() {
    let (_, stream) = device();
    let mut buffer = DeviceBuffer::<f32>::zeroed(&stream, 10).unwrap();
    let other = DeviceBuffer::<f32>::zeroed(&stream, 12).unwrap();
    for error in [
        buffer.copy_from_slice(&stream, &[0.0; 11]).unwrap_err(),
        buffer.copy_to_slice(&stream, &mut [0.0; 9]).unwrap_err(),
        buffer.copy_from(&stream, &other).unwrap_err(),
    ] {
        assert_eq!(*error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains("10"), "{error}");
    }
}

#[test]
fn subslices_of_views_live_as_long_as_the_memory() {
    fn tail<'a>(view: DeviceView<'a, u16>) -> cuda_safe::Result<DeviceView<'a, u16>> {
        view.into_slice(2..)
    }
    fn middle<'a>(view: DeviceViewMut<'a, u16>) -> cuda_safe::Result<DeviceViewMut<'a, u16>> {
        view.into_slice(1..=2)
    }
    let (_, stream) = device();
    let mut buffer = DeviceBuffer::from_slice(&stream, &[1u16, 2, 3, 4, 5]).unwrap();
    let view = tail(tail(buffer.view()).unwrap()).unwrap();
    assert_eq!(view.as_device_ptr(), buffer.as_device_ptr() + 8);
    assert_eq!(view.to_vec(&stream).unwrap(), [5]);
    assert_eq!(view.stream(), Some(&stream));
    failure(tail(view)).mentions("2..1");
    let one = buffer.slice_mut(..1).unwrap();
    failure(middle(one)).mentions("1..3").mentions("1 element");
    middle(buffer.view_mut()).unwrap().fill(&stream, 9).unwrap();
    assert_eq!(buffer.to_vec(&stream).unwrap(), [1, 9, 9, 4, 5]);
}

#[test]
fn views_can_be_sliced_and_split() {
    let (_, stream) = device();
    let mut buffer = DeviceBuffer::from_slice(&stream, &[0u16, 1, 2, 3, 4, 5, 6, 7]).unwrap();
    assert_eq!(
        buffer.slice(2..=3).unwrap().to_vec(&stream).unwrap(),
        [2, 3]
    );
    assert_eq!(buffer.slice(..).unwrap().len(), 8);
    assert!(buffer.slice(8..).unwrap().is_empty());
    assert!(buffer.slice(..9).is_err());
    assert!(buffer.slice_mut(9..).is_err());
    let shared = rejection(buffer.split_at(9)).to_string();
    let expected = "split_at: the split index 9 is greater than the length of 8 elements";
    assert_eq!(shared, expected);
    let exclusive = rejection(buffer.split_at_mut(9)).to_string();
    assert!(exclusive.starts_with("split_at_mut: the split index 9"));
    {
        let (mut low, mut high) = buffer.split_at_mut(4).unwrap();
        low.copy_from(&stream, &high).unwrap();
        high.slice_mut(1..3).unwrap().fill(&stream, 9).unwrap();
        assert_eq!(low.slice(1..).unwrap().to_vec(&stream).unwrap(), [5, 6, 7]);
    }
    assert_eq!(buffer.to_vec(&stream).unwrap(), [4, 5, 6, 7, 4, 9, 9, 7]);
    let whole = buffer.view();
    let copy = DeviceBuffer::from_slice(&stream, &whole.to_vec(&stream).unwrap()).unwrap();
    assert_eq!(
        copy.to_vec(&stream).unwrap(),
        buffer.to_vec(&stream).unwrap()
    );
}

/// Fills `len` elements except the first and the last, and checks all of them.
fn check_fill<T: bytemuck::Pod + PartialEq + std::fmt::Debug>(value: T, stream: &Stream) {
    let zero = T::zeroed();
    let mut buffer = DeviceBuffer::<T>::zeroed(stream, 37).unwrap();
    buffer
        .slice_mut(1..36)
        .unwrap()
        .fill(stream, value)
        .unwrap();
    let host = buffer.to_vec(stream).unwrap();
    assert_eq!((host[0], host[36]), (zero, zero));
    assert!(
        host[1..36].iter().all(|element| *element == value),
        "{host:?}"
    );
}

#[test]
fn fill_supports_every_element_size() {
    let (_, stream) = device();
    check_fill(0x12u8, &stream);
    check_fill(0x1234u16, &stream);
    check_fill(-1.5f32, &stream);
    check_fill(f64::MIN_POSITIVE, &stream);
    check_fill(-1i64, &stream);
    check_fill([1u8, 2, 3], &stream);
    check_fill([1u16, 2, 3], &stream);
    check_fill([1.0f32, 2.0, 3.0], &stream);
    check_fill(u128::MAX / 3, &stream);
}

#[test]
fn raw_memsets_accept_multiples_of_their_size() {
    let (_, stream) = device();
    let mut buffer = DeviceBuffer::<u8>::zeroed(&stream, 6).unwrap();
    buffer.memset_u8(&stream, 1).unwrap();
    assert_eq!(buffer.to_vec(&stream).unwrap(), [1; 6]);
    buffer.memset_u16(&stream, 0x0302).unwrap();
    assert_eq!(buffer.to_vec(&stream).unwrap(), [2, 3, 2, 3, 2, 3]);
    assert!(buffer.memset_u32(&stream, 0).is_err());
    buffer
        .slice_mut(..4)
        .unwrap()
        .memset_u32(&stream, 0x0706_0504)
        .unwrap();
    assert_eq!(buffer.to_vec(&stream).unwrap(), [4, 5, 6, 7, 2, 3]);
}

#[test]
fn work_on_another_stream_is_ordered_with_the_owner() {
    let (context, a) = device();
    let b = Stream::new(&context).unwrap();
    for round in 0..20u32 {
        let mut x = DeviceBuffer::<u32>::uninit(&a, 100_000).unwrap();
        x.fill(&a, round).unwrap();
        let mut y = DeviceBuffer::<u32>::uninit(&b, 100_000).unwrap();
        y.copy_from(&b, &x).unwrap();
        x.fill(&a, u32::MAX).unwrap();
        drop(x);
        assert!(y.to_vec(&a).unwrap().iter().all(|&value| value == round));
    }
}

#[test]
fn out_of_memory_error_names_the_sizes() {
    let (context, stream) = device();
    let total = context.memory_info().unwrap().total;
    let error = DeviceBuffer::<u8>::uninit(&stream, total * 2).unwrap_err();
    match *error.kind() {
        ErrorKind::OutOfMemory {
            requested,
            total: reported,
            free,
        } => {
            assert_eq!(requested, total * 2);
            assert_eq!(reported, total);
            assert!(free <= total);
        }
        ref kind => panic!("{kind:?}"),
    }
    assert!(
        error
            .to_string()
            .contains(&format!("{} bytes were requested", total * 2)),
        "{error}"
    );
    rejection(DeviceBuffer::<u64>::uninit(&stream, usize::MAX / 4));
    // The failure has no lasting effect.
    DeviceBuffer::<u8>::zeroed(&stream, 100).unwrap();
}

#[test]
fn device_memory_converts_to_and_from_raw() {
    let (_, stream) = device();
    let raw = DeviceBuffer::from_slice(&stream, &[1i32, 2, 3])
        .unwrap()
        .into_raw();
    // SAFETY: the view borrows the memory of the line above.
    let view = unsafe { DeviceView::<i32>::borrow_raw(raw + 4, 2, &stream) };
    assert_eq!(view.to_vec(&stream).unwrap(), [2, 3]);
    // SAFETY: `into_raw` gave up the memory above.
    let buffer = unsafe { DeviceBuffer::<i32>::from_raw(raw, 3, &stream) };
    assert_eq!(buffer.to_vec(&stream).unwrap(), [1, 2, 3]);
    assert_eq!(buffer.stream(), &stream);
}

#[test]
fn pool_reports_used_memory() {
    let (context, stream) = device();
    let pool = MemoryPool::current(&context).unwrap();
    let buffer = DeviceBuffer::<u8>::zeroed(&stream, 8 << 20).unwrap();
    stream.synchronize().unwrap();
    assert!(pool.used().unwrap() >= 8 << 20);
    assert!(pool.reserved().unwrap() >= 8 << 20);
    drop(buffer);
    stream.synchronize().unwrap();
    pool.trim_to(0).unwrap();
}

#[test]
fn unknown_usage_bits_are_rejected() {
    let (context, _) = device();
    let options = PhysicalOptions::default().usage(PhysicalUsage(0x3_0001));
    let unit = PhysicalMemory::unit(&context).unwrap();
    for result in [
        PhysicalMemory::with_options(&context, unit, options).map(drop),
        PhysicalMemory::granularity(&context, options, Granularity::MINIMUM).map(drop),
    ] {
        rejection(result).detail_contains("has the bits 0x30000");
    }
}
