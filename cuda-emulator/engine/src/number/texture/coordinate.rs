//! From a coordinate to texels along one axis, as an H200 does it.
//!
//! A normalised coordinate becomes fixed point with 21 bits of fraction, cut off, and is multiplied by the number of
//! texels. For filters the result is rounded to 8 bits of fraction, ties upwards; the nearest texel has the number below.

/// What lies beyond the edges.
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

/// Bits of fraction of a texel's number.
const FRACTION: u32 = 8;
/// Bits of fraction of a normalised coordinate: one more along many texels. (Where that begins lies between 4097 texels
/// and 16383.)
const fn normalised_bits(count: u32) -> u32 {
    if count <= 8192 { 21 } else { 22 }
}

/// Two texels next to each other, and how much the second one counts, in 256ths. `None` is the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub first: Option<u32>,
    pub second: Option<u32>,
    pub weight: u32,
}

/// The texel with a number that may lie beyond the edges.
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

/// A coordinate as fixed point; far outside only the side counts.
fn fixed(coordinate: f64, bits: u32, round: impl Fn(f64) -> f64) -> i64 {
    const FAR: f64 = (1i64 << 58) as f64;
    if coordinate.is_nan() {
        return 0;
    }
    let scaled = coordinate * f64::from(1u32 << bits);
    round(scaled).clamp(-FAR, FAR) as i64
}

/// The number of a texel, before the edges are looked at, with `bits` of fraction; `up` is added before the rest is cut
/// off.
fn number(coordinate: f64, count: u32, normalised: bool, bits: u32, up: f64) -> i64 {
    if !normalised {
        return fixed(coordinate, bits, |scaled| (scaled + up).floor());
    }
    let own = normalised_bits(count);
    let part = fixed(coordinate, own, f64::floor);
    let product = (i128::from(part) * i128::from(count)) << bits;
    let up = (up * f64::from(1u32 << own)) as i128;
    ((product + up) >> own) as i64
}

/// The nearest texel.
pub(crate) fn nearest(
    coordinate: f64,
    count: u32,
    normalised: bool,
    address: Address,
) -> Option<u32> {
    fold(
        number(coordinate, count, normalised, 0, 0.0),
        count,
        address,
    )
}

/// The texels on both sides.
pub(crate) fn pair(coordinate: f64, count: u32, normalised: bool, address: Address) -> Pair {
    let (number, weight) = beyond(coordinate, count, normalised);
    Pair {
        first: fold(number, count, address),
        second: fold(number + 1, count, address),
        weight,
    }
}

/// The number of the first texel, whatever the edges are, and how much the second one counts.
pub(crate) fn beyond(coordinate: f64, count: u32, normalised: bool) -> (i64, u32) {
    let at = number(coordinate, count, normalised, FRACTION, 0.5) - (1 << (FRACTION - 1));
    (at >> FRACTION, (at & ((1 << FRACTION) - 1)) as u32)
}

/// The same for a filter: where coordinates are clamped, the outermost texel counts alone beyond its middle.
pub(crate) fn weighed(coordinate: f64, count: u32, normalised: bool, address: Address) -> Pair {
    let mut pair = pair(coordinate, count, normalised, address);
    if address == Address::Clamp && pair.first == pair.second {
        pair.weight = 0;
    }
    pair
}

/// The layer that an index names; it has no sign: one below the first is beyond the last.
pub(crate) fn layer(index: u32, count: u32) -> u32 {
    index.min(count - 1)
}
