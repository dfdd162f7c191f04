//! The space that a kernel traverses, and the layouts of its operands in it.

use crate::array::MAX_RANK;

/// The axes of a kernel's space, outermost first, and the operands' strides along them, in
/// elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Space {
    pub(crate) lengths: Vec<usize>,
    /// The group of each axis.
    pub(crate) groups: Vec<u8>,
    /// The strides of each operand along each axis.
    pub(crate) strides: Vec<[isize; MAX_RANK]>,
}

/// The access pattern of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    /// One element for the whole space.
    Uniform,
    /// Consecutive elements.
    Linear,
    /// Elements at strides. `Inner` describes the stride along the innermost axis.
    Strided(Inner, Still),
}

/// The stride along the innermost axis: 0, 1 or any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Inner {
    Same,
    Next,
    Any,
}

impl Access {
    /// Returns whether all elements of a vector are the same.
    pub(crate) fn is_single(self) -> bool {
        matches!(self, Self::Uniform | Self::Strided(Inner::Same, _))
    }
}

/// The axes along which an operand's elements stay the same, as bits. Code need not multiply by these
/// strides, and a loop along such an axis can load the element once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Still(u8);

impl Still {
    /// Elements differ along all axes.
    pub(crate) const NONE: Self = Self(0);

    fn new(strides: &[isize]) -> Self {
        let along = strides.iter().enumerate();
        Self(along.fold(0, |bits, (axis, &stride)| {
            bits | u8::from(stride == 0) << axis
        }))
    }

    pub(crate) fn is_along(self, axis: usize) -> bool {
        self.0 >> axis & 1 == 1
    }
}

impl Space {
    /// Creates the space of a shape whose axes are traversed in this order, outermost first.
    ///
    /// `strides` are the operands' strides along the shape's axes. Axes of length 1 are removed.
    /// Adjacent axes are merged if they have the same group and a single stride describes both for
    /// every operand.
    pub(crate) fn new(
        shape: &[usize],
        order: &[usize],
        strides: &[[isize; MAX_RANK]],
        group: impl Fn(usize) -> u8,
    ) -> Self {
        let mut space = Self {
            lengths: Vec::with_capacity(MAX_RANK),
            groups: Vec::with_capacity(MAX_RANK),
            strides: vec![[0; MAX_RANK]; strides.len()],
        };
        let mut last_group = None;
        for &axis in order {
            let length = shape[axis];
            if length == 1 {
                continue;
            }
            let rank = space.lengths.len();
            let same = last_group.replace(group(axis)) == Some(group(axis));
            let merges = same
                && strides
                    .iter()
                    .zip(&space.strides)
                    .all(|(own, merged)| merged[rank - 1] == own[axis] * length as isize);
            let at = if merges { rank - 1 } else { rank };
            if merges {
                space.lengths[at] *= length;
            } else {
                space.lengths.push(length);
                space.groups.push(group(axis));
            }
            for (own, merged) in strides.iter().zip(&mut space.strides) {
                merged[at] = own[axis];
            }
        }
        space
    }

    pub(crate) fn elements(&self) -> usize {
        self.lengths.iter().product()
    }

    pub(crate) fn rank(&self) -> usize {
        self.lengths.len()
    }

    /// Returns the first and the last axis of a group. If it has none, this is a place where moving
    /// along an axis does no harm.
    pub(crate) fn axes_of(&self, group: u8) -> (u8, u8) {
        let first = self.groups.iter().position(|&other| other == group);
        let last = self.groups.iter().rposition(|&other| other == group);
        (first.unwrap_or(0) as u8, last.unwrap_or(0) as u8)
    }

    pub(crate) fn inner(&self) -> usize {
        self.lengths.last().copied().unwrap_or(1)
    }

    /// Returns the stride of an operand along the innermost axis.
    pub(crate) fn inner_stride(&self, operand: usize) -> isize {
        self.rank()
            .checked_sub(1)
            .map_or(0, |axis| self.strides[operand][axis])
    }

    pub(crate) fn access(&self, operand: usize) -> Access {
        let strides = &self.strides[operand][..self.rank()];
        if strides.iter().all(|&stride| stride == 0) {
            return Access::Uniform;
        }
        let mut dense = 1;
        let linear = strides
            .iter()
            .zip(&self.lengths)
            .rev()
            .all(|(&stride, &length)| {
                let fits = stride == dense;
                dense *= length as isize;
                fits
            });
        if linear {
            return Access::Linear;
        }
        let inner = match self.inner_stride(operand) {
            0 => Inner::Same,
            1 => Inner::Next,
            _ => Inner::Any,
        };
        Access::Strided(inner, Still::new(strides))
    }

