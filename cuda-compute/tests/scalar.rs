//! Compares the arithmetic of `kernels/scalar.cuh` with Rust's. The tests use a GPU if there is
//! one, otherwise the emulator.

#[path = "shared/checks.rs"]
mod checks;

use std::fmt::Write as _;

use cuda_safe::{
    Context, DeviceBuffer, LaunchConfig, Module, Program, Stream,
    bytemuck::{self, Pod, Zeroable},
};

const BLOCK: usize = 64;

/// Results of expressions in `a` and `b`, for every pair of `values`.
struct Table<T> {
    values: Vec<T>,
    module: Module,
    stream: Stream,
}

impl<T: Pod + PartialEq + std::fmt::Debug> Table<T> {
    /// Compiles `expressions`, each given by its type in CUDA C++ and its text.
    fn new(type_name: &str, values: &[T], expressions: &[(&str, String)]) -> Self {
        let mut text = "#include \"scalar.cuh\"\n".to_string();
        for (number, (result, expression)) in expressions.iter().enumerate() {
            write!(
                text,
                "extern \"C\" __global__ void k{number}(const {type_name} *left, const {type_name} *right, \
                 {result} *out) {{\n    \
                 int i = blockIdx.x * blockDim.x + threadIdx.x;\n    \
                 {type_name} a = left[i], b = right[i];\n    out[i] = {expression};\n}}\n"
            )
            .unwrap();
        }
        let context = Context::primary(0).expect("a device");
        let program =
            Program::new(text).header("scalar.cuh", include_str!("../src/kernels/scalar.cuh"));
        Self {
            values: values.to_vec(),
            module: Module::compile(&context, program).expect("text that compiles"),
            stream: Stream::new(&context).expect("a stream"),
        }
    }

    /// Compares the results of expression `number` with those of `wanted`, bit by bit. All NaNs are
    /// equal.
    fn check<R: Outcome>(&self, number: usize, wanted: impl Fn(T, T) -> R) {
        let mut pairs: Vec<(T, T)> = Vec::new();
        for &a in &self.values {
            pairs.extend(self.values.iter().map(|&b| (a, b)));
        }
        let blocks = pairs.len().div_ceil(BLOCK);
        let side = |take: fn(&(T, T)) -> T| {
            let mut side: Vec<T> = pairs.iter().map(take).collect();
            side.resize(blocks * BLOCK, T::zeroed());
            DeviceBuffer::from_slice(&self.stream, &side).unwrap()
        };
        let (left, right) = (side(|pair| pair.0), side(|pair| pair.1));
        let mut out = DeviceBuffer::<R>::zeroed(&self.stream, blocks * BLOCK).unwrap();
        let kernel = self.module.function(&format!("k{number}")).unwrap();
        let config = LaunchConfig::new(blocks as u32, BLOCK as u32);
        // SAFETY: Each thread accesses one element of each buffer. Each buffer has one element per
        // thread, and all work is on one stream.
        unsafe { kernel.launch(&self.stream, config, (&left, &right, &mut out)) }.unwrap();
        let got = out.to_vec(&self.stream).unwrap();
        for ((a, b), got) in pairs.into_iter().zip(got) {
            let wanted = wanted(a, b);
            assert!(
                got.is_nan() && wanted.is_nan()
                    || bytemuck::bytes_of(&got) == bytemuck::bytes_of(&wanted),
                "expression {number} of {a:?} and {b:?} is {got:?}, not {wanted:?}"
            );
        }
    }
}

/// The result type of an expression.
trait Outcome: Pod + std::fmt::Debug {
    fn is_nan(self) -> bool {
        false
    }
}

macro_rules! outcomes {
    ($($type:ident)*) => {$(impl Outcome for $type {})*};
}

outcomes! { i8 u8 i16 u16 i32 u32 i64 u64 Truth }

impl Outcome for f32 {
    fn is_nan(self) -> bool {
        self.is_nan()
    }
}

impl Outcome for f64 {
    fn is_nan(self) -> bool {
        self.is_nan()
    }
}

/// A bool in memory.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
struct Truth(u8);

