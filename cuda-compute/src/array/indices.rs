//! Integers as arguments: axes, indices, shifts and lengths.

/// An axis, an index or another integer, as an `i32`, an `isize` or a `usize`.
///
/// Negative axes and indices count from the end: −1 is the last one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an axis or an index",
    note = "an axis or an index is an `i32`, `isize` or `usize`, and negative numbers count from the end"
)]
pub trait IntoIndex {
    /// Converts the argument. Values above `isize::MAX` become `isize::MAX`.
    fn into_index(self) -> isize;
}

/// One integer, or an array, slice, vector or tuple of them: axes, an index for each axis, shifts
/// or lengths.
///
/// Negative axes and indices count from the end. A tuple can mix types, as in `(rows, -1)` with
/// `rows: usize`. `()` is the empty list.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an axis or a list of axes, indices or lengths",
    note = "each is an `i32`, `isize` or `usize`. Pass several as an array such as `[0, -1]`, as a slice, or as a tuple"
)]
pub trait IntoIndices {
    /// Converts the argument to a list.
    fn into_indices(self) -> Vec<isize>;
}

macro_rules! integers {
    ($($type:ty: $convert:expr),*) => {
        $(impl IntoIndex for $type {
            fn into_index(self) -> isize {
                $convert(self)
            }
        })*
    };
}

integers!(
    i32: |index| index as isize,
    isize: |index| index,
    usize: |index: usize| isize::try_from(index).unwrap_or(isize::MAX)
);

impl<I: IntoIndex> IntoIndices for I {
    fn into_indices(self) -> Vec<isize> {
        vec![self.into_index()]
    }
}

impl<I: IntoIndex, const N: usize> IntoIndices for [I; N] {
    fn into_indices(self) -> Vec<isize> {
        self.into_iter().map(I::into_index).collect()
    }
}

impl<I: IntoIndex + Copy, const N: usize> IntoIndices for &[I; N] {
    fn into_indices(self) -> Vec<isize> {
        self[..].into_indices()
    }
}

impl<I: IntoIndex + Copy> IntoIndices for &[I] {
    fn into_indices(self) -> Vec<isize> {
        self.iter().map(|index| index.into_index()).collect()
    }
}

impl<I: IntoIndex> IntoIndices for Vec<I> {
    fn into_indices(self) -> Vec<isize> {
        self.into_iter().map(I::into_index).collect()
    }
}

impl<I: IntoIndex + Copy> IntoIndices for &Vec<I> {
    fn into_indices(self) -> Vec<isize> {
        self[..].into_indices()
    }
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: IntoIndex),*> IntoIndices for ($($name,)*) {
            #[allow(non_snake_case, reason = "type names name the variables")]
            fn into_indices(self) -> Vec<isize> {
                let ($($name,)*) = self;
                vec![$($name.into_index()),*]
            }
        }
    )*};
}

tuples! { () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_take_all_integers() {
        assert_eq!(2.into_indices(), [2]);
        assert_eq!((-1).into_indices(), [-1]);
        assert_eq!(usize::MAX.into_indices(), [isize::MAX]);
        assert_eq!([0, -1].into_indices(), [0, -1]);
        assert_eq!((&[3usize, 4]).into_indices(), [3, 4]);
        assert_eq!(vec![5isize].into_indices(), [5]);
        assert_eq!((&vec![6usize]).into_indices(), [6]);
        assert_eq!((7usize, -1, 2isize).into_indices(), [7, -1, 2]);
        assert_eq!(().into_indices(), []);
    }
}
