//! Copies to shared memory.

use crate::case::{Case, Replace, Tensor, Work, size_of};

/// Returns coordinates inside, before, across the end and outside, separately for each dimension.
/// The first coordinate is a multiple of `unit`, the number of elements in 16 bytes.
fn places(dims: &[u64], boxes: &[u32], unit: i32) -> Vec<Vec<i32>> {
    let rank = dims.len();
    let mut all = vec![vec![0; rank], (0..rank as i32).map(|i| i + 1).collect()];
    for d in 0..rank {
        let (dim, size) = (dims[d] as i32, boxes[d] as i32);
        for at in [-1, 1 - size, -size, dim - 1, dim - size + 1, dim, dim + 9] {
            let mut place = vec![1; rank];
            place[d] = at;
            all.push(place);
        }
    }
    all.push(vec![-1; rank]);
    all.push(dims.iter().map(|&d| d as i32 - 2).collect());
    all.push(vec![i32::MIN; rank]);
    all.push(vec![i32::MAX; rank]);
    for place in &mut all {
        place[0] -= place[0].rem_euclid(unit);
    }
    all
}

fn tiles(all: &mut Vec<Case>) {
    // All ranks.
    let dims = [20u64, 7, 5, 4, 3];
    let boxes = [8u32, 3, 2, 2, 2];
    for rank in 1..=5usize {
        let t = Tensor::tiled(2, &dims[..rank], &boxes[..rank]);
        for at in places(&dims[..rank], &boxes[..rank], 4) {
            all.push(Case::load(format!("rank {rank} at {at:?}"), t.clone(), &at));
        }
    }
    // All types and fill values.
    for ty in 0..=12u32 {
        let inner = 32 / size_of(ty);
        let t = Tensor::tiled(ty, &[inner * 2 - 1, 6], &[inner as u32, 8]);
        let unit = inner as i32 / 2;
        for fill in 0..=u32::from(ty >= 6) {
            for at in [[0, 0], [-unit, -1], [unit * 3, 3], [unit, 1]] {
                all.push(Case::load(
                    format!("type {ty} fill {fill} at {at:?}"),
                    t.clone().fill(fill),
                    &at,
                ));
            }
        }
    }
    // Swizzles of whole and shorter rows, and different starts of tiles.
    for swizzle in 0..=6 {
        for inner in [16u32, 32, 48, 64, 96, 112, 128] {
            for shared in [0u32, 128, 256, 512, 896, 1024] {
                let t = Tensor::tiled(0, &[130, 20], &[inner, 17]).swizzle(swizzle);
                if shared > 0 && ![32, 64, 128].contains(&inner) {
                    continue;
                }
                all.push(
                    Case::load(
                        format!("swizzle {swizzle} inner {inner} to {shared}"),
                        t,
                        &[16, -1],
                    )
                    .shared(shared),
                );
            }
        }
    }
    for (ty, swizzle) in [(6, 3), (7, 2), (8, 1), (5, 3)] {
        let inner = (16 << swizzle) / size_of(ty) as u32;
        let t = Tensor::tiled(ty, &[40, 6, 4], &[inner, 4, 3]).swizzle(swizzle);
        let unit = 16 / size_of(ty) as i32;
        all.push(Case::load(
            format!("swizzle {swizzle} type {ty} in 3D"),
            t,
            &[-unit, 3, 2],
        ));
    }
    // Wide rows without swizzle, and whole boxes of 256.
    all.push(Case::load(
        "a row of 256 words",
        Tensor::tiled(2, &[300, 3], &[256, 2]),
        &[52, 1],
    ));
    all.push(Case::load(
        "256 rows",
        Tensor::tiled(0, &[16, 300], &[16, 256]),
        &[0, 100],
    ));
    // Rows with gaps, and overlapping rows.
    for stride in [16u64, 48, 64, 80, 1024] {
        let t = Tensor::tiled(0, &[64, 6], &[32, 4]).strides(&[stride]);
        all.push(Case::load(format!("stride {stride}"), t, &[48, 3]));
    }
    all.push(Case::load(
        "stride 0",
        Tensor::tiled(0, &[64, 6], &[32, 4]).strides(&[0]),
        &[48, 3],
    ));
    // Element strides.
    for steps in [[1, 2], [1, 3], [1, 8], [2, 1], [2, 2]] {
        for rows in [4u32, 7, 8, 9] {
            for at in [[0, 0], [4, -3], [-4, 5]] {
                let t = Tensor::tiled(2, &[20, 30], &[8, rows]).steps(&steps);
                all.push(Case::load(
                    format!("steps {steps:?} rows {rows} at {at:?}"),
                    t,
                    &at,
                ));
            }
        }
    }
    for steps in [[1, 2, 3], [1, 1, 2], [1, 4, 1]] {
        let t = Tensor::tiled(2, &[12, 11, 10], &[4, 6, 5]).steps(&steps);
        all.push(Case::load(
            format!("steps {steps:?} in 3D"),
            t.clone(),
            &[-4, -1, 2],
        ));
        all.push(Case::load(
            format!("steps {steps:?} in 3D swizzled"),
            t.swizzle(1),
            &[4, 2, -2],
        ));
    }
    interleaved(all);
    // The forms of the instruction.
    let t = Tensor::tiled(2, &[20, 7], &[8, 3]);
    let form = |form, behind, operands| Work::Load {
        form,
        extra: (behind, operands),
        replace: None,
        prefetch: false,
    };
    for (name, work) in [
        ("no mode", form("shared::cluster.global", "", "")),
        ("to the block", form("shared::cta.global.tile", "", "")),
        (
            "with a policy",
            form(
                "shared::cluster.global.tile",
                ".L2::cache_hint",
                ", %policy",
            ),
        ),
        (
            "to all of the cluster",
            form(
                "shared::cluster.global.tile",
                ".multicast::cluster",
                ", %mask",
            ),
        ),
        (
            "to all of the cluster with a policy",
            form(
                "shared::cluster.global.tile",
                ".multicast::cluster.L2::cache_hint",
                ", %mask, %policy",
            ),
        ),
    ] {
        all.push(Case::load(name, t.clone(), &[4, 2]).work(work));
    }
    // Different numbers of channel slices in a box.
    for ty in [0u32, 6, 7] {
        for channels in [1u32, 3, 8, 16, 17, 20, 32, 64] {
            for interleave in [1, 2] {
                let wide = 16 * u64::from(interleave);
                let t = Tensor::tiled(ty, &[48, 9, 5], &[16, channels, 2])
                    .strides(&[wide * 6, wide * 54])
                    .interleave(interleave)
                    .swizzle(interleave - 1);
                all.push(Case::load(
                    format!("interleave {interleave} type {ty} with {channels} channels"),
                    t.clone(),
                    &[3, 1, 1],
                ));
                if channels == 64 {
                    all.push(Case::load(
                        format!("interleave {interleave} type {ty} with steps of channels"),
                        t.clone().steps(&[1, 2, 1]),
                        &[3, 1, 1],
                    ));
                }
            }
        }
    }
    for ty in [11, 12] {
        let t = Tensor::tiled(ty, &[64, 4], &[64, 2]);
        all.push(Case::load(format!("type {ty} between two"), t, &[0, 0]).mild());
    }
    // Copies that fault or may fault.
    for at in [[1, 2], [2, 2], [-1, 0], [19, 0]] {
        all.push(Case::load(format!("rank 2 from unaligned {at:?}"), t.clone(), &at).alone());
    }
    let prefetched = |at: &[i32]| {
        Case::load(format!("prefetched from {at:?}"), t.clone(), at).work(Work::Load {
            form: "shared::cluster.global.tile",
            extra: ("", ""),
            replace: None,
            prefetch: true,
        })
    };
    all.push(prefetched(&[4, 2]));
    all.push(prefetched(&[1, 2]).alone());
    all.push(
        Case::load(
            "im2col from unaligned",
            Tensor::im2col(2, &[8, 6, 5], &[0], &[0], 8, 4),
            &[1, 0, 0],
        )
        .offsets(&[0])
        .alone(),
    );
    for shared in [16, 32, 64] {
        all.push(
            Case::load(format!("to shared address {shared}"), t.clone(), &[0, 0])
                .shared(shared)
                .alone(),
        );
    }
    all.push(Case::load("coordinates of 3 for 2", t.clone(), &[0, 0, 0]).alone());
    all.push(Case::load("coordinates of 1 for 2", t.clone(), &[0]).alone());
    all.push(
        Case::load(
            "a map of im2col as tile",
            Tensor::im2col(2, &[8, 6, 5], &[0], &[0], 8, 4),
            &[0, 0, 0],
        )
        .work(form("shared::cluster.global.tile", "", ""))
        .alone(),
    );
    all.push(
        Case::load(
            "a map of tiles as im2col",
            Tensor::tiled(2, &[8, 6, 5], &[8, 2, 2]),
            &[0, 0, 0],
        )
        .work(form("shared::cluster.global.im2col", "", ""))
        .offsets(&[0])
        .alone(),
    );
}

