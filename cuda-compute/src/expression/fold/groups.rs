//! The groups of axes that a reduction traverses, and the layout of its results.

use crate::array::{Axes, Layout, MAX_RANK, Shape};

/// A group of axes. A kernel traverses the groups in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Group {
    /// Axes of the result.
    Outer,
    /// The reduced axes.
    Folded,
    /// Axes of the result with smaller strides than all reduced axes.
    Inner,
}

/// The axes of a shape in groups.
#[derive(Debug)]
pub(in super::super) struct Groups {
    shape: Shape,
    of_axes: [Group; MAX_RANK],
    /// All axes in the order of traversal, outermost first.
    pub(in super::super) order: Axes,
    /// The layout of the results along all axes.
    results: Layout,
    in_rows: bool,
}

impl Groups {
    /// Divides the axes of a space, whose elements are read in the order of this layout. `reduced`
    /// has a bit for each reduced axis.
    pub(in super::super) fn new(layout: &Layout, reduced: u8) -> Self {
        let shape = layout.shape;
        let folded = |axis: usize| reduced >> axis & 1 == 1;
        // The axes from the largest to the smallest stride.
        let dense = layout.axes();
        let in_rows = dense
            .iter()
            .rfind(|&&axis| shape[axis] != 1)
            .is_none_or(|&axis| folded(axis));
        let last_folded = dense
            .iter()
            .rposition(|&axis| folded(axis) && shape[axis] != 1);
        let mut of_axes = [Group::Outer; MAX_RANK];
        for (place, &axis) in dense.iter().enumerate() {
            if folded(axis) {
                of_axes[axis] = Group::Folded;
            } else if !in_rows && last_folded.is_none_or(|last| place > last) {
                of_axes[axis] = Group::Inner;
            }
        }
        let kept: Vec<usize> = dense
            .iter()
            .copied()
            .filter(|&axis| !folded(axis))
            .collect();
        let mut order = dense;
        order.sort_by_key(|&axis| of_axes[axis]);
        Self {
            shape,
            of_axes,
            order,
            // The results are dense along the axes that are not reduced, in the order in which
            // these are read. The stride along the reduced axes is 0.
            results: Layout::dense_along(shape, &kept),
            in_rows,
        }
    }

    pub(in super::super) fn of(&self, axis: usize) -> Group {
        self.of_axes[axis]
    }

    fn is_folded(&self, axis: usize) -> bool {
        self.of(axis) == Group::Folded
    }

    /// Returns whether adjacent elements are folded. Otherwise they belong to different results.
    pub(in super::super) fn in_rows(&self) -> bool {
        self.in_rows
    }

    /// Returns the number of elements along the axes of a group.
    pub(in super::super) fn elements(&self, group: Group) -> u64 {
        let axes = (0..self.shape.rank()).filter(|&axis| self.of(axis) == group);
        axes.map(|axis| self.shape[axis] as u64).product()
    }

    /// Returns whether all elements are folded into one result.
    pub(in super::super) fn have_one_result(&self) -> bool {
        self.elements(Group::Outer) * self.elements(Group::Inner) == 1
    }

    /// Returns the layout of the result in the space that the kernel traverses. If there are no
    /// elements, the space has one place for each result.
    pub(in super::super) fn target(&self) -> Layout {
        let none = self.elements(Group::Folded) == 0;
        self.results
            .with_lengths(|axis| match self.is_folded(axis) && none {
                true => 1,
                false => self.shape[axis],
            })
    }

    /// Returns the layout of the result, with the reduced axes if they are kept.
    pub(in super::super) fn result(&self, keep: bool) -> Layout {
        let folded = |axis: usize| self.is_folded(axis);
        match keep {
            true => self
                .results
                .with_lengths(|axis| if folded(axis) { 1 } else { self.shape[axis] }),
            false => self.results.without_axes(folded),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Order;

    fn dense(lengths: &[usize], reduced: u8) -> Groups {
        Groups::new(&Layout::dense(Shape::of(lengths), Order::C), reduced)
    }

    #[test]
    fn the_densest_axis_decides_between_rows_and_columns() {
        use Group::{Folded, Inner, Outer};
        for (reduced, groups, in_rows) in [
            (0b100, [Outer, Outer, Folded], true),
            (0b010, [Outer, Folded, Inner], false),
            (0b001, [Folded, Inner, Inner], false),
            (0b101, [Folded, Outer, Folded], true),
            (0b111, [Folded, Folded, Folded], true),
            (0b000, [Inner, Inner, Inner], false),
        ] {
            let found = dense(&[4, 5, 6], reduced);
            assert_eq!([0, 1, 2].map(|axis| found.of(axis)), groups, "{reduced:b}");
            assert_eq!(found.in_rows(), in_rows, "{reduced:b}");
            assert_eq!(found.have_one_result(), reduced == 0b111);
        }
        // Axes of one element are ignored.
        assert!(dense(&[64, 1], 0b01).in_rows() && dense(&[64, 1], 0b01).have_one_result());
        assert!(!dense(&[10, 1], 0b10).in_rows());
    }

    #[test]
    fn results_are_dense_along_the_other_axes() {
        let groups = dense(&[4, 5, 6], 0b010);
        let strides = |layout: Layout| layout.strides().to_vec();
        assert_eq!(strides(groups.result(false)), [6, 1]);
        assert_eq!(groups.result(true).shape, Shape::of(&[4, 1, 6]));
        assert_eq!(strides(groups.target()), [6, 0, 1]);
        assert_eq!(groups.target().shape, Shape::of(&[4, 5, 6]));
        let empty = dense(&[4, 0, 6], 0b010);
        assert_eq!(empty.target().shape, Shape::of(&[4, 1, 6]));
        assert_eq!(empty.elements(Group::Folded), 0);
    }
}
