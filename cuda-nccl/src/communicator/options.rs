//! Options of a communicator.

use std::{
    ffi::{CString, c_int},
    mem::size_of,
    ptr,
    time::Duration,
};

use crate::{
    error::{Error, Result},
    sys,
};

/// Options of a communicator: `ncclConfig_t` and this crate's additions. `None` leaves the choice
/// to NCCL.
///
/// All ranks must use the same options.
///
/// ```
/// use std::time::Duration;
/// use cuda_nccl::CommunicatorOptions;
///
/// let options = CommunicatorOptions::default().timeout(Duration::from_secs(30)).max_ctas(Some(8));
/// assert_eq!((options.timeout.as_secs(), options.max_ctas, options.min_ctas), (30, Some(8), None));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommunicatorOptions {
    /// How long this rank waits for the others when the communicator is created, in a call, in
    /// [`wait`](super::Communicator::wait), and when the communicator ends. 10 minutes by default. A
    /// rank that waits prints a notice after a sixth of this limit, if the limit is at least 6 seconds.
    pub timeout: Duration,
    /// See [`verifies`](Self::verifies).
    pub(super) verify: bool,
    /// The name in NCCL's messages and profiles.
    pub name: Option<String>,
    /// The minimum number of thread blocks for a collective.
    pub min_ctas: Option<u32>,
    /// The maximum number of thread blocks for a collective. The rest of the device is free for
    /// other kernels.
    pub max_ctas: Option<u32>,
    /// The number of thread blocks in a cluster, 0 to 8.
    pub cga_cluster_size: Option<u32>,
    /// The network module, for instance `"IB"` or `"Socket"`.
    pub net_name: Option<String>,
    /// The traffic class of the network's packets.
    pub traffic_class: Option<u32>,
}

impl Default for CommunicatorOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(600),
            verify: true,
            name: None,
            min_ctas: None,
            max_ctas: None,
            cga_cluster_size: None,
            net_name: None,
            traffic_class: None,
        }
    }
}

macro_rules! setters {
    ($($name:ident: $type:ty,)*) => {
        impl CommunicatorOptions {
            $(
                #[doc = concat!("Sets [`", stringify!($name), "`](Self#structfield.", stringify!($name), ").")]
                #[must_use]
                pub fn $name(mut self, $name: $type) -> Self {
                    self.$name = $name;
                    self
                }
            )*
        }
    };
}

setters! {
    timeout: Duration,
    name: Option<String>,
    min_ctas: Option<u32>,
    max_ctas: Option<u32>,
    cga_cluster_size: Option<u32>,
    net_name: Option<String>,
    traffic_class: Option<u32>,
}

impl CommunicatorOptions {
    /// Returns whether the ranks compare their calls before each collective. True unless
    /// [`unverified`](Self::unverified) was called.
    ///
    /// The ranks compare over NCCL. If a rank makes another call, or uses another type, length or
    /// root, every rank returns an error and nothing is enqueued. Each call therefore exchanges a
    /// few words with the other ranks first, and waits for them on the host. Two ranks in different
    /// processes compare their sends and receives in the same way.
    #[must_use]
    pub fn verifies(&self) -> bool {
        self.verify
    }

    /// Enqueues calls without comparing them with those of ranks in other processes. Ranks in one
    /// process always compare their calls, without that cost.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - all ranks make the same calls in the same order, with the same types, lengths, reductions
    ///   and roots; otherwise NCCL may write past the end of a buffer on the device;
    /// - either all ranks of the communicator use this option or none, because ranks that compare
    ///   make additional NCCL calls;
    /// - if calls are captured into a graph, the communicator and the memory of these calls outlive
    ///   the graph, and all ranks launch the graph the same number of times, in the same order
    ///   relative to their other calls.
    #[must_use]
    pub unsafe fn unverified(mut self) -> Self {
        self.verify = false;
        self
    }
}

