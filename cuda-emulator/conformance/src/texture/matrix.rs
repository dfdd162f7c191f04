//! Every format, dimension, address mode, filter mode and form of an instruction.

use super::{case::*, points::points};

/// Returns the texels of an array.
pub fn array(format: u32, channels: u32, size: [usize; 3], flags: u32, fill: Fill) -> Texels {
    Texels {
        place: Place::Array,
        format,
        channels,
        size,
        flags,
        levels: 1,
        pitch: 0,
        offset: 0,
        fill,
    }
}

pub fn case(name: String, texels: Texels, sampler: Sampler, op: &str, points: Vec<u32>) -> Case {
    Case {
        name,
        texels,
        sampler,
        view: None,
        op: op.into(),
        points,
        alone: false,
    }
}

pub const NAMES: [(u32, &str); 8] = [
    (U8, "u8"),
    (S8, "s8"),
    (U16, "u16"),
    (S16, "s16"),
    (U32, "u32"),
    (S32, "s32"),
    (F16, "f16"),
    (F32, "f32"),
];

pub fn name_of(format: u32) -> String {
    let known = NAMES.iter().find(|(f, _)| *f == format);
    known.map_or(format!("{format:#x}"), |(_, name)| (*name).into())
}

/// Returns the result type of a texture with these flags: floats, or integers with the format's
/// sign.
pub fn result(format: u32, flags: u32) -> &'static str {
    match format {
        F16 | F32 => "f32",
        U32 => "u32",
        S32 => "s32",
        S8 | S16 if flags & INTEGER != 0 => "s32",
        _ if format < 0xc0 && flags & INTEGER != 0 => "u32",
        _ => "f32",
    }
}

/// The geometries of PTX, with the size and flags of an array for each.
pub const GEOMETRIES: [(&str, [usize; 3], u32); 7] = [
    ("1d", [13, 0, 0], 0),
    ("2d", [13, 6, 0], 0),
    ("3d", [8, 5, 6], 0),
    ("a1d", [13, 0, 3], LAYERED),
    ("a2d", [13, 6, 3], LAYERED),
    ("cube", [8, 8, 6], CUBE),
    ("acube", [8, 8, 12], CUBE | LAYERED),
];

/// Returns points for a geometry, with layers or directions if it has them.
pub fn points_of(
    geometry: &str,
    size: [usize; 3],
    normalized: bool,
    count: usize,
    seed: u64,
) -> Vec<Vec<u32>> {
    let mut random = Random::new(seed + 5);
    let layers = if geometry == "acube" {
        size[2] / 6
    } else {
        size[2]
    };
    let mut all = match geometry {
        "1d" | "a1d" => points(&size[..1], normalized, count, seed),
        "2d" | "a2d" => points(&size[..2], normalized, count, seed),
        "3d" => points(&size, normalized, count, seed),
        _ => (0..count)
            .map(|_| direction(&mut random, size[0]))
            .collect(),
    };
    if geometry.starts_with('a') {
        for point in &mut all {
            let layer = match random.below(10) {
                0 => -1,
                1 => layers as i32,
                2 => i32::MAX,
                _ => random.below(layers) as i32,
            };
            point.insert(0, layer as u32);
        }
    }
    all
}

/// Returns a direction to a cube: through a face's middle, its edges and corners, or anywhere.
fn direction(random: &mut Random, n: usize) -> Vec<u32> {
    let size = n as f32;
    let mut part = |major: bool| match random.below(8) {
        _ if major => 1.0,
        0 => 1.0,
        1 => 0.0,
        2 => -0.0,
        3 => 1.0 - 1.0 / size,
        4 => (random.below(2 * n) as f32 + 0.5) / size - 1.0,
        5 => random.below(2 * n) as f32 / size - 1.0,
        _ => random.unit() * 2.0 - 1.0,
    };
    let mut parts = [part(true), part(false), part(false)];
    parts.rotate_left(random.below(3));
    let scale = [1.0, 3.0, 0.1, 1e-3][random.below(4)];
    let special = [
        0.0,
        -0.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e30,
        1e-40,
    ];
    parts
        .map(|value| {
            let value = if random.below(60) == 0 {
                special[random.below(7)]
            } else {
                value
            };
            let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
            (value * scale * sign).to_bits()
        })
        .to_vec()
}

