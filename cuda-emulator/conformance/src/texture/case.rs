//! A test case: texels, a sampler, an instruction, and points.

use crate::random::hash;

/// The location of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Array,
    Mipmapped,
    Linear,
    Pitch,
}

/// The contents of texels. Each channel depends on its coordinates, so that every texel is
/// distinguishable.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Numbers that encode the texel's position.
    Places,
    /// Random bits. Floats are ordinary numbers.
    Random(u32),
    /// Floats of very different magnitudes, which expose the rounding of sums.
    Wild(u32),
    /// Infinities, NaN, subnormals and zeros among ordinary floats.
    Special(u32),
    /// The largest number, or 1.0, in one texel, and 0 in the others.
    One(usize, usize, usize),
    /// The mipmap level.
    Level,
    /// These bits, repeated over the channels.
    Bits(Vec<u32>),
}

/// Texels.
#[derive(Clone, Debug, PartialEq)]
pub struct Texels {
    pub place: Place,
    /// `CUarray_format`.
    pub format: u32,
    pub channels: u32,
    /// Width, height and depth for the driver.
    pub size: [usize; 3],
    /// `CUDA_ARRAY3D_…`.
    pub flags: u32,
    pub levels: u32,
    /// Row pitch of pitched memory in bytes, and the offset of the texels from an aligned address.
    pub pitch: usize,
    pub offset: usize,
    pub fill: Fill,
}

/// `CUDA_TEXTURE_DESC`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Sampler {
    pub address: [u32; 3],
    pub filter: u32,
    pub flags: u32,
    pub anisotropy: u32,
    pub mip_filter: u32,
    pub bias: f32,
    pub least: f32,
    pub most: f32,
    pub border: [f32; 4],
    pub reserved: [i32; 12],
}

/// `CUDA_RESOURCE_VIEW_DESC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct View {
    pub format: u32,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub levels: [u32; 2],
    pub layers: [u32; 2],
    pub reserved: [u32; 16],
}

/// An instruction on a texture or surface.
#[derive(Clone, Debug)]
pub struct Case {
    pub(super) name: String,
    pub(super) texels: Texels,
    pub(super) sampler: Sampler,
    pub(super) view: Option<View>,
    /// The instruction in PTX notation, or `desc` for the driver's descriptions of the object.
    pub(super) op: String,
    /// The operands as words, one point after another.
    pub(super) points: Vec<u32>,
    /// Whether the case may fault, and needs a separate process.
    pub(super) alone: bool,
}

pub const U8: u32 = 1;
pub const U16: u32 = 2;
pub const U32: u32 = 3;
pub const S8: u32 = 8;
pub const S16: u32 = 9;
pub const S32: u32 = 10;
pub const F16: u32 = 16;
pub const F32: u32 = 32;

pub const WRAP: u32 = 0;
pub const CLAMP: u32 = 1;
pub const MIRROR: u32 = 2;
pub const BORDER: u32 = 3;

pub const INTEGER: u32 = 1;
pub const NORMALIZED: u32 = 2;
pub const SRGB: u32 = 0x10;
pub const EXACT_LEVELS: u32 = 0x20;
pub const SEAMLESS: u32 = 0x40;

pub const LAYERED: u32 = 1;
pub const STORE: u32 = 2;
pub const CUBE: u32 = 4;
pub const GATHER: u32 = 8;

/// Returns the size of a channel in bytes.
pub fn bytes(format: u32) -> usize {
    match format {
        U8 | S8 | 0xc0..=0xc2 | 0xc6..=0xc8 => 1,
        U16 | S16 | F16 | 0xc3..=0xc5 | 0xc9..=0xcb => 2,
        _ => 4,
    }
}

/// A random generator. Only its sequence matters.
pub struct Random(pub u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn bits(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 24) as u32
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.bits() as usize % n
    }

    /// Returns a number in 0..1.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / 16_777_216.0
    }
}

/// Converts an f32 to a half by truncation. Only for numbers that a half can represent.
fn half(value: f32) -> u32 {
    let bits = value.to_bits();
    let (sign, exponent) = (bits >> 16 & 0x8000, (bits >> 23 & 0xff) as i32 - 127 + 15);
    match exponent {
        _ if value == 0.0 => sign,
        31.. => sign | 0x7bff,
        1..=30 => sign | (exponent as u32) << 10 | bits >> 13 & 0x3ff,
        _ => sign | 1,
    }
}

impl Texels {
    /// Returns width, height and depth of a level's plain rows. None is 0.
    pub fn extent(&self, level: u32) -> [usize; 3] {
        let [w, h, d] = self.size;
        let cut = |n: usize| (n >> level).max(1);
        match self.flags & (LAYERED | CUBE) {
            0 => [cut(w), cut(h.max(1)), cut(d.max(1))],
            _ => [cut(w), cut(h.max(1)), d.max(1)],
        }
    }

