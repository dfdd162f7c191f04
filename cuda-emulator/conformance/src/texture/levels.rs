//! Mipmap levels and their weights, anisotropy, and the faces and seams of cubes.

use super::{
    case::*,
    matrix::{array, case, name_of},
};

fn mipmapped(format: u32, size: [usize; 3], levels: u32, flags: u32, fill: Fill) -> Texels {
    let mut texels = array(format, 1, size, flags, fill);
    texels.place = Place::Mipmapped;
    texels.levels = levels;
    texels
}

fn sampler(filter: u32, mip_filter: u32, flags: u32) -> Sampler {
    let mut sampler = Sampler::new(CLAMP, filter, NORMALIZED | flags);
    sampler.mip_filter = mip_filter;
    sampler.most = 100.0;
    sampler
}

fn chosen(all: &mut Vec<Case>) {
    for mip_filter in [0, 1] {
        for filter in [0, 1] {
            for flags in [0, EXACT_LEVELS] {
                for (bias, least, most) in [
                    (0.0, 0.0, 100.0),
                    (0.3, 0.0, 100.0),
                    (-1.7, 0.0, 100.0),
                    (0.0, 1.5, 3.25),
                    (0.0, 0.7, 0.2),
                    (0.001, -2.0, 2.001),
                    (20.0, 0.0, 100.0),
                    (-20.0, 0.0, 3.0),
                    (f32::NAN, 0.0, 100.0),
                    (1.0 / 512.0, 0.1, 3.9),
                    (0.0, 0.0, 0.0),
                ] {
                    let mut random = Random::new(3);
                    let mut words = Vec::new();
                    let special = [
                        f32::NAN,
                        f32::INFINITY,
                        f32::NEG_INFINITY,
                        -1.0,
                        -0.5,
                        -0.001,
                        0.0,
                        0.5,
                        1.0,
                        1.5,
                        2.5,
                        6.0,
                        6.4,
                        6.6,
                        7.0,
                        20.0,
                        1e10,
                    ];
                    for i in 0..224 {
                        let level = match i {
                            _ if i < special.len() => special[i],
                            0..120 => 1.0 + (i as f32 - 60.0) / 4096.0,
                            120..160 => 1.5 + (i as f32 - 140.0) / 4096.0,
                            _ => random.unit() * 9.0 - 1.0,
                        };
                        words.extend([0.51f32.to_bits(), level.to_bits()]);
                    }
                    let texels = mipmapped(F32, [64, 0, 0], 7, 0, Fill::Level);
                    let mut sampler = sampler(filter, mip_filter, flags);
                    (sampler.bias, sampler.least, sampler.most) = (bias, least, most);
                    let name = format!(
                        "level filter {filter} mip {mip_filter} flags {flags} bias {bias} from {least} to {most}"
                    );
                    all.push(case(
                        name.clone(),
                        texels.clone(),
                        sampler,
                        "tex.level.1d.v4.f32.f32",
                        words,
                    ));
                    let at = (0..8).map(|i| (i as f32 / 8.0).to_bits()).collect();
                    all.push(case(
                        format!("no {name}"),
                        texels,
                        sampler,
                        "tex.1d.v4.f32.f32",
                        at,
                    ));
                }
            }
        }
    }
    for format in [F32, U8, F16] {
        for (axes, size) in [(1, [64, 0, 0]), (2, [32, 19, 0]), (3, [16, 11, 9])] {
            for filter in [0, 1] {
                for mip_filter in [0, 1] {
                    let mut random = Random::new(31);
                    let mut words = Vec::new();
                    for i in 0..256 {
                        let fine = i % 2 == 0;
                        for axis in size.iter().take(axes) {
                            let at = if fine {
                                (random.below(256 * axis) as f32) / (256 * axis) as f32
                            } else {
                                random.unit()
                            };
                            words.push(at.to_bits());
                        }
                        let level = if fine {
                            random.below(3 * 256) as f32 / 256.0
                        } else {
                            random.unit() * 4.0
                        };
                        words.push(level.to_bits());
                    }
                    let mut texels = mipmapped(format, size, 4, 0, Fill::Random(5));
                    texels.channels = 2;
                    let name = format!(
                        "levels {} {axes}d filter {filter} mip {mip_filter}",
                        name_of(format)
                    );
                    let op = format!("tex.level.{axes}d.v4.f32.f32");
                    all.push(case(
                        name.clone(),
                        texels.clone(),
                        sampler(filter, mip_filter, 0),
                        &op,
                        words.clone(),
                    ));
                    if axes == 2 {
                        let mut case = case(
                            format!("{name} view"),
                            texels,
                            sampler(filter, mip_filter, 0),
                            &op,
                            words,
                        );
                        let format = match case.texels.format {
                            U8 => 2,
                            F16 => 0x14,
                            _ => 0x17,
                        };
                        case.name += &format!(" {format}");
                        case.view = Some(View {
                            format,
                            width: size[0],
                            height: size[1],
                            depth: 0,
                            levels: [1, 2],
                            layers: [0, 0],
                            reserved: [0; 16],
                        });
                        all.push(case);
                    }
                }
            }
        }
    }
}

