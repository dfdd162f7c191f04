//! Shared code of the examples, one subject per file.

#![allow(dead_code, reason = "no example uses all of it")]

pub mod convolution;
pub mod cpu;
pub mod data;
pub mod filter;
pub mod gpu;
pub mod measure;
pub mod picture;
pub mod ready_made;
pub mod scramble;
pub mod sum;
pub mod table;