    /// Returns the bits of a channel.
    fn channel(&self, [x, y, z]: [usize; 3], c: usize, level: u32, number: usize) -> u32 {
        let mixed = |seed: u32| {
            let place = (x as u64) | (y as u64) << 16 | (z as u64) << 32 | (c as u64) << 48;
            let mut random = Random::new(place ^ u64::from(seed) << 52 ^ u64::from(level) << 44);
            random.bits();
            random.bits();
            random.bits()
        };
        let float = matches!(self.format, F16 | F32);
        let number_of = |value: f32| match self.format {
            F16 => half(value),
            F32 => value.to_bits(),
            _ => value as u32,
        };
        match &self.fill {
            Fill::Places if self.format == F32 => {
                let place = (x + 1) as f32 + 100.0 * y as f32 + 5000.0 * z as f32;
                (place + 0.25 * c as f32 + 100_000.0 * level as f32).to_bits()
            }
            Fill::Places if float => half((x + 1 + 16 * y + 128 * z) as f32 + 0.25 * c as f32),
            Fill::Places => (x + 17 * y + 53 * z + 101 * c + 7 * level as usize + 1) as u32,
            &Fill::Random(seed) if float => {
                let bits = mixed(seed);
                let value = f32::from_bits(bits & 0x807f_ffff | (124 + (bits >> 23 & 7)) << 23);
                number_of(value)
            }
            &Fill::Random(seed) => mixed(seed),
            &Fill::Wild(seed) => {
                let bits = mixed(seed);
                match self.format {
                    F16 => {
                        let exponent = bits >> 10 & 31;
                        bits & 0x83ff | exponent.min(30) << 10
                    }
                    _ => bits & 0x807f_ffff | (100 + mixed(seed + 1000) % 50) << 23,
                }
            }
            &Fill::Special(seed) => {
                let bits = mixed(seed);
                match (self.format, bits >> 8 & 7) {
                    (F16, 0) => 0x7c00 | bits << 15 & 0x8000,
                    (F16, 1) => 0x7e00 | bits & 0x8055,
                    (F16, 2) => bits & 0x83ff,
                    (F16, 3) => bits & 0x8000,
                    (F16, _) => bits & 0xbfff,
                    (_, 0) => 0x7f80_0000 | bits & 0x8000_0000,
                    (_, 1) => 0x7fc0_0000 | bits & 0x8000_5555,
                    (_, 2) => bits & 0x807f_ffff,
                    (_, 3) => bits & 0x8000_0000,
                    (_, 4) => bits & 0x807f_ffff | 0x7f00_0000,
                    _ => bits & 0xbfff_ffff,
                }
            }
            &Fill::One(a, b, d) => match ([x, y, z] == [a, b, d], float, self.format) {
                (true, true, _) => number_of(1.0),
                (true, false, S8) => 0x7f,
                (true, false, S16) => 0x7fff,
                (true, false, _) => u32::MAX,
                _ => 0,
            },
            Fill::Level => number_of(level as f32),
            Fill::Bits(bits) => bits[number % bits.len()],
        }
    }

    /// Returns a level's texels as plain rows.
    pub fn contents(&self, level: u32) -> Vec<u8> {
        let [w, h, d] = self.extent(level);
        let mut out = Vec::new();
        let mut number = 0;
        for z in 0..d {
            for y in 0..h {
                for x in 0..w {
                    for c in 0..self.channels as usize {
                        let bits = self.channel([x, y, z], c, level, number);
                        out.extend_from_slice(&bits.to_le_bytes()[..bytes(self.format)]);
                        number += 1;
                    }
                }
            }
        }
        out
    }

    pub fn texel(&self) -> usize {
        bytes(self.format) * self.channels as usize
    }
}

impl Case {
    /// Returns a value that changes with the case, to detect stale recordings.
    pub fn fingerprint(&self) -> u64 {
        let Case {
            name,
            texels,
            sampler,
            view,
            op,
            ..
        } = self;
        let text = format!("{name}|{texels:?}|{sampler:?}|{view:?}|{op}");
        let points = self.points.iter().flat_map(|word| word.to_le_bytes());
        hash(text.bytes().chain(points))
    }

    /// Returns whether the case can leave its context unusable.
    #[must_use]
    pub fn may_fault(&self) -> bool {
        self.alone
    }

    /// Returns the name in reports.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Sampler {
    pub fn new(address: u32, filter: u32, flags: u32) -> Self {
        Self {
            address: [address; 3],
            filter,
            flags,
            anisotropy: 0,
            mip_filter: 0,
            bias: 0.0,
            least: 0.0,
            most: 0.0,
            border: [0.0; 4],
            reserved: [0; 12],
        }
    }
}