fn interleaved(all: &mut Vec<Case>) {
    for (interleave, swizzle) in [(1, 0), (1, 1), (1, 2), (1, 3), (2, 1)] {
        let wide = 16 * interleave as u64;
        for ty in [0u32, 6, 7] {
            let inner = wide / size_of(ty);
            // The elements of a channel group. The dimension before the last counts the groups.
            for rank in 3..=5usize {
                let dims = [&[inner * 3][..], &[9, 5, 4, 3][..rank - 1]].concat();
                let boxes = [&[inner as u32][..], &[4, 2, 2, 2][..rank - 1]].concat();
                let mut strides = vec![wide];
                for d in 1..rank - 1 {
                    let last = strides[d - 1];
                    strides.push((last * dims[d]).next_multiple_of(wide));
                }
                let t = Tensor::tiled(ty, &dims, &boxes)
                    .strides(&strides)
                    .interleave(interleave)
                    .swizzle(swizzle);
                for mut at in [
                    vec![0; rank],
                    vec![1; rank],
                    vec![-1; rank],
                    dims.iter().map(|&d| d as i32 - 2).collect(),
                ] {
                    at[0] -= at[0].rem_euclid(inner as i32);
                    all.push(Case::load(
                        format!(
                            "interleave {interleave} swizzle {swizzle} type {ty} rank {rank} at {at:?}"
                        ),
                        t.clone(),
                        &at,
                    ));
                }
                if rank == 4 {
                    let mut at = vec![0; rank];
                    at[1] = 2;
                    all.push(
                        Case::load(
                            format!(
                                "interleave {interleave} swizzle {swizzle} type {ty} rank {rank} with steps"
                            ),
                            t.clone().steps(&[2, 2, 1, 1]),
                            &at,
                        )
                        .shared(256),
                    );
                }
            }
        }
    }
}

