#![doc = include_str!("../docs/guide.md")]
//!
#![doc = include_str!("../docs/instructions.md")]
//!
#![doc = include_str!("../docs/driver-calls.md")]
//!
#![doc = include_str!("../docs/speed.md")]

mod driver;
pub mod engine;
mod lock;
pub mod ptx;

pub use driver::pending::{HostAccess, HostWork, pending_host_work};
