//! Shapes of arrays.

use std::{fmt, ops::Index};

use super::indices::{IntoIndex, IntoIndices};
use crate::error::{Error, Result};

/// The maximum number of axes of an array.
pub const MAX_RANK: usize = 8;

/// The lengths of an array's axes, outermost first.
///
/// There are at most [`MAX_RANK`] axes. An array without axes has one element.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    rank: u8,
    lengths: [usize; MAX_RANK],
}

impl Shape {
    /// Creates a shape from the lengths of its axes.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if there are more than [`MAX_RANK`] lengths, or if the number of
    /// elements exceeds `isize::MAX`. Lengths of 0 count as 1 here.
    pub fn new(lengths: &[usize]) -> Result<Self> {
        if lengths.len() > MAX_RANK {
            return Err(Error::Shape(format!(
                "an array has at most {MAX_RANK} axes, but shape {lengths:?} has {}",
                lengths.len()
            )));
        }
        // Shapes with an axis of length 0 are checked too, because a view's strides are products of
        // the other lengths.
        let elements = lengths
            .iter()
            .try_fold(1usize, |n, &length| n.checked_mul(length.max(1)));
        if elements.is_none_or(|n| isize::try_from(n).is_err()) {
            return Err(Error::Shape(format!(
                "an array of shape {lengths:?} has more elements than isize::MAX"
            )));
        }
        Ok(Self::of(lengths))
    }

    /// Creates a shape from lengths that are known to be valid.
    pub(crate) fn of(lengths: &[usize]) -> Self {
        let mut all = [1; MAX_RANK];
        all[..lengths.len()].copy_from_slice(lengths);
        Self {
            rank: lengths.len() as u8,
            lengths: all,
        }
    }

    /// Returns the number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank.into()
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.as_slice().iter().product()
    }

    /// Returns the lengths.
    #[must_use]
    pub fn as_slice(&self) -> &[usize] {
        &self.lengths[..self.rank()]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [usize] {
        &mut self.lengths[..usize::from(self.rank)]
    }

    /// Returns the number of an axis. Negative numbers count from the end.
    pub(crate) fn axis(&self, axis: impl IntoIndex) -> Result<usize> {
        self.place_of(axis.into_index(), self.rank(), "an axis")
    }

    /// Returns the numbers of axes, which must differ.
    pub(crate) fn axes(&self, axes: impl IntoIndices) -> Result<Vec<usize>> {
        let axes = axes.into_indices();
        let numbers: Vec<usize> = axes
            .iter()
            .map(|&axis| self.axis(axis))
            .collect::<Result<_>>()?;
        for (at, number) in numbers.iter().enumerate() {
            if numbers[..at].contains(number) {
                return Err(Error::Shape(format!(
                    "axes {axes:?} of shape {self} name axis {number} twice. Fix: name each axis at most once"
                )));
            }
        }
        Ok(numbers)
    }

    /// Returns the place of an axis among `count` axes of this shape or of a larger one. `what` names
    /// it in the error.
    pub(crate) fn place_of(&self, axis: isize, count: usize, what: &str) -> Result<usize> {
        let place = match axis {
            0.. => axis.unsigned_abs(),
            _ => count.wrapping_sub(axis.unsigned_abs()),
        };
        if place < count {
            return Ok(place);
        }
        let fix = match count {
            0 => "which has no axes".into(),
            _ => format!("Fix: pass {what} from -{count} to {}", count - 1),
        };
        let end = if count == 0 { "," } else { "." };
        Err(Error::Shape(format!(
            "axis {axis} is out of range for shape {self}{end} {fix}"
        )))
    }

    /// Returns the lengths of a shape with these elements, in which one length of −1 is inferred.
    pub(crate) fn inferred(&self, lengths: impl IntoIndices) -> Result<Self> {
        let lengths = lengths.into_indices();
        let own = self.elements();
        let fails = |why: String| {
            Err(Error::Shape(format!(
                "reshape of {self} to {lengths:?}: {why}"
            )))
        };
        let mut result = Vec::with_capacity(lengths.len());
        let mut unknown = None;
        for (axis, &length) in lengths.iter().enumerate() {
            match usize::try_from(length) {
                Ok(length) => result.push(length),
                Err(_) if length == -1 && unknown.is_none() => {
                    unknown = Some(axis);
                    result.push(1);
                }
                Err(_) if length == -1 => return fails("only one length can be inferred".into()),
                Err(_) => {
                    return fails(format!(
                        "{length} is not a length. Fix: pass -1 to infer a length"
                    ));
                }
            }
        }
        let mut shape = Self::new(&result)?;
        if let Some(axis) = unknown {
            let others = shape.elements();
            if others == 0 || !own.is_multiple_of(others) {
                return fails(format!(
                    "{own} elements don't divide into parts of {others}"
                ));
            }
            shape.as_mut_slice()[axis] = own / others;
        }
        if shape.elements() != own {
            return fails(format!(
                "there are {own} elements, but the new shape has {}",
                shape.elements()
            ));
        }
        Ok(shape)
    }

    /// Returns the common shape of two broadcast operands, by NumPy's rules.
    ///
    /// Axes are matched from the last one on. An axis of length 1, or a missing axis, is broadcast
    /// to the other's length. Returns `None` if two lengths differ otherwise, or if the number of
    /// elements exceeds `isize::MAX`.
    #[must_use]
    pub fn broadcast(&self, other: &Self) -> Option<Self> {
        if self == other {
            return Some(*self);
        }
        let (long, short) = match self.rank >= other.rank {
            true => (self, other),
            false => (other, self),
        };
        if short.rank == 0 {
            return Some(*long);
        }
        let mut result = *long;
        let missing = long.rank() - short.rank();
        for (length, &other) in result.as_mut_slice()[missing..]
            .iter_mut()
            .zip(short.as_slice())
        {
            match (*length, other) {
                (a, b) if a == b => {}
                (_, 1) => {}
                (1, b) => *length = b,
                _ => return None,
            }
        }
        Self::new(result.as_slice()).ok()
    }
}