fn columns(all: &mut Vec<Case>) {
    // Rank 3: C, W, N.
    for (lower, upper) in [(0, 0), (-1, -1), (-2, 0), (1, -3), (-1, 1), (0, -2)] {
        for at in [[0, 0, 0], [8, -1, 1], [0, 3, 0], [4, lower, 2]] {
            for offset in [0u16, 1, 2] {
                let t = Tensor::im2col(2, &[12, 6, 4], &[lower], &[upper], 8, 9);
                all.push(
                    Case::load(
                        format!("im2col 3 from {lower} to {upper} at {at:?} plus {offset}"),
                        t,
                        &at,
                    )
                    .offsets(&[offset]),
                );
            }
        }
    }
    // Rank 4: C, W, H, N.
    for (lower, upper) in [
        ([0, 0], [0, 0]),
        ([-1, -1], [-1, -1]),
        ([-1, 0], [1, -2]),
        ([0, -2], [-1, 0]),
        ([1, 1], [0, -1]),
    ] {
        for at in [
            [0, 0, 0, 0],
            [0, lower[0], lower[1], 0],
            [8, 2, 1, 1],
            [-8, 4, 3, 2],
            [0, -1, 2, -1],
        ] {
            for offset in [[0u16, 0], [1, 0], [0, 2], [2, 1]] {
                let t = Tensor::im2col(6, &[10, 6, 5, 3], &lower, &upper, 8, 20);
                all.push(
                    Case::load(
                        format!("im2col 4 from {lower:?} to {upper:?} at {at:?} plus {offset:?}"),
                        t,
                        &at,
                    )
                    .offsets(&offset),
                );
            }
        }
    }
    // Rank 5: C, W, H, D, N.
    for (lower, upper) in [([0, 0, 0], [0, 0, 0]), ([-1, -1, -1], [-1, 0, -1])] {
        for at in [[0, 0, 0, 0, 0], [16, 2, 1, 1, 0], [0, -1, -1, -1, 1]] {
            for offset in [[0u16, 0, 0], [1, 2, 1]] {
                let t = Tensor::im2col(0, &[16, 4, 4, 3, 2], &lower, &upper, 16, 30);
                all.push(
                    Case::load(
                        format!("im2col 5 from {lower:?} to {upper:?} at {at:?} plus {offset:?}"),
                        t,
                        &at,
                    )
                    .offsets(&offset),
                );
            }
        }
    }
    // Starts outside the box, many pixels, steps, swizzles, other types and fill values.
    let t = Tensor::im2col(6, &[16, 7, 6, 3], &[-1, -1], &[-1, -1], 16, 24);
    for at in [
        [0, 7, 0, 0],
        [0, -3, 0, 0],
        [0, 0, 6, 0],
        [0, 0, -3, 0],
        [0, 0, 0, 3],
        [8, 5, 4, 2],
    ] {
        all.push(
            Case::load(format!("im2col from outside {at:?}"), t.clone(), &at).offsets(&[1, 1]),
        );
    }
    for steps in [[1, 2, 2, 1], [1, 2, 1, 1], [1, 1, 3, 1], [1, 2, 2, 2]] {
        for at in [[0, 0, 0, 0], [0, -1, -1, 0], [0, 1, 2, 1], [0, 2, 3, 0]] {
            for offset in [[0u16, 0], [1, 2]] {
                all.push(
                    Case::load(
                        format!("im2col steps {steps:?} at {at:?} plus {offset:?}"),
                        t.clone().steps(&steps),
                        &at,
                    )
                    .offsets(&offset),
                );
            }
        }
    }
    for swizzle in 1..=6 {
        for shared in [0, 384] {
            all.push(
                Case::load(
                    format!("im2col swizzle {swizzle} to {shared}"),
                    t.clone().swizzle(swizzle),
                    &[-8, 1, 1, 1],
                )
                .shared(shared)
                .offsets(&[1, 0]),
            );
        }
    }
    let mut prefetched = Case::load("im2col prefetched", t.clone(), &[0, 1, 1, 1]).offsets(&[1, 0]);
    if let Work::Load { prefetch, .. } = &mut prefetched.work {
        *prefetch = true;
    }
    all.push(prefetched);
    for ty in 0..=12u32 {
        let inner = 32 / size_of(ty);
        let t = Tensor::im2col(
            ty,
            &[inner * 2 - 1, 5, 4, 2],
            &[-1, -1],
            &[0, 0],
            inner as u32,
            10,
        );
        for fill in 0..=u32::from(ty >= 6) {
            all.push(
                Case::load(
                    format!("im2col type {ty} fill {fill}"),
                    t.clone().fill(fill),
                    &[inner as i32 / 2, -1, 1, 0],
                )
                .offsets(&[0, 1]),
            );
        }
    }
    for (channels, interleave) in [(16u32, 1), (32, 1), (64, 2)] {
        let wide = 16 * u64::from(interleave);
        let t = Tensor::im2col(6, &[9, 6, 5, 3], &[-1, -1], &[0, 0], channels, 10)
            .strides(&[wide * 9, wide * 54, wide * 270])
            .interleave(interleave)
            .swizzle(interleave - 1);
        all.push(
            Case::load(
                format!("im2col interleave {interleave} with {channels} channels"),
                t,
                &[2, 1, 1, 1],
            )
            .offsets(&[1, 0]),
        );
    }
    for (interleave, swizzle) in [(1, 0), (1, 2), (2, 1)] {
        let wide = 16 * u64::from(interleave);
        let t = Tensor::im2col(
            6,
            &[wide, 6, 5, 3],
            &[-1, -1],
            &[0, 0],
            (wide / 2) as u32,
            20,
        )
        .strides(&[wide, wide * 6, wide * 30])
        .interleave(interleave)
        .swizzle(swizzle);
        for at in [[0, 0, 0, 0], [0, -1, 2, 1]] {
            all.push(
                Case::load(
                    format!("im2col interleave {interleave} swizzle {swizzle} at {at:?}"),
                    t.clone(),
                    &at,
                )
                .offsets(&[1, 0]),
            );
        }
    }
}

