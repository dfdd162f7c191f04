//! Two ranks over NCCL. With two GPUs in this host each rank is a thread. With one GPU each rank is
//! a process. NCCL treats these as ranks of two hosts and connects them over the network.
//!
//! Without a GPU or NCCL, each test checks the error that reports this instead (`pair::missing`).

mod collectives;
#[path = "../../../cuda-safe/tests/common/failure.rs"]
mod failure;
mod figures;
mod groups;
mod lost;
mod pair;
mod registered;
#[path = "../suite/mod.rs"]
mod suite;
