//! Graphs: operations with dependencies, recorded once and launched many times.
//!
//! The client builds a [`Graph`](definition::Graph), node by node or by capturing streams. It
//! launches an [`executable::Exec`], which is a copy of the graph at the time of instantiation. A
//! launch enqueues the operations of all nodes on the launching stream, one after the other in an
//! order that the edges allow. Nothing else comes between them.

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
mod instantiate_error;
pub mod kernel_node_attributes;
mod launch_order;
pub mod memory_nodes;
mod node;
pub mod node_parameters;
mod plan;
pub mod updatable_nodes;
pub mod user_object;

pub use definition::{Ownership, create, destroy, get};
pub use edit::Edge;
pub use instantiate_error::InstantiateError;
pub use node::{Dependency, Task, containing};
