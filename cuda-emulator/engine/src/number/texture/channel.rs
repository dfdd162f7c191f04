//! The format of a channel of a texture or surface.

use crate::number::math;

/// The format of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// 8-bit unsigned integer.
    U8,
    /// 8-bit signed integer.
    S8,
    /// 16-bit unsigned integer.
    U16,
    /// 16-bit signed integer.
    S16,
    /// 32-bit unsigned integer.
    U32,
    /// 32-bit signed integer.
    S32,
    /// Half-precision float.
    F16,
    /// Single-precision float.
    F32,
    /// 8 bits normalized to 0..1.
    Unorm8,
    /// 8 bits normalized to -1..1.
    Snorm8,
    /// 16 bits normalized to 0..1.
    Unorm16,
    /// 16 bits normalized to -1..1.
    Snorm16,
}

impl Channel {
    /// Returns the size of a channel in bytes.
    pub const fn bytes(self) -> u64 {
        match self {
            Channel::U8 | Channel::S8 | Channel::Unorm8 | Channel::Snorm8 => 1,
            Channel::U16 | Channel::S16 | Channel::F16 | Channel::Unorm16 | Channel::Snorm16 => 2,
            Channel::U32 | Channel::S32 | Channel::F32 => 4,
        }
    }

    /// Returns the value of these bits in a texture, as a register holds it: an integer extended to
    /// 32 bits, or a float.
    pub(crate) fn read(self, bits: u32) -> u32 {
        match self {
            Channel::U8 => bits & 0xff,
            Channel::S8 => i32::from(bits as i8) as u32,
            Channel::U16 => bits & 0xffff,
            Channel::S16 => i32::from(bits as i16) as u32,
            Channel::U32 | Channel::S32 | Channel::F32 => bits,
            Channel::F16 => math::half_to_single(bits as u16).to_bits(),
            Channel::Unorm8 => ((bits & 0xff) as f32 / 255.0).to_bits(),
            Channel::Unorm16 => ((bits & 0xffff) as f32 / 65535.0).to_bits(),
            Channel::Snorm8 => (f32::from(bits as i8) / 127.0).max(-1.0).to_bits(),
            Channel::Snorm16 => (f32::from(bits as i16) / 32767.0).max(-1.0).to_bits(),
        }
    }

    /// Returns whether the channel holds signed integers.
    pub(crate) const fn is_signed(self) -> bool {
        matches!(self, Channel::S8 | Channel::S16 | Channel::S32)
    }

    /// Returns the bits that a formatted store writes for a register. Integers are saturated.
    pub(crate) fn stored(self, bits: u32) -> u32 {
        let signed = bits as i32;
        match self {
            Channel::U8 => bits.min(0xff),
            Channel::U16 => bits.min(0xffff),
            Channel::S8 => signed.clamp(-0x80, 0x7f) as u32 & 0xff,
            Channel::S16 => signed.clamp(-0x8000, 0x7fff) as u32 & 0xffff,
            Channel::U32 | Channel::S32 | Channel::F32 => bits,
            _ => self.colour(f32::from_bits(bits)),
        }
    }

    /// Returns a border color in this format, as the bits of a texel's channel.
    pub(crate) fn colour(self, value: f32) -> u32 {
        // Fixed point, rounded to nearest, ties towards zero. NaN is 0.
        let steps = |most: f32, least: f32| {
            let scaled = value.clamp(least, 1.0) * most;
            (scaled.abs() - 0.5).ceil().copysign(scaled) as i32
        };
        match self {
            Channel::Unorm8 => steps(255.0, 0.0) as u32,
            Channel::Unorm16 => steps(65535.0, 0.0) as u32,
            Channel::Snorm8 => steps(127.0, -1.0) as u32 & 0xff,
            Channel::Snorm16 => steps(32767.0, -1.0) as u32 & 0xffff,
            Channel::F16 => half(value).into(),
            _ => value.to_bits(),
        }
    }
}

/// Converts a single to a half, truncated and limited to the largest finite half.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let (sign, magnitude) = ((bits >> 16 & 0x8000) as u16, bits & 0x7fff_ffff);
    let exponent = (magnitude >> 23) as i32 - 127;
    sign | match exponent {
        128 => 0x7c00 | (magnitude >> 13 & 0x3ff) as u16,
        16.. => 0x7bff,
        -14.. => (((exponent + 15) as u32) << 10 | magnitude >> 13 & 0x3ff) as u16,
        -24.. => ((magnitude & 0x7f_ffff | 0x80_0000) >> (-1 - exponent)) as u16,
        _ => 0,
    }
}

