//! The driver's checks of texture and surface objects before it creates them.

use std::ops::Range;

use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::memory::array::{self, Array};
use crate::memory::texel_format::Texel;
use crate::process::device_attributes::attribute;
use crate::process::warnings;
use cuda_emulator_engine::texture::{Address, Channel, Detail, Sampler};

/// The result of checking the descriptors.
pub struct Checked {
    pub channel: Channel,
    pub channels: u32,
    /// The visible levels of a mipmapped array.
    pub levels: Range<usize>,
    pub sampler: Sampler,
}

/// Flags that CUDA does not name and an H200 accepts.
const UNNAMED: u32 = 0x0c;
const FLAGS: u32 = UNNAMED
    | CU_TRSF_READ_AS_INTEGER
    | CU_TRSF_NORMALIZED_COORDINATES
    | CU_TRSF_SRGB
    | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION
    | CU_TRSF_SEAMLESS_CUBEMAP;

fn ensure(holds: bool) -> Result {
    if holds {
        Ok(())
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

/// Returns the type of a channel: as stored, or normalized to 0..1 or -1..1.
fn channel(format: u32, integers: bool) -> Result<Channel> {
    Ok(match format {
        CU_AD_FORMAT_UNSIGNED_INT8 if integers => Channel::U8,
        CU_AD_FORMAT_SIGNED_INT8 if integers => Channel::S8,
        CU_AD_FORMAT_UNSIGNED_INT16 if integers => Channel::U16,
        CU_AD_FORMAT_SIGNED_INT16 if integers => Channel::S16,
        CU_AD_FORMAT_UNSIGNED_INT8
        | CU_AD_FORMAT_UNORM_INT8X1
        | CU_AD_FORMAT_UNORM_INT8X2
        | CU_AD_FORMAT_UNORM_INT8X4 => Channel::Unorm8,
        CU_AD_FORMAT_SIGNED_INT8
        | CU_AD_FORMAT_SNORM_INT8X1
        | CU_AD_FORMAT_SNORM_INT8X2
        | CU_AD_FORMAT_SNORM_INT8X4 => Channel::Snorm8,
        CU_AD_FORMAT_UNSIGNED_INT16
        | CU_AD_FORMAT_UNORM_INT16X1
        | CU_AD_FORMAT_UNORM_INT16X2
        | CU_AD_FORMAT_UNORM_INT16X4 => Channel::Unorm16,
        CU_AD_FORMAT_SIGNED_INT16
        | CU_AD_FORMAT_SNORM_INT16X1
        | CU_AD_FORMAT_SNORM_INT16X2
        | CU_AD_FORMAT_SNORM_INT16X4 => Channel::Snorm16,
        CU_AD_FORMAT_UNSIGNED_INT32 => Channel::U32,
        CU_AD_FORMAT_SIGNED_INT32 => Channel::S32,
        CU_AD_FORMAT_HALF => Channel::F16,
        CU_AD_FORMAT_FLOAT => Channel::F32,
        // Block-compressed and other formats.
        _ => return Err(Code::ERROR_NOT_SUPPORTED),
    })
}

fn address(mode: u32) -> Result<Address> {
    Ok(match mode {
        CU_TR_ADDRESS_MODE_WRAP => Address::Wrap,
        CU_TR_ADDRESS_MODE_CLAMP => Address::Clamp,
        CU_TR_ADDRESS_MODE_MIRROR => Address::Mirror,
        CU_TR_ADDRESS_MODE_BORDER => Address::Border,
        _ => return Err(Code::ERROR_INVALID_VALUE),
    })
}

/// Returns the sampler of a descriptor for this resource.
fn sampler(given: &TextureDescriptor, found: &Found) -> Result<Sampler> {
    ensure(given.flags & !FLAGS == 0 && given.reserved == [0; 12])?;
    ensure(given.filter <= CU_TR_FILTER_MODE_LINEAR)?;
    ensure(given.mipmap_filter <= CU_TR_FILTER_MODE_LINEAR)?;
    // On an H200, coordinates of mipmapped arrays are normalized even without the flag, because
    // texel coordinates would depend on the level.
    let normalized = given.flags & CU_TRSF_NORMALIZED_COORDINATES != 0 || found.mipmapped;
    let mut modes = [Address::Clamp; 3];
    for (axis, mode) in modes.iter_mut().enumerate() {
        // Unused axes are not checked. A 1D texture counts as a plane of one row.
        match address(given.address[axis]) {
            Ok(found) => *mode = found,
            Err(code) if axis < found.dimensions.max(2) => return Err(code),
            Err(_) => {}
        }
    }
    Ok(Sampler {
        // Wrap and mirror need normalized coordinates. Directions into a cube are always
        // normalized.
        address: modes.map(|mode| match mode {
            Address::Wrap | Address::Mirror if !normalized && !found.cube => Address::Clamp,
            mode => mode,
        }),
        linear: given.filter == CU_TR_FILTER_MODE_LINEAR,
        normalized,
        srgb: given.flags & CU_TRSF_SRGB != 0,
        seamless: given.flags & CU_TRSF_SEAMLESS_CUBEMAP != 0,
        detail: Detail {
            linear: given.mipmap_filter == CU_TR_FILTER_MODE_LINEAR,
            bias: given.bias,
            min: given.min_level,
            max: given.max_level,
        },
        border: given.border,
    })
}

/// The properties of a resource.
struct Found {
    texel: Texel,
    levels: usize,
    dimensions: usize,
    cube: bool,
    /// Whether it is linear memory, for which views are ignored.
    memory: bool,
    /// Whether it is a mipmapped array, even with one level.
    mipmapped: bool,
    /// The lengths in the array's descriptor.
    size: [usize; 3],
}

impl Found {
    fn of(array: &Array, levels: usize) -> Found {
        Found {
            texel: array.texel,
            levels,
            dimensions: array.dimensions() as usize,
            cube: array.is_cube(),
            memory: false,
            mipmapped: false,
            size: [array.width(), array.height(), array.depth()].map(|n| n as usize),
        }
    }
}

/// Returns the properties of a resource.
fn find(resource: &ResourceDescriptor) -> Result<Found> {
    ensure(resource.flags == 0)?;
    let word = |place: usize| resource.words[place];
    let rejected = |_| Code::ERROR_INVALID_VALUE;
    match resource.kind {
        CU_RESOURCE_TYPE_ARRAY => {
            let array = array::get(word(place::WHAT)).map_err(rejected)?;
            Ok(Found::of(&array, 1))
        }
        CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
            let whole = array::get_mipmapped(word(place::WHAT)).map_err(rejected)?;
            Ok(Found {
                mipmapped: true,
                ..Found::of(&whole.levels[0], whole.levels.len())
            })
        }
        CU_RESOURCE_TYPE_LINEAR | CU_RESOURCE_TYPE_PITCH2D => {
            let format = word(place::FORMAT);
            let texel = Texel::new(format as u32, (format >> 32) as u32)?;
            memory(resource, &texel)?;
            Ok(Found {
                texel,
                levels: 1,
                dimensions: if resource.kind == CU_RESOURCE_TYPE_LINEAR {
                    1
                } else {
                    2
                },
                cube: false,
                memory: true,
                mipmapped: false,
                size: [0; 3],
            })
        }
        _ => Err(Code::ERROR_INVALID_VALUE),
    }
}

/// Alignment of addresses and pitches of textures in memory.
const ALIGNMENT: u64 = 512;
const PITCH: u64 = 32;
/// Maximum width and height of pitched memory in texels.
const MOST_PITCHED: [u64; 2] = [131_072, 65_000];

fn memory(resource: &ResourceDescriptor, texel: &Texel) -> Result {
    let word = |place: usize| resource.words[place];
    let address = word(place::WHAT);
    ensure(address != 0 && address.is_multiple_of(ALIGNMENT))?;
    if resource.kind == CU_RESOURCE_TYPE_LINEAR {
        let most = attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 0)?;
        return ensure(word(place::BYTES) / texel.bytes <= most as u64);
    }
    let (width, height) = (word(place::WIDTH), word(place::HEIGHT));
    ensure(width <= MOST_PITCHED[0] && height <= MOST_PITCHED[1])?;
    let pitch = word(place::PITCH);
    ensure(pitch.checked_mul(height.max(1)).is_some())?;
    ensure(pitch.is_multiple_of(PITCH) && pitch >= width * texel.bytes)
}

