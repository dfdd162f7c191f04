//! Sparse matrices: half of every group of elements in a row is stored, selected by metadata.

use super::element::Element;

/// Returns the location of a group's four metadata bits: the lane, and the lowest bit. `groups` is
/// the number of groups per row: 4, 8 or 16. A row's bits are in 1, 2 or 4 lanes of a quad, and the
/// selector chooses among the quad's lanes.
pub(crate) const fn metadata(
    element: Element,
    row: usize,
    group: usize,
    groups: usize,
    selector: usize,
) -> (usize, u32) {
    let first = row % 8 * 4 + selector * (groups / 4);
    if element.bits() > 8 {
        // A lane has four groups of a row, and four of the row 8 below.
        (first + group / 4, (row / 8 * 16 + group % 4 * 4) as u32)
    } else {
        // A lane has eight groups of one row.
        (first + row / 8 + group / 8 * 2, (group % 8 * 4) as u32)
    }
}

/// Returns the number of elements in a group, and the number of elements per index.
pub(crate) const fn group(element: Element) -> (usize, usize) {
    match element {
        Element::Tf32 => (2, 1),
        Element::S4 | Element::U4 => (8, 2),
        _ => (4, 1),
    }
}

/// Returns the position of a row's stored element `i` in the full row, according to the group's
/// metadata.
pub(crate) const fn place(i: usize, element: Element, bits: u32) -> usize {
    let (size, unit) = group(element);
    let (group, inside) = (i / (size / 2), i % (size / 2));
    let index = if let Element::Tf32 = element {
        // 0b0100 or 0b1110: the first or the second element.
        (bits >> 3 & 1) as usize
    } else {
        (bits >> (2 * (inside / unit)) & 3) as usize * unit + inside % unit
    };
    group * size + index
}
