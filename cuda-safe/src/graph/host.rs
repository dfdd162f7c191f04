//! Functions of the host, as graphs call them: once in every launch.

use std::{
    ffi::c_void,
    sync::{Arc, Mutex, PoisonError},
};

use cuda_sys::CUhostFn;

use crate::callback;

/// A function that graphs call. The driver is given its address.
pub(super) struct HostFunction<F>(Arc<Mutex<F>>);

impl<F: FnMut() + Send + 'static> HostFunction<F> {
    pub(super) fn new(function: F) -> Self {
        Self(Arc::new(Mutex::new(function)))
    }

    /// What the driver calls, and what it passes: valid while this lives.
    pub(super) fn as_raw(&self) -> (CUhostFn, *mut c_void) {
        unsafe extern "C" fn call<F: FnMut()>(data: *mut c_void) {
            // SAFETY: `as_raw` gave this address, and the graph holds the function for as long as it may be called.
            let function = unsafe { &*data.cast_const().cast::<Mutex<F>>() };
            callback::run(|| {
                // A function that has panicked is called again in the next launch.
                let mut function = function.lock().unwrap_or_else(PoisonError::into_inner);
                function();
            });
        }
        (
            Some(call::<F>),
            Arc::as_ptr(&self.0).cast_mut().cast::<c_void>(),
        )
    }
}
