//! Windows of memory that persist in the L2 cache.

use std::hash::{Hash, Hasher};

use cuda_sys::{CUaccessPolicyWindow, CUaccessProperty, CUdeviceptr};

use crate::error::{Error, Result};
pub use crate::raw::stream::AccessProperty;

/// A range of addresses, and how the L2 cache treats accesses of kernels to it
/// (`CUaccessPolicyWindow`).
///
/// It is a hint for the kernels of a stream ([`Stream::set_access_policy`]). The fraction
/// [`hit_ratio`](Self::hit_ratio) of the cache lines is treated as [`hit`](Self::hit), and the
/// others as [`miss`](Self::miss). Choose the ratio so that the persisting lines fit into the
/// memory that the context sets aside ([`Limit::PERSISTING_L2_CACHE_SIZE`]). Otherwise the window
/// evicts its own lines.
///
/// A window holds only addresses. It is harmless after the memory has been freed.
///
/// ```
/// use cuda_safe::{
///     stream::{AccessPolicyWindow, AccessProperty}, Context, DeviceAttribute, DeviceBuffer, context::Limit,
///     Stream,
/// };
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let table = DeviceBuffer::<f32>::zeroed(&stream, 1 << 16)?;
///
/// let most = context.device().attribute(DeviceAttribute::MAX_PERSISTING_L2_CACHE_SIZE)?;
/// if most > 0 {
///     context.set_limit(Limit::PERSISTING_L2_CACHE_SIZE, most as usize)?;
///     let window = AccessPolicyWindow::over(&table).hit(AccessProperty::PERSISTING);
///     stream.set_access_policy(window)?;
///     assert_eq!(stream.access_policy()?.bytes, table.size_bytes());
///     // ... kernels that use the table ...
///     stream.set_access_policy(AccessPolicyWindow::default())?; // none
///     context.reset_persisting_l2()?;
/// #   context.set_limit(Limit::PERSISTING_L2_CACHE_SIZE, 0)?;
/// }
/// # Ok(())
/// # }
/// ```
///
/// [`Stream::set_access_policy`]: crate::Stream::set_access_policy
/// [`Limit::PERSISTING_L2_CACHE_SIZE`]: crate::context::Limit::PERSISTING_L2_CACHE_SIZE
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AccessPolicyWindow {
    /// The first address.
    pub address: CUdeviceptr,
    /// The size in bytes, at most the device's `MAX_ACCESS_POLICY_WINDOW_SIZE`. 0 means no window.
    pub bytes: usize,
    /// The fraction of the lines that count as hits, from 0 to 1.
    pub hit_ratio: f32,
    /// The treatment of hits.
    pub hit: AccessProperty,
    /// The treatment of the other lines: normal or streaming.
    pub miss: AccessProperty,
}

impl Default for AccessPolicyWindow {
    /// Returns no window.
    fn default() -> Self {
        Self {
            address: 0,
            bytes: 0,
            hit_ratio: 0.0,
            hit: AccessProperty::NORMAL,
            miss: AccessProperty::NORMAL,
        }
    }
}

/// Compares ratios by their bits, so that launches with a window can be compared.
impl PartialEq for AccessPolicyWindow {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl Eq for AccessPolicyWindow {}

impl Hash for AccessPolicyWindow {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words().hash(state);
    }
}

impl AccessPolicyWindow {
    /// Returns the words of the driver's structure.
    pub(crate) const fn words(&self) -> [u32; 8] {
        let (address, bytes) = (self.address, self.bytes as u64);
        [
            address as u32,
            (address >> 32) as u32,
            bytes as u32,
            (bytes >> 32) as u32,
            self.hit_ratio.to_bits(),
            self.hit.0,
            self.miss.0,
            0,
        ]
    }

    /// Sets [`hit_ratio`](Self#structfield.hit_ratio).
    #[must_use]
    pub const fn hit_ratio(mut self, ratio: f32) -> Self {
        self.hit_ratio = ratio;
        self
    }

    /// Sets [`hit`](Self#structfield.hit).
    #[must_use]
    pub const fn hit(mut self, hit: AccessProperty) -> Self {
        self.hit = hit;
        self
    }

    /// Sets [`miss`](Self#structfield.miss).
    #[must_use]
    pub const fn miss(mut self, miss: AccessProperty) -> Self {
        self.miss = miss;
        self
    }

    /// Converts the window to the driver's structure.
    ///
    /// # Errors
    /// Returns an error for values that the driver would reject without a reason.
    pub(crate) fn to_raw(self, call: &'static str) -> Result<CUaccessPolicyWindow> {
        if !(0.0..=1.0).contains(&self.hit_ratio) {
            return Err(Error::invalid(
                call,
                format!(
                    "the hit ratio is {}, but must be from 0 to 1",
                    self.hit_ratio
                ),
            ));
        }
        if self.miss == AccessProperty::PERSISTING {
            return Err(Error::invalid(
                call,
                "misses can't persist. Fix: use AccessProperty::NORMAL or STREAMING",
            ));
        }
        Ok(CUaccessPolicyWindow {
            base_ptr: std::ptr::with_exposed_provenance_mut(self.address as usize),
            num_bytes: self.bytes,
            hitRatio: self.hit_ratio,
            hitProp: CUaccessProperty(self.hit.0),
            missProp: CUaccessProperty(self.miss.0),
        })
    }

    /// Converts the driver's structure.
    pub(crate) fn from_raw(raw: CUaccessPolicyWindow) -> Self {
        Self {
            address: raw.base_ptr.addr() as CUdeviceptr,
            bytes: raw.num_bytes,
            hit_ratio: raw.hitRatio,
            hit: AccessProperty(raw.hitProp.0),
            miss: AccessProperty(raw.missProp.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_survives_conversion() {
        let window = AccessPolicyWindow {
            address: 0x7000_1000,
            bytes: 4096,
            hit_ratio: 0.25,
            hit: AccessProperty::PERSISTING,
            miss: AccessProperty::STREAMING,
        };
        let raw = window.to_raw("test").unwrap();
        assert_eq!(AccessPolicyWindow::from_raw(raw), window);
    }

    #[test]
    fn invalid_windows_are_rejected_with_a_reason() {
        let plain = AccessPolicyWindow::default();
        for (window, reason) in [
            (plain.hit_ratio(1.5), "from 0 to 1"),
            (plain.hit_ratio(-0.1), "from 0 to 1"),
            (plain.hit_ratio(f32::NAN), "from 0 to 1"),
            (plain.miss(AccessProperty::PERSISTING), "can't persist"),
        ] {
            let error = window.to_raw("test").unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }
}
