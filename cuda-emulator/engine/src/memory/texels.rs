//! Texels in memory, and filtering.

use crate::boundary::texture::{Level, Shape, Texels, Texture};
use crate::memory::transfer::Mem;
use crate::number::texture::channel::{Channel, linear};
use crate::number::texture::coordinate::{self, Pair, nearest, pair, weighed};
use crate::number::texture::{cube, filter};

/// The position on a level that a lane reads: the slice of its layer or face, and the coordinates.
pub(super) struct Spot {
    pub slice: u32,
    pub at: [f64; 3],
    pub axes: usize,
    pub normalized: bool,
}

/// Returns the bits of a channel in memory.
fn bits(address: u64, channel: Channel) -> u32 {
    // SAFETY: this is a channel of a live texel, aligned to its size.
    unsafe {
        match channel.bytes() {
            1 => u8::load(address).into(),
            2 => u16::load(address).into(),
            _ => u32::load(address),
        }
    }
}

/// Returns the bits of a texel's channels, with defaults for missing ones. `None` is the border.
fn texel(texture: &Texture, level: &Level, at: [Option<u32>; 3]) -> [u32; 4] {
    let Texels {
        channel, channels, ..
    } = texture.texels;
    let Some(raw) = raw(texture, level, at) else {
        return border(texture);
    };
    std::array::from_fn(|c| {
        if c < channels as usize {
            if is_srgb(texture, c) {
                linear(raw[c]).to_bits()
            } else {
                channel.read(raw[c])
            }
        } else {
            0
        }
    })
}

/// Returns whether a channel is sRGB: the first three of four, and the first of fewer.
fn is_srgb(texture: &Texture, c: usize) -> bool {
    let first = if texture.texels.channels == 4 { 3 } else { 1 };
    texture.sampler.srgb && texture.texels.channel == Channel::Unorm8 && c < first
}

/// Returns a texel's channels as stored in memory. `None` is the border.
fn raw(texture: &Texture, level: &Level, at: [Option<u32>; 3]) -> Option<[u32; 4]> {
    let [Some(x), Some(y), Some(z)] = at else {
        return None;
    };
    let channel = texture.texels.channel;
    let place = level.texel([x, y, z], texture.texels.bytes());
    let mut out = [0; 4];
    for (c, one) in out
        .iter_mut()
        .enumerate()
        .take(texture.texels.channels as usize)
    {
        *one = bits(place + c as u64 * channel.bytes(), channel);
    }
    Some(out)
}

/// Returns the border color as a texel. Missing channels are 0 there, too.
fn border(texture: &Texture) -> [u32; 4] {
    let Texels {
        channel, channels, ..
    } = texture.texels;
    std::array::from_fn(|c| match c < channels as usize {
        true => channel.read(channel.colour(texture.sampler.border[c])),
        false => 0,
    })
}

/// Returns the texel at integer coordinates, independent of the sampler. Zeros beyond the edges.
pub(super) fn numbered(texture: &Texture, spot: &Spot, numbers: [u32; 3]) -> [u32; 4] {
    let level = &texture.texels.levels[0];
    let mut at = [0, 0, spot.slice];
    at[..spot.axes].copy_from_slice(&numbers[..spot.axes]);
    // Unsigned, so negative coordinates are beyond the edges.
    match (0..3).all(|axis| at[axis] < level.size[axis]) {
        true => texel(texture, level, at.map(Some)),
        false => [0; 4],
    }
}

/// Returns the texel of a level that is nearest to a position.
fn nearest_texel(texture: &Texture, level: &Level, spot: &Spot) -> [Option<u32>; 3] {
    let sampler = &texture.sampler;
    let mut at = [Some(0), Some(0), Some(spot.slice)];
    for (axis, number) in at.iter_mut().enumerate().take(spot.axes) {
        *number = nearest(
            spot.at[axis],
            level.size[axis],
            spot.normalized,
            sampler.address[axis],
        );
    }
    at
}

/// A texel in a filter: its bits (`None` for the border), its weight, and whether it contributes at
/// all.
type Corner = (Option<[u32; 4]>, u32, bool);

/// The texels in a filter: four for each plane, and at most two planes on each of two levels.
struct Corners {
    all: [Corner; 16],
    count: usize,
}

impl Corners {
    const NONE: Corners = Corners {
        all: [(None, 0, false); 16],
        count: 0,
    };

    fn push(&mut self, corner: Corner) {
        self.all[self.count] = corner;
        self.count += 1;
    }

    fn all(&self) -> &[Corner] {
        &self.all[..self.count]
    }
}

/// Returns the texel that is nearest to a position on a level.
pub(super) fn at_nearest(texture: &Texture, level: &Level, spot: &Spot) -> [u32; 4] {
    texel(texture, level, nearest_texel(texture, level, spot))
}

/// Filters the texels around a position on levels, each with a weight. The weights add up to 256.
pub(super) fn filtered(texture: &Texture, levels: &[(&Level, u32)], spot: &Spot) -> [u32; 4] {
    let mut corners = Corners::NONE;
    for &(level, whole) in levels {
        take_corners(&mut corners, texture, level, spot, whole);
    }
    blend(texture, corners.all())
}

