//! Names and descriptions of NVRTC's result codes, up to CUDA 13.5.

/// `(code, name, description)`, by code.
pub(super) const TABLE: &[(u32, &str, &str)] = &[
    (0, "NVRTC_SUCCESS", "no error"),
    (1, "NVRTC_ERROR_OUT_OF_MEMORY", "not enough host memory"),
    (
        2,
        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "the program could not be created",
    ),
    (
        3,
        "NVRTC_ERROR_INVALID_INPUT",
        "an argument is outside the range that the call accepts",
    ),
    (
        4,
        "NVRTC_ERROR_INVALID_PROGRAM",
        "the program handle is not valid",
    ),
    (
        5,
        "NVRTC_ERROR_INVALID_OPTION",
        "a compile option is not valid: the log says which",
    ),
    (
        6,
        "NVRTC_ERROR_COMPILATION",
        "the source does not compile: the log says why",
    ),
    (
        7,
        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "NVRTC did not find its second library, libnvrtc-builtins, or could not use it. Fix: put it in the folder of \
         libnvrtc, and set LD_LIBRARY_PATH to that folder",
    ),
    (
        8,
        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "name expressions must be added before compiling",
    ),
    (
        9,
        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "lowered names are only available after compiling",
    ),
    (
        10,
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        "the name expression is not valid",
    ),
    (
        11,
        "NVRTC_ERROR_INTERNAL_ERROR",
        "an internal error of the compiler",
    ),
    (
        12,
        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
        "the file for the compile times could not be written",
    ),
    (
        13,
        "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
        "no precompiled header was requested",
    ),
    (
        14,
        "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
        "the heap is too small for the precompiled header",
    ),
    (
        15,
        "NVRTC_ERROR_PCH_CREATE",
        "the precompiled header could not be written",
    ),
    (
        16,
        "NVRTC_ERROR_CANCELLED",
        "the callback cancelled the compilation",
    ),
    (
        17,
        "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED",
        "the file for the time trace could not be written",
    ),
    (
        18,
        "NVRTC_ERROR_BUSY",
        "another process is installing the headers",
    ),
];
