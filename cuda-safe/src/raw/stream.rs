//! Flags and choices of streams.

use std::ffi::c_uint;

use super::flags::choices;

choices! {
    /// The L2 cache's treatment of an accessed line (`CUaccessProperty`).
    pub struct AccessProperty(c_uint) {
        /// The line is treated like any other.
        NORMAL = 0, "CU_ACCESS_PROPERTY_NORMAL";
        /// The line is evicted early. Use this for data that is used once.
        STREAMING = 1, "CU_ACCESS_PROPERTY_STREAMING";
        /// The line is kept in the part of the cache that is set aside for such lines,
        /// [`Limit::PERSISTING_L2_CACHE_SIZE`].
        ///
        /// [`Limit::PERSISTING_L2_CACHE_SIZE`]: crate::context::Limit::PERSISTING_L2_CACHE_SIZE
        PERSISTING = 2, "CU_ACCESS_PROPERTY_PERSISTING";
    }
}

choices! {
    /// The way in which the host waits for a stream (`CUsynchronizationPolicy`).
    pub struct SyncPolicy(c_uint) {
        /// Use the context's setting.
        AUTO = 1, "CU_SYNC_POLICY_AUTO";
        /// Wait by spinning: the lowest latency, at the cost of a busy core.
        SPIN = 2, "CU_SYNC_POLICY_SPIN";
        /// Wait by yielding the processor.
        YIELD = 3, "CU_SYNC_POLICY_YIELD";
        /// Wait by blocking the thread.
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
        /// The domain of kernels that write to other devices.
        REMOTE = 1, "CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE";
    }
}
