//! Windows of the L2 cache over device memory.

use super::{DeviceMemory, PlainData, Storage};
use crate::stream::access_policy::AccessPolicyWindow;

impl AccessPolicyWindow {
    /// A window over device memory, all of whose lines count as hits. They are normal ones until
    /// [`hit`](Self::hit()) says otherwise.
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