/// Converts an sRGB byte to a linear number: a half, which an H200 reads from a table.
pub(crate) fn linear(byte: u32) -> f32 {
    math::half_to_single(LINEAR[byte as usize & 0xff])
}

/// An H200's values for each sRGB byte, as halves.
#[rustfmt::skip]
const LINEAR: [u16; 256] = [
    0x0000, 0x0d00, 0x1100, 0x1380, 0x1500, 0x1640, 0x1780, 0x1860, 0x1900, 0x19a0, 0x1a40, 0x1ae0,
    0x1b80, 0x1c20, 0x1c80, 0x1ce0, 0x1d50, 0x1dc0, 0x1e30, 0x1eb0, 0x1f30, 0x1fb0, 0x2018, 0x2060,
    0x20b0, 0x20f8, 0x2148, 0x21a0, 0x21f0, 0x2248, 0x22a8, 0x2300, 0x2360, 0x23d0, 0x2418, 0x2450,
    0x2488, 0x24c0, 0x24f8, 0x2530, 0x2570, 0x25b0, 0x25f0, 0x2630, 0x2670, 0x26b8, 0x2700, 0x2748,
    0x2790, 0x27e0, 0x2818, 0x2840, 0x2868, 0x2890, 0x28b8, 0x28e0, 0x2910, 0x2940, 0x2968, 0x2998,
    0x29c8, 0x29f8, 0x2a28, 0x2a60, 0x2a90, 0x2ac0, 0x2b00, 0x2b30, 0x2b60, 0x2ba0, 0x2bd0, 0x2c08,
    0x2c28, 0x2c40, 0x2c60, 0x2c80, 0x2ca0, 0x2cc0, 0x2ce0, 0x2d00, 0x2d20, 0x2d48, 0x2d68, 0x2d88,
    0x2db0, 0x2dd0, 0x2df8, 0x2e18, 0x2e40, 0x2e68, 0x2e88, 0x2eb0, 0x2ed8, 0x2f00, 0x2f28, 0x2f50,
    0x2f80, 0x2fa0, 0x2fd0, 0x3000, 0x3010, 0x3028, 0x3040, 0x3058, 0x3070, 0x3088, 0x30a0, 0x30b8,
    0x30d0, 0x30e8, 0x3100, 0x3118, 0x3130, 0x3148, 0x3160, 0x3180, 0x3198, 0x31b0, 0x31d0, 0x31e8,
    0x3200, 0x3220, 0x3238, 0x3258, 0x3270, 0x3290, 0x32b0, 0x32c8, 0x32e8, 0x3308, 0x3328, 0x3340,
    0x3360, 0x3380, 0x33a0, 0x33c0, 0x33e0, 0x3400, 0x3410, 0x3420, 0x3430, 0x3440, 0x3450, 0x3468,
    0x3478, 0x3488, 0x3498, 0x34a8, 0x34c0, 0x34d0, 0x34e0, 0x34f0, 0x3508, 0x3518, 0x3528, 0x3540,
    0x3550, 0x3568, 0x3578, 0x3590, 0x35a0, 0x35b0, 0x35c8, 0x35e0, 0x35f0, 0x3608, 0x3618, 0x3630,
    0x3640, 0x3658, 0x3670, 0x3688, 0x3698, 0x36b0, 0x36c8, 0x36d8, 0x36f0, 0x3708, 0x3720, 0x3738,
    0x3750, 0x3768, 0x3780, 0x3790, 0x37b0, 0x37c0, 0x37e0, 0x37f0, 0x3808, 0x3810, 0x3820, 0x3828,
    0x3838, 0x3848, 0x3850, 0x3860, 0x3868, 0x3878, 0x3888, 0x3890, 0x38a0, 0x38b0, 0x38b8, 0x38c8,
    0x38d8, 0x38e0, 0x38f0, 0x3900, 0x3908, 0x3918, 0x3928, 0x3938, 0x3948, 0x3950, 0x3960, 0x3970,
    0x3980, 0x3990, 0x3998, 0x39a8, 0x39b8, 0x39c8, 0x39d8, 0x39e8, 0x39f8, 0x3a08, 0x3a18, 0x3a28,
    0x3a38, 0x3a48, 0x3a58, 0x3a68, 0x3a78, 0x3a88, 0x3a98, 0x3aa8, 0x3ab8, 0x3ac8, 0x3ad8, 0x3ae8,
    0x3af8, 0x3b08, 0x3b18, 0x3b28, 0x3b40, 0x3b50, 0x3b60, 0x3b70, 0x3b80, 0x3b90, 0x3ba0, 0x3bb0,
    0x3bd0, 0x3be0, 0x3bf0, 0x3c00,
];
