//! Launch attributes: the options of a launch besides its shape.
//!
//! The values that the driver rejects, and the codes, were measured on an H200 with driver 580.

use std::sync::Arc;

use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::call;
use crate::process::warnings;
use crate::queue::event::{self, Event};
use crate::queue::stream_attributes::is_window;
use cuda_emulator_engine::Shape;

/// Number of memory synchronization domains of the device.
pub const DOMAINS: u8 = 4;

/// The options requested by the attributes of a launch.
#[derive(Default)]
pub struct LaunchOptions {
    /// The preferred cluster size.
    pub preferred: Option<[u32; 3]>,
    /// Events that the launch records, each with the data of an edge from the kernel to work that
    /// waits for the event.
    pub events: Vec<(Arc<Event>, EdgeData)>,
}

/// Returns the blocks per cluster of an attribute, or `None` for zeros.
fn sides(value: &[u32; 16]) -> Option<[u32; 3]> {
    let [x, y, z, ..] = *value;
    ([x, y, z] != [0; 3]).then_some([x, y, z])
}

/// Returns the data of an edge that starts at a port of a kernel.
fn edge(from_port: u32, kind: u32) -> EdgeData {
    EdgeData {
        from_port: from_port as u8,
        kind: kind as u8,
        ..EdgeData::default()
    }
}

/// Returns the data of the edge from the previous launch, which this launch may overlap.
pub fn programmatic() -> EdgeData {
    edge(
        CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
        CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
    )
}

/// Returns whether the attributes allow a launch to overlap the previous one.
pub fn overlaps(attributes: &[LaunchAttribute]) -> bool {
    let id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    let last = attributes.iter().rfind(|one| one.id == id);
    last.is_some_and(|one| one.value.0[0] != 0)
}

/// Returns the event of an attribute that records one.
fn recorded(id: u32, value: &[u32; 16]) -> Result<(Arc<Event>, EdgeData)> {
    let [low, high, flags, at_start, ..] = *value;
    let event = event::get(u64::from(low) | u64::from(high) << 32)?;
    match flags {
        0 => {}
        CU_EVENT_RECORD_EXTERNAL => return Err(Code::ERROR_ILLEGAL_STATE),
        _ => return Err(Code::ERROR_INVALID_VALUE),
    }
    let launched = id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
    let flags = match launched {
        true => event.flags,
        false => event.flags & !CU_EVENT_BLOCKING_SYNC,
    };
    if flags != CU_EVENT_DISABLE_TIMING {
        return Err(Code::ERROR_NOT_SUPPORTED);
    }
    let edge = match (launched, at_start) {
        (true, _) => edge(
            CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER,
            CU_GRAPH_DEPENDENCY_TYPE_DEFAULT,
        ),
        (false, 0) => programmatic(),
        (false, _) => edge(
            CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER,
            CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC,
        ),
    };
    Ok((event, edge))
}

impl LaunchOptions {
    /// Reads an attribute of a launch or of a kernel node. `graph` states whether the launch is or
    /// becomes a node.
    ///
    /// # Errors
    /// Returns:
    /// - `CUDA_ERROR_INVALID_VALUE` if it is not a launch attribute or its value is invalid;
    /// - `CUDA_ERROR_INVALID_HANDLE` and other codes for events that cannot be recorded this way;
    /// - `CUDA_ERROR_NOT_SUPPORTED` for nodes that the device updates.
    pub fn add(&mut self, shape: &mut Shape, attribute: &LaunchAttribute, graph: bool) -> Result {
        let AttributeValue(value) = &attribute.value;
        let bytes = value[0].to_ne_bytes();
        let valid = match attribute.id {
            // The attribute permits the launch to overlap the previous one but does not require it.
            CU_LAUNCH_ATTRIBUTE_IGNORE
            | CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
            | CU_LAUNCH_ATTRIBUTE_PRIORITY => true,
            CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW => is_window(value),
            CU_LAUNCH_ATTRIBUTE_COOPERATIVE => {
                shape.cooperative = value[0] != 0;
                true
            }
            CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => {
                shape.cluster = sides(value);
                true
            }
            CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION => {
                self.preferred = sides(value);
                true
            }
            CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                value[0] <= CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING
            }
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT
            | CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT => {
                self.events.push(recorded(attribute.id, value)?);
                true
            }
            CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP => bytes[0].max(bytes[1]) < DOMAINS,
            CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN => value[0] <= CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE,
            CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE if !graph => {
                return Err(Code::ERROR_NOT_SUPPORTED);
            }
            CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE if value[0] == 1 => {
                let name = "CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE";
                call::trace(|line| {
                    line.push_str(&format!(
                        "launch rejected: the emulator does not implement {name}"
                    ))
                });
                return Err(warnings::missing_feature(name));
            }
            CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE => value[0] == 0,
            CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => value[0] <= 100,
            CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING => value[0] <= 1,
            _ => false,
        };
        if valid {
            Ok(())
        } else {
            Err(Code::ERROR_INVALID_VALUE)
        }
    }
}
