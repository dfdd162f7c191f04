//! Host functions of graphs, which are called once in every launch.

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
/// The driver receives numbers, not addresses. After a fault it may still call a function although
/// every wait has ended. A number is harmless then, because the lookup either finds the function or
/// fails. A running call owns its function.
static FUNCTIONS: LazyLock<Mutex<HashMap<usize, Function>>> = LazyLock::new(Mutex::default);

fn functions() -> MutexGuard<'static, HashMap<usize, Function>> {
    FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A function that graphs call. Launches that begin after it was dropped do not call it.
pub(super) struct HostFunction {
    number: usize,
}

impl HostFunction {
    pub(super) fn new(function: impl FnMut() + Send + 'static) -> Self {
        let number = next_number() as usize;
        functions().insert(number, Arc::new(Mutex::new(function)));
        Self { number }
    }

    /// Returns the function that the driver calls, and its argument.
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
                drop(function); // if the graph was dropped, this drops the closure: its panic must not reach the driver
            });
        }
        (Some(call), ptr::without_provenance_mut(self.number))
    }
}

impl Drop for HostFunction {
    fn drop(&mut self) {
        let function = functions().remove(&self.number);
        drop(function); // not under the lock, because the function may own a graph
    }
}
