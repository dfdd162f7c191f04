//! What a bench prints at its end, and for which workloads.

pub mod filter;
pub mod table;
