//! Flags and choices of logs, core dumps and checkpoints.

use std::ffi::c_uint;

use super::flags::{choices, flags};

choices! {
    /// The state of a process (`CUprocessState`).
    pub struct ProcessState(c_uint) {
        /// The process runs normally.
        RUNNING = 0, "CU_PROCESS_STATE_RUNNING";
        /// Its CUDA calls wait.
        LOCKED = 1, "CU_PROCESS_STATE_LOCKED";
        /// Its GPU state is in host memory.
        CHECKPOINTED = 2, "CU_PROCESS_STATE_CHECKPOINTED";
        /// A checkpoint or restore has failed and cannot be corrected.
        FAILED = 3, "CU_PROCESS_STATE_FAILED";
    }
}

flags! {
    /// The parts that a dump omits, and its effects (`CUCoredumpGenerationFlags`).
    pub struct DumpFlags {
        /// Omit images of modules that were not relocated.
        SKIP_NONRELOCATED_ELF_IMAGES = 1, "CU_COREDUMP_SKIP_NONRELOCATED_ELF_IMAGES";
        /// Omit global memory.
        SKIP_GLOBAL_MEMORY = 2, "CU_COREDUMP_SKIP_GLOBAL_MEMORY";
        /// Omit shared memory.
        SKIP_SHARED_MEMORY = 4, "CU_COREDUMP_SKIP_SHARED_MEMORY";
        /// Omit local memory.
        SKIP_LOCAL_MEMORY = 8, "CU_COREDUMP_SKIP_LOCAL_MEMORY";
        /// The process continues after the dump.
        SKIP_ABORT = 16, "CU_COREDUMP_SKIP_ABORT";
        /// Omit constant memory.
        SKIP_CONSTBANK_MEMORY = 32, "CU_COREDUMP_SKIP_CONSTBANK_MEMORY";
        /// Compress the dump (newer drivers).
        GZIP_COMPRESS = 64, "CU_COREDUMP_GZIP_COMPRESS";
        /// Dump only contexts that faulted (newer drivers).
        FAULTED_CONTEXTS_ONLY = 128, "CU_COREDUMP_FAULTED_CONTEXTS_ONLY";
    }
}

choices! {
    /// The severity of a message (`CUlogLevel`).
    pub struct LogLevel(c_uint) {
        /// A call has failed.
        ERROR = 0, "CU_LOG_LEVEL_ERROR";
        /// A call may not do what was intended.
        WARNING = 1, "CU_LOG_LEVEL_WARNING";
    }
}
