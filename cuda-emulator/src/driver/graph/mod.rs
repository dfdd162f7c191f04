//! Graphs: operations with an order among them, recorded once and launched often.
//!
//! A [`Graph`] is what the client builds, node by node or by capturing streams. An [`exec::Exec`] is what it launches:
//! a copy of the graph as it was at the instantiation. A launch puts the operations of all nodes on the launching
//! stream, one after the other in an order that the edges allow, as one piece: nothing else comes between them.

pub mod capture;
mod capturing;
pub mod exec;
pub mod inspect;
mod node;
mod plan;
mod template;

pub use node::{Dependency, containing};
pub use template::{destroy, get};
