//! The element types of arrays.

mod classes;
mod structs;
mod words;

use std::{borrow::Cow, fmt::Debug};

use cuda_safe::bytemuck::Pod;
use half::{bf16, f16};
use num_complex::Complex;

pub use classes::{ComplexNumber, Float, Integer, Math, Number, Ordered, Signed};
pub(crate) use structs::definitions;
pub use structs::{ElementField, FieldType, StructField, StructType};
pub(crate) use words::Words;

/// The element type of an array, as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// `bool`: a byte, 0 or 1.
    Bool,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// An 8-bit float with 4 bits of exponent and 3 of fraction, without infinities:
    /// `float8::F8E4M3`, with the feature `float8`.
    F8E4M3,
    /// An 8-bit float with 5 bits of exponent and 2 of fraction: `float8::F8E5M2`, with the feature
    /// `float8`.
    F8E5M2,
    /// [`half::f16`]: IEEE half precision.
    F16,
    /// [`half::bf16`]: bfloat16.
    Bf16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// [`Complex<f32>`].
    Complex32,
    /// [`Complex<f64>`].
    Complex64,
    /// A struct that derives [`Element`](derive@crate::Element).
    Struct(&'static StructType),
}

impl DataType {
    /// Returns the size in bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 | Self::F8E4M3 | Self::F8E5M2 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 | Self::Complex32 => 8,
            Self::Complex64 => 16,
            Self::Struct(own) => own.size(),
        }
    }

    /// Returns the alignment in bytes. It equals the size, except for structs that a single load
    /// can't read.
    pub(crate) const fn alignment(self) -> usize {
        match self {
            Self::Struct(own) if !self.is_vector() => own.alignment(),
            other => other.size(),
        }
    }

    /// Returns whether one instruction can load an element, so that vectors of elements can be
    /// loaded too.
    const fn is_vector(self) -> bool {
        self.size().is_power_of_two() && self.size() <= 16
    }

    /// Returns the maximum number of elements in a vector of this many bytes.
    pub(crate) const fn lanes(self, bytes: usize) -> usize {
        match self.is_vector() {
            true => bytes / self.size(),
            false => 1,
        }
    }

    /// Returns the name in Rust.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F8E4M3 => "F8E4M3",
            Self::F8E5M2 => "F8E5M2",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Complex32 => "Complex<f32>",
            Self::Complex64 => "Complex<f64>",
            Self::Struct(own) => own.name(),
        }
    }

    /// Returns the type that kernels compute in. Narrow floats are floats that are rounded after each
    /// operation.
    pub(crate) fn computed(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Bool => "bool",
            Self::I8 => "signed char",
            Self::I16 => "short",
            Self::I32 => "int",
            Self::I64 => "long long",
            Self::U8 => "unsigned char",
            Self::U16 => "unsigned short",
            Self::U32 => "unsigned",
            Self::U64 => "unsigned long long",
            Self::F8E4M3 | Self::F8E5M2 | Self::F16 | Self::Bf16 | Self::F32 => "float",
            Self::F64 => "double",
            Self::Complex32 => "complex<float>",
            Self::Complex64 => "complex<double>",
            Self::Struct(own) => return Cow::Owned(own.kernel_name()),
        })
    }

    /// Returns the type that kernels load and store, which `kernels/array.cuh` defines.
    pub(crate) fn stored(self) -> Cow<'static, str> {
        match self {
            Self::Bool => "stored_bool".into(),
            Self::F8E4M3 => "stored_f8e4m3".into(),
            Self::F8E5M2 => "stored_f8e5m2".into(),
            Self::F16 => "stored_f16".into(),
            Self::Bf16 => "stored_bf16".into(),
            other => other.computed(),
        }
    }

    /// Returns the type of a struct's member, which may have any alignment within the struct. The
    /// name begins with `::`, because the struct may have a member with the type's name.
    fn member(self) -> Cow<'static, str> {
        match self {
            Self::Complex32 => "::stored_complex<float>".into(),
            Self::Complex64 => "::stored_complex<double>".into(),
            Self::F8E4M3 | Self::F8E5M2 | Self::F16 | Self::Bf16 | Self::Struct(_) => {
                format!("::{}", self.stored()).into()
            }
            other => other.stored(),
        }
    }

    /// Returns the name of the conversion to a float that is narrower than `f32`, or `None` for other
    /// types.
    pub(crate) const fn narrow(self) -> Option<&'static str> {
        match self {
            Self::F8E4M3 => Some("f8e4m3"),
            Self::F8E5M2 => Some("f8e5m2"),
            Self::F16 => Some("f16"),
            Self::Bf16 => Some("bf16"),
            _ => None,
        }
    }

    pub(crate) const fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16)
    }

    pub(crate) const fn class(self) -> Class {
        match self {
            Self::Bool => Class::Bool,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => Class::Signed,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Class::Unsigned,
            Self::F8E4M3 | Self::F8E5M2 => Class::Float,
            Self::F16 | Self::Bf16 | Self::F32 | Self::F64 => Class::Float,
            Self::Complex32 | Self::Complex64 => Class::Complex,
            Self::Struct(_) => Class::Struct,
        }
    }
}

/// The kind of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Bool,
    Signed,
    Unsigned,
    Float,
    Complex,
    Struct,
}

