//! The options of a convolution.

use std::borrow::Cow;

use super::Filter;

/// The orientation in which the filter is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// True convolution: the filter is rotated by 180 degrees.
    #[default]
    Convolution,
    /// Correlation, which machine learning calls convolution. The filter is applied unrotated.
    Correlation,
}

/// The values of pixels beyond the edges of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Border {
    /// Pixels beyond the edges are zero.
    #[default]
    Zero,
    /// The nearest pixel: `a a a | a b c d | d d d`.
    Clamp,
    /// The image mirrored about the middle of the edge pixel: `d c b | a b c d | c b a`.
    Reflect,
    /// The pixels of the opposite side: `b c d | a b c d | a b c`.
    Wrap,
}

#[cfg(feature = "cpu")]
impl Border {
    /// Returns the index inside `0..size` whose pixel is used for `index`, or `None` if the value
    /// is zero.
    pub(crate) fn index(self, index: isize, size: usize) -> Option<usize> {
        let length = size as isize;
        let inside = match self {
            _ if (0..length).contains(&index) => index,
            Self::Zero => return None,
            Self::Clamp => index.clamp(0, length - 1),
            Self::Reflect if size == 1 => 0,
            Self::Reflect => {
                let turned = index.rem_euclid(2 * (length - 1));
                turned.min(2 * (length - 1) - turned)
            }
            Self::Wrap => index.rem_euclid(length),
        };
        Some(inside as usize)
    }
}

/// The part of the result that is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extent {
    /// The size of the input. The middle element of the filter is at the output's position. If the
    /// filter's width or height is even, it is the element before the middle of the filter as
    /// given, for convolution as well as for correlation. [`Filter`] compares this with SciPy.
    #[default]
    Same,
    /// Only pixels that don't depend on values beyond an edge: `input - filter + 1` in each
    /// dimension.
    Valid,
    /// All columns of the input, but only the rows that don't depend on values beyond the upper or
    /// lower edge: `input - filter + 1` rows. Use it if you cut an image into overlapping strips.
    ValidRows,
}

/// The options of a [`Convolution`](super::Convolution). The default is a true convolution with
/// zeros beyond the edges, as large as the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ConvolutionOptions {
    /// Convolution or correlation.
    pub kind: Kind,
    /// The values of pixels beyond the edges.
    pub border: Border,
    /// The part of the result that is computed.
    pub extent: Extent,
    /// Whether a filter that is a product of two vectors is applied in two passes. The default is
    /// true. Two passes round differently from one.
    pub separate: bool,
}

impl Default for ConvolutionOptions {
    fn default() -> Self {
        Self {
            kind: Kind::default(),
            border: Border::default(),
            extent: Extent::default(),
            separate: true,
        }
    }
}

impl ConvolutionOptions {
    /// Sets [`kind`](Self::kind).
    #[must_use]
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets [`border`](Self::border).
    #[must_use]
    pub fn border(mut self, border: Border) -> Self {
        self.border = border;
        self
    }

    /// Sets [`extent`](Self::extent).
    #[must_use]
    pub fn extent(mut self, extent: Extent) -> Self {
        self.extent = extent;
        self
    }

    /// Sets [`separate`](Self::separate).
    #[must_use]
    pub fn separate(mut self, separate: bool) -> Self {
        self.separate = separate;
        self
    }

    /// Returns the columns and rows of the result for an image of `width` x `height`.
    #[must_use]
    pub fn output_size(&self, filter: &Filter, width: usize, height: usize) -> (usize, usize) {
        match self.extent {
            Extent::Same => (width, height),
            Extent::Valid => (
                (width + 1).saturating_sub(filter.width()),
                (height + 1).saturating_sub(filter.height()),
            ),
            Extent::ValidRows => (width, (height + 1).saturating_sub(filter.height())),
        }
    }

    /// Returns the filter as it is applied to the pixels: rotated for a convolution.
    pub(crate) fn oriented<'a>(&self, filter: &'a Filter) -> Cow<'a, Filter> {
        match self.kind {
            Kind::Convolution => Cow::Owned(filter.turned()),
            Kind::Correlation => Cow::Borrowed(filter),
        }
    }

    /// Returns the column and row of the filter element at the output's position. For a
    /// convolution, they are indices into the rotated filter.
    pub(crate) fn origin(&self, filter: &Filter) -> (usize, usize) {
        let middle = |size: usize| match self.kind {
            Kind::Correlation => (size - 1) / 2,
            // Rotating the filter moves element `(size - 1) / 2` to this index.
            Kind::Convolution => size / 2,
        };
        match self.extent {
            Extent::Same => (middle(filter.width()), middle(filter.height())),
            Extent::Valid => (0, 0),
            Extent::ValidRows => (middle(filter.width()), 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_depends_on_kind_and_extent() {
        let options = ConvolutionOptions::default().separate(false);
        assert!(!options.separate && options.separate(true).separate);
        let origin = |extent, kind, size: usize| {
            let filter = Filter::new(size, size, &vec![1.0; size * size]).unwrap();
            options.extent(extent).kind(kind).origin(&filter)
        };
        for (size, correlation, convolution) in [(1, 0, 0), (3, 1, 1), (4, 1, 2), (9, 4, 4)] {
            for (kind, middle) in [
                (Kind::Correlation, correlation),
                (Kind::Convolution, convolution),
            ] {
                assert_eq!(origin(Extent::Same, kind, size), (middle, middle));
                assert_eq!(origin(Extent::Valid, kind, size), (0, 0));
                assert_eq!(origin(Extent::ValidRows, kind, size), (middle, 0));
            }
        }
    }
}
