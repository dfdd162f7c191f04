//! DLPack's structures, with the memory layout and names of its header `dlpack.h` (version 1.1).

use std::{ffi::c_void, fmt};

use crate::element::DataType;

/// The version of these structures. A new major version changes the layout. A new minor version
/// only adds values.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 1 };

/// The flag of a read-only tensor.
pub const FLAG_READ_ONLY: u64 = 1 << 0;
/// The flag of a tensor that is a copy, which only its consumer uses.
pub const FLAG_IS_COPIED: u64 = 1 << 1;

/// The name of a `PyCapsule` around a [`DLManagedTensorVersioned`] before a consumer has taken it.
pub const CAPSULE_VERSIONED: &std::ffi::CStr = c"dltensor_versioned";
/// The new name of a [`CAPSULE_VERSIONED`] capsule after a consumer has taken its tensor.
pub const CAPSULE_VERSIONED_USED: &std::ffi::CStr = c"used_dltensor_versioned";
/// The name of a `PyCapsule` around a [`DLManagedTensor`] before a consumer has taken it.
pub const CAPSULE: &std::ffi::CStr = c"dltensor";
/// The new name of a [`CAPSULE`] capsule after a consumer has taken its tensor.
pub const CAPSULE_USED: &std::ffi::CStr = c"used_dltensor";

/// A version of DLPack.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLPackVersion {
    /// Changes when the layout changes.
    pub major: u32,
    /// Changes when values are added.
    pub minor: u32,
}

/// A kind of device. The constants list the kinds that arrays use. DLPack has others.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDeviceType(pub i32);

#[allow(missing_docs, reason = "names of devices")]
impl DLDeviceType {
    pub const CPU: Self = Self(1);
    pub const CUDA: Self = Self(2);
    /// Page-locked host memory.
    pub const CUDA_HOST: Self = Self(3);
    pub const ROCM: Self = Self(10);
    /// Managed memory, which any device and the host can access.
    pub const CUDA_MANAGED: Self = Self(13);
}

/// The location of a tensor's memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    /// The kind of device.
    pub device_type: DLDeviceType,
    /// The device's number among devices of this kind.
    pub device_id: i32,
}

/// The type of a tensor's elements.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    /// The kind of number: one of the constants, or another code.
    pub code: u8,
    /// The size of one number, in bits.
    pub bits: u8,
    /// The numbers per element, which is 1 except for vectors.
    pub lanes: u16,
}

#[allow(missing_docs, reason = "names of types")]
impl DLDataType {
    pub const INT: u8 = 0;
    pub const UINT: u8 = 1;
    pub const FLOAT: u8 = 2;
    /// bfloat16
    pub const BFLOAT: u8 = 4;
    /// The size is that of both parts together.
    pub const COMPLEX: u8 = 5;
    pub const BOOL: u8 = 6;
    /// 4 bits of exponent, 3 of fraction, and no infinities
    pub const FLOAT8_E4M3FN: u8 = 10;
    /// 5 bits of exponent, and 2 of fraction
    pub const FLOAT8_E5M2: u8 = 12;

    /// Returns the type of an array's elements. Structs are vectors of bytes.
    #[must_use]
    pub fn of(data: DataType) -> Self {
        let (bits, lanes) = match data {
            DataType::Struct(own) => (8, own.size() as u16),
            other => (8 * other.size() as u8, 1),
        };
        let code = match data {
            DataType::Bool => Self::BOOL,
            DataType::I8 | DataType::I16 | DataType::I32 | DataType::I64 => Self::INT,
            DataType::U8 | DataType::U16 | DataType::U32 | DataType::U64 => Self::UINT,
            DataType::Struct(_) => Self::UINT,
            DataType::F16 | DataType::F32 | DataType::F64 => Self::FLOAT,
            DataType::F8E4M3 => Self::FLOAT8_E4M3FN,
            DataType::F8E5M2 => Self::FLOAT8_E5M2,
            DataType::Bf16 => Self::BFLOAT,
            DataType::Complex32 | DataType::Complex64 => Self::COMPLEX,
        };
        Self { code, bits, lanes }
    }

    /// Returns the corresponding element type of arrays, or `None` if arrays have no such elements.
    #[must_use]
    pub fn data_type(self) -> Option<DataType> {
        ALL.into_iter().find(|&data| Self::of(data) == self)
    }
}

const ALL: [DataType; 17] = [
    DataType::Bool,
    DataType::I8,
    DataType::I16,
    DataType::I32,
    DataType::I64,
    DataType::U8,
    DataType::U16,
    DataType::U32,
    DataType::U64,
    DataType::F8E4M3,
    DataType::F8E5M2,
    DataType::F16,
    DataType::Bf16,
    DataType::F32,
    DataType::F64,
    DataType::Complex32,
    DataType::Complex64,
];

/// Formats a type as its kind and size in bits, such as `float32`.
impl fmt::Display for DLDataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Self::INT => f.write_str("int")?,
            Self::UINT => f.write_str("uint")?,
            Self::FLOAT => f.write_str("float")?,
            Self::BFLOAT => f.write_str("bfloat")?,
            Self::COMPLEX => f.write_str("complex")?,
            Self::BOOL => f.write_str("bool")?,
            code => write!(f, "a type of code {code} and bits ")?,
        }
        write!(f, "{}", self.bits)?;
        if self.lanes != 1 {
            write!(f, " in vectors of {}", self.lanes)?;
        }
        Ok(())
    }
}

