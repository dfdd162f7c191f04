//! The files of NVRTC and of its second library.

use std::{
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

/// Returns the first page of NVRTC in memory. It contains the sizes of all segments, and the build
/// ID or the time of the build.
pub(super) fn first_page() -> Option<Vec<u8>> {
    let start = cuda_find::base_of(cuda_sys::loading::nvrtc_address())?;
    // SAFETY: the loader maps the file from its beginning, and NVRTC is never unloaded.
    let page = unsafe { slice::from_raw_parts(start.cast::<u8>(), 4096) };
    let mut page = page.to_vec();
    if cfg!(windows) {
        without_address(&mut page);
    }
    Some(page)
}

/// Clears the library's address, which Windows' loader writes into the header.
fn without_address(page: &mut [u8]) {
    /// The offset of the header's own offset in the file.
    const HEADER: usize = 0x3c;
    /// The offset of the library's address in the header.
    const BASE: usize = 0x30;
    let header = page[HEADER..][..4].try_into().map(u32::from_le_bytes);
    let base = header.map_or(0, |header| header as usize + BASE);
    if let Some(address) = page.get_mut(base..base + 8) {
        address.fill(0);
    }
}

/// Returns the `libnvrtc-builtins` next to a `libnvrtc`, if it exists.
pub(super) fn neighbour(library: &Path) -> Option<PathBuf> {
    cuda_find::builtins(library, super::nvrtc_version().ok()?)
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_the_address_of_the_library_is_cleared() {
        let mut page = vec![1u8; 4096];
        page[0x3c..0x40].copy_from_slice(&0x80u32.to_le_bytes());
        let mut expected = page.clone();
        expected[0xb0..0xb8].fill(0);
        super::without_address(&mut page);
        assert!(page == expected);
    }
}
