//! Loads, stores and reductions of surfaces, inside and beyond the edges.

use super::{
    case::*,
    matrix::{GEOMETRIES, array, case},
};

/// Formats with the size of their texels in bytes.
const TEXELS: [(u32, u32); 8] = [
    (U8, 1),
    (U16, 1),
    (U8, 4),
    (U32, 1),
    (F32, 2),
    (S32, 4),
    (S16, 2),
    (F16, 4),
];

/// Returns points with x in bytes: inside, at the edges, beyond, and between texels.
fn points(geometry: &str, size: [usize; 3], texel: usize, odd: bool) -> Vec<Vec<u32>> {
    let mut random = Random::new(texel as u64 + 50);
    let row = (size[0] * texel) as i32;
    let step = texel as i32;
    let mut all: Vec<Vec<u32>> = Vec::new();
    for i in 0..40 {
        let x = match i % 8 {
            0 => -step,
            1 => row,
            2 => row - step,
            3 => row + 5 * step,
            4 => 0,
            _ => random.below(size[0]) as i32 * step,
        };
        let mut axis = |n: usize| match random.below(8) {
            0 => -1,
            1 => n as i32,
            2 => n as i32 + 3,
            _ => random.below(n) as i32,
        };
        let x = if odd { x + [1, 2, 4, 3][i % 4] } else { x };
        let point = match geometry {
            "1d" => vec![x],
            "2d" => vec![x, axis(size[1])],
            "3d" => vec![x, axis(size[1]), axis(size[2])],
            "a1d" => vec![axis(size[2]), x],
            _ => vec![axis(size[2]), x, axis(size[1])],
        };
        all.push(point.into_iter().map(|v| v as u32).collect());
    }
    for x in [i32::MIN, i32::MAX - 15, -16 * step] {
        let mut point = vec![0; all[0].len()];
        let at = usize::from(geometry.starts_with('a'));
        point[at] = x as u32 & !15;
        all.push(point);
    }
    all
}

pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let sampler = Sampler::new(CLAMP, 0, 0);
    for (geometry, size, kind) in GEOMETRIES {
        // CUDA's functions access faces as layers.
        let ptx = if geometry.ends_with("cube") {
            "a2d"
        } else {
            geometry
        };
        for (format, channels) in TEXELS {
            let texels = array(format, channels, size, kind | STORE, Fill::Random(4));
            let texel = texels.texel();
            for (element, width) in [
                ("b8", 1),
                ("b8", 2),
                ("b8", 4),
                ("b16", 1),
                ("b16", 2),
                ("b16", 4),
                ("b32", 1),
                ("b32", 2),
                ("b32", 4),
                ("b64", 1),
                ("b64", 2),
            ] {
                let bytes = element[1..].parse::<usize>().unwrap_or(8) / 8 * width;
                // All geometries use the widths that match the texel. Two geometries also use all
                // other widths.
                if bytes != texel && !(geometry == "2d" && width == 1) {
                    continue;
                }
                for mode in ["zero", "clamp"] {
                    let vector = if width == 1 {
                        String::new()
                    } else {
                        format!("v{width}.")
                    };
                    let rest = format!("b.{ptx}.{vector}{element}.{mode}");
                    for odd in [false, true] {
                        if odd && (geometry != "2d" || texel == 1 || bytes != texel) {
                            continue;
                        }
                        let tail = format!("{geometry} {format}x{channels} odd {odd}");
                        let points = points(ptx, size, texel, odd);
                        let mut load = case(
                            format!("load {rest} {tail}"),
                            texels.clone(),
                            sampler,
                            &format!("suld.{rest}"),
                            points.concat(),
                        );
                        load.alone = odd || bytes > texel;
                        all.push(load);
                        let mut random = Random::new(9);
                        let mut words = Vec::new();
                        for point in points {
                            words.extend(point);
                            let count = if element == "b64" { 2 * width } else { width };
                            words.extend((0..count).map(|_| random.bits()));
                        }
                        let mut store = case(
                            format!("store {rest} {tail}"),
                            texels.clone(),
                            sampler,
                            &format!("sust.{rest}"),
                            words,
                        );
                        store.alone = odd || bytes > texel;
                        all.push(store);
                    }
                }
            }
        }
    }
    // Stores that convert.
    for (format, channels) in [
        (U8, 4),
        (S8, 4),
        (U16, 2),
        (S16, 4),
        (U32, 1),
        (S32, 4),
        (F16, 4),
        (F16, 1),
        (F32, 4),
        (F32, 1),
        (0xc2, 4),
        (0xc8, 4),
    ] {
        for mode in ["zero", "clamp"] {
            for kind in ["b32"] {
                let texels = array(format, channels, [13, 6, 0], STORE, Fill::Random(4));
                let mut words = Vec::new();
                let mut random = Random::new(19);
                let values = [
                    0.0f32,
                    1.0,
                    -1.0,
                    0.5,
                    254.6 / 255.0,
                    300.0,
                    -300.0,
                    70_000.0,
                    1e10,
                    f32::NAN,
                    f32::INFINITY,
                    1e-6,
                    65_519.9,
                    65_520.0,
                    2.5,
                    3.5,
                ];
                for i in 0..24i32 {
                    words.extend([(i % 14 - (i / 22)) as u32, (i / 7) as u32]);
                    for _ in 0..4 {
                        words.push(if i % 2 == 0 {
                            random.bits()
                        } else {
                            values[random.below(16)].to_bits()
                        });
                    }
                }
                let op = format!("sust.p.2d.v4.{kind}.{mode}");
                all.push(case(
                    format!("formatted {op} {format:#x}x{channels}"),
                    texels,
                    sampler,
                    &op,
                    words,
                ));
            }
        }
    }
    for (geometry, size, kind) in &GEOMETRIES[..3] {
        for (operation, kinds) in [
            ("add", &["u32", "s32", "u64"][..]),
            ("min", &["u32", "s32", "u64", "s64"]),
            ("max", &["u32", "s32", "u64", "s64"]),
            ("and", &["b32"]),
            ("or", &["b32"]),
        ] {
            for element in kinds {
                for mode in ["zero", "clamp"] {
                    let wide = element.ends_with("64");
                    let texels = array(
                        U32,
                        if wide { 2 } else { 1 },
                        *size,
                        kind | STORE,
                        Fill::Random(4),
                    );
                    for form in ["b", "p"] {
                        let mut random = Random::new(29);
                        let mut words = Vec::new();
                        for mut point in points(geometry, *size, texels.texel(), false) {
                            if form == "p" {
                                let at = usize::from(geometry.starts_with('a'));
                                point[at] = (point[at] as i32 / texels.texel() as i32) as u32;
                            }
                            words.extend(point);
                            words.extend((0..if wide { 2 } else { 1 }).map(|_| random.bits()));
                        }
                        if form == "p" && wide && operation == "add" {
                            continue;
                        }
                        // Formatted instructions take the texel's type from the surface.
                        let element = match form {
                            "p" if wide => "b64",
                            "p" => "b32",
                            _ => element,
                        };
                        let op = format!("sured.{form}.{operation}.{geometry}.{element}.{mode}");
                        all.push(case(
                            format!("reduce {op}"),
                            texels.clone(),
                            sampler,
                            &op,
                            words,
                        ));
                    }
                }
            }
        }
    }
    // Cases that trap, each in a separate process: a coordinate beyond the edge, an invalid handle.
    for (what, op, at) in [
        ("inside", "suld.b.2d.b32.trap", vec![4, 1]),
        ("beyond x", "suld.b.2d.b32.trap", vec![52, 1]),
        ("beyond y", "suld.b.2d.b32.trap", vec![4, 6]),
        ("before x", "suld.b.2d.b32.trap", vec![(-4i32) as u32, 1]),
        ("odd x", "suld.b.2d.b32.trap", vec![5, 1]),
        ("odd x", "suld.b.2d.b32.zero", vec![5, 1]),
        ("odd x", "suld.b.2d.b32.clamp", vec![5, 1]),
        ("odd x", "suld.b.2d.b8.trap", vec![5, 1]),
        ("inside", "sust.b.2d.b32.trap", vec![4, 1, 7]),
        ("beyond x", "sust.b.2d.b32.trap", vec![52, 1, 7]),
        ("beyond y", "sust.b.2d.b32.trap", vec![4, 6, 7]),
        ("odd x", "sust.b.2d.b32.trap", vec![5, 1, 7]),
        ("odd x", "sust.b.2d.b32.clamp", vec![5, 1, 7]),
        ("odd x", "sust.b.2d.b32.zero", vec![5, 1, 7]),
        ("beyond layer", "suld.b.a2d.b32.trap", vec![3, 4, 1]),
        ("beyond x", "sured.b.add.2d.u32.trap", vec![52, 1, 7]),
        ("wider", "suld.b.2d.v4.b32.zero", vec![16, 1]),
        ("wider", "sust.b.2d.v4.b32.zero", vec![16, 1, 1, 2, 3, 4]),
        ("unknown handle", "suld.b.2d.b32.trap", vec![4, 1]),
        ("huge handle", "suld.b.2d.b32.trap", vec![4, 1]),
        ("unknown handle", "tex.2d.v4.f32.f32", vec![0, 0]),
        ("huge handle", "tex.2d.v4.f32.f32", vec![0, 0]),
        ("unknown handle", "txq.width.b32", vec![0]),
    ] {
        let layered = op.contains("a2d.b32.trap");
        let (size, kind) = if layered {
            ([13, 6, 3], LAYERED)
        } else {
            ([13, 6, 0], 0)
        };
        let texels = array(F32, 1, size, kind | STORE, Fill::Random(4));
        let mut case = case(format!("trap {what} {op}"), texels, sampler, op, at);
        case.alone = true;
        all.push(case);
    }
    all
}
