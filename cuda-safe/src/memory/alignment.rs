//! Alignment checks for element types.

use std::any::type_name;

use cuda_sys::CUdeviceptr;

use crate::error::{Error, Result};

/// The alignment that CUDA guarantees for allocations, in bytes.
///
/// Measured on an H200 (driver 580): allocations of 100 bytes begin 512 bytes apart, including
/// page-locked and managed ones.
const GUARANTEED: usize = 256;

/// Returns an error if `address` is not aligned for `T`. Empty memory has the address 0, which is
/// aligned for every type.
#[inline]
pub(crate) fn expect_aligned<T>(address: CUdeviceptr, call: &'static str) -> Result<()> {
    if address.is_multiple_of(align_of::<T>() as CUdeviceptr) {
        return Ok(());
    }
    Err(misaligned(address, type_name::<T>(), align_of::<T>(), call))
}

/// Returns an error if future allocations may be misaligned for elements of type `T`.
pub(crate) fn expect_guaranteed<T>(call: &'static str) -> Result<()> {
    let (name, alignment) = (type_name::<T>(), align_of::<T>());
    if alignment <= GUARANTEED {
        return Ok(());
    }
    Err(Error::invalid(
        call,
        format!(
            "elements of type {name} have an alignment of {alignment} bytes, but CUDA guarantees only {GUARANTEED}. \
             Fix: use a type with a smaller alignment"
        ),
    ))
}

#[cold]
fn misaligned(address: CUdeviceptr, name: &str, alignment: usize, call: &'static str) -> Error {
    Error::invalid(
        call,
        format!(
            "the memory begins at {address:#x}, but elements of type {name} must begin at a multiple of {alignment} \
             bytes. Fix: use a type with an alignment of at most {GUARANTEED} bytes, which CUDA guarantees"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_between_multiples_of_the_alignment_are_rejected() {
        #[repr(align(4096))]
        struct Page;
        assert!(expect_aligned::<Page>(0, "call").is_ok());
        assert!(expect_aligned::<Page>(0x7000, "call").is_ok());
        assert!(expect_aligned::<u8>(0x7001, "call").is_ok());
        let error = expect_aligned::<Page>(0x7200, "call").unwrap_err();
        let text = error.to_string();
        assert!(text.contains("at 0x7200"), "{text}");
        assert!(text.contains("Page") && text.contains("4096"), "{text}");
        assert!(expect_aligned::<u64>(4, "call").is_err());
    }

    #[test]
    fn alignments_above_the_guaranteed_one_are_rejected() {
        #[repr(align(256))]
        struct Most;
        #[repr(align(512))]
        struct More;
        assert!(expect_guaranteed::<Most>("call").is_ok());
        let error = expect_guaranteed::<More>("call").unwrap_err();
        assert!(error.to_string().contains("512 bytes"), "{error}");
    }
}
