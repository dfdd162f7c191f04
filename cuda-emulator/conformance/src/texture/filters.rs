//! Rounding of coordinates, weights and sums: points close together, one axis at a time.

use super::{
    case::*,
    matrix::{array, case, name_of},
};

fn line(from: f32, step: f32, count: usize) -> Vec<f32> {
    (0..count).map(|i| from + i as f32 * step).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Adds cases with one texel of 1 among zeros, whose result is the weight of that texel.
fn weights(all: &mut Vec<Case>) {
    for (n, flags) in [
        (8, 0),
        (8, NORMALIZED),
        (10, NORMALIZED),
        (37, 0),
        (37, NORMALIZED),
        (4096, 0),
        (4096, NORMALIZED),
        (30_000, 0),
        (30_001, NORMALIZED),
    ] {
        let size = n as f32;
        for texel in [1, n / 2, n - 2] {
            for (step, count) in [(1.0 / 2048.0, 800), (1.0 / 65536.0, 600)] {
                let texels = array(F32, 1, [n, 0, 0], 0, Fill::One(texel, 0, 0));
                let scale = if flags == 0 { 1.0 } else { size };
                let at: Vec<f32> = line(texel as f32 - 0.01, step, count)
                    .iter()
                    .map(|x| x / scale)
                    .collect();
                let sampler = Sampler::new(CLAMP, 1, flags);
                let name = format!("weight {n} flags {flags} texel {texel} step {}", 1.0 / step);
                all.push(case(
                    name,
                    texels.clone(),
                    sampler,
                    "tex.1d.v4.f32.f32",
                    bits(&at),
                ));
                if step < 0.0001 {
                    // The nearest texel, at points where it changes.
                    let sampler = Sampler::new(CLAMP, 0, flags);
                    let name = format!("nearest {n} flags {flags} texel {texel}");
                    let at: Vec<f32> = line(texel as f32 - 300.0 * step / 4.0, step / 4.0, count)
                        .iter()
                        .map(|x| x / scale)
                        .collect();
                    all.push(case(name, texels, sampler, "tex.1d.v4.f32.f32", bits(&at)));
                }
            }
        }
    }
    // Coordinates near a rounding threshold of the weights.
    for n in [
        3, 5, 6, 7, 11, 13, 15, 17, 20, 24, 31, 33, 37, 63, 65, 100, 255, 257, 1000, 1023, 4097,
        16_383, 20_001,
    ] {
        for address in [CLAMP, WRAP, MIRROR] {
            let texels = array(F32, 1, [n, 0, 0], 0, Fill::Bits(bits(&line(1.0, 1.0, n))));
            let mut random = Random::new(n as u64);
            let mut at = Vec::new();
            for i in 0..128 {
                let tie = random.below(256 * n) as f64 + 0.5;
                let period = if address == CLAMP {
                    0.0
                } else {
                    f64::from(random.below(4) as u32) - 2.0
                };
                let nearby = (tie / (256 * n) as f64 + period) as f32;
                for step in -2..3i32 {
                    at.push((nearby.to_bits() as i32 + step) as u32);
                }
                if i % 4 == 0 {
                    // Halves in the fixed point to which coordinates are converted.
                    at.push(((random.below(1 << 22) as f32 + 0.5) / (1 << 22) as f32).to_bits());
                }
            }
            let sampler = Sampler::new(address, 1, NORMALIZED);
            all.push(case(
                format!("tie {n} address {address}"),
                texels,
                sampler,
                "tex.1d.v4.f32.f32",
                at,
            ));
        }
    }
    // The address mode folds the coordinate before or after it is rounded.
    for address in [WRAP, MIRROR, CLAMP, BORDER] {
        for n in [8, 10] {
            for around in [-1.0f32, 0.0, 1.0, 2.0, 5.0, -3.0, 1000.0] {
                let texels = array(F32, 1, [n, 0, 0], 0, Fill::Bits(bits(&line(1.0, 1.0, n))));
                let mut sampler = Sampler::new(address, 1, NORMALIZED);
                sampler.border = [100.0; 4];
                let at = bits(&line(around - 0.07, 0.14 / 160.0, 160));
                let name = format!("fold {n} address {address} around {around}");
                all.push(case(
                    name,
                    texels.clone(),
                    sampler,
                    "tex.1d.v4.f32.f32",
                    at.clone(),
                ));
                sampler.filter = 0;
                all.push(case(
                    name_of(F32)
                        + " point "
                        + &format!("fold {n} address {address} around {around}"),
                    texels,
                    sampler,
                    "tex.1d.v4.f32.f32",
                    at,
                ));
            }
        }
    }
    // The four and eight corners.
    for (size, corners) in [([2, 2, 0], 4), ([2, 2, 2], 8)] {
        for corner in 0..corners {
            for format in [F32, U8, U16, F16, S8] {
                let fill = Fill::One(corner & 1, corner >> 1 & 1, corner >> 2);
                let texels = array(format, 1, size, 0, fill);
                let mut random = Random::new(corner as u64 / 8 + 3);
                let mut at = Vec::new();
                for i in 0..400 {
                    for _ in 0..if corners == 4 { 2 } else { 3 } {
                        let part = if i < 300 {
                            random.below(257) as f32 / 256.0
                        } else {
                            random.unit()
                        };
                        at.push((0.5 + part).to_bits());
                    }
                }
                let op = if corners == 4 {
                    "tex.2d.v4.f32.f32"
                } else {
                    "tex.3d.v4.f32.f32"
                };
                let name = format!("corner {corner} of {corners} {}", name_of(format));
                all.push(case(name, texels, Sampler::new(CLAMP, 1, 0), op, at));
            }
        }
    }
}

/// Adds cases with sums of texels of all magnitudes.
fn sums(all: &mut Vec<Case>) {
    /// A format, flags, and the contents of texels.
    type Kind = (u32, u32, fn(u32) -> Fill);
    let kinds: [Kind; 14] = [
        (F32, 0, Fill::Random),
        (F32, 0, Fill::Wild),
        (F32, 0, Fill::Special),
        (F16, 0, Fill::Random),
        (F16, 0, Fill::Wild),
        (F16, 0, Fill::Special),
        (U8, 0, Fill::Random),
        (S8, 0, Fill::Random),
        (U16, 0, Fill::Random),
        (S16, 0, Fill::Random),
        (U8, SRGB, Fill::Random),
        (0xc2, 0, Fill::Random),
        (0xc8, 0, Fill::Random),
        (0xc5, 0, Fill::Random),
    ];
    for (i, (format, flags, fill)) in kinds.into_iter().enumerate() {
        for (axes, size) in [(1, [64, 0, 0]), (2, [16, 16, 0]), (3, [8, 8, 8])] {
            for seed in [1u32, 2] {
                let mut random = Random::new(u64::from(seed) + 40);
                let texels = array(format, 4, size, 0, fill(seed));
                let mut at = Vec::new();
                for i in 0..400 {
                    for axis in size.iter().take(axes) {
                        let part = if i < 300 {
                            random.below(256) as f32 / 256.0
                        } else {
                            random.unit()
                        };
                        at.push((random.below(axis - 1) as f32 + 0.5 + part).to_bits());
                    }
                }
                let op = format!("tex.{axes}d.v4.f32.f32");
                let name = format!("sum {i} {} {axes}d seed {seed}", name_of(format));
                all.push(case(name, texels, Sampler::new(CLAMP, 1, flags), &op, at));
            }
        }
    }
    // Two texels and all weights, with increasing distance until one is lost.
    for (a, b) in [
        (1.0f32, 0.0f32),
        (0.0, 1.0),
        (1.0, 1.0),
        (1.0, -1.0),
        (1.0, 3.0),
        (1.0 / 3.0, 1.0 / 3.0),
        (1e-3, 1e3),
        (1.0, 1e-6),
        (1e-6, 1.0),
        (1.0, 1e-7),
        (1e-7, 1.0),
        (3e38, 3e38),
        (1e-38, 1e-38),
        (1e-40, 3e-40),
        (16_777_215.0, 16_777_213.0),
        (1.999_999_9, -1.999_999_9),
    ] {
        let texels = array(
            F32,
            1,
            [2, 0, 0],
            0,
            Fill::Bits(vec![a.to_bits(), b.to_bits()]),
        );
        let at = bits(&line(0.5, 1.0 / 256.0, 257));
        let name = format!("pair {a:e} {b:e}");
        all.push(case(
            name,
            texels,
            Sampler::new(CLAMP, 1, 0),
            "tex.1d.v4.f32.f32",
            at,
        ));
    }
    for (format, a, b) in [
        (U8, 0, 255),
        (U8, 255, 0),
        (U8, 255, 255),
        (U8, 254, 1),
        (U8, 3, 4),
        (S8, 127, 129),
        (S8, 128, 128),
        (S8, 1, 2),
        (U16, 65535, 0),
        (U16, 65535, 65535),
        (U16, 1, 2),
        (S16, 32767, 32768),
        (S16, 1, 0xffff),
        (F16, 0x3c00, 0),
        (F16, 0x0001, 0x0003),
        (F16, 0x7bff, 0xfbff),
        (F16, 0x3c01, 0x3c00),
    ] {
        let texels = array(format, 1, [2, 0, 0], 0, Fill::Bits(vec![a, b]));
        let at = bits(&line(0.5, 1.0 / 256.0, 257));
        let name = format!("pair {} {a} {b}", name_of(format));
        all.push(case(
            name,
            texels,
            Sampler::new(CLAMP, 1, 0),
            "tex.1d.v4.f32.f32",
            at,
        ));
    }
    // All values of a byte or a half, and many of the wider types.
    for (format, count) in [(U8, 256), (S8, 256), (U16, 4096), (S16, 4096), (F16, 4096)] {
        let values = (0..count as u32)
            .map(|i| i * (if count == 256 { 1 } else { 16 }) + i % 13)
            .collect();
        let texels = array(format, 1, [count, 0, 0], 0, Fill::Bits(values));
        for filter in [0, 1] {
            let at = bits(&line(0.5, 1.0, count));
            let name = format!("values {} filter {filter}", name_of(format));
            all.push(case(
                name,
                texels.clone(),
                Sampler::new(CLAMP, filter, 0),
                "tex.1d.v4.f32.f32",
                at,
            ));
        }
    }
}

pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    weights(&mut all);
    sums(&mut all);
    all
}
