//! Kernel nodes that kernels can change.

use super::node::{Node, Task};
use crate::abi::AttributeValue;
use crate::abi::status::{Code, Result};
use crate::work::operation::Operation;
use crate::work::updatable_kernel::Updatable;

impl Node {
    /// Returns whether kernels can change it.
    pub fn is_updatable(&self) -> bool {
        self.task.is_updatable()
    }

    /// Sets the attribute that allows kernels to change the node. Returns the value with the node's
    /// handle.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if it is not a kernel node or the value is neither 0 nor
    /// 1, and `CUDA_ERROR_NOT_SUPPORTED` if the attribute is already set and would be cleared.
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
            // As on an H200, the attribute can be set again if the value does not contain a handle.
            (1, Some(node)) if value.0[2..4] == [0, 0] => Ok(node.value()),
            _ => Err(Code::ERROR_INVALID_VALUE),
        }
    }
}
