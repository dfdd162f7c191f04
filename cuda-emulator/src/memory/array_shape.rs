//! Validation of array descriptors: the combinations of lengths, format and flags that exist.

use super::texel_format::Texel;
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::process::device_attributes::attribute;
use crate::process::warnings;

/// Flags of emulated arrays. An H200 (driver 580) also rejects the flags for graphics.
const KNOWN_FLAGS: u32 = CUDA_ARRAY3D_LAYERED
    | CUDA_ARRAY3D_SURFACE_LDST
    | CUDA_ARRAY3D_CUBEMAP
    | CUDA_ARRAY3D_TEXTURE_GATHER;
/// Flags of arrays that a GPU has and the emulator lacks: arrays without memory, and arrays for
/// video.
const UNSUPPORTED_FLAGS: u32 =
    CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;

/// Device attributes with the maximum width, height and depth (or layers) of a kind of array. 0 if
/// the kind lacks that dimension.
type Limits = [u32; 3];

/// The kind of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Line,
    LayeredLines,
    Plane,
    LayeredPlanes,
    Volume,
    Cube,
    LayeredCubes,
}

fn kind(one: &Array3dDescriptor) -> Result<Kind> {
    let (layered, cube) = (
        one.flags & CUDA_ARRAY3D_LAYERED != 0,
        one.flags & CUDA_ARRAY3D_CUBEMAP != 0,
    );
    match (layered, cube, one.height, one.depth) {
        (_, true, height, depth) => match (height == one.width, layered) {
            (true, false) if depth == 6 => Ok(Kind::Cube),
            (true, true) if depth > 0 && depth.is_multiple_of(6) => Ok(Kind::LayeredCubes),
            _ => Err(Code::ERROR_INVALID_VALUE),
        },
        (true, false, _, 0) => Err(Code::ERROR_INVALID_VALUE),
        (true, false, 0, _) => Ok(Kind::LayeredLines),
        (true, false, ..) => Ok(Kind::LayeredPlanes),
        (false, false, 0, 0) => Ok(Kind::Line),
        (false, false, 0, _) => Err(Code::ERROR_INVALID_VALUE),
        (false, false, _, 0) => Ok(Kind::Plane),
        (false, false, ..) => Ok(Kind::Volume),
    }
}

impl Kind {
    fn of_textures(self) -> Limits {
        match self {
            Kind::Line => [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH, 0, 0],
            Kind::LayeredLines => [
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH,
                0,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS,
            ],
            Kind::Plane => [
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT,
                0,
            ],
            Kind::LayeredPlanes => [
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS,
            ],
            Kind::Volume => [
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH,
            ],
            Kind::Cube => [
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH,
                0,
            ],
            Kind::LayeredCubes => [
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS,
            ],
        }
    }

    fn of_surfaces(self) -> Limits {
        match self {
            Kind::Line => [CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH, 0, 0],
            Kind::LayeredLines => [
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH,
                0,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS,
            ],
            Kind::Plane => [
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT,
                0,
            ],
            Kind::LayeredPlanes => [
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS,
            ],
            Kind::Volume => [
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH,
            ],
            Kind::Cube => [
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH,
                0,
            ],
            Kind::LayeredCubes => [
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH,
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS,
            ],
        }
    }
}

const GATHER: Limits = [
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT,
    0,
];
const MIPMAPPED_LINE: Limits = [CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, 0, 0];
const MIPMAPPED_PLANE: Limits = [
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT,
    0,
];
const ALTERNATE: Limits = [
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE,
];