/// Adds each format and number of channels at points of a plane, unconverted and normalized to
/// 0..1.
fn formats(all: &mut Vec<Case>) {
    let others = (0xc0..=0xcb).map(|format| (format, ""));
    for (format, _) in NAMES.into_iter().chain(others) {
        let name = name_of(format);
        for channels in [1, 2, 4] {
            if format >= 0xc0 && 1 << ((format - 0xc0) % 3) != channels {
                continue;
            }
            for (flags, reading) in [(0, "numbers"), (INTEGER, "integers")] {
                for (filter, filtering) in [(0, "point"), (1, "linear")] {
                    for fill in [Fill::Random(format), Fill::Special(format)] {
                        if matches!(fill, Fill::Special(_))
                            && (!matches!(format, F16 | F32) || flags != 0)
                        {
                            continue;
                        }
                        let special = if matches!(fill, Fill::Special(_)) {
                            " special"
                        } else {
                            ""
                        };
                        let texels = array(format, channels, [13, 6, 0], 0, fill);
                        let sampler = Sampler::new(CLAMP, filter, flags);
                        let op = format!("tex.2d.v4.{}.f32", result(format, flags));
                        let name =
                            format!("format {name}x{channels} {reading} {filtering}{special}");
                        let points = points(&[13, 6], false, 96, u64::from(format)).concat();
                        all.push(case(name, texels, sampler, &op, points));
                    }
                }
            }
        }
    }
    // sRGB, all bytes.
    for channels in [1, 2, 4] {
        for filter in [0, 1] {
            let fill = Fill::Bits((0..256).collect());
            let texels = array(U8, channels, [64, 4, 0], 0, fill);
            let sampler = Sampler::new(CLAMP, filter, SRGB);
            let mut at: Vec<Vec<u32>> = Vec::new();
            for i in 0..256 {
                let shift = if filter == 0 {
                    0.5
                } else {
                    0.5 + (i * 7 % 32) as f32 / 32.0
                };
                let (x, y) = ((i % 64) as f32 + shift, (i / 64) as f32 + shift);
                at.push(vec![x.to_bits(), y.to_bits()]);
            }
            let name = format!("format u8x{channels} srgb filter {filter}");
            all.push(case(
                name,
                texels,
                sampler,
                "tex.2d.v4.f32.f32",
                at.concat(),
            ));
        }
    }
}

