//! Loads and stores of vectors. A lane's vector is one access, or two of 16 bytes if it has 32.

use std::mem::MaybeUninit;

use crate::lanes::arithmetic::{Reg, write};
use crate::memory::load_store::{Pair, memory_instruction};
use crate::memory::reach::{Hosts, Reach, Way, fill};
use crate::memory::transfer::{Mem, Widen};
use crate::state::context::Ctx;
use crate::state::op::each;
use crate::state::op::{FULL, Flow, LANES, Op};

/// Vectors as words of 8 bytes. Word `n` of all lanes is contiguous, so that elements are extracted
/// and inserted for many lanes at once.
type Words = MaybeUninit<[[u64; LANES]; 4]>;

/// Word `n` of all lanes.
#[inline(always)]
fn word(words: &mut Words, n: usize) -> *mut u64 {
    // SAFETY: the index is within the array.
    unsafe { words.as_mut_ptr().cast::<u64>().add((n & 3) * LANES) }
}

/// Returns the word of an element, and its shift in the word.
#[inline(always)]
fn place(n: usize, size: usize) -> (usize, u32) {
    (n * size / 8, (n * size % 8 * 8) as u32)
}

/// Reads a lane's bytes.
#[inline(always)]
unsafe fn get<const W: bool>(words: &mut Words, lane: usize, host: u64, bytes: usize) {
    // SAFETY: the access was checked for this number of bytes, and there are 32 lanes.
    unsafe {
        let mut set = |n, value: u64| word(words, n).add(lane).write(value);
        match bytes {
            2 => set(0, u16::load(host).into()),
            4 => set(0, u32::load(host).into()),
            8 => set(0, u64::load(host)),
            _ => {
                for half in 0..bytes / 16 {
                    let value = u128::load_whole::<W>(host + 16 * half as u64);
                    set(2 * half, value as u64);
                    set(2 * half + 1, (value >> 64) as u64);
                }
            }
        }
    }
}

/// Writes a lane's bytes.
#[inline(always)]
unsafe fn put<const W: bool>(words: &mut Words, lane: usize, host: u64, bytes: usize) {
    // SAFETY: the same as in `get`, and the words were written.
    unsafe {
        let mut word = |n| word(words, n).add(lane).read();
        match bytes {
            2 => (word(0) as u16).store(host),
            4 => (word(0) as u32).store(host),
            8 => word(0).store(host),
            _ => {
                for half in 0..bytes / 16 {
                    let low = u128::from(word(2 * half));
                    let high = u128::from(word(2 * half + 1));
                    (low | high << 64).store_whole::<W>(host + 16 * half as u64);
                }
            }
        }
    }
}

memory_instruction! {
    /// `{lists[x..]} = [a + imm]`. `c` selects the addressing, and contains the number of
    /// elements. `b` selects bytes that the checks ignore.
    load<T: Mem, D: Reg; W> |ctx, op, mask| where [T: Widen<D>, u64: Widen<T>] {
        let size = size_of::<T>();
        let reach = Reach::decode(op.c);
        let bytes = size * reach.count() as usize;
        let mut hosts = Hosts::uninit();
        let way = reach.find(ctx, op, mask, bytes as u64, reach.load(), &mut hosts);
        let list = ctx.launch.list(op.x, reach.count());
        let mut words = Words::uninit();
        match way {
            Way::Same(host) => {
                get::<W>(&mut words, 0, host, bytes);
                for (n, &d) in list.iter().enumerate() {
                    let (at, shift) = place(n, size);
                    let value = word(&mut words, at).read() >> shift;
                    let value = Widen::<T>::widen(value).widen().put();
                    write(ctx.at::<D::Slot>(d), mask, |_| value);
                }
                return Flow::Next;
            }
            Way::Run(host) => fill(&mut hosts, host, bytes as u64),
            Way::Lanes => {}
            Way::Fault => return Flow::Fault,
        }
        let hosts = hosts.assume_init_ref();
        #[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
        if W && mask == FULL && size == size_of::<D::Slot>() {
            match (size, list) {
                (4, &[x, y]) => {
                    straight::load_2_of_4(hosts, [ctx.at(x), ctx.at(y)]);
                    return Flow::Next;
                }
                (4, &[x, y, z, w]) => {
                    straight::load_4_of_4(hosts, [ctx.at(x), ctx.at(y), ctx.at(z), ctx.at(w)]);
                    return Flow::Next;
                }
                (8, &[x, y]) => {
                    straight::load_2_of_8(hosts, [ctx.at(x), ctx.at(y)]);
                    return Flow::Next;
                }
                _ => {}
            }
        }
        if mask != FULL {
            // The values of inactive lanes are discarded, but may be used in computations.
            word(&mut words, 0).write_bytes(0, bytes.div_ceil(8) * LANES);
        }
        each(mask, |i| get::<W>(&mut words, i, hosts[i], bytes));
        for (n, &d) in list.iter().enumerate() {
            let (at, shift) = place(n, size);
            let word = word(&mut words, at);
            let value = |i| Widen::<T>::widen(*word.add(i) >> shift).widen().put();
            write(ctx.at::<D::Slot>(d), mask, value);
        }
    }
}

