//! The elements of a tensor that a copy moves, and their locations in shared memory.

use std::ops::Range;

use crate::boundary::tensor_map::{Im2col, Mode, TensorMap};

/// Bytes that are contiguous in the tile and in the tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Offset in the tile.
    pub at: u64,
    /// Address in global memory of the part that is inside the tensor.
    pub address: u64,
    /// The bytes that are inside the tensor.
    pub inside: Range<u64>,
}

/// A tile of a tensor.
///
/// Without interleave, the first dimension is that of a row's elements. With interleave, a row is a
/// slice of 16 or 32 bytes, which contains some channels of one pixel. The dimensions are those of
/// pixels, then the slices of channels, then images.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    pub map: TensorMap,
    /// Size of an element in bytes.
    pub size: u64,
    pub at: [i32; 5],
    /// For im2col, the offsets of the read positions from the box.
    pub offsets: [u16; 3],
}

impl Tile {
    fn rank(&self) -> usize {
        self.map.rank.into()
    }

    /// Returns the size of a slice in bytes, if the layout is interleaved.
    fn slice(&self) -> Option<u64> {
        (self.map.interleave != 0).then(|| 16 * u64::from(self.map.interleave))
    }

    /// Returns the dimensions of pixels.
    fn pixels(&self) -> Range<usize> {
        match self.slice() {
            Some(_) => 0..self.rank() - 2,
            None => 1..self.rank() - 1,
        }
    }

    /// Returns the size of a row in bytes.
    pub(crate) fn width(&self) -> u64 {
        match (self.slice(), self.map.mode) {
            (Some(slice), _) => slice,
            (None, Mode::Tile(lengths)) => u64::from(lengths[0]) * self.size,
            (None, Mode::Im2col(columns) | Mode::Wide(columns)) => {
                u64::from(columns.channels) * self.size
            }
        }
    }

    /// Returns the number of coordinates along a dimension: each `step`-th of the box.
    fn count(&self, lengths: &[u16; 5], dim: usize) -> u64 {
        match self.slice() {
            None if dim == 0 => 1,
            // One slice, regardless of the number of channels in the box.
            Some(_) if dim == self.rank() - 2 => 1,
            _ => u64::from(lengths[dim]).div_ceil(self.map.steps[dim].max(1).into()),
        }
    }

    fn rows_of(&self) -> u64 {
        match self.map.mode {
            Mode::Tile(lengths) => (0..self.rank())
                .map(|dim| self.count(&lengths, dim))
                .product(),
            Mode::Im2col(columns) | Mode::Wide(columns) => columns.pixels.into(),
        }
    }

    /// Returns the distance between rows of the tile in bytes. A swizzle without interleave gives
    /// each row its whole span.
    pub(crate) fn pitch(&self) -> u64 {
        match self.map.swizzle {
            swizzle @ 1..=3 if self.map.interleave == 0 => 16 << swizzle,
            _ => self.width(),
        }
    }

    /// Returns the number of copied bytes, including those outside the tensor.
    pub(crate) fn bytes(&self) -> u64 {
        self.rows_of() * self.width()
    }

    /// Returns the extent in shared memory in bytes.
    pub(crate) fn extent(&self) -> u64 {
        self.rows_of().saturating_sub(1) * self.pitch() + self.width()
    }

    /// Returns why the hardware rejects the tile's start, if it does.
    pub(crate) fn rejection_reason(&self) -> Option<String> {
        let first = i64::from(self.at[0]) * self.size as i64;
        if self.slice().is_none() && first % 16 != 0 {
            return Some(format!(
                "the first coordinate {} is {first} bytes into a row, which is not a multiple of 16",
                self.at[0]
            ));
        }
        let Mode::Im2col(columns) = self.map.mode else {
            return None;
        };
        for (axis, dim) in self.pixels().enumerate() {
            let (first, last) = self.bounds(&columns, axis, dim);
            if !(first..=last).contains(&self.at[dim].into()) {
                return Some(format!(
                    "coordinate {} of dimension {dim} is outside the bounding box, {first} to {last}",
                    self.at[dim]
                ));
            }
        }
        None
    }

