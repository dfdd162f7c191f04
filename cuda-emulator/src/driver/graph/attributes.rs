//! The attributes of kernel nodes.

use super::node::{Node, Task};
use crate::driver::abi::*;
use crate::driver::launch::{Launch, apply};
use crate::driver::operation::Operation;
use crate::driver::status::{Code, Result};

/// The attributes that a kernel node has.
const KNOWN: [u32; 11] = [
    CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
    CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
    CU_LAUNCH_ATTRIBUTE_PRIORITY,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
    CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
    CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
    CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING,
];

impl Node {
    fn launch(&mut self) -> Result<&mut Launch> {
        match &mut self.task {
            Task::Operation(Operation::Launch(launch), _) => Ok(launch),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }

    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a node that isn't a kernel's, and for what isn't an attribute of one.
    pub fn attribute(&mut self, id: u32) -> Result<AttributeValue> {
        let launch = self.launch()?;
        if !KNOWN.contains(&id) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        Ok(launch.attribute(id))
    }

    /// # Errors
    /// As [`Node::attribute`]; `CUDA_ERROR_NOT_SUPPORTED` for what isn't emulated; as for a launch with the attribute.
    pub fn set_attribute(&mut self, id: u32, value: AttributeValue) -> Result {
        let launch = self.launch()?;
        if !KNOWN.contains(&id) {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        let attribute = LaunchAttribute { id, value };
        let mut new = launch.clone();
        apply(&mut new.shape, attribute)?;
        new.attributes.retain(|one| one.id != id);
        new.attributes.push(attribute);
        new.check()?;
        *launch = new;
        Ok(())
    }

    /// All attributes, and whether the launch is cooperative.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a node that isn't a kernel's.
    pub fn attributes(&mut self) -> Result<(Vec<LaunchAttribute>, bool)> {
        let launch = self.launch()?;
        Ok((launch.attributes.clone(), launch.shape.cooperative))
    }

    /// # Errors
    /// As [`Node::set_attribute`].
    pub fn set_attributes(&mut self, all: (Vec<LaunchAttribute>, bool)) -> Result {
        let launch = self.launch()?;
        let mut new = launch.clone();
        (new.attributes, new.shape.cooperative) = all;
        new.check()?;
        *launch = new;
        Ok(())
    }
}

impl Launch {
    /// A captured launch has its stream's priority, unless it came with one.
    pub fn take_priority(&mut self, priority: i32) {
        let id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
        if priority != 0 && !self.attributes.iter().any(|one| one.id == id) {
            let mut value = [0; 16];
            value[0] = priority as u32;
            let value = AttributeValue(value);
            self.attributes.push(LaunchAttribute { id, value });
        }
    }

    /// The value of an attribute, set or not.
    pub fn attribute(&self, id: u32) -> AttributeValue {
        let mut value = [0; 16];
        if id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE {
            value[0] = u32::from(self.shape.cooperative);
        } else if let Some(set) = self.attributes.iter().find(|one| one.id == id) {
            return set.value;
        } else if id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP {
            // Two bytes: the default domain is 0, the remote one is 1.
            value[0] = 1 << 8;
        }
        AttributeValue(value)
    }
}
