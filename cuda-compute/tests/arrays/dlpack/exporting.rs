//! Arrays that are exported to another library.

use cuda_compute::{
    Array, Error,
    interop::{
        dlpack::{
            DLDataType, DLDevice, DLDeviceType, DLManagedTensorVersioned, FLAG_IS_COPIED,
            FLAG_READ_ONLY, VERSION,
        },
        stream_number,
    },
    s,
};
use cuda_safe::{Context, Stream};

use super::{
    delete,
    producer::{Description, F32, produce},
    read,
};
use crate::{OnHost, shaped, stream, upload};

/// Returns a tensor's shape and strides.
fn axes(raw: *const DLManagedTensorVersioned) -> (Vec<i64>, Vec<i64>) {
    // SAFETY: The tensor is live.
    unsafe {
        let tensor = &(*raw).dl_tensor;
        let axes = |of| std::slice::from_raw_parts(of, tensor.ndim as usize).to_vec();
        (axes(tensor.shape), axes(tensor.strides))
    }
}

fn flags(raw: *const DLManagedTensorVersioned) -> u64 {
    // SAFETY: The tensor is live.
    unsafe { (*raw).flags }
}

fn data(raw: *const DLManagedTensorVersioned) -> u64 {
    // SAFETY: The tensor is live.
    unsafe { (*raw).dl_tensor.data.addr() as u64 }
}

#[test]
fn the_structure_is_complete() {
    let stream = stream();
    let x = shaped(&stream, [2, 3], &[1i32, 2, 3, 4, 5, 6]);
    let address = x.as_device_ptr();
    let raw = x.into_dlpack().unwrap().into_raw();
    assert_eq!(axes(raw), (vec![2, 3], vec![3, 1]));
    // SAFETY: The tensor is live.
    let (version, tensor) = unsafe { ((*raw).version, (*raw).dl_tensor) };
    assert_eq!((version, flags(raw)), (VERSION, 0));
    assert_eq!((data(raw), tensor.byte_offset), (address, 0));
    let int32 = DLDataType {
        code: 0,
        bits: 32,
        lanes: 1,
    };
    assert_eq!(tensor.dtype, int32);
    let device = DLDevice {
        device_type: DLDeviceType::CUDA,
        device_id: 0,
    };
    assert_eq!(tensor.device, device);
    assert_eq!(read::<i32>(&stream, raw), [1, 2, 3, 4, 5, 6]);
    delete(raw);
}

#[test]
fn into_dlpack_copies_shared_memory() {
    let stream = stream();
    let x = upload(&stream, &[1.0f32, 2.0]);
    let address = x.as_device_ptr();
    let kept = x.clone();
    let raw = x.into_dlpack().unwrap().into_raw();
    assert_ne!(data(raw), address);
    assert_eq!(flags(raw), FLAG_IS_COPIED);
    assert_eq!(read::<f32>(&stream, raw), [1.0, 2.0]);
    delete(raw);

    let expression = &kept + 1.0;
    let raw = kept.into_dlpack().unwrap().into_raw();
    assert_ne!(data(raw), address);
    delete(raw);
    assert_eq!(expression.eval().unwrap().host(), [2.0, 3.0]);

    // Writing one element of a broadcast axis would change others, so the array is copied.
    let row = upload(&stream, &[1.0f32, 2.0]);
    let wide = row.broadcast_to([3, 2]).unwrap();
    drop(row);
    let raw = wide.into_dlpack().unwrap().into_raw();
    assert_eq!(axes(raw), (vec![3, 2], vec![1, 3])); // dense
    assert_eq!(flags(raw), FLAG_IS_COPIED);
    delete(raw);

    // The memory belongs to another library and is read-only.
    let description = Description {
        flags: FLAG_READ_ONLY,
        ..Description::of(F32, &[2])
    };
    let (theirs, address, deletions) = produce(&stream, &[1.0f32, 2.0], &description);
    // SAFETY: The tensor is handed over once, and its memory was written on this stream.
    let x = unsafe { Array::<f32>::from_dlpack(&stream, theirs).unwrap() };
    let raw = x.into_dlpack().unwrap().into_raw();
    assert_ne!(data(raw), address);
    assert_eq!((flags(raw), deletions.count()), (FLAG_IS_COPIED, 1));
    delete(raw);
}

#[test]
fn imported_memory_is_exported_without_a_copy() {
    let stream = stream();
    let (theirs, address, deletions) =
        produce(&stream, &[1.0f32, 2.0], &Description::of(F32, &[2]));
    // SAFETY: The tensor is handed over once, and its memory was written on this stream.
    let x = unsafe { Array::<f32>::from_dlpack(&stream, theirs).unwrap() };
    let raw = x.into_dlpack().unwrap().into_raw();
    assert_eq!((data(raw), deletions.count()), (address, 0));
    assert_eq!(read::<f32>(&stream, raw), [1.0, 2.0]);
    delete(raw);
    assert_eq!(deletions.count(), 1);
}

#[test]
fn a_shared_array_is_copied_before_it_is_written_to() {
    let stream = stream();
    let mut x = upload(&stream, &[1.0f32, 2.0]);
    let address = x.as_device_ptr();
    let tensor = x.share_dlpack();
    assert!(tensor.is_read_only());
    let raw = tensor.into_raw();
    assert_eq!((data(raw), flags(raw)), (address, FLAG_READ_ONLY));
    x.fill(9.0).unwrap();
    assert_eq!(x.host(), [9.0; 2]);
    assert_eq!(read::<f32>(&stream, raw), [1.0, 2.0]);
    delete(raw);

    // After the other library deletes its tensor, the array is no longer shared.
    let address = x.as_device_ptr();
    delete(x.share_dlpack().into_raw());
    x.fill(8.0).unwrap();
    assert_eq!(x.as_device_ptr(), address);
    drop(x.share_dlpack());
    x.fill(7.0).unwrap();
    assert_eq!(x.as_device_ptr(), address);
}

