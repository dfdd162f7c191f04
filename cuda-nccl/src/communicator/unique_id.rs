//! The name by which ranks find each other.

use std::{ffi::c_char, fmt};

use crate::{
    error::{Error, Result},
    library::Library,
    result::NcclResult,
    sys,
};

/// The name by which the ranks of one communicator find each other: one rank makes it, and gives its bytes to the others by
/// whatever way they have. It serves one communicator.
///
/// The bytes lead to a listening socket of the process that made it, which must live until all ranks have come. Who
/// knows them can join in a rank's place: they are a secret, and `Debug` doesn't print them.
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

    /// A new one. NCCL opens a port on the interface that `NCCL_SOCKET_IFNAME` names, or on one of its own choice.
    ///
    /// # Errors
    /// [`Error::Missing`] without NCCL; NCCL's where there is no network interface.
    #[doc(alias = "ncclGetUniqueId")]
    pub fn new() -> Result<Self> {
        let library = Library::get()?;
        let make = library.need("ncclGetUniqueId", library.functions().ncclGetUniqueId)?;
        let mut id = sys::ncclUniqueId::default();
        // SAFETY: valid for the write.
        match NcclResult(unsafe { make(&mut id) }.0) {
            NcclResult::SUCCESS => Ok(Self(id)),
            result => Err(Error::nccl(
                "ncclGetUniqueId",
                result,
                &super::current::said(library),
            )),
        }
    }

    /// From the bytes of one that another rank has made.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::SIZE]) -> Self {
        Self(sys::ncclUniqueId {
            internal: bytes.map(|byte| byte as c_char),
        })
    }

    /// The bytes, for other ranks.
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
    fn bytes_go_and_come_back() {
        let bytes: [u8; 128] = std::array::from_fn(|n| (n * 2) as u8);
        let id = UniqueId::from_bytes(bytes);
        assert_eq!(id.to_bytes(), bytes);
        assert_eq!(UniqueId::from_bytes(id.to_bytes()), id);
        assert_eq!(format!("{id:?}"), "UniqueId(..)");
    }
}
