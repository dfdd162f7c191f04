//! Tests of operators and conversions. Operators of floats round once, and those of integers are
//! exact. Conversions round once or clamp to the range.

use half::{bf16, f16};
use num_complex::Complex;

use super::{
    samples::{Measured, Random, doubles, name, pairs},
    stream,
};
use crate::{Absolute, Array, CastFrom, Element, Integer, Remainder, Shift, eval};

/// Checks operators on the device against the same operators in `f64`.
fn operators_of<T: Measured + Remainder + Absolute<Size = T>>() {
    let stream = stream();
    let (left, right) = pairs::<T>();
    let a = Array::from_slice(&stream, &left).unwrap();
    let b = Array::from_slice(&stream, &right).unwrap();
    let binary = eval((
        &a + &b,
        &a - &b,
        &a * &b,
        &a / &b,
        &a % &b,
        a.minimum(&b),
        a.maximum(&b),
    ));
    let (sum, difference, product, quotient, rest, low, high) = binary.unwrap();
    let (negative, size) = eval((-&a, a.abs())).unwrap();
    let got = [
        sum, difference, product, quotient, rest, low, high, negative, size,
    ];
    let got = got.map(|array| array.to_vec().unwrap());
    let (less, at_most, equal) = eval((a.less(&b), a.less_equal(&b), a.equal(&b))).unwrap();
    let truths = [less, at_most, equal].map(|array| array.to_vec().unwrap());
    for i in 0..left.len() {
        let (x, y) = (left[i].wide(), right[i].wide());
        let exact = [
            x + y,
            x - y,
            x * y,
            x / y,
            x % y,
            x.min(y),
            x.max(y),
            -x,
            x.abs(),
        ];
        for (which, exact) in exact.into_iter().enumerate() {
            let off = T::distance(got[which][i], exact);
            // `f64` has two bits more than twice those of the type, so rounding its result again
            // equals rounding once. The distance is still from the unrounded result.
            let what = format!("{which}: {x:e} {y:e} of {}", name::<T>());
            assert!(off <= 0.5 + 1e-8, "{what}: {:?}, {off} off", got[which][i]);
        }
        let truth = [0, 1, 2].map(|which| truths[which][i]);
        assert_eq!(truth, [x < y, x <= y, x == y], "{x:e} {y:e}");
    }
}

#[test]
fn operators_of_narrow_floats_round_once() {
    operators_of::<f16>();
    operators_of::<bf16>();
    operators_of::<f32>();
}

#[test]
fn operators_of_f64_match_the_host() {
    let stream = stream();
    let mut random = Random(6);
    let left = doubles();
    let right: Vec<f64> = left
        .iter()
        .map(|x| x * 2f64.powf(random.between(-60.0, 60.0)) * random.between(-2.0, 2.0))
        .collect();
    let a = Array::from_slice(&stream, &left).unwrap();
    let b = Array::from_slice(&stream, &right).unwrap();
    let (sum, difference, product, quotient, rest, root) =
        eval((&a + &b, &a - &b, &a * &b, &a / &b, &a % &b, a.sqrt())).unwrap();
    let got = [sum, difference, product, quotient, rest, root].map(|array| array.to_vec().unwrap());
    for (i, (x, y)) in left.iter().zip(&right).enumerate() {
        let wanted = [x + y, x - y, x * y, x / y, x % y, x.sqrt()];
        for (which, wanted) in wanted.into_iter().enumerate() {
            let got = got[which][i];
            let same = got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan();
            assert!(same, "{which}: {x:e} {y:e}: {got:e}, not {wanted:e}");
        }
    }
}

/// Returns both operands of the tested operations: all pairs of bytes, or edge cases and random
/// numbers for wider types.
fn operands<T: Copy>(bits: u32, of: impl Fn(u64) -> T) -> (Vec<T>, Vec<T>) {
    if bits == 8 {
        return (0..1u64 << 16).map(|i| (of(i), of(i >> 8))).unzip();
    }
    let top = 1u64 << (bits - 1);
    let edges = [
        0,
        1,
        2,
        3,
        7,
        10,
        63,
        64,
        255,
        top - 2,
        top - 1,
        top,
        top + 1,
        !0,
        !0 - 1,
        !0 - 9,
    ];
    let mut random = Random(u64::from(bits));
    let crossed = edges.iter().flat_map(|&a| edges.map(|b| (a, b)));
    let any = (0..20_000).map(|_| {
        let shifts = random.bits();
        let of_size = |random: &mut Random, shift: u64| random.bits() >> (shift % 64);
        (
            of_size(&mut random, shifts),
            of_size(&mut random, shifts >> 8),
        )
    });
    crossed.chain(any).map(|(a, b)| (of(a), of(b))).unzip()
}

