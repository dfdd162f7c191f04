//! Integers: all operators and methods of all types, compared bit by bit.

use cuda_compute::device_fn;

use crate::suite::Suite;

macro_rules! operators {
    ($($test:ident $type:ident)*) => {$(
        #[test]
        fn $test() {
            Suite::new()
                .against(device_fn!(|a: $type, b: $type| a + b), |(a, b)| a.wrapping_add(b))
                .against(device_fn!(|a: $type, b: $type| a - b), |(a, b)| a.wrapping_sub(b))
                .against(device_fn!(|a: $type, b: $type| a * b), |(a, b)| a.wrapping_mul(b))
                .against(device_fn!(|a: $type, b: $type| a / b), |(a, b)| if b == 0 { 0 } else { a.wrapping_div(b) })
                .against(device_fn!(|a: $type, b: $type| a % b), |(a, b)| if b == 0 { 0 } else { a.wrapping_rem(b) })
                .against(device_fn!(|a: $type, n: u32| a << n), |(a, n)| a.wrapping_shl(n))
                .against(device_fn!(|a: $type, n: u32| a >> n), |(a, n)| a.wrapping_shr(n))
                .against(device_fn!(|a: $type, n: i8| a << n), |(a, n)| a.wrapping_shl(n as u32))
                .against(device_fn!(|a: $type, n: u64| a >> n), |(a, n)| a.wrapping_shr(n as u32))
                .against(
                    device_fn!(|a: $type, b: $type| { let mut x = a; x += b; x *= 3; x -= a; x /= 7; x %= 5; x }),
                    |(a, b)| a.wrapping_add(b).wrapping_mul(3).wrapping_sub(a) / 7 % 5,
                )
                // The result wraps after each operation: the sum of two values may overflow.
                .against(device_fn!(|a: $type, b: $type| (a + b) / 2 > b), |(a, b)| a.wrapping_add(b) / 2 > b)
                .against(device_fn!(|a: $type, b: $type| (a * b) >> 1), |(a, b)| a.wrapping_mul(b) >> 1)
                .against(device_fn!(|a: $type, n: u32| a.pow(n % 9)), |(a, n)| a.wrapping_pow(n % 9))
                .same(device_fn!(|a: $type, b: $type| a & b | a ^ !b))
                .same(device_fn!(|a: $type, b: $type| { let mut x = a; x &= b; x |= 5; x ^= a; x }))
                .same(device_fn!(|a: $type, b: $type| { let mut x = a; x <<= 3; x >>= b & 7; x }))
                .same(device_fn!(|a: $type, b: $type| !a > b))
                .same(device_fn!(|a: $type, b: $type| a < b && a != 7 || a == b))
                .same(device_fn!(|a: $type, b: $type| (a <= b) ^ (a >= 3)))
                .same(device_fn!(|a: $type, b: $type| a.max(b).min(100)))
                .same(device_fn!(|a: $type, b: $type| $type::min(a, 7).clamp(1, b)))
                .same(device_fn!(|a: $type, b: $type| a.wrapping_add(b).wrapping_mul(a).wrapping_sub(b)))
                .same(device_fn!(|a: $type, b: $type| a.saturating_add(b)))
                .same(device_fn!(|a: $type, b: $type| a.saturating_sub(b)))
                .same(device_fn!(|a: $type, b: $type| a.abs_diff(b)))
                .same(device_fn!(|a: $type, b: $type| a.rem_euclid(b)))
                .same(device_fn!(|a: $type, b: $type| a.div_euclid(b)))
                .same(device_fn!(|a: $type| a.count_ones() + 100 * a.leading_zeros()))
                .same(device_fn!(|a: $type| a.trailing_zeros()))
                .same(device_fn!(|a: $type, n: u32| a.rotate_left(n) ^ a.rotate_right(n / 3)))
                .same(device_fn!(|a: $type, n: u32| a.wrapping_shl(n) ^ a.wrapping_shr(n)))
                .same(device_fn!(|a: $type, n: u32| a.unbounded_shl(n) ^ a.unbounded_shr(n)))
                .against(device_fn!(|a: $type| a.clamp(7, 3)), |_| 3)
                .same(device_fn!(|a: $type| a.wrapping_neg().wrapping_pow(3)))
                .same(device_fn!(|a: $type| if a == $type::MAX { $type::MIN } else { a + 1 }))
                .same(device_fn!(|a: $type| $type::BITS - a.leading_zeros()))
                .run();
        }
    )*};
}