fn gradients(all: &mut Vec<Case>) {
    for anisotropy in [0, 1, 2, 3, 4, 8, 16, 17] {
        for (axes, size) in [
            (1, [256, 0, 0]),
            (2, [256, 256, 0]),
            (2, [256, 64, 0]),
            (3, [64, 64, 64]),
        ] {
            if axes == 3 && anisotropy > 4 {
                continue;
            }
            for mip_filter in [0, 1] {
                let levels = if axes == 3 { 7 } else { 9 };
                let texels = mipmapped(F32, size, levels, 0, Fill::Level);
                let mut random = Random::new(11);
                let mut words = Vec::new();
                for i in 0..400 {
                    words.extend(vec![0.5f32.to_bits(); axes]);
                    for part in 0..2 * axes {
                        // One direction, two perpendicular ones, or arbitrary ones.
                        let none =
                            i < 150 && part != 0 || i < 250 && part != 0 && part != 2 * axes - 1;
                        let exponent = -(random.unit() * 11.0);
                        let value = exponent.exp2() * if random.below(2) == 0 { 1.0 } else { -1.0 };
                        words.push(if none { 0 } else { value.to_bits() });
                    }
                }
                let mut sampler = sampler(1, mip_filter, EXACT_LEVELS);
                sampler.anisotropy = anisotropy;
                let op = format!("tex.grad.{axes}d.v4.f32.f32");
                let name =
                    format!("gradient {axes}d {size:?} anisotropy {anisotropy} mip {mip_filter}");
                all.push(case(name, texels, sampler, &op, words));
            }
        }
        // The positions of the samples: one column of texels of a level is 1.
        for ratio in [1.0f32, 1.5, 2.0, 3.0, 4.0, 6.0, 16.0] {
            let texels = mipmapped(F32, [64, 64, 0], 7, 0, Fill::One(32, 32, 0));
            let mut words = Vec::new();
            for i in 0..300 {
                let x = 0.5 + 1.0 / 128.0 + (i as f32 - 150.0) / 64.0 / 12.0;
                words.extend(
                    [x, 0.5 + 1.0 / 128.0, ratio / 64.0, 0.0, 0.0, 1.0 / 64.0].map(f32::to_bits),
                );
            }
            let mut sampler = sampler(1, 1, EXACT_LEVELS);
            sampler.anisotropy = anisotropy;
            let name = format!("profile anisotropy {anisotropy} ratio {ratio}");
            all.push(case(name, texels, sampler, "tex.grad.2d.v4.f32.f32", words));
        }
    }
    // Levels from gradients that are powers of two, and values in between.
    let texels = mipmapped(F32, [256, 0, 0], 9, 0, Fill::Level);
    let mut words = Vec::new();
    for i in 0..2048 {
        let value = 2.0 / 256.0 * (1.0 + i as f32 / 512.0);
        words.extend([0.5f32, value, 0.0].map(f32::to_bits));
    }
    all.push(case(
        "gradient fine".into(),
        texels.clone(),
        sampler(1, 1, EXACT_LEVELS),
        "tex.grad.1d.v4.f32.f32",
        words,
    ));
    let special = [
        0.0,
        -0.0,
        1e-30,
        1e-40,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e30,
        0.5,
        1.0,
    ];
    let words = special
        .iter()
        .flat_map(|a| {
            special
                .iter()
                .flat_map(move |b| [0.5f32, *a, *b].map(f32::to_bits))
        })
        .collect();
    all.push(case(
        "gradient special".into(),
        texels,
        sampler(1, 1, 0),
        "tex.grad.1d.v4.f32.f32",
        words,
    ));
    let texels = mipmapped(F32, [64, 64, 6], 7, CUBE, Fill::Level);
    let mut random = Random::new(12);
    let mut words = Vec::new();
    for i in 0..400 {
        let mut direction = [1.0, random.unit() * 2.0 - 1.0, random.unit() * 2.0 - 1.0];
        direction.rotate_left(random.below(3));
        words.extend(direction.map(f32::to_bits));
        for part in 0..6 {
            let scale = (-random.unit() * 8.0).exp2();
            let none = i < 150 && part != i % 3;
            words.push(if none {
                0
            } else {
                ((random.unit() - 0.5) * scale).to_bits()
            });
        }
    }
    all.push(case(
        "gradient cube".into(),
        texels,
        sampler(1, 1, EXACT_LEVELS),
        "tex.grad.cube.v4.f32.f32",
        words,
    ));
}

