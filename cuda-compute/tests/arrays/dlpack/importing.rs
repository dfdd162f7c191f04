//! Arrays that are imported from another library.

use std::thread;

use cuda_compute::{
    Array, Element, Error, Result,
    interop::{
        ImportedTensor,
        dlpack::{
            DLDataType, DLDevice, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned,
            DLPackVersion, FLAG_READ_ONLY,
        },
    },
    s,
};
use cuda_safe::{DeviceView, Stream};

use super::producer::{self, Deletions, Description, F32, produce, produce_unversioned};
use crate::{OnHost, failure::failure, shaped, stream, upload};

/// Imports a tensor over these floats with the given fields.
fn take(
    stream: &Stream,
    elements: &[f32],
    description: &Description,
) -> (Result<Array<f32>>, u64, Deletions) {
    let (raw, address, deletions) = produce(stream, elements, description);
    // SAFETY: The tensor is handed over once, and its memory was written on this stream.
    let array = unsafe { Array::from_dlpack(stream, raw) };
    (array, address, deletions)
}

/// Reads the producer's memory.
fn producers(stream: &Stream, address: u64, count: usize) -> Vec<f32> {
    // SAFETY: The array keeps this many elements alive.
    let view = unsafe { DeviceView::<f32>::borrow_raw(address, count, stream) };
    view.to_vec(stream).unwrap()
}

#[test]
fn the_deleter_is_called_after_the_last_use() {
    let stream = stream();
    let description = Description::of(F32, &[4]);
    let (x, address, deletions) = take(&stream, &[1.0, 2.0, 3.0, 4.0], &description);
    let x = x.unwrap();
    assert_eq!(x.as_device_ptr(), address);
    let (clone, part) = (x.clone(), x.slice(s![1..3]).unwrap());
    let expression = &x * 2.0;
    drop(x);
    drop(clone);
    assert_eq!(part.host(), [2.0, 3.0]);
    drop(part);
    assert_eq!(deletions.count(), 0);
    let y = expression.eval().unwrap();
    drop(expression);
    assert_eq!(deletions.count(), 1);
    assert_eq!(y.host(), [2.0, 4.0, 6.0, 8.0]);
    assert_eq!(deletions.count(), 1);

    let (raw, _, deletions) = produce_unversioned(&stream, &[1.0f32; 4], &description);
    // SAFETY: The tensor is handed over once.
    let tensor = unsafe { ImportedTensor::from_unversioned(raw).unwrap() };
    assert_eq!((tensor.version(), tensor.flags()), (None, 0));
    drop(tensor);
    assert_eq!(deletions.count(), 1);
}

#[test]
fn tensors_without_a_deleter_are_accepted() {
    let stream = stream();
    let description = Description {
        deleter: false,
        ..Description::of(F32, &[2])
    };
    let (raw, _, deletions) = produce(&stream, &[1.0f32, 2.0], &description);
    // SAFETY: The tensor is live and is handed over once.
    let (owned, x) = unsafe { ((*raw).manager_ctx, Array::<f32>::from_dlpack(&stream, raw)) };
    assert_eq!(x.unwrap().host(), [1.0, 2.0]);
    assert_eq!(deletions.count(), 0);
    // SAFETY: The array that used the tensor is dropped.
    unsafe { producer::free::<DLManagedTensorVersioned>(owned) };
    let (raw, _, deletions) = produce_unversioned(&stream, &[1.0f32, 2.0], &description);
    // SAFETY: as above.
    let (owned, tensor) = unsafe { ((*raw).manager_ctx, ImportedTensor::from_unversioned(raw)) };
    drop(tensor.unwrap());
    assert_eq!(deletions.count(), 0);
    // SAFETY: as above.
    unsafe { producer::free::<DLManagedTensor>(owned) };
}

#[test]
fn deleters_run_on_the_thread_of_the_last_use() {
    let stream = stream();
    let (x, _, deletions) = take(&stream, &[1.0, 2.0], &Description::of(F32, &[2]));
    let x = x.unwrap();
    let work = thread::spawn(move || (x * 2.0).eval().unwrap());
    let there = work.thread().id();
    let y = work.join().unwrap();
    assert_eq!((deletions.count(), deletions.thread()), (1, Some(there)));
    assert_eq!(y.host(), [2.0, 4.0]);
    // A tensor from which no array was created is deleted too.
    let (raw, _, deletions) = produce(&stream, &[1.0f32], &Description::of(F32, &[1]));
    // SAFETY: The tensor is handed over once.
    let tensor = unsafe { ImportedTensor::from_versioned(raw).unwrap() };
    thread::spawn(move || drop(tensor)).join().unwrap();
    assert_ne!(deletions.thread(), Some(thread::current().id()));
    assert_eq!(deletions.count(), 1);
}

