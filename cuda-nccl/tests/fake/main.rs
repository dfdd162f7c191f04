//! The safe layer over a library in software (`nccl.c`), which a C compiler makes for these tests: which calls are made, what is
//! done about errors, and that no wait lasts longer than the time limit. Nothing is reduced here.

use cuda_emulator as _; // linked in: these tests never use a GPU

mod arguments;
mod devices;
mod ends;
mod errors;
mod figures;
mod library;
mod memory;
mod old;
mod ranks;
mod starts;
