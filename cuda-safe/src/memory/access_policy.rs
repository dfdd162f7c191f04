//! L2 cache access policy windows over device memory.

use super::{DeviceMemory, PlainData, Storage};
use crate::stream::access_policy::AccessPolicyWindow;

impl AccessPolicyWindow {
    /// Returns a window over device memory in which all lines count as hits. They have normal
    /// persistence unless you change it with [`hit`](Self::hit()).
    #[must_use]
    pub fn over<S: Storage, T: PlainData>(memory: &DeviceMemory<S, T>) -> Self {
        Self {
            address: memory.as_device_ptr(),
            bytes: memory.size_bytes(),
            hit_ratio: 1.0,
            ..Self::default()
        }
    }
}
