//! The number of registers per thread that the driver reports for a kernel: the engine's estimate,
//! within the bounds that a compiler would have kept.

use crate::process::device::{MAX_THREADS, REGISTERS};
use cuda_emulator_engine::KernelInfo;

/// Maximum registers per thread.
const MOST: u32 = 255;
/// Granularity of register allocation, in registers per thread.
const UNIT: u32 = 8;
/// The compiler's minimum, even if fewer are requested (`ptxas`: "adjusting per thread register
/// count").
const LEAST: u32 = 24;

/// Bounds for the compiler, from the options of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// `CU_JIT_MAX_REGISTERS`
    pub registers: Option<u32>,
    /// `CU_JIT_THREADS_PER_BLOCK`: blocks of this many threads must be possible.
    pub threads: Option<u32>,
    /// `CU_JIT_MAX_THREADS_PER_BLOCK`
    pub max_threads: Option<u32>,
    /// `CU_JIT_MIN_CTA_PER_SM`
    pub min_blocks: Option<u32>,
    /// `CU_JIT_OVERRIDE_DIRECTIVE_VALUES`: the options take precedence over directives in the PTX.
    pub overrides: bool,
}

/// Words per bounds in the linker's output.
pub const WORDS: usize = 5;

impl Bounds {
    /// Returns the bounds as words. Bit 32 is set in the word of an option that is given.
    pub fn words(&self) -> [u64; WORDS] {
        let word = |option: Option<u32>| option.map_or(0, |value| 1 << 32 | u64::from(value));
        [
            word(self.registers),
            word(self.threads),
            word(self.max_threads),
            word(self.min_blocks),
            self.overrides.into(),
        ]
    }

    /// Creates bounds from the result of [`Bounds::words`].
    pub fn of_words(words: [u64; WORDS]) -> Bounds {
        let option = |word: u64| (word >> 32 != 0).then_some(word as u32);
        let [registers, threads, max_threads, min_blocks, overrides] = words;
        Bounds {
            registers: option(registers),
            threads: option(threads),
            max_threads: option(max_threads),
            min_blocks: option(min_blocks),
            overrides: overrides != 0,
        }
    }

    /// Returns these bounds, completed with those of `others` that are missing here.
    pub fn or(self, others: Bounds) -> Bounds {
        Bounds {
            registers: self.registers.or(others.registers),
            threads: self.threads.or(others.threads),
            max_threads: self.max_threads.or(others.max_threads),
            min_blocks: self.min_blocks.or(others.min_blocks),
            overrides: self.overrides || others.overrides,
        }
    }

    /// Returns the line in the info log about a limit that cannot be applied, as an H200's driver
    /// writes it.
    pub fn remark(&self) -> String {
        match self.registers {
            Some(asked) if asked < LEAST => {
                format!("CU_JIT_MAX_REGISTERS is {asked}: the minimum of {LEAST} is used")
            }
            Some(asked) if asked > MOST => {
                format!("CU_JIT_MAX_REGISTERS is {asked}, which exceeds {MOST}: it is ignored")
            }
            _ => String::new(),
        }
    }

    /// Returns the value that applies if an option and a directive set the same bound.
    fn choose(&self, option: Option<u32>, directive: Option<u32>) -> Option<u32> {
        match self.overrides {
            true => option.or(directive),
            false => directive.or(option),
        }
    }

    /// Returns the registers per thread of a kernel. `threads_per_multiprocessor` is the device's.
    pub fn apply(&self, info: &KernelInfo, threads_per_multiprocessor: u32) -> u32 {
        let threads = self.choose(self.max_threads, info.max_threads);
        let threads = threads.filter(|threads| (1..=MAX_THREADS).contains(threads));
        let blocks = self.choose(self.min_blocks, info.min_blocks);
        let limit = match self.overrides {
            // A limit for all kernels does not apply to kernels with their own bounds.
            false if info.max_threads.is_some() || info.min_blocks.is_some() => None,
            _ => self.registers,
        };
        let limit = self.choose(limit, info.max_registers);
        // A block of the maximum size must fit.
        let mut most = MOST.min(share(threads.unwrap_or(MAX_THREADS)));
        if let Some(blocks) = blocks {
            let all = threads
                .unwrap_or(MAX_THREADS)
                .next_multiple_of(32)
                .saturating_mul(blocks);
            // Impossible requests are ignored.
            if (1..=threads_per_multiprocessor).contains(&all) {
                most = most.min(share(all));
            }
        }
        if let Some(threads) = self.threads.filter(|n| (1..=MAX_THREADS).contains(n)) {
            most = most.min(share(threads));
        }
        if let Some(limit) = limit.filter(|limit| *limit > 0) {
            most = most.min(limit.max(LEAST));
        }
        info.registers.clamp(1, most)
    }
}

