//! Host memory that the device can access: pinned, mapped and registered memory.

pub(crate) mod mapped;
pub(crate) mod pinned;
pub(crate) mod registered;
pub(crate) mod registration;
