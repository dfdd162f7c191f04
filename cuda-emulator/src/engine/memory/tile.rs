//! Which elements of a tensor a copy takes, and where each lies in shared memory.

use std::ops::Range;

use crate::engine::state::tensor_map::{Columns, Mode, TensorMap};

/// Elements that follow each other in the tile and in the tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Row {
    /// Where the first one lies in the tile, in bytes.
    pub at: u64,
    /// Where it lies in global memory, if it is in the tensor.
    pub address: u64,
    /// Those of the row that are in the tensor.
    pub inside: Range<u64>,
}

/// A tile of a tensor.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Tile {
    pub map: TensorMap,
    /// Bytes of an element.
    pub size: u64,
    pub at: [i32; 5],
    /// Of im2col: by how much what is read lies behind where the box is.
    pub offsets: [u16; 3],
}

impl Tile {
    /// Elements of a row.
    pub(in crate::engine) fn width(&self) -> u64 {
        match self.map.mode {
            Mode::Tile(lengths) if self.map.interleave == 0 => lengths[0].into(),
            Mode::Tile(lengths) => self.count(&lengths, 0),
            Mode::Im2col(columns) => columns.channels.into(),
        }
    }

    /// Elements that are taken along a dimension: each `step`-th of the box.
    fn count(&self, lengths: &[u16; 5], dim: usize) -> u64 {
        u64::from(lengths[dim]).div_ceil(self.map.steps[dim].max(1).into())
    }

    fn rows_of(&self) -> u64 {
        match self.map.mode {
            Mode::Tile(lengths) => (1..self.map.rank.into())
                .map(|dim| self.count(&lengths, dim))
                .product(),
            Mode::Im2col(columns) => columns.pixels.into(),
        }
    }

    /// Bytes from a row of the tile to the next.
    pub(in crate::engine) fn pitch(&self) -> u64 {
        self.width() * self.size
    }

    /// Bytes in shared memory, whether or not they are in the tensor.
    pub(in crate::engine) fn bytes(&self) -> u64 {
        self.rows_of() * self.pitch()
    }

    /// The elements of the row at these coordinates; the first coordinate is the tile's.
    fn row(&self, number: u64, coordinates: &[i64; 5]) -> Row {
        let rank = usize::from(self.map.rank);
        let dims = &self.map.dims;
        let first = i64::from(self.at[0]);
        let mut address = self
            .map
            .address
            .wrapping_add_signed(first.wrapping_mul(self.size as i64));
        let mut outside = false;
        for dim in 1..rank {
            let coordinate = coordinates[dim];
            outside |= coordinate < 0 || coordinate as u64 >= dims[dim];
            let stride = self.map.strides[dim - 1] as i64;
            address = address.wrapping_add_signed(coordinate.wrapping_mul(stride));
        }
        let width = self.width();
        let begin = (-first).max(0) as u64;
        let end = (dims[0] as i64).saturating_sub(first).max(0) as u64;
        let inside = if outside {
            0..0
        } else {
            begin.min(width)..end.min(width).max(begin.min(width))
        };
        Row {
            at: number * self.pitch(),
            address,
            inside,
        }
    }

    /// Each row of the tile, in order.
    pub(in crate::engine) fn rows(&self, mut each: impl FnMut(Row)) {
        match self.map.mode {
            Mode::Tile(lengths) => {
                let rank = usize::from(self.map.rank);
                for number in 0..self.rows_of() {
                    let mut coordinates = self.at.map(i64::from);
                    let mut rest = number;
                    for (dim, coordinate) in coordinates.iter_mut().enumerate().take(rank).skip(1) {
                        let count = self.count(&lengths, dim);
                        *coordinate += (rest % count) as i64 * i64::from(self.map.steps[dim]);
                        rest /= count;
                    }
                    each(self.row(number, &coordinates));
                }
            }
            Mode::Im2col(columns) => self.pixels(&columns, each),
        }
    }

    /// im2col: the pixels of the bounding box one after the other, then those of the next image.
    fn pixels(&self, columns: &Columns, mut each: impl FnMut(Row)) {
        let rank = usize::from(self.map.rank);
        let images = rank - 1;
        let mut place = self.at.map(i64::from);
        for number in 0..columns.pixels.into() {
            let mut coordinates = place;
            for dim in 1..images {
                coordinates[dim] += i64::from(self.offsets[dim - 1]);
            }
            each(self.row(number, &coordinates));
            for dim in 1..rank {
                place[dim] += i64::from(self.map.steps[dim]);
                if dim == images {
                    break;
                }
                let last = self.map.dims[dim] as i64 - 1 + i64::from(columns.upper[dim - 1]);
                if place[dim] <= last {
                    break;
                }
                place[dim] = columns.lower[dim - 1].into();
            }
        }
    }
}

/// Where the byte at this address lies after the swizzle, by the driver's number.
pub(in crate::engine) fn swizzled(swizzle: u8, address: u64) -> u64 {
    match swizzle {
        1 => address ^ (address >> 7 & 1) << 4,
        2 => address ^ (address >> 7 & 3) << 4,
        3 => address ^ (address >> 7 & 7) << 4,
        _ => address,
    }
}
