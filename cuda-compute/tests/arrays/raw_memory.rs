//! Arrays of memory at an address that another library manages.

use std::sync::Arc;

use cuda_compute::Array;
use cuda_safe::{DeviceBuffer, sys};

use crate::{OnHost, failure::failure, stream, upload};

#[test]
fn raw_memory_is_read_with_its_strides_and_kept_alive() {
    let stream = stream();
    let host: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let owner = Arc::new(DeviceBuffer::from_slice(&stream, &host).unwrap());
    let first = owner.as_device_ptr() + 4; // of the element with index 1
    // SAFETY: 2 x 3 elements from index 1 to 11, which the buffer frees in the stream's order.
    let x = unsafe { Array::<f32>::from_raw(&stream, first, [2, 3], Some(&[1, 4]), owner.clone()) };
    let mut x = x.unwrap();
    assert_eq!(x.host(), [1.0, 5.0, 9.0, 2.0, 6.0, 10.0]);
    assert_eq!(x.as_device_ptr(), first);
    let doubled = &x * 2.0;
    assert_eq!(Arc::strong_count(&owner), 2);
    assert_eq!(
        doubled.eval().unwrap().host(),
        [2.0, 10.0, 18.0, 4.0, 12.0, 20.0]
    );

    // The memory is read-only, so writing copies it.
    x.fill(7.0).unwrap();
    assert_eq!(x.host(), [7.0; 6]);
    assert_eq!(owner.to_vec(&stream).unwrap(), host);
    drop((x, doubled));
    assert_eq!(Arc::strong_count(&owner), 1);
}

#[test]
fn wrong_raw_memory_is_rejected() {
    let stream = stream();
    let buffer = upload(&stream, &[0i64; 8]).into_buffer().unwrap();
    let address: sys::CUdeviceptr = buffer.as_device_ptr();
    // SAFETY: no array is created.
    let made = |address, strides: &[isize]| unsafe {
        Array::<i64>::from_raw(&stream, address, [2, 2], Some(strides), ())
    };
    failure(made(address, &[1])).mentions("shape [2, 2] needs 2 strides, but there are 1: [1]");
    failure(made(address + 4, &[2, 1])).mentions("is not aligned for elements of i64");
    failure(made(address, &[isize::MAX / 2, 1])).mentions("reaches beyond all memory");
    failure(made(0, &[2, 1])).mentions("reaches beyond all memory");
}
