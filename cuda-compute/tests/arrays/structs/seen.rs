//! Structs viewed as other types, under other names and by other libraries.

use super::*;
use crate::{OnHost, failure::failure, shaped, upload};

#[test]
fn structs_are_reinterpreted_as_scalars_and_back() {
    let stream = stream();
    let host = numbers::<Float3>(4);
    let x = upload(&stream, &host);
    let flat = x.reinterpret::<f32>().unwrap();
    assert_eq!(flat.host(), bytemuck::cast_slice::<_, f32>(&host));
    let rows = flat.reshape([4, 3]).unwrap();
    let back = (&rows * 2.0)
        .eval()
        .unwrap()
        .reinterpret::<Float3>()
        .unwrap();
    assert_eq!(back.shape(), [4, 1]);
    let twice: Vec<Float3> = host
        .iter()
        .map(|v| Float3 {
            x: v.x * 2.0,
            y: v.y * 2.0,
            z: v.z * 2.0,
        })
        .collect();
    assert_eq!(back.host(), twice);
    // 12 is not a multiple of 8, nor is 16 of 12.
    assert!(x.reinterpret::<u64>().is_err());
    assert!(x.reinterpret::<Float4>().is_err());
    failure(x.reinterpret::<MinMax>()).mentions("don't divide into whole elements of MinMax");
}

#[test]
fn structs_with_the_same_name_are_distinct() {
    fn other() -> CudaFn<fn(crate::structs::MinMax) -> i32> {
        // SAFETY: The function only computes its result.
        unsafe {
            CudaFn::new(
                "width",
                "__device__ int width(MinMax m) { return (int)(m.max - m.min); }",
            )
        }
    }
    plain! { struct MinMax { max: i32, min: i32 } }
    let stream = stream();
    // SAFETY: The function only computes its result.
    let width = unsafe {
        CudaFn::<fn(MinMax) -> i32>::new(
            "width",
            "__device__ int width(MinMax m) { return m.max - m.min; }",
        )
    };
    let one = Array::full(&stream, 3, MinMax { max: 9, min: 2 }).unwrap();
    let two = Array::full(&stream, 3, crate::structs::MinMax { min: 1.0, max: 5.5 }).unwrap();
    let both = width.map((&one,)) * 10 + other().map((&two,));
    assert_eq!(both.eval().unwrap().host(), [74; 3]);
    assert_ne!(MinMax::DATA_TYPE, crate::structs::MinMax::DATA_TYPE);
}

#[test]
fn arrays_of_ndarray() {
    let stream = stream();
    let host = ndarray::Array2::from_shape_fn((3, 4), |(i, k)| Float3::of(i * 10 + k));
    let x = Array::from_ndarray(&stream, &host).unwrap();
    assert_eq!(x.to_ndarray().unwrap(), host.clone().into_dyn());
    let turned = Array::from_ndarray(&stream, &host.t()).unwrap();
    assert_eq!(turned.to_ndarray().unwrap(), host.t().to_owned().into_dyn());
}

#[test]
fn structs_are_exported_as_byte_vectors() {
    let stream = stream();
    let host = numbers::<Float3>(6);
    let x = shaped(&stream, [2, 3], &host);
    let tensor = x.t().into_dlpack().unwrap().into_raw();
    // SAFETY: The tensor was just created, and nothing else uses its memory.
    let mut back = unsafe {
        let tensor = ImportedTensor::from_versioned(tensor).unwrap();
        assert_eq!((tensor.dtype().bits, tensor.dtype().lanes), (8, 12));
        assert!(tensor.data_type().is_err());
        tensor.into_array::<Float3>(&stream).unwrap()
    };
    assert_eq!(back.t().host(), host);
    back.field_mut(|v| &v.y).unwrap().fill(0.5).unwrap();
    assert!(back.host().iter().all(|v| v.y == 0.5));
    // Read-only memory is copied before it is written to.
    let shared = x.share_dlpack().into_raw();
    // SAFETY: as above, and the memory is only read.
    let mut own = unsafe {
        let tensor = ImportedTensor::from_versioned(shared).unwrap();
        tensor.into_array::<Float3>(&stream).unwrap()
    };
    own.field_mut(|v| &v.x).unwrap().fill(7.0).unwrap();
    assert_eq!(x.host(), host);
    assert!(own.host().iter().all(|v| v.x == 7.0));
    failure(x.cuda_array_interface()).mentions("elements of Float3 have no name");
}

#[test]
fn many_large_scalars_fit() {
    let stream = stream();
    fn pick<T: Element + Debug>(stream: &Stream, values: &[T]) {
        let places = Array::range(stream, 0..values.len() as i32).unwrap();
        let mut chosen = Expr::scalar(values[0]);
        for (i, &value) in values.iter().enumerate().skip(1) {
            chosen = places.equal(i as i32).select(value, chosen);
        }
        assert_eq!(chosen.eval().unwrap().host(), values);
    }
    pick(&stream, &numbers::<Matrix>(20));
    pick(&stream, &numbers::<Mixed>(30));
    pick(&stream, &numbers::<Rgb>(30));
    // More scalars than the parameters of one kernel can hold.
    let mut any = Expr::scalar(false);
    let x = Array::full(&stream, 2, Matrix::of(39)).unwrap();
    for i in 0..40 {
        any |= x.equal(Matrix::of(i));
    }
    assert_eq!(any.eval().unwrap().host(), [true; 2]);
}
