//! The architectures that the device can emulate, and the values that differ between them.
//!
//! The numbers are from the tables "Compute Capabilities" in NVIDIA's CUDA programming guide.

use cuda_emulator_engine::version_of;

/// A GPU architecture.
#[derive(Debug, PartialEq, Eq)]
pub struct Architecture {
    /// The name in `CUDA_EMULATOR_DEVICE`.
    pub name: &'static str,
    /// Compute capability (major, minor).
    pub capability: (i32, i32),
    /// Maximum threads per multiprocessor.
    pub threads: u32,
    /// Maximum blocks per multiprocessor.
    pub blocks: u32,
    /// Bytes of shared memory per multiprocessor.
    pub shared: u32,
    /// Bytes of shared memory that a block may use after `cuFuncSetAttribute`.
    pub shared_opt_in: u32,
    /// Ratio of single-precision to double-precision throughput.
    pub double_ratio: i32,
}

/// All emulated architectures.
pub static ARCHITECTURES: [Architecture; 4] = [
    Architecture {
        name: "sm_80",
        capability: (8, 0),
        threads: 2048,
        blocks: 32,
        shared: 164 << 10,
        shared_opt_in: 163 << 10,
        double_ratio: 2,
    },
    Architecture {
        name: "sm_89",
        capability: (8, 9),
        threads: 1536,
        blocks: 24,
        shared: 100 << 10,
        shared_opt_in: 99 << 10,
        double_ratio: 64,
    },
    DEFAULT,
    Architecture {
        name: "sm_100",
        capability: (10, 0),
        threads: 2048,
        blocks: 32,
        shared: 228 << 10,
        shared_opt_in: 227 << 10,
        double_ratio: 2,
    },
];

/// The architecture if `CUDA_EMULATOR_DEVICE` is unset.
pub const DEFAULT: Architecture = Architecture {
    name: "sm_90",
    capability: (9, 0),
    threads: 2048,
    blocks: 32,
    shared: 228 << 10,
    shared_opt_in: 227 << 10,
    double_ratio: 2,
};

impl Architecture {
    /// Returns the architecture with this name.
    pub fn named(name: &str) -> Option<&'static Architecture> {
        ARCHITECTURES.iter().find(|one| one.name == name)
    }

    /// Returns all names, separated by commas, for messages.
    pub fn names() -> String {
        ARCHITECTURES.each_ref().map(|one| one.name).join(", ")
    }

    /// Returns the compute capability as one number, such as 90 for 9.0.
    pub fn number(&self) -> u32 {
        (self.capability.0 * 10 + self.capability.1) as u32
    }

    /// Returns whether the device runs machine code built for a value of `CUjit_target`.
    ///
    /// The code must be for the same major version and no newer minor version. Code with the suffix
    /// `a` runs only on exactly that architecture.
    pub fn runs_code(&self, target: u32) -> bool {
        let (number, suffix) = parts(target);
        match suffix {
            "a" => number == self.number(),
            _ => number <= self.number() && number / 10 == self.number() / 10,
        }
    }

    /// Returns whether the device runs PTX for a target such as `sm_80`, `sm_90a` or `sm_100f`.
    ///
    /// The target must not be newer than the device. With the suffix `a` it must be exactly the
    /// device's architecture, and with `f` it must belong to the same family (major version).
    pub fn runs(&self, target: &str) -> bool {
        let Some(number) = target.strip_prefix("sm_") else {
            // Not an architecture. Whether the text is PTX at all is checked elsewhere.
            return true;
        };
        let (number, suffix) = match number.find(|c: char| !c.is_ascii_digit()) {
            Some(at) => number.split_at(at),
            None => (number, ""),
        };
        let Ok(number) = number.parse::<u32>() else {
            return true;
        };
        match suffix {
            "a" => number == self.number(),
            "f" => number <= self.number() && number / 10 == self.number() / 10,
            _ => number <= self.number(),
        }
    }
}

/// Splits a value of `CUjit_target` into number and suffix.
fn parts(target: u32) -> (u32, &'static str) {
    let suffix = match target >> 16 {
        0 => "",
        1 => "a",
        _ => "f",
    };
    (target & 0xffff, suffix)
}

/// Returns whether a number is a value of `CUjit_target`.
pub fn is_target(target: u32) -> bool {
    let (number, suffix) = parts(target);
    number >= 30 && target >> 16 <= 2 && version_of(number, suffix).is_some()
}

/// Returns the PTX name of a value of `CUjit_target`, such as `sm_90a`.
pub fn name_of(target: u32) -> String {
    let (number, suffix) = parts(target);
    format!("sm_{number}{suffix}")
}

