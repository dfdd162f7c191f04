//! Streams that are blocked by a host function.

use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex};

use super::*;

/// A gate that blocks a host function on a stream until it is opened.
#[derive(Default)]
pub struct Gate {
    open: Mutex<bool>,
    turned: Condvar,
}

impl Gate {
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.turned.notify_all();
    }
}

unsafe extern "C" fn wait_at_gate(data: *mut c_void) {
    // SAFETY: Every caller passes a leaked `Arc<Gate>`.
    let gate = unsafe { Arc::from_raw(data.cast::<Gate>()) };
    let mut open = gate.open.lock().unwrap();
    while !*open {
        open = gate.turned.wait(open).unwrap();
    }
}

/// Blocks a stream until the gate is opened.
pub fn block(stream: CUstream) -> Arc<Gate> {
    let gate = Arc::new(Gate::default());
    let data = Arc::into_raw(gate.clone()).cast_mut().cast();
    ok!(cuLaunchHostFunc(stream, Some(wait_at_gate), data));
    gate
}
