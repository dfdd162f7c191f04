//! The structures that clients pass or receive.
//!
//! Enums are plain integers here, and pointers and handles are 64-bit words, because clients may
//! pass any bits.

use super::pointers::{In, opaque};
use cuda_emulator_engine::Shape;

/// `CUdevprop`: the attributes 1 to 14.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DeviceProperties(pub [i32; 14]);

/// `CUuuid`
pub type Uuid = [u8; 16];

/// `CUctxCreateParams`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ContextParams {
    pub affinity: u64,
    pub affinity_count: i32,
    pub graphics: u64,
}

/// `CUDA_MEMCPY2D`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy2d {
    pub src: Place2d,
    pub dst: Place2d,
    pub width: usize,
    pub height: usize,
}

/// One side of a `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Place2d {
    pub x: usize,
    pub y: usize,
    pub memory_type: u32,
    pub host: u64,
    pub device: u64,
    pub array: u64,
    pub pitch: usize,
}

/// `CUDA_MEMCPY3D`, and `CUDA_MEMCPY3D_PEER`, which has a context in place of a reserved word.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Copy3d {
    pub src: Place3d,
    pub dst: Place3d,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

/// One side of a `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Place3d {
    pub x: usize,
    pub y: usize,
    pub z: usize,
    pub lod: usize,
    pub memory_type: u32,
    pub host: u64,
    pub device: u64,
    pub array: u64,
    pub context: u64,
    pub pitch: usize,
    pub height: usize,
}

/// `CUmemcpy3DOperand` of a linear operand. For an array, `pointer` is the array's handle, and the
/// three words after it are the offset.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Operand {
    pub kind: u32,
    pub pointer: u64,
    pub row_length: usize,
    pub layer_height: usize,
    pub location: Location,
}

/// `CUDA_MEMCPY3D_BATCH_OP`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Batch3d {
    pub src: Operand,
    pub dst: Operand,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub order: u32,
    pub flags: u32,
}

/// `CUmemcpyAttributes`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CopyAttributes {
    pub order: u32,
    pub src: Location,
    pub dst: Location,
    pub flags: u32,
}

/// `CUmemLocation`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Location {
    pub kind: u32,
    pub id: i32,
}

impl Location {
    /// Returns its bits as one word, for unions with another member in the same place.
    pub fn as_word(&self) -> u64 {
        u64::from(self.kind) | u64::from(self.id as u32) << 32
    }
}

/// `CUmemPoolProps`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PoolProperties {
    pub allocation_type: u32,
    pub handle_types: u32,
    pub location: Location,
    pub security: u64,
    pub maximum: usize,
    pub usage: u16,
    pub reserved: [u8; 54],
}

/// `CUmemAllocationProp`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AllocationProperties {
    pub kind: u32,
    pub handle_types: u32,
    pub location: Location,
    pub metadata: u64,
    pub compression: u8,
    pub rdma: u8,
    pub usage: u16,
    pub reserved: [u8; 4],
}

/// `CUDA_EXTERNAL_MEMORY_HANDLE_DESC`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ExternalMemoryHandle {
    pub kind: u32,
    pub handle: [u64; 2],
    pub size: u64,
    pub flags: u32,
    pub reserved: [u32; 16],
}

/// `CUDA_EXTERNAL_MEMORY_BUFFER_DESC`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ExternalMemoryBuffer {
    pub offset: u64,
    pub size: u64,
    pub flags: u32,
    pub reserved: [u32; 16],
}

/// `CUmemAccessDesc`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Access {
    pub location: Location,
    pub flags: u32,
}

/// `CUlaunchConfig`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchConfig {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub stream: u64,
    pub attributes: In<LaunchAttribute>,
    pub attribute_count: u32,
}

impl LaunchConfig {
    /// Returns the shape of the launch without its attributes.
    pub fn shape(&self) -> Shape {
        Shape {
            grid: self.grid,
            block: self.block,
            dynamic_shared: self.shared,
            ..Shape::default()
        }
    }
}

/// `CUlaunchAttribute`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchAttribute {
    pub id: u32,
    pub value: AttributeValue,
}

/// `CUlaunchAttributeValue`, also used for stream attributes. Its contents depend on the attribute.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeValue(pub [u32; 16]);

/// `CUDA_LAUNCH_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchParams {
    pub function: u64,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub stream: u64,
    pub arguments: In<u64>,
}

impl LaunchParams {
    pub fn shape(&self) -> Shape {
        Shape {
            grid: self.grid,
            block: self.block,
            dynamic_shared: self.shared,
            ..Shape::default()
        }
    }
}

/// `CUstreamBatchMemOpParams` of a wait or a write. Other operations use the same layout.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemoryOperation {
    pub operation: u32,
    /// The flags of a barrier. Unused in other operations.
    pub scope: u32,
    pub address: u64,
    pub value: u64,
    pub flags: u32,
    pub alias: u64,
    pub pad: u64,
}

/// `CUdevResource` of multiprocessors.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DevResource {
    pub kind: u32,
    /// Internal to the driver: the number of the set.
    pub set: u64,
    pub internal: [u8; 80],
    pub count: u32,
    pub smallest: u32,
    pub alignment: u32,
    pub rest: [u32; 9],
}

impl DevResource {
    /// No resource.
    pub const NONE: DevResource = DevResource {
        kind: 0,
        set: 0,
        internal: [0; 80],
        count: 0,
        smallest: 0,
        alignment: 0,
        rest: [0; 9],
    };
}