    /// Returns whether all offsets of operands, and the numbers of all elements, fit in 31 bits.
    /// `further` is the distance that indices add to an operand's offsets.
    pub(crate) fn is_narrow(&self, further: impl Fn(usize) -> usize) -> bool {
        let limit = 1i128 << 31;
        let reach = |strides: &[isize; MAX_RANK]| -> i128 {
            let axes = strides.iter().zip(&self.lengths);
            axes.map(|(&stride, &length)| (stride as i128).abs() * length as i128)
                .sum()
        };
        let mut operands = self.strides.iter().enumerate();
        (self.elements() as i128) < limit
            && operands.all(|(i, strides)| reach(strides) + (further(i) as i128) < limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strides<const N: usize>(own: [isize; N]) -> [isize; MAX_RANK] {
        let mut all = [0; MAX_RANK];
        all[..N].copy_from_slice(&own);
        all
    }

    fn one(shape: &[usize], order: &[usize], strides: &[[isize; MAX_RANK]]) -> Space {
        Space::new(shape, order, strides, |_| 0)
    }

    #[test]
    fn axes_merge_if_one_stride_describes_them_for_all_operands() {
        let space = one(&[4, 5, 6], &[0, 1, 2], &[strides([30, 6, 1]); 2]);
        assert_eq!(
            (space.lengths.as_slice(), space.access(1)),
            (&[120][..], Access::Linear)
        );
        // A row that is broadcast over the others.
        let row = strides([0, 0, 1]);
        let space = one(&[4, 5, 6], &[0, 1, 2], &[strides([30, 6, 1]), row]);
        assert_eq!(space.lengths, [20, 6]);
        assert_eq!(space.access(0), Access::Linear);
        assert_eq!(space.access(1), Access::Strided(Inner::Next, Still(0b01)));
        // A transposed operand.
        let space = one(&[4, 5], &[0, 1], &[strides([5, 1]), strides([1, 4])]);
        assert_eq!(space.access(1), Access::Strided(Inner::Any, Still::NONE));
        let space = one(&[4, 5], &[1, 0], &[strides([1, 4])]);
        assert_eq!(
            (space.lengths.as_slice(), space.access(0)),
            (&[20][..], Access::Linear)
        );
        let space = one(&[1, 1], &[0, 1], &[strides([1, 4])]);
        assert_eq!(
            (space.rank(), space.elements(), space.access(0)),
            (0, 1, Access::Uniform)
        );
    }

    #[test]
    fn axes_of_different_groups_are_not_merged() {
        let dense = strides([30, 6, 1]);
        let lengths = |border: usize| {
            let group = |axis| u8::from(axis >= border);
            Space::new(&[4, 5, 6], &[0, 1, 2], &[dense], group).lengths
        };
        assert_eq!(lengths(0), [120]);
        assert_eq!(lengths(1), [4, 30]);
        let halves = Space::new(&[4, 5, 6], &[0, 1, 2], &[dense], |axis| u8::from(axis >= 1));
        assert_eq!(
            (halves.axes_of(0), halves.axes_of(1), halves.axes_of(2)),
            ((0, 0), (1, 1), (0, 0))
        );
        assert_eq!(lengths(2), [20, 6]);
        let group = |axis| u8::from(axis >= 1);
        let space = Space::new(&[1, 5, 6], &[0, 1, 2], &[dense], group);
        assert_eq!(space.lengths, [30]);
    }

    #[test]
    fn numbers_of_elements_and_offsets_decide_how_they_are_counted() {
        let narrow = |lengths: &[usize], strides: &[[isize; MAX_RANK]]| {
            let space = Space {
                lengths: lengths.to_vec(),
                groups: vec![0; lengths.len()],
                strides: strides.to_vec(),
            };
            space.is_narrow(|_| 0)
        };
        let (limit, uniform) = (1usize << 31, strides([0]));
        assert!(narrow(&[limit - 1], &[strides([1])]));
        assert!(!narrow(&[limit], &[uniform]));
        assert!(narrow(&[limit - 1], &[uniform]) && !narrow(&[1 << 16, 1 << 15], &[uniform]));
        for sign in [1, -1] {
            let stride = |stride: isize| strides([sign * stride]);
            assert!(narrow(&[2], &[stride((1 << 30) - 1)]));
            assert!(!narrow(&[2], &[stride(1 << 30)]));
            assert!(!narrow(&[2], &[uniform, stride(1 << 30)]));
        }
        // All axes together.
        assert!(narrow(&[2, 2], &[strides([1 << 29, (1 << 29) - 1])]));
        assert!(!narrow(&[2, 2], &[strides([1 << 29, 1 << 29])]));
    }

    #[test]
    fn operands_lie_in_one_of_five_ways() {
        let access = |lengths: &[usize], own: &[isize]| {
            let mut strides = [0; MAX_RANK];
            strides[..own.len()].copy_from_slice(own);
            let space = Space {
                lengths: lengths.to_vec(),
                groups: vec![0; lengths.len()],
                strides: vec![strides],
            };
            space.access(0)
        };
        assert_eq!(access(&[20, 6], &[0, 0]), Access::Uniform);
        assert_eq!(access(&[20, 6], &[6, 1]), Access::Linear);
        assert_eq!(access(&[4, 5, 6], &[30, 6, 1]), Access::Linear);
        for (own, inner, still) in [
            ([7, 1], Inner::Next, 0b00),
            ([0, 1], Inner::Next, 0b01),
            ([1, 0], Inner::Same, 0b10),
            ([12, 2], Inner::Any, 0b00),
            ([6, -1], Inner::Any, 0b00),
        ] {
            let strided = Access::Strided(inner, Still(still));
            assert_eq!(access(&[20, 6], &own), strided, "{own:?}");
        }
        assert_eq!(
            access(&[4, 5, 6], &[31, 6, 1]),
            Access::Strided(Inner::Next, Still::NONE)
        );
    }

    #[test]
    fn a_space_without_axes_has_one_element() {
        let point = one(&[], &[], &[strides([0])]);
        assert_eq!((point.elements(), point.rank(), point.inner()), (1, 0, 1));
        assert_eq!(point.inner_stride(0), 0);
        let rows = one(&[4, 6], &[0, 1], &[strides([8, 2])]);
        assert_eq!((rows.elements(), rows.rank(), rows.inner()), (24, 2, 6));
        assert_eq!(rows.inner_stride(0), 2);
    }
}
