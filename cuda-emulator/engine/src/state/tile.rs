//! Which elements of a tensor a copy takes, and where each lies in shared memory.

use std::ops::Range;

use crate::boundary::tensor_map::{Columns, Mode, TensorMap};

/// Bytes that follow each other in the tile and in the tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Where they begin in the tile.
    pub at: u64,
    /// Where they begin in global memory, as far as they are in the tensor.
    pub address: u64,
    /// Those that are in the tensor.
    pub inside: Range<u64>,
}

/// A tile of a tensor.
///
/// Without interleave the first dimension is that of a row's elements. With it a row is a slice of 16 or 32 bytes, of
/// some channels of one pixel; the dimensions are those of pixels, then the slices of channels, then images.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    pub map: TensorMap,
    /// Bytes of an element.
    pub size: u64,
    pub at: [i32; 5],
    /// Of im2col: by how much what is read lies behind where the box is.
    pub offsets: [u16; 3],
}

impl Tile {
    fn rank(&self) -> usize {
        self.map.rank.into()
    }

    /// Bytes of a slice, where the layout is interleaved.
    fn slice(&self) -> Option<u64> {
        (self.map.interleave != 0).then(|| 16 * u64::from(self.map.interleave))
    }

    /// The dimensions of pixels.
    fn pixels(&self) -> Range<usize> {
        match self.slice() {
            Some(_) => 0..self.rank() - 2,
            None => 1..self.rank() - 1,
        }
    }

    /// Bytes of a row.
    pub(crate) fn width(&self) -> u64 {
        match (self.slice(), self.map.mode) {
            (Some(slice), _) => slice,
            (None, Mode::Tile(lengths)) => u64::from(lengths[0]) * self.size,
            (None, Mode::Im2col(columns) | Mode::Wide(columns)) => {
                u64::from(columns.channels) * self.size
            }
        }
    }

    /// How many coordinates are taken along a dimension: each `step`-th of the box.
    fn count(&self, lengths: &[u16; 5], dim: usize) -> u64 {
        match self.slice() {
            None if dim == 0 => 1,
            // One slice, however many channels the box has.
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

    /// Bytes from a row of the tile to the next. A swizzle without interleave gives each row its whole span.
    pub(crate) fn pitch(&self) -> u64 {
        match self.map.swizzle {
            swizzle @ 1..=3 if self.map.interleave == 0 => 16 << swizzle,
            _ => self.width(),
        }
    }

    /// Bytes that are copied, whether or not they are in the tensor.
    pub(crate) fn bytes(&self) -> u64 {
        self.rows_of() * self.width()
    }

    /// Bytes of shared memory from the first to the last.
    pub(crate) fn extent(&self) -> u64 {
        self.rows_of().saturating_sub(1) * self.pitch() + self.width()
    }

    /// What is wrong with where the tile begins, for the hardware.
    pub(crate) fn refusal(&self) -> Option<String> {
        let first = i64::from(self.at[0]) * self.size as i64;
        if self.slice().is_none() && first % 16 != 0 {
            return Some(format!(
                "the first coordinate {} is {first} bytes into a row, which isn't a multiple of 16",
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
                    "coordinate {} of dimension {dim} is outside of the bounding box, {first} to {last}",
                    self.at[dim]
                ));
            }
        }
        None
    }

    /// The first and the last coordinate of im2col's bounding box.
    fn bounds(&self, columns: &Columns, axis: usize, dim: usize) -> (i64, i64) {
        let last = self.map.dims[dim] as i64 - 1 + i64::from(columns.upper[axis]);
        (columns.lower[axis].into(), last)
    }

    /// The row at these coordinates.
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

    /// Each row of the tile, in order.
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

    /// im2col: the pixels of the bounding box one after the other, then those of the next image.
    fn columns(&self, columns: &Columns) -> Vec<Row> {
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

/// Where the byte at this address lies after the swizzle, by the driver's number.
pub(crate) fn swizzled(swizzle: u8, address: u64) -> u64 {
    match swizzle {
        1 => address ^ (address >> 7 & 1) << 4,
        2 => address ^ (address >> 7 & 3) << 4,
        3 => address ^ (address >> 7 & 7) << 4,
        _ => address,
    }
}