memory_instruction! {
    /// `[a + imm] = {lists[x..]}`. `c` selects the addressing, and contains the number of
    /// elements.
    store<T: Mem, D: Reg; W> |ctx, op, mask| where [D: Widen<T>, T: Into<u64>] {
        let size = size_of::<T>();
        let reach = Reach::decode(op.c);
        let bytes = size * reach.count() as usize;
        let mut hosts = Hosts::uninit();
        let way = reach.find(ctx, op, mask, bytes as u64, reach.store(), &mut hosts);
        let list = ctx.launch.list(op.x, reach.count());
        match way {
            Way::Run(host) => fill(&mut hosts, host, bytes as u64),
            Way::Same(host) => fill(&mut hosts, host, 0),
            Way::Lanes => {}
            Way::Fault => return Flow::Fault,
        }
        let hosts = hosts.assume_init_ref();
        #[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
        if W && mask == FULL && size == size_of::<D::Slot>() {
            match (size, list) {
                (4, &[x, y]) => {
                    straight::store_2_of_4(hosts, [ctx.at(x), ctx.at(y)]);
                    return Flow::Next;
                }
                (4, &[x, y, z, w]) => {
                    straight::store_4_of_4(hosts, [ctx.at(x), ctx.at(y), ctx.at(z), ctx.at(w)]);
                    return Flow::Next;
                }
                (8, &[x, y]) => {
                    straight::store_2_of_8(hosts, [ctx.at(x), ctx.at(y)]);
                    return Flow::Next;
                }
                _ => {}
            }
        }
        let mut words = Words::uninit();
        for (n, &b) in list.iter().enumerate() {
            let (at, shift) = place(n, size);
            let (b, word) = (ctx.at::<D::Slot>(b), word(&mut words, at));
            for i in 0..LANES {
                let value: T = D::get(*b.add(i)).widen();
                let others = if shift == 0 { 0 } else { *word.add(i) };
                *word.add(i) = others | value.into() << shift;
            }
        }
        each(mask, |i| put::<W>(&mut words, i, hosts[i], bytes));
    }
}

/// All lanes at once, for registers as wide as the elements. These are the most common vectors.
#[cfg(all(target_arch = "x86_64", not(cuda_emulator_tsan)))]
mod straight {
    use std::arch::asm;
    use std::arch::x86_64::{
        __m128, __m128d, __m128i, _mm_castpd_ps, _mm_castps_si128, _mm_castsi128_pd,
        _mm_castsi128_ps, _mm_loadu_pd, _mm_loadu_ps, _mm_movehl_ps, _mm_movelh_ps, _mm_shuffle_ps,
        _mm_storeu_pd, _mm_storeu_ps, _mm_unpackhi_pd, _mm_unpackhi_ps, _mm_unpacklo_pd,
        _mm_unpacklo_ps,
    };

    use super::LANES;

    type To = [u64; LANES];

    /// One access of 16 bytes.
    #[inline(always)]
    unsafe fn load_16(at: u64) -> __m128 {
        let value: __m128i;
        // SAFETY: the access was checked, and the processor has AVX.
        unsafe {
            asm!("vmovdqa {}, [{}]", out(xmm_reg) value, in(reg) at, options(nostack, readonly, preserves_flags));
            _mm_castsi128_ps(value)
        }
    }

    #[inline(always)]
    unsafe fn store_16(at: u64, value: __m128) {
        // SAFETY: as for `load_16`.
        unsafe {
            let value = _mm_castps_si128(value);
            asm!("vmovdqa [{}], {}", in(reg) at, in(xmm_reg) value, options(nostack, preserves_flags));
        }
    }

    /// Two accesses of 8 bytes.
    #[inline(always)]
    unsafe fn load_8_8(low: u64, high: u64) -> __m128 {
        let value: __m128;
        // SAFETY: as for `load_16`.
        unsafe {
            asm!(
                "vmovq {value}, [{low}]",
                "vmovhps {value}, {value}, [{high}]",
                value = out(xmm_reg) value, low = in(reg) low, high = in(reg) high,
                options(nostack, readonly, preserves_flags)
            );
        }
        value
    }

    #[inline(always)]
    unsafe fn store_8_8(low: u64, high: u64, value: __m128) {
        // SAFETY: as for `load_16`.
        unsafe {
            asm!(
                "vmovq [{low}], {value}",
                "vmovhps [{high}], {value}",
                value = in(xmm_reg) value, low = in(reg) low, high = in(reg) high,
                options(nostack, preserves_flags)
            );
        }
    }

