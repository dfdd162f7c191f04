//! Flags and choices of streams.

use std::ffi::c_uint;

use super::flags::choices;

choices! {
    /// How the L2 cache treats a line that was accessed (`CUaccessProperty`).
    pub struct AccessProperty(c_uint) {
        /// Treated like any other line.
        NORMAL = 0, "CU_ACCESS_PROPERTY_NORMAL";
        /// Evicted early. For data that is used once.
        STREAMING = 1, "CU_ACCESS_PROPERTY_STREAMING";
        /// Kept in the part of the cache that is set aside for it,
        /// [`Limit::PERSISTING_L2_CACHE_SIZE`].
        ///
        /// [`Limit::PERSISTING_L2_CACHE_SIZE`]: crate::context::Limit::PERSISTING_L2_CACHE_SIZE
        PERSISTING = 2, "CU_ACCESS_PROPERTY_PERSISTING";
    }
}

choices! {
    /// How the host waits for a stream (`CUsynchronizationPolicy`).
    pub struct SyncPolicy(c_uint) {
        /// As set for the context.
        AUTO = 1, "CU_SYNC_POLICY_AUTO";
        /// By spinning: the lowest latency, at the cost of a busy core.
        SPIN = 2, "CU_SYNC_POLICY_SPIN";
        /// By yielding the processor.
        YIELD = 3, "CU_SYNC_POLICY_YIELD";
        /// By blocking the thread.
        BLOCKING_SYNC = 4, "CU_SYNC_POLICY_BLOCKING_SYNC";
    }
}

choices! {
    /// A memory synchronization domain (`CUlaunchMemSyncDomain`). A fence in one domain does not
    /// wait for writes of another. Use two domains so that kernels that write to peers and kernels
    /// that compute do not wait for each other.
    pub struct MemSyncDomain(c_uint) {
        /// The default domain of kernels.
        DEFAULT = 0, "CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT";
        /// For kernels that write to other devices.
        REMOTE = 1, "CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE";
    }
}
