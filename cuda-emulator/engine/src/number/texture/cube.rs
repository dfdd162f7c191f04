//! Cube maps: the face and position that a direction meets, and the texels beyond a face's edge.

/// Returns the face of a direction, in the order +x, -x, +y, -y, +z, -z, and the position on it, in
/// 0..1.
pub(crate) fn face(direction: [f32; 3]) -> (u32, [f64; 2]) {
    let [x, y, z] = direction.map(f64::from);
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if az.is_infinite() {
        // The same as on an H200.
        return (2, [0.5, 0.5]);
    }
    let (face, s, t, major) = if az >= ax && az >= ay {
        if z >= 0.0 {
            (4, x, -y, az)
        } else {
            (5, -x, -y, az)
        }
    } else if ay >= ax {
        if y >= 0.0 {
            (2, x, z, ay)
        } else {
            (3, x, -z, ay)
        }
    } else if x >= 0.0 {
        (0, -z, -y, ax)
    } else {
        (1, z, -y, ax)
    };
    let place = |v: f64| match (v / major + 1.0) * 0.5 {
        _ if major == 0.0 => 0.5,
        // Even a tiny negative value is before the middle.
        0.5 if v < 0.0 => 0.5 - f64::EPSILON,
        place => place,
    };
    (face, [s, t].map(place))
}

/// Returns the distance of two directions on a face, in units of half a side along its coordinates,
/// and whether the second is on another face. That face is then unfolded next to the first.
pub(crate) fn difference(from: [f32; 3], by: [f32; 3]) -> ([f64; 2], bool) {
    let to = std::array::from_fn(|i| from[i] + by[i]);
    let (own, other) = (face(from).0 as usize, face(to).0 as usize);
    let (from, to) = (from.map(f64::from), to.map(f64::from));
    // The axis perpendicular to a face, and its side.
    let (major, next) = (own / 2, other / 2);
    let (here, there) = (from[major].abs(), to[next].abs());
    let mut apart: [f64; 3] = std::array::from_fn(|i| to[i] / there - from[i] / here);
    apart[major] = 0.0;
    if next != major {
        let side = |face: usize| if face.is_multiple_of(2) { 1.0 } else { -1.0 };
        let to_the_edge = 1.0 - from[next] * side(other) / here;
        let behind_it = 1.0 - to[major] * side(own) / there;
        apart[next] = side(other) * (to_the_edge + behind_it);
    }
    let [_, across, down] = AXES[own];
    let along = |axis: [f32; 3]| {
        let parts = (0..3).filter(|&i| axis[i] != 0.0);
        parts.map(|i| apart[i] * f64::from(axis[i])).sum()
    };
    ([along(across), along(down)], own != other)
}

/// The direction of a face's middle, and the directions in which its two coordinates increase.
const AXES: [[[f32; 3]; 3]; 6] = [
    [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]],
    [[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]],
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]],
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
    [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
];

/// Returns the face and texel at a position on a face with `n` texels per side, at most one texel
/// beyond its edges. `None` at a corner, where there is no texel.
pub(crate) fn around(of: u32, [x, y]: [i64; 2], n: u32) -> Option<(u32, [u32; 2])> {
    let size = i64::from(n);
    let inside = |v: i64| (0..size).contains(&v);
    match (inside(x), inside(y)) {
        (true, true) => return Some((of, [x as u32, y as u32])),
        (false, false) => return None,
        _ => {}
    }
    // The adjacent face, half a texel from the edge.
    let part = |v: i64| match v {
        ..0 => -1.0,
        v if v >= size => 1.0,
        v => (2 * v + 1) as f32 / n as f32 - 1.0,
    };
    let [middle, across, down] = AXES[of as usize % 6];
    let (s, t, inward) = (part(x), part(y), 1.0 - 1.0 / n as f32);
    let direction = std::array::from_fn(|i| inward * middle[i] + s * across[i] + t * down[i]);
    let (next, place) = face(direction);
    let number = |v: f64| ((v * f64::from(n)).floor().max(0.0) as u32).min(n - 1);
    Some((next, place.map(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_continue_across_edges() {
        assert_eq!(
            difference([1.0, 0.0, 0.5], [0.0, 0.25, -0.5]),
            ([0.5, -0.25], false)
        );
        // From the middle of +y to the middle of -z: two halves of a side, upwards.
        let (apart, other) = difference([0.0, 1.0, 0.0], [0.0, -1.0, -1.0]);
        assert_eq!((apart, other), ([0.0, -2.0], true));
    }

    #[test]
    fn neighbours_are_mutual() {
        for n in [2, 5] {
            for of in 0..6 {
                for along in 0..i64::from(n) {
                    let (next, [x, y]) = around(of, [-1, along], n).unwrap();
                    assert_ne!(next, of);
                    let (x, y) = (i64::from(x), i64::from(y));
                    let beyond = [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]];
                    let back = beyond.into_iter().filter_map(|at| around(next, at, n));
                    let home = (of, [0, along as u32]);
                    assert!(back.into_iter().any(|one| one == home), "{of} {along}");
                }
            }
        }
        assert_eq!(around(0, [-1, -1], 4), None);
        assert_eq!(around(3, [2, 1], 4), Some((3, [2, 1])));
    }
}
