//! Launches: running blocks on the host's threads.

pub(super) mod pool;