fn cubes(all: &mut Vec<Case>) {
    for filter in [0, 1] {
        for flags in [0, SEAMLESS] {
            for size in [1, 4, 7] {
                for (format, fill) in [
                    (F32, Fill::Places),
                    (F32, Fill::Random(8)),
                    (U8, Fill::Random(8)),
                ] {
                    let texels = array(format, 1, [size, size, 6], CUBE, fill.clone());
                    let mut random = Random::new(13);
                    let mut words = Vec::new();
                    for i in 0..600 {
                        let near = i % 3 == 0;
                        let mut part = |major| {
                            let value = match (major, near) {
                                (true, _) => 1.0,
                                (_, true) => 1.0 - random.unit() * random.unit() * 0.4,
                                _ => random.unit() * 2.0 - 1.0,
                            };
                            value * if random.below(2) == 0 { 1.0 } else { -1.0f32 }
                        };
                        let mut direction = [part(true), part(false), part(false)];
                        direction.rotate_left(i / 3 % 3);
                        words.extend(direction.map(f32::to_bits));
                    }
                    let name = format!(
                        "cube {size} {} {} filter {filter} flags {flags}",
                        name_of(format),
                        if fill == Fill::Places {
                            "places"
                        } else {
                            "random"
                        }
                    );
                    let sampler = Sampler::new(CLAMP, filter, NORMALIZED | flags);
                    all.push(case(name, texels, sampler, "tex.cube.v4.f32.f32", words));
                }
            }
        }
    }
    // The face and texel, with coordinates that have exact quotients and others.
    let texels = array(
        F32,
        1,
        [64, 64, 6],
        CUBE,
        Fill::Bits((0..64 * 64 * 6).map(|i| (i as f32).to_bits()).collect()),
    );
    let mut random = Random::new(14);
    let mut words = Vec::new();
    for _ in 0..2000 {
        for _ in 0..3 {
            words.push(((random.below(129) as f32 - 64.0) / 64.0).to_bits());
        }
    }
    all.push(case(
        "cube faces".into(),
        texels,
        Sampler::new(CLAMP, 0, NORMALIZED),
        "tex.cube.v4.f32.f32",
        words,
    ));
}

pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    chosen(&mut all);
    gradients(&mut all);
    cubes(&mut all);
    all
}
