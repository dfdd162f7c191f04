//! Graphs: operations with an order among them, recorded once and launched often.
//!
//! A [`Graph`] is what the client builds, node by node or by capturing streams. An [`executable::Exec`] is what it launches:
//! a copy of the graph as it was at the instantiation. A launch puts the operations of all nodes on the launching
//! stream, one after the other in an order that the edges allow, as one piece: nothing else comes between them.

mod active_captures;
pub mod capture;
pub mod capture_events;
mod capture_rules;
pub mod conditional_nodes;
mod definition;
pub mod device_launch;
pub mod dot;
mod edit;
pub mod enqueue;
pub mod executable;
pub mod executable_update;
mod inspect;
pub mod kernel_node_attributes;
pub mod memory_nodes;
mod node;
pub mod node_parameters;
mod plan;
mod refusal;
pub mod updatable_nodes;
pub mod user_object;

pub use definition::{Standing, create, destroy, get};
pub use edit::Edge;
pub use node::{Dependency, Task, containing};
pub use refusal::Refusal;
