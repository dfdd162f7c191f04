//! A launch: its blocks on the threads of the host, and what the engine provides as functions.

pub(super) mod pool;
