//! Graphs: operations with an order among them, recorded once and launched often.
//!
//! A [`Graph`] is what the client builds, node by node or by capturing streams. An [`exec::Exec`] is what it launches:
//! a copy of the graph as it was at the instantiation. A launch puts the operations of all nodes on the launching
//! stream, one after the other in an order that the edges allow, as one piece: nothing else comes between them.

pub mod attributes;
pub mod capture;
mod capturing;
pub mod conditional;
pub mod device_launch;
pub mod dot;
mod edit;
pub mod enqueue;
pub mod exec;
mod forbidden;
mod inspect;
pub mod memory;
mod node;
pub mod params;
mod plan;
mod template;
pub mod updatable;
pub mod update;
pub mod user_object;

pub use edit::Edge;
pub use node::{Dependency, Task, containing};
pub use template::{Standing, create, destroy, get};
