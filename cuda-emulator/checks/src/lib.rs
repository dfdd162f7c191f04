//! What the tests of the driver side share.

#![allow(missing_docs, reason = "the tests are the only users")]

pub mod abi;
pub mod boxes;
pub mod graphs;
pub mod objects;
pub mod pools;
pub mod semaphore;