fn is_within(one: &Array3dDescriptor, limits: Limits) -> Result<bool> {
    for (length, limit) in [one.width, one.height, one.depth].into_iter().zip(limits) {
        if limit != 0 && length as u64 > attribute(limit, 0)? as u64 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Checks a descriptor and returns its texel format.
///
/// # Errors
/// As an H200 (driver 580), returns `CUDA_ERROR_INVALID_VALUE` if lengths, format and flags do not
/// fit together, and `CUDA_ERROR_NOT_SUPPORTED` for surfaces of compressed texels. It also returns
/// `CUDA_ERROR_NOT_SUPPORTED` for arrays that are not emulated.
pub fn check(one: &Array3dDescriptor) -> Result<Texel> {
    let rejected = Err(Code::ERROR_INVALID_VALUE);
    if one.width == 0 || one.flags & !(KNOWN_FLAGS | UNSUPPORTED_FLAGS) != 0 {
        return rejected;
    }
    // The set of video formats is not known here, so the format is not checked.
    if one.flags & CUDA_ARRAY3D_VIDEO_ENCODE_DECODE != 0 {
        return Err(warnings::missing_feature("an array for video"));
    }
    let texel = Texel::new(one.format, one.channels)?;
    let kind = kind(one)?;
    if texel.is_compressed() && matches!(kind, Kind::Line | Kind::LayeredLines) {
        return rejected;
    }
    if one.flags & UNSUPPORTED_FLAGS != 0 {
        return Err(warnings::missing_feature(
            "a sparse or deferred-mapping array",
        ));
    }
    let fits =
        is_within(one, kind.of_textures())? || kind == Kind::Volume && is_within(one, ALTERNATE)?;
    if !fits {
        return rejected;
    }
    if one.flags & CUDA_ARRAY3D_SURFACE_LDST != 0 {
        if texel.is_compressed() {
            return Err(Code::ERROR_NOT_SUPPORTED);
        }
        if !is_within(one, kind.of_surfaces())? {
            return rejected;
        }
    }
    if one.flags & CUDA_ARRAY3D_TEXTURE_GATHER != 0
        && (kind != Kind::Plane || !is_within(one, GATHER)?)
    {
        return rejected;
    }
    Ok(texel)
}

/// Checks the descriptor of a mipmapped array.
///
/// # Errors
/// Returns the errors of [`check`], and `CUDA_ERROR_INVALID_VALUE` if the lengths exceed the limits
/// of mipmapped arrays.
pub fn check_mipmapped(one: &Array3dDescriptor) -> Result<Texel> {
    let texel = check(one)?;
    let fits = match kind(one)? {
        Kind::Line => is_within(one, MIPMAPPED_LINE)?,
        Kind::Plane => is_within(one, MIPMAPPED_PLANE)?,
        _ => true,
    };
    if fits {
        Ok(texel)
    } else {
        Err(Code::ERROR_INVALID_VALUE)
    }
}

/// Checks the descriptor of a mipmapped array in imported memory. It may be a graphics color
/// attachment, but it must have memory.
///
/// # Errors
/// Returns the errors of [`check_mipmapped`], and `CUDA_ERROR_INVALID_VALUE` for flags of arrays
/// without memory.
pub fn check_imported(one: &Array3dDescriptor) -> Result<Texel> {
    let without_memory = CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING;
    if one.flags & without_memory != 0 {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    check_mipmapped(&Array3dDescriptor {
        flags: one.flags & !CUDA_ARRAY3D_COLOR_ATTACHMENT,
        ..*one
    })
}

/// Returns how many levels an H200 creates if `asked` are requested.
pub fn levels(one: &Array3dDescriptor, asked: u32) -> u32 {
    asked.clamp(1, most_levels(one))
}

/// Returns the number of levels down to a single texel.
fn most_levels(one: &Array3dDescriptor) -> u32 {
    let depth = if is_of_layers(one) { 0 } else { one.depth };
    1 + one.width.max(one.height).max(depth).max(1).ilog2()
}

fn is_of_layers(one: &Array3dDescriptor) -> bool {
    one.flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0
}

/// Returns the descriptor of a level.
pub fn level(one: &Array3dDescriptor, level: u32) -> Array3dDescriptor {
    let halved = |length: usize| match length {
        0 => 0,
        _ => (length >> level).max(1),
    };
    Array3dDescriptor {
        width: halved(one.width),
        height: halved(one.height),
        depth: if is_of_layers(one) {
            one.depth
        } else {
            halved(one.depth)
        },
        ..*one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(width: usize, height: usize, depth: usize, flags: u32) -> Array3dDescriptor {
        Array3dDescriptor {
            width,
            height,
            depth,
            format: CU_AD_FORMAT_FLOAT,
            channels: 1,
            flags,
        }
    }

    #[test]
    fn levels_halve_all_but_layers() {
        let lengths = |one: Array3dDescriptor| (one.width, one.height, one.depth);
        let volume = of(8, 5, 3, 0);
        assert_eq!(
            [0, 1, 4, 5, 99].map(|asked| levels(&volume, asked)),
            [1, 1, 4, 4, 4]
        );
        assert_eq!(lengths(level(&volume, 1)), (4, 2, 1));
        assert_eq!(lengths(level(&volume, 3)), (1, 1, 1));
        let layers = of(8, 4, 100, CUDA_ARRAY3D_LAYERED);
        assert_eq!(most_levels(&layers), 4);
        assert_eq!(lengths(level(&layers, 2)), (2, 1, 100));
        assert_eq!(lengths(level(&of(7, 0, 0, 0), 1)), (3, 0, 0));
    }

    #[test]
    fn kinds_follow_from_lengths_and_flags() {
        for (one, expected) in [
            (of(4, 0, 0, 0), Kind::Line),
            (of(4, 0, 3, CUDA_ARRAY3D_LAYERED), Kind::LayeredLines),
            (of(4, 4, 0, 0), Kind::Plane),
            (of(4, 4, 3, CUDA_ARRAY3D_LAYERED), Kind::LayeredPlanes),
            (of(4, 4, 3, 0), Kind::Volume),
            (of(4, 4, 6, CUDA_ARRAY3D_CUBEMAP), Kind::Cube),
            (
                of(4, 4, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED),
                Kind::LayeredCubes,
            ),
        ] {
            assert_eq!(kind(&one), Ok(expected), "{one:?}");
        }
        for one in [
            of(4, 0, 3, 0),
            of(4, 4, 0, CUDA_ARRAY3D_LAYERED),
            of(4, 3, 6, CUDA_ARRAY3D_CUBEMAP),
            of(4, 4, 12, CUDA_ARRAY3D_CUBEMAP),
            of(4, 4, 7, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED),
        ] {
            assert!(kind(&one).is_err(), "{one:?}");
        }
    }
}
