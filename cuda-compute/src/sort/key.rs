//! The element types that can be sorted, and the values that move along with them.

use half::{bf16, f16};

use crate::element::{Class, DataType, Element, Ordered};

/// Elements that can be sorted: `bool`, and all numbers that are not complex.
///
/// Numbers have their usual order, and `false` comes before `true`. −0 and 0 are equal. NaN comes
/// after all numbers in both directions. All NaNs are equal to each other.
///
/// This trait is sealed, because the kernels support only these types.
pub trait SortKey: Element + sealed::SortKey {}

mod sealed {
    pub trait SortKey {}
}

impl<T: Ordered> sealed::SortKey for T {}
impl<T: Ordered> SortKey for T {}
impl sealed::SortKey for bool {}
impl SortKey for bool {}

/// The keys of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Keys {
    pub(super) data: DataType,
    pub(super) descending: bool,
}

impl Keys {
    pub(crate) const fn of<K: SortKey>(descending: bool) -> Self {
        Self {
            data: K::DATA_TYPE,
            descending,
        }
    }

    /// Returns the number of digits, which have 8 bits each.
    pub(super) const fn passes(self) -> u64 {
        self.data.size() as u64
    }

    /// Returns the bits of a float's fraction, or 0 for other types.
    pub(super) const fn fraction(self) -> u32 {
        match self.data {
            DataType::F16 => f16::MANTISSA_DIGITS - 1,
            DataType::Bf16 => bf16::MANTISSA_DIGITS - 1,
            DataType::F32 => f32::MANTISSA_DIGITS - 1,
            DataType::F64 => f64::MANTISSA_DIGITS - 1,
            _ => 0,
        }
    }

    pub(super) fn is_signed(self) -> bool {
        self.data.class() == Class::Signed
    }
}

/// The values that a sort moves along with its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Items {
    None,
    /// The places of the keys in their lines. The result has them as `usize`.
    Places,
    /// Values of 1, 2, 4 or 8 bytes.
    Values(DataType),
}

impl Items {
    /// Returns whether the kernels can move values of this type.
    pub(super) const fn can_be(data: DataType) -> bool {
        matches!(data.size(), 1 | 2 | 4 | 8)
    }

    /// Returns the bytes of an item during a sort of lines of this length.
    pub(super) const fn bytes(self, length: u64) -> usize {
        match self {
            Self::None => 0,
            Self::Places if length <= 1 << 32 => 4,
            Self::Places => 8,
            Self::Values(data) => data.size(),
        }
    }

    /// Returns the type of the result's items, if there are any.
    pub(super) const fn result(self) -> Option<DataType> {
        match self {
            Self::None => None,
            Self::Places => Some(DataType::U64),
            Self::Values(data) => Some(data),
        }
    }
}
