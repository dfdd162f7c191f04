//! The flags of a context.

use crate::raw::flags::flags;

flags! {
    /// How a created context waits for the device, and how it treats local memory (`CUctx_flags`).
    ///
    /// ```
    /// # use cuda_safe::{Context, ContextFlags, Device};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let flags = ContextFlags::BLOCKING_SYNC | ContextFlags::LMEM_RESIZE_TO_MAX;
    /// let context = Context::create(Device::get(0)?, flags)?;
    /// assert_ne!(context.flags()?.0 & ContextFlags::BLOCKING_SYNC.0, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub struct ContextFlags {
        /// The driver chooses between spinning and yielding.
        AUTO = 0, "CU_CTX_SCHED_AUTO";
        /// Wait by spinning: the lowest latency, at the cost of a busy core.
        SPIN = 1, "CU_CTX_SCHED_SPIN";
        /// Wait by yielding the processor.
        YIELD = 2, "CU_CTX_SCHED_YIELD";
        /// Wait by blocking the thread.
        BLOCKING_SYNC = 4, "CU_CTX_SCHED_BLOCKING_SYNC";
        /// Keep local memory at its largest size after a launch instead of shrinking it.
        LMEM_RESIZE_TO_MAX = 16, "CU_CTX_LMEM_RESIZE_TO_MAX";
    }
}
