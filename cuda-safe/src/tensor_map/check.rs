//! Checks of tensor maps before the driver call, because the driver returns the same code for every
//! mistake.

use super::{
    build::TensorMapBuilder,
    choices::{TensorDataType, TensorFill, TensorInterleave, TensorSwizzle},
};
use crate::error::{Error, Result};

/// Returns an error unless the condition holds.
pub(super) fn ensure(call: &'static str, holds: bool, text: impl FnOnce() -> String) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(Error::invalid(call, text()))
    }
}

/// Checks the alignment of the memory's address.
pub(super) fn address(call: &'static str, address: u64, align: u64) -> Result<()> {
    ensure(call, address != 0 && address.is_multiple_of(align), || {
        format!(
            "the memory starts at {address:#x}, but the address of a tensor map must be a multiple of {align}. Fix: start \
             a slice at another element"
        )
    })
}

/// Checks that the tensor lies within the memory.
pub(super) fn within(call: &'static str, bytes: u64, memory: u64) -> Result<()> {
    ensure(call, bytes <= memory, || {
        format!(
            "the tensor spans {bytes} bytes, but the memory has {memory}. Fix: reduce `dims` or the strides"
        )
    })
}

/// The checks that are independent of the tiles.
impl TensorMapBuilder<'_> {
    /// Returns the bytes of contiguous elements.
    pub(super) fn bytes_of(&self, elements: u64) -> u64 {
        let bits = self.data_type.bits().unwrap_or(8);
        u64::try_from((u128::from(elements) * u128::from(bits)).div_ceil(8)).unwrap_or(u64::MAX)
    }

    /// Returns the required alignment of the address and the strides.
    pub(super) fn align(&self) -> u64 {
        let wide = self.interleave == TensorInterleave::B32 || self.data_type.spread();
        if wide { 32 } else { 16 }
    }

    /// Returns the strides in bytes, by default the smallest possible ones.
    pub(super) fn strides_in_bytes(&self) -> Vec<u64> {
        if let Some(strides) = &self.strides {
            return strides.clone();
        }
        let mut bytes = match self.slice() {
            // Slices of channels are contiguous, and pixels are inside the slices.
            Some(slice) => slice.saturating_mul(self.dims[0]),
            None => self.bytes_of(self.dims[0]),
        };
        let mut strides = Vec::new();
        for dim in 1..self.dims.len() {
            strides.push(bytes);
            bytes = bytes.saturating_mul(self.dims[dim]);
        }
        strides
    }

    fn slice(&self) -> Option<u64> {
        match self.interleave {
            TensorInterleave::B16 => Some(16),
            TensorInterleave::B32 => Some(32),
            _ => None,
        }
    }

    /// Returns the bytes from the start to the end of the tensor.
    pub(super) fn extent(&self, strides: &[u64]) -> u64 {
        let row = match self.slice() {
            Some(slice) => self.dims[0].saturating_mul(slice),
            None => self.bytes_of(self.dims[0]),
        };
        let steps = self.dims[1..].iter().zip(strides);
        steps.fold(row, |sum, (&dim, &stride)| {
            sum.saturating_add((dim - 1).saturating_mul(stride))
        })
    }

    /// Checks everything except the tiles. Returns the strides in bytes.
    pub(super) fn check(&self, call: &'static str) -> Result<Vec<u64>> {
        let rank = self.dims.len();
        ensure(call, (1..=5).contains(&rank), || {
            format!("`dims` has {rank} dimensions, but a tensor map must have 1 to 5")
        })?;
        ensure(
            call,
            self.interleave == TensorInterleave::NONE || rank >= 3,
            || format!("an interleaved tensor must have 3 to 5 dimensions, but `dims` has {rank}"),
        )?;
        self.check_types(call)?;
        for (i, &dim) in self.dims.iter().enumerate() {
            ensure(call, (1..=1 << 32).contains(&dim), || {
                format!("`dims[{i}]` is {dim}; a dimension must have 1 to 2^32 elements")
            })?;
        }
        let multiple = match self.data_type {
            TensorDataType::U4X16 => 2,
            one if one.spread() => 128,
            _ => 1,
        };
        ensure(call, self.dims[0].is_multiple_of(multiple), || {
            format!(
                "`dims[0]` is {}, but with {:?} it must be a multiple of {multiple}",
                self.dims[0], self.data_type
            )
        })?;
        let strides = self.strides_in_bytes();
        ensure(call, strides.len() + 1 == rank, || {
            format!(
                "{rank} dimensions need {} strides (the first dimension's is one element), not {}",
                rank - 1,
                strides.len()
            )
        })?;
        let align = self.align();
        for (i, &stride) in strides.iter().enumerate() {
            ensure(
                call,
                stride.is_multiple_of(align) && stride < 1 << 40,
                || {
                    format!(
                        "dimension {} has a stride of {stride} bytes, which must be a multiple of {align} below 2^40. Fix: pad \
                         the rows, and set their distance with `byte_strides`",
                        i + 1
                    )
                },
            )?;
        }
        ensure(call, self.steps.len() == rank, || {
            format!(
                "{rank} dimensions need {rank} element strides, not {}",
                self.steps.len()
            )
        })?;
        for (i, step) in self.steps.iter().enumerate() {
            ensure(call, (1..=8).contains(step), || {
                format!("`element_strides[{i}]` is {step}; it must be from 1 to 8")
            })?;
        }
        address(call, self.memory.address, align)?;
        within(call, self.extent(&strides), self.memory.bytes)?;
        Ok(strides)
    }

    /// Checks the data type against the memory and the options.
    fn check_types(&self, call: &'static str) -> Result<()> {
        let (name, element) = (self.data_type, self.memory.element * 8);
        let fits = |bits: u64| bits == element || name.packed() && element == 8;
        ensure(call, self.data_type.bits().is_none_or(fits), || {
            format!(
                "the memory has elements of {} bytes, but {name:?} has another size. Fix: choose a type of that size, or \
                 cast the memory",
                self.memory.element
            )
        })?;
        ensure(
            call,
            self.fill == TensorFill::ZERO || name.floating(),
            || {
                format!(
                    "{:?} is for floating-point types, but the type is {name:?}",
                    self.fill
                )
            },
        )?;
        ensure(
            call,
            self.interleave != TensorInterleave::B32 || self.swizzle == TensorSwizzle::B32,
            || {
                format!(
                    "an interleave of 32 bytes needs TensorSwizzle::B32, not {:?}",
                    self.swizzle
                )
            },
        )?;
        ensure(
            call,
            name != TensorDataType::U6X16_ALIGNED || self.interleave == TensorInterleave::NONE,
            || format!("{name:?} can't be interleaved"),
        )?;
        let swizzles: &[u32] = match name {
            TensorDataType::U6X16_ALIGNED => &[0, 3, 4, 6],
            TensorDataType::U4X16_ALIGNED => &[0, 3, 4],
            _ => return Ok(()),
        };
        ensure(call, swizzles.contains(&self.swizzle.0), || {
            format!("{name:?} can't have {:?}", self.swizzle)
        })
    }

    /// Checks the number of elements of a tile's row. `what` is the name of the argument.
    pub(super) fn check_row(&self, call: &'static str, what: &str, elements: u32) -> Result<()> {
        ensure(call, (1..=256).contains(&elements), || {
            format!("{what} is {elements}; it must be from 1 to 256")
        })?;
        if self.data_type.spread() {
            return ensure(call, elements == 128, || {
                format!(
                    "{what} is {elements}, but with {:?} it must be 128",
                    self.data_type
                )
            });
        }
        let bytes = self.bytes_of(elements.into());
        ensure(call, bytes.is_multiple_of(16), || {
            format!("{what} is {elements}, of {bytes} bytes, which must be a multiple of 16")
        })?;
        let span = self.swizzle.span();
        let limited = span.filter(|_| self.interleave == TensorInterleave::NONE);
        ensure(call, limited.is_none_or(|span| bytes <= span), || {
            format!(
                "{what} is {elements}, of {bytes} bytes, but {:?} allows at most {}. Fix: use narrower tiles",
                self.swizzle,
                limited.unwrap_or(0)
            )
        })
    }
}
