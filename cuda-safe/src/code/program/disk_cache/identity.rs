//! Identifies the loaded build of NVRTC.
//!
//! `nvrtcVersion` returns only the major and minor version, and updates within a minor version can
//! produce different code. NVRTC writes its full version only into its output, and compiling takes
//! longer than reading a cache entry. The library file is therefore identified directly.

use std::{
    ffi::{c_int, c_void},
    fs, io,
    os::unix::fs::MetadataExt,
    path::Path,
    slice,
    sync::OnceLock,
};

use super::key::Hash;
use crate::code::program::{builtins, nvrtc_version};

/// Returns a hash that identifies the library in memory, its file, and the file of its built-in
/// functions. Returns `None` if one of them cannot be found.
pub(super) fn of_nvrtc() -> Option<&'static str> {
    static IDENTITY: OnceLock<Option<String>> = OnceLock::new();
    let of_files = || {
        let mut hash = Hash::new();
        hash.part(nvrtc_version().ok()?.to_string());
        // The file may have been replaced since it was loaded.
        hash.part(loaded(cuda_sys::loading::nvrtc_address().addr())?);
        let library = builtins::library()?;
        add_file(&mut hash, &library).ok()?;
        add_file(&mut hash, &builtins::neighbour(&library)?).ok()?;
        Some(hash.finish())
    };
    IDENTITY.get_or_init(of_files).as_deref()
}

fn add_file(hash: &mut Hash, path: &Path) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    hash.part(metadata.size().to_le_bytes())
        .part(metadata.mtime().to_le_bytes())
        .part(metadata.mtime_nsec().to_le_bytes());
    Ok(())
}

/// The number of bytes of the loaded library that are hashed. A library begins with its headers,
/// the build ID, and the tables of all symbols and their addresses. Almost every change to the code
/// changes one of these.
const ENOUGH: usize = 64 << 10;

const ACCESS: u32 = libc::PF_R | libc::PF_W;

/// Returns the first bytes of the read-only part of the loaded library that contains an address.
fn loaded(address: usize) -> Option<Vec<u8>> {
    struct Search {
        address: usize,
        found: Option<Vec<u8>>,
    }

    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        search: *mut c_void,
    ) -> c_int {
        // SAFETY: both pointers are valid during the call, and `search` is the one passed below.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        if info.dlpi_phdr.is_null() {
            return 0;
        }
        // SAFETY: the loader provides `dlpi_phnum` headers at this address.
        let headers = unsafe { slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let parts = || {
            headers
                .iter()
                .filter(|header| header.p_type == libc::PT_LOAD)
                .map(|header| {
                    let start = (info.dlpi_addr + header.p_vaddr) as usize;
                    (start, header.p_memsz as usize, header.p_flags)
                })
        };
        if !parts().any(|(start, size, _)| (start..start + size).contains(&search.address)) {
            return 0;
        }
        let fixed = |flags: u32| flags & ACCESS == libc::PF_R;
        if let Some((start, size, _)) = parts().find(|&(_, _, flags)| fixed(flags)) {
            // SAFETY: this segment is mapped read-only while the library is loaded, and the loader
            // unloads no library during the call.
            let bytes = unsafe { slice::from_raw_parts(start as *const u8, size.min(ENOUGH)) };
            search.found = Some(bytes.to_vec());
        }
        1
    }

    let mut search = Search {
        address,
        found: None,
    };
    // SAFETY: `visit` is called with `search`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        time::{Duration, SystemTime},
    };

    use super::*;
    use crate::code::program::disk_cache::folder::Folder;

    #[test]
    fn loaded_finds_the_library_of_an_address() {
        let found = loaded(cuda_sys::loading::nvrtc_address().addr()).unwrap();
        assert_eq!(found.len(), ENOUGH);
        let file = fs::read(builtins::library().unwrap()).unwrap();
        assert!(
            found == file[..ENOUGH],
            "the read-only segment differs from the file"
        );
        // This program is a different object, and the stack belongs to none.
        assert_ne!(loaded(loaded as *const () as usize).unwrap(), found);
        assert_eq!(loaded((&raw const found).addr()), None);
        assert_eq!(loaded(0), None);
    }

    #[test]
    fn nvrtc_has_an_identity() {
        let name = of_nvrtc().unwrap();
        assert_eq!(name.len(), 64);
        assert_eq!(of_nvrtc(), Some(name));
    }

    #[test]
    fn files_are_identified_by_size_and_time() {
        let folder = Folder::new();
        let path = folder.write("a", "1");
        let hash = || {
            let mut hash = Hash::new();
            add_file(&mut hash, &path).unwrap();
            hash.finish()
        };
        let at = |time: SystemTime| {
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(time)
        };
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        at(then).unwrap();
        let first = hash();
        at(then + Duration::from_secs(1)).unwrap();
        assert_ne!(hash(), first);
        at(then + Duration::from_nanos(1_000)).unwrap();
        assert_ne!(hash(), first);
        folder.write("a", "2");
        at(then).unwrap();
        assert_eq!(hash(), first);
        folder.write("a", "12");
        at(then).unwrap();
        assert_ne!(hash(), first);
        assert!(add_file(&mut Hash::new(), &folder.0.join("b")).is_err());
    }
}
