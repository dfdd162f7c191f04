//! Launch attributes.

use std::ffi::c_uint;

use cuda_sys::{CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue, CUlaunchConfig};

use super::{Dim3, LaunchConfig};
pub(crate) use crate::raw::constants::COOPERATIVE;
pub use crate::raw::launch::{ClusterScheduling, PortableClusterSize};
use crate::{
    raw::flags::options,
    stream::{
        Stream,
        access_policy::AccessPolicyWindow,
        attributes::{MemSyncDomain, MemSyncDomainMap},
        event::Event,
    },
};

options! {
    /// Optional attributes of a launch, set with [`LaunchConfig::attributes`].
    ///
    /// Most attributes are hints. The launch returns an error if the driver or the device does not
    /// support an attribute.
    ///
    /// ```
    /// # use cuda_safe::{Context, InOut, launch::LaunchAttributes, LaunchConfig, Module, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let source = r#"extern "C" __global__ void twice(int *x) { x[threadIdx.x] *= 2; }"#;
    /// let twice = Module::compile(&context, source)?.function("twice")?;
    /// let urgent = LaunchAttributes::default().priority(-5);
    /// let config = LaunchConfig::new(1, 3).attributes(urgent);
    /// let mut x = [1, 2, 3];
    /// // SAFETY: three threads, three ints.
    /// unsafe { twice.launch(&stream, config, (InOut(&mut x),))? };
    /// assert_eq!(x, [2, 4, 6]);
    /// # Ok(())
    /// # }
    /// ```
    pub struct LaunchAttributes {
        /// Whether the kernel may begin before the previous kernel on its stream has finished.
        ///
        /// It may begin as soon as each block of the previous kernel has either run
        /// `griddepcontrol.launch_dependents` (`cudaTriggerProgrammaticLaunchCompletion`) or ended.
        /// Code that accesses memory of the previous kernel must come after `griddepcontrol.wait`
        /// (`cudaGridDependencySynchronize`). `cuda_device_runtime_api.h` declares these functions.
        /// Every thread must execute the latter. Otherwise, this kernel may end before the previous one,
        /// and a later kernel with this attribute, such as those of `cuda-compute`, does not wait for the
        /// previous one.
        ///
        /// NVIDIA calls this programmatic dependent launch (PDL). Requires compute capability 9.0
        /// (`CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`).
        programmatic_serialization: bool;
        /// The kernel's priority, instead of its stream's. Smaller numbers are more urgent. The
        /// driver clamps the value to
        /// [`Context::stream_priority_range`](crate::Context::stream_priority_range)
        /// (`CU_LAUNCH_ATTRIBUTE_PRIORITY`).
        priority: Option<i32>, set to i32;
        /// A preferred cluster size, used if the hardware has room for it. It must be a multiple of
        /// [`LaunchConfig::cluster`], which is used otherwise. Requires CUDA 12.8 and compute
        /// capability 10.0 (`CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION`).
        preferred_cluster: Option<Dim3>, set to Dim3;
        /// The distribution of the blocks of a cluster
        /// (`CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE`).
        cluster_scheduling: Option<ClusterScheduling>, set to ClusterScheduling;
        /// The memory synchronization domain: it decides which memory traffic the kernel's fences
        /// wait for (`CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN`).
        memory_domain: Option<MemSyncDomain>, set to MemSyncDomain;
        /// The mapping from the default and the remote domain to the device's domains
        /// (`CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP`).
        memory_domain_map: Option<MemSyncDomainMap>, set to MemSyncDomainMap;
        /// The memory that should stay in the L2 cache
        /// (`CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW`).
        access_policy: Option<AccessPolicyWindow>, set to AccessPolicyWindow;
        /// The part of the L1 cache that multiprocessors reserve as shared memory, in percent (0 to
        /// 100) of the maximum. Requires CUDA 12.6
        /// (`CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`).
        shared_memory_carveout: Option<u32>, set to u32;
        /// Whether the driver may place blocks for the best use of NVLink, assuming that each block
        /// causes the same traffic. Requires CUDA 13.0
        /// (`CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING`).
        nvlink_centric: Option<bool>, set to bool;
        /// The cluster sizes that the launch accepts, instead of the kernel's own setting. Requires
        /// CUDA 13.1 (`CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE`).
        portable_cluster_size: Option<PortableClusterSize>, set to PortableClusterSize;
    }
}

/// Events that a launch records while the kernel runs, for
/// [`Function::launch_with_events`](crate::Function::launch_with_events).
///
/// Other streams can wait for both events with [`Stream::wait_event`](crate::Stream::wait_event).
/// Create the events with [`EventOptions::disable_timing`](crate::EventOptions).
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct LaunchEvents<'a> {
    /// Recorded when all blocks have started. (`CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT`)
    pub started: Option<&'a Event>,
    /// Recorded when each block has run `griddepcontrol.launch_dependents` or ended. A kernel that
    /// waits for this event must read this kernel's results after `griddepcontrol.wait`. Requires
    /// compute capability 9.0. (`CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT`)
    pub triggered: Option<&'a Event>,
}

impl<'a> LaunchEvents<'a> {
    /// Sets [`started`](Self#structfield.started).
    #[must_use]
    pub const fn started(mut self, event: &'a Event) -> Self {
        self.started = Some(event);
        self
    }

