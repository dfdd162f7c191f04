//! The identifier that connects the ranks of a communicator.

use std::{ffi::c_char, fmt};

use crate::{
    error::{Error, Result},
    library::Library,
    result::NcclResult,
    sys,
};

/// An identifier that connects the ranks of one communicator. One rank creates it and passes its
/// bytes to the others by any means.
///
/// An id serves one communicator only. It contains the address of a listening socket in the process
/// that created it, so that process must live until all ranks have joined. Anyone who knows the
/// bytes can join in a rank's place, so keep them secret. `Debug` does not print them.
///
/// ```
/// use cuda_nccl::UniqueId;
///
/// let id = UniqueId::from_bytes([7; UniqueId::SIZE]);
/// assert_eq!(id.to_bytes(), [7; 128]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[doc(alias = "ncclUniqueId")]
pub struct UniqueId(pub(super) sys::ncclUniqueId);

impl UniqueId {
    /// The number of bytes.
    pub const SIZE: usize = sys::NCCL_UNIQUE_ID_BYTES as usize;

    /// Creates an id. NCCL opens a port on the interface named by `NCCL_SOCKET_IFNAME`, or on one
    /// that it chooses.
    ///
    /// See
    /// [`ncclGetUniqueId`](https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/comms.html#ncclgetuniqueid).
    ///
    /// # Errors
    /// Returns [`Error::Missing`] or [`Error::Unsupported`] if [NCCL cannot be used](Library::get),
    /// and [`Error::Nccl`] if NCCL finds no network interface.
    #[doc(alias = "ncclGetUniqueId")]
    pub fn new() -> Result<Self> {
        let library = Library::get()?;
        let make = library.need("ncclGetUniqueId", library.functions().ncclGetUniqueId)?;
        let mut id = sys::ncclUniqueId::default();
        // SAFETY: `id` is valid for the write.
        match NcclResult(unsafe { make(&mut id) }.0) {
            NcclResult::SUCCESS => Ok(Self(id)),
            result => Err(Error::nccl(
                "ncclGetUniqueId",
                result,
                &super::current::last_error(library),
            )),
        }
    }

    /// Creates an id from the bytes of another rank's id.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::SIZE]) -> Self {
        Self(sys::ncclUniqueId {
            internal: bytes.map(|byte| byte as c_char),
        })
    }

    /// Returns the bytes, to be passed to other ranks.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::SIZE] {
        self.0.internal.map(|byte| byte as u8)
    }
}

impl fmt::Debug for UniqueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UniqueId(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip() {
        let bytes: [u8; 128] = std::array::from_fn(|n| (n * 2) as u8);
        let id = UniqueId::from_bytes(bytes);
        assert_eq!(id.to_bytes(), bytes);
        assert_eq!(UniqueId::from_bytes(id.to_bytes()), id);
        assert_eq!(format!("{id:?}"), "UniqueId(..)");
    }
}
