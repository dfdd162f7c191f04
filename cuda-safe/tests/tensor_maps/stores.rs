//! Copies and reductions to global memory.

use crate::case::{Case, Tensor, size_of};

pub fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let dims = [20u64, 7, 5, 4, 3];
    let boxes = [8u32, 3, 2, 2, 2];
    for rank in 1..=5usize {
        let t = Tensor::tiled(2, &dims[..rank], &boxes[..rank]);
        for mut at in [
            vec![0; rank],
            vec![-1; rank],
            (1..=rank as i32).collect(),
            dims[..rank].iter().map(|&d| d as i32 - 2).collect(),
            vec![100; rank],
        ] {
            at[0] -= at[0].rem_euclid(4);
            all.push(Case::store(
                format!("store rank {rank} at {at:?}"),
                None,
                t.clone(),
                &at,
            ));
            all.push(Case::store(
                format!("add rank {rank} at {at:?}"),
                Some("add"),
                t.clone(),
                &at,
            ));
        }
    }
    for ty in 0..=12u32 {
        let inner = 32 / size_of(ty);
        let t = Tensor::tiled(ty, &[inner * 2 - 1, 6], &[inner as u32, 8]);
        for at in [[0, 0], [inner as i32 / 2, 1]] {
            all.push(Case::store(
                format!("store type {ty} at {at:?}"),
                None,
                t.clone(),
                &at,
            ));
        }
    }
    for swizzle in 0..=6 {
        for inner in [16u32, 32, 48, 64, 128] {
            for shared in [0u32, 256] {
                let t = Tensor::tiled(0, &[130, 20], &[inner, 17]).swizzle(swizzle);
                all.push(
                    Case::store(
                        format!("store swizzle {swizzle} inner {inner} from {shared}"),
                        None,
                        t,
                        &[16, 2],
                    )
                    .shared(shared),
                );
            }
        }
    }
    for steps in [[1, 2], [1, 3], [2, 2]] {
        let t = Tensor::tiled(2, &[20, 30], &[8, 7]).steps(&steps);
        all.push(Case::store(
            format!("store steps {steps:?}"),
            None,
            t.clone(),
            &[4, 3],
        ));
        all.push(Case::store(
            format!("add steps {steps:?}"),
            Some("add"),
            t,
            &[4, 3],
        ));
    }
    for (interleave, swizzle) in [(1, 0), (1, 2), (2, 1)] {
        let wide = 16 * interleave as u64;
        let t = Tensor::tiled(6, &[wide / 2 * 3, 9, 5], &[(wide / 2) as u32, 4, 2])
            .strides(&[wide, wide * 9])
            .interleave(interleave)
            .swizzle(swizzle);
        for at in [[0, 0, 0], [3, 1, 1]] {
            all.push(Case::store(
                format!("store interleave {interleave} swizzle {swizzle} at {at:?}"),
                None,
                t.clone(),
                &at,
            ));
        }
    }
    // im2col, which has no offsets in stores.
    for (lower, upper) in [([0, 0], [0, 0]), ([-1, -1], [-1, -1]), ([1, 1], [0, -1])] {
        for at in [[0, 0, 0, 0], [8, 2, 1, 1], [-8, 4, 3, 2]] {
            for operation in [None, Some("add")] {
                let t = Tensor::im2col(6, &[10, 6, 5, 3], &lower, &upper, 8, 20);
                all.push(
                    Case::store(
                        format!(
                            "{} im2col 4 from {lower:?} to {upper:?} at {at:?}",
                            operation.unwrap_or("store")
                        ),
                        operation,
                        t,
                        &at,
                    )
                    .mild(),
                );
            }
        }
    }
    let t = Tensor::im2col(2, &[12, 6, 4], &[-1], &[-1], 8, 9);
    all.push(Case::store("store im2col 3", None, t.clone(), &[4, -1, 1]));
    all.push(Case::store(
        "store im2col 3 with steps",
        None,
        t.steps(&[1, 2, 1]),
        &[4, 1, 1],
    ));
    let t = Tensor::im2col(0, &[16, 4, 4, 3, 2], &[0, -1, 0], &[-1, 0, 0], 16, 30);
    all.push(Case::store("store im2col 5", None, t, &[16, 2, 1, 1, 0]));
    // Reduction operations. The assembler does not know which types support which of them.
    for operation in ["add", "min", "max", "inc", "dec", "and", "or", "xor"] {
        for ty in 0..=12u32 {
            let inner = 32 / size_of(ty);
            let t = Tensor::tiled(ty, &[inner * 2 - 1, 6], &[inner as u32, 8]);
            for mild in [false, true] {
                let case = Case::store(
                    format!("{operation} type {ty}{}", if mild { " mild" } else { "" }),
                    Some(operation),
                    t.clone(),
                    &[inner as i32 / 2, 0],
                );
                let sure = match operation {
                    "add" => matches!(ty, 2 | 3 | 4 | 6 | 7 | 9),
                    "min" | "max" => matches!(ty, 2 | 3 | 4 | 5 | 6 | 9),
                    "inc" | "dec" => ty == 2,
                    _ => matches!(ty, 2 | 4),
                };
                // Of the other operations only some are tested, because each needs a process.
                let tried = match operation {
                    "add" => matches!(ty, 0 | 1 | 5 | 8 | 10..=12),
                    "min" => matches!(ty, 0 | 7 | 8),
                    "inc" => ty == 3,
                    "and" => matches!(ty, 0 | 3 | 5 | 7),
                    _ => false,
                };
                let case = if mild { case.mild() } else { case };
                if sure {
                    all.push(case);
                } else if mild && tried {
                    all.push(case.alone());
                }
            }
        }
    }
    let t = Tensor::tiled(2, &[20, 7], &[8, 3]);
    all.push(
        Case::store("store from shared address 16", None, t, &[0, 0])
            .shared(16)
            .alone(),
    );
    let t = Tensor::tiled(2, &[20, 7], &[8, 3]);
    for operation in [None, Some("add")] {
        all.push(
            Case::store(
                format!("{} to unaligned", operation.unwrap_or("store")),
                operation,
                t.clone(),
                &[1, 0],
            )
            .alone(),
        );
    }
    let t = Tensor::tiled(6, &[24, 9, 5], &[8, 4, 2])
        .strides(&[16, 144])
        .interleave(1);
    all.push(Case::store(
        "store interleaved at [0, -1, 1]",
        None,
        t,
        &[0, -1, 1],
    ));
    // A store before the beginning of the tensor faults.
    for case in &mut all {
        case.alone |= case.at.iter().any(|&at| at < 0);
    }
    all
}