/// The options in NCCL's form. It owns the strings, which NCCL may read until the communicator is
/// ready.
#[derive(Debug)]
pub(super) struct Config {
    pub(super) raw: sys::ncclConfig_t,
    _strings: [Option<CString>; 2],
}

// SAFETY: its pointers refer to strings that it owns.
unsafe impl Send for Config {}
// SAFETY: as above. It is never modified.
unsafe impl Sync for Config {}

impl Config {
    pub(super) fn new(options: &CommunicatorOptions, blocking: bool) -> Result<Self> {
        let string = |name: &str, value: &Option<String>| match value {
            None => Ok(None),
            Some(text) => CString::new(text.as_str()).map(Some).map_err(|_| {
                Error::Value(format!(
                    "CommunicatorOptions::{name}: {text:?} contains a NUL character"
                ))
            }),
        };
        let number = |name: &str, value: Option<u32>| match value {
            None => Ok(sys::NCCL_CONFIG_UNDEF_INT),
            Some(number) => c_int::try_from(number).map_err(|_| {
                Error::Value(format!(
                    "CommunicatorOptions::{name}: {number} is greater than {}",
                    c_int::MAX
                ))
            }),
        };
        let strings = [
            string("net_name", &options.net_name)?,
            string("name", &options.name)?,
        ];
        let pointer =
            |text: &Option<CString>| text.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        let unset = sys::NCCL_CONFIG_UNDEF_INT;
        let raw = sys::ncclConfig_t {
            size: size_of::<sys::ncclConfig_t>(),
            magic: sys::NCCL_API_MAGIC,
            version: sys::NCCL_VERSION_CODE,
            blocking: blocking.into(),
            cgaClusterSize: number("cga_cluster_size", options.cga_cluster_size)?,
            minCTAs: number("min_ctas", options.min_ctas)?,
            maxCTAs: number("max_ctas", options.max_ctas)?,
            netName: pointer(&strings[0]),
            splitShare: 1,
            trafficClass: number("traffic_class", options.traffic_class)?,
            commName: pointer(&strings[1]),
            collnetEnable: unset,
            CTAPolicy: unset,
            shrinkShare: unset,
            nvlsCTAs: unset,
            nChannelsPerNetPeer: unset,
            nvlinkCentricSched: unset,
            graphUsageMode: unset,
            numRmaCtx: unset,
            maxP2pPeers: unset,
            graphStreamOrdering: unset,
            launchOrderImplicit: unset,
            numRmaSig: unset,
            rmaEagerInit: unset,
            hostCftMode: unset,
            nvlsHostMode: unset,
        };
        Ok(Self {
            raw,
            _strings: strings,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn options_reach_the_config() {
        let options = CommunicatorOptions::default()
            .name(Some("mine".into()))
            .cga_cluster_size(Some(2))
            .max_ctas(Some(7));
        let config = Config::new(&options, false).unwrap();
        let raw = config.raw;
        // SAFETY: the config owns the string.
        assert_eq!(unsafe { CStr::from_ptr(raw.commName) }, c"mine");
        assert!(raw.netName.is_null());
        let unset = sys::NCCL_CONFIG_UNDEF_INT;
        assert_eq!(
            (
                raw.blocking,
                raw.cgaClusterSize,
                raw.maxCTAs,
                raw.minCTAs,
                raw.splitShare
            ),
            (0, 2, 7, unset, 1)
        );
        assert_eq!((raw.size, raw.magic), (size_of_val(&raw), 0xcafe_beef));
        assert_eq!(Config::new(&options, true).unwrap().raw.blocking, 1);
    }

    #[test]
    fn strings_with_nul_and_large_numbers_are_rejected() {
        let bad = CommunicatorOptions::default().net_name(Some("a\0b".into()));
        let error = Config::new(&bad, false).unwrap_err().to_string();
        assert!(error.contains("net_name"), "{error}");
        let bad = CommunicatorOptions::default().min_ctas(Some(u32::MAX));
        assert!(
            Config::new(&bad, false)
                .unwrap_err()
                .to_string()
                .contains("min_ctas")
        );
    }
}