/// Returns the texel format of a view's format, or `None` for formats that the emulator does not
/// read.
fn viewed(format: u32) -> Option<(u32, u32)> {
    let formats = [
        CU_AD_FORMAT_UNSIGNED_INT8,
        CU_AD_FORMAT_SIGNED_INT8,
        CU_AD_FORMAT_UNSIGNED_INT16,
        CU_AD_FORMAT_SIGNED_INT16,
        CU_AD_FORMAT_UNSIGNED_INT32,
        CU_AD_FORMAT_SIGNED_INT32,
        CU_AD_FORMAT_HALF,
        CU_AD_FORMAT_FLOAT,
    ];
    let number = format.checked_sub(CU_RES_VIEW_FORMAT_UINT_1X8)?;
    let format = formats.get(number as usize / 3)?;
    Some((*format, [1, 2, 4][number as usize % 3]))
}

/// The part of an array that a view shows.
struct Seen {
    format: u32,
    channels: u32,
    levels: Range<usize>,
}

fn view(found: &Found, view: &ViewDescriptor) -> Result<Seen> {
    let compressed = CU_RES_VIEW_FORMAT_UNSIGNED_BC1..=CU_RES_VIEW_FORMAT_UNSIGNED_BC7;
    if compressed.contains(&view.format) {
        let small = matches!(view.format, 0x19 | 0x1c | 0x1d);
        ensure(found.texel.bytes == if small { 8 } else { 16 })?;
        return Err(Code::ERROR_NOT_SUPPORTED);
    }
    let (format, channels) = viewed(view.format).ok_or(Code::ERROR_INVALID_VALUE)?;
    ensure(Texel::new(format, channels)?.bytes == found.texel.bytes)?;
    if found.texel.is_compressed() {
        return Err(warnings::missing_feature(
            "a view of compressed blocks as texels",
        ));
    }
    ensure([view.width, view.height, view.depth] == found.size && view.reserved == [0; 16])?;
    // The last level may be one more than exists.
    let (first, last) = (view.first_level as usize, view.last_level as usize);
    ensure(first <= last && first < found.levels && last <= found.levels)?;
    Ok(Seen {
        format,
        channels,
        levels: first..(last + 1).min(found.levels),
    })
}

