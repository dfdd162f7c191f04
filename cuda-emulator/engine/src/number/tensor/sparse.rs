//! Sparse matrices: of every group of elements in a row, half is stored. Metadata say which.

use super::element::Element;

/// Where the four bits of a group's metadata lie: the lane, and the lowest bit. `groups` is the number of groups in a row,
/// 4, 8 or 16; then a row's bits are in 1, 2 or 4 lanes of a quad, and the selector chooses among the quad's lanes.
pub(crate) const fn metadata(
    element: Element,
    row: usize,
    group: usize,
    groups: usize,
    selector: usize,
) -> (usize, u32) {
    let first = row % 8 * 4 + selector * (groups / 4);
    if element.bits() > 8 {
        // A lane has four groups of a row, and of the row 8 below.
        (first + group / 4, (row / 8 * 16 + group % 4 * 4) as u32)
    } else {
        // A lane has eight groups of one row.
        (first + row / 8 + group / 8 * 2, (group % 8 * 4) as u32)
    }
}

/// Elements in a group, and elements that one index stands for.
pub(crate) const fn group(element: Element) -> (usize, usize) {
    match element {
        Element::Tf32 => (2, 1),
        Element::S4 | Element::U4 => (8, 2),
        _ => (4, 1),
    }
}

/// Where the stored element `i` of a row lies in the full row, by the group's metadata.
pub(crate) const fn place(i: usize, element: Element, bits: u32) -> usize {
    let (size, unit) = group(element);
    let (group, inside) = (i / (size / 2), i % (size / 2));
    let index = if let Element::Tf32 = element {
        // 0b0100 or 0b1110: the first element or the second.
        (bits >> 3 & 1) as usize
    } else {
        (bits >> (2 * (inside / unit)) & 3) as usize * unit + inside % unit
    };
    group * size + index
}
