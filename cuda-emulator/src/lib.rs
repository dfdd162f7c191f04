#![doc = include_str!("../docs/guide.md")]
//!
#![doc = include_str!("../docs/driver-calls.md")]

mod driver;

pub use driver::pending::{HostAccess, HostWork, pending_host_work};