/// Returns the registers that each of `threads` threads on a multiprocessor can have.
fn share(threads: u32) -> u32 {
    let each = REGISTERS / threads.next_multiple_of(32);
    (each / UNIT * UNIT).clamp(LEAST, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(registers: u32) -> KernelInfo {
        KernelInfo {
            input: 0,
            name: "k".into(),
            params: Vec::new(),
            param_bytes: 0,
            static_shared: 0,
            local_bytes: 0,
            registers,
            max_threads: None,
            required_block: None,
            min_blocks: None,
            max_registers: None,
            required_cluster: None,
            explicit_cluster: false,
            max_cluster: None,
            nests: false,
            launches_graphs: false,
        }
    }

    #[test]
    fn bounds_round_trip_through_words() {
        let bounds = Bounds {
            registers: Some(0),
            threads: Some(u32::MAX),
            max_threads: None,
            min_blocks: Some(7),
            overrides: true,
        };
        for bounds in [bounds, Bounds::default()] {
            assert_eq!(Bounds::of_words(bounds.words()), bounds);
        }
    }

    #[test]
    fn directives_bound_the_estimate() {
        let with = |max_threads, min_blocks, max_registers| {
            let kernel = KernelInfo {
                max_threads,
                min_blocks,
                max_registers,
                ..kernel(200)
            };
            Bounds::default().apply(&kernel, 2048)
        };
        // 65536 registers for this many threads.
        assert_eq!(with(None, None, None), 64);
        assert_eq!(with(Some(256), None, None), 200);
        assert_eq!(with(Some(384), None, None), 168, "170, in units of 8");
        assert_eq!(with(Some(256), Some(4), None), 64);
        assert_eq!(with(Some(250), Some(8), None), 32, "whole warps");
        assert_eq!(
            with(Some(256), Some(9), None),
            200,
            "more than a multiprocessor holds"
        );
        assert_eq!(with(None, Some(2), None), 32);
        assert_eq!(with(Some(256), None, Some(40)), 40);
        assert_eq!(with(Some(256), None, Some(8)), 24);
        // Kernels that need fewer registers do not get more.
        let small = KernelInfo {
            max_threads: Some(64),
            max_registers: Some(99),
            ..kernel(10)
        };
        assert_eq!(Bounds::default().apply(&small, 2048), 10);
    }

    #[test]
    fn options_apply_without_directives() {
        let free = kernel(200);
        let bounded = KernelInfo {
            max_threads: Some(256),
            ..kernel(200)
        };
        let fixed = KernelInfo {
            max_registers: Some(48),
            ..kernel(200)
        };
        let registers = |registers, overrides| Bounds {
            registers: Some(registers),
            overrides,
            ..Bounds::default()
        };
        let apply = |bounds: Bounds| [&free, &bounded, &fixed].map(|one| bounds.apply(one, 2048));
        assert_eq!(apply(registers(32, false)), [32, 200, 48]);
        assert_eq!(apply(registers(32, true)), [32; 3]);
        assert_eq!(apply(registers(16, true)), [24; 3]);
        assert_eq!(apply(registers(0, true)), [64, 200, 64], "no limit");
        let blocks = Bounds {
            min_blocks: Some(8),
            max_threads: Some(128),
            ..Bounds::default()
        };
        assert_eq!(apply(blocks), [64, 32, 48]);
        let threads = Bounds {
            threads: Some(512),
            ..Bounds::default()
        };
        assert_eq!(apply(threads), [64, 128, 48]);
    }
}
