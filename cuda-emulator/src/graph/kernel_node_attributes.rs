//! The attributes of kernel nodes.

use std::sync::atomic::Ordering;

use super::node::{Node, Task};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::queue::stream_attributes::clamp;
use crate::work::cluster_limits;
use crate::work::launch::Launch;
use crate::work::launch_attributes::LaunchOptions;
use crate::work::operation::Operation;
use cuda_emulator_engine::Shape;

/// The attributes of kernel nodes.
const KNOWN: [u32; 9] = [
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
    CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
    CU_LAUNCH_ATTRIBUTE_PRIORITY,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
    CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
];

/// Returns a function that tests whether a byte belongs to an attribute's value. A query writes
/// only these bytes.
pub fn bytes_of_value(id: u32) -> impl Fn(usize) -> bool {
    let end = match id {
        CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW => 32,
        CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => 12,
        CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP => 2,
        _ => 4,
    };
    // A number and a pointer.
    let pointer = id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
    move |byte| byte < end || pointer && (8..16).contains(&byte)
}

impl Node {
    fn launch(&mut self) -> Result<&mut Launch> {
        match &mut self.task {
            Task::Operation(Operation::Launch(launch), _) => Ok(launch),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// Returns an attribute of a kernel node.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it is not a kernel node or kernel nodes do not have
    /// the attribute.
    pub fn attribute(&mut self, id: u32) -> Result<AttributeValue> {
        let launch = self.launch()?;
        if !KNOWN.contains(&id) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        if id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE
            && let Some(node) = &launch.updatable
        {
            return Ok(node.value());
        }
        Ok(launch.attribute(id))
    }

    /// Sets an attribute of a kernel node.
    ///
    /// # Errors
    /// Returns the errors of [`Node::attribute`] and of a launch with the attribute, and
    /// `CUDA_ERROR_NOT_SUPPORTED` for attributes that are not emulated.
    pub fn set_attribute(&mut self, id: u32, value: AttributeValue) -> Result {
        let launch = self.launch()?;
        // This hint can be set but not queried.
        if id != CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING && !KNOWN.contains(&id) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let mut attribute = LaunchAttribute { id, value };
        let mut new = launch.clone();
        match id {
            // A node accepts any value.
            CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {}
            CU_LAUNCH_ATTRIBUTE_PRIORITY => {
                attribute.value.0[0] = clamp(value.0[0] as i32) as u32;
            }
            _ => LaunchOptions::default().add(&mut new.shape, &attribute, true)?,
        }
        new.shape.cluster = cluster_limits::choose(&new.function, new.shape.cluster)?;
        new.attributes.retain(|one| one.id != id);
        new.attributes.push(attribute);
        new.check()?;
        *launch = new;
        Ok(())
    }

    /// Returns all attributes, and the shape with those stored there.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it is not a kernel node.
    pub fn attributes(&mut self) -> Result<(Vec<LaunchAttribute>, Shape)> {
        let launch = self.launch()?;
        Ok((launch.attributes.clone(), launch.shape))
    }

    /// Replaces all attributes.
    ///
    /// # Errors
    /// Returns the errors of [`Node::set_attribute`], except that clusters that do not fit return
    /// `CUDA_ERROR_INVALID_VALUE`.
    pub fn set_attributes(&mut self, all: (Vec<LaunchAttribute>, Shape)) -> Result {
        let launch = self.launch()?;
        let mut new = launch.clone();
        new.attributes = all.0;
        let size = |code| match code {
            Code::ERROR_INVALID_CLUSTER_SIZE => Code::ERROR_INVALID_VALUE,
            code => code,
        };
        new.take_attributes_of(&all.1).map_err(size)?;
        new.check().map_err(size)?;
        *launch = new;
        Ok(())
    }
}

impl Launch {
    /// Copies from another shape the parts that attributes set.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_CLUSTER_SIZE` if the function requires other clusters.
    pub fn take_attributes_of(&mut self, shape: &Shape) -> Result {
        self.shape.cooperative = shape.cooperative;
        self.shape.cluster = cluster_limits::choose(&self.function, shape.cluster)?;
        Ok(())
    }

    /// Sets the cluster scheduling policy of a captured launch: its own, or else its function's.
    /// The default policy becomes "spread".
    pub fn take_policy(&mut self) {
        let id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
        let own = self.attributes.iter().rfind(|one| one.id == id);
        let policy = match own {
            Some(one) => one.value.0[0],
            None => self.function.settings.policy.load(Ordering::Relaxed) as u32,
        };
        let mut value = [0; 16];
        value[0] = match policy {
            CU_CLUSTER_SCHEDULING_POLICY_DEFAULT => CU_CLUSTER_SCHEDULING_POLICY_SPREAD,
            policy => policy,
        };
        let value = AttributeValue(value);
        self.attributes.retain(|one| one.id != id);
        self.attributes.push(LaunchAttribute { id, value });
    }

    /// Sets the priority of a captured launch to its stream's, unless it has its own.
    pub fn take_priority(&mut self, priority: i32) {
        let id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
        if priority != 0 && !self.attributes.iter().any(|one| one.id == id) {
            let mut value = [0; 16];
            value[0] = priority as u32;
            let value = AttributeValue(value);
            self.attributes.push(LaunchAttribute { id, value });
        }
    }

    /// Returns the value of an attribute, even if it was not set.
    pub fn attribute(&self, id: u32) -> AttributeValue {
        let mut value = [0; 16];
        if id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE {
            // Any value other than 0 is kept as it was set.
            let set = self.attributes.iter().find(|one| one.id == id);
            return match (self.shape.cooperative, set) {
                (true, Some(set)) if set.value.0[0] != 0 => set.value,
                (cooperative, _) => {
                    value[0] = u32::from(cooperative);
                    AttributeValue(value)
                }
            };
        } else if id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION {
            value[..3].copy_from_slice(&self.shape.cluster.unwrap_or_default());
        } else if let Some(set) = self.attributes.iter().find(|one| one.id == id) {
            return set.value;
        } else if id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP {
            // Two bytes: the default domain is 0, the remote one is 1.
            value[0] = 1 << 8;
        }
        AttributeValue(value)
    }
}
