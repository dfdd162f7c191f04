//! What is mutated, and which tests have to notice.

/// A package with what is mutated of it.
pub struct Target {
    /// The package.
    pub package: &'static str,
    /// All Rust files below are mutated.
    pub folder: &'static str,
    /// But not those whose path begins so.
    pub except: &'static [&'static str],
    /// The packages whose tests count, its own first.
    pub tests: &'static [&'static str],
}

/// In the order of their dependencies.
pub const TARGETS: [Target; 4] = [
    Target {
        package: "cuda-safe",
        folder: "cuda-safe/src/",
        // Text.
        except: &["cuda-safe/src/guide/"],
        tests: &["cuda-safe"],
    },
    Target {
        package: "cuda-compute",
        folder: "cuda-compute/src/",
        // Opponents on the CPU.
        except: &["cuda-compute/src/cpu/"],
        tests: &["cuda-compute"],
    },
    Target {
        package: "cuda-nccl",
        folder: "cuda-nccl/src/",
        // Generated bindings.
        except: &["cuda-nccl/src/sys/"],
        tests: &["cuda-nccl"],
    },
    Target {
        package: "cuda-emulator",
        folder: "cuda-emulator/src/",
        except: &[],
        tests: &["cuda-emulator", "cuda-emulator-checks", "cuda-safe"],
    },
];

impl Target {
    /// Whether a file, by its path from the repository's root, is mutated.
    pub fn has(&self, file: &str) -> bool {
        file.starts_with(self.folder)
            && file.ends_with(".rs")
            && !self.except.iter().any(|start| file.starts_with(start))
    }
}

/// The target that a file belongs to.
pub fn of(file: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.has(file))
}

/// The file that a package's switch goes into.
pub fn is_root(file: &str) -> bool {
    TARGETS
        .iter()
        .any(|target| file == format!("{}/src/lib.rs", target.package))
}

/// Whether a test program takes part. Tests of what must not compile never run the code. The injection suite runs the
/// other tests again and again, which take part themselves.
pub fn counts(_package: &str, program: &str) -> bool {
    !matches!(program, "compile_fail" | "injection_suite")
}

/// Whether the tests of a package may find compiled kernels that earlier runs have left while they are measured. Tests of
/// `cuda-safe` may not: they reach the code that compiles kernels and keeps them, and mutants of it.
pub fn keeps_kernels(package: &str) -> bool {
    TARGETS
        .iter()
        .find(|target| target.package == "cuda-safe")
        .is_none_or(|safe| !safe.tests.contains(&package))
}

/// Whether a mutant of a file leaves the code alone that compiles kernels and keeps them, so that tests may find those that
/// earlier runs have left.
pub fn compiles_as_before(file: &str) -> bool {
    !file.starts_with("cuda-safe/src/code/program/")
}

/// A process that leaks ends so under the emulator's check.
pub const LEAKED: i32 = 99;

/// The environment variable that turns on that check.
pub const CHECK: &str = "CUDA_EMULATOR_CHECK";

/// The emulator's settings for a test program.
pub fn environment(package: &str, program: &str) -> Vec<(String, String)> {
    let strict = [
        // Work is held back for so many milliseconds unless somebody waits for it: a missing wait shows.
        ("CUDA_EMULATOR_HOLD", "20"),
        (CHECK, "leak"),
    ];
    match (package, program) {
        ("cuda-safe", "integration" | "graphs" | "peers" | "signals" | "tensor_maps")
        | ("cuda-compute", "integration")
        | ("cuda-nccl", "fake" | "spread" | "file") => strict
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect(),
        _ => Vec::new(),
    }
}
