//! Values as 64-bit words, which kernels take as parameters.

use std::{ops::Deref, sync::Arc};

use cuda_safe::bytemuck;

use super::Element;

/// The bytes of a value, padded to 64-bit words. Numbers are stored inline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Words {
    Inline([u64; 2]),
    Heap(Arc<[u64]>),
}

impl Words {
    pub(crate) const ZERO: Self = Self::Inline([0; 2]);

    pub(crate) fn of<T: Element>(value: T) -> Self {
        let stored = value.to_stored();
        let bytes = bytemuck::bytes_of(&stored);
        if bytes.len() <= 16 {
            let mut words = [0; 2];
            bytemuck::bytes_of_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
            return Self::Inline(words);
        }
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self::Heap(words.into())
    }
}

impl Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match self {
            Self::Inline(words) => words,
            Self::Heap(words) => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use super::*;

    #[test]
    fn words_are_little_endian() {
        assert_eq!(*Words::of(-1i16), [0xffff, 0]);
        assert_eq!(*Words::of(true), [1, 0]);
        let complex = Words::of(Complex::new(1.0f64, -0.0));
        assert_eq!(*complex, [0x3ff0 << 48, 1 << 63]);
    }
}
