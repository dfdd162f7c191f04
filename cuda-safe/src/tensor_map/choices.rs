//! What a tensor map can be asked for.

pub use crate::raw::tensor_map::{
    Im2colWideMode, TensorDataType, TensorFill, TensorInterleave, TensorPromotion, TensorSwizzle,
};
impl TensorDataType {
    /// Bits of an element; `None` for a type that this crate doesn't know.
    pub(super) const fn bits(self) -> Option<u64> {
        match self {
            Self::U8 => Some(8),
            Self::U16 | Self::F16 | Self::BF16 => Some(16),
            Self::U64 | Self::I64 | Self::F64 => Some(64),
            Self::U4X16 | Self::U4X16_ALIGNED => Some(4),
            Self::U6X16_ALIGNED => Some(6),
            Self(..=12) => Some(32),
            _ => None,
        }
    }

    /// Several values in a byte.
    pub(super) const fn packed(self) -> bool {
        matches!(self.0, 13..=15)
    }

    /// Packed values that lie 16 bytes apart, of which the driver asks more.
    pub(super) const fn spread(self) -> bool {
        matches!(self, Self::U4X16_ALIGNED | Self::U6X16_ALIGNED)
    }

    pub(super) const fn floating(self) -> bool {
        matches!(self.0, 6..=12)
    }
}

impl TensorSwizzle {
    /// The most bytes that a row may have.
    pub(super) const fn span(self) -> Option<u64> {
        match self {
            Self::B32 => Some(32),
            Self::B64 => Some(64),
            Self(3..=6) => Some(128),
            _ => None,
        }
    }
}