    /// Sets [`triggered`](Self#structfield.triggered).
    #[must_use]
    pub const fn triggered(mut self, event: &'a Event) -> Self {
        self.triggered = Some(event);
        self
    }
}

/// Returns the name of an attribute for messages.
pub(crate) fn name_of(id: CUlaunchAttributeID) -> String {
    match id.0 {
        1 => "access_policy".into(),
        2 => "cooperative".into(),
        4 => "cluster".into(),
        5 => "cluster_scheduling".into(),
        6 => "programmatic_serialization".into(),
        8 => "priority".into(),
        9 => "memory_domain_map".into(),
        10 => "memory_domain".into(),
        11 => "preferred_cluster".into(),
        14 => "shared_memory_carveout".into(),
        16 => "nvlink_centric".into(),
        17 => "portable_cluster_size".into(),
        number => format!("attribute {number}"),
    }
}

/// The maximum number of attributes of a launch.
const MOST: usize = 16;

/// A launch's attributes in the driver's representation.
pub(crate) struct RawAttributes {
    all: [CUlaunchAttribute; MOST],
    len: usize,
}

impl RawAttributes {
    pub(crate) fn new(config: &LaunchConfig) -> Self {
        let mut raw = Self {
            all: [CUlaunchAttribute::default(); MOST],
            len: 0,
        };
        let LaunchAttributes {
            programmatic_serialization,
            priority,
            preferred_cluster,
            cluster_scheduling,
            memory_domain,
            memory_domain_map,
            access_policy,
            shared_memory_carveout,
            nvlink_centric,
            portable_cluster_size,
        } = config.attributes.unwrap_or_default();
        let extents = |Dim3 { x, y, z }| [x, y, z];
        // Numbers, because CUDA 12.0 headers lack some of the names.
        if let Some(window) = access_policy {
            raw.push(1, &window.words());
        }
        if config.cooperative {
            raw.push(COOPERATIVE, &[1u32]);
        }
        if let Some(cluster) = config.cluster {
            raw.push(4, &extents(cluster));
        }
        if let Some(policy) = cluster_scheduling {
            raw.push(5, &[policy.0]);
        }
        if programmatic_serialization {
            raw.push(6, &[1u32]);
        }
        if let Some(priority) = priority {
            raw.push(8, &[priority]);
        }
        if let Some(map) = memory_domain_map {
            raw.push(9, &[map.default, map.remote]);
        }
        if let Some(domain) = memory_domain {
            raw.push(10, &[domain.0]);
        }
        if let Some(cluster) = preferred_cluster {
            raw.push(11, &extents(cluster));
        }
        if let Some(percent) = shared_memory_carveout {
            raw.push(14, &[percent]);
        }
        if let Some(centric) = nvlink_centric {
            raw.push(16, &[u32::from(centric)]);
        }
        if let Some(sizes) = portable_cluster_size {
            raw.push(17, &[sizes.0]);
        }
        raw
    }

    pub(super) fn events(&mut self, events: LaunchEvents<'_>) {
        // The fields are the event, the flags for recording it, and whether each block triggers it
        // when it begins.
        if let Some(event) = events.triggered {
            self.push(7, &[event.as_raw().expose_provenance(), 0]);
        }
        if let Some(event) = events.started {
            self.push(12, &[event.as_raw().expose_provenance(), 0]);
        }
    }

    pub(crate) fn push<T: bytemuck::Pod>(&mut self, id: u32, value: &[T]) {
        self.all[self.len] = CUlaunchAttribute {
            id: CUlaunchAttributeID(id),
            value: union_of(value),
            ..Default::default()
        };
        self.len += 1;
    }

    /// Returns the driver's launch configuration. It points to the attributes in `self`.
    pub(crate) fn launch(&mut self, config: &LaunchConfig, stream: &Stream) -> CUlaunchConfig {
        CUlaunchConfig {
            gridDimX: config.grid.x,
            gridDimY: config.grid.y,
            gridDimZ: config.grid.z,
            blockDimX: config.block.x,
            blockDimY: config.block.y,
            blockDimZ: config.block.z,
            sharedMemBytes: config.shared_bytes,
            hStream: stream.as_raw(),
            attrs: self.all.as_mut_ptr(),
            numAttrs: self.len as c_uint,
        }
    }

    pub(crate) fn as_slice(&self) -> &[CUlaunchAttribute] {
        &self.all[..self.len]
    }
}

/// Returns an attribute's value: the bytes of its fields, then zeros.
fn union_of<T: bytemuck::Pod>(value: &[T]) -> CUlaunchAttributeValue {
    let mut raw = CUlaunchAttributeValue {
        pad: [0; size_of::<CUlaunchAttributeValue>()],
    };
    // SAFETY: all bytes of the union are initialized, and any bytes are valid for `pad`.
    let bytes = bytemuck::cast_slice_mut::<_, u8>(unsafe { &mut raw.pad });
    let value = bytemuck::cast_slice::<T, u8>(value);
    bytes[..value.len()].copy_from_slice(value);
    raw
}

/// Returns the first 32 bytes of an attribute's value.
pub(crate) fn bytes_of(value: &CUlaunchAttributeValue) -> [u8; 32] {
    // SAFETY: the whole union was initialized, by `union_of` or by zeroing it before the driver
    // wrote to it.
    let bytes = bytemuck::cast_slice::<_, u8>(unsafe { &value.pad });
    let mut first = [0; 32];
    first.copy_from_slice(&bytes[..32]);
    first
}
