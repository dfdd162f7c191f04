//! Guides to this crate, one per task.

#[doc = include_str!("guide/communicators.md")]
pub mod communicators {}

#[doc = include_str!("guide/starting.md")]
pub mod starting {}

#[doc = include_str!("guide/spreading.md")]
pub mod spreading {}
