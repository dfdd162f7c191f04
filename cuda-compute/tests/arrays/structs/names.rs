//! Structs and fields with names that have another meaning in CUDA C++.

use super::*;
use crate::upload;

/// Names of the compiler's and the kernels' macros, and of the kernels' types.
#[allow(non_snake_case, reason = "the names are those of macros")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
#[repr(C)]
struct Macros {
    NULL: u8,
    THREADS: u8,
    UNROLL: i16,
    VECTOR: u8,
    ARRAY_ELEMENTS: u8,
    RS_FUNCTION: i16,
    FOLD: f32,
    linux: f32,
    index_t: f32,
    stored_f16: f16,
    another: f16,
}

/// Keywords, and the names that keywords are replaced by.
#[allow(non_snake_case, reason = "the name is that of an operator")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
#[repr(C)]
struct Keywords {
    double: f32,
    double_: f32,
    class: i16,
    new: i16,
    operator: u8,
    and: u8,
    default: u8,
    _Pragma: u8,
    r#struct: [u16; 2],
    defined: f32,
    nothing: [f32; 0],
}

/// A preprocessor operator that cannot be undefined.
#[allow(non_camel_case_types, reason = "the name is that of an operator")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
#[repr(C)]
struct defined {
    value: u32,
}

/// A macro of most kernels.
#[allow(clippy::upper_case_acronyms, reason = "the name is that of a macro")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Element)]
#[repr(C)]
struct STORED {
    stored: u32,
}

/// Checks all element operations of kernels: compare, gather, scatter and fill.
fn check<T: Element + Pod>(values: [T; 3]) {
    let stream = stream();
    let x = upload(&stream, &values);
    let same = x.equal(values[1]).eval().unwrap().host();
    assert_eq!(same, [false, true, false]);
    let places = upload(&stream, &[2, 0]);
    let mut y = x.clone();
    y.put(&places, x.take(&places, 0).unwrap()).unwrap();
    y.slice_mut(s![1]).unwrap().fill(values[2]).unwrap();
    assert_eq!(y.host(), [values[0], values[2], values[2]]);
}

#[test]
fn fields_may_be_named_like_macros() {
    let of = |i: u8| Macros {
        NULL: i,
        THREADS: 2 * i,
        UNROLL: -3,
        stored_f16: f16::from_f32(i.into()),
        ..Macros::default()
    };
    check([of(1), of(2), of(3)]);
    // SAFETY: The function only computes its result.
    let text = unsafe {
        CudaFn::<fn(Macros) -> f32>::new(
            "all",
            "__device__ float all(const Macros &m) { return m.NULL + m.THREADS + m.UNROLL + m.stored_f16; }",
        )
    };
    let x = Array::full(&stream(), 2, of(5)).unwrap();
    let got = text.map((&x,)).eval().unwrap().host();
    assert_eq!(got, [17.0; 2]);
}

#[test]
fn keywords_get_an_underscore_in_cuda() {
    let of = |i: u8| Keywords {
        double: i.into(),
        double_: -f32::from(i),
        class: 7,
        operator: 2 * i,
        r#struct: [0, i.into()],
        defined: f32::from(i) / 2.0,
        ..Keywords::default()
    };
    check([of(1), of(2), of(3)]);
    // SAFETY: The function only computes its result.
    let text = unsafe {
        CudaFn::<fn(Keywords) -> Keywords>::new(
            "turned",
            "__device__ Keywords turned(Keywords k) {
                 k.double__ = k.double_ + k.class_ + k.operator_ + k.struct_[1] + k.defined_;
                 return k;
             }",
        )
    };
    let x = Array::full(&stream(), 2, of(5)).unwrap();
    let got = text.map((&x,)).eval().unwrap().host();
    let wanted = Keywords {
        double_: 5.0 + 7.0 + 10.0 + 5.0 + 2.5,
        ..of(5)
    };
    assert_eq!(got, [wanted; 2]);
}

#[test]
fn structs_may_be_named_like_macros() {
    let of = |stored| STORED { stored };
    check([of(1), of(2), of(3)]);
    // SAFETY: The function only computes its result.
    let larger = unsafe {
        CudaFn::<fn(STORED, STORED) -> STORED>::new(
            "larger",
            "__device__ STORED larger(STORED a, STORED b) { return a.stored < b.stored ? b : a; }",
        )
    };
    let x = Array::from_slice(&stream(), &[of(4), of(9), of(3)]).unwrap();
    let got = x.reduce(Combination::new(&larger, of(0))).eval().unwrap();
    assert_eq!(got.value(), of(9));
}

#[test]
fn structs_may_be_named_defined() {
    let of = |value| defined { value };
    check([of(1), of(2), of(3)]);
    // SAFETY: The function only computes its result.
    let doubled = unsafe {
        CudaFn::<fn(defined) -> u32>::new(
            "doubled",
            "__device__ unsigned doubled(defined_ a) { return 2 * a.value; }",
        )
    };
    let x = Array::full(&stream(), 2, of(5)).unwrap();
    let got = doubled.map((&x,)).eval().unwrap().host();
    assert_eq!(got, [10; 2]);
}