/// Returns whether PTX for `sm_NUMBER`, with or without a suffix, can be compiled for a value of
/// `CUjit_target`.
///
/// The target must not be older than the PTX. PTX with a suffix compiles only for exactly that
/// target.
pub fn compiles(ptx: &str, target: u32) -> bool {
    match ptx.strip_prefix("sm_").map(str::parse) {
        Some(Ok(number)) => parts(target).0 >= number,
        Some(Err(_)) => ptx == name_of(target),
        None => true,
    }
}

/// Returns the target of a PTX text: the first word of its first `.target` directive.
pub fn target_of(ptx: &str) -> Option<&str> {
    let mut rest = ptx;
    loop {
        let next = rest.find(['/', '.'])?;
        rest = &rest[next..];
        rest = if let Some(comment) = rest.strip_prefix("//") {
            comment.split_once('\n')?.1
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/")?.1
        } else if let Some(list) = rest.strip_prefix(".target") {
            return list
                .trim_start()
                .split([',', ' ', '\t', '\r', '\n', '/'])
                .next();
        } else {
            &rest[1..]
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linker_targets_are_recognized_and_compared() {
        const A: u32 = 1 << 16;
        const F: u32 = 2 << 16;
        for (device, runs, rejects) in [
            ("sm_80", &[80][..], &[75, 86, 90, A + 86][..]),
            ("sm_89", &[80, 86, 89], &[75, 90, A + 86]),
            ("sm_90", &[90, A + 90], &[80, 89, 100, A + 89, 12345]),
            ("sm_100", &[100, A + 100, F + 100], &[90, 103, A + 103, 120]),
        ] {
            let device = Architecture::named(device).unwrap();
            for target in runs {
                assert!(device.runs_code(*target), "{device:?} {target}");
            }
            for target in rejects {
                assert!(!device.runs_code(*target), "{device:?} {target}");
            }
        }
        for target in [30, 75, 80, 89, 90, A + 90, 100, F + 100, 120] {
            assert!(is_target(target), "{target}");
        }
        for target in [0, 20, 91, A + 80, F + 90, 12345, 3 * A + 90, u32::MAX] {
            assert!(!is_target(target), "{target}");
        }
        for (ptx, target, wanted) in [
            ("sm_80", 80, true),
            ("sm_80", 90, true),
            ("sm_80", A + 90, true),
            ("sm_90", 80, false),
            ("sm_90a", A + 90, true),
            ("sm_90a", 90, false),
            ("sm_90a", A + 100, false),
            ("sm_100f", F + 100, true),
        ] {
            assert_eq!(compiles(ptx, target), wanted, "{ptx} for {target}");
        }
        assert_eq!(
            [90, A + 90, F + 100].map(name_of),
            ["sm_90", "sm_90a", "sm_100f"]
        );
    }

    #[test]
    fn newer_and_specific_targets_do_not_run() {
        let runs = |name: &str, target| Architecture::named(name).unwrap().runs(target);
        for (name, good, bad) in [
            (
                "sm_80",
                vec!["sm_50", "sm_80", "sm_80a"],
                vec!["sm_86", "sm_90", "sm_90a"],
            ),
            ("sm_89", vec!["sm_86", "sm_89"], vec!["sm_90", "sm_80a"]),
            (
                "sm_90",
                vec!["sm_89", "sm_90", "sm_90a"],
                vec!["sm_100", "sm_100f"],
            ),
            (
                "sm_100",
                vec!["sm_90", "sm_100", "sm_100a", "sm_100f"],
                vec!["sm_90a", "sm_103", "sm_120"],
            ),
        ] {
            good.iter()
                .for_each(|target| assert!(runs(name, target), "{name}: {target}"));
            bad.iter()
                .for_each(|target| assert!(!runs(name, target), "{name}: {target}"));
        }
        assert!(Architecture::named("sm_70").is_none());
        assert_eq!(Architecture::named("sm_90"), Some(&DEFAULT));
        assert_eq!(Architecture::names(), "sm_80, sm_89, sm_90, sm_100");
    }

    #[test]
    fn target_of_skips_comments() {
        for (text, target) in [
            (".version 8.0\n.target sm_90\n", Some("sm_90")),
            (".target\tsm_90a, debug\n", Some("sm_90a")),
            (
                "// .target sm_10\n/* .target\nsm_20 */ .target sm_30/**/",
                Some("sm_30"),
            ),
            (".version 8.0", None),
            ("// .target sm_10", None),
            ("/* .target sm_10", None),
            ("", None),
        ] {
            assert_eq!(target_of(text), target, "{text}");
        }
    }
}