/// Adds each dimension with each address mode.
fn addresses(all: &mut Vec<Case>) {
    for (geometry, size, kind) in GEOMETRIES {
        for (format, channels, flags) in [(U8, 4, 0), (F32, 1, 0), (F32, 4, 0), (S16, 2, INTEGER)] {
            for normal in [0, NORMALIZED] {
                for filter in 0..=u32::from(flags == 0) {
                    for (address, addressing) in
                        ["wrap", "clamp", "mirror", "border"].iter().enumerate()
                    {
                        let mut sampler = Sampler::new(address as u32, filter, flags | normal);
                        sampler.border = [0.25, -0.5, 0.75, 1.0];
                        let texels = array(format, channels, size, kind, Fill::Random(7));
                        let op = format!("tex.{geometry}.v4.{}.f32", result(format, flags));
                        let name = format!(
                            "address {geometry} {}x{channels} {addressing} filter {filter} normalised {}",
                            name_of(format),
                            normal / NORMALIZED
                        );
                        let count = if channels == 1 { 256 } else { 96 };
                        let points = points_of(geometry, size, normal != 0, count, address as u64);
                        all.push(case(name, texels, sampler, &op, points.concat()));
                    }
                }
            }
        }
    }
    // Different modes of the axes.
    for modes in [[0, 1, 2], [3, 2, 1], [1, 0, 3], [2, 3, 0]] {
        for filter in [0, 1] {
            let mut sampler = Sampler::new(0, filter, NORMALIZED);
            sampler.address = modes;
            sampler.border = [1.0, 2.0, 3.0, 4.0];
            let size = [7, 5, 4];
            let texels = array(F32, 2, size, 0, Fill::Random(3));
            let points = points(&size, true, 192, 9).concat();
            let name = format!("address mixed {modes:?} filter {filter}");
            all.push(case(name, texels, sampler, "tex.3d.v4.f32.f32", points));
        }
    }
    // Borders of every format.
    for (format, name) in NAMES {
        for flags in [0, INTEGER] {
            let words = [
                [0.25, -0.5, 2.0, -3.0],
                [1.0, 0.0, 300.7, 70000.5],
                [1e10, -1e10, f32::NAN, f32::INFINITY],
            ];
            let ints = [5u32, 0xffff_fffe, 0x8000_0000, 70_000].map(f32::from_bits);
            for (i, border) in words.into_iter().chain([ints]).enumerate() {
                let mut sampler = Sampler::new(BORDER, 0, flags);
                sampler.border = border;
                for channels in [1, 4] {
                    let texels = array(format, channels, [4, 4, 0], 0, Fill::Random(3));
                    let points = [-1.0f32, -1.0, 0.5, 0.5].map(f32::to_bits).to_vec();
                    let op = format!("tex.2d.v4.{}.f32", result(format, flags));
                    let name = format!("border {name}x{channels} flags {flags} colour {i}");
                    all.push(case(name, texels, sampler, &op, points));
                    if i < 3 && flags == 0 && !matches!(format, U32 | S32) {
                        let mut sampler = sampler;
                        sampler.filter = 1;
                        let texels = array(format, channels, [4, 4, 0], 0, Fill::Random(3));
                        let points: Vec<u32> = (0..24)
                            .flat_map(|i| [(i as f32 / 8.0 - 1.0).to_bits(), 0x4000_0000])
                            .collect();
                        let name =
                            format!("border linear {}x{channels} colour {i}", name_of(format));
                        all.push(case(name, texels, sampler, &op, points));
                    }
                }
            }
        }
    }
}