#[test]
fn offset_and_strides_are_respected() {
    let stream = stream();
    let host: Vec<f32> = (0..24).map(|i| i as f32).collect();
    let whole = shaped(&stream, [4, 6], &host);
    let check = |description: Description, wanted: Array<f32>| {
        let (x, address, deletions) = take(&stream, &host, &description);
        let x = x.unwrap();
        assert_eq!(x.as_device_ptr(), address + description.byte_offset);
        assert_eq!(x.shape(), wanted.shape());
        assert_eq!(x.host(), wanted.host());
        let sums = [&x, &wanted].map(|x| x.sum().eval().unwrap().value());
        assert_eq!(sums[0], sums[1]);
        drop(x);
        assert_eq!(deletions.count(), 1);
    };
    let at = |elements: u64, description: Description| Description {
        byte_offset: elements * 4,
        ..description
    };
    let f32s = |shape: &[i64]| Description::of(F32, shape);
    check(f32s(&[4, 6]), whole.clone());
    check(f32s(&[4, 6]).strides(&[6, 1]), whole.clone());
    check(f32s(&[6, 4]).strides(&[1, 6]), whole.t());
    let slice = |items: &[cuda_compute::SliceItem]| whole.slice(items).unwrap();
    check(
        at(7, f32s(&[2, 3])).strides(&[12, 2]),
        slice(&s![1..;2, 1..;2]),
    );
    check(
        at(23, f32s(&[4, 6])).strides(&[-6, -1]),
        slice(&s![..;-1, ..;-1]),
    );
    check(
        at(18, f32s(&[4, 3])).strides(&[-6, 2]),
        slice(&s![..;-1, ..;2]),
    );
    check(
        at(6, f32s(&[3, 6])).strides(&[0, 1]),
        slice(&s![1]).broadcast_to([3, 6]).unwrap(),
    );
    // An unused stride may have any value.
    check(
        at(6, f32s(&[1, 6])).strides(&[i64::MIN, 1]),
        slice(&s![1..2]),
    );
    // Aligned for one element only.
    check(
        at(1, f32s(&[23])),
        whole.flatten().unwrap().slice(s![1..]).unwrap(),
    );
    check(at(5, f32s(&[])), slice(&s![0, 5]));
}

#[test]
fn unaligned_vectors_are_read_correctly() {
    let stream = stream();
    let host: Vec<f32> = (0..4099).map(|i| i as f32).collect();
    for skipped in 1..4u64 {
        let description = Description {
            byte_offset: skipped * 4,
            ..Description::of(F32, &[4096])
        };
        let (x, ..) = take(&stream, &host, &description);
        let (x, skipped) = (x.unwrap(), skipped as usize);
        let y = (&x * 2.0).eval().unwrap().host();
        assert!(y.iter().zip(&host[skipped..]).all(|(y, x)| *y == 2.0 * x));
        let sum: f32 = host[skipped..skipped + 4096].iter().sum();
        let difference = x.sum().eval().unwrap().value() - sum;
        assert!(difference.abs() <= 1e-5 * sum);
        let scanned = x.cumsum(0).unwrap();
        assert_eq!(scanned.host()[1], host[skipped] + host[skipped + 1]);
    }
}

#[test]
fn empty_tensors_become_empty_arrays() {
    let stream = stream();
    for data in [true, false] {
        let description = Description {
            data,
            ..Description::of(F32, &[3, 0, 2]).strides(&[0, i64::MAX, i64::MIN])
        };
        let (x, _, deletions) = take(&stream, &[], &description);
        let x = x.unwrap();
        assert_eq!(x.shape(), [3, 0, 2]);
        assert_eq!((x.as_device_ptr(), x.host()), (0, vec![]));
        assert_eq!(x.sum().eval().unwrap().value(), 0.0);
        drop(x);
        assert_eq!(deletions.count(), 1);
    }
}

