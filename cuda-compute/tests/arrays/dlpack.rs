//! DLPack tensors from a hand-written producer and for a hand-written consumer.

mod exporting;
mod importing;
mod producer;

use cuda_compute::{
    DataType, Element,
    interop::{ImportedTensor, dlpack::DLManagedTensorVersioned},
};
use cuda_safe::{DeviceView, Stream};
use half::{bf16, f16};
use num_complex::Complex;

use crate::{OnHost, shaped, stream, upload};

/// Reads a tensor's elements as a consumer does, using only the structure's fields.
fn read<T: Element>(stream: &Stream, raw: *const DLManagedTensorVersioned) -> Vec<T::Stored> {
    // SAFETY: The tensor is live and belongs to the stream's context. Its elements are contiguous
    // and its work is ordered.
    unsafe {
        let tensor = &(*raw).dl_tensor;
        let lengths = std::slice::from_raw_parts(tensor.shape, tensor.ndim as usize);
        let count = lengths.iter().product::<i64>() as usize;
        let view = DeviceView::<T::Stored>::borrow_raw(tensor.data.addr() as u64, count, stream);
        view.to_vec(stream).unwrap()
    }
}

/// Calls the deleter, as a consumer does when it is done.
fn delete(raw: *mut DLManagedTensorVersioned) {
    // SAFETY: The tensor is live and is deleted once.
    unsafe { (*raw).deleter.unwrap()(raw) };
}

fn there_and_back<T: Element>(values: &[T]) {
    let stream = stream();
    let x = shaped(&stream, [2, values.len() / 2], values);
    let address = x.as_device_ptr();
    let raw = x.into_dlpack().unwrap().into_raw();
    // SAFETY: The tensor is handed over once and computed on this stream.
    let y = unsafe {
        let tensor = ImportedTensor::from_versioned(raw).unwrap();
        assert_eq!(tensor.data_type().unwrap(), T::DATA_TYPE);
        tensor.into_array::<T>(&stream).unwrap()
    };
    assert_eq!(y.as_device_ptr(), address, "{}", T::DATA_TYPE.name());
    assert_eq!(y.host(), values);

    let raw = y.into_dlpack().unwrap().into_raw_unversioned().unwrap();
    // SAFETY: as above.
    let z = unsafe {
        let tensor = ImportedTensor::from_unversioned(raw).unwrap();
        tensor.into_array::<T>(&stream).unwrap()
    };
    assert_eq!(z.as_device_ptr(), address);
    assert_eq!(z.copy().unwrap().host(), values);
}

#[test]
fn every_type_round_trips() {
    there_and_back(&[true, false, false, true]);
    there_and_back(&[i8::MIN, 1, 2, i8::MAX]);
    there_and_back(&[i16::MIN, 1, 2, i16::MAX]);
    there_and_back(&[i32::MIN, 1, 2, i32::MAX]);
    there_and_back(&[i64::MIN, 1, 2, i64::MAX]);
    there_and_back(&[0, 1, 2, u8::MAX]);
    there_and_back(&[0, 1, 2, u16::MAX]);
    there_and_back(&[0, 1, 2, u32::MAX]);
    there_and_back(&[0, 1, 2, u64::MAX]);
    there_and_back(&[0.5, -1.0, 3.0, 65504.0].map(f16::from_f32));
    there_and_back(&[0.5, -1.0, 3.0, 256.0].map(bf16::from_f32));
    there_and_back(&[0.5f32, -1.0, f32::MAX, f32::INFINITY]);
    there_and_back(&[0.5f64, -1.0, f64::MAX, f64::INFINITY]);
    there_and_back(&[Complex::new(1.0f32, -2.0), Complex::new(0.0, 3.0)]);
    there_and_back(&[Complex::new(1.0f64, -2.0), Complex::new(0.0, 3.0)]);
}

#[test]
fn the_type_can_be_inspected_before_import() {
    let stream = stream();
    let x = upload(&stream, &[1i16, 2]);
    let raw = x.into_dlpack().unwrap().into_raw();
    // SAFETY: The tensor is handed over once.
    let tensor = unsafe { ImportedTensor::from_versioned(raw).unwrap() };
    assert_eq!(tensor.data_type().unwrap(), DataType::I16);
    assert_eq!(tensor.shape(), [2]);
    assert_eq!(tensor.strides(), Some(&[1][..]));
    assert_eq!(tensor.version().map(|v| v.major), Some(1));
    assert!(!tensor.is_read_only());
    // SAFETY: The call returns an error before it uses the memory.
    let error = unsafe { tensor.into_array::<f32>(&stream) }.unwrap_err();
    let error = error.to_string();
    assert!(error.contains("int16") && error.contains("f32"), "{error}");
}