/// Adds linear and pitched memory.
fn memory(all: &mut Vec<Case>) {
    for (format, name) in NAMES {
        for channels in [1, 2, 4] {
            for flags in [0, INTEGER] {
                let mut texels = array(format, channels, [37, 0, 0], 0, Fill::Random(2));
                texels.place = Place::Linear;
                let at = [
                    -5,
                    -1,
                    0,
                    1,
                    2,
                    17,
                    35,
                    36,
                    37,
                    38,
                    63,
                    64,
                    1000,
                    i32::MAX,
                    i32::MIN,
                ];
                let at = at.iter().map(|&x: &i32| x as u32).collect();
                let op = format!("tex.1d.v4.{}.s32", result(format, flags));
                let sampler = Sampler::new(CLAMP, 0, flags);
                all.push(case(
                    format!("linear {name}x{channels} flags {flags}"),
                    texels.clone(),
                    sampler,
                    &op,
                    at,
                ));
                for filter in 0..=u32::from(flags == 0 && channels != 2) {
                    texels.place = Place::Pitch;
                    texels.size = [13, 6, 0];
                    texels.pitch = 256;
                    let op = format!("tex.2d.v4.{}.f32", result(format, flags));
                    let sampler = Sampler::new(CLAMP, filter, flags);
                    let points = points(&[13, 6], false, 64, 4).concat();
                    let name = format!("pitch {name}x{channels} flags {flags} filter {filter}");
                    all.push(case(name, texels.clone(), sampler, &op, points));
                }
            }
        }
    }
    for (address, addressing) in ["wrap", "clamp", "mirror", "border"].iter().enumerate() {
        for flags in [0, NORMALIZED] {
            for filter in [0, 1] {
                let mut sampler = Sampler::new(address as u32, filter, flags);
                sampler.border = [9.0; 4];
                let mut texels = array(F32, 1, [37, 0, 0], 0, Fill::Random(2));
                texels.place = Place::Linear;
                let at = [-5, -1, 0, 1, 2, 36, 37, 38, 64]
                    .iter()
                    .map(|&x: &i32| x as u32)
                    .collect();
                let rest = format!("{addressing} flags {flags} filter {filter}");
                all.push(case(
                    format!("linear {rest}"),
                    texels.clone(),
                    sampler,
                    "tex.1d.v4.f32.s32",
                    at,
                ));
                let at = points(&[37], flags != 0, 0, 3).concat();
                all.push(case(
                    format!("linear floats {rest}"),
                    texels.clone(),
                    sampler,
                    "tex.1d.v4.f32.f32",
                    at,
                ));
                texels.place = Place::Pitch;
                texels.size = [13, 6, 0];
                texels.pitch = 64;
                let points = points(&[13, 6], flags != 0, 128, 4).concat();
                all.push(case(
                    format!("pitch {rest}"),
                    texels,
                    sampler,
                    "tex.2d.v4.f32.f32",
                    points,
                ));
            }
        }
    }
}