#[test]
fn writes_change_the_tensor_unless_the_array_is_shared() {
    let stream = stream();
    let (x, address, deletions) = take(&stream, &[1.0, 2.0, 3.0], &Description::of(F32, &[3]));
    let mut x = x.unwrap();
    x.assign(&x * 10.0).unwrap();
    x.slice_mut(s![0]).unwrap().fill(7.0).unwrap();
    assert_eq!(x.as_device_ptr(), address);
    assert_eq!(producers(&stream, address, 3), [7.0, 20.0, 30.0]);
    x.copy_from_slice(&[4.0, 5.0, 6.0]).unwrap();
    assert_eq!(producers(&stream, address, 3), [4.0, 5.0, 6.0]);
    let places = upload(&stream, &[2]);
    x.put(&places, 9.0).unwrap();
    assert_eq!(producers(&stream, address, 3), [4.0, 5.0, 9.0]);

    let held = x.clone();
    x.fill(0.0).unwrap();
    assert_ne!(x.as_device_ptr(), address);
    assert_eq!(producers(&stream, address, 3), [4.0, 5.0, 9.0]);
    assert_eq!(held.host(), [4.0, 5.0, 9.0]);
    assert_eq!(deletions.count(), 0);
    drop(held);
    assert_eq!(deletions.count(), 1);
    assert_eq!(x.host(), [0.0; 3]);
}

type Write<'a> = &'a dyn Fn(&mut Array<f32>);

#[test]
fn read_only_tensors_are_never_written() {
    let stream = stream();
    let description = Description {
        flags: FLAG_READ_ONLY,
        ..Description::of(F32, &[3])
    };
    let places = upload(&stream, &[2]);
    let writes: [Write<'_>; 5] = [
        &|x| x.assign(&*x * 10.0).unwrap(),
        &|x| x.fill(10.0).unwrap(),
        &|x| x.slice_mut(s![1..]).unwrap().fill(10.0).unwrap(),
        &|x| x.copy_from_slice(&[10.0; 3]).unwrap(),
        &|x| x.put(&places, 10.0).unwrap(),
    ];
    for write in writes {
        let (x, address, deletions) = take(&stream, &[1.0, 2.0, 3.0], &description);
        let mut x = x.unwrap();
        let seen = x.clone();
        drop(seen);
        write(&mut x);
        assert_ne!(x.as_device_ptr(), address);
        assert!(x.host().contains(&10.0));
        // The array no longer holds the tensor.
        assert_eq!(deletions.count(), 1);
    }
    // Another reference keeps the tensor alive, so the test can check that it is unchanged.
    for write in writes {
        let (raw, address, _) = produce(&stream, &[1.0f32, 2.0, 3.0], &description);
        // SAFETY: The tensor is handed over once, and its memory is only read.
        let tensor = unsafe { ImportedTensor::from_versioned(raw).unwrap() };
        assert!(tensor.is_read_only());
        // SAFETY: as above.
        let mut x = unsafe { tensor.into_array::<f32>(&stream).unwrap() };
        let kept = x.expr();
        write(&mut x);
        assert_eq!(producers(&stream, address, 3), [1.0, 2.0, 3.0]);
        assert_eq!(kept.eval().unwrap().host(), [1.0, 2.0, 3.0]);
    }
}

/// Checks that the tensor is rejected with an error containing these texts, and deleted.
#[track_caller]
fn assert_rejected<T: Element>(description: &Description, says: &[&str]) {
    let stream = stream();
    let (raw, _, deletions) = produce(&stream, &[0u64; 16], description);
    // SAFETY: The tensor is handed over once. The error is found before the memory is used.
    let error = unsafe { Array::<T>::from_dlpack(&stream, raw) }.unwrap_err();
    let text = error.to_string();
    assert!(says.iter().all(|says| text.contains(says)), "{text}");
    assert!(
        matches!(error, Error::Foreign(_) | Error::Shape(_)),
        "{error:?}"
    );
    assert_eq!(deletions.count(), 1, "{text}");
}

