//! NCCL's codes for types and reductions.

use std::any::TypeId;

use cuda_safe::PlainData;

use crate::{
    element::{DataType, Reduction},
    sys::{ncclDataType_t as Raw, ncclRedOp_t},
};

impl DataType {
    #[inline]
    pub(super) fn raw(self) -> Raw {
        match self {
            Self::I8 => Raw::ncclInt8,
            Self::U8 => Raw::ncclUint8,
            Self::I32 => Raw::ncclInt32,
            Self::U32 => Raw::ncclUint32,
            Self::I64 => Raw::ncclInt64,
            Self::U64 => Raw::ncclUint64,
            Self::F16 => Raw::ncclFloat16,
            Self::Bf16 => Raw::ncclBfloat16,
            Self::F32 => Raw::ncclFloat32,
            Self::F64 => Raw::ncclFloat64,
        }
    }
}

impl Reduction {
    #[inline]
    pub(super) fn raw(self) -> ncclRedOp_t {
        match self {
            Self::Sum => ncclRedOp_t::ncclSum,
            Self::Product => ncclRedOp_t::ncclProd,
            Self::Min => ncclRedOp_t::ncclMin,
            Self::Max => ncclRedOp_t::ncclMax,
            Self::Mean => ncclRedOp_t::ncclAvg,
        }
    }
}

/// Returns the NCCL type for transferring elements without combining them, and the number of its
/// values in an element. Uses whole words if the alignment allows it, otherwise bytes.
#[inline]
pub(super) fn carrier<T: PlainData>() -> (Raw, usize) {
    let size = size_of::<T>();
    match align_of::<T>() {
        8.. => (Raw::ncclUint64, size / 8),
        4.. => (Raw::ncclUint32, size / 4),
        _ => (Raw::ncclUint8, size),
    }
}

/// Returns the size of a transfer type in bytes.
pub(super) fn size(carrier: Raw) -> usize {
    match carrier {
        Raw::ncclUint64 | Raw::ncclInt64 | Raw::ncclFloat64 => 8,
        Raw::ncclUint32 | Raw::ncclInt32 | Raw::ncclFloat32 => 4,
        Raw::ncclFloat16 | Raw::ncclBfloat16 => 2,
        _ => 1,
    }
}

/// Returns a number for the element type, which ranks compare. It is the same in all processes of
/// one program, and for number types in all programs.
pub(super) fn type_number<T: PlainData>() -> u64 {
    let known: [(TypeId, DataType); 10] = [
        (TypeId::of::<i8>(), DataType::I8),
        (TypeId::of::<u8>(), DataType::U8),
        (TypeId::of::<i32>(), DataType::I32),
        (TypeId::of::<u32>(), DataType::U32),
        (TypeId::of::<i64>(), DataType::I64),
        (TypeId::of::<u64>(), DataType::U64),
        (TypeId::of::<half::f16>(), DataType::F16),
        (TypeId::of::<half::bf16>(), DataType::Bf16),
        (TypeId::of::<f32>(), DataType::F32),
        (TypeId::of::<f64>(), DataType::F64),
    ];
    let found = known.iter().find(|(id, _)| *id == TypeId::of::<T>());
    match found {
        Some((_, name)) => u64::from(name.raw().0),
        None => 0x100 + size_of::<T>() as u64,
    }
}

/// Returns the name of a type from its [`type_number`].
pub(super) fn type_name(number: u64) -> String {
    let names = [
        "i8", "u8", "i32", "u32", "i64", "u64", "f16", "f32", "f64", "bf16",
    ];
    match usize::try_from(number)
        .ok()
        .and_then(|number| names.get(number))
    {
        Some(name) => (*name).into(),
        None => format!("elements of {} bytes", number.saturating_sub(0x100)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reducible;

    fn names<T: Reducible>() -> String {
        assert_eq!(type_number::<T>(), u64::from(T::TYPE.raw().0));
        assert_eq!(size(T::TYPE.raw()), size_of::<T>());
        type_name(type_number::<T>())
    }

    #[test]
    fn type_numbers_match_the_header() {
        assert_eq!(names::<i8>(), "i8");
        assert_eq!(names::<u8>(), "u8");
        assert_eq!(names::<i32>(), "i32");
        assert_eq!(names::<u32>(), "u32");
        assert_eq!(names::<i64>(), "i64");
        assert_eq!(names::<u64>(), "u64");
        assert_eq!(names::<half::f16>(), "f16");
        assert_eq!(names::<half::bf16>(), "bf16");
        assert_eq!(names::<f32>(), "f32");
        assert_eq!(names::<f64>(), "f64");
        assert_eq!(type_name(type_number::<[u8; 3]>()), "elements of 3 bytes");
    }

    #[test]
    fn aligned_elements_are_transferred_in_words() {
        assert_eq!(carrier::<[u8; 3]>(), (Raw::ncclUint8, 3));
        assert_eq!(carrier::<f32>(), (Raw::ncclUint32, 1));
        assert_eq!(carrier::<[f32; 4]>(), (Raw::ncclUint32, 4));
        assert_eq!(carrier::<[f64; 4]>(), (Raw::ncclUint64, 4));
        assert_eq!(carrier::<[u16; 4]>(), (Raw::ncclUint8, 8)); // may be at any even address
        assert_eq!(carrier::<[f32; 3]>(), (Raw::ncclUint32, 3));
        assert_eq!(carrier::<()>().1, 0);
    }
}
