//! Occupancy: the numbers of blocks and clusters that can be resident at once.

use std::ffi::c_int;

use cuda_sys::{self as sys, CUlaunchConfig, CUresult};

use crate::{
    code::function::Function,
    error::{Error, Result},
    launch::{LaunchConfig, RawAttributes},
    stream::Stream,
};

/// The block size with the best occupancy, returned by [`Function::best_block_size`].
///
/// ```
/// # use cuda_safe::{Context, Module};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let module = Module::compile(&context, r#"extern "C" __global__ void nothing() {}"#)?;
/// let occupancy = module.function("nothing")?.best_block_size(0)?;
/// assert!(occupancy.min_grid >= context.device().multiprocessor_count()?);
/// assert_eq!(occupancy.block % 32, 0); // whole warps
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// The smallest number of blocks that fills the device.
    pub min_grid: u32,
    /// The number of threads per block.
    pub block: u32,
}

impl Function {
    /// Returns the maximum number of resident blocks per multiprocessor.
    ///
    /// Each block has `block_threads` threads and `dynamic_shared` bytes of dynamic shared memory.
    ///
    /// See [`cuOccupancyMaxActiveBlocksPerMultiprocessor`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__OCCUPANCY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if `block_threads` is 0, and
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if it exceeds `i32::MAX`.
    /// Returns an error if the context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let module = Module::compile(&context, r#"extern "C" __global__ void nothing() {}"#)?;
    /// let nothing = module.function("nothing")?;
    /// let small = nothing.max_active_blocks(128, 0)?;
    /// let large = nothing.max_active_blocks(1024, 0)?;
    /// assert!(small >= large && large >= 1);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuOccupancyMaxActiveBlocksPerMultiprocessor")]
    pub fn max_active_blocks(&self, block_threads: u32, dynamic_shared: usize) -> Result<u32> {
        const CALL: &str = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
        let threads = c_int::try_from(block_threads).map_err(|_| {
            Error::invalid(
                CALL,
                format!(
                    "block_threads is {block_threads}, more than a 32-bit signed integer can hold"
                ),
            )
        })?;
        let _current = self
            .context()
            .enter("cuOccupancyMaxActiveBlocksPerMultiprocessor")?;
        let mut blocks: c_int = 0;
        // SAFETY: the kernel is live, and `blocks` is valid for writing.
        let code = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                self.as_raw(),
                threads,
                dynamic_shared,
            )
        };
        self.context().check(CALL, code)?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    /// Returns the block size with the best occupancy.
    ///
    /// Each block has `dynamic_shared` bytes of dynamic shared memory.
    ///
    /// See [`cuOccupancyMaxPotentialBlockSize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__OCCUPANCY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if no block with this much shared memory fits. Returns an
    /// error if the context is unusable after a fault.
    #[doc(alias = "cuOccupancyMaxPotentialBlockSize")]
    pub fn best_block_size(&self, dynamic_shared: usize) -> Result<Occupancy> {
        let _current = self.context().enter("cuOccupancyMaxPotentialBlockSize")?;
        let (mut grid, mut block): (c_int, c_int) = (0, 0);
        // SAFETY: the kernel is live, both are valid for writing, and there is no callback.
        let code = unsafe {
            sys::cuOccupancyMaxPotentialBlockSize(
                &mut grid,
                &mut block,
                self.as_raw(),
                None,
                dynamic_shared,
                0,
            )
        };
        self.context()
            .check("cuOccupancyMaxPotentialBlockSize", code)?;
        Ok(Occupancy {
            min_grid: u32::try_from(grid).unwrap_or(0),
            block: u32::try_from(block).unwrap_or(0),
        })
    }

    /// Returns the maximum dynamic shared memory per block, in bytes, with which `blocks` blocks of
    /// `block_threads` threads can be resident on one multiprocessor at the same time.
    ///
    /// The value is at most the limit of a launch
    /// ([`set_max_dynamic_shared`](Self::set_max_dynamic_shared)). It is the driver's estimate. On
    /// an H200 (driver 580) the estimate ignores the shared memory that the system reserves in each
    /// block, so two blocks fewer fit.
    ///
    /// See [`cuOccupancyAvailableDynamicSMemPerBlock`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__OCCUPANCY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if this many blocks do not fit even without dynamic
    /// shared memory. Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if
    /// a number exceeds `i32::MAX`. Returns an error if the context is unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let module = Module::compile(&context, r#"extern "C" __global__ void nothing() {}"#)?;
    /// let nothing = module.function("nothing")?;
    /// assert!(nothing.available_dynamic_shared(16, 128)? < nothing.available_dynamic_shared(2, 128)?);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuOccupancyAvailableDynamicSMemPerBlock")]
    pub fn available_dynamic_shared(&self, blocks: u32, block_threads: u32) -> Result<usize> {
        const CALL: &str = "cuOccupancyAvailableDynamicSMemPerBlock";
        let number = |value: u32, what: &str| {
            c_int::try_from(value).map_err(|_| {
                Error::invalid(
                    CALL,
                    format!("{value} {what}: more than a 32-bit signed integer can hold"),
                )
            })
        };
        let (blocks, threads) = (number(blocks, "blocks")?, number(block_threads, "threads")?);
        let _current = self
            .context()
            .enter("cuOccupancyAvailableDynamicSMemPerBlock")?;
        let mut bytes = 0;
        // SAFETY: the kernel is live, and `bytes` is valid for writing.
        let code = unsafe {
            sys::cuOccupancyAvailableDynamicSMemPerBlock(&mut bytes, self.as_raw(), blocks, threads)
        };
        self.context().check(CALL, code)?;
        Ok(bytes)
    }

    /// Returns the maximum number of blocks in a cluster of this kernel.
    ///
    /// It uses the block and the shared memory of `config` and ignores its cluster. For more than 8
    /// blocks, set
    /// [`NON_PORTABLE_CLUSTER_SIZE_ALLOWED`](crate::module::FunctionAttribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED).
    ///
    /// See [`cuOccupancyMaxPotentialClusterSize`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__OCCUPANCY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the driver's error if no such block fits, or if the device does not support
    /// clusters.
    ///
    /// ```
    /// # use cuda_safe::{Context, LaunchConfig, Module};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let module = Module::compile(&context, r#"extern "C" __global__ void nothing() {}"#)?;
    /// let nothing = module.function("nothing")?;
    /// let config = LaunchConfig::new(64, 128);
    /// assert_eq!(nothing.max_cluster_size(config)?, 8);
    /// assert!(nothing.max_active_clusters(config.cluster(8))? > 0);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuOccupancyMaxPotentialClusterSize")]
    pub fn max_cluster_size(&self, config: LaunchConfig) -> Result<u32> {
        let size = |size: &mut c_int, launch: &CUlaunchConfig| {
            // SAFETY: the kernel is live, `size` is valid for writing, and the configuration is
            // only read.
            unsafe { sys::cuOccupancyMaxPotentialClusterSize(size, self.as_raw(), launch) }
        };
        self.clusters("cuOccupancyMaxPotentialClusterSize", config, size)
    }

    /// Returns the maximum number of clusters of a launch with `config` that can be resident on the
    /// device at the same time, or 0 for a launch without clusters.
    ///
    /// See [`cuOccupancyMaxActiveClusters`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__OCCUPANCY.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_CLUSTER_SIZE` if the cluster is not possible. Returns the
    /// driver's error if the device does not support clusters.
    #[doc(alias = "cuOccupancyMaxActiveClusters")]
    pub fn max_active_clusters(&self, config: LaunchConfig) -> Result<u32> {
        let count = |count: &mut c_int, launch: &CUlaunchConfig| {
            // SAFETY: as above.
            unsafe { sys::cuOccupancyMaxActiveClusters(count, self.as_raw(), launch) }
        };
        self.clusters("cuOccupancyMaxActiveClusters", config, count)
    }

    fn clusters(
        &self,
        call: &'static str,
        config: LaunchConfig,
        ask: impl FnOnce(&mut c_int, &CUlaunchConfig) -> CUresult,
    ) -> Result<u32> {
        let stream = Stream::legacy_default(self.context());
        let mut attributes = RawAttributes::new(&config);
        let launch = attributes.launch(&config, &stream);
        let _current = self.context().enter(call)?;
        let mut found = 0;
        let code = ask(&mut found, &launch);
        self.context().check(call, code)?;
        Ok(u32::try_from(found).unwrap_or(0))
    }
}