#[test]
fn unversioned_tensors_cannot_be_read_only() {
    let x = Array::from_slice(&stream(), &[1.0f32]).unwrap();
    let error = x.share_dlpack().into_raw_unversioned().unwrap_err();
    assert!(matches!(error, Error::Foreign(_)));
    assert!(error.to_string().contains("into_dlpack"), "{error}");
    let raw = x.clone().into_dlpack().unwrap();
    let raw = raw.into_raw_unversioned().unwrap();
    // SAFETY: The tensor was just created and is deleted once.
    unsafe {
        assert_ne!((*raw).dl_tensor.data.addr() as u64, x.as_device_ptr());
        (*raw).deleter.unwrap()(raw);
    }
}

#[test]
fn views_export_offset_and_strides() {
    let stream = stream();
    let x = Array::range(&stream, 0..24)
        .unwrap()
        .reshape([4, 6])
        .unwrap();
    let check = |view: Array<i32>, strides: &[i64], first: u64| {
        let raw = view.share_dlpack().into_raw();
        let lengths: Vec<i64> = view.shape().as_slice().iter().map(|&n| n as i64).collect();
        assert_eq!(axes(raw), (lengths, strides.to_vec()));
        assert_eq!(data(raw), x.as_device_ptr() + 4 * first);
        delete(raw);
    };
    check(x.t(), &[1, 6], 0);
    check(x.slice(s![1..;2, 1..]).unwrap(), &[12, 1], 7);
    check(x.slice(s![..;-1, ..;-2]).unwrap(), &[-6, -2], 23);
    check(x.slice(s![2, 3]).unwrap(), &[], 15);
    check(
        x.slice(s![0]).unwrap().broadcast_to([3, 6]).unwrap(),
        &[0, 1],
        0,
    );
}

#[test]
fn empty_arrays_have_no_address() {
    let stream = stream();
    let x = Array::<f32>::zeros(&stream, [3, 0]).unwrap();
    let tail = Array::range(&stream, 0..3).unwrap().slice(s![3..]).unwrap();
    for raw in [
        x.share_dlpack().into_raw(),
        x.into_dlpack().unwrap().into_raw(),
        tail.share_dlpack().into_raw(),
    ] {
        assert_eq!(data(raw), 0);
        assert!(axes(raw).0.contains(&0));
        delete(raw);
    }
}

#[test]
fn tensors_outlive_arrays_and_are_deleted_on_any_thread() {
    let stream = stream();
    let x = upload(&stream, &[1.0f32, 2.0]);
    let raw = x.share_dlpack().into_raw();
    drop(x);
    assert_eq!(read::<f32>(&stream, raw), [1.0, 2.0]);
    drop(stream);
    let address = raw.expose_provenance();
    let deleting = move || delete(std::ptr::with_exposed_provenance_mut(address));
    std::thread::spawn(deleting).join().unwrap();
    // A deleter ignores null.
    let raw = Array::from_slice(&super::stream(), &[1u8]).unwrap();
    let raw = raw.into_dlpack().unwrap().into_raw();
    // SAFETY: A consumer may pass null.
    unsafe { (*raw).deleter.unwrap()(std::ptr::null_mut()) };
    delete(raw);
}

#[test]
fn ready_for_accepts_stream_numbers() {
    let (stream, consumer) = (stream(), stream());
    let context = stream.context().clone();
    let x = upload(&stream, &[1.0f32, 2.0]);
    let numbers = [
        None,
        Some(1),
        Some(2),
        Some(-1),
        Some(stream_number(&stream)),
        Some(stream_number(&consumer)),
    ];
    for number in numbers {
        let mut tensor = x.share_dlpack();
        // SAFETY: The number is no stream, a default stream or a live stream.
        unsafe { tensor.ready_for(number).unwrap() };
        delete(tensor.into_raw());
    }
    for wrong in [0, -2, i64::MIN] {
        // SAFETY: These numbers are not handles.
        let error = unsafe { x.share_dlpack().ready_for(Some(wrong)) }.unwrap_err();
        assert!(error.to_string().contains(&wrong.to_string()), "{error}");
    }
    for named in [
        consumer,
        Stream::legacy_default(&context),
        Stream::per_thread_default(&context),
    ] {
        let mut tensor = x.share_dlpack();
        tensor.ready_on(&named).unwrap();
        let raw = tensor.into_raw();
        assert_eq!(read::<f32>(&named, raw), [1.0, 2.0]);
        delete(raw);
    }
    x.share_dlpack()
        .ready_event()
        .unwrap()
        .synchronize()
        .unwrap();
}

#[test]
fn ready_on_rejects_streams_of_other_contexts() {
    let stream = stream();
    let device = stream.context().device();
    let other = Context::create(device, cuda_safe::ContextFlags::AUTO).unwrap();
    let x = upload(&stream, &[1.0f32]);
    let theirs = Stream::new(&other).unwrap();
    assert!(x.share_dlpack().ready_on(&theirs).is_err());
}
