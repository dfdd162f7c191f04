//! Tools for finding faults: the driver's logs, core dumps, profilers, and checkpoints of
//! processes.

pub mod checkpoint;
pub mod coredump;
pub mod logs;
pub mod profiler;
