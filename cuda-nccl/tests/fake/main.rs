//! Tests of the safe layer with a fake NCCL library (`nccl.c`), which a C compiler builds for them:
//! the calls made, the handling of errors, and the time limits of waits. Nothing is reduced.
//!
//! Only one test at a time uses the library of a process, so tests that wait run in processes of
//! their own.

use cuda_emulator as _; // linked in: these tests never use a GPU

mod arguments;
mod devices;
mod ends;
mod errors;
#[path = "../../../cuda-safe/tests/common/failure.rs"]
mod failure;
mod figures;
mod library;
mod memory;
mod old;
mod ranks;
mod starts;
#[path = "../../src/test_threads.rs"]
mod test_threads;
