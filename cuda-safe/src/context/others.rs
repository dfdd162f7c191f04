//! Other contexts of the process, which a fault ends, too.
//!
//! A fault in one context makes all calls fail in every context of the process, on all devices. The
//! driver reports it in the faulting context when all work of that context is over. The work of the
//! other contexts continues: their kernels and copies still use memory after waits for them have
//! returned (recorded on two H100s, driver 580). The error code does not identify the context. So
//! after a fault, a wait proves that work is over only if the process has had only one context.

use std::{
    ffi::c_int,
    fmt, ptr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use cuda_sys::{self as sys, CUcontext, CUresult};

/// The contexts that this crate uses, one entry for each object.
static PRESENT: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

struct Entry {
    /// The address of the raw context.
    context: usize,
    /// Whether another context existed at any time since this one was created.
    had_others: Arc<AtomicBool>,
}

fn present() -> MutexGuard<'static, Vec<Entry>> {
    PRESENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A registration of a context, which lasts as long as this value.
pub(super) struct Presence {
    context: usize,
    had_others: Arc<AtomicBool>,
}

impl Presence {
    pub(super) fn new(raw: CUcontext) -> Self {
        let context = raw.addr();
        let mut present = present();
        let same = present.iter().find(|one| one.context == context);
        let had_others = same.map_or_else(Arc::default, |one| one.had_others.clone());
        if present.iter().any(|one| one.context != context) {
            had_others.store(true, Ordering::Relaxed);
            for other in &*present {
                other.had_others.store(true, Ordering::Relaxed);
            }
        }
        let had_others_here = had_others.clone();
        present.push(Entry {
            context,
            had_others,
        });
        Self {
            context,
            had_others: had_others_here,
        }
    }

    /// Returns whether no other context has existed in the process, as far as this crate and the
    /// driver know.
    pub(super) fn is_alone(&self) -> bool {
        // The lock orders this after the registration of any context that has faulted since.
        let present = present();
        let had_others = self.had_others.load(Ordering::Relaxed);
        drop(present);
        !had_others && !self.foreign_primary_is_active()
    }

    /// Returns whether a primary context is active that this crate does not use. The CUDA runtime
    /// uses such contexts.
    fn foreign_primary_is_active(&self) -> bool {
        let mut count: c_int = 0;
        // SAFETY: `count` is valid for the write.
        if unsafe { sys::cuDeviceGetCount(&mut count) } != CUresult::CUDA_SUCCESS {
            return true;
        }
        (0..count).any(|device| {
            let (mut flags, mut active) = (0, 0);
            // SAFETY: both are valid for the write.
            let code = unsafe { sys::cuDevicePrimaryCtxGetState(device, &mut flags, &mut active) };
            match code {
                CUresult::CUDA_SUCCESS if active == 0 => false,
                CUresult::CUDA_SUCCESS => self.is_not_primary_of(device),
                _ => true,
            }
        })
    }

    /// Returns whether this context is not the active primary one of a device.
    fn is_not_primary_of(&self, device: c_int) -> bool {
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write.
        let code = unsafe { sys::cuDevicePrimaryCtxRetain(&mut raw, device) };
        if code != CUresult::CUDA_SUCCESS {
            return true;
        }
        // SAFETY: releases the retain above.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(device) };
        raw.addr() != self.context
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut present = present();
        let own = present.iter().position(|one| {
            one.context == self.context && Arc::ptr_eq(&one.had_others, &self.had_others)
        });
        if let Some(own) = own {
            present.swap_remove(own);
        }
    }
}

impl fmt::Debug for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Presence").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presence(context: usize) -> Presence {
        Presence::new(ptr::without_provenance_mut(context))
    }

    fn has_had_others(presence: &Presence) -> bool {
        presence.had_others.load(Ordering::Relaxed)
    }

    // This is one test because the list belongs to the process.
    #[test]
    fn contexts_that_coexist_are_not_alone() {
        let first = presence(0x10);
        let again = presence(0x10);
        assert!(!has_had_others(&first) && !has_had_others(&again));
        let second = presence(0x20);
        assert!(has_had_others(&first) && has_had_others(&again) && has_had_others(&second));
        drop((first, again));
        let third = presence(0x10); // a new context at the same address
        assert!(has_had_others(&third) && has_had_others(&second));
        drop((second, third));
        assert!(!has_had_others(&presence(0x30)));
        let fourth = presence(0x40);
        assert!(!has_had_others(&fourth), "0x30 has been dropped");
    }
}
