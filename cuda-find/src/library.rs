//! The libraries: their names, variables and packages.

/// A library that can be searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// The environment variable that names the file to use.
    pub variable: &'static str,
    /// Its file names, in which `*` is a major version.
    files: &'static [&'static str],
    /// Whether it is used under any file name if the process can already call its functions.
    pub(crate) preloaded: bool,
    /// The folders of its pip packages in `site-packages/nvidia`. The driver has none.
    pub(crate) packages: &'static [&'static str],
    /// How to install it: an imperative in lower case.
    pub(crate) remedy: &'static str,
    /// What to do without it: a sentence, or empty.
    pub(crate) without: &'static str,
}

/// Returns the advice for machines without a GPU, where the emulator has this file name.
macro_rules! without_gpu {
    ($file:literal) => {
        concat!(
            "Without a GPU, use the emulator: make cuda-emulator an optional dependency with a feature, write \
             `use cuda_emulator as _;`, and start `cargo run --features emulator`. Or set CUDA_SYS_LIBCUDA to the \
             absolute path of ",
            $file,
            ", which cargo puts in `debug/deps` of its target folder"
        )
    };
}

/// NVIDIA's driver, `libcuda.so.1` or `nvcuda.dll`.
pub static DRIVER: Library = Library {
    name: "NVIDIA's driver",
    variable: "CUDA_SYS_LIBCUDA",
    files: if cfg!(windows) {
        &["nvcuda.dll"]
    } else {
        &["libcuda.so.1"]
    },
    preloaded: true,
    packages: &[],
    remedy: "install the NVIDIA driver",
    without: if cfg!(windows) {
        without_gpu!("cuda_emulator.dll")
    } else {
        without_gpu!("libcuda_emulator.so")
    },
};

/// Returns the remedy for a library with packages of these names.
macro_rules! packages {
    (pip $pip:literal, pip 12 $pip12:literal, conda $conda:literal, apt $apt:literal) => {
        if cfg!(windows) {
            packages!($pip, $pip12, $conda, ", or install NVIDIA's CUDA Toolkit")
        } else {
            packages!($pip, $pip12, $conda, ", or, with NVIDIA's package repository, `apt install ", $apt, "`")
        }
    };
    ($pip:literal, $pip12:literal, $conda:literal, $($last:literal),+) => {
        concat!(
            "run `pip install ",
            $pip,
            "` (for CUDA 12, `",
            $pip12,
            "`) in the active virtual environment, `conda install -c conda-forge ",
            $conda,
            "`",
            $($last),+
        )
    };
}

/// NVRTC, the run-time compiler.
pub static NVRTC: Library = Library {
    name: "NVRTC",
    variable: "CUDA_SYS_LIBNVRTC",
    files: if cfg!(windows) {
        &["nvrtc64_*0_0.dll"]
    } else {
        &["libnvrtc.so.*", "libnvrtc.so"]
    },
    preloaded: true,
    packages: &["cu13", "cuda_nvrtc"],
    remedy: packages!(pip "nvidia-cuda-nvrtc", pip 12 "nvidia-cuda-nvrtc-cu12", conda "cuda-nvrtc", apt "cuda-nvrtc-13-0"),
    without: "",
};

/// nvJitLink, the linker with link-time optimization. It must not be older than NVRTC.
pub static NVJITLINK: Library = Library {
    name: "nvJitLink",
    variable: "CUDA_SAFE_LIBNVJITLINK",
    files: if cfg!(windows) {
        &["nvJitLink_*0_0.dll"]
    } else {
        &["libnvJitLink.so.*"]
    },
    preloaded: false,
    packages: &["cu13", "nvjitlink"],
    remedy: packages!(pip "nvidia-nvjitlink", pip 12 "nvidia-nvjitlink-cu12", conda "libnvjitlink", apt "libnvjitlink-13-0"),
    without: "",
};

/// cuBLAS, the library of matrix products.
pub static CUBLAS: Library = Library {
    name: "cuBLAS",
    variable: "CUDA_COMPUTE_LIBCUBLAS",
    files: if cfg!(windows) {
        &["cublas64_*.dll"]
    } else {
        &["libcublas.so.*"]
    },
    preloaded: false,
    packages: &["cu13", "cublas"],
    remedy: packages!(pip "nvidia-cublas", pip 12 "nvidia-cublas-cu12", conda "libcublas", apt "libcublas-13-0"),
    without: "",
};

/// cuFFT, the library of Fourier transforms. Its versions are 12 for CUDA 13, and 11 for CUDA 12.
pub static CUFFT: Library = Library {
    name: "cuFFT",
    variable: "CUDA_COMPUTE_LIBCUFFT",
    files: if cfg!(windows) {
        &["cufft64_*.dll"]
    } else {
        &["libcufft.so.*"]
    },
    preloaded: false,
    packages: &["cu13", "cufft"],
    remedy: packages!(pip "nvidia-cufft", pip 12 "nvidia-cufft-cu12", conda "libcufft", apt "libcufft-13-0"),
    without: "",
};

/// NCCL, the library of collectives.
pub static NCCL: Library = Library {
    name: "NCCL",
    variable: "CUDA_NCCL_LIBNCCL",
    // The name is the same for CUDA 12 and 13. There is no NCCL for Windows.
    files: if cfg!(windows) {
        &[]
    } else {
        &["libnccl.so.2"]
    },
    preloaded: false,
    packages: &["nccl"],
    remedy: packages!(pip "nvidia-nccl-cu13", pip 12 "nvidia-nccl-cu12", conda "nccl", apt "libnccl2"),
    without: "",
};

impl Library {
    /// Returns whether NVIDIA makes the library for this system.
    pub(crate) fn exists(&self) -> bool {
        cfg!(any(target_os = "linux", windows)) && !self.files.is_empty()
    }

    /// Returns the file names in search order.
    pub(crate) fn names(&self, versions: &[u32]) -> Vec<String> {
        let of = |file: &&str| match file.contains('*') {
            true => versions
                .iter()
                .map(|version| file.replace('*', &version.to_string()))
                .collect(),
            false => vec![(*file).to_owned()],
        };
        self.files.iter().flat_map(of).collect()
    }
}
