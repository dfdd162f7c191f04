//! Element types of collectives, and the reductions.

use std::fmt;

use cuda_safe::PlainData;
use half::{bf16, f16};

/// A number type of NCCL, `ncclDataType_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DataType {
    /// `i8`
    I8,
    /// `u8`
    U8,
    /// `i32`
    I32,
    /// `u32`
    U32,
    /// `i64`
    I64,
    /// `u64`
    U64,
    /// `half::f16`
    F16,
    /// `half::bf16`
    Bf16,
    /// `f32`
    F32,
    /// `f64`
    F64,
}

/// An operation that combines the numbers of all ranks into one, `ncclRedOp_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reduction {
    /// The sum. Integers wrap around.
    Sum,
    /// The product. Integers wrap around.
    Product,
    /// The minimum. NaN is ignored if any other value is present.
    Min,
    /// The maximum. NaN is ignored if any other value is present.
    Max,
    /// The sum, divided by the number of ranks.
    ///
    /// For integers, the sum wraps around in the element type, and the quotient is truncated. For
    /// example, the mean of three `u8` values of 100 is 14.
    Mean,
}

impl Reduction {
    /// The name in messages, such as `sum`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Product => "product",
            Self::Min => "min",
            Self::Max => "max",
            Self::Mean => "mean",
        }
    }

    /// All reductions, in NCCL's order.
    pub(crate) const ALL: [Self; 5] = [Self::Sum, Self::Product, Self::Max, Self::Min, Self::Mean];
}

/// Prints the name used in messages.
impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A number type that can be reduced. Calls that only transfer data accept any plain data.
pub trait Reducible: PlainData + sealed::Sealed {
    /// The NCCL type.
    const TYPE: DataType;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! reducible {
    ($($type:ty: $name:ident),+ $(,)?) => {$(
        impl sealed::Sealed for $type {}
        impl Reducible for $type {
            const TYPE: DataType = DataType::$name;
        }
    )+};
}

reducible!(i8: I8, u8: U8, i32: I32, u32: U32, i64: I64, u64: U64, f16: F16, bf16: Bf16, f32: F32, f64: F64);
