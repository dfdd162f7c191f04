//! The reason why a graph cannot be instantiated.

use crate::abi::CUDA_GRAPH_INSTANTIATE_ERROR;
use crate::abi::status::Code;

/// The reason why a graph cannot be instantiated.
pub struct InstantiateError {
    pub code: Code,
    /// `CUgraphInstantiateResult`
    pub result: u32,
    /// The node's handle, or 0 for none in particular.
    pub node: u64,
}

impl InstantiateError {
    pub fn plain(code: Code) -> InstantiateError {
        InstantiateError {
            code,
            result: CUDA_GRAPH_INSTANTIATE_ERROR,
            node: 0,
        }
    }
}
