//! Points at which textures are sampled: at the edges of texels and of the texture, and random
//! ones.

use super::case::Random;

/// Returns coordinates along an axis of `n` texels near which the result may change.
pub fn edges(n: usize, normalized: bool) -> Vec<f32> {
    let size = n as f32;
    let mut all = vec![
        f32::NEG_INFINITY,
        f32::INFINITY,
        f32::NAN,
        0.0,
        -0.0,
        1e-30,
        -1e-30,
    ];
    for huge in [1e30, 2_147_483_648.0, 1e9, 16_777_217.0, 1e6] {
        all.extend([huge, -huge, huge + 0.5]);
    }
    for k in 0..=n.min(5) {
        let mut around = vec![k as f32];
        if k + 5 < n {
            around.push((n - k) as f32);
        }
        around.extend([
            n as f32,
            -(n as f32),
            2.0 * size,
            -(k as f32),
            size + k as f32,
        ]);
        for at in around {
            for part in [0.0, 0.25, 0.5, 0.75] {
                all.push(at + part);
            }
            for j in [6, 8, 9, 10, 12, 20] {
                let step = 1.0 / (1u64 << j) as f32;
                all.extend([at + step, at - step, at + 0.5 + step, at + 0.5 - step]);
            }
        }
    }
    if normalized {
        for value in &mut all {
            if value.abs() < 1e5 {
                *value /= size;
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    all.retain(|value| seen.insert(value.to_bits()));
    all
}

/// Returns a coordinate: at an edge, near the texture, or inside it.
pub fn coordinate(random: &mut Random, edges: &[f32], n: usize, normalized: bool) -> f32 {
    let size = if normalized { 1.0 } else { n as f32 };
    match random.below(4) {
        0 | 1 => edges[random.below(edges.len())],
        2 => (random.unit() * 4.0 - 1.5) * size,
        _ => random.unit() * size,
    }
}

/// Returns points with as many dimensions as `size`. In one dimension, all edges are included.
pub fn points(size: &[usize], normalized: bool, count: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut random = Random::new(seed + 77);
    let lists: Vec<_> = size.iter().map(|&n| edges(n, normalized)).collect();
    let mut all = Vec::new();
    if size.len() == 1 {
        all.extend(lists[0].iter().map(|v| vec![v.to_bits()]));
    }
    while all.len() < count {
        let point = size.iter().zip(&lists);
        all.push(
            point
                .map(|(&n, edges)| coordinate(&mut random, edges, n, normalized).to_bits())
                .collect(),
        );
    }
    all
}