fn replaced(all: &mut Vec<Case>) {
    let t = Tensor::tiled(2, &[20, 7], &[8, 3]);
    let cube = Tensor::tiled(2, &[20, 7, 5], &[8, 3, 2]);
    let mut add = |name: &str, tensor: &Tensor, lines: &[&str], value, place, at: &[i32], alone| {
        for global in [false, true] {
            let replace = Replace {
                global,
                lines: lines.iter().map(|l| l.to_string()).collect(),
                value,
                place,
            };
            let mut case = Case::load(
                format!("{name}{}", if global { " in global memory" } else { "" }),
                tensor.clone(),
                at,
            )
            .work(Work::Load {
                form: "shared::cluster.global.tile",
                extra: ("", ""),
                replace: Some(replace),
                prefetch: false,
            });
            case.alone = alone;
            all.push(case);
        }
    };
    add("replace nothing", &t, &[], 0, 0, &[4, 2], false);
    add(
        "replace global_address",
        &t,
        &["global_address %place"],
        0,
        256,
        &[4, 2],
        false,
    );
    // Numbers of ranks and other values, in the order of the manual.
    add(
        "replace rank 2 with 3",
        &t,
        &[
            "rank 2",
            "box_dim 2, 1",
            "global_dim 2, 1",
            "element_stride 2, 1",
        ],
        0,
        0,
        &[4, 2, 0],
        false,
    );
    add(
        "replace rank 3 with 2",
        &cube,
        &["rank 1"],
        0,
        0,
        &[4, 2],
        false,
    );
    add(
        "replace rank 3 with 2 by 2",
        &cube,
        &["rank 2"],
        0,
        0,
        &[4, 2, 1],
        false,
    );
    add(
        "replace box_dim 0",
        &t,
        &["box_dim 0, 4"],
        0,
        0,
        &[4, 2],
        false,
    );
    add(
        "replace box_dim 0 by 3",
        &t,
        &["box_dim 0, 3"],
        0,
        0,
        &[4, 2],
        false,
    );
    add(
        "replace box_dim 1",
        &t,
        &["box_dim 1, 2"],
        0,
        0,
        &[4, 2],
        false,
    );
    add(
        "replace box_dim 1 by 5",
        &t,
        &["box_dim 1, 5"],
        0,
        0,
        &[4, 2],
        false,
    );
    add(
        "replace global_dim 0",
        &t,
        &["global_dim 0, 9"],
        0,
        0,
        &[4, 2],
        false,
    );
    add(
        "replace global_dim 1",
        &t,
        &["global_dim 1, 4"],
        0,
        0,
        &[4, 2],
        false,
    );
    add(
        "replace global_stride 0",
        &t,
        &["global_stride 0, %value"],
        96,
        0,
        &[4, 2],
        false,
    );
    add(
        "replace global_stride 0 by 6",
        &t,
        &["global_stride 0, %value"],
        6,
        0,
        &[4, 2],
        false,
    );
    add(
        "replace global_stride 1",
        &cube,
        &["global_stride 1, %value"],
        800,
        0,
        &[4, 2, 1],
        false,
    );
    add(
        "replace element_stride 1",
        &t,
        &["element_stride 1, 2"],
        0,
        0,
        &[4, 2],
        false,
    );
    add(
        "replace element_stride 1 by 1",
        &t,
        &["element_stride 1, 1"],
        0,
        0,
        &[4, 2],
        false,
    );
    for ty in 0..=12 {
        add(
            &format!("replace elemtype {ty}"),
            &t,
            &[&format!("elemtype {ty}")],
            0,
            0,
            &[4, 2],
            false,
        );
    }
    let bytes = Tensor::tiled(0, &[130, 20], &[32, 17]);
    for swizzle in 0..=3 {
        add(
            &format!("replace swizzle_mode {swizzle}"),
            &bytes,
            &[&format!("swizzle_mode {swizzle}")],
            0,
            0,
            &[16, -1],
            false,
        );
    }
    let floats = Tensor::tiled(7, &[20, 7], &[8, 3]);
    for fill in 0..=1 {
        add(
            &format!("replace fill_mode {fill}"),
            &floats,
            &[&format!("fill_mode {fill}")],
            0,
            0,
            &[-4, -2],
            false,
        );
    }
    let group = Tensor::tiled(0, &[96, 9, 5], &[32, 4, 2])
        .strides(&[32, 288])
        .swizzle(1);
    for interleave in 0..=2 {
        add(
            &format!("replace interleave_layout {interleave}"),
            &group,
            &[&format!("interleave_layout {interleave}")],
            0,
            0,
            &[32, 1, 1],
            true,
        );
    }
}

pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    tiles(&mut all);
    columns(&mut all);
    replaced(&mut all);
    all
}