macro_rules! integers {
    ($($type:ident)*) => {$(
        #[test]
        fn $type() {
            fn on_device<T: Integer + Shift + Remainder + crate::Bits>(left: &[T], right: &[T]) -> Vec<Vec<T>> {
                let stream = stream();
                let a = Array::from_slice(&stream, left).unwrap();
                let b = Array::from_slice(&stream, right).unwrap();
                let (sum, difference, product, quotient, rest) =
                    eval((&a + &b, &a - &b, &a * &b, &a / &b, &a % &b)).unwrap();
                let (and, or, xor, up, down, not, ones) =
                    eval((&a & &b, &a | &b, &a ^ &b, &a << &b, &a >> &b, !&a, a.count_ones())).unwrap();
                let (low, high) = eval((a.minimum(&b), a.maximum(&b))).unwrap();
                let all = [sum, difference, product, quotient, rest, and, or, xor, up, down, not, ones, low, high];
                all.map(|array| array.to_vec().unwrap()).into()
            }
            let (left, right) = operands($type::BITS, |bits| bits as $type);
            let got = on_device(&left, &right);
            for (i, (&a, &b)) in left.iter().zip(&right).enumerate() {
                let wanted = [
                    a.wrapping_add(b),
                    a.wrapping_sub(b),
                    a.wrapping_mul(b),
                    if b == 0 { 0 } else { a.wrapping_div(b) },
                    if b == 0 { 0 } else { a.wrapping_rem(b) },
                    a & b,
                    a | b,
                    a ^ b,
                    a.wrapping_shl(b as u32),
                    a.wrapping_shr(b as u32),
                    !a,
                    a.count_ones() as $type,
                    a.min(b),
                    a.max(b),
                ];
                for (which, wanted) in wanted.into_iter().enumerate() {
                    assert_eq!(got[which][i], wanted, "{which}: {a} {b}");
                }
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

#[test]
fn abs_signum_and_negation_of_integers_are_exact() {
    let stream = stream();
    macro_rules! check {
        ($($type:ident)*) => {$(
            let (left, _) = operands($type::BITS, |bits| bits as $type);
            let a = Array::from_slice(&stream, &left).unwrap();
            let (negative, size, sign) = eval((-&a, a.abs(), a.signum())).unwrap();
            let got = [negative, size, sign].map(|array| array.to_vec().unwrap());
            for (i, a) in left.iter().enumerate() {
                let wanted = [a.wrapping_neg(), a.wrapping_abs(), a.signum()];
                assert_eq!([0, 1, 2].map(|which| got[which][i]), wanted, "{a}");
            }
        )*};
    }
    check!(i8 i16 i32 i64);
}

/// A value without its type.
#[derive(Clone, Copy, Debug)]
enum Wide {
    Whole(i128),
    Real(f64),
}

/// A type whose conversions are tested.
trait Convertible: Element {
    fn wide(self) -> Wide;
    /// Returns whether this is the correct conversion of a value.
    fn is_of(self, value: Wide) -> bool;
    fn values() -> Vec<Self>;
}

macro_rules! convertible {
    (whole $($type:ident)*) => {$(
        impl Convertible for $type {
            fn wide(self) -> Wide {
                Wide::Whole(self.into())
            }
            fn is_of(self, value: Wide) -> bool {
                match value {
                    Wide::Whole(value) => self == value as Self,
                    Wide::Real(value) => self == value as Self,
                }
            }
            fn values() -> Vec<Self> {
                let (left, right) = operands(Self::BITS, |bits| bits as Self);
                left.into_iter().chain(right).step_by(7).collect()
            }
        }
    )*};
    (real $($type:ident: $values:expr;)*) => {$(
        impl Convertible for $type {
            fn wide(self) -> Wide {
                Wide::Real(self.into())
            }
            fn is_of(self, value: Wide) -> bool {
                let wanted = match value {
                    Wide::Whole(value) => value as Self,
                    Wide::Real(value) => value as Self,
                };
                self.to_bits() == wanted.to_bits() || self.is_nan() && wanted.is_nan()
            }
            fn values() -> Vec<Self> {
                $values
            }
        }
    )*};
    (half $($type:ident)*) => {$(
        impl Convertible for $type {
            fn wide(self) -> Wide {
                Wide::Real(self.to_f64())
            }
            fn is_of(self, value: Wide) -> bool {
                let (exact, known) = match value {
                    Wide::Whole(value) => (value as f64, value as f64 as i128 == value),
                    Wide::Real(value) => (value, true),
                };
                let off = Self::distance(self, exact);
                off < 0.5 || off == 0.5 && (self.to_bits() & 1 == 0 || !known)
            }
            fn values() -> Vec<Self> {
                Self::samples()
            }
        }
    )*};
}

convertible!(whole i8 i16 i32 i64 u8 u16 u32 u64);
convertible!(real f32: f32::samples().into_iter().step_by(3).chain(halfway().map(|x| x as f32)).collect(); f64: doubles().into_iter().chain(halfway()).collect(););
convertible!(half f16 bf16);

impl Convertible for bool {
    fn wide(self) -> Wide {
        Wide::Whole(self.into())
    }
    fn is_of(self, value: Wide) -> bool {
        match value {
            Wide::Whole(value) => self == (value != 0),
            Wide::Real(value) => self == (value != 0.0),
        }
    }
    fn values() -> Vec<Self> {
        vec![false, true, true, false, true]
    }
}

/// Returns midpoints between neighbours in the narrower types, and numbers close to them, where
/// rounding twice would be visible. Also returns the ends of integers' ranges.
fn halfway() -> impl Iterator<Item = f64> {
    let halves = (0..=u16::MAX).step_by(5).flat_map(|bits| {
        let between = |a: f64, b: f64| (a + b) / 2.0;
        let next = bits.wrapping_add(1);
        [
            between(f16::from_bits(bits).to_f64(), f16::from_bits(next).to_f64()),
            between(
                bf16::from_bits(bits).to_f64(),
                bf16::from_bits(next).to_f64(),
            ),
        ]
    });
    let ends = [7, 8, 15, 16, 31, 32, 63, 64].map(|power| 2f64.powi(power));
    let ends = ends
        .into_iter()
        .flat_map(|end| [end, -end, end - 0.5, 0.5 - end, -end - 1.0]);
    halves
        .chain(ends)
        .flat_map(|x| [x, x.next_up(), x.next_down()])
}

fn converts<T: Convertible, R: Convertible + CastFrom<T>>(values: &[T], array: &Array<T>) {
    let got = array.cast::<R>().eval().unwrap().to_vec().unwrap();
    for (&value, got) in values.iter().zip(got) {
        assert!(
            got.is_of(value.wide()),
            "{value:?} of {} as {}: {got:?}",
            name::<T>(),
            name::<R>()
        );
    }
}

macro_rules! conversions {
    ($($test:ident $from:ident;)*) => {$(
        #[test]
        fn $test() {
            let values = <$from as Convertible>::values();
            let array = Array::from_slice(&stream(), &values).unwrap();
            conversions!(@to $from values array: bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64);
            let complex = array.cast::<Complex<f32>>().eval().unwrap().to_vec().unwrap();
            let wide = array.cast::<Complex<f64>>().eval().unwrap().to_vec().unwrap();
            for ((value, narrow), wide) in values.iter().zip(complex).zip(wide) {
                let value = Convertible::wide(*value);
                assert!(narrow.re.is_of(value) && wide.re.is_of(value), "{value:?}: {narrow:?}, {wide:?}");
                assert_eq!((narrow.im, wide.im), (0.0, 0.0));
            }
        }
    )*};
    (@to $from:ident $values:ident $array:ident: $($to:ident)*) => {
        $(converts::<$from, $to>(&$values, &$array);)*
    };
}

conversions! {
    conversions_of_bool bool;
    conversions_of_i8 i8;
    conversions_of_i16 i16;
    conversions_of_i32 i32;
    conversions_of_i64 i64;
    conversions_of_u8 u8;
    conversions_of_u16 u16;
    conversions_of_u32 u32;
    conversions_of_u64 u64;
    conversions_of_f16 f16;
    conversions_of_bf16 bf16;
    conversions_of_f32 f32;
    conversions_of_f64 f64;
}

#[test]
fn conversions_between_complex_types_round_each_part() {
    let stream = stream();
    let parts = doubles();
    let wide: Vec<Complex<f64>> = parts
        .windows(2)
        .map(|two| Complex::new(two[0], two[1]))
        .collect();
    let array = Array::from_slice(&stream, &wide).unwrap();
    let narrow = array.cast::<Complex<f32>>().eval().unwrap();
    let back = narrow
        .cast::<Complex<f64>>()
        .eval()
        .unwrap()
        .to_vec()
        .unwrap();
    for ((wide, narrow), back) in wide.iter().zip(narrow.to_vec().unwrap()).zip(back) {
        let same = |got: f32, wanted: f64, back: f64| {
            got.is_of(Wide::Real(wanted)) && back.is_of(Wide::Real(got.into()))
        };
        assert!(
            same(narrow.re, wide.re, back.re) && same(narrow.im, wide.im, back.im),
            "{wide:?}: {narrow:?}"
        );
    }
}