    #[inline(always)]
    unsafe fn transpose([a, b, c, d]: [__m128; 4]) -> [__m128; 4] {
        // SAFETY: every x86-64 processor has these instructions.
        unsafe {
            let (ab, cd) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
            let (ab2, cd2) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
            [
                _mm_movelh_ps(ab, cd),
                _mm_movehl_ps(cd, ab),
                _mm_movelh_ps(ab2, cd2),
                _mm_movehl_ps(cd2, ab2),
            ]
        }
    }

    /// # Safety
    ///
    /// The caller must ensure that:
    ///
    /// - the processor has AVX2;
    /// - the accesses are checked;
    /// - the registers have 32 elements.
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn load_4_of_4(hosts: &To, registers: [*mut f32; 4]) {
        for i in (0..LANES).step_by(4) {
            // SAFETY: guaranteed by the caller.
            unsafe {
                let columns = transpose([
                    load_16(hosts[i]),
                    load_16(hosts[i + 1]),
                    load_16(hosts[i + 2]),
                    load_16(hosts[i + 3]),
                ]);
                for (register, column) in registers.iter().zip(columns) {
                    _mm_storeu_ps(register.add(i), column);
                }
            }
        }
    }

    /// # Safety
    ///
    /// The caller must meet the conditions of [`load_4_of_4`].
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn store_4_of_4(hosts: &To, registers: [*mut f32; 4]) {
        for i in (0..LANES).step_by(4) {
            // SAFETY: guaranteed by the caller.
            unsafe {
                let rows = transpose(registers.map(|register| _mm_loadu_ps(register.add(i))));
                for (n, row) in rows.into_iter().enumerate() {
                    store_16(hosts[i + n], row);
                }
            }
        }
    }

    /// # Safety
    ///
    /// The caller must meet the conditions of [`load_4_of_4`].
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn load_2_of_4(hosts: &To, [x, y]: [*mut f32; 2]) {
        for i in (0..LANES).step_by(4) {
            // SAFETY: guaranteed by the caller.
            unsafe {
                let a = load_8_8(hosts[i], hosts[i + 1]);
                let b = load_8_8(hosts[i + 2], hosts[i + 3]);
                _mm_storeu_ps(x.add(i), _mm_shuffle_ps::<0b10_00_10_00>(a, b));
                _mm_storeu_ps(y.add(i), _mm_shuffle_ps::<0b11_01_11_01>(a, b));
            }
        }
    }

    /// # Safety
    ///
    /// The caller must meet the conditions of [`load_4_of_4`].
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn store_2_of_4(hosts: &To, [x, y]: [*mut f32; 2]) {
        for i in (0..LANES).step_by(4) {
            // SAFETY: guaranteed by the caller.
            unsafe {
                let (x, y) = (_mm_loadu_ps(x.add(i)), _mm_loadu_ps(y.add(i)));
                store_8_8(hosts[i], hosts[i + 1], _mm_unpacklo_ps(x, y));
                store_8_8(hosts[i + 2], hosts[i + 3], _mm_unpackhi_ps(x, y));
            }
        }
    }

    #[inline(always)]
    fn pair(value: __m128) -> __m128d {
        // SAFETY: every x86-64 processor has these instructions.
        unsafe { _mm_castsi128_pd(_mm_castps_si128(value)) }
    }

    /// # Safety
    ///
    /// The caller must meet the conditions of [`load_4_of_4`].
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn load_2_of_8(hosts: &To, [x, y]: [*mut f64; 2]) {
        for i in (0..LANES).step_by(2) {
            // SAFETY: guaranteed by the caller.
            unsafe {
                let (a, b) = (pair(load_16(hosts[i])), pair(load_16(hosts[i + 1])));
                _mm_storeu_pd(x.add(i), _mm_unpacklo_pd(a, b));
                _mm_storeu_pd(y.add(i), _mm_unpackhi_pd(a, b));
            }
        }
    }

    /// # Safety
    ///
    /// The caller must meet the conditions of [`load_4_of_4`].
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn store_2_of_8(hosts: &To, [x, y]: [*mut f64; 2]) {
        for i in (0..LANES).step_by(2) {
            // SAFETY: guaranteed by the caller.
            unsafe {
                let (x, y) = (_mm_loadu_pd(x.add(i)), _mm_loadu_pd(y.add(i)));
                store_16(hosts[i], _mm_castpd_ps(_mm_unpacklo_pd(x, y)));
                store_16(hosts[i + 1], _mm_castpd_ps(_mm_unpackhi_pd(x, y)));
            }
        }
    }
}
