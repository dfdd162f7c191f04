//! Functions of the host, as graphs call them: once in every launch.

use std::{
    collections::HashMap,
    ffi::c_void,
    ptr,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
};

use cuda_sys::CUhostFn;

use super::held::next_number;
use crate::driver::callback;

type Function = Arc<Mutex<dyn FnMut() + Send>>;

/// The functions that graphs may call, by number.
///
/// The driver is given numbers, not addresses. After a fault it may still be calling a function when every wait has
/// ended. A number stays harmless then: it is found here, or it is not. The call under way owns the function.
static FUNCTIONS: LazyLock<Mutex<HashMap<usize, Function>>> = LazyLock::new(Mutex::default);

fn functions() -> MutexGuard<'static, HashMap<usize, Function>> {
    FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A function that graphs call. Launches that begin after this was dropped do not call it.
pub(super) struct HostFunction {
    number: usize,
}

impl HostFunction {
    pub(super) fn new(function: impl FnMut() + Send + 'static) -> Self {
        let number = next_number() as usize;
        functions().insert(number, Arc::new(Mutex::new(function)));
        Self { number }
    }

    /// What the driver calls, and what it passes.
    pub(super) fn as_raw(&self) -> (CUhostFn, *mut c_void) {
        unsafe extern "C" fn call(number: *mut c_void) {
            let Some(function) = functions().get(&number.addr()).cloned() else {
                return;
            };
            callback::run(move || {
                // A function that has panicked is called again in the next launch.
                let mut call = function.lock().unwrap_or_else(PoisonError::into_inner);
                (*call)();
                drop(call);
                drop(function); // here, if its graph is gone: a panic must not reach the driver
            });
        }
        (Some(call), ptr::without_provenance_mut(self.number))
    }
}

impl Drop for HostFunction {
    fn drop(&mut self) {
        let function = functions().remove(&self.number);
        drop(function); // not under the lock: it may own a graph
    }
}