/// An element type of arrays: `bool`, integers of 8 to 64 bits, `f16`, `bf16`, `f32`, `f64`,
/// [`Complex`] of `f32` and `f64`, and structs of plain data.
///
/// With the feature `float8`, also the 8-bit floats `F8E4M3` and `F8E5M2` of the crate `float8`. They
/// are stored, copied, selected and [cast](crate::Expr::cast), but have no arithmetic: cast them to
/// `f32` or a half first.
///
/// `isize` and `usize` are integers of 64 bits. Kernels and other libraries see them as `i64` and
/// `u64`.
///
/// To implement it for a struct, use [`derive(Element)`](derive@crate::Element), which needs no
/// `unsafe`.
///
/// # Safety
/// Kernels read and write elements as [`DATA_TYPE`](Self::DATA_TYPE) and [`Stored`](Self::Stored)
/// describe them. The implementer must ensure that:
/// - both have the same size;
/// - the description of a struct is that of `Stored`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type of arrays",
    note = "for a struct of plain data, add `#[derive(Element)]`"
)]
pub unsafe trait Element:
    Copy + Debug + Default + PartialEq + Send + Sync + 'static
{
    /// The type as a value.
    const DATA_TYPE: DataType;
    /// The type in memory: the type itself, or a byte for `bool`.
    type Stored: Pod;

    /// Converts the value to its form in memory.
    fn to_stored(self) -> Self::Stored;

    /// Returns the values in their form in memory, if this needs no conversion.
    #[doc(hidden)]
    fn as_stored(values: &[Self]) -> Option<&[Self::Stored]>;

    /// Returns mutable values in their form in memory, if this needs no conversion.
    #[doc(hidden)]
    fn as_stored_mut(values: &mut [Self]) -> Option<&mut [Self::Stored]>;

    /// Converts a value from its form in memory.
    #[doc(hidden)]
    fn of_stored(stored: Self::Stored) -> Self;
}

// `isize` and `usize` are described as types of 64 bits.
const _: () = assert!(size_of::<usize>() == 8, "CUDA needs a 64-bit host");

macro_rules! elements {
    ($($type:ty => $data:ident),* $(,)?) => {$(
        // SAFETY: the description is the type's.
        unsafe impl Element for $type {
            const DATA_TYPE: DataType = DataType::$data;
            type Stored = $type;

            #[inline]
            fn to_stored(self) -> Self {
                self
            }

            fn as_stored(values: &[Self]) -> Option<&[Self]> {
                Some(values)
            }

            fn as_stored_mut(values: &mut [Self]) -> Option<&mut [Self]> {
                Some(values)
            }

            fn of_stored(stored: Self) -> Self {
                stored
            }
        }
    )*};
}

elements! {
    i8 => I8, i16 => I16, i32 => I32, i64 => I64,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64,
    isize => I64, usize => U64,
    f16 => F16, bf16 => Bf16, f32 => F32, f64 => F64,
    Complex<f32> => Complex32, Complex<f64> => Complex64,
}

#[cfg(feature = "float8")]
elements! {
    float8::F8E4M3 => F8E4M3, float8::F8E5M2 => F8E5M2,
}

// SAFETY: a bool is stored as a byte.
unsafe impl Element for bool {
    const DATA_TYPE: DataType = DataType::Bool;
    type Stored = u8;

    #[inline]
    fn to_stored(self) -> u8 {
        self.into()
    }

    fn as_stored(_: &[Self]) -> Option<&[u8]> {
        None
    }

    fn as_stored_mut(_: &mut [Self]) -> Option<&mut [u8]> {
        None
    }

    fn of_stored(stored: u8) -> Self {
        stored != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_matches_the_stored_type() {
        fn check<T: Element>() {
            assert_eq!(
                size_of::<T::Stored>(),
                T::DATA_TYPE.size(),
                "{:?}",
                T::DATA_TYPE
            );
        }
        check::<bool>();
        check::<i8>();
        check::<u16>();
        #[cfg(feature = "float8")]
        check::<float8::F8E4M3>();
        #[cfg(feature = "float8")]
        check::<float8::F8E5M2>();
        check::<f16>();
        check::<bf16>();
        check::<i32>();
        check::<f32>();
        check::<u64>();
        check::<usize>();
        check::<isize>();
        check::<f64>();
        check::<Complex<f32>>();
        check::<Complex<f64>>();
    }

    #[test]
    fn one_load_takes_elements_of_up_to_sixteen_bytes() {
        const fn floats<const N: usize>(fields: &'static [StructField]) -> StructType
        where
            [f32; N]: cuda_safe::PlainData,
        {
            // SAFETY: the description is of `N` floats, and becomes part of no kernel.
            unsafe { StructType::of::<[f32; N]>("Floats", fields) }
        }
        const F32: FieldType = FieldType::Element(DataType::F32);
        const fn at(data: FieldType) -> StructField {
            StructField {
                name: "at",
                offset: 0,
                data,
            }
        }
        static THREE: StructType = floats::<3>(&[at(FieldType::Array(&F32, 3))]);
        static FOUR: StructType = floats::<4>(&[at(FieldType::Array(&F32, 4))]);
        static EIGHT: StructType = floats::<8>(&[at(FieldType::Array(&F32, 8))]);
        let of = |data: DataType| {
            (
                data.size(),
                data.alignment(),
                data.lanes(16),
                data.lanes(32),
            )
        };
        assert_eq!(of(DataType::Bool), (1, 1, 16, 32));
        assert_eq!(of(DataType::Bf16), (2, 2, 8, 16));
        assert_eq!(of(DataType::F64), (8, 8, 2, 4));
        assert_eq!(of(DataType::Complex64), (16, 16, 1, 2));
        assert_eq!(of(DataType::Struct(&THREE)), (12, 4, 1, 1));
        assert_eq!(of(DataType::Struct(&FOUR)), (16, 16, 1, 2));
        assert_eq!(of(DataType::Struct(&EIGHT)), (32, 4, 1, 1));
    }
}
