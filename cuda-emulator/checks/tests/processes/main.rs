//! Tests that need separate processes: environment variables, faults, leaks and interprocess
//! communication.

mod architectures;
mod callers;
mod devices;
mod environment;
mod faults;
mod foreign;
mod held;
mod leaks;
mod peers;
mod pending;
mod primary;
mod process_faults;
mod processes;
mod stream_races;
mod survival;
mod symbols;
mod unwritten;
