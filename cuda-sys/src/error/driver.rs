//! Names and descriptions of the driver's result codes, up to CUDA 13.5.

/// `(code, name, description)`, by code.
pub(super) const TABLE: &[(u32, &str, &str)] = &[
    (0, "CUDA_SUCCESS", "no error"),
    (
        1,
        "CUDA_ERROR_INVALID_VALUE",
        "an argument is outside of what the call accepts",
    ),
    (2, "CUDA_ERROR_OUT_OF_MEMORY", "not enough free memory"),
    (
        3,
        "CUDA_ERROR_NOT_INITIALIZED",
        "the driver is not initialised: cuInit comes first",
    ),
    (4, "CUDA_ERROR_DEINITIALIZED", "the driver is shutting down"),
    (
        5,
        "CUDA_ERROR_PROFILER_DISABLED",
        "the profiler is disabled for this run",
    ),
    (
        6,
        "CUDA_ERROR_PROFILER_NOT_INITIALIZED",
        "the profiler is not initialised (no longer returned)",
    ),
    (
        7,
        "CUDA_ERROR_PROFILER_ALREADY_STARTED",
        "the profiler is running already (no longer returned)",
    ),
    (
        8,
        "CUDA_ERROR_PROFILER_ALREADY_STOPPED",
        "the profiler is stopped already (no longer returned)",
    ),
    (
        34,
        "CUDA_ERROR_STUB_LIBRARY",
        "the loaded libcuda is a link-time stub, not a driver",
    ),
    (
        36,
        "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER",
        "the call needs a newer driver",
    ),
    (
        46,
        "CUDA_ERROR_DEVICE_UNAVAILABLE",
        "the device is in use by another process or switched off",
    ),
    (
        47,
        "CUDA_ERROR_MULTICAST_RESOURCE_FULL",
        "the hardware has nothing left to bind this memory to a multicast object with",
    ),
    (100, "CUDA_ERROR_NO_DEVICE", "no CUDA device was found"),
    (
        101,
        "CUDA_ERROR_INVALID_DEVICE",
        "there is no device with this number, or it cannot do this",
    ),
    (
        102,
        "CUDA_ERROR_DEVICE_NOT_LICENSED",
        "the device has no licence (vGPU)",
    ),
    (
        200,
        "CUDA_ERROR_INVALID_IMAGE",
        "the image is not PTX, cubin or fatbin, or is damaged",
    ),
    (
        201,
        "CUDA_ERROR_INVALID_CONTEXT",
        "no context is current, or the context is not valid",
    ),
    (
        202,
        "CUDA_ERROR_CONTEXT_ALREADY_CURRENT",
        "the context is current already (no longer returned)",
    ),
    (
        205,
        "CUDA_ERROR_MAP_FAILED",
        "the resource could not be mapped",
    ),
    (
        206,
        "CUDA_ERROR_UNMAP_FAILED",
        "the resource could not be unmapped",
    ),
    (
        207,
        "CUDA_ERROR_ARRAY_IS_MAPPED",
        "the array is mapped and cannot be destroyed",
    ),
    (
        208,
        "CUDA_ERROR_ALREADY_MAPPED",
        "the resource is mapped already",
    ),
    (
        209,
        "CUDA_ERROR_NO_BINARY_FOR_GPU",
        "the image holds no code for this device",
    ),
    (
        210,
        "CUDA_ERROR_ALREADY_ACQUIRED",
        "the resource is acquired already",
    ),
    (211, "CUDA_ERROR_NOT_MAPPED", "the resource is not mapped"),
    (
        212,
        "CUDA_ERROR_NOT_MAPPED_AS_ARRAY",
        "the resource is not mapped as an array",
    ),
    (
        213,
        "CUDA_ERROR_NOT_MAPPED_AS_POINTER",
        "the resource is not mapped as a pointer",
    ),
    (
        214,
        "CUDA_ERROR_ECC_UNCORRECTABLE",
        "the device's memory had an error that ECC could not correct",
    ),
    (
        215,
        "CUDA_ERROR_UNSUPPORTED_LIMIT",
        "the device does not have this limit",
    ),
    (
        216,
        "CUDA_ERROR_CONTEXT_ALREADY_IN_USE",
        "the context is current to another thread",
    ),
    (
        217,
        "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
        "these two devices cannot access each other's memory",
    ),
    (
        218,
        "CUDA_ERROR_INVALID_PTX",
        "the PTX does not compile: the JIT log says why",
    ),
    (
        219,
        "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT",
        "the graphics context is not valid",
    ),
    (
        220,
        "CUDA_ERROR_NVLINK_UNCORRECTABLE",
        "an NVLink had an error that could not be corrected",
    ),
    (
        221,
        "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
        "the driver's PTX compiler library was not found",
    ),
    (
        222,
        "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
        "the PTX is of a newer toolkit than this driver compiles",
    ),
    (
        223,
        "CUDA_ERROR_JIT_COMPILATION_DISABLED",
        "compiling PTX is disabled",
    ),
    (
        224,
        "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY",
        "the device does not have this execution affinity",
    ),
    (
        225,
        "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC",
        "the code calls cudaDeviceSynchronize on the device",
    ),
    (
        226,
        "CUDA_ERROR_CONTAINED",
        "a fault was contained on the device: this process must end, others may go on",
    ),
    (
        227,
        "CUDA_ERROR_INSUFFICIENT_LOADER_VERSION",
        "the driver is too old to load this image",
    ),
    (
        300,
        "CUDA_ERROR_INVALID_SOURCE",
        "the kernel's source is not valid, or the file could not be read",
    ),
    (301, "CUDA_ERROR_FILE_NOT_FOUND", "the file was not found"),
    (
        302,
        "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND",
        "a symbol of a shared library was not found",
    ),
    (
        303,
        "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
        "a shared library could not be initialised",
    ),
    (
        304,
        "CUDA_ERROR_OPERATING_SYSTEM",
        "a call to the operating system failed",
    ),
    (
        400,
        "CUDA_ERROR_INVALID_HANDLE",
        "the handle is not valid: freed, foreign or never made",
    ),
    (
        401,
        "CUDA_ERROR_ILLEGAL_STATE",
        "an object is not in the state that the call needs",
    ),
    (
        402,
        "CUDA_ERROR_LOSSY_QUERY",
        "the answer would leave out something that matters",
    ),
    (
        500,
        "CUDA_ERROR_NOT_FOUND",
        "no symbol of this name was found",
    ),
    (600, "CUDA_ERROR_NOT_READY", "the work is not finished yet"),
    (
        700,
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "a kernel accessed memory that it may not: the context is lost",
    ),
    (
        701,
        "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
        "the launch asks for more threads, registers or shared memory than there are",
    ),
    (
        702,
        "CUDA_ERROR_LAUNCH_TIMEOUT",
        "the kernel ran longer than this device allows: the context is lost",
    ),
    (
        703,
        "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING",
        "the launch uses an incompatible texturing mode",
    ),
    (
        704,
        "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
        "peer access is enabled already",
    ),
    (
        705,
        "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED",
        "peer access is not enabled",
    ),
    (
        708,
        "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE",
        "the primary context is in use already",
    ),
    (
        709,
        "CUDA_ERROR_CONTEXT_IS_DESTROYED",
        "the context is destroyed, or its primary context not yet made",
    ),
    (
        710,
        "CUDA_ERROR_ASSERT",
        "an assertion in a kernel failed: the context is lost",
    ),
    (
        711,
        "CUDA_ERROR_TOO_MANY_PEERS",
        "the device cannot have more peers",
    ),
    (
        712,
        "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
        "this host memory is registered already",
    ),
    (
        713,
        "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
        "this host memory is not registered",
    ),
    (
        714,
        "CUDA_ERROR_HARDWARE_STACK_ERROR",
        "the call stack overflowed or broke: the context is lost",
    ),
    (
        715,
        "CUDA_ERROR_ILLEGAL_INSTRUCTION",
        "a kernel met an illegal instruction: the context is lost",
    ),
    (
        716,
        "CUDA_ERROR_MISALIGNED_ADDRESS",
        "a kernel accessed a misaligned address: the context is lost",
    ),
    (
        717,
        "CUDA_ERROR_INVALID_ADDRESS_SPACE",
        "an instruction met an address of the wrong space: the context is lost",
    ),
    (
        718,
        "CUDA_ERROR_INVALID_PC",
        "a kernel jumped to an invalid address: the context is lost",
    ),
    (
        719,
        "CUDA_ERROR_LAUNCH_FAILED",
        "a kernel ended with an exception: the context is lost",
    ),
    (
        720,
        "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        "a cooperative launch has more blocks than fit the device at once",
    ),
    (
        721,
        "CUDA_ERROR_TENSOR_MEMORY_LEAK",
        "a kernel ended without freeing its tensor memory: the context is lost",
    ),
    (
        800,
        "CUDA_ERROR_NOT_PERMITTED",
        "the operation is not permitted",
    ),
    (
        801,
        "CUDA_ERROR_NOT_SUPPORTED",
        "the operation is not supported here",
    ),
    (
        802,
        "CUDA_ERROR_SYSTEM_NOT_READY",
        "the system is not ready for CUDA work: are its services running?",
    ),
    (
        803,
        "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
        "the kernel driver and libcuda are of different versions",
    ),
    (
        804,
        "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        "forward compatibility is not supported on this device",
    ),
    (
        805,
        "CUDA_ERROR_MPS_CONNECTION_FAILED",
        "the MPS server could not be reached",
    ),
    (
        806,
        "CUDA_ERROR_MPS_RPC_FAILURE",
        "a call to the MPS server failed",
    ),
    (
        807,
        "CUDA_ERROR_MPS_SERVER_NOT_READY",
        "the MPS server is not ready",
    ),
    (
        808,
        "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED",
        "the MPS server has no room for another client",
    ),
    (
        809,
        "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED",
        "the MPS server has no room for another connection",
    ),
    (
        810,
        "CUDA_ERROR_MPS_CLIENT_TERMINATED",
        "the MPS server ended this client",
    ),
    (
        811,
        "CUDA_ERROR_CDP_NOT_SUPPORTED",
        "launches from the device are not supported here",
    ),
    (
        812,
        "CUDA_ERROR_CDP_VERSION_MISMATCH",
        "modules with different versions of device-side launch meet",
    ),
    (
        900,
        "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
        "the call cannot be captured from a stream",
    ),
    (
        901,
        "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
        "an earlier error made this stream's capture invalid",
    ),
    (
        902,
        "CUDA_ERROR_STREAM_CAPTURE_MERGE",
        "the call would merge two independent captures",
    ),
    (
        903,
        "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
        "the capture was not begun on this stream",
    ),
    (
        904,
        "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
        "a stream forked from the capture was not joined to it",
    ),
    (
        905,
        "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
        "the call would make captured work depend on work outside of it",
    ),
    (
        906,
        "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
        "the capture would depend on the legacy default stream",
    ),
    (
        907,
        "CUDA_ERROR_CAPTURED_EVENT",
        "the event was last recorded in a capturing stream",
    ),
    (
        908,
        "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
        "the capture was begun by another thread",
    ),
    (
        909,
        "CUDA_ERROR_TIMEOUT",
        "the wait ended before the work did",
    ),
    (
        910,
        "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
        "the instantiated graph cannot take this change",
    ),
    (
        911,
        "CUDA_ERROR_EXTERNAL_DEVICE",
        "a device other than the GPU failed: the context is lost",
    ),
    (
        912,
        "CUDA_ERROR_INVALID_CLUSTER_SIZE",
        "the cluster size does not suit the launch",
    ),
    (
        913,
        "CUDA_ERROR_FUNCTION_NOT_LOADED",
        "the function is not loaded yet",
    ),
    (
        914,
        "CUDA_ERROR_INVALID_RESOURCE_TYPE",
        "a resource is of the wrong type",
    ),
    (
        915,
        "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION",
        "resources are too few or do not go together",
    ),
    (
        916,
        "CUDA_ERROR_KEY_ROTATION",
        "the key rotation went wrong (confidential computing)",
    ),
    (
        917,
        "CUDA_ERROR_STREAM_DETACHED",
        "the stream's green context is gone",
    ),
    (
        918,
        "CUDA_ERROR_GRAPH_RECAPTURE_FAILURE",
        "capturing the graph again failed",
    ),
    (
        919,
        "CUDA_ERROR_FABRIC_NOT_READY",
        "the NVLink fabric is not ready",
    ),
    (
        999,
        "CUDA_ERROR_UNKNOWN",
        "the driver does not know what went wrong",
    ),
];
