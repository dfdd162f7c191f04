//! Formatting of arrays as text, in NumPy's layout.

use std::fmt;

use super::words::{Style, formatted};
use crate::{
    array::{Array, Shape, SliceItem},
    element::Element,
    error::Result,
    expression::Expr,
};

/// The maximum number of elements of an array that is printed in full. Larger arrays are
/// abbreviated.
const MAX_ELEMENTS: usize = 1000;
/// The number of elements that an abbreviated axis shows at each end.
const ENDS: usize = 3;
/// The maximum length of a line.
const WIDTH: usize = 75;

/// Formats the elements as NumPy's `str` does: in columns, with brackets for each axis. Waits for
/// the elements.
///
/// Numbers are printed with as many digits as they need, but at most 8 after the decimal point.
/// Scientific notation is used if the largest number is at least 10⁸ (10³ for halves), if it is
/// more than a thousand times the smallest, or if the smallest is below 10⁻⁴. Zeros don't count as
/// the smallest. `{:.3}` prints 3 digits after the decimal point of every number. An array without
/// axes is printed as a single number with all its digits.
///
/// If there are more than 1000 elements, long axes show three elements at each end, and only these
/// are copied from the device. If the copy fails, the error is printed instead.
///
/// ```
/// use cuda_compute::Array;
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let x = Array::from_shape(&stream, [2, 2], &[1.0f32, -0.5, 12.25, 3.0])?;
/// assert_eq!(x.to_string(), "[[ 1.   -0.5 ]\n [12.25  3.  ]]");
/// assert_eq!(format!("{x:.1}"), "[[ 1.0 -0.5]\n [12.2  3.0]]");
/// assert_eq!(Array::range(&stream, 0..1_000_000)?.to_string(), "[     0      1      2 ... 999997 999998 999999]");
/// # Ok(())
/// # }
/// ```
impl<T: Element> fmt::Display for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("[]");
        }
        let short = self.len() > MAX_ELEMENTS;
        let values = match short {
            true => self.ends(),
            false => self.to_vec(),
        };
        let values = match values {
            Ok(values) => values,
            Err(error) => return write!(f, "<{self:?}, which could not be read: {error}>"),
        };
        if self.rank() == 0 {
            return f.write_str(&formatted(&values, Style::Single(f.precision()))[0]);
        }
        let page = Page {
            shape: self.shape(),
            words: formatted(&values, Style::Columns(f.precision())),
            short,
        };
        let mut text = String::new();
        page.write(0, 0, WIDTH, &mut text);
        f.write_str(&text)
    }
}

/// Computes the values and formats them like an [`Array`]. Waits for them. If the computation fails,
/// the error is printed instead.
///
/// ```
/// use cuda_compute::Array;
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let x = Array::from_slice(&stream, &[1.0f32, 2.0])?;
/// assert_eq!((&x * 0.5).to_string(), "[0.5 1. ]");
/// # Ok(())
/// # }
/// ```
impl<T: Element> fmt::Display for Expr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.eval() {
            Ok(array) => array.fmt(f),
            Err(error) => write!(f, "<{self:?}, which could not be computed: {error}>"),
        }
    }
}

/// Returns whether an axis of this length is shortened in an abbreviated array.
fn is_cut(length: usize) -> bool {
    length > 2 * ENDS
}

impl<T: Element> Array<T> {
    /// Returns the elements that are shown, in C order: both ends of shortened axes, and all of the
    /// other axes.
    fn ends(&self) -> Result<Vec<T>> {
        let lengths = self.shape();
        let lengths = lengths.as_slice();
        let shown: Vec<usize> = lengths.iter().map(|&length| length.min(2 * ENDS)).collect();
        let mut values = vec![T::default(); shown.iter().product()];
        let cut: Vec<usize> = (0..lengths.len())
            .filter(|&axis| is_cut(lengths[axis]))
            .collect();
        // One corner for each combination of the near and far ends of the shortened axes.
        for corner in 0..1usize << cut.len() {
            let far = |axis| {
                let place = cut.iter().position(|&other| other == axis);
                place.map(|place| corner >> place & 1 == 1)
            };
            let items = (0..lengths.len()).map(|axis| match far(axis) {
                None => SliceItem::from(..),
                Some(false) => SliceItem::from(..ENDS),
                Some(true) => SliceItem::from(lengths[axis] - ENDS..),
            });
            let part = self.slice(items.collect::<Vec<_>>())?;
            for (number, value) in part.to_vec()?.into_iter().enumerate() {
                let (mut left, mut at, mut stride) = (number, 0, 1);
                for axis in (0..lengths.len()).rev() {
                    let length = part.shape()[axis];
                    let start = if far(axis) == Some(true) { ENDS } else { 0 };
                    at += (left % length + start) * stride;
                    left /= length;
                    stride *= shown[axis];
                }
                values[at] = value;
            }
        }
        Ok(values)
    }
}

/// The shown part of an array with axes.
struct Page {
    shape: Shape,
    /// The formatted elements, all of one length.
    words: Vec<String>,
    short: bool,
}