/// Returns calls of `functions` of scalar.cuh for the type `type_name`.
fn calls<'a>(type_name: &'a str, functions: &[&str]) -> Vec<(&'a str, String)> {
    functions
        .iter()
        .map(|function| {
            (
                type_name,
                function.replace("<T>", &format!("<{type_name}>")),
            )
        })
        .collect()
}

const INTEGER: &[&str] = &[
    "rs_add<T>(a, b)",
    "rs_sub<T>(a, b)",
    "rs_mul<T>(a, b)",
    "rs_div<T>(a, b)",
    "rs_rem<T>(a, b)",
    "rs_neg<T>(a)",
    "rs_abs<T>(a)",
    "rs_shl<T>(a, b)",
    "rs_shr<T>(a, b)",
    "rs_min<T>(a, b)",
    "rs_max<T>(a, b)",
    "rs_rem_euclid<T>(a, b)",
    "rs_div_euclid<T>(a, b)",
    "rs_pow<T>(a, (unsigned)b & 15)",
    "rs_saturating_add<T>(a, b)",
    "rs_saturating_sub<T>(a, b)",
    "rs_abs_diff<T>(a, b)",
    "rs_count_ones<T>(a)",
    "rs_leading_zeros<T>(a)",
    "rs_trailing_zeros<T>(a)",
    "rs_rotate_left<T>(a, (unsigned)b)",
    "rs_rotate_right<T>(a, (unsigned)b)",
    "rs_signum<T>(a)",
    "rs_clamp<T>(b, rs_min<T>(a, 7), rs_max<T>(a, 7))",
    "rs_clamp<T>(a, 7, 3)",
    "rs_mod_floor<T>(a, b)",
    "rs_div_floor<T>(a, b)",
    "rs_unbounded_shl<T>(a, b)",
    "rs_unbounded_shr<T>(a, b)",
];

/// Returns the quotient rounded down, and its remainder. A zero divisor gives zeros.
fn floored(a: i128, b: i128) -> (i128, i128) {
    if b == 0 {
        return (0, 0);
    }
    let rest = a % b;
    let below = rest != 0 && (rest < 0) != (b < 0);
    (
        a / b - i128::from(below),
        if below { rest + b } else { rest },
    )
}

macro_rules! integers {
    ($($test:ident $type:ident $name:literal $absolute:expr, $negated:expr, $signum:expr;)*) => {$(
        #[test]
        fn $test() {
            type T = $type;
            let values: Vec<T> = [
                0i128, 1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 100, 127, 128, 255, 46341, -1, -2, -3, -7, -8, -100,
                T::MAX as i128, T::MAX as i128 - 1, T::MIN as i128, T::MIN as i128 + 1, T::MAX as i128 / 2 + 1,
                0x0123_4567_89ab_cdef,
            ].map(|value| value as T).to_vec();
            let table = Table::new($name, &values, &calls($name, INTEGER));
            let mut next = 0..INTEGER.len();
            let mut check = |wanted: &dyn Fn(T, T) -> T| table.check(next.next().unwrap(), wanted);
            check(&T::wrapping_add);
            check(&T::wrapping_sub);
            check(&T::wrapping_mul);
            check(&|a, b| if b == 0 { 0 } else { a.wrapping_div(b) });
            check(&|a, b| if b == 0 { 0 } else { a.wrapping_rem(b) });
            check(&$negated);
            check(&$absolute);
            check(&|a, b| a.wrapping_shl(b as u32));
            check(&|a, b| a.wrapping_shr(b as u32));
            check(&|a, b| a.min(b));
            check(&|a, b| a.max(b));
            check(&|a, b| if b == 0 { 0 } else { a.wrapping_rem_euclid(b) });
            check(&|a, b| if b == 0 { 0 } else { a.wrapping_div_euclid(b) });
            check(&|a, b| a.wrapping_pow(b as u32 & 15));
            check(&T::saturating_add);
            check(&T::saturating_sub);
            check(&|a, b| a.abs_diff(b) as T);
            check(&|a, _| a.count_ones() as T);
            check(&|a, _| a.leading_zeros() as T);
            check(&|a, _| a.trailing_zeros() as T);
            check(&|a, b| a.rotate_left(b as u32));
            check(&|a, b| a.rotate_right(b as u32));
            check(&$signum);
            check(&|a, b| b.clamp(a.min(7), a.max(7)));
            check(&|_, _| 3);
            check(&|a, b| floored(a as i128, b as i128).1 as T);
            check(&|a, b| floored(a as i128, b as i128).0 as T);
            // A negative count is treated as a large one.
            let count = |b: T| u32::try_from(b).unwrap_or(u32::MAX);
            check(&|a, b| a.unbounded_shl(count(b)));
            check(&|a, b| a.unbounded_shr(count(b)));
            assert!(next.next().is_none(), "every expression is checked");
        }
    )*};
}

