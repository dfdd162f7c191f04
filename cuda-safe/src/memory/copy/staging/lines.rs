//! Copies between pageable memory and page-locked pieces, and what they leave in the processor's caches.
//!
//! A line of a piece that lies in a core's own cache is slow to reach for the device, which has to ask for it. So it
//! shouldn't stay there. What helps depends on the processor (`docs/PERFORMANCE.md` has the figures):
//!
//! - where there is `cldemote`, the lines of a piece are moved to the cache that all cores share;
//! - otherwise uploads write past the caches, and downloads drop the lines that they have read.

/// How bytes are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Plainly.
    Plain,
    /// Plainly, and then the piece's lines are moved out of the core's own caches.
    #[cfg(target_arch = "x86_64")]
    Demoting,
    /// Past the caches.
    #[cfg(target_arch = "x86_64")]
    Streaming,
    /// Past the caches, and then the piece's lines are dropped from them.
    #[cfg(target_arch = "x86_64")]
    Flushing,
}

impl Way {
    /// How `threads` threads fill pieces.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn into_pieces(threads: usize) -> Self {
        // A few threads are faster if they don't read the lines that they are about to overwrite.
        match has_cldemote() && threads >= 10 {
            true => Self::Demoting,
            false => Self::Streaming,
        }
    }

    /// How threads empty pieces.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn out_of_pieces() -> Self {
        match (has_cldemote(), has_clflushopt()) {
            (true, _) => Self::Demoting,
            (_, true) => Self::Flushing,
            _ => Self::Plain,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn into_pieces(_threads: usize) -> Self {
        Self::Plain
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn out_of_pieces() -> Self {
        Self::Plain
    }

    /// Copies `len` bytes, of which `piece` (one of the two) is the page-locked side.
    ///
    /// # Safety
    /// `from` is readable and `to` writable for `len` bytes, and they are apart.
    #[cfg(target_arch = "x86_64")]
    pub(super) unsafe fn copy(self, to: *mut u8, from: *const u8, len: usize, piece: *const u8) {
        use std::arch::{asm, x86_64::_mm_sfence};

        /// Small enough that what was copied is still in the first cache when its lines are moved.
        const BLOCK: usize = 4096;
        for begin in (0..len).step_by(BLOCK) {
            let len = BLOCK.min(len - begin);
            // SAFETY: within both, as this function's contract says.
            unsafe {
                let (to, from) = (to.add(begin), from.add(begin));
                match self {
                    Self::Plain | Self::Demoting => to.copy_from_nonoverlapping(from, len),
                    Self::Streaming | Self::Flushing => stream(to, from, len),
                }
            }
            for offset in (0..len).step_by(LINE) {
                // SAFETY: a line of the piece; the instructions change no value, and there are such instructions.
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
        // SAFETY: every processor of this architecture has it. Stores past the caches are ordered by nothing else.
        unsafe { _mm_sfence() };
    }

    /// Copies `len` bytes.
    ///
    /// # Safety
    /// `from` is readable and `to` writable for `len` bytes, and they are apart.
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) unsafe fn copy(self, to: *mut u8, from: *const u8, len: usize, _piece: *const u8) {
        // SAFETY: as this function's contract says.
        unsafe { to.copy_from_nonoverlapping(from, len) }
    }
}

#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Copies past the caches.
///
/// # Safety
/// As of [`Way::copy`].
#[cfg(target_arch = "x86_64")]
unsafe fn stream(to: *mut u8, from: *const u8, len: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};

    let head = to.addr().wrapping_neg() % LINE;
    let head = head.min(len);
    let lines = (len - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: the three ranges lie within both; the middle one of `to` is aligned.
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

/// The processor's features of leaf 7 (Intel's manual, volume 2A, CPUID): EBX and ECX.
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
    fn ways() -> Vec<Way> {
        let mut ways = vec![Way::Plain, Way::Streaming];
        ways.extend(has_cldemote().then_some(Way::Demoting));
        ways.extend(has_clflushopt().then_some(Way::Flushing));
        ways
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn ways() -> Vec<Way> {
        vec![Way::Plain]
    }

    #[test]
    fn every_way_copies_all_bytes_and_no_others() {
        let from: Vec<u8> = (0..20_000u32).map(|i| (i * 37 + i / 256) as u8).collect();
        for way in ways() {
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
                // SAFETY: both are long enough, and two vectors.
                unsafe {
                    let to = to.as_mut_ptr().add(at);
                    way.copy(to, from.as_ptr().add(begin), len, to);
                }
                assert!(to[..at].iter().all(|byte| *byte == 0xee), "{way:?} {at}");
                assert_eq!(to[at..at + len], from[begin..begin + len], "{way:?} {len}");
                assert!(
                    to[at + len..].iter().all(|byte| *byte == 0xee),
                    "{way:?} {len}"
                );
            }
        }
    }
}
