//! 8-bit floats: storage, and conversions from and to all other types, compared with the crate `float8`.

use cuda_compute::{Array, CastFrom, Element, F8E4M3, F8E5M2, bf16, f16, interop::ImportedTensor};

use crate::{OnHost, stream, upload};

/// All halves as `f32`, and numbers between each and the next: every rounding of both types occurs.
fn singles() -> Vec<f32> {
    let halves = (0..=u16::MAX).map(|bits| f16::from_bits(bits).to_f32());
    halves
        .flat_map(|x| [x, f32::from_bits(x.to_bits().wrapping_add(1)), x * 1.5])
        .chain([
            f32::MAX,
            f32::MIN,
            f32::MIN_POSITIVE,
            448.0,
            464.0,
            464.1,
            61440.0,
            57344.0,
        ])
        .collect()
}

/// The bits, with one pattern for all NaN.
fn bits<T: Copy>(values: &[T], of: impl Fn(T) -> (u8, bool)) -> Vec<u8> {
    let one = |&value: &T| match of(value) {
        (_, true) => 0xff,
        (bits, false) => bits,
    };
    values.iter().map(one).collect()
}

macro_rules! conversions {
    ($name:ident, $type:ident) => {
        #[test]
        fn $name() {
            fn bits_of(values: &[$type]) -> Vec<u8> {
                // `is_nan` of E5M2 knows only one of the three patterns.
                bits(values, |x| (x.to_bits(), x.to_f32().is_nan()))
            }

            fn to<T: Element>(values: &[T], wanted: impl Fn(T) -> $type)
            where
                $type: CastFrom<T>,
            {
                let cast = upload(&stream(), values).cast::<$type>().eval().unwrap();
                let wanted: Vec<$type> = values.iter().map(|&x| wanted(x)).collect();
                assert_eq!(bits_of(&cast.host()), bits_of(&wanted));
            }

            let singles = singles();
            to(&singles, $type::from_f32);
            let doubles: Vec<f64> = singles
                .iter()
                .flat_map(|&x| {
                    [
                        f64::from(x),
                        f64::from(x) * (1.0 + 1e-12),
                        f64::from(x) * 1e30,
                    ]
                })
                .collect();
            to(&doubles, $type::from_f64);
            let halves: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
            to(&halves, |x| $type::from_f32(x.to_f32()));
            let halves: Vec<bf16> = (0..=u16::MAX).map(bf16::from_bits).collect();
            to(&halves, |x| $type::from_f32(x.to_f32()));
            let integers: Vec<i32> = (-1000..1000).chain([i32::MIN, i32::MAX]).collect();
            to(&integers, |x| $type::from_f64(f64::from(x)));
            to(&[true, false], |x| $type::from_f32(f32::from(u8::from(x))));

            let all: Vec<$type> = (0..=u8::MAX).map($type::from_bits).collect();
            to(&all, |x| x);
            let x = upload(&stream(), &all);
            assert_eq!(bits_of(&x.host()), bits_of(&all));
            let same = |a: f32, b: f32| {
                a == b && a.is_sign_negative() == b.is_sign_negative() || a.is_nan() && b.is_nan()
            };
            let single = x.cast::<f32>().eval().unwrap().host();
            for (x, single) in all.iter().zip(single) {
                assert!(same(single, x.to_f32()), "{:#x}: {single}", x.to_bits());
            }
            // Clamped, as Rust's `as` does. NaN is 0.
            let wanted: Vec<i8> = all.iter().map(|x| x.to_f32() as i8).collect();
            assert_eq!(x.cast::<i8>().eval().unwrap().host(), wanted);
            let wanted: Vec<bool> = all.iter().map(|x| x.to_f32() != 0.0).collect();
            assert_eq!(x.cast::<bool>().eval().unwrap().host(), wanted);
        }
    };
}

conversions!(e4m3_is_converted_from_and_to_every_type, F8E4M3);
conversions!(e5m2_is_converted_from_and_to_every_type, F8E5M2);

#[test]
fn float8_is_cast_to_the_other_float8() {
    let all: Vec<F8E5M2> = (0..=u8::MAX).map(F8E5M2::from_bits).collect();
    let cast = upload(&stream(), &all).cast::<F8E4M3>().eval().unwrap();
    for (from, to) in all.iter().zip(cast.host()) {
        let wanted = F8E4M3::from_f32(from.to_f32());
        assert!(
            to == wanted || to.is_nan() && wanted.is_nan(),
            "{from:?}: {to:?}"
        );
    }
}

#[test]
fn float8_is_copied_selected_and_printed() {
    let stream = stream();
    let host: Vec<F8E4M3> = (0..24).map(|i| F8E4M3::from_f32(i as f32)).collect();
    let x = Array::from_shape(&stream, [4, 6], &host).unwrap();
    let column: Vec<F8E4M3> = host.iter().copied().skip(1).step_by(6).collect();
    assert_eq!(
        x.t()
            .slice(cuda_compute::s![1])
            .unwrap()
            .copy()
            .unwrap()
            .host(),
        column
    );

    // Infinities are clamped by casts, but not by copies and selections.
    let infinite = [0x7c, 0xfc, 0x7b].map(F8E5M2::from_bits);
    let y = upload(&stream, &infinite);
    let kept = y
        .cast::<f32>()
        .less(0.0)
        .select(&y, y.flip(0).unwrap())
        .eval()
        .unwrap();
    assert_eq!(
        kept.host().iter().map(F8E5M2::to_bits).collect::<Vec<u8>>(),
        [0x7b, 0xfc, 0x7c]
    );

    let (one, two) = (F8E4M3::ONE, F8E4M3::from_f32(2.0));
    let large = x.cast::<f32>().greater(10.0);
    let chosen = large.select(one, two).eval().unwrap().host();
    let wanted: Vec<F8E4M3> = host
        .iter()
        .map(|x| if x.to_f32() > 10.0 { one } else { two })
        .collect();
    assert_eq!(chosen, wanted);
    assert_eq!(
        Array::full(&stream, [2], two).unwrap().to_string(),
        "[2.0 2.0]"
    );
    // A sum in f32, of values that are stored in a byte each.
    assert_eq!(
        x.cast::<f32>().sum().eval().unwrap().item().unwrap(),
        host.iter().map(|x| x.to_f32()).sum()
    );
}

#[test]
fn float8_is_exchanged_through_dlpack_only() {
    let stream = stream();
    let host: Vec<F8E5M2> = (0..7).map(|i| F8E5M2::from_f32(i as f32)).collect();
    let x = upload(&stream, &host);
    let text = x.cuda_array_interface().unwrap_err().to_string();
    assert!(text.contains("elements of F8E5M2 have no name"), "{text}");
    let raw = x.into_dlpack().unwrap().into_raw();
    // SAFETY: a tensor that is handed over once.
    let tensor = unsafe { ImportedTensor::from_versioned(raw) }.unwrap();
    // SAFETY: the elements were computed on this stream.
    let y = unsafe { tensor.into_array::<F8E5M2>(&stream) }.unwrap();
    assert_eq!(y.host(), host);
}