integers! {
    bytes_with_sign i8 "signed char" |a, _| a.wrapping_abs(), |a, _| a.wrapping_neg(), |a, _| a.signum();
    shorts i16 "short" |a, _| a.wrapping_abs(), |a, _| a.wrapping_neg(), |a, _| a.signum();
    ints i32 "int" |a, _| a.wrapping_abs(), |a, _| a.wrapping_neg(), |a, _| a.signum();
    longs i64 "long long" |a, _| a.wrapping_abs(), |a, _| a.wrapping_neg(), |a, _| a.signum();
    bytes u8 "unsigned char" |a, _| a, |a, _| a.wrapping_neg(), |a, _| (a != 0) as T;
    unsigned_shorts u16 "unsigned short" |a, _| a, |a, _| a.wrapping_neg(), |a, _| (a != 0) as T;
    unsigned_ints u32 "unsigned" |a, _| a, |a, _| a.wrapping_neg(), |a, _| (a != 0) as T;
    unsigned_longs u64 "unsigned long long" |a, _| a, |a, _| a.wrapping_neg(), |a, _| (a != 0) as T;
}

const REAL: &[&str] = &[
    "rs_add<T>(a, b)",
    "rs_sub<T>(a, b)",
    "rs_mul<T>(a, b)",
    "rs_div<T>(a, b)",
    "rs_rem<T>(a, b)",
    "rs_neg<T>(a)",
    "rs_abs<T>(a)",
    "rs_signum<T>(a)",
    "rs_rem_euclid<T>(a, b)",
    "rs_div_euclid<T>(a, b)",
    "rs_maximum_or_nan<T>(a, b)",
    "rs_minimum_or_nan<T>(a, b)",
    "rs_clamp<T>(a, b, 2)",
    "rs_fract<T>(a)",
    "rs_to_degrees(a)",
    "rs_to_radians(a)",
    "rs_from_bits<T>(rs_to_bits(a))",
    "(rs_is_nan(a) ? 1 : 0) + (rs_is_infinite(a) ? 2 : 0) + (rs_is_finite(a) ? 4 : 0) + (rs_is_sign_negative(a) ? 8 : 0)",
];

macro_rules! reals {
    ($($test:ident $type:ident $name:literal;)*) => {$(
        #[test]
        fn $test() {
            type T = $type;
            let values: Vec<T> = [
                0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -7.25, 1e-40, 1e10, -1e30, 3e38, T::MIN_POSITIVE,
                T::MAX, T::MIN, T::EPSILON, T::INFINITY, T::NEG_INFINITY, 0.1, -123.456, 2147483648.0, T::NAN,
            ].to_vec();
            let table = Table::new($name, &values, &calls($name, REAL));
            let mut next = 0..REAL.len();
            let mut check = |wanted: &dyn Fn(T, T) -> T| table.check(next.next().unwrap(), wanted);
            check(&|a, b| a + b);
            check(&|a, b| a - b);
            check(&|a, b| a * b);
            check(&|a, b| a / b);
            check(&|a, b| a % b);
            check(&|a, _| -a);
            check(&|a, _| a.abs());
            check(&|a, _| a.signum());
            check(&|a, b| a.rem_euclid(b));
            check(&|a, b| a.div_euclid(b));
            let or_nan = |a: T, b: T, extreme: T| if a.is_nan() || b.is_nan() { T::NAN } else { extreme };
            // Of two zeros with different signs, the first is returned.
            check(&|a, b| or_nan(a, b, if a >= b { a } else { b }));
            check(&|a, b| or_nan(a, b, if a <= b { a } else { b }));
            check(&|a, b| or_nan(a, b, if a >= b { a } else { b }.min(2.0)));
            check(&|a, _| a.fract());
            check(&|a, _| a.to_degrees());
            check(&|a, _| a.to_radians());
            check(&|a, _| a);
            check(&|a, _| {
                let flags = [a.is_nan(), a.is_infinite(), a.is_finite(), a.is_sign_negative()];
                flags.iter().rev().fold(0.0, |sum, &flag| sum * 2.0 + T::from(flag as u8))
            });
            assert!(next.next().is_none(), "every expression is checked");
        }
    )*};
}

