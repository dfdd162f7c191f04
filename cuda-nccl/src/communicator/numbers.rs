//! NCCL's codes for types and reductions.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_numbers_match_the_header() {
        use DataType::*;
        let types = [I8, U8, I32, U32, I64, U64, F16, F32, F64, Bf16];
        assert_eq!(
            types.map(|data| data.raw().0),
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        );
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