impl Page {
    /// Writes one subarray, which consists of `axis` and all later axes. `first` is the index of
    /// its first word. Lines are broken to fit in `width` columns, and continuation lines are
    /// indented by one column for each open bracket.
    fn write(&self, axis: usize, first: usize, width: usize, text: &mut String) {
        let length = self.shape[axis];
        let cut = self.short && is_cut(length);
        let shown = if cut { 2 * ENDS } else { length };
        text.push('[');
        if axis + 1 == self.shape.rank() {
            self.write_line(
                axis + 1,
                &self.words[first..first + shown],
                cut,
                width,
                text,
            );
        } else {
            let words_of_each = self.words_from(axis + 1);
            let next = |text: &mut String| {
                text.push_str(&"\n".repeat(self.shape.rank() - axis - 1));
                text.push_str(&" ".repeat(axis + 1));
            };
            for place in 0..shown {
                if place > 0 {
                    next(text);
                }
                if cut && place == ENDS {
                    text.push_str("...");
                    next(text);
                }
                self.write(axis + 1, first + place * words_of_each, width - 1, text);
            }
        }
        text.push(']');
    }

    /// Writes the words of the last axis, broken into lines.
    fn write_line(
        &self,
        indent: usize,
        words: &[String],
        cut: bool,
        width: usize,
        text: &mut String,
    ) {
        let mut column = indent;
        let (near, far) = words.split_at(if cut { ENDS } else { words.len() });
        let near = near.iter().map(String::as_str);
        let far = far.iter().map(String::as_str);
        let all = near.chain(cut.then_some("...")).chain(far);
        for (place, word) in all.enumerate() {
            let length = word.chars().count();
            if place > 0 {
                // Each line has at least one word, even if the word is longer than the line.
                if column + 1 + length > width - 1 {
                    text.truncate(text.trim_end_matches(' ').len());
                    text.push('\n');
                    text.push_str(&" ".repeat(indent));
                    column = indent;
                } else {
                    text.push(' ');
                    column += 1;
                }
            }
            text.push_str(word);
            column += length;
        }
    }

    /// Counts the words that are shown from this axis on.
    fn words_from(&self, axis: usize) -> usize {
        let lengths = self.shape.as_slice()[axis..].iter();
        let shown = lengths.map(|&length| match self.short && is_cut(length) {
            true => 2 * ENDS,
            false => length,
        });
        shown.product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of an array whose words are `a`, `b` and so on, with each letter repeated
    /// `repeated` times.
    fn text(lengths: &[usize], short: bool, repeated: usize, width: usize) -> String {
        let page = |words: Vec<String>| Page {
            shape: Shape::of(lengths),
            words,
            short,
        };
        let shown = page(Vec::new()).words_from(0);
        let letters = ('a'..).take(shown);
        let page = page(letters.map(|c| c.to_string().repeat(repeated)).collect());
        let mut text = String::new();
        page.write(0, 0, width, &mut text);
        text
    }

    #[test]
    fn each_axis_has_its_brackets() {
        assert_eq!(text(&[3], false, 1, WIDTH), "[a b c]");
        assert_eq!(text(&[2, 3], false, 1, WIDTH), "[[a b c]\n [d e f]]");
        assert_eq!(text(&[2, 1, 2], false, 1, WIDTH), "[[[a b]]\n\n [[c d]]]");
    }

    #[test]
    fn long_axes_are_shortened_if_there_are_many_elements() {
        assert_eq!(text(&[7], false, 1, WIDTH), "[a b c d e f g]");
        assert_eq!(text(&[6], true, 1, WIDTH), "[a b c d e f]");
        assert_eq!(text(&[7], true, 1, WIDTH), "[a b c ... d e f]");
        assert_eq!(
            text(&[7, 2], true, 1, WIDTH),
            "[[a b]\n [c d]\n [e f]\n ...\n [g h]\n [i j]\n [k l]]"
        );
        assert_eq!(
            text(&[2, 9], true, 1, WIDTH),
            "[[a b c ... d e f]\n [g h i ... j k l]]"
        );
    }

    #[test]
    fn lines_end_before_the_width() {
        let lines = |width| text(&[4], false, 3, width);
        assert_eq!(lines(9), "[aaa bbb\n ccc ddd]");
        assert_eq!(lines(8), "[aaa\n bbb\n ccc\n ddd]");
        assert_eq!(lines(1), "[aaa\n bbb\n ccc\n ddd]");
        // A second axis adds a bracket at each end.
        let lines = |width| text(&[1, 3], false, 3, width);
        assert_eq!(lines(11), "[[aaa bbb\n  ccc]]");
        assert_eq!(lines(10), "[[aaa\n  bbb\n  ccc]]");
    }

    #[test]
    fn a_thousand_elements_are_shown() {
        use cuda_safe::{Context, Stream};
        let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
        let of = |count| Array::range(&stream, 0..count).unwrap().to_string();
        assert!(of(1000).ends_with(" 999]") && !of(1000).contains("..."));
        assert_eq!(of(1001), "[   0    1    2 ...  998  999 1000]");
        let table = Array::range(&stream, 0..2002)
            .unwrap()
            .reshape([2, 1001])
            .unwrap();
        let wanted = "[[   0    1    2 ...  998  999 1000]\n [1001 1002 1003 ... 1999 2000 2001]]";
        assert_eq!(table.to_string(), wanted);
        let number = Array::from_shape(&stream, [0; 0], &[7]).unwrap();
        assert_eq!(number.to_string(), "7");
    }
}
