//! Green contexts: parts of a device's multiprocessors, with streams that run on them alone.
//!
//! Ask a device or a context for its [`Multiprocessors`], [split](Multiprocessors::split) them, and make a
//! [`GreenContext`] of a part. Kernels on its streams leave the other multiprocessors to other work.
//!
//! - [`GreenContext`]: the context, and its streams and events
//! - [`Multiprocessors`], [`Split`], [`SplitFlags`]: which multiprocessors

pub use crate::context::{
    green::GreenContext,
    resource::{Multiprocessors, Split, SplitFlags},
};
