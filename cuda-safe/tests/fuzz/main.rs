//! A fuzzer: random programs of safe calls on the emulator, with held streams and all checks, compared with a model of
//! plain vectors. README.md explains how to run it and how to read its reports.
//!
//! Not on Windows: the programs run in processes that signals end.
#![cfg(unix)]

mod buffers;
mod campaign;
mod canary;
mod captures;
mod child;
mod choice;
mod graphs;
mod host_memory;
mod memory;
mod model;
mod operation;
mod others;
mod program;
mod random;
mod recipe;
mod shrink;
mod streams;
mod thread;
mod world;

use std::env;

#[global_allocator]
static MEMORY: memory::Allocator = memory::Allocator;

#[test]
fn random_programs_behave() {
    match env::var("CUDA_FUZZ_SEED") {
        Ok(seed) => campaign::replay(&seed),
        Err(_) => campaign::search(),
    }
}