/// Checks the descriptors of a texture object.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if they do not fit together, and `CUDA_ERROR_NOT_SUPPORTED`
/// for formats that the emulator does not read.
pub fn texture(
    resource: &ResourceDescriptor,
    given: &TextureDescriptor,
    seen: Option<&ViewDescriptor>,
) -> Result<Checked> {
    let found = find(resource)?;
    let sampler = sampler(given, &found)?;
    ensure(found.cube || !sampler.seamless)?;
    let all = Seen {
        format: found.texel.format,
        channels: found.texel.channels,
        levels: 0..found.levels,
    };
    let seen = match seen.filter(|_| !found.memory) {
        Some(seen) => view(&found, seen)?,
        None => all,
    };
    Ok(Checked {
        channel: channel(seen.format, given.flags & CU_TRSF_READ_AS_INTEGER != 0)?,
        channels: seen.channels,
        levels: seen.levels,
        sampler,
    })
}

/// Checks the descriptor of a surface object. Like an H200, it does not check whether the array was
/// created for surfaces.
///
/// # Errors
/// Returns `CUDA_ERROR_INVALID_VALUE` if the resource is not an array, and
/// `CUDA_ERROR_NOT_SUPPORTED` for formats that the emulator does not read.
pub fn surface(resource: &ResourceDescriptor) -> Result<Checked> {
    ensure(resource.kind == CU_RESOURCE_TYPE_ARRAY)?;
    let found = find(resource)?;
    let nothing = TextureDescriptor {
        address: [CU_TR_ADDRESS_MODE_CLAMP; 3],
        filter: CU_TR_FILTER_MODE_POINT,
        flags: 0,
        max_anisotropy: 0,
        mipmap_filter: CU_TR_FILTER_MODE_POINT,
        bias: 0.0,
        min_level: 0.0,
        max_level: 0.0,
        border: [0.0; 4],
        reserved: [0; 12],
    };
    Ok(Checked {
        channel: channel(found.texel.format, true)?,
        channels: found.texel.channels,
        levels: 0..1,
        sampler: sampler(&nothing, &found)?,
    })
}
