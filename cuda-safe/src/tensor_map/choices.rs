//! Options of tensor maps.

pub use crate::raw::tensor_map::{
    Im2colWideMode, TensorDataType, TensorFill, TensorInterleave, TensorPromotion, TensorSwizzle,
};
impl TensorDataType {
    /// Returns the bits of an element, or `None` for an unknown type.
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

    /// Returns whether a byte holds several values.
    pub(super) const fn packed(self) -> bool {
        matches!(self.0, 13..=15)
    }

    /// Returns whether packed values are 16 bytes apart, which has stricter requirements.
    pub(super) const fn spread(self) -> bool {
        matches!(self, Self::U4X16_ALIGNED | Self::U6X16_ALIGNED)
    }

    pub(super) const fn floating(self) -> bool {
        matches!(self.0, 6..=12)
    }
}

impl TensorSwizzle {
    /// Returns the maximum bytes of a row.
    pub(super) const fn span(self) -> Option<u64> {
        match self {
            Self::B32 => Some(32),
            Self::B64 => Some(64),
            Self(3..=6) => Some(128),
            _ => None,
        }
    }
}
