//! The parts of Vulkan's C declarations that these tests use. All fields are numbers and addresses.

#![allow(
    dead_code,
    reason = "what Vulkan reads or writes, and these tests do not"
)]

use std::{
    ffi::{c_char, c_void},
    ptr,
};

/// A handle that is an address.
pub type Object = *mut c_void;
/// A handle that is a number.
pub type Number = u64;
/// The beginning of a structure: its type and the next structure.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Head {
    kind: u32,
    pub next: *const c_void,
}

impl Head {
    pub const fn new(kind: u32) -> Self {
        Self {
            kind,
            next: ptr::null(),
        }
    }

    pub fn then<T>(kind: u32, next: &T) -> Self {
        Self {
            kind,
            next: (&raw const *next).cast(),
        }
    }
}

/// Declares structures with their sizes in C.
macro_rules! structures {
    ($($(#[$doc:meta])* $name:ident: $size:literal { $($field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct $name {
            $(pub $field: $type,)*
        }
        const _: () = assert!(size_of::<$name>() == $size);
    )*};
}

structures! {
    /// `VkApplicationInfo`, type 0
    Application: 48 { head: Head, name: *const c_char, version: u32, engine: *const c_char, engine_version: u32, api: u32, }
    /// `VkInstanceCreateInfo`, type 1
    InstanceInfo: 64 {
        head: Head, flags: u32, application: *const Application, layer_count: u32, layers: *const *const c_char,
        extension_count: u32, extensions: *const *const c_char,
    }
    /// `VkPhysicalDeviceIDProperties`, type 1000071004
    Identity: 64 { head: Head, device: [u8; 16], driver: [u8; 16], rest: [u32; 4], }
    /// `VkPhysicalDeviceProperties2`, type 1000059001
    Properties: 840 { head: Head, rest: [u64; 103], }
    /// `VkDeviceQueueCreateInfo`, type 2
    QueueInfo: 40 { head: Head, flags: u32, family: u32, count: u32, priorities: *const f32, }
    /// `VkPhysicalDeviceTimelineSemaphoreFeatures`, type 1000207000
    TimelineFeature: 24 { head: Head, timeline: u32, }
    /// `VkDeviceCreateInfo`, type 3
    DeviceInfo: 72 {
        head: Head, flags: u32, queue_count: u32, queues: *const QueueInfo, layer_count: u32, layers: *const *const c_char,
        extension_count: u32, extensions: *const *const c_char, features: *const c_void,
    }
    /// `VkExportSemaphoreCreateInfo`, type 1000077000; also `VkExportMemoryAllocateInfo` (1000072002),
    /// `VkExternalMemoryBufferCreateInfo` (1000072000) and `VkExternalMemoryImageCreateInfo` (1000072001)
    Export: 24 { head: Head, handles: u32, }
    /// `VkSemaphoreTypeCreateInfo`, type 1000207002
    SemaphoreType: 32 { head: Head, kind: u32, value: u64, }
    /// `VkSemaphoreCreateInfo`, type 9
    SemaphoreInfo: 24 { head: Head, flags: u32, }
    /// `VkSemaphoreGetFdInfoKHR`, type 1000079001; also `VkMemoryGetFdInfoKHR` (1000074002)
    GetFile: 32 { head: Head, object: Number, handle: u32, }
    /// `VkSemaphoreSignalInfo`, type 1000207005
    SignalInfo: 32 { head: Head, semaphore: Number, value: u64, }
    /// `VkTimelineSemaphoreSubmitInfo`, type 1000207003
    TimelineSubmit: 48 { head: Head, wait_count: u32, waits: *const u64, signal_count: u32, signals: *const u64, }
    /// `VkSubmitInfo`, type 4
    Submit: 72 {
        head: Head, wait_count: u32, waits: *const Number, stages: *const u32, command_count: u32,
        commands: *const Object, signal_count: u32, signals: *const Number,
    }
    /// `VkPhysicalDeviceMemoryProperties`
    MemoryProperties: 520 { count: u32, types: [[u32; 2]; 32], heap_count: u32, heaps: [[u64; 2]; 16], }
    /// `VkMemoryRequirements`
    Requirements: 24 { size: u64, alignment: u64, types: u32, }
    /// `VkMemoryAllocateInfo`, type 5
    AllocateInfo: 32 { head: Head, size: u64, kind: u32, }
    /// `VkMemoryDedicatedAllocateInfo`, type 1000127001
    Dedicated: 32 { head: Head, image: Number, buffer: Number, }
    /// `VkBufferCreateInfo`, type 12
    BufferInfo: 56 {
        head: Head, flags: u32, size: u64, usage: u32, sharing: u32, family_count: u32, families: *const u32,
    }
    /// `VkImageCreateInfo`, type 14
    ImageInfo: 88 {
        head: Head, flags: u32, kind: u32, format: u32, extent: [u32; 3], levels: u32, layers: u32, samples: u32,
        tiling: u32, usage: u32, sharing: u32, family_count: u32, families: *const u32, layout: u32,
    }
    /// `VkCommandPoolCreateInfo`, type 39
    PoolInfo: 24 { head: Head, flags: u32, family: u32, }
    /// `VkCommandBufferAllocateInfo`, type 40
    CommandsInfo: 32 { head: Head, pool: Number, level: u32, count: u32, }
    /// `VkCommandBufferBeginInfo`, type 42
    BeginInfo: 32 { head: Head, flags: u32, inheritance: *const c_void, }
    /// `VkImageSubresourceRange` of colors, levels and layers
    LevelRange: 20 { aspect: u32, first_level: u32, levels: u32, first_layer: u32, layers: u32, }
    /// `VkImageMemoryBarrier`, type 45
    Barrier: 72 {
        head: Head, from_access: u32, to_access: u32, from_layout: u32, to_layout: u32, from_family: u32, to_family: u32,
        image: Number, range: LevelRange,
    }
    /// `VkBufferImageCopy`
    ImageCopy: 56 {
        offset: u64, row: u32, height: u32, aspect: u32, level: u32, layer: u32, layers: u32, at: [i32; 3],
        extent: [u32; 3],
    }
}

/// `VK_EXTERNAL_..._HANDLE_TYPE_OPAQUE_FD_BIT`
pub const OPAQUE_FD: u32 = 1;
/// `VK_API_VERSION_1_2`
pub const VERSION: u32 = 1 << 22 | 2 << 12;
/// `VK_PIPELINE_STAGE_ALL_COMMANDS_BIT`
pub const ALL_COMMANDS: u32 = 0x10000;
/// `VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT`
pub const READ_WRITE: u32 = 0x8000 | 0x10000;
/// `VK_IMAGE_LAYOUT_GENERAL`
pub const GENERAL: u32 = 1;
/// `VK_FORMAT_R32_UINT`
pub const R32_UINT: u32 = 98;
/// `VK_..._USAGE_TRANSFER_SRC_BIT | VK_..._USAGE_TRANSFER_DST_BIT`
pub const TRANSFER: u32 = 1 | 2;
/// `VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT`
pub const SHADERS: u32 = 4 | 8;
