//! Host memory that the device can reach: pinned, mapped and registered.

pub(crate) mod mapped;
pub(crate) mod pinned;
pub(crate) mod registered;
pub(crate) mod registration;
