//! The attributes of a stream. They are hints, which are stored and checked but do not affect the
//! work.

use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::device;

/// Least and greatest priority.
pub const PRIORITIES: (i32, i32) = (0, -5);

/// The synchronization policy of a stream for which none was set, as an H200 (driver 580) returns
/// it.
const UNSET: u32 = u32::MAX;

/// The attributes set by `cuStreamSetAttribute`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preferences {
    /// `CUaccessPolicyWindow`: pointer, size, hit ratio, properties of hits and misses.
    window: [u32; 7],
    /// `CUsynchronizationPolicy`
    policy: u32,
    pub priority: i32,
    /// `CUlaunchMemSyncDomainMap`
    domains: [u8; 2],
    /// `CUlaunchMemSyncDomain`
    domain: u32,
}

impl Preferences {
    /// Returns the attributes of a new stream.
    pub fn new(priority: i32) -> Preferences {
        Preferences {
            window: [0; 7],
            policy: UNSET,
            priority: clamp(priority),
            domains: [0, 1],
            domain: CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT,
        }
    }

    /// Returns the bytes of an attribute's value.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` for an attribute that streams do not have.
    pub fn get(&self, attribute: u32) -> Result<Vec<u8>> {
        Ok(match attribute {
            CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW => self
                .window
                .iter()
                .flat_map(|word| word.to_ne_bytes())
                .collect(),
            CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY => self.policy.to_ne_bytes().into(),
            CU_LAUNCH_ATTRIBUTE_PRIORITY => self.priority.to_ne_bytes().into(),
            CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP => self.domains.into(),
            CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN => self.domain.to_ne_bytes().into(),
            _ => return Err(Code::ERROR_INVALID_VALUE),
        })
    }

    /// Sets an attribute. `domains` is the number of the device's synchronization domains.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if streams do not have the attribute, or if the value is
    /// invalid.
    pub fn set(
        &mut self,
        attribute: u32,
        AttributeValue(words): AttributeValue,
        domains: u32,
    ) -> Result {
        let valid = match attribute {
            CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW => {
                let size = u64::from(words[2]) | u64::from(words[3]) << 32;
                let ratio = f32::from_bits(words[4]);
                // Misses cannot be persisting. Apart from that, an H200 (driver 580) only checks
                // the size and rejects a ratio below 0 or above 1. It accepts NaN.
                let valid = size <= device::MAX_WINDOW
                    && (ratio.is_nan() || (0.0..=1.0).contains(&ratio))
                    && words[6] != CU_ACCESS_PROPERTY_PERSISTING;
                if valid {
                    self.window.copy_from_slice(&words[..7]);
                }
                valid
            }
            CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY => {
                let valid =
                    (CU_SYNC_POLICY_AUTO..=CU_SYNC_POLICY_BLOCKING_SYNC).contains(&words[0]);
                if valid {
                    self.policy = words[0];
                }
                valid
            }
            CU_LAUNCH_ATTRIBUTE_PRIORITY => {
                self.priority = clamp(words[0] as i32);
                true
            }
            CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP => {
                let [default, remote, ..] = words[0].to_ne_bytes();
                let valid = u32::from(default.max(remote)) < domains.max(2);
                if valid {
                    self.domains = [default, remote];
                }
                valid
            }
            CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN => {
                let valid = words[0] <= CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
                if valid {
                    self.domain = words[0];
                }
                valid
            }
            _ => false,
        };
        if valid {
            Ok(())
        } else {
            Err(Code::ERROR_INVALID_VALUE)
        }
    }
}

/// Returns whether a window is valid for an access policy.
pub fn is_window(words: &[u32; 16]) -> bool {
    // Misses cannot be persisting.
    let ratio = f32::from_bits(words[4]);
    let size = u64::from(words[2]) | u64::from(words[3]) << 32;
    size <= device::MAX_WINDOW
        && (0.0..=1.0).contains(&ratio)
        && words[6] <= CU_ACCESS_PROPERTY_STREAMING
}

/// Returns the nearest valid priority.
pub fn clamp(priority: i32) -> i32 {
    priority.clamp(PRIORITIES.1, PRIORITIES.0)
}
