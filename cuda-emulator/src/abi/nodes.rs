//! The structures of graphs and their nodes.

use std::mem::MaybeUninit;

use super::pointers::opaque;
use super::{Copy3d, PoolProperties};

/// `CUgraphEdgeData`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeData {
    pub from_port: u8,
    pub to_port: u8,
    pub kind: u8,
    pub reserved: [u8; 5],
}

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct InstantiateParams {
    pub flags: u64,
    pub upload_stream: u64,
    pub error_node: u64,
    pub result: u32,
}

/// `CUgraphExecUpdateResultInfo`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UpdateInfo {
    pub result: u32,
    pub error_node: u64,
    pub error_from: u64,
}

/// `CUDA_KERNEL_NODE_PARAMS`, first version.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct KernelNodeParams {
    pub function: u64,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub arguments: u64,
    pub extra: u64,
}

/// `CUDA_KERNEL_NODE_PARAMS`, second and third version.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct KernelNodeParams2 {
    pub plain: KernelNodeParams,
    pub kernel: u64,
    pub context: u64,
}

/// `CUDA_MEMCPY_NODE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemcpyNodeParams {
    pub flags: i32,
    pub reserved: i32,
    pub context: u64,
    pub copy: Copy3d,
}

/// `CUDA_MEMSET_NODE_PARAMS`, first version.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemsetNodeParams {
    pub address: u64,
    pub pitch: usize,
    pub value: u32,
    pub element: u32,
    pub width: usize,
    pub height: usize,
}

/// `CUDA_MEMSET_NODE_PARAMS`, second version.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemsetNodeParams2 {
    pub plain: MemsetNodeParams,
    pub context: u64,
}

/// `CUDA_HOST_NODE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostNodeParams {
    pub function: u64,
    pub data: u64,
}

/// `CUDA_CHILD_GRAPH_NODE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ChildNodeParams {
    pub graph: u64,
    pub ownership: u32,
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AllocNodeParams {
    pub pool: PoolProperties,
    pub access: u64,
    pub access_count: usize,
    pub size: usize,
    pub address: u64,
}

/// `CUDA_CONDITIONAL_NODE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ConditionalNodeParams {
    pub handle: u64,
    pub kind: u32,
    pub size: u32,
    /// Address of the array of the bodies' handles.
    pub bodies: u64,
    pub context: u64,
}

/// `CUDA_BATCH_MEM_OP_NODE_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BatchNodeParams {
    pub context: u64,
    pub count: u32,
    pub operations: u64,
    pub flags: u32,
}

/// `CUgraphNodeParams`. The contents of its union depend on the type.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct NodeParams {
    pub kind: u32,
    pub reserved: [i32; 3],
    /// Padding of the members may be uninitialized.
    body: MaybeUninit<[u64; 29]>,
    pub reserved_too: u64,
}

impl NodeParams {
    /// Creates the parameters of a node of one type.
    pub fn new<T: Copy>(kind: u32, params: T) -> NodeParams {
        let mut all = NodeParams {
            kind,
            reserved: [0; 3],
            body: MaybeUninit::zeroed(),
            reserved_too: 0,
        };
        all.set(params);
        all
    }

    /// Reads a member of the union.
    pub fn get<T: Copy>(&self) -> T {
        const { assert!(size_of::<T>() <= size_of::<[u64; 29]>() && align_of::<T>() <= 8) };
        // SAFETY: large enough and aligned. The members are integers, for which all bits are valid.
        unsafe { self.body.as_ptr().cast::<T>().read() }
    }

    /// Sets a member of the union.
    pub fn set<T: Copy>(&mut self, params: T) {
        const { assert!(size_of::<T>() <= size_of::<[u64; 29]>() && align_of::<T>() <= 8) };
        // SAFETY: large enough and aligned.
        unsafe { self.body.as_mut_ptr().cast::<T>().write(params) };
    }
}

