//! The generic addresses of state spaces without an allocation.

/// Generic address of offset 0 of a block's shared memory.
pub const SHARED_WINDOW: u64 = 1 << 60;
/// Generic address of offset 0 of a thread's local memory.
pub const LOCAL_WINDOW: u64 = 2 << 60;
/// Base of function addresses. A function's address is this plus 16 times its index.
pub const CODE_WINDOW: u64 = 3 << 60;