impl Index<usize> for Shape {
    type Output = usize;

    fn index(&self, axis: usize) -> &usize {
        &self.as_slice()[axis]
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl PartialEq<[usize]> for Shape {
    fn eq(&self, other: &[usize]) -> bool {
        self.as_slice() == other
    }
}

impl<const N: usize> PartialEq<[usize; N]> for Shape {
    fn eq(&self, other: &[usize; N]) -> bool {
        self.as_slice() == other
    }
}

/// A shape argument: a length, an array, tuple or slice of lengths, or a [`Shape`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape",
    note = "a shape is a `usize`, an array such as `[2, 3]`, a tuple or slice of `usize`, or a `Shape`"
)]
pub trait IntoShape {
    /// Converts the argument to a shape.
    ///
    /// # Errors
    /// Returns [`Error::Shape`] if the lengths are invalid: see [`Shape::new`].
    fn into_shape(self) -> Result<Shape>;
}

impl IntoShape for Shape {
    fn into_shape(self) -> Result<Shape> {
        Ok(self)
    }
}

impl IntoIndices for Shape {
    fn into_indices(self) -> Vec<isize> {
        self.as_slice().into_indices()
    }
}

impl IntoShape for usize {
    fn into_shape(self) -> Result<Shape> {
        Shape::new(&[self])
    }
}

impl<const N: usize> IntoShape for [usize; N] {
    fn into_shape(self) -> Result<Shape> {
        Shape::new(&self)
    }
}

impl IntoShape for &[usize] {
    fn into_shape(self) -> Result<Shape> {
        Shape::new(self)
    }
}

impl IntoShape for Vec<usize> {
    fn into_shape(self) -> Result<Shape> {
        Shape::new(&self)
    }
}

macro_rules! tuples {
    ($(($($length:ident: $type:ty),*))*) => {$(
        impl IntoShape for ($($type,)*) {
            fn into_shape(self) -> Result<Shape> {
                let ($($length,)*) = self;
                Shape::new(&[$($length),*])
            }
        }
    )*};
}

tuples! {
    ()
    (a: usize)
    (a: usize, b: usize)
    (a: usize, b: usize, c: usize)
    (a: usize, b: usize, c: usize, d: usize)
    (a: usize, b: usize, c: usize, d: usize, e: usize)
    (a: usize, b: usize, c: usize, d: usize, e: usize, f: usize)
    (a: usize, b: usize, c: usize, d: usize, e: usize, f: usize, g: usize)
    (a: usize, b: usize, c: usize, d: usize, e: usize, f: usize, g: usize, h: usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_rejects_too_many_axes_and_elements() {
        assert!(Shape::new(&[1; 8]).is_ok());
        assert!(Shape::new(&[1; 9]).is_err());
        assert!(Shape::new(&[1 << 62, 2]).is_err());
        assert!(Shape::new(&[1 << 62, 2, 0]).is_err());
        assert_eq!(Shape::new(&[3, 0, 2]).unwrap().elements(), 0);
        assert_eq!(Shape::new(&[]).unwrap().elements(), 1);
    }

    #[test]
    fn tuples_are_shapes() {
        let shape = |shape: Result<Shape>| shape.unwrap().as_slice().to_vec();
        assert_eq!(shape((2, 3).into_shape()), [2, 3]);
        assert_eq!(shape(().into_shape()), []);
        assert_eq!(
            shape((1, 1, 1, 1, 1, 1, 1, 2).into_shape()),
            [1, 1, 1, 1, 1, 1, 1, 2]
        );
        assert!((1usize << 62, 2).into_shape().is_err());
    }

    #[test]
    fn broadcast_follows_numpy() {
        let shape = |lengths: &[usize]| Shape::new(lengths).unwrap();
        for (a, b, wanted) in [
            (&[4, 6][..], &[6][..], Some(&[4, 6][..])),
            (&[4, 1], &[1, 6], Some(&[4, 6])),
            (&[], &[3], Some(&[3])),
            (&[0], &[1], Some(&[0])),
            (&[5, 0, 1], &[7], Some(&[5, 0, 7])),
            (&[4, 6], &[4], None),
            (&[0], &[2], None),
        ] {
            for (a, b) in [(a, b), (b, a)] {
                assert_eq!(
                    shape(a).broadcast(&shape(b)),
                    wanted.map(shape),
                    "{a:?} {b:?}"
                );
            }
        }
    }

    #[test]
    fn shapes_are_compared_with_slices_and_arrays() {
        let shape = Shape::new(&[2, 3]).unwrap();
        assert!(shape == [2, 3] && shape == [2, 3][..]);
        assert!(shape != [2, 4] && shape != [2, 4][..]);
        assert!(shape != [2, 3, 1] && shape != [2, 3, 1][..]);
        assert_eq!(
            (shape.to_string(), format!("{shape:?}")),
            ("[2, 3]".into(), "[2, 3]".into())
        );
    }
}
