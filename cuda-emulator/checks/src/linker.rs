//! A linker with an error log.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

use crate::abi::*;

pub struct Linker {
    pub state: CUlinkState,
    log: Box<[u8; 2000]>,
    /// The size of the log is written here while the linker lives.
    _values: Box<[*mut c_void; 2]>,
}

impl Linker {
    pub fn new() -> Linker {
        let mut log = Box::new([0u8; 2000]);
        // CU_JIT_ERROR_LOG_BUFFER and its size
        let mut options = [5, 6].map(CUjit_option);
        let mut values = Box::new([log.as_mut_ptr().cast(), 2000 as *mut c_void]);
        let (options, place) = (options.as_mut_ptr(), values.as_mut_ptr());
        Linker {
            state: out!(cuLinkCreate_v2(2, options, place, _)),
            log,
            _values: values,
        }
    }

    /// Adds an input of a kind (`CUjitInputType`).
    pub fn add(&self, kind: u32, data: &[u8], name: &CStr) -> CUresult {
        link_data(self.state, kind, data, name)
    }

    /// Links. The image lives as long as the linker.
    pub fn complete(&self) -> Result<*mut c_void, CUresult> {
        result!(cuLinkComplete(self.state, _, null_mut()))
    }

    pub fn errors(&self) -> &str {
        let text = CStr::from_bytes_until_nul(&self.log[..]).unwrap();
        text.to_str().unwrap()
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        ok!(cuLinkDestroy(self.state));
    }
}
