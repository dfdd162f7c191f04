//! Flags and choices of launches.

use super::flags::choices;

choices! {
    /// The placement of a cluster's blocks (`CUclusterSchedulingPolicy`).
    ///
    /// ```
    /// use cuda_safe::launch::{ClusterScheduling, LaunchAttributes};
    ///
    /// let attributes = LaunchAttributes::default().cluster_scheduling(ClusterScheduling::SPREAD);
    /// assert_eq!(attributes.cluster_scheduling, Some(ClusterScheduling(1)));
    /// ```
    pub struct ClusterScheduling(u32) {
        /// The driver chooses.
        DEFAULT = 0, "CU_CLUSTER_SCHEDULING_POLICY_DEFAULT";
        /// On different multiprocessors.
        SPREAD = 1, "CU_CLUSTER_SCHEDULING_POLICY_SPREAD";
        /// The hardware balances its load.
        LOAD_BALANCING = 2, "CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING";
    }
}

choices! {
    /// The cluster sizes that a launch accepts (`CUlaunchAttributePortableClusterMode`): only up to
    /// 8 blocks, which every device supports, or more.
    ///
    /// ```
    /// use cuda_safe::launch::{LaunchAttributes, PortableClusterSize};
    ///
    /// let attributes = LaunchAttributes::default().portable_cluster_size(PortableClusterSize::ALLOW_OTHERS);
    /// assert_eq!(attributes.portable_cluster_size, Some(PortableClusterSize(2)));
    /// ```
    pub struct PortableClusterSize(u32) {
        /// As set by
        /// [`FunctionAttribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED`](crate::module::FunctionAttribute).
        DEFAULT = 0, "CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT";
        /// Only sizes that all devices support.
        REQUIRE = 1, "CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE";
        /// All sizes of this device.
        ALLOW_OTHERS = 2, "CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE";
    }
}