    /// Returns the first and the last coordinate of im2col's bounding box.
    fn bounds(&self, columns: &Im2col, axis: usize, dim: usize) -> (i64, i64) {
        let last = self.map.dims[dim] as i64 - 1 + i64::from(columns.upper[axis]);
        (columns.lower[axis].into(), last)
    }

    /// Returns the row at these coordinates.
    fn row(&self, number: u64, coordinates: &[i64; 5]) -> Row {
        let (map, width) = (&self.map, self.width());
        let outside = |dim: &usize| {
            let coordinate = coordinates[*dim];
            coordinate < 0 || coordinate as u64 >= map.dims[*dim]
        };
        let mut address = map.address;
        let mut advance = |coordinate: i64, stride: u64| {
            address = address.wrapping_add_signed(coordinate.wrapping_mul(stride as i64));
        };
        advance(coordinates[0], self.slice().unwrap_or(self.size));
        let behind = coordinates[1..self.rank()].iter().zip(&map.strides);
        behind.for_each(|(&coordinate, &stride)| advance(coordinate, stride));
        let inside = if self.slice().is_some() {
            let none = (0..self.rank()).any(|dim| outside(&dim));
            0..if none { 0 } else { width }
        } else if (1..self.rank()).any(|dim| outside(&dim)) {
            0..0
        } else {
            let first = coordinates[0].saturating_mul(self.size as i64);
            let row = (map.dims[0] * self.size) as i64;
            let begin = (first.saturating_neg().max(0) as u64).min(width);
            let end = (row.saturating_sub(first).max(0) as u64).min(width);
            begin..end.max(begin)
        };
        Row {
            at: number * self.pitch(),
            address,
            inside,
        }
    }

    /// Returns the rows of the tile, in order.
    pub(crate) fn rows(&self) -> Vec<Row> {
        match self.map.mode {
            Mode::Tile(lengths) => (0..self.rows_of())
                .map(|number| {
                    let mut coordinates = self.at.map(i64::from);
                    let mut rest = number;
                    for (dim, coordinate) in coordinates.iter_mut().enumerate().take(self.rank()) {
                        let count = self.count(&lengths, dim);
                        *coordinate += (rest % count) as i64 * i64::from(self.map.steps[dim]);
                        rest /= count;
                    }
                    self.row(number, &coordinates)
                })
                .collect(),
            Mode::Im2col(columns) | Mode::Wide(columns) => self.columns(&columns),
        }
    }

    /// Returns the rows for im2col: the pixels of the bounding box in order, then those of the next
    /// image.
    fn columns(&self, columns: &Im2col) -> Vec<Row> {
        let images = self.rank() - 1;
        let mut place = self.at.map(i64::from);
        let mut rows = Vec::new();
        for number in 0..columns.pixels.into() {
            let mut coordinates = place;
            for (axis, dim) in self.pixels().enumerate() {
                coordinates[dim] += i64::from(self.offsets[axis]);
            }
            rows.push(self.row(number, &coordinates));
            let mut carry = true;
            for (axis, dim) in self.pixels().enumerate() {
                let (first, last) = self.bounds(columns, axis, dim);
                place[dim] += i64::from(self.map.steps[dim]);
                carry = place[dim] > last;
                if !carry {
                    break;
                }
                place[dim] = first;
            }
            if carry {
                place[images] += i64::from(self.map.steps[images]);
            }
        }
        rows
    }
}

/// Returns the location of a byte after swizzling. `swizzle` is the driver's number.
pub(crate) fn swizzled(swizzle: u8, address: u64) -> u64 {
    match swizzle {
        1 => address ^ (address >> 7 & 1) << 4,
        2 => address ^ (address >> 7 & 3) << 4,
        3 => address ^ (address >> 7 & 7) << 4,
        _ => address,
    }
}