/// Adds the texels of a level around a position: four for each plane, with weights that add up to
/// `whole`.
fn take_corners(corners: &mut Corners, texture: &Texture, level: &Level, spot: &Spot, whole: u32) {
    let sampler = &texture.sampler;
    if !sampler.linear {
        let texel = raw(texture, level, nearest_texel(texture, level, spot));
        corners.push((texel, whole, true));
        // Planes have four texels.
        for _ in 1..4 {
            corners.push((texel, 0, false));
        }
        return;
    }
    if texture.texels.shape == Shape::Cube && sampler.seamless {
        return take_seamless(corners, texture, level, spot, whole);
    }
    let none = Pair {
        first: Some(0),
        second: Some(0),
        weight: 0,
    };
    let mut pairs = [none; 3];
    // A line is a plane of one row, read at its edge.
    if spot.axes == 1 && !texture.texels.layered {
        pairs[1] = weighed(0.0, 1, spot.normalized, sampler.address[1]);
    }
    for (axis, one) in pairs.iter_mut().enumerate().take(spot.axes) {
        *one = weighed(
            spot.at[axis],
            level.size[axis],
            spot.normalized,
            sampler.address[axis],
        );
    }
    if spot.axes < 3 {
        pairs[2].first = Some(spot.slice);
    }
    let weights = filter::weights(whole, pairs.map(|pair| pair.weight));
    let count = if spot.axes < 3 { 4 } else { 8 };
    for (corner, &weight) in weights.iter().enumerate().take(count) {
        let touched = touched(&pairs, corner);
        let at = std::array::from_fn(|axis| match corner >> axis & 1 {
            0 => pairs[axis].first,
            _ => pairs[axis].second,
        });
        // Texels that do not contribute are not read.
        let texel = if touched {
            raw(texture, level, at)
        } else {
            None
        };
        corners.push((texel, weight, touched));
    }
}

/// Like [`take_corners`], for a cube with seamless edges. At a corner, where three faces meet, the
/// three texels share the weight of the missing one.
fn take_seamless(corners: &mut Corners, texture: &Texture, level: &Level, spot: &Spot, whole: u32) {
    let n = level.size[0];
    let (of, first) = (spot.slice % 6, spot.slice - spot.slice % 6);
    let (x, right) = coordinate::beyond(spot.at[0], n, true);
    let (y, lower) = coordinate::beyond(spot.at[1], n, true);
    let mut weights = filter::weights(whole, [right, lower, 0]);
    let places: [_; 4] = std::array::from_fn(|corner| {
        let at = [x + (corner as i64 & 1), y + (corner as i64 >> 1)];
        cube::around(of, at, n)
    });
    if let Some(missing) = places.iter().position(Option::is_none) {
        filter::share(&mut weights, missing);
    }
    for (corner, place) in places.into_iter().enumerate() {
        let touched = (corner & 1 == 0 || right != 0) && (corner >> 1 == 0 || lower != 0);
        let counts = touched && place.is_some() || weights[corner] != 0;
        let texel = place
            .filter(|_| counts)
            .and_then(|(face, [x, y])| raw(texture, level, [Some(x), Some(y), Some(first + face)]));
        corners.push((texel, weights[corner], counts));
    }
}

/// Returns the weighted sum of texels.
fn blend(texture: &Texture, corners: &[Corner]) -> [u32; 4] {
    let sampler = &texture.sampler;
    let Texels {
        channel, channels, ..
    } = texture.texels;
    std::array::from_fn(|c| {
        if c >= channels as usize {
            return 0;
        }
        // sRGB bytes are halves after linearization.
        let srgb = is_srgb(texture, c);
        let of = |&(texel, weight, _): &Corner| {
            let bits = match texel {
                Some(raw) => raw[c],
                None => channel.colour(sampler.border[c]),
            };
            let part = match srgb {
                true => filter::part(Channel::F32, linear(bits).to_bits()),
                false => filter::part(channel, bits),
            };
            (part, weight)
        };
        let mut parts = [(filter::Part(0), 0); 16];
        for (part, corner) in parts.iter_mut().zip(corners) {
            *part = of(corner);
        }
        let parts = &parts[..corners.len()];
        match srgb {
            true => filter::srgb_sum(parts),
            false => filter::sum(channel, parts, |corner| corners[corner].2),
        }
    })
}

/// Returns whether a corner contributes at all.
fn touched(pairs: &[Pair; 3], corner: usize) -> bool {
    (0..3).all(|axis| corner >> axis & 1 == 0 || pairs[axis].weight != 0)
}

/// Returns a channel of the four texels around a position, in the order of `tld4`.
pub(super) fn gathered(texture: &Texture, component: u8, spot: &Spot) -> [u32; 4] {
    let sampler = &texture.sampler;
    let level = &texture.texels.levels[0];
    let along = |axis: usize| {
        pair(
            spot.at[axis],
            level.size[axis],
            spot.normalized,
            sampler.address[axis],
        )
    };
    let (x, y) = (along(0), along(1));
    [
        (x.first, y.second),
        (x.second, y.second),
        (x.second, y.first),
        (x.first, y.first),
    ]
    .map(|(x, y)| texel(texture, level, [x, y, Some(spot.slice)])[component as usize])
}

/// Returns a texel of linear memory by its index. Zeros beyond the last texel.
pub(super) fn element(texture: &Texture, index: u32) -> [u32; 4] {
    let level = &texture.texels.levels[0];
    match index < level.size[0] {
        true => texel(texture, level, [Some(index), Some(0), Some(0)]),
        false => [0; 4],
    }
}