opaque!(
    DeviceProperties,
    AttributeValue,
    DevResource,
    AllocationProperties,
    ExternalMemoryHandle,
    ExternalMemoryBuffer
);

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::abi::header::{compare, layout};

    #[test]
    fn layouts_match_the_header() {
        assert!(compare!(DeviceProperties, "CUdevprop_st"));
        assert!(compare!(Uuid, "CUuuid_st"));
        assert!(compare!(
            Copy2d,
            "CUDA_MEMCPY2D_st",
            src.x = "srcXInBytes",
            src.y = "srcY",
            src.memory_type = "srcMemoryType",
            src.host = "srcHost",
            src.device = "srcDevice",
            src.array = "srcArray",
            src.pitch = "srcPitch",
            dst.x = "dstXInBytes",
            dst.y = "dstY",
            dst.memory_type = "dstMemoryType",
            dst.host = "dstHost",
            dst.device = "dstDevice",
            dst.array = "dstArray",
            dst.pitch = "dstPitch",
            width = "WidthInBytes",
            height = "Height"
        ));
        macro_rules! cubic {
            ($c:literal, $from:literal, $to:literal) => {
                assert!(compare!(
                    Copy3d,
                    $c,
                    src.x = "srcXInBytes",
                    src.y = "srcY",
                    src.z = "srcZ",
                    src.lod = "srcLOD",
                    src.memory_type = "srcMemoryType",
                    src.host = "srcHost",
                    src.device = "srcDevice",
                    src.array = "srcArray",
                    src.context = $from,
                    src.pitch = "srcPitch",
                    src.height = "srcHeight",
                    dst.x = "dstXInBytes",
                    dst.y = "dstY",
                    dst.z = "dstZ",
                    dst.lod = "dstLOD",
                    dst.memory_type = "dstMemoryType",
                    dst.host = "dstHost",
                    dst.device = "dstDevice",
                    dst.array = "dstArray",
                    dst.context = $to,
                    dst.pitch = "dstPitch",
                    dst.height = "dstHeight",
                    width = "WidthInBytes",
                    height = "Height",
                    depth = "Depth"
                ))
            };
        }
        cubic!("CUDA_MEMCPY3D_st", "reserved0", "reserved1");
        cubic!("CUDA_MEMCPY3D_PEER_st", "srcContext", "dstContext");
    }

    #[test]
    fn launch_layouts_match_the_header() {
        assert!(compare!(
            LaunchConfig,
            "CUlaunchConfig_st",
            grid = "gridDimX",
            block = "blockDimX",
            shared = "sharedMemBytes",
            stream = "hStream",
            attributes = "attrs",
            attribute_count = "numAttrs"
        ));
        assert!(compare!(
            LaunchAttribute,
            "CUlaunchAttribute_st",
            id = "id",
            value = "value"
        ));
        assert!(compare!(AttributeValue, "CUlaunchAttributeValue_union"));
        assert!(compare!(
            LaunchParams,
            "CUDA_LAUNCH_PARAMS_st",
            function = "function",
            grid = "gridDimX",
            block = "blockDimX",
            shared = "sharedMemBytes",
            stream = "hStream",
            arguments = "kernelParams"
        ));
        assert!(compare!(MemoryOperation, "CUstreamBatchMemOpParams_union"));
        let wait =
            layout("CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st").unwrap();
        let write =
            layout("CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st").unwrap();
        for found in [wait, write] {
            for (name, offset) in [
                ("operation", offset_of!(MemoryOperation, operation)),
                ("address", offset_of!(MemoryOperation, address)),
                ("flags", offset_of!(MemoryOperation, flags)),
                ("alias", offset_of!(MemoryOperation, alias)),
            ] {
                assert_eq!(found.offsets.get(name), Some(&offset), "{name}");
            }
        }
    }

    #[test]
    fn memory_layouts_match_the_header() {
        assert!(compare!(Location, "CUmemLocation_st", kind = "type"));
        assert!(compare!(
            PoolProperties,
            "CUmemPoolProps_st",
            allocation_type = "allocType",
            handle_types = "handleTypes",
            location = "location",
            security = "win32SecurityAttributes"
        ));
        assert!(compare!(
            ExternalMemoryHandle,
            "CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st",
            kind = "type",
            handle = "handle",
            size = "size",
            flags = "flags"
        ));
        assert!(compare!(
            ExternalMemoryBuffer,
            "CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st",
            offset = "offset",
            size = "size",
            flags = "flags"
        ));
        assert!(compare!(
            AllocationProperties,
            "CUmemAllocationProp_st",
            kind = "type",
            handle_types = "requestedHandleTypes",
            location = "location",
            metadata = "win32HandleMetaData",
            compression = "allocFlags"
        ));
        assert!(compare!(
            Access,
            "CUmemAccessDesc_st",
            location = "location",
            flags = "flags"
        ));
        // Fields and structures that CUDA 12.0 lacks.
        if layout("CUmemPoolProps_st").is_some_and(|found| found.offsets.contains_key("maxSize")) {
            compare!(PoolProperties, "CUmemPoolProps_st", maximum = "maxSize");
        }
        compare!(
            ContextParams,
            "CUctxCreateParams_st",
            affinity = "execAffinityParams",
            affinity_count = "numExecAffinityParams",
            graphics = "cigParams"
        );
        compare!(DevResource, "CUdevResource_st");
        if layout("CUdevResource_st").is_some() {
            assert_eq!(offset_of!(DevResource, count), 96);
        }
        compare!(
            Operand,
            "CUmemcpy3DOperand_st",
            kind = "type",
            pointer = "op"
        );
        compare!(
            CopyAttributes,
            "CUmemcpyAttributes_st",
            order = "srcAccessOrder",
            src = "srcLocHint",
            dst = "dstLocHint",
            flags = "flags"
        );
        compare!(
            Batch3d,
            "CUDA_MEMCPY3D_BATCH_OP_st",
            src = "src",
            dst = "dst",
            width = "extent",
            order = "srcAccessOrder",
            flags = "flags"
        );
    }
}