/// Adds every instruction form that CUDA's functions compile to, on textures with levels.
fn forms(all: &mut Vec<Case>) {
    for (geometry, size, kind) in GEOMETRIES {
        for (format, kind_of, channels) in [(F32, "f32", 4), (U32, "u32", 2), (S32, "s32", 1)] {
            for form in ["", "level.", "grad."] {
                for filter in 0..=u32::from(format == F32) {
                    for to in ["", "|p"] {
                        if to == "|p" && !matches!(geometry, "2d" | "3d" | "a2d") {
                            continue;
                        }
                        let size = size.map(|n| n * if kind == 0 { 4 } else { 1 });
                        let mut texels = array(format, channels, size, kind, Fill::Random(9));
                        texels.place = Place::Mipmapped;
                        texels.levels = if kind == 0 { 4 } else { 3 };
                        let mut sampler = Sampler::new(CLAMP, filter, NORMALIZED);
                        sampler.mip_filter = filter;
                        sampler.most = 100.0;
                        let mut random = Random::new(6);
                        let mut words = Vec::new();
                        for point in points_of(geometry, size, true, 48, 6).into_iter().take(48) {
                            words.extend(&point);
                            let axes = match geometry {
                                "1d" | "a1d" => 1,
                                "2d" | "a2d" => 2,
                                _ => 3,
                            };
                            match form {
                                "level." => words.push((random.unit() * 5.0 - 0.5).to_bits()),
                                "grad." => {
                                    for _ in 0..2 * axes {
                                        let scale = 1.0 / (1 << random.below(6)) as f32;
                                        words.push(((random.unit() - 0.5) * scale).to_bits());
                                    }
                                }
                                _ => {}
                            }
                        }
                        let op = format!("tex.{form}{geometry}.v4.{kind_of}.f32{to}");
                        all.push(case(
                            format!("form {op} filter {filter}"),
                            texels,
                            sampler,
                            &op,
                            words,
                        ));
                    }
                }
            }
        }
    }
    for (format, kind_of) in [
        (F32, "f32"),
        (U32, "u32"),
        (S32, "s32"),
        (U8, "f32"),
        (U8, "u32"),
        (F16, "f32"),
        (S16, "f32"),
    ] {
        let flags = if kind_of == "f32" { 0 } else { INTEGER };
        for component in ["r", "g", "b", "a"] {
            for to in ["", "|p"] {
                for (address, channels) in [(0, 4), (1, 4), (2, 4), (3, 4), (1, 2), (1, 1)] {
                    for normal in [0, NORMALIZED] {
                        for filter in 0..=u32::from(kind_of == "f32" && normal == 0) {
                            if (to == "|p" || format == S16) && address != 1 {
                                continue;
                            }
                            let texels =
                                array(format, channels, [13, 6, 0], GATHER, Fill::Random(9));
                            let mut sampler = Sampler::new(address, filter, flags | normal);
                            sampler.border = [0.25, 0.5, 2.0, -3.0];
                            let op = format!("tld4.{component}.2d.v4.{kind_of}.f32{to}");
                            let name = format!(
                                "gather {op} {}x{channels} address {address} filter {filter} normalised {}",
                                name_of(format),
                                normal / 2
                            );
                            let count = if component == "r" && format == F32 {
                                200
                            } else {
                                24
                            };
                            let points = points(&[13, 6], normal != 0, count, 8).concat();
                            all.push(case(name, texels, sampler, &op, points));
                        }
                    }
                }
            }
        }
    }
    // Integer coordinates, and result types that CUDA's functions do not use.
    let texels = array(F32, 4, [13, 6, 0], 0, Fill::Random(9));
    let at: Vec<u32> = (0..32)
        .flat_map(|i: i32| [(i % 17 - 2) as u32, (i % 11 - 2) as u32])
        .collect();
    let op = "tex.2d.v4.f32.s32";
    let sampler = Sampler::new(CLAMP, 1, 0);
    all.push(case(
        format!("form {op}"),
        texels.clone(),
        sampler,
        op,
        at.clone(),
    ));
    for op in ["tex.2d.v4.u32.f32", "tex.2d.v4.s32.f32"] {
        let points = points(&[13, 6], false, 24, 8).concat();
        let sampler = Sampler::new(CLAMP, 1, 0);
        all.push(case(
            format!("mixed f32 {op}"),
            texels.clone(),
            sampler,
            op,
            points.clone(),
        ));
        for format in [U8, S8, F16, U32] {
            let texels = array(format, 4, [13, 6, 0], 0, Fill::Random(9));
            let sampler = Sampler::new(CLAMP, 0, if format == F16 { 0 } else { INTEGER });
            for op in [op, "tex.2d.v4.f32.f32"] {
                let name = format!("mixed {} {op}", name_of(format));
                all.push(case(name, texels.clone(), sampler, op, points.clone()));
            }
        }
    }
    // An H200's driver loads no modules with other queries.
    for query in ["width", "height", "depth"] {
        for (geometry, size, kind) in GEOMETRIES {
            let texels = array(F32, 2, size, kind, Fill::Level);
            let sampler = Sampler::new(CLAMP, 1, NORMALIZED);
            let op = format!("txq.{query}.b32");
            all.push(case(
                format!("query {op} {geometry}"),
                texels.clone(),
                sampler,
                &op,
                vec![0],
            ));
            let mut texels = texels;
            texels.flags |= STORE;
            let op = format!("suq.{query}.b32");
            all.push(case(
                format!("query {op} {geometry}"),
                texels,
                sampler,
                &op,
                vec![0],
            ));
        }
    }
    for op in [
        "txq.level.width.b32",
        "txq.level.height.b32",
        "istypep.texref",
        "istypep.samplerref",
        "istypep.surfref",
    ] {
        let mut texels = array(F32, 2, [64, 32, 0], 0, Fill::Level);
        texels.place = Place::Mipmapped;
        texels.levels = 4;
        let sampler = Sampler::new(CLAMP, 1, NORMALIZED);
        all.push(case(
            format!("query {op}"),
            texels,
            sampler,
            op,
            vec![0, 1, 2, 3, 4],
        ));
    }
}

pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    formats(&mut all);
    addresses(&mut all);
    memory(&mut all);
    forms(&mut all);
    all
}
