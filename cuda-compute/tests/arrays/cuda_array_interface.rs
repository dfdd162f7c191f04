//! Exports arrays through `__cuda_array_interface__` and imports them.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use cuda_compute::{
    Array, Element, Result,
    interop::{CudaArrayInterface, stream_number},
    s,
};
use cuda_safe::{DeviceBuffer, Stream};
use half::{bf16, f16};
use num_complex::Complex;

use crate::{OnHost, failure::failure, stream, upload};

/// An owner of memory that counts its drops.
struct Owner(DeviceBuffer<u8>, Arc<AtomicUsize>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

fn floats(stream: &Stream) -> (Owner, CudaArrayInterface<'static>, Arc<AtomicUsize>) {
    let host: Vec<u8> = (0..6).flat_map(|i| (i as f32).to_ne_bytes()).collect();
    let drops = Arc::new(AtomicUsize::new(0));
    let owner = Owner(
        DeviceBuffer::from_slice(stream, &host).unwrap(),
        drops.clone(),
    );
    let facts = CudaArrayInterface {
        shape: Cow::Borrowed(&[2, 3]),
        strides: None,
        typestr: "<f4".into(),
        data: owner.0.as_device_ptr(),
        read_only: false,
        stream: Some(stream_number(stream)),
        version: 3,
    };
    (owner, facts, drops)
}

fn named<T: Element>(name: &str) {
    let stream = stream();
    let x = upload(&stream, &[T::default(); 3]);
    let facts = x.cuda_array_interface().unwrap();
    assert_eq!((&*facts.typestr, facts.version), (name, 3));
    // SAFETY: `x` stays alive and is not written to.
    let y = unsafe { Array::<T>::from_cuda_array_interface(&stream, &facts, x.clone()) };
    assert_eq!(y.unwrap().host(), x.host());
}

#[test]
fn types_have_numpy_names() {
    named::<bool>("|b1");
    named::<i8>("|i1");
    named::<i16>("<i2");
    named::<i32>("<i4");
    named::<i64>("<i8");
    named::<u8>("|u1");
    named::<u16>("<u2");
    named::<u32>("<u4");
    named::<u64>("<u8");
    named::<f16>("<f2");
    named::<f32>("<f4");
    named::<f64>("<f8");
    named::<Complex<f32>>("<c8");
    named::<Complex<f64>>("<c16");
    let mut x = Array::from_slice(&stream(), &[bf16::ONE]).unwrap();
    failure(x.cuda_array_interface())
        .mentions("bf16")
        .mentions("DLPack");
    assert!(x.cuda_array_interface_mut().is_err());
    let bits = x.reinterpret::<u16>().unwrap();
    assert_eq!(bits.cuda_array_interface().unwrap().typestr, "<u2");
}

#[test]
fn views_export_strides_in_bytes() {
    let stream = stream();
    let x = Array::<f64>::zeros(&stream, [4, 6]).unwrap();
    let view = x.slice(s![..;-1, 1..;2]).unwrap();
    let facts = view.cuda_array_interface().unwrap();
    assert_eq!(facts.shape, &[4, 3][..]);
    assert_eq!(facts.strides.as_deref(), Some(&[-48, 16][..]));
    assert_eq!(facts.data, x.as_device_ptr() + 8 * (3 * 6 + 1));
    assert_eq!(facts.stream, Some(stream_number(&stream)));
    let empty = x.slice(s![4..]).unwrap();
    assert_eq!(empty.cuda_array_interface().unwrap().data, 0);
}

#[test]
fn exclusive_access_copies_shared_memory() {
    let stream = stream();
    let mut x = upload(&stream, &[1.0f32, 2.0]);
    let address = x.as_device_ptr();
    assert!(x.cuda_array_interface().unwrap().read_only);
    let facts = x.cuda_array_interface_mut().unwrap();
    assert_eq!((facts.data, facts.read_only), (address, false));
    let other = x.clone();
    assert_ne!(x.cuda_array_interface_mut().unwrap().data, address);
    assert_eq!(other.as_device_ptr(), address);
    let mut wide = other.broadcast_to([3, 2]).unwrap();
    drop(other);
    let facts = wide.cuda_array_interface_mut().unwrap();
    assert_eq!(facts.strides.as_deref(), Some(&[4, 12][..])); // dense
}

#[test]
fn owner_is_dropped_after_the_last_use() {
    let stream = stream();
    let (owner, facts, drops) = floats(&stream);
    // SAFETY: The description is correct, and the work is ordered by the stream.
    let mut x = unsafe { Array::<f32>::from_cuda_array_interface(&stream, &facts, owner).unwrap() };
    assert_eq!((x.as_device_ptr(), x.stream()), (facts.data, &stream));
    x.assign(&x + 1.0).unwrap();
    assert_eq!(x.as_device_ptr(), facts.data);
    let column = x.slice(s![.., 1]).unwrap();
    drop(x);
    assert_eq!(column.host(), [2.0, 5.0]);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop(column);
    assert_eq!(drops.load(Ordering::SeqCst), 1);

    let (owner, facts, drops) = floats(&stream);
    let facts = CudaArrayInterface {
        read_only: true,
        strides: Some(Cow::Borrowed(&[4, 8])),
        shape: Cow::Borrowed(&[2, 3]),
        ..facts
    };
    // SAFETY: as above.
    let mut x = unsafe { Array::<f32>::from_cuda_array_interface(&stream, &facts, owner).unwrap() };
    assert_eq!(x.host(), [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    x.fill(1.0).unwrap();
    assert_ne!(x.as_device_ptr(), facts.data);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn owner_of_a_rejected_description_is_dropped() {
    type Wrong = (fn(&mut CudaArrayInterface<'static>), &'static str);
    let wrong: [Wrong; 12] = [
        (|f| f.version = 1, "version 1"),
        (|f| f.version = 4, "version 4"),
        (|f| f.typestr = "<f8".into(), "<f8"),
        (|f| f.typestr = ">f4".into(), ">f4"),
        (|f| f.typestr = "".into(), "f32"),
        (|f| f.stream = Some(0), "stream 0"),
        (|f| f.stream = Some(-1), "-1"),
        (|f| f.data += 2, "not aligned"),
        (|f| f.data = 0, "no memory"),
        (|f| f.strides = Some(vec![12].into()), "1 strides"),
        (|f| f.strides = Some(vec![12, 6].into()), "6 bytes"),
        (|f| f.shape = vec![1; 9].into(), "9 axes"),
    ];
    let stream = stream();
    for (spoil, says) in wrong {
        let (owner, mut facts, drops) = floats(&stream);
        spoil(&mut facts);
        // SAFETY: The error is found before the memory is used.
        let taken: Result<Array<f32>> =
            unsafe { Array::from_cuda_array_interface(&stream, &facts, owner) };
        let error = taken.unwrap_err().to_string();
        assert!(error.contains(says), "{says}: {error}");
        assert_eq!(drops.load(Ordering::SeqCst), 1, "{says}");
    }
}
