//! Tensor maps: the description of a tensor, and the 128 bytes that programs pass to kernels.
//!
//! The bytes are opaque to programs. This encoding is private to the emulator, little-endian:
//!
//! | bytes | content |
//! | --- | --- |
//! | 0 to 3 | a mark that distinguishes a map from other bytes |
//! | 4 to 9 | element type, rank, interleave, swizzle, fill, mode: 0 for tiles, 1 for im2col, 2 for im2col along the width |
//! | 10, 11 | L2 promotion, which has no effect here |
//! | 12 to 15 | channels and pixels of im2col, two bytes each |
//! | 16 to 23 | address |
//! | 24 to 43 | lengths of the dimensions, minus one, four bytes each |
//! | 44 to 48 | element strides |
//! | 50 to 61 | lengths of the box, two bytes each, or the lower and the upper corner of im2col |
//! | 64 to 95 | strides in bytes, eight bytes each, of all dimensions but the first |

/// Size of a map in bytes.
pub const SIZE: usize = 128;
/// Required alignment of a map's address.
pub const ALIGN: u64 = 64;

const MARK: u32 = 0x70_61_6d_54;

/// The element type of a tensor, numbered as in the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element(pub u8);

impl Element {
    /// 8-bit unsigned integers.
    pub const U8: Element = Element(0);
    /// 16-bit unsigned integers.
    pub const U16: Element = Element(1);
    /// 32-bit unsigned integers.
    pub const U32: Element = Element(2);
    /// 32-bit signed integers.
    pub const S32: Element = Element(3);
    /// 64-bit unsigned integers.
    pub const U64: Element = Element(4);
    /// 64-bit signed integers.
    pub const S64: Element = Element(5);
    /// Half-precision floats.
    pub const F16: Element = Element(6);
    /// Single-precision floats.
    pub const F32: Element = Element(7);
    /// Double-precision floats.
    pub const F64: Element = Element(8);
    /// `bfloat16`.
    pub const BF16: Element = Element(9);
    /// Single-precision floats whose subnormals are flushed to zero.
    pub const F32_FTZ: Element = Element(10);
    /// `tf32`.
    pub const TF32: Element = Element(11);
    /// `tf32` whose subnormals are flushed to zero.
    pub const TF32_FTZ: Element = Element(12);

    /// Returns the size of an element in bytes. None for the packed types and for invalid numbers.
    pub const fn size(self) -> Option<u64> {
        match self {
            Element::U8 => Some(1),
            Element::U16 | Element::F16 | Element::BF16 => Some(2),
            Element::U64 | Element::S64 | Element::F64 => Some(8),
            Element(0..=12) => Some(4),
            _ => None,
        }
    }

    /// Returns whether the elements are floats.
    pub const fn floating(self) -> bool {
        matches!(self, Element(6..=12))
    }
}

/// The part of the tensor that a copy moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A box with these lengths.
    Tile([u16; 5]),
    /// Columns for a convolution over width, height and depth.
    Im2col(Im2col),
    /// im2col along the width. No emulated device can copy with it.
    Wide(Im2col),
}

/// The parameters of im2col. The corners are in width, height and depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Im2col {
    /// The lower corner of the bounding box.
    pub lower: [i16; 3],
    /// The upper corner of the bounding box.
    pub upper: [i16; 3],
    /// Channels per pixel.
    pub channels: u16,
    /// Pixels per column.
    pub pixels: u16,
}

/// A tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The element type.
    pub element: Element,
    /// The number of dimensions, 1 to 5.
    pub rank: u8,
    /// `CUtensorMapInterleave`.
    pub interleave: u8,
    /// `CUtensorMapSwizzle`.
    pub swizzle: u8,
    /// Whether elements outside of the tensor are NaNs instead of zeros.
    pub fill: u8,
    /// `CUtensorMapL2promotion`.
    pub promotion: u8,
    /// The part of the tensor that a copy moves.
    pub mode: Mode,
    /// The address of the first element.
    pub address: u64,
    /// Elements along each dimension.
    pub dims: [u64; 5],
    /// Strides in bytes of all dimensions but the first.
    pub strides: [u64; 4],
    /// Element strides of the box.
    pub steps: [u8; 5],
}

/// Offsets of the fields in the bytes.
pub(crate) mod at {
    pub const ELEMENT: usize = 4;
    pub const RANK: usize = 5;
    pub const INTERLEAVE: usize = 6;
    pub const SWIZZLE: usize = 7;
    pub const FILL: usize = 8;
    pub const MODE: usize = 9;
    pub const PROMOTION: usize = 10;
    pub const CHANNELS: usize = 12;
    pub const PIXELS: usize = 14;
    pub const ADDRESS: usize = 16;
    pub const DIMS: usize = 24;
    pub const STEPS: usize = 44;
    pub const BOX: usize = 50;
    pub const STRIDES: usize = 64;
}

