//! Names and descriptions of the driver's result codes, up to CUDA 13.5.

/// Calls the macro with the given name with one row for every code: the name without its prefix
/// `CUDA_`, the number, the meaning, and the text of `cuGetErrorString`. The latter is for
/// libraries that replace the driver.
#[doc(hidden)]
#[macro_export]
macro_rules! driver_result_codes {
    ($with:ident) => {
        $with! {
            SUCCESS = 0, "no error",
                "no error";
            ERROR_INVALID_VALUE = 1, "an argument is outside the range that the call accepts",
                "invalid argument";
            ERROR_OUT_OF_MEMORY = 2, "not enough free memory",
                "out of memory";
            ERROR_NOT_INITIALIZED = 3, "the driver is not initialised: call cuInit first",
                "initialization error";
            ERROR_DEINITIALIZED = 4, "the driver is shutting down",
                "driver shutting down";
            ERROR_PROFILER_DISABLED = 5, "the profiler is disabled for this run",
                "profiler disabled while using external profiling tool";
            ERROR_PROFILER_NOT_INITIALIZED = 6, "the profiler is not initialised (no longer returned)",
                "profiler not initialized: call cuProfilerInitialize()";
            ERROR_PROFILER_ALREADY_STARTED = 7, "the profiler is already running (no longer returned)",
                "profiler already started";
            ERROR_PROFILER_ALREADY_STOPPED = 8, "the profiler is already stopped (no longer returned)",
                "profiler already stopped";
            ERROR_STUB_LIBRARY = 34, "the loaded libcuda is a link-time stub, not a driver",
                "CUDA driver is a stub library";
            ERROR_CALL_REQUIRES_NEWER_DRIVER = 36, "the call needs a newer driver",
                "API call is not supported in the installed CUDA driver";
            ERROR_DEVICE_UNAVAILABLE = 46, "the device is in use by another process or switched off",
                "CUDA-capable device(s) is/are busy or unavailable";
            ERROR_MULTICAST_RESOURCE_FULL = 47, "the hardware has no resources left to bind this memory to a multicast object",
                "multicast resources are exhausted";
            ERROR_NO_DEVICE = 100, "no CUDA device was found",
                "no CUDA-capable device is detected";
            ERROR_INVALID_DEVICE = 101, "there is no device with this number, or it does not support the operation",
                "invalid device ordinal";
            ERROR_DEVICE_NOT_LICENSED = 102, "the device has no license (vGPU)",
                "device doesn't have valid Grid license";
            ERROR_INVALID_IMAGE = 200, "the image is not PTX, cubin or fatbin, or is damaged",
                "device kernel image is invalid";
            ERROR_INVALID_CONTEXT = 201, "no context is current, or the context is not valid",
                "invalid device context";
            ERROR_CONTEXT_ALREADY_CURRENT = 202, "the context is already current (no longer returned)",
                "context already current";
            ERROR_MAP_FAILED = 205, "the resource could not be mapped",
                "mapping of buffer object failed";
            ERROR_UNMAP_FAILED = 206, "the resource could not be unmapped",
                "unmapping of buffer object failed";
            ERROR_ARRAY_IS_MAPPED = 207, "the array is mapped and cannot be destroyed",
                "array is mapped";
            ERROR_ALREADY_MAPPED = 208, "the resource is already mapped",
                "resource already mapped";
            ERROR_NO_BINARY_FOR_GPU = 209, "the image contains no code for this device",
                "no kernel image is available for execution on the device";
            ERROR_ALREADY_ACQUIRED = 210, "the resource is already acquired",
                "resource already acquired";
            ERROR_NOT_MAPPED = 211, "the resource is not mapped",
                "resource not mapped";
            ERROR_NOT_MAPPED_AS_ARRAY = 212, "the resource is not mapped as an array",
                "resource not mapped as array";
            ERROR_NOT_MAPPED_AS_POINTER = 213, "the resource is not mapped as a pointer",
                "resource not mapped as pointer";
            ERROR_ECC_UNCORRECTABLE = 214, "the device's memory had an error that ECC could not correct",
                "uncorrectable ECC error encountered";
            ERROR_UNSUPPORTED_LIMIT = 215, "the device does not support this limit",
                "limit is not supported on this architecture";
            ERROR_CONTEXT_ALREADY_IN_USE = 216, "the context is current to another thread",
                "exclusive-thread device already in use by a different thread";
            ERROR_PEER_ACCESS_UNSUPPORTED = 217, "these two devices cannot access each other's memory",
                "peer access is not supported between these two devices";
            ERROR_INVALID_PTX = 218, "the PTX does not compile: the JIT log says why",
                "a PTX JIT compilation failed";
            ERROR_INVALID_GRAPHICS_CONTEXT = 219, "the graphics context is not valid",
                "invalid OpenGL or DirectX context";
            ERROR_NVLINK_UNCORRECTABLE = 220, "an NVLink had an error that could not be corrected",
                "uncorrectable NVLink error detected during the execution";
            ERROR_JIT_COMPILER_NOT_FOUND = 221, "the driver's PTX compiler library was not found",
                "PTX JIT compiler library not found";
            ERROR_UNSUPPORTED_PTX_VERSION = 222, "the PTX version is newer than this driver supports",
                "the provided PTX was compiled with an unsupported toolchain.";
            ERROR_JIT_COMPILATION_DISABLED = 223, "compiling PTX is disabled",
                "PTX JIT compilation was disabled";
            ERROR_UNSUPPORTED_EXEC_AFFINITY = 224, "the device does not support this execution affinity",
                "the provided execution affinity is not supported";
            ERROR_UNSUPPORTED_DEVSIDE_SYNC = 225, "the code calls cudaDeviceSynchronize on the device",
                "the provided PTX contains unsupported call to cudaDeviceSynchronize";
            ERROR_CONTAINED = 226, "a fault was contained on the device: this process must end, but others can continue",
                "Invalid resource access was detected and contained";
            ERROR_INSUFFICIENT_LOADER_VERSION = 227, "the driver is too old to load this image",
                "the loader is older than the image needs";
            ERROR_INVALID_SOURCE = 300, "the kernel's source is not valid, or the file could not be read",
                "device kernel image is invalid";
            ERROR_FILE_NOT_FOUND = 301, "the file was not found",
                "file not found";
            ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND = 302, "a symbol of a shared library was not found",
                "shared object symbol not found";
            ERROR_SHARED_OBJECT_INIT_FAILED = 303, "a shared library could not be initialised",
                "shared object initialization failed";
            ERROR_OPERATING_SYSTEM = 304, "a call to the operating system failed",
                "OS call failed or operation not supported on this OS";
            ERROR_INVALID_HANDLE = 400, "the handle is not valid: it was freed, belongs elsewhere or was never created",
                "invalid resource handle";
            ERROR_ILLEGAL_STATE = 401, "an object is not in the state that the call needs",
                "the operation cannot be performed in the present state";
            ERROR_LOSSY_QUERY = 402, "the answer would omit important information",
                "attempted introspection would be semantically lossy";
            ERROR_NOT_FOUND = 500, "no symbol of this name was found",
                "named symbol not found";
            ERROR_NOT_READY = 600, "the work is not finished yet",
                "device not ready";
            ERROR_ILLEGAL_ADDRESS = 700, "a kernel made an illegal memory access: the context is lost",
                "an illegal memory access was encountered";
            ERROR_LAUNCH_OUT_OF_RESOURCES = 701, "the launch requires more threads, registers or shared memory than available",
                "too many resources requested for launch";
            ERROR_LAUNCH_TIMEOUT = 702, "the kernel ran longer than this device allows: the context is lost",
                "the launch timed out and was terminated";
            ERROR_LAUNCH_INCOMPATIBLE_TEXTURING = 703, "the launch uses an incompatible texturing mode",
                "launch uses incompatible texturing mode";
            ERROR_PEER_ACCESS_ALREADY_ENABLED = 704, "peer access is already enabled",
                "peer access is already enabled";
            ERROR_PEER_ACCESS_NOT_ENABLED = 705, "peer access is not enabled",
                "peer access has not been enabled";
            ERROR_PRIMARY_CONTEXT_ACTIVE = 708, "the primary context is already in use",
                "cannot set while device is active in this process";
            ERROR_CONTEXT_IS_DESTROYED = 709, "the context is destroyed, or its primary context has not been created",
                "context is destroyed";
            ERROR_ASSERT = 710, "an assertion in a kernel failed: the context is lost",
                "device-side assert triggered";
            ERROR_TOO_MANY_PEERS = 711, "the device cannot have more peers",
                "peer mapping resources exhausted";
            ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712, "this host memory is already registered",
                "part or all of the requested memory range is already mapped";
            ERROR_HOST_MEMORY_NOT_REGISTERED = 713, "this host memory is not registered",
                "pointer does not correspond to a registered memory region";
            ERROR_HARDWARE_STACK_ERROR = 714, "the call stack overflowed or was corrupted: the context is lost",
                "hardware stack error";
            ERROR_ILLEGAL_INSTRUCTION = 715, "a kernel executed an illegal instruction: the context is lost",
                "an illegal instruction was encountered";
            ERROR_MISALIGNED_ADDRESS = 716, "a kernel accessed a misaligned address: the context is lost",
                "misaligned address";
            ERROR_INVALID_ADDRESS_SPACE = 717, "an instruction used an address of the wrong address space: the context is lost",
                "operation not supported on global/shared address space";
            ERROR_INVALID_PC = 718, "a kernel jumped to an invalid address: the context is lost",
                "invalid program counter";
            ERROR_LAUNCH_FAILED = 719, "a kernel ended with an exception: the context is lost",
                "unspecified launch failure";
            ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720, "a cooperative launch has more blocks than fit on the device at once",
                "too many blocks in cooperative launch";
            ERROR_TENSOR_MEMORY_LEAK = 721, "a kernel ended without freeing its tensor memory: the context is lost",
                "tensor memory not completely freed";
            ERROR_NOT_PERMITTED = 800, "the operation is not permitted",
                "operation not permitted";
            ERROR_NOT_SUPPORTED = 801, "the operation is not supported here",
                "operation not supported";
            ERROR_SYSTEM_NOT_READY = 802, "the system is not ready for CUDA work: are its services running?",
                "system not yet initialized";
            ERROR_SYSTEM_DRIVER_MISMATCH = 803, "the kernel driver and libcuda have different versions",
                "system has unsupported display driver / cuda driver combination";
            ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804, "forward compatibility is not supported on this device",
                "forward compatibility was attempted on non supported HW";
            ERROR_MPS_CONNECTION_FAILED = 805, "the MPS server could not be reached",
                "MPS client failed to connect to the MPS control daemon or the MPS server";
            ERROR_MPS_RPC_FAILURE = 806, "a call to the MPS server failed",
                "the remote procedural call between the MPS server and the MPS client failed";
            ERROR_MPS_SERVER_NOT_READY = 807, "the MPS server is not ready",
                "MPS server is not ready to accept new MPS client requests";
            ERROR_MPS_MAX_CLIENTS_REACHED = 808, "the MPS server has no room for another client",
                "the hardware resources required to create MPS client have been exhausted";
            ERROR_MPS_MAX_CONNECTIONS_REACHED = 809, "the MPS server has no room for another connection",
                "the hardware resources required to support device connections have been exhausted";
            ERROR_MPS_CLIENT_TERMINATED = 810, "the MPS server ended this client",
                "the MPS client has been terminated by the server";
            ERROR_CDP_NOT_SUPPORTED = 811, "launches from the device are not supported here",
                "the program is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it";
            ERROR_CDP_VERSION_MISMATCH = 812, "modules use different versions of device-side launch",
                "unsupported interaction between different versions of CUDA Dynamic Parallelism";
            ERROR_STREAM_CAPTURE_UNSUPPORTED = 900, "the call cannot be captured from a stream",
                "operation not permitted when stream is capturing";
            ERROR_STREAM_CAPTURE_INVALIDATED = 901, "an earlier error made this stream's capture invalid",
                "operation failed due to a previous error during capture";
            ERROR_STREAM_CAPTURE_MERGE = 902, "the call would merge two independent captures",
                "operation would result in a merge of separate capture sequences";
            ERROR_STREAM_CAPTURE_UNMATCHED = 903, "the capture was not started on this stream",
                "capture was not ended in the same stream as it began";
            ERROR_STREAM_CAPTURE_UNJOINED = 904, "a stream forked from the capture was not joined to it",
                "capturing stream has unjoined work";
            ERROR_STREAM_CAPTURE_ISOLATION = 905, "the call would make captured work depend on uncaptured work",
                "dependency created on uncaptured work in another stream";
            ERROR_STREAM_CAPTURE_IMPLICIT = 906, "the capture would depend on the legacy default stream",
                "operation would make the legacy stream depend on a capturing blocking stream";
            ERROR_CAPTURED_EVENT = 907, "the event was last recorded in a capturing stream",
                "operation not permitted on an event last recorded in a capturing stream";
            ERROR_STREAM_CAPTURE_WRONG_THREAD = 908, "another thread started the capture",
                "attempt to terminate a thread-local capture sequence from another thread";
            ERROR_TIMEOUT = 909, "the wait ended before the work did",
                "wait operation timed out";
            ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910, "the instantiated graph does not support this change",
                "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update";
            ERROR_EXTERNAL_DEVICE = 911, "a device other than the GPU failed: the context is lost",
                "an async error has occurred in external entity outside of CUDA";
            ERROR_INVALID_CLUSTER_SIZE = 912, "the cluster size is not valid for the launch",
                "a kernel launch error has occurred due to cluster misconfiguration";
            ERROR_FUNCTION_NOT_LOADED = 913, "the function is not loaded yet",
                "the function handle is not loaded when calling an API that requires a loaded function";
            ERROR_INVALID_RESOURCE_TYPE = 914, "a resource has the wrong type",
                "one or more resources passed in are not valid resource types for the operation";
            ERROR_INVALID_RESOURCE_CONFIGURATION = 915, "the resources are insufficient or can't be combined",
                "one or more resources are insufficient or non-applicable for the operation";
            ERROR_KEY_ROTATION = 916, "the key rotation failed (confidential computing)",
                "a key rotation is in progress and the operation cannot be performed";
            ERROR_STREAM_DETACHED = 917, "the stream's green context was destroyed",
                "the requested operation is not permitted because the stream is in a detached state";
            ERROR_GRAPH_RECAPTURE_FAILURE = 918, "capturing the graph again failed",
                "the graph could not be captured again";
            ERROR_FABRIC_NOT_READY = 919, "the NVLink fabric is not ready",
                "the fabric is not ready";
            ERROR_UNKNOWN = 999, "the driver does not know the cause",
                "unknown error";
        }
    };
}

macro_rules! table {
    ($($name:ident = $code:literal, $meaning:literal, $driver:literal;)*) => {
        /// `(code, name, description)`, by code.
        pub(super) const TABLE: &[(u32, &str, &str)] =
            &[$(($code, concat!("CUDA_", stringify!($name)), $meaning),)*];
    };
}

driver_result_codes!(table);
