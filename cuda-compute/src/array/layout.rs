//! The positions of an array's elements in its memory.

use std::{
    cmp::Reverse,
    ops::{Deref, DerefMut},
};

use super::{
    index::SliceItem,
    indices::IntoIndices,
    shape::{MAX_RANK, Shape},
};
use crate::error::{Error, Result};

/// A shape, the strides along each axis, and the offset of the first element, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Layout {
    pub(crate) shape: Shape,
    strides: [isize; MAX_RANK],
    pub(crate) offset: usize,
}

/// The order of an array's elements in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last axis is contiguous, as in C.
    #[default]
    C,
    /// The first axis is contiguous, as in Fortran.
    F,
}

impl Layout {
    /// Returns a contiguous layout.
    pub(crate) fn dense(shape: Shape, order: Order) -> Self {
        let mut axes = Axes::of(shape.rank());
        if order == Order::F {
            axes.reverse();
        }
        Self::dense_along(shape, &axes)
    }

    /// Returns a layout that is contiguous along some axes, which are listed outermost first. The
    /// stride along the other axes is 0.
    pub(crate) fn dense_along(shape: Shape, axes: &[usize]) -> Self {
        let mut strides = [0; MAX_RANK];
        let mut stride = 1;
        for &axis in axes.iter().rev() {
            strides[axis] = stride;
            stride *= shape[axis].max(1) as isize;
        }
        Self {
            shape,
            strides,
            offset: 0,
        }
    }

    /// Returns a contiguous layout with the axes in their present order in memory.
    pub(crate) fn compact(&self) -> Self {
        match self.is_dense(Order::C) {
            true => Self::dense(self.shape, Order::C),
            false => Self::dense_along(self.shape, &self.axes()),
        }
    }

    /// Returns the layout of the same bytes as elements of another size, or `None` if they don't
    /// divide into whole contiguous elements.
    pub(crate) fn resized(&self, from: usize, to: usize) -> Option<Self> {
        if from == to {
            return Some(*self);
        }
        let last = self.shape.rank().checked_sub(1)?;
        if self.shape[last] > 1 && self.strides[last] != 1 {
            return None;
        }
        if !from.is_multiple_of(to) && !to.is_multiple_of(from) {
            return None;
        }
        // One of the two factors is 1.
        let (more, less) = ((from / to).max(1), (to / from).max(1));
        let whole = |count: usize| count.is_multiple_of(less).then_some(count / less * more);
        let mut result = *self;
        result.shape.as_mut_slice()[last] = whole(self.shape[last])?;
        if result.shape.elements() == 0 {
            return Some(Self::dense(result.shape, Order::C));
        }
        result.offset = whole(self.offset)?;
        result.strides[last] = 1;
        for axis in (0..last).filter(|&axis| self.shape[axis] > 1) {
            let stride = whole(self.strides[axis].unsigned_abs())? as isize;
            result.strides[axis] = stride * self.strides[axis].signum();
        }
        Some(result)
    }

    /// Returns the layout of parts of `to` bytes that begin at this byte of elements of `from`
    /// bytes. Returns `None` if the parts' positions are not multiples of their size.
    pub(crate) fn of_parts(&self, from: usize, to: usize, byte: usize) -> Option<Self> {
        if !from.is_multiple_of(to) || !byte.is_multiple_of(to) {
            return None;
        }
        let parts = from / to;
        let mut result = *self;
        result.offset = self.offset.checked_mul(parts)? + byte / to;
        for stride in &mut result.strides {
            *stride = stride.checked_mul(parts as isize)?;
        }
        Some(result)
    }

    pub(crate) fn strides(&self) -> &[isize] {
        &self.strides[..self.shape.rank()]
    }

    /// Returns the strides, padded with zeros to `MAX_RANK`.
    pub(crate) fn strides_padded(&self) -> [isize; MAX_RANK] {
        self.strides
    }

    /// Sets the stride of each axis.
    pub(crate) fn set_strides(&mut self, stride: impl Fn(usize) -> isize) {
        for axis in 0..self.shape.rank() {
            self.strides[axis] = stride(axis);
        }
    }

    /// Returns the layout with other lengths and the same strides.
    pub(crate) fn with_lengths(&self, length: impl Fn(usize) -> usize) -> Self {
        let mut result = *self;
        for (axis, own) in result.shape.as_mut_slice().iter_mut().enumerate() {
            *own = length(axis);
        }
        result
    }