fn put(bytes: &mut [u8; SIZE], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

fn get<const N: usize>(bytes: &[u8; SIZE], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}

impl TensorMap {
    /// Returns the bytes that the program holds.
    pub fn encode(&self) -> [u8; SIZE] {
        let mut out = [0; SIZE];
        put(&mut out, 0, &MARK.to_le_bytes());
        out[at::ELEMENT] = self.element.0;
        out[at::RANK] = self.rank;
        out[at::INTERLEAVE] = self.interleave;
        out[at::SWIZZLE] = self.swizzle;
        out[at::FILL] = self.fill;
        out[at::PROMOTION] = self.promotion;
        put(&mut out, at::ADDRESS, &self.address.to_le_bytes());
        put(&mut out, at::STEPS, &self.steps);
        for (i, dim) in self.dims.iter().enumerate() {
            let dim = dim.wrapping_sub(1) as u32;
            put(&mut out, at::DIMS + 4 * i, &dim.to_le_bytes());
        }
        for (i, stride) in self.strides.iter().enumerate() {
            put(&mut out, at::STRIDES + 8 * i, &stride.to_le_bytes());
        }
        match self.mode {
            Mode::Tile(lengths) => {
                for (i, length) in lengths.iter().enumerate() {
                    put(&mut out, at::BOX + 2 * i, &length.to_le_bytes());
                }
            }
            Mode::Im2col(columns) | Mode::Wide(columns) => {
                out[at::MODE] = if matches!(self.mode, Mode::Wide(_)) {
                    2
                } else {
                    1
                };
                put(&mut out, at::CHANNELS, &columns.channels.to_le_bytes());
                put(&mut out, at::PIXELS, &columns.pixels.to_le_bytes());
                let corners = columns.lower.iter().chain(&columns.upper);
                for (i, corner) in corners.enumerate() {
                    put(&mut out, at::BOX + 2 * i, &corner.to_le_bytes());
                }
            }
        }
        out
    }

    /// Writes an address into a program's map, whatever its bytes are.
    pub fn set_address(bytes: &mut [u8; SIZE], address: u64) {
        put(bytes, at::ADDRESS, &address.to_le_bytes());
    }

    /// Decodes a program's bytes. Returns None if they are not a map.
    pub fn decode(bytes: &[u8; SIZE]) -> Option<TensorMap> {
        let short = |at| u16::from_le_bytes(get(bytes, at));
        let columns = Im2col {
            lower: std::array::from_fn(|i| short(at::BOX + 2 * i) as i16),
            upper: std::array::from_fn(|i| short(at::BOX + 6 + 2 * i) as i16),
            channels: short(at::CHANNELS),
            pixels: short(at::PIXELS),
        };
        let mode = match bytes[at::MODE] {
            0 => Mode::Tile(std::array::from_fn(|i| short(at::BOX + 2 * i))),
            1 => Mode::Im2col(columns),
            2 => Mode::Wide(columns),
            _ => return None,
        };
        let map = TensorMap {
            element: Element(bytes[at::ELEMENT]),
            rank: bytes[at::RANK],
            interleave: bytes[at::INTERLEAVE],
            swizzle: bytes[at::SWIZZLE],
            fill: bytes[at::FILL],
            promotion: bytes[at::PROMOTION],
            mode,
            address: u64::from_le_bytes(get(bytes, at::ADDRESS)),
            dims: std::array::from_fn(|i| {
                u64::from(u32::from_le_bytes(get(bytes, at::DIMS + 4 * i))) + 1
            }),
            strides: std::array::from_fn(|i| u64::from_le_bytes(get(bytes, at::STRIDES + 8 * i))),
            steps: get(bytes, at::STEPS),
        };
        let marked = u32::from_le_bytes(get(bytes, 0)) == MARK;
        (marked && (1..=5).contains(&map.rank)).then_some(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_round_trips() {
        let tile = TensorMap {
            element: Element::BF16,
            rank: 3,
            interleave: 1,
            swizzle: 2,
            fill: 1,
            promotion: 3,
            mode: Mode::Tile([64, 256, 3, 1, 1]),
            address: 0x7f12_3456_7890,
            dims: [1, 1 << 32, 77, 1, 1],
            strides: [16, (1 << 40) - 16, 0, 0],
            steps: [1, 8, 3, 1, 1],
        };
        assert_eq!(TensorMap::decode(&tile.encode()), Some(tile));
        let columns = TensorMap {
            mode: Mode::Im2col(Im2col {
                lower: [-32768, -3, 5],
                upper: [32767, -1, 0],
                channels: 256,
                pixels: 1024,
            }),
            ..tile
        };
        assert_eq!(TensorMap::decode(&columns.encode()), Some(columns));
        let mut bytes = tile.encode();
        bytes[at::RANK] = 6;
        assert_eq!(TensorMap::decode(&bytes), None);
        assert_eq!(TensorMap::decode(&[0; SIZE]), None);
    }
}
