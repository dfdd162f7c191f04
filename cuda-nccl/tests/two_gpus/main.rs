//! NCCL on two GPUs of this host: each rank in a thread of its own, and once in a process of its own.
//!
//! Where there are fewer GPUs, or no NCCL, each test holds the error that says so instead (`pair::missing`).

mod collectives;
mod figures;
mod groups;
mod lost;
mod pair;
mod registered;
#[path = "../suite/mod.rs"]
mod suite;
