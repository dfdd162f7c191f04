//! What collectives carry, and how they combine it.

use std::fmt;

use cuda_safe::PlainData;
use half::{bf16, f16};

/// The type of numbers, as a communicator names it: `ncclDataType_t`.
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

/// How numbers of all ranks become one: `ncclRedOp_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reduction {
    /// The sum. Integers wrap around.
    Sum,
    /// The product. Integers wrap around.
    Product,
    /// The least. NaN is passed over where there is anything else.
    Min,
    /// The greatest. NaN is passed over where there is anything else.
    Max,
    /// The sum, divided by the number of ranks; of integers without the fraction, and with the sum wrapped around in
    /// their type: the mean of three times 100 as `u8` is 14.
    Mean,
}

impl Reduction {
    /// As in `sum`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Product => "product",
            Self::Min => "min",
            Self::Max => "max",
            Self::Mean => "mean",
        }
    }

    /// All of them, in NCCL's order.
    pub(crate) const ALL: [Self; 5] = [Self::Sum, Self::Product, Self::Max, Self::Min, Self::Mean];
}

/// The name, for messages.
impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Numbers that can be reduced. What is only carried, and not combined, may be any plain data.
pub trait Reducible: PlainData + sealed::Sealed {
    /// The type's name.
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
