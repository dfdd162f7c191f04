//! Flags and choices of launches.

use super::flags::choices;

choices! {
    /// Where the blocks of a cluster go (`CUclusterSchedulingPolicy`).
    ///
    /// ```
    /// use cuda_safe::launch::{ClusterScheduling, LaunchAttributes};
    ///
    /// let attributes = LaunchAttributes::default().cluster_scheduling(ClusterScheduling::SPREAD);
    /// assert_eq!(attributes.cluster_scheduling, Some(ClusterScheduling(1)));
    /// ```
    pub struct ClusterScheduling(u32) {
        /// As the driver sees fit.
        DEFAULT = 0, "CU_CLUSTER_SCHEDULING_POLICY_DEFAULT";
        /// On different multiprocessors.
        SPREAD = 1, "CU_CLUSTER_SCHEDULING_POLICY_SPREAD";
        /// As the hardware balances its load.
        LOAD_BALANCING = 2, "CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING";
    }
}

choices! {
    /// Which cluster sizes a launch takes (`CUlaunchAttributePortableClusterMode`): those that every device has, up to 8
    /// blocks, or more.
    ///
    /// ```
    /// use cuda_safe::launch::{LaunchAttributes, PortableClusterSize};
    ///
    /// let attributes = LaunchAttributes::default().portable_cluster_size(PortableClusterSize::ALLOW_OTHERS);
    /// assert_eq!(attributes.portable_cluster_size, Some(PortableClusterSize(2)));
    /// ```
    pub struct PortableClusterSize(u32) {
        /// As [`FunctionAttribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED`](crate::module::FunctionAttribute) says.
        DEFAULT = 0, "CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT";
        /// Only sizes that all devices have.
        REQUIRE = 1, "CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE";
        /// All sizes of this device.
        ALLOW_OTHERS = 2, "CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE";
    }
}
