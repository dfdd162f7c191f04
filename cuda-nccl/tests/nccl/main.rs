//! Two ranks over NCCL. On two GPUs of this host a thread each; on one GPU a process each, which NCCL takes for two hosts and
//! connects by the network.
//!
//! Where there is no GPU, or no NCCL, each test holds the error that says so instead (`pair::missing`).

mod collectives;
mod figures;
mod groups;
mod lost;
mod pair;
mod registered;
#[path = "../suite/mod.rs"]
mod suite;
