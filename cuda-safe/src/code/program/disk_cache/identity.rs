//! Identifies the loaded build of NVRTC.
//!
//! `nvrtcVersion` returns only the major and minor version, and updates within a minor version can
//! produce different code. NVRTC writes its full version only into its output, and compiling takes
//! longer than reading a cache entry. The library file is therefore identified directly.

use std::{fs, io, path::Path, sync::OnceLock};

use super::{hash::Hash, system};
use crate::code::program::{builtins, nvrtc_version};

/// Returns a hash that identifies the library in memory, its file, and the file of its built-in
/// functions. Returns `None` if one of them cannot be found.
pub(super) fn of_nvrtc() -> Option<&'static str> {
    static IDENTITY: OnceLock<Option<String>> = OnceLock::new();
    let of_files = || {
        let mut hash = Hash::new();
        hash.part(nvrtc_version().ok()?.to_string());
        // The file may have been replaced since it was loaded.
        hash.part(builtins::first_page()?);
        let library = builtins::library()?;
        add_file(&mut hash, &library).ok()?;
        add_file(&mut hash, &builtins::neighbour(&library)?).ok()?;
        Some(hash.finish())
    };
    IDENTITY.get_or_init(of_files).as_deref()
}

fn add_file(hash: &mut Hash, path: &Path) -> io::Result<()> {
    for number in system::size_and_time(&fs::metadata(path)?) {
        hash.part(number);
    }
    Ok(())
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
    fn nvrtc_has_an_identity() {
        let name = of_nvrtc().unwrap();
        assert_eq!(name.len(), 64);
        assert_eq!(of_nvrtc(), Some(name));
        let file = fs::read(builtins::library().unwrap()).unwrap();
        let page = builtins::first_page().unwrap();
        // On Windows, the file has another address where the page has been cleared.
        assert!(
            cfg!(windows) || file.starts_with(&page),
            "the library in memory differs from its file"
        );
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
