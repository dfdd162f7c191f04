//! Green contexts, whose streams run on part of a device's multiprocessors.
//!
//! Get the [`Multiprocessors`] of a device or context, [split](Multiprocessors::split) them, and
//! create a [`GreenContext`] from one part. Kernels on its streams leave the other multiprocessors
//! free for other work.
//!
//! - [`GreenContext`]: the context, and its streams and events
//! - [`Multiprocessors`], [`Split`], [`SplitFlags`]: sets of multiprocessors

pub use crate::context::{
    green::GreenContext,
    resource::{Multiprocessors, Split, SplitFlags},
};
