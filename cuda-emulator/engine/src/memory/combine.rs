//! The reduction operations of bulk copies on elements of global memory.

use crate::boundary::tensor_map::Element;
use crate::memory::atomic::Memory;
use crate::number::math::{
    brain_to_single, half_to_single, min_max_f32, quiet, result64, single_to_brain, single_to_half,
};
use crate::state::reduction::Operation;

impl Operation {
    /// Returns whether elements of this type support the operation, as on an H200.
    pub(crate) fn fits(self, element: Element) -> bool {
        match element.size() {
            Some(2) => self.half(element).is_some(),
            Some(4) => self.word(element).is_some(),
            Some(8) => self.long(element).is_some(),
            _ => false,
        }
    }

    /// Combines the element at `host` with `value` in one step, if the type supports the operation.
    ///
    /// # Safety
    ///
    /// The caller must ensure that `host` is live, aligned memory for an element.
    pub(crate) unsafe fn apply(self, element: Element, host: u64, value: &[u8]) {
        let mut bytes = [0; 8];
        bytes[..value.len()].copy_from_slice(value);
        let value = u64::from_le_bytes(bytes);
        // SAFETY: guaranteed by the caller.
        unsafe {
            match element.size() {
                Some(2) => update(host, value as u16, self.half(element)),
                Some(4) => update(host, value as u32, self.word(element)),
                Some(8) => update(host, value, self.long(element)),
                _ => {}
            }
        }
    }

    fn half(self, element: Element) -> Option<fn(u16, u16) -> u16> {
        Some(match (element, self) {
            (Element::F16, Operation::Add) => |a, b| halves(a, b, |a, b| a + b),
            (Element::F16, Operation::Min) => |a, b| halves(a, b, min),
            (Element::F16, Operation::Max) => |a, b| halves(a, b, max),
            (Element::BF16, Operation::Add) => |a, b| brains(a, b, |a, b| a + b),
            (Element::BF16, Operation::Min) => |a, b| brains(a, b, min),
            (Element::BF16, Operation::Max) => |a, b| brains(a, b, max),
            _ => return None,
        })
    }

    fn word(self, element: Element) -> Option<fn(u32, u32) -> u32> {
        Some(match (element, self) {
            (Element::U32 | Element::S32, Operation::Add) => u32::wrapping_add,
            (Element::U32, Operation::Min) => |a, b| a.min(b),
            (Element::U32, Operation::Max) => |a, b| a.max(b),
            (Element::S32, Operation::Min) => |a, b| (a as i32).min(b as i32) as u32,
            (Element::S32, Operation::Max) => |a, b| (a as i32).max(b as i32) as u32,
            (Element::U32, Operation::Increment) => |a, b| if a >= b { 0 } else { a + 1 },
            (Element::U32, Operation::Decrement) => |a, b| if a == 0 || a > b { b } else { a - 1 },
            (Element::U32 | Element::S32, Operation::And) => |a, b| a & b,
            (Element::U32 | Element::S32, Operation::Or) => |a, b| a | b,
            (Element::U32 | Element::S32, Operation::Xor) => |a, b| a ^ b,
            // Unlike atomics, this does not flush subnormal numbers or round TF32.
            (
                Element::F32 | Element::F32_FTZ | Element::TF32 | Element::TF32_FTZ,
                Operation::Add,
            ) => |a, b| quiet(f32::from_bits(a) + f32::from_bits(b)).to_bits(),
            _ => return None,
        })
    }

    fn long(self, element: Element) -> Option<fn(u64, u64) -> u64> {
        Some(match (element, self) {
            (Element::U64, Operation::Add) => u64::wrapping_add,
            (Element::F64, Operation::Add) => |a, b| {
                let (a, b) = (f64::from_bits(a), f64::from_bits(b));
                result64(a + b, [a, b]).to_bits()
            },
            (Element::U64, Operation::Min) => |a, b| a.min(b),
            (Element::U64, Operation::Max) => |a, b| a.max(b),
            (Element::S64, Operation::Min) => |a, b| (a as i64).min(b as i64) as u64,
            (Element::S64, Operation::Max) => |a, b| (a as i64).max(b as i64) as u64,
            (Element::U64, Operation::And) => |a, b| a & b,
            (Element::U64, Operation::Or) => |a, b| a | b,
            (Element::U64, Operation::Xor) => |a, b| a ^ b,
            _ => return None,
        })
    }
}

/// # Safety
///
/// The caller must ensure that `host` is live, aligned memory for a `T`.
unsafe fn update<T: Memory>(host: u64, value: T, f: Option<fn(T, T) -> T>) {
    if let Some(f) = f {
        // SAFETY: guaranteed by the caller.
        unsafe { T::update(host, |old| f(old, value)) };
    }
}

fn min(a: f32, b: f32) -> f32 {
    min_max_f32(a, b, false, false)
}

fn max(a: f32, b: f32) -> f32 {
    min_max_f32(a, b, true, false)
}

fn halves(a: u16, b: u16, f: fn(f32, f32) -> f32) -> u16 {
    single_to_half(f(half_to_single(a), half_to_single(b)))
}

fn brains(a: u16, b: u16, f: fn(f32, f32) -> f32) -> u16 {
    single_to_brain(f(brain_to_single(a), brain_to_single(b)))
}