reals! {
    floats f32 "float";
    doubles f64 "double";
}

const TYPES: &[&str] = &[
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "bool",
];

macro_rules! casts {
    ($($test:ident $from:ident $name:literal $values:expr;)*) => {$(
        #[test]
        fn $test() {
            type From = $from;
            let values: Vec<From> = $values;
            let casts: Vec<_> = TYPES
                .iter()
                .map(|to| (*to, format!("rs_cast<{to}>(a)")))
                .collect();
            let table = Table::new($name, &values, &casts);
            table.check(0, |a, _| a as i8);
            table.check(1, |a, _| a as u8);
            table.check(2, |a, _| a as i16);
            table.check(3, |a, _| a as u16);
            table.check(4, |a, _| a as i32);
            table.check(5, |a, _| a as u32);
            table.check(6, |a, _| a as i64);
            table.check(7, |a, _| a as u64);
            table.check(8, |a, _| a as f32);
            table.check(9, |a, _| a as f64);
            table.check(10, |a, _| Truth(u8::from(a != 0 as From)));
        }
    )*};
}

/// Returns the limits of every integer type, truncated to this one.
macro_rules! edges {
    ($type:ident) => {{
        let mut edges: Vec<$type> = Vec::new();
        for width in 0..64 {
            for near in [-1i128, 0, 1] {
                let edge = (1i128 << width) + near;
                edges.extend([edge as $type, -edge as $type]);
            }
        }
        edges
    }};
}

/// Returns the same limits as real numbers, with their neighbors and halves. NaN has the same bits
/// in all conversions.
macro_rules! real_edges {
    ($type:ident) => {{
        let mut edges: Vec<$type> = vec![
            0.0,
            -0.0,
            0.1,
            -0.9,
            0.999,
            1e-40,
            1e30,
            -1e30,
            $type::MAX,
            $type::MIN,
            $type::INFINITY,
            $type::NEG_INFINITY,
            $type::NAN,
        ];
        for width in [0, 7, 8, 15, 16, 23, 31, 32, 52, 63, 64] {
            let edge = (1i128 << width) as $type;
            for edge in [
                edge,
                edge - 0.5,
                edge + 0.5,
                edge - 1.0,
                edge.next_down(),
                edge.next_up(),
            ] {
                edges.extend([edge, -edge]);
            }
        }
        edges
    }};
}

casts! {
    casts_of_i8 i8 "signed char" edges!(i8);
    casts_of_u8 u8 "unsigned char" edges!(u8);
    casts_of_i16 i16 "short" edges!(i16);
    casts_of_u16 u16 "unsigned short" edges!(u16);
    casts_of_i32 i32 "int" edges!(i32);
    casts_of_u32 u32 "unsigned" edges!(u32);
    casts_of_i64 i64 "long long" edges!(i64);
    casts_of_u64 u64 "unsigned long long" edges!(u64);
    casts_of_f32 f32 "float" real_edges!(f32);
    casts_of_f64 f64 "double" real_edges!(f64);
}

#[test]
fn casts_of_bools() {
    let casts: Vec<_> = TYPES
        .iter()
        .map(|to| (*to, format!("rs_cast<{to}>(a)")))
        .collect();
    let table = Table::new("bool", &[Truth(0), Truth(1)], &casts);
    table.check(0, |a, _| a.0 as i8);
    table.check(1, |a, _| a.0);
    table.check(2, |a, _| i16::from(a.0));
    table.check(3, |a, _| u16::from(a.0));
    table.check(4, |a, _| i32::from(a.0));
    table.check(5, |a, _| u32::from(a.0));
    table.check(6, |a, _| i64::from(a.0));
    table.check(7, |a, _| u64::from(a.0));
    table.check(8, |a, _| f32::from(a.0));
    table.check(9, |a, _| f64::from(a.0));
    table.check(10, |a, _| a);
}