    /// Returns the layout with its axes in reverse order.
    pub(crate) fn reversed_axes(&self) -> Self {
        let mut result = *self;
        let rank = self.shape.rank();
        result.shape.as_mut_slice().reverse();
        result.strides[..rank].reverse();
        result
    }

    /// Returns whether the elements are contiguous in this order. Axes of length 1 may have any
    /// stride.
    pub(crate) fn is_dense(&self, order: Order) -> bool {
        let dense = Self::dense(self.shape, order);
        let axes = self
            .shape
            .as_slice()
            .iter()
            .zip(self.strides().iter().zip(dense.strides()));
        self.shape.elements() == 0
            || axes
                .into_iter()
                .all(|(&length, (a, b))| length == 1 || a == b)
    }

    /// Returns the axes in their order in memory, outermost first. Of equal strides, the last axis
    /// is innermost. Axes of length 1 come first, because their strides don't matter.
    pub(crate) fn axes(&self) -> Axes {
        let mut axes = Axes::of(self.shape.rank());
        axes.sort_by_key(|&axis| match self.shape[axis] {
            1 => Reverse(isize::MAX),
            _ => Reverse(self.strides[axis].abs()),
        });
        axes
    }

    /// Returns the lowest and the highest offset of an element, or `None` if there are no elements.
    pub(crate) fn bounds(&self) -> Option<(usize, usize)> {
        if self.shape.elements() == 0 {
            return None;
        }
        let (mut low, mut high) = (self.offset as isize, self.offset as isize);
        for (&length, &stride) in self.shape.as_slice().iter().zip(self.strides()) {
            let far = (length as isize - 1) * stride;
            low += far.min(0);
            high += far.max(0);
        }
        Some((low as usize, high as usize))
    }

    /// Returns whether two different indices may refer to one element, for example after
    /// broadcasting. This is exact for layouts that slices, transposes and broadcasts make from
    /// dense arrays.
    pub(crate) fn repeats(&self) -> bool {
        let axes = self.axes();
        let mut reach = 0;
        for &axis in axes.iter().rev().filter(|&&axis| self.shape[axis] > 1) {
            let stride = self.strides[axis].abs();
            if stride <= reach {
                return true;
            }
            reach += stride * (self.shape[axis] as isize - 1);
        }
        false
    }

    /// Returns the layout with its axes in another order.
    pub(crate) fn permuted(&self, axes: impl IntoIndices) -> Result<Self> {
        let (rank, named) = (self.shape.rank(), axes.into_indices());
        let axes = named.iter().map(|&axis| self.shape.axis(axis));
        let axes = axes.collect::<Result<Vec<usize>>>()?;
        let mut seen = [false; MAX_RANK];
        let once = |&axis: &usize| !std::mem::replace(&mut seen[axis], true);
        if axes.len() != rank || !axes.iter().all(once) {
            return Err(Error::Shape(format!(
                "axes {named:?} are not a permutation of the {rank} axes of an array of shape {}. Fix: name each axis from 0 to \
                 {} once",
                self.shape,
                rank.saturating_sub(1)
            )));
        }
        let mut result = *self;
        for (to, from) in axes.into_iter().enumerate() {
            result.shape.as_mut_slice()[to] = self.shape[from];
            result.strides[to] = self.strides[from];
        }
        Ok(result)
    }

    /// Returns the layout broadcast to another shape.
    pub(crate) fn broadcast_to(&self, shape: Shape) -> Result<Self> {
        if shape == self.shape {
            return Ok(*self);
        }
        if self.shape.broadcast(&shape) != Some(shape) {
            return Err(Error::Shape(format!(
                "an array of shape {} can't be broadcast to {shape}: from the last axis on, each length must be 1 or the \
                 target's",
                self.shape
            )));
        }
        let missing = shape.rank() - self.shape.rank();
        let mut result = Self {
            shape,
            strides: [0; MAX_RANK],
            offset: self.offset,
        };
        for (axis, (&length, &stride)) in
            self.shape.as_slice().iter().zip(self.strides()).enumerate()
        {
            if length == shape[axis + missing] {
                result.strides[axis + missing] = stride;
            }
        }
        Ok(result)
    }

