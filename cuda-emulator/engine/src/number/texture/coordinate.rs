//! Conversion of a coordinate to texels along one axis, as on an H200.
//!
//! A normalized coordinate is truncated to fixed point with 21 fraction bits and multiplied by the
//! number of texels. For filtering, the result is rounded to 8 fraction bits, ties upwards. For the
//! nearest texel, it is rounded down.

/// The handling of coordinates beyond the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// Coordinates wrap around.
    Wrap,
    /// Coordinates are clamped to the edge.
    Clamp,
    /// The texture is mirrored at each edge.
    Mirror,
    /// Texels outside have the border value.
    Border,
}

/// Fraction bits of a texel index.
const FRACTION: u32 = 8;
/// Returns the fraction bits of a normalized coordinate. There is one more along many texels. The
/// threshold is between 4097 and 16383 texels.
const fn normalized_bits(count: u32) -> u32 {
    if count <= 8192 { 21 } else { 22 }
}

/// Two adjacent texels, and the weight of the second one in 256ths. `None` is the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub first: Option<u32>,
    pub second: Option<u32>,
    pub weight: u32,
}

/// Returns the texel for an index that may be beyond the edges.
fn fold(number: i64, count: u32, address: Address) -> Option<u32> {
    let n = i64::from(count);
    match address {
        Address::Wrap => Some(number.rem_euclid(n) as u32),
        Address::Clamp => Some(number.clamp(0, n - 1) as u32),
        Address::Mirror => {
            let within = number.rem_euclid(2 * n);
            Some(within.min(2 * n - 1 - within) as u32)
        }
        Address::Border => (0..n).contains(&number).then_some(number as u32),
    }
}

/// Converts a coordinate to fixed point. Far outside, only the side matters.
fn fixed(coordinate: f64, bits: u32, round: impl Fn(f64) -> f64) -> i64 {
    const FAR: f64 = (1i64 << 58) as f64;
    if coordinate.is_nan() {
        return 0;
    }
    let scaled = coordinate * f64::from(1u32 << bits);
    round(scaled).clamp(-FAR, FAR) as i64
}

/// Returns a texel index before the edges are handled, with `bits` fraction bits. `up` is added
/// before the rest is truncated.
fn number(coordinate: f64, count: u32, normalized: bool, bits: u32, up: f64) -> i64 {
    if !normalized {
        return fixed(coordinate, bits, |scaled| (scaled + up).floor());
    }
    let own = normalized_bits(count);
    let part = fixed(coordinate, own, f64::floor);
    let product = (i128::from(part) * i128::from(count)) << bits;
    let up = (up * f64::from(1u32 << own)) as i128;
    ((product + up) >> own) as i64
}

/// Returns the nearest texel.
pub(crate) fn nearest(
    coordinate: f64,
    count: u32,
    normalized: bool,
    address: Address,
) -> Option<u32> {
    fold(
        number(coordinate, count, normalized, 0, 0.0),
        count,
        address,
    )
}

/// Returns the texels on both sides.
pub(crate) fn pair(coordinate: f64, count: u32, normalized: bool, address: Address) -> Pair {
    let (number, weight) = beyond(coordinate, count, normalized);
    Pair {
        first: fold(number, count, address),
        second: fold(number + 1, count, address),
        weight,
    }
}

/// Returns the index of the first texel, independent of the edges, and the weight of the second
/// one.
pub(crate) fn beyond(coordinate: f64, count: u32, normalized: bool) -> (i64, u32) {
    let at = number(coordinate, count, normalized, FRACTION, 0.5) - (1 << (FRACTION - 1));
    (at >> FRACTION, (at & ((1 << FRACTION) - 1)) as u32)
}

/// Like [`pair`], with the weights for filtering. With clamped coordinates, the outermost texel has
/// the whole weight beyond its middle.
pub(crate) fn weighed(coordinate: f64, count: u32, normalized: bool, address: Address) -> Pair {
    let mut pair = pair(coordinate, count, normalized, address);
    if address == Address::Clamp && pair.first == pair.second {
        pair.weight = 0;
    }
    pair
}

/// Returns the layer of an index. The index is unsigned, so one below the first is beyond the last.
pub(crate) fn layer(index: u32, count: u32) -> u32 {
    index.min(count - 1)
}
