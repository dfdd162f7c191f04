//! Maps that the driver encodes and rejects. Each case changes one value of a valid map.

use crate::case::{Case, Kind, Tensor, Work};

fn base() -> Tensor {
    Tensor::tiled(7, &[64, 32, 8], &[16, 8, 2])
}

fn column() -> Tensor {
    Tensor::im2col(6, &[16, 9, 7, 3], &[-1, -1], &[-1, -1], 16, 12)
}

fn boxes(tensor: &mut Tensor, new: &[u32]) {
    tensor.kind = Kind::Tiled(new.to_vec());
}

fn corners(tensor: &mut Tensor, low: &[i32], high: &[i32]) {
    if let Kind::Im2col { lower, upper, .. } = &mut tensor.kind {
        (*lower, *upper) = (low.to_vec(), high.to_vec());
    }
}

fn counts(tensor: &mut Tensor, c: u32, p: u32) {
    if let Kind::Im2col {
        channels, pixels, ..
    } = &mut tensor.kind
    {
        (*channels, *pixels) = (c, p);
    }
}

pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |name: String, tensor: Tensor| all.push(Case::encode(name, tensor));
    for ty in 0..=17 {
        for fill in 0..=2 {
            add(
                format!("type {ty} fill {fill}"),
                base().with(|t| (t.ty, t.fill) = (ty, fill)),
            );
        }
    }
    for ty in 13..=15 {
        let packed = Tensor::tiled(ty, &[256, 32], &[128, 8]).strides(&[256]);
        add(format!("packed type {ty}"), packed.clone());
        add(format!("packed type {ty} swizzle 3"), packed.swizzle(3));
    }
    for rank in 0..=6usize {
        let mut t = Tensor::tiled(7, &[16; 6][..rank.max(1)], &[4; 6][..rank.max(1)]);
        if rank == 0 {
            (t.dims, t.steps) = (vec![], vec![]);
        }
        add(format!("rank {rank}"), t.clone());
        add(format!("rank {rank} interleave 1"), t.clone().interleave(1));
        add(
            format!("rank {rank} interleave 2 swizzle 1"),
            t.interleave(2).swizzle(1).with(|t| {
                t.strides
                    .iter_mut()
                    .for_each(|s| *s = s.next_multiple_of(32));
            }),
        );
    }
    for start in [0, 4, 8, 16, 32, 48] {
        add(format!("start {start}"), base().with(|t| t.start = start));
        for interleave in 1..=2 {
            add(
                format!("start {start} interleave {interleave}"),
                base()
                    .interleave(interleave)
                    .swizzle(1)
                    .with(|t| t.start = start),
            );
        }
    }
    for dim in [
        0,
        1,
        3,
        1 << 31,
        (1 << 32) - 1,
        1 << 32,
        (1 << 32) + 1,
        1 << 40,
    ] {
        for at in 0..3 {
            add(
                format!("dim {at} of {dim}"),
                base().with(|t| t.dims[at] = dim),
            );
        }
    }
    for stride in [
        0,
        8,
        16,
        24,
        32,
        48,
        128,
        240,
        256,
        (1 << 40) - 32,
        (1 << 40) - 16,
        1 << 40,
        1 << 41,
    ] {
        for at in 0..2 {
            for interleave in [0, 2] {
                add(
                    format!("stride {at} of {stride} interleave {interleave}"),
                    base()
                        .interleave(interleave)
                        .swizzle(if interleave == 2 { 1 } else { 0 })
                        .with(|t| t.strides[at] = stride),
                );
            }
        }
    }
    for size in [0, 1, 2, 3, 4, 8, 12, 64, 128, 252, 255, 256, 257, 260, 512] {
        for at in 0..3 {
            let mut new = vec![4, 1, 1];
            new[at] = size;
            add(
                format!("box {at} of {size}"),
                base().with(|t| boxes(t, &new)),
            );
        }
        add(
            format!("box of {size} bytes"),
            Tensor::tiled(0, &[1024, 4], &[size, 1]),
        );
        add(
            format!("box of {size} bytes interleave 1"),
            Tensor::tiled(0, &[1024, 4, 4], &[size, 1, 1]).interleave(1),
        );
        add(
            format!("box of {size} bytes interleave 2"),
            Tensor::tiled(0, &[1024, 4, 4], &[size, 1, 1])
                .interleave(2)
                .swizzle(1),
        );
    }
    for new in [[256, 256, 1], [64, 128, 8], [64, 128, 7], [256, 256, 256]] {
        add(
            format!("box of {new:?}"),
            Tensor::tiled(7, &[256, 256, 256], &new),
        );
    }
    // Tiles of different sizes in bytes.
    for new in [
        [16, 128, 113],
        [16, 228, 16],
        [16, 256, 15],
        [16, 240, 16],
        [16, 227, 16],
        [16, 229, 16],
        [16, 255, 16],
        [256, 255, 4],
    ] {
        add(
            format!("box of {new:?} bytes"),
            Tensor::tiled(0, &[256, 256, 256], &new),
        );
        add(
            format!("box of {new:?} words"),
            Tensor::tiled(7, &[256, 256, 256], &new),
        );
        add(
            format!("box of {new:?} longs"),
            Tensor::tiled(4, &[256, 256, 256], &new),
        );
    }
    for step in [0, 1, 2, 3, 7, 8, 9, 16] {
        for at in 0..3 {
            for interleave in 0..=2 {
                add(
                    format!("step {at} of {step} interleave {interleave}"),
                    base()
                        .interleave(interleave)
                        .swizzle(if interleave == 2 { 1 } else { 0 })
                        .with(|t| t.steps[at] = step),
                );
            }
        }
    }
    for swizzle in 0..=7 {
        for inner in [16, 32, 48, 64, 80, 128, 144, 256] {
            add(
                format!("swizzle {swizzle} inner {inner}"),
                Tensor::tiled(0, &[256, 32], &[inner, 8]).swizzle(swizzle),
            );
        }
        for interleave in 1..=3 {
            add(
                format!("swizzle {swizzle} interleave {interleave}"),
                base().swizzle(swizzle).interleave(interleave),
            );
        }
    }
    for promotion in 0..=4 {
        add(
            format!("promotion {promotion}"),
            base().with(|t| t.promotion = promotion),
        );
    }
    // im2col.
    add("im2col".into(), column());
    for ty in 0..=17 {
        add(format!("im2col type {ty}"), column().with(|t| t.ty = ty));
    }
    for rank in 1..=6usize {
        let corner = vec![0; rank.saturating_sub(2)];
        let t = Tensor::im2col(6, &[16; 6][..rank], &corner, &corner, 16, 4);
        add(format!("im2col rank {rank}"), t.clone());
        if !(3..=5).contains(&rank) {
            continue;
        }
        for value in [
            -32769, -32768, -129, -128, -127, -64, -17, -16, -15, -8, 7, 8, 14, 15, 16, 63, 64,
            127, 128, 32767, 32768,
        ] {
            for at in 0..rank - 2 {
                let mut new = corner.clone();
                new[at] = value;
                add(
                    format!("im2col rank {rank} lower {at} of {value}"),
                    t.clone().with(|t| corners(t, &new, &corner)),
                );
                add(
                    format!("im2col rank {rank} upper {at} of {value}"),
                    t.clone().with(|t| corners(t, &corner, &new)),
                );
            }
        }
    }
    for channels in [0, 1, 4, 8, 12, 16, 64, 128, 248, 256, 257, 264] {
        for swizzle in 0..=3 {
            add(
                format!("im2col channels {channels} swizzle {swizzle}"),
                column().swizzle(swizzle).with(|t| counts(t, channels, 4)),
            );
        }
        add(
            format!("im2col channels {channels} interleave 1"),
            column().interleave(1).with(|t| counts(t, channels, 4)),
        );
    }
    for pixels in [0, 1, 3, 256, 512, 1023, 1024, 1025, 2048] {
        add(
            format!("im2col pixels {pixels}"),
            column().with(|t| counts(t, 16, pixels)),
        );
    }
    for step in [0, 2, 8, 9] {
        for at in 0..4 {
            add(
                format!("im2col step {at} of {step}"),
                column().with(|t| t.steps[at] = step),
            );
        }
    }
    add("im2col fill 1".into(), column().fill(1));
    add(
        "im2col interleave 2".into(),
        column().interleave(2).swizzle(1),
    );
    for swizzle in 4..=6 {
        add(
            format!("im2col swizzle {swizzle}"),
            column().swizzle(swizzle),
        );
    }
    for (channels, pixels) in [(256, 1024), (256, 512), (256, 227), (256, 255), (256, 256)] {
        add(
            format!("im2col {channels} channels {pixels} pixels"),
            Tensor::im2col(7, &[256, 9, 7, 3], &[0, 0], &[0, 0], channels, pixels),
        );
    }
    // im2col along the width only.
    for swizzle in 0..=6 {
        for interleave in 0..=2 {
            add(
                format!("wide swizzle {swizzle} interleave {interleave}"),
                column()
                    .swizzle(swizzle)
                    .interleave(interleave)
                    .with(|t| t.kind = Kind::Wide(-1, -1, 16, 12, 0)),
            );
        }
    }
    for corner in [
        -32769, -32768, -129, -16, -10, -9, -8, 8, 9, 10, 127, 128, 32767, 32768,
    ] {
        add(
            format!("wide lower {corner}"),
            column()
                .swizzle(3)
                .with(|t| t.kind = Kind::Wide(corner, 0, 16, 12, 0)),
        );
        add(
            format!("wide upper {corner}"),
            column()
                .swizzle(3)
                .with(|t| t.kind = Kind::Wide(0, corner, 16, 12, 0)),
        );
    }
    for (channels, pixels) in [
        (0, 12),
        (8, 12),
        (12, 12),
        (64, 12),
        (128, 12),
        (16, 0),
        (16, 1024),
        (16, 1025),
    ] {
        for mode in 0..=2 {
            add(
                format!("wide mode {mode} channels {channels} pixels {pixels}"),
                column()
                    .swizzle(3)
                    .with(|t| t.kind = Kind::Wide(-1, -1, channels, pixels, mode)),
            );
        }
    }
    for rank in 1..=5usize {
        let mut t = Tensor::im2col(6, &[16; 5][..rank], &[], &[], 16, 4).swizzle(3);
        t.kind = Kind::Wide(0, 0, 16, 4, 0);
        add(format!("wide rank {rank}"), t);
    }
    for ty in 0..=17 {
        add(
            format!("wide type {ty}"),
            column()
                .swizzle(3)
                .with(|t| (t.ty, t.kind) = (ty, Kind::Wide(0, 0, 16, 12, 0))),
        );
    }
    for mode in 0..=1 {
        add(
            format!("wide mode {mode}"),
            column()
                .swizzle(3)
                .with(|t| t.kind = Kind::Wide(-1, -1, 16, 12, mode)),
        );
    }
    for odd in [
        "no context",
        "no map",
        "a map aligned to 32",
        "no dims",
        "no strides",
        "no box",
        "no steps",
    ] {
        all.push(Case::encode(odd, base()).work(Work::Odd).alone());
    }
    all.push(
        Case::encode("rank 1 without strides", Tensor::tiled(7, &[64], &[16]))
            .work(Work::Odd)
            .alone(),
    );
    all.push(
        Case::encode("address of no map", base())
            .work(Work::Odd)
            .alone(),
    );
    for place in [0, 8, 16, 32] {
        for interleave in [0, 2] {
            let tensor = base()
                .interleave(interleave)
                .swizzle(if interleave == 2 { 1 } else { 0 });
            all.push(
                Case::encode(format!("address {place} interleave {interleave}"), tensor)
                    .work(Work::Address(place)),
            );
        }
    }
    all
}
