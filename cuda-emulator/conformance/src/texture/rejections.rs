//! Resources and descriptors that the driver rejects, and its descriptions of created objects.

use super::{
    case::*,
    matrix::{array, case},
};

/// Returns whether this is a block-compressed view format that fits the named texels. The emulator
/// cannot read such views.
fn is_of_blocks(format: u32, name: &str) -> bool {
    name == "u32x2" && matches!(format, 0x19 | 0x1c | 0x1d)
}

pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let plain = array(F32, 1, [16, 8, 0], STORE, Fill::Level);
    let sampler = Sampler::new(CLAMP, 0, 0);
    let mut add = |name: &str, texels: &Texels, sampler: Sampler, view: Option<View>, op: &str| {
        let points = vec![0; 4];
        let mut case = case(format!("make {name}"), texels.clone(), sampler, op, points);
        case.view = view;
        all.push(case);
    };
    let with = |change: &dyn Fn(&mut Sampler)| {
        let mut sampler = sampler;
        change(&mut sampler);
        sampler
    };
    add("plain", &plain, sampler, None, "desc");
    for (format, name) in super::matrix::NAMES {
        for channels in [1, 2, 3, 4, 5] {
            for flags in [0, INTEGER, SRGB, SRGB | INTEGER, NORMALIZED | INTEGER] {
                for filter in [0, 1] {
                    let texels = array(format, channels, [16, 8, 0], 0, Fill::Level);
                    let name = format!("{name}x{channels} flags {flags:#x} filter {filter}");
                    add(
                        &name,
                        &texels,
                        with(&|s| (s.flags, s.filter) = (flags, filter)),
                        None,
                        "desc",
                    );
                }
            }
            let mut texels = array(format, channels, [16, 8, 0], STORE, Fill::Level);
            add(
                &format!("surface {name}x{channels}"),
                &texels,
                sampler,
                None,
                "suq.width.b32",
            );
            texels.flags = 0;
            add(
                &format!("surface {name}x{channels} without the flag"),
                &texels,
                sampler,
                None,
                "suq.width.b32",
            );
            for place in [Place::Linear, Place::Pitch] {
                texels.place = place;
                texels.pitch = 256;
                let linear = place == Place::Linear;
                if linear {
                    texels.size = [16, 0, 0];
                }
                add(
                    &format!("{place:?} {name}x{channels}"),
                    &texels,
                    sampler,
                    None,
                    "desc",
                );
                add(
                    &format!("surface {place:?} {name}x{channels}"),
                    &texels,
                    sampler,
                    None,
                    "suq.width.b32",
                );
            }
        }
    }
    for bit in 0..32 {
        add(
            &format!("flag {bit}"),
            &plain,
            with(&|s| s.flags = 1 << bit),
            None,
            "desc",
        );
    }
    for address in 0..6 {
        for flags in [0, NORMALIZED] {
            for axis in 0..3 {
                add(
                    &format!("address {address} of axis {axis} flags {flags}"),
                    &plain,
                    with(&|s| (s.address[axis], s.flags) = (address, flags)),
                    None,
                    "desc",
                );
            }
        }
    }
    for filter in [0, 1, 2, 3] {
        for mip in [0, 1, 2] {
            add(
                &format!("filter {filter} mip {mip}"),
                &plain,
                with(&|s| (s.filter, s.mip_filter) = (filter, mip)),
                None,
                "desc",
            );
        }
    }
    for anisotropy in [0, 1, 2, 3, 5, 16, 17, 100, 1 << 31] {
        add(
            &format!("anisotropy {anisotropy}"),
            &plain,
            with(&|s| s.anisotropy = anisotropy),
            None,
            "desc",
        );
    }
    for (bias, least, most) in [
        (0.0, 1.0, 0.0),
        (100.0, 0.0, 0.0),
        (f32::NAN, 0.0, 0.0),
        (0.0, f32::NAN, f32::NAN),
        (0.0, -5.0, 5.0),
    ] {
        add(
            &format!("bias {bias} from {least} to {most}"),
            &plain,
            with(&|s| (s.bias, s.least, s.most) = (bias, least, most)),
            None,
            "desc",
        );
    }
    for i in [0, 11] {
        add(
            &format!("reserved {i}"),
            &plain,
            with(&|s| s.reserved[i] = 1),
            None,
            "desc",
        );
    }
    // The offset of the memory, and the distance between its rows.
    for offset in [0, 1, 2, 4, 16, 32, 64, 128, 256] {
        for (place, size) in [(Place::Linear, [16, 0, 0]), (Place::Pitch, [16, 8, 0])] {
            for channels in [1, 4] {
                let mut texels = array(F32, channels, size, 0, Fill::Level);
                (texels.place, texels.offset, texels.pitch) = (place, offset, 256);
                add(
                    &format!("{place:?} x{channels} at {offset}"),
                    &texels,
                    sampler,
                    None,
                    "desc",
                );
            }
        }
    }
    for pitch in [64, 68, 72, 80, 96, 100, 128, 160] {
        let mut texels = array(F32, 1, [16, 8, 0], 0, Fill::Level);
        (texels.place, texels.pitch) = (Place::Pitch, pitch);
        add(&format!("pitch {pitch}"), &texels, sampler, None, "desc");
        texels.size[1] = 1;
        add(
            &format!("pitch {pitch} of one row"),
            &texels,
            sampler,
            None,
            "desc",
        );
    }
    for (width, height) in [
        (0, 0),
        (0, 8),
        (16, 0),
        (131_072, 1),
        (131_073, 1),
        (200_000, 1),
        (1, 65_000),
        (1, 65_001),
        (1, 65_536),
        (1, 131_073),
    ] {
        let mut texels = array(U8, 1, [width, height, 0], 0, Fill::Level);
        (texels.place, texels.pitch) = (Place::Pitch, (width).next_multiple_of(32).max(32));
        add(
            &format!("pitch of {width} by {height}"),
            &texels,
            sampler,
            None,
            "desc",
        );
    }
    for width in [0, 1, (1 << 28) - 1, 1 << 28, (1 << 28) + 1] {
        let mut texels = array(U8, 1, [width, 0, 0], 0, Fill::Level);
        texels.place = Place::Linear;
        if width > 1000 {
            // Texels are not initialized, because the memory is smaller than described.
            texels.fill = Fill::Level;
        }
        if width <= 1 {
            add(
                &format!("linear of {width}"),
                &texels,
                sampler,
                None,
                "desc",
            );
        }
    }
    for (place, flags) in [
        (Place::Linear, NORMALIZED),
        (Place::Linear, SRGB),
        (Place::Pitch, SRGB),
    ] {
        for filter in [0, 1] {
            for format in [U8, F32] {
                let mut texels = array(
                    format,
                    1,
                    [16, if place == Place::Linear { 0 } else { 8 }, 0],
                    0,
                    Fill::Level,
                );
                (texels.place, texels.pitch) = (place, 64);
                add(
                    &format!("{place:?} format {format} flags {flags} filter {filter}"),
                    &texels,
                    with(&|s| (s.flags, s.filter) = (flags, filter)),
                    None,
                    "desc",
                );
            }
        }
    }
    // Mipmaps, layers, cubes.
    for (name, size, flags) in [
        ("1d", [16, 0, 0], 0),
        ("2d", [16, 8, 0], 0),
        ("3d", [16, 8, 4], 0),
        ("a1d", [16, 0, 3], LAYERED),
        ("a2d", [16, 8, 3], LAYERED),
        ("cube", [8, 8, 6], CUBE),
        ("acube", [8, 8, 12], CUBE | LAYERED),
    ] {
        for (normal, mip) in [(0, 0), (0, 1), (NORMALIZED, 0), (NORMALIZED, 1)] {
            let mut texels = array(F32, 1, size, flags, Fill::Level);
            for place in [Place::Array, Place::Mipmapped] {
                texels.place = place;
                texels.levels = if place == Place::Array { 1 } else { 3 };
                let change = with(&|s| (s.flags, s.mip_filter, s.most) = (normal, mip, 2.0));
                let name = format!("{name} {place:?} flags {normal} mip {mip}");
                add(&name, &texels, change, None, "desc");
                texels.flags |= STORE;
                add(
                    &format!("surface {name}"),
                    &texels,
                    change,
                    None,
                    "suq.width.b32",
                );
                texels.flags &= !STORE;
                if place == Place::Mipmapped {
                    for aniso in [1, 4, 16] {
                        let mut change = change;
                        change.anisotropy = aniso;
                        add(
                            &format!("{name} anisotropy {aniso}"),
                            &texels,
                            change,
                            None,
                            "desc",
                        );
                    }
                }
            }
        }
        for view in 0..18u32 {
            let mut texels = array(F32, 1, size, flags, Fill::Level);
            texels.place = Place::Mipmapped;
            texels.levels = 3;
            let mut made = View {
                format: 0x16,
                width: size[0],
                height: size[1],
                depth: if flags & LAYERED == 0 && flags & CUBE == 0 {
                    size[2]
                } else {
                    0
                },
                levels: [0, 2],
                layers: [0, 0],
                reserved: [0; 16],
            };
            match view {
                0 => {}
                1 => made.levels = [1, 1],
                2 => made.levels = [2, 1],
                3 => made.levels = [0, 3],
                4 => made.layers = [0, 2],
                5 => made.layers = [1, 1],
                6 => made.layers = [2, 7],
                7 => made.width += 1,
                8 => made.height += 1,
                9 => made.format = 0x17,
                10 => made.format = 0x0e,
                11 => made.format = 1,
                12 => made.format = 99,
                13 => made.format = 0,
                14 => made.layers = [0, 1],
                15 => made.layers = [1, 2],
                16 => made.reserved[0] = 1,
                _ => (made.width, made.height, made.depth) = (0, 0, 0),
            }
            let name = format!("view {view} of {name}");
            let change = with(&|s| (s.flags, s.most) = (NORMALIZED, 2.0));
            add(&name, &texels, change, Some(made), "desc");
            texels.place = Place::Array;
            texels.levels = 1;
            add(
                &format!("{name} array"),
                &texels,
                change,
                Some(made),
                "desc",
            );
        }
    }
    // Views of a format as other formats of the same size.
    for format in 1..=0x22 {
        for (texels, name) in [
            (U32, "u32x1"),
            (F32, "f32x1"),
            (U8, "u8x4"),
            (U16, "u16x2"),
            (U32, "u32x2"),
        ] {
            if is_of_blocks(format, name) {
                continue;
            }
            let channels = name
                .rsplit_once('x')
                .and_then(|(_, n)| n.parse().ok())
                .unwrap_or(1);
            let made = View {
                format,
                width: if format > 0x18 { 64 } else { 16 },
                height: if format > 0x18 { 32 } else { 8 },
                depth: 0,
                levels: [0, 0],
                layers: [0, 0],
                reserved: [0; 16],
            };
            let texels = array(texels, channels, [16, 8, 0], 0, Fill::Random(1));
            add(
                &format!("view format {format:#x} of {name}"),
                &texels,
                sampler,
                Some(made),
                "desc",
            );
            if format <= 0x18 {
                let op = match format {
                    1..=3 | 7..=9 | 13..=15 => "tex.2d.v4.u32.f32",
                    4..=6 | 10..=12 | 16..=18 => "tex.2d.v4.s32.f32",
                    _ => "tex.2d.v4.f32.f32",
                };
                for flags in [INTEGER, 0] {
                    let op = if flags == 0 { "tex.2d.v4.f32.f32" } else { op };
                    add(
                        &format!("view format {format:#x} of {name} read flags {flags}"),
                        &texels,
                        with(&|s| s.flags = flags),
                        Some(made),
                        op,
                    );
                }
            }
        }
    }
    for (place, size) in [(Place::Linear, [16, 0, 0]), (Place::Pitch, [16, 8, 0])] {
        let mut texels = array(F32, 1, size, 0, Fill::Level);
        (texels.place, texels.pitch) = (place, 64);
        let made = View {
            format: 0x16,
            width: 16,
            height: size[1],
            depth: 0,
            levels: [0, 0],
            layers: [0, 0],
            reserved: [0; 16],
        };
        add(
            &format!("view of {place:?}"),
            &texels,
            sampler,
            Some(made),
            "desc",
        );
    }
    all
}