opaque!(
    EdgeData,
    InstantiateParams,
    UpdateInfo,
    KernelNodeParams,
    KernelNodeParams2,
    MemsetNodeParams,
    HostNodeParams,
    AllocNodeParams,
    BatchNodeParams,
    Copy3d,
    NodeParams
);

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::abi::header::{compare, layout};

    #[test]
    fn node_layouts_match_the_header() {
        assert!(compare!(
            KernelNodeParams,
            "CUDA_KERNEL_NODE_PARAMS_st",
            function = "func",
            grid = "gridDimX",
            block = "blockDimX",
            shared = "sharedMemBytes",
            arguments = "kernelParams",
            extra = "extra"
        ));
        for name in [
            "CUDA_KERNEL_NODE_PARAMS_v2_st",
            "CUDA_KERNEL_NODE_PARAMS_v3_st",
        ] {
            let Some(found) = layout(name) else {
                // CUDA 12.0 has no third version.
                continue;
            };
            assert_eq!(size_of::<KernelNodeParams2>(), found.size);
            let kernel = offset_of!(KernelNodeParams2, kernel);
            let context = offset_of!(KernelNodeParams2, context);
            assert_eq!(found.offsets.get("kern"), Some(&kernel));
            assert_eq!(found.offsets.get("ctx"), Some(&context));
        }
        assert!(compare!(
            MemsetNodeParams,
            "CUDA_MEMSET_NODE_PARAMS_st",
            address = "dst",
            pitch = "pitch",
            value = "value",
            element = "elementSize",
            width = "width",
            height = "height"
        ));
        assert!(compare!(
            HostNodeParams,
            "CUDA_HOST_NODE_PARAMS_st",
            function = "fn",
            data = "userData"
        ));
        assert!(compare!(
            InstantiateParams,
            "CUDA_GRAPH_INSTANTIATE_PARAMS_st",
            flags = "flags",
            upload_stream = "hUploadStream",
            error_node = "hErrNode_out",
            result = "result_out"
        ));
        assert!(compare!(
            UpdateInfo,
            "CUgraphExecUpdateResultInfo_st",
            result = "result",
            error_node = "errorNode",
            error_from = "errorFromNode"
        ));
        // CUDA 12.0 uses another name.
        for name in [
            "CUDA_MEM_ALLOC_NODE_PARAMS_v1_st",
            "CUDA_MEM_ALLOC_NODE_PARAMS_v2_st",
        ] {
            let Some(found) = layout(name) else { continue };
            assert_eq!(size_of::<AllocNodeParams>(), found.size);
            for (field, offset) in [
                ("poolProps", offset_of!(AllocNodeParams, pool)),
                ("accessDescs", offset_of!(AllocNodeParams, access)),
                ("accessDescCount", offset_of!(AllocNodeParams, access_count)),
                ("bytesize", offset_of!(AllocNodeParams, size)),
                ("dptr", offset_of!(AllocNodeParams, address)),
            ] {
                assert_eq!(found.offsets.get(field), Some(&offset), "{field}");
            }
        }
        // Not in CUDA 12.0.
        compare!(
            ConditionalNodeParams,
            "CUDA_CONDITIONAL_NODE_PARAMS",
            handle = "handle",
            kind = "type",
            size = "size",
            bodies = "phGraph_out"
        );
        compare!(
            EdgeData,
            "CUgraphEdgeData_st",
            from_port = "from_port",
            to_port = "to_port",
            kind = "type",
            reserved = "reserved"
        );
        compare!(
            MemsetNodeParams2,
            "CUDA_MEMSET_NODE_PARAMS_v2_st",
            context = "ctx"
        );
        compare!(
            MemcpyNodeParams,
            "CUDA_MEMCPY_NODE_PARAMS_st",
            flags = "flags",
            reserved = "reserved",
            context = "copyCtx",
            copy = "copyParams"
        );
        compare!(
            BatchNodeParams,
            "CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st",
            context = "ctx",
            count = "count",
            operations = "paramArray",
            flags = "flags"
        );
        compare!(
            NodeParams,
            "CUgraphNodeParams_st",
            kind = "type",
            reserved = "reserved0",
            reserved_too = "reserved2"
        );
        // Before CUDA 13.0 a child graph node has only a graph.
        if let Some(found) = layout("CUDA_CHILD_GRAPH_NODE_PARAMS_st")
            && found.offsets.contains_key("ownership")
        {
            compare!(
                ChildNodeParams,
                "CUDA_CHILD_GRAPH_NODE_PARAMS_st",
                graph = "graph",
                ownership = "ownership"
            );
        }
    }
}
