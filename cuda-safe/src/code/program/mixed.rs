//! Explains errors of a compiler whose headers have another version.
//!
//! NVRTC and the headers are found separately: NVRTC may come from a pip package and the headers
//! from the system's toolkit.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{headers, nvrtc_path::for_nvrtc};
use crate::driver::Version;

/// Returns the explanation if an error may come from headers of another version than the
/// compiler's.
///
/// An error may come from the headers if it is in one of them, or if one of CUDA's is missing. Warnings
/// and notes in them may come from any program. `library` is the file of NVRTC.
pub(super) fn explain(
    log: &str,
    toolkit: &[PathBuf],
    compiler: Version,
    library: Option<&Path>,
) -> Option<String> {
    let folder = toolkit.first()?;
    let of_toolkit =
        |line: &str| line.contains("error") && toolkit.iter().any(|folder| is_within(line, folder));
    let blames_headers =
        |line: &str| of_toolkit(line) || headers::missing(line).is_some_and(headers::is_cudas);
    log.lines().any(blames_headers).then_some(())?;
    let headers = version(&folder.join("cuda.h"))?;
    (headers != compiler).then_some(())?;
    let nvrtc = match library {
        Some(file) => format!("NVRTC ({})", file.display()),
        None => "NVRTC".to_owned(),
    };
    Some(format!(
        "the headers in {} are those of CUDA {headers}, but {nvrtc} is of CUDA {compiler}. Fix: set CUDA_PATH to one toolkit \
         that has both, or run `pip install nvidia-cuda-runtime=={compiler}.* nvidia-cuda-nvrtc=={compiler}.*` (for CUDA 12, \
         both with -cu12) and set CUDA_PATH to its folder",
        folder.display()
    ))
}

/// Returns whether a message names a file in a folder.
fn is_within(message: &str, folder: &Path) -> bool {
    message.contains(&for_nvrtc(folder))
}

/// Returns the version in a `cuda.h`.
fn version(header: &Path) -> Option<Version> {
    let text = fs::read(header).ok()?;
    let text = String::from_utf8_lossy(&text);
    let number: u32 = text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix("#define CUDA_VERSION")?;
        rest.trim().parse().ok()
    })?;
    Some(Version::from_number(number))
}

#[cfg(test)]
mod tests {
    use std::{env, process};

    use super::*;

    #[test]
    fn errors_in_headers_of_another_version_are_explained() {
        let root = env::temp_dir().join(format!("cuda-safe-mixed-{}", process::id()));
        fs::create_dir_all(&root).unwrap();
        let toolkit = [root.clone(), root.join("cccl")];
        let library = Path::new("site-packages/nvidia/cu13/lib/libnvrtc.so.13");
        let of = |log: &str, minor| {
            let compiler = Version { major: 13, minor };
            explain(log, &toolkit, compiler, Some(library))
        };
        let folder = root.display().to_string().replace('\\', "/");
        let in_header = format!("{folder}/cuda_fp16.h(12): error: identifier \"x\" is undefined");
        assert_eq!(of(&in_header, 0), None, "no headers");
        fs::write(root.join("cuda.h"), "\n#define CUDA_VERSION 12040\n").unwrap();
        let text = of(&in_header, 0).unwrap();
        let (headers, library) = (root.display(), library.display());
        let start = format!(
            "the headers in {headers} are those of CUDA 12.4, but NVRTC ({library}) is of CUDA 13.0. Fix: set CUDA_PATH to"
        );
        assert!(text.starts_with(&start), "{text}");
        assert!(text.contains("nvidia-cuda-runtime==13.0.*"), "{text}");
        for harmless in [
            "warning #1-D: last line",
            "note: function \"__hadd\" does not match",
        ] {
            assert_eq!(
                of(&format!("{folder}/cuda_fp16.h(12): {harmless}"), 0),
                None
            );
        }
        let missing = "a.cu(1): catastrophic error: cannot open source file \"cuda/std/span\"";
        assert!(of(missing, 0).is_some());
        let other = "a.cu(1): catastrophic error: cannot open source file \"vector\"";
        assert_eq!(of(other, 0), None);
        assert_eq!(of("a.cu(1): error: identifier \"y\" is undefined", 0), None);
        fs::write(root.join("cuda.h"), "#define CUDA_VERSION 13010\n").unwrap();
        assert!(of(&in_header, 0).is_some(), "another minor version");
        assert_eq!(of(&in_header, 1), None, "the same version");
        fs::remove_dir_all(root).unwrap();
    }
}