#[test]
fn rejected_tensors_are_deleted() {
    let good = Description::of(F32, &[4]);
    let dtype = |code, bits, lanes| Description {
        dtype: DLDataType { code, bits, lanes },
        ..good.clone()
    };
    assert_rejected::<f64>(&good, &["float32", "f64"]);
    assert_rejected::<u32>(&dtype(0, 32, 1), &["int32", "u32"]);
    assert_rejected::<f32>(&dtype(2, 32, 4), &["float32 in vectors of 4"]);
    assert_rejected::<f32>(&dtype(77, 32, 1), &["code 77"]);
    assert_rejected::<bool>(&dtype(1, 8, 1), &["uint8", "bool"]);

    let device = |device_type, device_id| Description {
        device: DLDevice {
            device_type,
            device_id,
        },
        ..good.clone()
    };
    assert_rejected::<f32>(&device(DLDeviceType::CUDA, 1), &["device 1", "device 0"]);
    assert_rejected::<f32>(&device(DLDeviceType::CUDA, -1), &["device -1"]);
    assert_rejected::<f32>(&device(DLDeviceType::CUDA_HOST, 0), &["kDLCUDAHost"]);
    assert_rejected::<f32>(&device(DLDeviceType::CPU, 0), &["kDLCPU"]);
    assert_rejected::<f32>(&device(DLDeviceType::ROCM, 0), &["kind 10"]);

    let version = |major, minor| Description {
        version: DLPackVersion { major, minor },
        ..good.clone()
    };
    assert_rejected::<f32>(&version(2, 0), &["DLPack 2.0", "1.x"]);
    assert_rejected::<f32>(&version(0, 8), &["DLPack 0.8"]);

    let axes = |shape: &[i64]| Description::of(F32, shape);
    assert_rejected::<f32>(&axes(&[1; 9]), &["9 axes", "at most 8"]);
    assert_rejected::<f32>(&axes(&[2, -1]), &["negative"]);
    assert_rejected::<f32>(&axes(&[i64::MAX, 2]), &["more elements"]);
    assert_rejected::<f32>(&axes(&[0, i64::MAX, 2]), &["more elements"]);
    assert_rejected::<f32>(&axes(&[i64::MAX / 2]), &["beyond all memory"]);
    let far = axes(&[3, 3]).strides(&[i64::MAX, i64::MAX]);
    assert_rejected::<f32>(&far, &["beyond all memory"]);
    let far = axes(&[3]).strides(&[i64::MIN]);
    assert_rejected::<f32>(&far, &["beyond all memory"]);
    let ndim = |ndim| Description {
        ndim,
        ..good.clone()
    };
    assert_rejected::<f32>(&ndim(-1), &["-1 axes"]);
    let shape = None;
    assert_rejected::<f32>(
        &Description {
            shape,
            ..good.clone()
        },
        &["`shape` is null"],
    );
    let data = false;
    assert_rejected::<f32>(
        &Description {
            data,
            ..good.clone()
        },
        &["`data` is null"],
    );
    let byte_offset = |byte_offset| Description {
        byte_offset,
        ..good.clone()
    };
    assert_rejected::<f32>(&byte_offset(2), &["not aligned", "f32"]);
    assert_rejected::<f32>(&byte_offset(u64::MAX), &["beyond all memory"]);
    assert_rejected::<f32>(&byte_offset(u64::MAX / 2), &["beyond all memory"]);
}

#[test]
fn null_is_rejected() {
    let stream = stream();
    // SAFETY: Null is rejected.
    failure(unsafe { Array::<f32>::from_dlpack(&stream, std::ptr::null_mut()) }).mentions("null");
    // SAFETY: as above.
    assert!(unsafe { ImportedTensor::from_unversioned(std::ptr::null_mut()) }.is_err());
}

#[test]
fn other_minor_versions_and_managed_memory_are_accepted() {
    let stream = stream();
    let description = Description {
        version: DLPackVersion {
            major: 1,
            minor: 99,
        },
        device: DLDevice {
            device_type: DLDeviceType::CUDA_MANAGED,
            device_id: 0,
        },
        ..Description::of(F32, &[2])
    };
    let (x, ..) = take(&stream, &[1.0, 2.0], &description);
    assert_eq!(x.unwrap().host(), [1.0, 2.0]);
}

#[test]
fn into_array_with_producer_orders_both_ways() {
    let (stream, theirs) = (stream(), stream());
    let (raw, _, deletions) = produce(&theirs, &[1.0f32, 2.0], &Description::of(F32, &[2]));
    // SAFETY: The tensor is handed over once. The memory is used again in the order of `theirs`.
    let x = unsafe {
        let tensor = ImportedTensor::from_versioned(raw).unwrap();
        tensor
            .into_array_with_producer::<f32>(&stream, &theirs)
            .unwrap()
    };
    assert_eq!(x.stream(), &stream);
    let y = (&x * 2.0).eval().unwrap();
    drop(x);
    assert_eq!(deletions.count(), 1);
    assert_eq!(y.host(), [2.0, 4.0]);
}
