//! The files of NVRTC and of its second library.

use std::{
    mem::MaybeUninit,
    path::{Path, PathBuf},
    slice,
    sync::Once,
};

/// Opens `libnvrtc-builtins` from the folder of `libnvrtc`.
pub(super) fn preload() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // If this fails, NVRTC searches by itself.
        if let (Some(library), Ok(version)) = (library(), super::nvrtc_version()) {
            cuda_find::open_builtins(&library, version);
        }
    });
}

/// Returns the file that NVRTC was loaded from.
pub(crate) fn library() -> Option<PathBuf> {
    let library = cuda_find::file_of(cuda_sys::loading::nvrtc_address())?;
    // If the file is a symbolic link, the other library is next to its target.
    Some(library.canonicalize().unwrap_or(library))
}

/// Returns the first page of NVRTC in memory. It contains the sizes of all segments and the build
/// ID.
pub(super) fn first_page() -> Option<&'static [u8]> {
    let mut info = MaybeUninit::uninit();
    let address = cuda_sys::loading::nvrtc_address();
    // SAFETY: `info` is valid for writing, and the function accepts any address.
    let found = unsafe { libc::dladdr(address, info.as_mut_ptr()) } != 0;
    // SAFETY: if the call above succeeded, it initialized `info`.
    let info: libc::Dl_info = found.then(|| unsafe { info.assume_init() })?;
    let start = info.dli_fbase.cast_const().cast::<u8>();
    // SAFETY: the loader maps the file from its beginning, and NVRTC is never unloaded.
    (!start.is_null()).then(|| unsafe { slice::from_raw_parts(start, 4096) })
}

/// Returns the `libnvrtc-builtins` next to a `libnvrtc`, if it exists.
pub(super) fn neighbour(library: &Path) -> Option<PathBuf> {
    cuda_find::builtins(library, super::nvrtc_version().ok()?)
}
