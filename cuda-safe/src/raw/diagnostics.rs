//! Flags and choices of logs, core dumps and checkpoints.

use std::ffi::c_uint;

use super::flags::{choices, flags};

choices! {
    /// What state a process is in (`CUprocessState`).
    pub struct ProcessState(c_uint) {
        /// As usual.
        RUNNING = 0, "CU_PROCESS_STATE_RUNNING";
        /// Its CUDA calls wait.
        LOCKED = 1, "CU_PROCESS_STATE_LOCKED";
        /// What it had on GPUs is in the host's memory.
        CHECKPOINTED = 2, "CU_PROCESS_STATE_CHECKPOINTED";
        /// A checkpoint or restore has failed, and can't be repaired.
        FAILED = 3, "CU_PROCESS_STATE_FAILED";
    }
}

flags! {
    /// What a dump leaves out, and what happens after it (`CUCoredumpGenerationFlags`).
    pub struct DumpFlags {
        /// Without images of modules that were not relocated.
        SKIP_NONRELOCATED_ELF_IMAGES = 1, "CU_COREDUMP_SKIP_NONRELOCATED_ELF_IMAGES";
        /// Without global memory.
        SKIP_GLOBAL_MEMORY = 2, "CU_COREDUMP_SKIP_GLOBAL_MEMORY";
        /// Without shared memory.
        SKIP_SHARED_MEMORY = 4, "CU_COREDUMP_SKIP_SHARED_MEMORY";
        /// Without local memory.
        SKIP_LOCAL_MEMORY = 8, "CU_COREDUMP_SKIP_LOCAL_MEMORY";
        /// The process goes on after the dump.
        SKIP_ABORT = 16, "CU_COREDUMP_SKIP_ABORT";
        /// Without constant memory.
        SKIP_CONSTBANK_MEMORY = 32, "CU_COREDUMP_SKIP_CONSTBANK_MEMORY";
        /// Compressed (newer drivers).
        GZIP_COMPRESS = 64, "CU_COREDUMP_GZIP_COMPRESS";
        /// Only contexts that faulted (newer drivers).
        FAULTED_CONTEXTS_ONLY = 128, "CU_COREDUMP_FAULTED_CONTEXTS_ONLY";
    }
}

choices! {
    /// How bad it is (`CUlogLevel`).
    pub struct LogLevel(c_uint) {
        /// A call has failed.
        ERROR = 0, "CU_LOG_LEVEL_ERROR";
        /// Something may not be as it was meant.
        WARNING = 1, "CU_LOG_LEVEL_WARNING";
    }
}