operators! {
    bytes_with_sign i8
    shorts i16
    ints i32
    longs i64
    bytes u8
    unsigned_shorts u16
    unsigned_ints u32
    unsigned_longs u64
}

macro_rules! signed {
    ($($type:ident)*) => {
        #[test]
        fn signed_integers() {
            let mut suite = Suite::new();
            $(
                suite
                    .against(device_fn!(|a: $type| -a), |(a,)| a.wrapping_neg())
                    .against(device_fn!(|a: $type| a.abs()), |(a,)| a.wrapping_abs())
                    .same(device_fn!(|a: $type| a.wrapping_abs()))
                    .same(device_fn!(|a: $type| a.signum() * -1))
                    .same(device_fn!(|a: $type| a.rem_euclid(-7)));
            )*
            suite.run();
        }
    };
}

signed! { i8 i16 i32 i64 }

macro_rules! unsigned {
    ($($type:ident)*) => {
        #[test]
        fn unsigned_integers() {
            let mut suite = Suite::new();
            $(
                suite
                    .same(device_fn!(|a: $type, b: $type| a.is_multiple_of(b)))
                    .same(device_fn!(|a: $type, b: $type| a.div_ceil(b)));
            )*
            suite.run();
        }
    };
}

unsigned! { u8 u16 u32 u64 }

#[test]
fn limits_of_the_types() {
    Suite::new()
        .same(device_fn!(|a: i8| a == -128 || a == 0x7f))
        .same(device_fn!(|a: i32| a ^ -2147483648))
        .same(device_fn!(|a: i64| a & -9_223_372_036_854_775_808))
        .same(device_fn!(|a: u64| a ^ 0xffff_ffff_ffff_ffff))
        .same(device_fn!(
            |a: u32| a | 0b1000_0000_0000_0000_0000_0000_0000_0001
        ))
        .same(device_fn!(|a: u16| a & 0o177_777))
        .same(device_fn!(|a: u8| a ^ 255u8))
        .same(device_fn!(|a: bool, b: bool| a & b))
        .same(device_fn!(|a: bool, b: bool| a | !b))
        .same(device_fn!(|a: bool, b: bool| (a ^ b) == (a != b)))
        .same(device_fn!(|a: bool, b: bool| {
            let mut c = a;
            c &= b;
            c |= !a;
            c ^= true;
            c
        }))
        .same(device_fn!(|a: bool, b: bool, c: bool| a && b || c && !a))
        .run();
}

macro_rules! casts {
    ($($test:ident $from:ident)*) => {$(
        #[test]
        fn $test() {
            Suite::new()
                .same(device_fn!(|a: $from| a as i8))
                .same(device_fn!(|a: $from| a as i16))
                .same(device_fn!(|a: $from| a as i32))
                .same(device_fn!(|a: $from| a as i64))
                .same(device_fn!(|a: $from| a as u8))
                .same(device_fn!(|a: $from| a as u16))
                .same(device_fn!(|a: $from| a as u32))
                .same(device_fn!(|a: $from| a as u64))
                .same(device_fn!(|a: $from| a as f32))
                .same(device_fn!(|a: $from| a as f64 as f32 as f64))
                .same(device_fn!(|a: $from| (a as u8 as i8 as i64 as u32) as f32))
                .run();
        }
    )*};
}

casts! {
    casts_of_i8 i8
    casts_of_i16 i16
    casts_of_i32 i32
    casts_of_i64 i64
    casts_of_u8 u8
    casts_of_u16 u16
    casts_of_u32 u32
    casts_of_u64 u64
    casts_of_f32 f32
    casts_of_f64 f64
}

#[test]
fn lossless_conversions() {
    Suite::new()
        .same(device_fn!(|a: bool| a as i8 + i8::from(a)))
        .same(device_fn!(|a: bool| a as u64 as f32))
        .same(device_fn!(|a: u8| f32::from(a) + f32::from(a as i16)))
        .same(device_fn!(|a: f32| f64::from(a) * 0.1))
        .same(device_fn!(|a: i32| 3_000_000_000 as u32 / 4
            + a as u32 % 2
            + -1 as i32 as u32 / 2))
        .same(device_fn!(|a: i32| 1e10 as i32 / 3 + a / 4))
        .run();
}
