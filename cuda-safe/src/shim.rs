use cuda_sys::{CUresult, nvrtcResult};
pub(crate) trait Text {
    fn name(&self) -> Option<&'static str>;
    fn description(&self) -> Option<&'static str>;
}
impl Text for CUresult {
    fn name(&self) -> Option<&'static str> {
        let mut p = std::ptr::null();
        unsafe {
            cuda_sys::cuGetErrorName(*self, &mut p);
            if p.is_null() {
                None
            } else {
                std::ffi::CStr::from_ptr(p).to_str().ok()
            }
        }
    }
    fn description(&self) -> Option<&'static str> {
        None
    }
}
impl Text for nvrtcResult {
    fn name(&self) -> Option<&'static str> {
        None
    }
    fn description(&self) -> Option<&'static str> {
        None
    }
}
