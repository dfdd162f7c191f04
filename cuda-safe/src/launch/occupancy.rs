//! How many blocks and clusters of a kernel the device holds at once.

use std::ffi::c_int;

use cuda_sys::{self as sys, CUlaunchConfig, CUresult};

use crate::{
    code::function::Function,
    error::{Error, Result},
    launch::{LaunchConfig, RawAttributes},
    stream::Stream,
};

/// The launch with the best occupancy: see [`Function::best_block_size`].
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
    /// The least number of blocks that fill the device.
    pub min_grid: u32,
    /// Threads per block.
    pub block: u32,
}

impl Function {
    /// How many blocks of `block_threads` threads, with `dynamic_shared` bytes of dynamic shared memory per block,
    /// can be resident on one multiprocessor at the same time.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a block of no threads. The context is unusable after a fault.
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
        let threads = c_int::try_from(block_threads)
            .map_err(|_| Error::invalid(CALL, format!("a block of {block_threads} threads")))?;
        let _current = self
            .context()
            .enter("cuOccupancyMaxActiveBlocksPerMultiprocessor")?;
        let mut blocks: c_int = 0;
        // SAFETY: the kernel is live, `blocks` is valid for the write.
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

    /// The block size with the best occupancy, for `dynamic_shared` bytes of dynamic shared memory per block.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where no block with that much shared memory fits. The context is unusable after a
    /// fault.
    #[doc(alias = "cuOccupancyMaxPotentialBlockSize")]
    pub fn best_block_size(&self, dynamic_shared: usize) -> Result<Occupancy> {
        let _current = self.context().enter("cuOccupancyMaxPotentialBlockSize")?;
        let (mut grid, mut block): (c_int, c_int) = (0, 0);
        // SAFETY: the kernel is live, both are valid for the write; no callback.
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

    /// The most bytes of dynamic shared memory per block with which `blocks` blocks of `block_threads` threads are resident
    /// on one multiprocessor at the same time; no more than a launch may ask for
    /// ([`set_max_dynamic_shared`](Self::set_max_dynamic_shared)). The driver's estimate: that of an H200 (580) leaves out
    /// what the system takes of each block's shared memory, so that two blocks fewer fit.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` where so many blocks don't fit with none. The context is unusable after a fault.
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
            c_int::try_from(value).map_err(|_| Error::invalid(CALL, format!("{value} {what}")))
        };
        let (blocks, threads) = (number(blocks, "blocks")?, number(block_threads, "threads")?);
        let _current = self
            .context()
            .enter("cuOccupancyAvailableDynamicSMemPerBlock")?;
        let mut bytes = 0;
        // SAFETY: the kernel is live, `bytes` is valid for the write.
        let code = unsafe {
            sys::cuOccupancyAvailableDynamicSMemPerBlock(&mut bytes, self.as_raw(), blocks, threads)
        };
        self.context().check(CALL, code)?;
        Ok(bytes)
    }

    /// The most blocks that a cluster of this kernel can have, with the block and the shared memory of `config`. Its
    /// cluster is not looked at. More than 8 takes
    /// [`NON_PORTABLE_CLUSTER_SIZE_ALLOWED`](crate::module::FunctionAttribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED).
    ///
    /// # Errors
    /// The driver's code where no such block fits, or the device has no clusters.
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
            // SAFETY: the kernel is live, `size` is valid for the write; the configuration is read.
            unsafe { sys::cuOccupancyMaxPotentialClusterSize(size, self.as_raw(), launch) }
        };
        self.clusters("cuOccupancyMaxPotentialClusterSize", config, size)
    }

    /// How many clusters of a launch with `config` the device holds at the same time; 0 for a launch without clusters.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_CLUSTER_SIZE` for a cluster that can't be. The driver's code where the device has no clusters.
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
