//! Flags and choices of compiled code.

use std::ffi::c_uint;

use super::flags::choices;

choices! {
    /// An attribute of a kernel (`CUfunction_attribute`). For attributes of newer drivers, use
    /// their number.
    ///
    /// ```
    /// # use cuda_safe::{Context, module::FunctionAttribute, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let source = r#"extern "C" __global__ void __launch_bounds__(128)
    ///     bounded(float *x) { *x = 1; }"#;
    /// let bounded = Module::compile(&context, source)?.function("bounded")?;
    /// assert_eq!(bounded.attribute(FunctionAttribute::MAX_THREADS_PER_BLOCK)?, 128);
    /// assert!(bounded.attribute(FunctionAttribute::NUM_REGS)? > 0);
    /// # Ok(())
    /// # }
    /// ```
    pub struct FunctionAttribute(u32) {
        /// The maximum number of threads per block for which the kernel was compiled.
        MAX_THREADS_PER_BLOCK = 0, "CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK";
        /// Bytes of static shared memory per block.
        SHARED_SIZE_BYTES = 1, "CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES";
        /// Bytes of constant memory that the kernel's module uses.
        CONST_SIZE_BYTES = 2, "CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES";
        /// Bytes of local memory per thread.
        LOCAL_SIZE_BYTES = 3, "CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES";
        /// Registers per thread.
        NUM_REGS = 4, "CU_FUNC_ATTRIBUTE_NUM_REGS";
        /// The PTX version from which the kernel was compiled: 90 for `compute_90`.
        PTX_VERSION = 5, "CU_FUNC_ATTRIBUTE_PTX_VERSION";
        /// The architecture for which the kernel was compiled: 90 for `sm_90`.
        BINARY_VERSION = 6, "CU_FUNC_ATTRIBUTE_BINARY_VERSION";
        /// Whether it was compiled with `-Xptxas --dlcm=ca`.
        CACHE_MODE_CA = 7, "CU_FUNC_ATTRIBUTE_CACHE_MODE_CA";
        /// The maximum bytes of dynamic shared memory per block that a launch may request.
        /// Settable, up to the device's `MAX_SHARED_MEMORY_PER_BLOCK_OPTIN` minus the static shared
        /// memory.
        MAX_DYNAMIC_SHARED_SIZE_BYTES = 8, "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES";
        /// The percentage of the L1 cache to use as shared memory, or -1 for the default. A
        /// settable hint.
        PREFERRED_SHARED_MEMORY_CARVEOUT = 9, "CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT";
        /// Whether every launch must set its cluster size
        /// ([`LaunchConfig::cluster`](crate::LaunchConfig::cluster)).
        CLUSTER_SIZE_MUST_BE_SET = 10, "CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET";
        /// The number of blocks of a cluster along x if the kernel is declared with
        /// `__cluster_dims__`, otherwise 0. Settable before the first launch if the kernel is not
        /// declared in that way.
        REQUIRED_CLUSTER_WIDTH = 11, "CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH";
        /// The same along y.
        REQUIRED_CLUSTER_HEIGHT = 12, "CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT";
        /// The same along z.
        REQUIRED_CLUSTER_DEPTH = 13, "CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH";
        /// Whether clusters may have more than 8 blocks, the maximum that every device supports.
        /// Settable.
        NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14, "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED";
        /// The placement of a cluster's blocks: a
        /// [`ClusterScheduling`](crate::launch::ClusterScheduling). A settable hint.
        CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15, "CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE";
    }
}

choices! {
    /// When the driver loads code (`CUmoduleLoadingMode`).
    /// [`loading_mode`](crate::module::loading_mode) returns it. The environment variable
    /// `CUDA_MODULE_LOADING` sets it before the process starts.
    pub struct LoadingMode(c_uint) {
        /// A module is loaded completely.
        EAGER = 1, "CU_MODULE_EAGER_LOADING";
        /// Each kernel is loaded when it is looked up or launched for the first time.
        LAZY = 2, "CU_MODULE_LAZY_LOADING";
    }
}
