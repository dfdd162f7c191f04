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
#[cfg(unix)] // Windows has no IPC handles
mod processes;
mod stream_races;
#[cfg(unix)] // the library is opened by dlopen
mod survival;
#[cfg(unix)] // the library is opened by dlopen
mod symbols;
mod unwritten;
