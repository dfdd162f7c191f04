//! Host functions: the client's, called in a stream's order.

use std::sync::Arc;

use super::pending_host_memory::{HostAccess, Pending};
use super::stream::{How, Piece, Stream};
use crate::abi::status::{Code, Result};
use crate::process::call;
use crate::process::context::Context;

/// `CUhostFn`
pub type Function = unsafe extern "C" fn(u64);

/// A function of the client's.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for null.
pub fn function(address: u64) -> Result<Function> {
    if address == 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    // SAFETY: the client passes a function of that type.
    Ok(unsafe { std::mem::transmute::<u64, Function>(address) })
}

/// A host function and what it is given: what a stream is given, or a host node.
#[derive(Clone, Copy)]
pub struct HostCall {
    function: Function,
    pub data: u64,
}

impl HostCall {
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for null.
    pub fn new(address: u64, data: u64) -> Result<HostCall> {
        let function = function(address)?;
        Ok(HostCall { function, data })
    }

    /// The function's address.
    pub fn address(&self) -> u64 {
        self.function as usize as u64
    }

    /// One call of it.
    pub fn piece(self, context: &Arc<Context>, stream: &Stream) -> Piece {
        let HostCall { function, data } = self;
        let context = context.clone();
        let pending = Pending::new(stream, HostAccess::HostFunction, data, 1);
        let work = move || {
            // From here on it is the function's affair.
            drop(pending);
            // SAFETY: the client's function with the argument it asked for.
            call::into_client(&context, || unsafe { function(data) });
            Ok(())
        };
        Piece::new(How::HostFunction, Box::new(work))
    }
}
