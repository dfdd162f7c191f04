//! The mutated files, and the tests that must detect mutants.

/// A package and its mutated files.
pub struct Target {
    /// The package.
    pub package: &'static str,
    /// The folder whose Rust files are mutated.
    pub folder: &'static str,
    /// Path prefixes of files that are excluded.
    pub except: &'static [&'static str],
    /// The packages whose tests count, starting with its own.
    pub tests: &'static [&'static str],
}

/// The targets in the order of their dependencies.
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
        // CPU implementations for comparison.
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
    /// Returns whether a file, given by its path from the repository's root, is mutated.
    pub fn has(&self, file: &str) -> bool {
        file.starts_with(self.folder)
            && file.ends_with(".rs")
            && !self.except.iter().any(|start| file.starts_with(start))
    }
}

/// Returns the target that a file belongs to.
pub fn of(file: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.has(file))
}

/// Returns whether a package's switch is inserted into this file.
pub fn is_root(file: &str) -> bool {
    TARGETS
        .iter()
        .any(|target| file == format!("{}/src/lib.rs", target.package))
}

/// Returns whether a test program takes part. Compile-fail tests never run the code. The injection
/// suite repeats other tests, which take part themselves.
pub fn counts(_package: &str, program: &str) -> bool {
    !matches!(program, "compile_fail" | "injection_suite")
}

/// Returns whether the tests of a package may use compiled kernels of earlier runs while they are
/// measured. Tests of `cuda-safe` may not, because the measurement must include the mutants that
/// they reach in the code that compiles and caches kernels.
pub fn keeps_kernels(package: &str) -> bool {
    TARGETS
        .iter()
        .find(|target| target.package == "cuda-safe")
        .is_none_or(|safe| !safe.tests.contains(&package))
}

/// Returns whether a mutant of a file does not affect the code that compiles and caches kernels, so
/// that tests may use those of earlier runs.
pub fn compiles_as_before(file: &str) -> bool {
    !file.starts_with("cuda-safe/src/code/program/")
}

/// The exit code of a process that leaks under the emulator's check.
pub const LEAKED: i32 = 99;

/// The environment variable that turns on that check.
pub const CHECK: &str = "CUDA_EMULATOR_CHECK";

/// Returns the emulator's settings for a test program.
pub fn environment(package: &str, program: &str) -> Vec<(String, String)> {
    let strict = [
        // Work is delayed by this number of milliseconds unless it is waited for, which reveals
        // missing waits.
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
