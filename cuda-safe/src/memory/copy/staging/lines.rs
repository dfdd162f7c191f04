//! Copies between pageable memory and page-locked pieces that avoid leaving lines in the
//! processor's caches.
//!
//! The device is slow to access a line of a piece that is in a core's own cache, because it must
//! request the line from that core. The remedy depends on the processor (`docs/PERFORMANCE.md` has
//! the figures):
//!
//! - With `cldemote`, the lines of a piece are moved to the cache that all cores share.
//! - Otherwise, uploads bypass the caches, and downloads flush the lines that they have read.

/// A way to copy bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CopyMethod {
    /// An ordinary copy.
    Plain,
    /// An ordinary copy, which then moves the piece's lines out of the core's own caches.
    #[cfg(target_arch = "x86_64")]
    Demoting,
    /// A copy that bypasses the caches.
    #[cfg(target_arch = "x86_64")]
    Streaming,
    /// A copy that bypasses the caches, and then flushes the piece's lines from them.
    #[cfg(target_arch = "x86_64")]
    Flushing,
}

impl CopyMethod {
    /// Returns how `threads` threads fill pieces.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn for_upload(threads: usize) -> Self {
        // With few threads, it is faster not to read the lines that are about to be overwritten.
        match has_cldemote() && threads >= 10 {
            true => Self::Demoting,
            false => Self::Streaming,
        }
    }

    /// Returns how threads empty pieces.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn for_download() -> Self {
        match (has_cldemote(), has_clflushopt()) {
            (true, _) => Self::Demoting,
            (_, true) => Self::Flushing,
            _ => Self::Plain,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn for_upload(_threads: usize) -> Self {
        Self::Plain
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn for_download() -> Self {
        Self::Plain
    }

    /// Copies `len` bytes. `piece` is the page-locked side, one of `to` and `from`.
    ///
    /// # Safety
    /// The caller must ensure that `from` is readable and `to` writable for `len` bytes, and that
    /// they do not overlap.
    #[cfg(target_arch = "x86_64")]
    pub(super) unsafe fn copy(self, to: *mut u8, from: *const u8, len: usize, piece: *const u8) {
        use std::arch::{asm, x86_64::_mm_sfence};

        /// Small enough that the copied lines are still in the first-level cache when they are
        /// moved.
        const BLOCK: usize = 4096;
        for begin in (0..len).step_by(BLOCK) {
            let len = BLOCK.min(len - begin);
            // SAFETY: the block is within both ranges, as this function's contract says.
            unsafe {
                let (to, from) = (to.add(begin), from.add(begin));
                match self {
                    Self::Plain | Self::Demoting => to.copy_from_nonoverlapping(from, len),
                    Self::Streaming | Self::Flushing => stream(to, from, len),
                }
            }
            for offset in (0..len).step_by(LINE) {
                // SAFETY: the line belongs to the piece. The instructions change no value, and the
                // processor supports them.
                unsafe {
                    let line = piece.add(begin + offset);
                    match self {
                        Self::Demoting => {
                            asm!("cldemote [{line}]", line = in(reg) line, options(nostack, preserves_flags));
                        }
                        Self::Flushing => {
                            asm!("clflushopt [{line}]", line = in(reg) line, options(nostack, preserves_flags));
                        }
                        Self::Plain | Self::Streaming => break,
                    }
                }
            }
        }
        // SAFETY: every x86-64 processor supports it. Nothing else orders stores that bypass the
        // caches.
        unsafe { _mm_sfence() };
    }

    /// Copies `len` bytes.
    ///
    /// # Safety
    /// The caller must ensure that `from` is readable and `to` writable for `len` bytes, and that
    /// they do not overlap.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) unsafe fn copy(self, to: *mut u8, from: *const u8, len: usize, _piece: *const u8) {
        // SAFETY: as this function's contract says.
        unsafe { to.copy_from_nonoverlapping(from, len) }
    }
}

#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Copies without using the caches.
///
/// # Safety
/// The same as for [`CopyMethod::copy`].
#[cfg(target_arch = "x86_64")]
unsafe fn stream(to: *mut u8, from: *const u8, len: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};

    let head = to.addr().wrapping_neg() % LINE;
    let head = head.min(len);
    let lines = (len - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: the three ranges are within both sides, and the middle range of `to` is aligned.
    unsafe {
        to.copy_from_nonoverlapping(from, head);
        for line in 0..lines {
            let to = to.add(head + line * LINE).cast::<__m128i>();
            let from = from.add(head + line * LINE).cast::<__m128i>();
            let line = [0, 1, 2, 3].map(|i| _mm_loadu_si128(from.add(i)));
            for (i, part) in line.into_iter().enumerate() {
                _mm_stream_si128(to.add(i), part);
            }
        }
        to.add(tail)
            .copy_from_nonoverlapping(from.add(tail), len - tail);
    }
}

/// Returns the processor's feature bits of leaf 7 (Intel's manual, volume 2A, CPUID): EBX and ECX.
#[cfg(target_arch = "x86_64")]
fn leaf_7() -> (u32, u32) {
    use std::{arch::x86_64, sync::OnceLock};

    static LEAF: OnceLock<(u32, u32)> = OnceLock::new();
    *LEAF.get_or_init(|| {
        if x86_64::__cpuid(0).eax < 7 {
            return (0, 0);
        }
        let leaf = x86_64::__cpuid_count(7, 0);
        (leaf.ebx, leaf.ecx)
    })
}

#[cfg(target_arch = "x86_64")]
fn has_clflushopt() -> bool {
    leaf_7().0 & (1 << 23) != 0
}

#[cfg(target_arch = "x86_64")]
fn has_cldemote() -> bool {
    leaf_7().1 & (1 << 25) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    fn methods() -> Vec<CopyMethod> {
        let mut methods = vec![CopyMethod::Plain, CopyMethod::Streaming];
        methods.extend(has_cldemote().then_some(CopyMethod::Demoting));
        methods.extend(has_clflushopt().then_some(CopyMethod::Flushing));
        methods
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn methods() -> Vec<CopyMethod> {
        vec![CopyMethod::Plain]
    }

    #[test]
    fn every_method_copies_exactly_the_given_bytes() {
        let from: Vec<u8> = (0..20_000u32).map(|i| (i * 37 + i / 256) as u8).collect();
        for method in methods() {
            for (begin, at, len) in [
                (0, 0, 20_000),
                (1, 0, 5000),
                (0, 1, 5000),
                (3, 62, 63),
                (3, 60, 130),
                (7, 7, 0),
                (9, 64, 12_345),
            ] {
                let mut to = vec![0xee; 20_200];
                // SAFETY: both vectors are long enough and do not overlap.
                unsafe {
                    let to = to.as_mut_ptr().add(at);
                    method.copy(to, from.as_ptr().add(begin), len, to);
                }
                assert!(to[..at].iter().all(|byte| *byte == 0xee), "{method:?} {at}");
                assert_eq!(
                    to[at..at + len],
                    from[begin..begin + len],
                    "{method:?} {len}"
                );
                assert!(
                    to[at + len..].iter().all(|byte| *byte == 0xee),
                    "{method:?} {len}"
                );
            }
        }
    }
}