    /// Returns the layout of another shape with the elements in C order, or `None` if it cannot be
    /// expressed with strides.
    pub(crate) fn reshaped(&self, shape: Shape) -> Option<Self> {
        let mut result = Self::dense(shape, Order::C);
        result.offset = self.offset;
        if self.shape.elements() == 0 {
            return Some(result);
        }
        // Merges old axes into runs with a single stride each, and then splits each run into new
        // axes with the same number of elements.
        let mut old: Vec<(usize, isize)> = Vec::with_capacity(MAX_RANK);
        for (&length, &stride) in self.shape.as_slice().iter().zip(self.strides()) {
            match old.last_mut() {
                _ if length == 1 => {}
                Some(last) if last.1 == stride * length as isize => {
                    *last = (last.0 * length, stride)
                }
                _ => old.push((length, stride)),
            }
        }
        let mut axis = shape.rank();
        for (length, stride) in old.into_iter().rev() {
            let mut left = length;
            let mut stride = stride;
            while left > 1 {
                axis = axis.checked_sub(1)?;
                let part = shape[axis];
                if left % part != 0 {
                    return None;
                }
                result.strides[axis] = stride;
                stride *= part as isize;
                left /= part;
            }
        }
        Some(result)
    }

    /// Returns the layout of a slice.
    pub(crate) fn sliced(&self, items: &[SliceItem]) -> Result<Self> {
        let named = items
            .iter()
            .filter(|item| !matches!(item, SliceItem::NewAxis | SliceItem::Ellipsis));
        let (named, rank) = (named.count(), self.shape.rank());
        if named > rank {
            return Err(Error::Shape(format!(
                "a slice names {named} axes, but an array of shape {} has {rank}",
                self.shape
            )));
        }
        let ellipses = items
            .iter()
            .filter(|item| matches!(item, SliceItem::Ellipsis))
            .count();
        if ellipses > 1 {
            return Err(Error::Shape("a slice can have at most one Ellipsis".into()));
        }
        let mut lengths = Vec::with_capacity(MAX_RANK);
        let mut strides = Vec::with_capacity(MAX_RANK);
        let mut offset = self.offset as isize;
        let mut axis = 0;
        let keep = |axis: &mut usize, count: usize, lengths: &mut Vec<_>, strides: &mut Vec<_>| {
            for _ in 0..count {
                lengths.push(self.shape[*axis]);
                strides.push(self.strides[*axis]);
                *axis += 1;
            }
        };
        for item in items {
            match item {
                SliceItem::NewAxis => {
                    lengths.push(1);
                    strides.push(0);
                }
                SliceItem::Ellipsis => keep(&mut axis, rank - named, &mut lengths, &mut strides),
                SliceItem::Index(index) => {
                    let at = item.place(*index, axis, self.shape)?;
                    offset += at * self.strides[axis];
                    axis += 1;
                }
                SliceItem::Range { .. } => {
                    let (start, length, step) = item.range(axis, self.shape)?;
                    if length > 0 {
                        offset += start * self.strides[axis];
                    }
                    lengths.push(length);
                    // A step beyond the end selects only one element, and the product with the
                    // stride may overflow.
                    let stride = self.strides[axis];
                    strides.push(stride.checked_mul(step).unwrap_or(stride));
                    axis += 1;
                }
            }
        }
        let rest = rank - axis;
        keep(&mut axis, rest, &mut lengths, &mut strides);
        let mut result = Self {
            shape: Shape::new(&lengths)?,
            strides: [0; MAX_RANK],
            offset: offset as usize,
        };
        result.strides[..strides.len()].copy_from_slice(&strides);
        Ok(result)
    }

    /// Returns a diagonal of the last two axes, `offset` columns to the right or `-offset` rows
    /// down. The rank must be at least 2.
    pub(crate) fn diagonal(&self, offset: isize) -> Self {
        let [row, column] = [self.shape.rank() - 2, self.shape.rank() - 1];
        let (right, down) = (offset.max(0) as usize, offset.min(0).unsigned_abs());
        let columns = self.shape[column].saturating_sub(right);
        let length = self.shape[row].saturating_sub(down).min(columns);
        let mut result = *self;
        result.shape = Shape::of(&self.shape.as_slice()[..column]);
        result.shape.as_mut_slice()[row] = length;
        result.strides[row] = self.strides[row] + self.strides[column];
        result.strides[column] = 0;
        if length > 0 {
            let start = right as isize * self.strides[column] + down as isize * self.strides[row];
            result.offset = (self.offset as isize + start) as usize;
        }
        result
    }

