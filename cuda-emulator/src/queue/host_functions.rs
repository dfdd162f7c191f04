//! Host functions: client functions that are called in stream order.

use std::sync::Arc;

use super::pending_host_memory::{HostAccess, Pending};
use super::stream::{How, Piece, Stream};
use crate::abi::status::{Code, Result};
use crate::process::call;
use crate::process::context::Context;

/// `CUhostFn`
pub type Function = unsafe extern "C" fn(u64);

/// Converts an address to a client function.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the address is null.
pub fn function(address: u64) -> Result<Function> {
    if address == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    // SAFETY: the client passes a function of that type.
    Ok(unsafe { std::mem::transmute::<u64, Function>(address) })
}

/// A host function and its argument, from a stream call or a host node.
#[derive(Clone, Copy)]
pub struct HostCall {
    function: Function,
    pub data: u64,
}

impl HostCall {
    /// Creates a call of the function at `address`.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_INVALID_VALUE` if the address is null.
    pub fn new(address: u64, data: u64) -> Result<HostCall> {
        let function = function(address)?;
        Ok(HostCall { function, data })
    }

    /// Returns the function's address.
    pub fn address(&self) -> u64 {
        self.function as usize as u64
    }

    /// Returns the stream work that calls it once.
    pub fn piece(self, context: &Arc<Context>, stream: &Stream) -> Piece {
        let HostCall { function, data } = self;
        let context = context.clone();
        let pending = Pending::new(stream, HostAccess::HostFunction, data, 1);
        let work = move || {
            // From here on the function is responsible for the memory.
            drop(pending);
            // SAFETY: the client's function is called with the client's argument.
            call::call_client(&context, || unsafe { function(data) });
            Ok(())
        };
        Piece::new(How::HostFunction, Box::new(work))
    }
}