/// The location, type and layout of a tensor's elements.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLTensor {
    /// A device address. It is null if there are no elements.
    pub data: *mut c_void,
    /// The location of the memory.
    pub device: DLDevice,
    /// The number of axes.
    pub ndim: i32,
    /// The type of the elements.
    pub dtype: DLDataType,
    /// The lengths of the axes.
    pub shape: *mut i64,
    /// The distance between neighbours along each axis, in elements. Null, from older libraries,
    /// means C order.
    pub strides: *mut i64,
    /// The distance of the first element from `data`, in bytes.
    pub byte_offset: u64,
}

/// A tensor with its owner, in the structure of versions before 1.0. Consumers that don't request a
/// version still expect it.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The elements.
    pub dl_tensor: DLTensor,
    /// Data for the deleter.
    pub manager_ctx: *mut c_void,
    /// Frees the tensor and this structure. The consumer calls it once, on any thread, when it no
    /// longer needs the tensor.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// A tensor with its owner.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// The version of the layout.
    pub version: DLPackVersion,
    /// Data for the deleter.
    pub manager_ctx: *mut c_void,
    /// Frees the tensor and this structure. The consumer calls it once, on any thread, when it no
    /// longer needs the tensor.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// [`FLAG_READ_ONLY`] and other flags.
    pub flags: u64,
    /// The elements.
    pub dl_tensor: DLTensor,
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn structures_have_the_layout_of_the_header() {
        assert_eq!((size_of::<DLPackVersion>(), size_of::<DLDevice>()), (8, 8));
        assert_eq!(offset_of!(DLDevice, device_id), 4);
        assert_eq!((size_of::<DLDataType>(), align_of::<DLDataType>()), (4, 2));
        assert_eq!(
            [
                offset_of!(DLDataType, code),
                offset_of!(DLDataType, bits),
                offset_of!(DLDataType, lanes)
            ],
            [0, 1, 2]
        );
        assert_eq!(
            [
                offset_of!(DLTensor, data),
                offset_of!(DLTensor, device),
                offset_of!(DLTensor, ndim),
                offset_of!(DLTensor, dtype),
                offset_of!(DLTensor, shape),
                offset_of!(DLTensor, strides),
                offset_of!(DLTensor, byte_offset),
                size_of::<DLTensor>(),
            ],
            [0, 8, 16, 20, 24, 32, 40, 48]
        );
        assert_eq!(
            [
                offset_of!(DLManagedTensor, dl_tensor),
                offset_of!(DLManagedTensor, manager_ctx),
                offset_of!(DLManagedTensor, deleter),
                size_of::<DLManagedTensor>(),
            ],
            [0, 48, 56, 64]
        );
        assert_eq!(
            [
                offset_of!(DLManagedTensorVersioned, version),
                offset_of!(DLManagedTensorVersioned, manager_ctx),
                offset_of!(DLManagedTensorVersioned, deleter),
                offset_of!(DLManagedTensorVersioned, flags),
                offset_of!(DLManagedTensorVersioned, dl_tensor),
                size_of::<DLManagedTensorVersioned>(),
            ],
            [0, 8, 16, 24, 32, 80]
        );
    }

    #[test]
    fn type_codes_match_the_header() {
        let of = |data| {
            let DLDataType { code, bits, lanes } = DLDataType::of(data);
            (code, bits, lanes)
        };
        let wanted = [
            (DataType::Bool, (6, 8, 1)),
            (DataType::I8, (0, 8, 1)),
            (DataType::I16, (0, 16, 1)),
            (DataType::I32, (0, 32, 1)),
            (DataType::I64, (0, 64, 1)),
            (DataType::U8, (1, 8, 1)),
            (DataType::U16, (1, 16, 1)),
            (DataType::U32, (1, 32, 1)),
            (DataType::U64, (1, 64, 1)),
            (DataType::F8E4M3, (10, 8, 1)),
            (DataType::F8E5M2, (12, 8, 1)),
            (DataType::F16, (2, 16, 1)),
            (DataType::Bf16, (4, 16, 1)),
            (DataType::F32, (2, 32, 1)),
            (DataType::F64, (2, 64, 1)),
            (DataType::Complex32, (5, 64, 1)),
            (DataType::Complex64, (5, 128, 1)),
        ];
        assert_eq!(wanted.map(|(data, _)| data), ALL);
        for (data, codes) in wanted {
            assert_eq!(of(data), codes, "{data:?}");
            assert_eq!(DLDataType::of(data).data_type(), Some(data));
        }
        let odd = [(2, 8, 1), (2, 32, 4), (5, 32, 1), (6, 1, 1), (3, 64, 1)];
        for (code, bits, lanes) in odd {
            let odd = DLDataType { code, bits, lanes };
            assert_eq!(odd.data_type(), None, "{odd}");
        }
    }

    #[test]
    fn types_have_names() {
        let name = |code, bits, lanes| DLDataType { code, bits, lanes }.to_string();
        assert_eq!(name(0, 16, 1), "int16");
        assert_eq!(name(1, 8, 12), "uint8 in vectors of 12");
        assert_eq!([name(2, 32, 1), name(4, 16, 1)], ["float32", "bfloat16"]);
        assert_eq!([name(5, 64, 1), name(6, 8, 1)], ["complex64", "bool8"]);
        assert_eq!(name(9, 8, 1), "a type of code 9 and bits 8");
    }
}
