//! The constants of captures and graphs.

use super::define;

define! {
    /// Changes of the dependencies of a captured stream.
    CUstreamUpdateCaptureDependencies_flags {
        CU_STREAM_ADD_CAPTURE_DEPENDENCIES = 0,
        CU_STREAM_SET_CAPTURE_DEPENDENCIES = 1,
    }
    /// The calls that a capture forbids to other threads and streams.
    CUstreamCaptureMode {
        CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
        CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
        CU_STREAM_CAPTURE_MODE_RELAXED = 2,
    }
    /// States of a capture.
    CUstreamCaptureStatus {
        CU_STREAM_CAPTURE_STATUS_NONE = 0,
        CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
        CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
    }
    /// Types of graph nodes.
    CUgraphNodeType {
        CU_GRAPH_NODE_TYPE_KERNEL = 0,
        CU_GRAPH_NODE_TYPE_MEMCPY = 1,
        CU_GRAPH_NODE_TYPE_MEMSET = 2,
        CU_GRAPH_NODE_TYPE_HOST = 3,
        CU_GRAPH_NODE_TYPE_GRAPH = 4,
        CU_GRAPH_NODE_TYPE_EMPTY = 5,
        CU_GRAPH_NODE_TYPE_WAIT_EVENT = 6,
        CU_GRAPH_NODE_TYPE_EVENT_RECORD = 7,
        CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL = 8,
        CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT = 9,
        CU_GRAPH_NODE_TYPE_MEM_ALLOC = 10,
        CU_GRAPH_NODE_TYPE_MEM_FREE = 11,
        CU_GRAPH_NODE_TYPE_BATCH_MEM_OP = 12,
        CU_GRAPH_NODE_TYPE_CONDITIONAL = 13,
    }
    /// Types of conditional nodes.
    CUgraphConditionalNodeType {
        CU_GRAPH_COND_TYPE_IF = 0,
        CU_GRAPH_COND_TYPE_WHILE = 1,
        CU_GRAPH_COND_TYPE_SWITCH = 2,
    }
    /// The dependency that an edge of a graph represents.
    CUgraphDependencyType {
        CU_GRAPH_DEPENDENCY_TYPE_DEFAULT = 0,
        CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC = 1,
    }
    /// Ownership of a child graph.
    CUgraphChildGraphNodeOwnership {
        CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE = 0,
        CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE = 1,
    }
    /// Details in a printed graph.
    CUgraphDebugDot_flags {
        CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE = 1,
        CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES = 2,
        CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS = 4,
        CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS = 8,
        CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS = 16,
        CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS = 32,
        CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS = 64,
        CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES = 1024,
    }
    /// Flags of an executable graph.
    CUgraphInstantiate_flags {
        CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH = 1,
        CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD = 2,
        CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH = 4,
        CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY = 8,
    }
    /// Attributes of the memory of graphs.
    CUgraphMem_attribute {
        CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT = 0,
        CU_GRAPH_MEM_ATTR_USED_MEM_HIGH = 1,
        CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT = 2,
        CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH = 3,
    }
    /// Flags of a user object.
    CUuserObject_flags {
        CU_USER_OBJECT_NO_DESTRUCTOR_SYNC = 1,
    }
    /// How a graph acquires references to a user object.
    CUuserObjectRetain_flags {
        CU_GRAPH_USER_OBJECT_MOVE = 1,
    }
    /// The result of updating an executable graph.
    CUgraphExecUpdateResult {
        CU_GRAPH_EXEC_UPDATE_SUCCESS = 0,
        CU_GRAPH_EXEC_UPDATE_ERROR = 1,
        CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED = 2,
        CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED = 3,
        CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED = 4,
        CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED = 5,
        CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED = 6,
        CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE = 7,
        CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED = 8,
    }
    /// The result of instantiating a graph.
    CUgraphInstantiateResult {
        CUDA_GRAPH_INSTANTIATE_SUCCESS = 0,
        CUDA_GRAPH_INSTANTIATE_ERROR = 1,
        CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE = 2,
        CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED = 3,
        CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED = 4,
        CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED = 5,
    }

    /// Constants that the header defines by macros: ports of edges, flags of conditional handles.
    macros {
        CU_GRAPH_COND_ASSIGN_DEFAULT = 1,
        CU_GRAPH_KERNEL_NODE_PORT_DEFAULT = 0,
        CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC = 1,
        CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER = 2,
    }
}
