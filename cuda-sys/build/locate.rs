//! Finds the CUDA headers, NVRTC and libclang.

use std::env;
use std::path::{Path, PathBuf};

pub struct Toolkit {
    pub include: Vec<PathBuf>,
    pub lib: Vec<PathBuf>,
    pub libclang: Option<PathBuf>,
}

pub fn toolkit() -> Result<Toolkit, String> {
    let repo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cuda");
    let cu13 = repo.join("nvidia/cu13");
    if !cu13.join("include/cuda.h").is_file() {
        return Err("cannot find cuda.h; run `make setup`".into());
    }
    let libclang = repo.join("clang/native");
    Ok(Toolkit {
        include: vec![cu13.join("include"), cu13.join("include/cccl")],
        lib: vec![cu13.join("lib")],
        libclang: libclang.is_dir().then_some(libclang),
    })
}
