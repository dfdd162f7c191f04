//! Nodes of kernels that kernels may change.

use super::node::{Node, Task};
use crate::abi::AttributeValue;
use crate::abi::status::{Code, Result};
use crate::work::operation::Operation;
use crate::work::updatable_kernel::Updatable;

impl Node {
    /// Whether kernels change it.
    pub fn is_updatable(&self) -> bool {
        self.task.is_updatable()
    }

    /// Sets the attribute by which kernels may change the node; the value with the node's handle.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a node that isn't a kernel's, and for a value but 0 and 1;
    /// `CUDA_ERROR_NOT_SUPPORTED` for taking it back.
    pub fn set_updatable(&mut self, value: AttributeValue) -> Result<AttributeValue> {
        let Task::Operation(Operation::Launch(launch), _) = &mut self.task else {
            return Err(Code::ERROR_INVALID_VALUE);
        };
        match (value.0[0], &launch.updatable) {
            (0, None) => Ok(value),
            (0, Some(_)) => Err(Code::ERROR_NOT_SUPPORTED),
            (1, None) => {
                let node = Updatable::new(launch.params.len());
                let value = node.value();
                launch.updatable = Some(node);
                Ok(value)
            }
            // As an H200 has it: the value names no node yet.
            (1, Some(node)) if value.0[2..4] == [0, 0] => Ok(node.value()),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }
}