    /// Returns the layout without some axes of length 1.
    pub(crate) fn without_axes(&self, removed: impl Fn(usize) -> bool) -> Self {
        let mut result = *self;
        let mut lengths = Vec::with_capacity(MAX_RANK);
        result.strides = [0; MAX_RANK];
        for axis in (0..self.shape.rank()).filter(|&axis| !removed(axis)) {
            result.strides[lengths.len()] = self.strides[axis];
            lengths.push(self.shape[axis]);
        }
        result.shape = Shape::of(&lengths);
        result
    }
}

/// The axes of a shape in some order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axes {
    axes: [usize; MAX_RANK],
    rank: usize,
}

impl Axes {
    /// Returns the axes of this rank in ascending order.
    pub(crate) fn of(rank: usize) -> Self {
        Self {
            axes: [0, 1, 2, 3, 4, 5, 6, 7],
            rank,
        }
    }
}

impl Deref for Axes {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.axes[..self.rank]
    }
}

impl DerefMut for Axes {
    fn deref_mut(&mut self) -> &mut [usize] {
        &mut self.axes[..self.rank]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::s;

    fn shape(lengths: &[usize]) -> Shape {
        Shape::new(lengths).unwrap()
    }

    fn c(lengths: &[usize]) -> Layout {
        Layout::dense(shape(lengths), Order::C)
    }

    #[test]
    fn dense_layouts() {
        assert_eq!(c(&[2, 3, 4]).strides(), [12, 4, 1]);
        assert_eq!(
            Layout::dense(shape(&[2, 3, 4]), Order::F).strides(),
            [1, 2, 6]
        );
        assert!(c(&[2, 3]).is_dense(Order::C) && !c(&[2, 3]).is_dense(Order::F));
        assert!(c(&[1, 3]).is_dense(Order::F) && c(&[0, 3]).is_dense(Order::F));
    }

    #[test]
    fn slices_follow_numpy() {
        let layout = c(&[10, 20]);
        let sliced = layout.sliced(&s![2..9;3, ..;-1]).unwrap();
        assert_eq!(sliced.shape, [3, 20]);
        assert_eq!((sliced.strides(), sliced.offset), (&[60, -1][..], 59));
        let sliced = layout.sliced(&s![-1, 5..]).unwrap();
        assert_eq!((sliced.shape, sliced.offset), (shape(&[15]), 185));
        // A range from a higher to a lower index with a positive step is empty.
        let (high, low) = (2, 1);
        assert_eq!(layout.sliced(&s![high..low]).unwrap().shape, [0, 20]);
        assert_eq!(
            layout.sliced(&s![.., crate::NewAxis, 3]).unwrap().shape,
            [10, 1]
        );
        assert_eq!(
            layout.sliced(&s![crate::Ellipsis, 3..4]).unwrap().shape,
            [10, 1]
        );
        assert_eq!(layout.sliced(&s![8..11]).unwrap().shape, [2, 20]);
        for wrong in [&s![10][..], &s![-11], &s![.., .., 0], &s![..;0]] {
            layout.sliced(wrong).unwrap_err();
        }
    }

    #[test]
    fn reshaped_finds_strides_if_no_copy_is_needed() {
        let strides = |from: &Layout, to: &[usize]| {
            from.reshaped(shape(to))
                .map(|layout| layout.strides().to_vec())
        };
        assert_eq!(strides(&c(&[8, 16]), &[4, 32]), Some(vec![32, 1]));
        assert_eq!(
            strides(&c(&[6]), &[1, 2, 1, 3]).map(|s| (s[1], s[3])),
            Some((3, 1))
        );
        let transposed = c(&[4, 6]).permuted([1, 0]).unwrap();
        assert_eq!(strides(&transposed, &[24]), None);
        assert_eq!(strides(&transposed, &[2, 3, 4]), Some(vec![3, 1, 6]));
        let rows = c(&[4, 6]).sliced(&s![.., 1..5]).unwrap();
        assert_eq!(strides(&rows, &[2, 2, 2, 2]), Some(vec![12, 6, 2, 1]));
        assert_eq!(strides(&rows, &[16]), None);
        let row = c(&[1, 6]).broadcast_to(shape(&[4, 6])).unwrap();
        assert_eq!(strides(&row, &[2, 2, 6]), Some(vec![0, 0, 1]));
        assert_eq!(strides(&row, &[24]), None);
    }

    #[test]
    fn repeats_detects_broadcast_axes() {
        assert!(!c(&[3, 4]).repeats());
        assert!(!c(&[3, 4]).sliced(&s![..;-2, 1..;2]).unwrap().repeats());
        assert!(c(&[1, 4]).broadcast_to(shape(&[3, 4])).unwrap().repeats());
        assert!(!c(&[1, 4]).broadcast_to(shape(&[1, 4])).unwrap().repeats());
    }

    #[test]
    fn orders_name_each_axis_once() {
        let layout = c(&[2, 3, 4]);
        let turned = layout.permuted([2, 0, 1]).unwrap();
        assert_eq!(turned.shape, [4, 2, 3]);
        assert_eq!(turned.strides(), [1, 12, 4]);
        assert_eq!(layout.permuted([-1, 0, -2]).unwrap(), turned);
        let error = layout.permuted([0, 1, 3]).unwrap_err().to_string();
        let range = "axis 3 is out of range for shape [2, 3, 4]. Fix: pass an axis from -3 to 2";
        assert!(error.contains(range), "{error}");
        for wrong in [&[0, 1][..], &[0, 1, 1], &[0, 1, -2], &[0, 1, 2, 0], &[]] {
            let error = layout.permuted(wrong).unwrap_err().to_string();
            assert!(
                error.ends_with("Fix: name each axis from 0 to 2 once"),
                "{error}"
            );
        }
        assert_eq!(c(&[]).permuted(()).unwrap(), c(&[]));
    }

    #[test]
    fn bounds_are_the_outermost_elements() {
        assert_eq!(c(&[2, 3]).bounds(), Some((0, 5)));
        assert_eq!(c(&[]).bounds(), Some((0, 0)));
        assert_eq!(c(&[2, 0]).bounds(), None);
        let part = c(&[4, 5]).sliced(&s![1..3, ..;-2]).unwrap();
        assert_eq!((part.offset, part.bounds()), (9, Some((5, 14))));
        let row = c(&[1, 3]).broadcast_to(shape(&[4, 3])).unwrap();
        assert_eq!(row.bounds(), Some((0, 2)));
    }

    #[test]
    fn axes_go_from_the_sparsest_to_the_densest() {
        let axes = |layout: &Layout| layout.axes().to_vec();
        assert_eq!(axes(&c(&[2, 3, 4])), [0, 1, 2]);
        assert_eq!(axes(&c(&[2, 3, 4]).reversed_axes()), [2, 1, 0]);
        // Axes are sorted by the absolute value of the stride. Axes of length 1 come first. Of
        // equal strides, the last axis is innermost.
        assert_eq!(axes(&c(&[2, 3]).sliced(&s![..;-1, ..]).unwrap()), [0, 1]);
        assert_eq!(axes(&c(&[2, 3, 1])), [2, 0, 1]);
        assert_eq!(
            axes(&c(&[1, 1]).broadcast_to(shape(&[2, 3])).unwrap()),
            [0, 1]
        );
    }

    #[test]
    fn compact_layouts_keep_the_order() {
        let strides = |layout: Layout| {
            let compact = layout.compact();
            assert_eq!(compact.offset, 0);
            compact.strides().to_vec()
        };
        let layout = c(&[4, 6]);
        assert_eq!(strides(layout.sliced(&s![1..3, ..;2]).unwrap()), [3, 1]);
        assert_eq!(strides(layout.permuted([1, 0]).unwrap()), [1, 6]);
        assert_eq!(strides(c(&[2, 1, 3])), [3, 3, 1]);
    }

    #[test]
    fn bytes_are_seen_as_elements_of_another_size() {
        let resized = |layout: &Layout, from, to| {
            let result = layout.resized(from, to)?;
            let shape = result.shape.as_slice().to_vec();
            Some((shape, result.strides().to_vec(), result.offset))
        };
        let layout = c(&[3, 4]).sliced(&s![1.., ..]).unwrap();
        assert_eq!(resized(&layout, 4, 4), Some((vec![2, 4], vec![4, 1], 4)));
        assert_eq!(resized(&layout, 4, 2), Some((vec![2, 8], vec![8, 1], 8)));
        assert_eq!(resized(&layout, 4, 8), Some((vec![2, 2], vec![2, 1], 2)));
        assert_eq!(resized(&layout, 4, 16), Some((vec![2, 1], vec![1, 1], 1)));
        // None of these divide into whole elements: because of the sizes, the row's length, the
        // offset of the first element, or the row stride.
        assert_eq!(resized(&layout, 4, 6), None);
        assert_eq!(resized(&c(&[3, 3]), 4, 8), None);
        assert_eq!(resized(&c(&[4]).sliced(&s![1..3]).unwrap(), 4, 8), None);
        assert_eq!(
            resized(&c(&[3, 5]).sliced(&s![.., ..4]).unwrap(), 4, 8),
            None
        );
        // The last axis has to be dense, unless it has one element.
        assert_eq!(
            resized(&c(&[4, 4]).sliced(&s![.., ..;2]).unwrap(), 4, 2),
            None
        );
        let column = c(&[4, 4]).sliced(&s![..;-1, ..1]).unwrap();
        assert_eq!(resized(&column, 4, 2), Some((vec![4, 2], vec![-8, 1], 24)));
        assert_eq!(resized(&c(&[]), 4, 2), None);
        assert_eq!(resized(&c(&[]), 4, 4), Some((vec![], vec![], 0)));
        assert_eq!(
            resized(&c(&[2, 0]), 4, 2),
            Some((vec![2, 0], vec![1, 1], 0))
        );
    }

    #[test]
    fn fields_are_parts_of_elements() {
        let layout = c(&[3, 4]).sliced(&s![1.., ..;-1]).unwrap();
        let part = layout.of_parts(12, 4, 8).unwrap();
        assert_eq!(part.shape, [2, 4]);
        assert_eq!((part.strides(), part.offset), (&[12, -3][..], 7 * 3 + 2));
        assert_eq!(layout.of_parts(12, 8, 0), None);
        assert_eq!(layout.of_parts(12, 4, 2), None);
    }

    #[test]
    fn diagonals_begin_at_an_edge() {
        let diagonal = |lengths: &[usize], offset| {
            let diagonal = c(lengths).diagonal(offset);
            let shape = diagonal.shape.as_slice().to_vec();
            (shape, diagonal.strides().to_vec(), diagonal.offset)
        };
        assert_eq!(diagonal(&[3, 4], 0), (vec![3], vec![5], 0));
        assert_eq!(diagonal(&[3, 4], 1), (vec![3], vec![5], 1));
        assert_eq!(diagonal(&[3, 4], 2), (vec![2], vec![5], 2));
        assert_eq!(diagonal(&[3, 4], 4), (vec![0], vec![5], 0));
        assert_eq!(diagonal(&[3, 4], -1), (vec![2], vec![5], 4));
        assert_eq!(diagonal(&[3, 4], -3), (vec![0], vec![5], 0));
        assert_eq!(diagonal(&[2, 3, 4], -2), (vec![2, 1], vec![12, 5], 8));
    }

    #[test]
    fn elements_that_are_interleaved_are_no_repetition() {
        let with_strides = |lengths: &[usize], strides: &[isize]| {
            let mut layout = c(lengths);
            layout.set_strides(|axis| strides[axis]);
            layout.repeats()
        };
        assert!(!with_strides(&[2, 3], &[3, 1]) && with_strides(&[2, 3], &[2, 1]));
        assert!(!with_strides(&[2, 3], &[-3, 1]) && with_strides(&[2, 3], &[-2, 1]));
        assert!(!with_strides(&[2, 2, 2], &[4, 2, 1]) && with_strides(&[2, 2, 2], &[3, 2, 1]));
        // The stride of an axis with one element does not matter.
        assert!(!with_strides(&[1, 3], &[0, 1]));
    }

    #[test]
    fn axes_of_one_element_hinder_no_reshape() {
        let raised = c(&[2, 3]).sliced(&s![.., crate::NewAxis, ..]).unwrap();
        let flat = raised.reshaped(shape(&[6])).unwrap();
        assert_eq!(flat.strides(), [1]);
        let back = flat.reshaped(shape(&[3, 1, 2])).unwrap();
        assert_eq!((back.strides()[0], back.strides()[2]), (2, 1));
        // An empty array has no positions.
        let empty = c(&[0, 3]).reshaped(shape(&[3, 0])).unwrap();
        assert_eq!(empty.shape, [3, 0]);
        let part = c(&[4, 4]).sliced(&s![1.., ..]).unwrap();
        assert_eq!(part.reshaped(shape(&[12])).unwrap().offset, 4);
    }
}
