//! State shared by the whole process: configuration, handles, contexts and devices, and the wrapper
//! around every exported call.

pub mod architecture;
pub mod call;
pub mod caller;
pub mod configuration;
pub mod context;
pub mod coredump;
pub mod device;
pub mod device_attributes;
pub mod exit;
pub mod exported_names;
pub mod failure_injection;
pub mod first_fault;
pub mod green_context;
pub mod handle;
mod leak_report;
pub mod log;
mod name_suggestions;
pub mod registry;
pub mod shared_slots;
pub mod warnings;
