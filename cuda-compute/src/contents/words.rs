//! Formatting of elements, in NumPy's style.

use cuda_safe::bytemuck;
use half::{bf16, f16};
use num_complex::Complex;

use crate::element::{DataType, Element};

/// The maximum number of digits after the decimal point, unless a precision is given.
const DIGITS: usize = 8;

/// The style of formatted elements, with the precision if one is given.
#[derive(Clone, Copy, Debug)]
pub(super) enum Style {
    /// Columns: all texts have one length.
    Columns(Option<usize>),
    /// A single element, with all its digits.
    Single(Option<usize>),
}

/// Formats each element.
pub(super) fn formatted<T: Element>(values: &[T], style: Style) -> Vec<String> {
    let Some(stored) = T::as_stored(values) else {
        // NumPy pads `True` to the width of `False` even if the array has only `True`.
        let words = values
            .iter()
            .map(|value| match (format!("{value:?}").as_str(), style) {
                ("true", Style::Columns(_)) => " True".to_owned(),
                ("true", Style::Single(_)) => "True".to_owned(),
                ("false", _) => "False".to_owned(),
                (other, _) => other.to_owned(),
            });
        return aligned(words, style);
    };
    match T::DATA_TYPE {
        DataType::F16 => reals::<f16>(bytemuck::cast_slice(stored), style),
        DataType::Bf16 => reals::<bf16>(bytemuck::cast_slice(stored), style),
        DataType::F32 => reals::<f32>(bytemuck::cast_slice(stored), style),
        DataType::F64 => reals::<f64>(bytemuck::cast_slice(stored), style),
        DataType::Complex32 => complexes::<f32>(bytemuck::cast_slice(stored), style),
        DataType::Complex64 => complexes::<f64>(bytemuck::cast_slice(stored), style),
        _ => aligned(values.iter().map(|value| format!("{value:?}")), style),
    }
}

/// Pads texts on the left to one width, in columns.
fn aligned(words: impl Iterator<Item = String>, style: Style) -> Vec<String> {
    let mut words: Vec<String> = words.collect();
    if matches!(style, Style::Columns(_)) {
        let width = words.iter().map(String::len).max().unwrap_or(0);
        for word in &mut words {
            *word = format!("{word:>width$}");
        }
    }
    words
}

/// A float with its decimal representations. The shortest ones identify the number among those of
/// its type.
trait Decimal: Copy {
    /// The smallest number with scientific notation, in columns and as a single number.
    const LARGE: [f64; 2];

    fn wide(self) -> f64;
    fn shortest(self) -> String;
    fn shortest_scientific(self) -> String;

    fn fixed(self, digits: usize) -> String {
        format!("{:.digits$}", self.wide())
    }

    fn scientific(self, digits: usize) -> String {
        format!("{:.digits$e}", self.wide())
    }
}

macro_rules! decimal {
    ($($type:ty: $large:expr),*) => {$(
        impl Decimal for $type {
            const LARGE: [f64; 2] = $large;

            fn wide(self) -> f64 {
                self.into()
            }

            fn shortest(self) -> String {
                format!("{self}")
            }

            fn shortest_scientific(self) -> String {
                format!("{self:e}")
            }
        }
    )*};
}

decimal!(f32: [1e8, 1e8], f64: [1e8, 1e16]);

macro_rules! half_decimal {
    ($($type:ty),*) => {$(
        impl Decimal for $type {
            const LARGE: [f64; 2] = [1e3, 1e3];

            fn wide(self) -> f64 {
                self.into()
            }

            fn shortest(self) -> String {
                // A half's shortest digits are far fewer than an `f64`'s, so they are also the
                // shortest digits of the `f64` that they parse to.
                format!("{}", self.shortest_scientific().parse().unwrap_or(self.wide()))
            }

            fn shortest_scientific(self) -> String {
                // Five digits distinguish all halves.
                (0..5)
                    .map(|digits| self.scientific(digits))
                    .find(|text| text.parse().is_ok_and(|wide| <$type>::from_f64(wide) == self))
                    .unwrap_or_else(|| format!("{:e}", self.wide()))
            }
        }
    )*};
}

half_decimal!(f16, bf16);

/// Splits a number at the decimal point.
fn at_point(text: &str) -> (&str, &str) {
    text.split_once('.').unwrap_or((text, ""))
}

/// Splits a number at its exponent. The exponent is formatted as in NumPy: with a sign and at least
/// two digits.
fn at_exponent(text: &str) -> (&str, String) {
    let (number, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (sign, size) = match exponent.strip_prefix('-') {
        Some(size) => ('-', size),
        None => ('+', exponent),
    };
    (number, format!("{sign}{size:0>2}"))
}

/// Formats a number with at most `digits` digits after the decimal point, without trailing zeros.
fn at_most<F: Decimal>(value: F, digits: usize) -> String {
    let text = value.shortest();
    if at_point(&text).1.len() <= digits {
        return text;
    }
    let text = value.fixed(digits);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a number in scientific notation with at most `digits` digits after the decimal point.
/// Returns the number and the exponent.
fn at_most_scientific<F: Decimal>(value: F, digits: usize) -> (String, String) {
    let text = value.shortest_scientific();
    let (number, exponent) = at_exponent(&text);
    if at_point(number).1.len() <= digits {
        return (number.to_owned(), exponent);
    }
    let text = value.scientific(digits);
    let (number, exponent) = at_exponent(&text);
    let number = match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    };
    (number.to_owned(), exponent)
}

/// The common format of a column of floats.
#[derive(Debug)]
struct Column {
    scientific: bool,
    /// The number of digits after the decimal point, if it is the same for all.
    digits: Option<usize>,
    most: usize,
    /// Widths before and after the decimal point, and of the exponent.
    left: usize,
    right: usize,
    exponent: usize,
    /// Whether positive numbers are printed with a sign.
    plus: bool,
}

impl Column {
    fn new<F: Decimal>(values: &[F], precision: Option<usize>, plus: bool) -> Self {
        let sizes = || {
            let sizes = values.iter().map(|value| value.wide().abs());
            sizes.filter(|&size| size > 0.0 && size.is_finite())
        };
        let (least, most) = sizes().fold((f64::INFINITY, 0.0f64), |(low, high), size| {
            (low.min(size), high.max(size))
        });
        let mut column = Self {
            scientific: sizes().next().is_some()
                && (most >= F::LARGE[0] || least < 1e-4 || most / least > 1000.0),
            digits: precision,
            most: precision.unwrap_or(DIGITS),
            left: 0,
            right: 0,
            exponent: 0,
            plus,
        };
        if column.scientific && precision.is_none() {
            // All numbers get the number of digits of the longest.
            let finite = values.iter().filter(|value| value.wide().is_finite());
            let digits = finite.map(|&value| {
                let (number, _) = at_most_scientific(value, DIGITS);
                at_point(&number).1.len()
            });
            column.digits = Some(digits.max().unwrap_or(0));
        }
        for &value in values.iter().filter(|value| value.wide().is_finite()) {
            let (number, exponent) = column.parts(value);
            let (whole, part) = at_point(&number);
            column.left = column.left.max(whole.len());
            column.right = column.right.max(part.len());
            column.exponent = column.exponent.max(exponent.len());
        }
        let behind = column.behind();
        for &value in values.iter().filter(|value| !value.wide().is_finite()) {
            let length = column.special(value.wide()).len();
            column.left = column.left.max(length.saturating_sub(behind));
        }
        column
    }

    /// Returns the width of the decimal point and everything after it.
    fn behind(&self) -> usize {
        let exponent = if self.scientific {
            1 + self.exponent
        } else {
            0
        };
        1 + self.right + exponent
    }

    fn special(&self, value: f64) -> String {
        match value {
            _ if value.is_nan() && self.plus => "+nan".into(),
            _ if value.is_nan() => "nan".into(),
            _ if value < 0.0 => "-inf".into(),
            _ if self.plus => "+inf".into(),
            _ => "inf".into(),
        }
    }

    /// Returns a number with its sign, and its exponent.
    fn parts<F: Decimal>(&self, value: F) -> (String, String) {
        let (number, exponent) = match (self.scientific, self.digits) {
            (true, Some(digits)) => {
                let text = value.scientific(digits);
                let (number, exponent) = at_exponent(&text);
                (number.to_owned(), exponent)
            }
            (true, None) => at_most_scientific(value, self.most),
            (false, Some(digits)) => (value.fixed(digits), String::new()),
            (false, None) => (at_most(value, self.most), String::new()),
        };
        match self.plus && !number.starts_with('-') {
            true => (format!("+{number}"), exponent),
            false => (number, exponent),
        }
    }

    /// Returns the text and the number of spaces that follow it.
    fn word<F: Decimal>(&self, value: F) -> (String, usize) {
        if !value.wide().is_finite() {
            let width = self.left + self.behind();
            return (format!("{:>width$}", self.special(value.wide())), 0);
        }
        let (number, exponent) = self.parts(value);
        let (whole, part) = at_point(&number);
        let left = self.left;
        if self.scientific {
            // Shorter exponents are padded with zeros.
            let zeros = "0".repeat(self.exponent - exponent.len());
            let (sign, size) = exponent.split_at(1);
            return (format!("{whole:>left$}.{part}e{sign}{zeros}{size}"), 0);
        }
        let spaces = self.right - part.len();
        (format!("{whole:>left$}.{part}"), spaces)
    }
}

/// Formats a single number as NumPy does, with all digits.
fn alone<F: Decimal>(value: F, precision: Option<usize>, point: bool) -> String {
    let (wide, size) = (value.wide(), value.wide().abs());
    let scientific = size >= F::LARGE[1] || (size < 1e-4 && size > 0.0);
    match precision {
        _ if wide.is_nan() => "nan".into(),
        _ if !wide.is_finite() => if wide < 0.0 { "-inf" } else { "inf" }.into(),
        Some(digits) if scientific => {
            let text = value.scientific(digits);
            let (number, exponent) = at_exponent(&text);
            format!("{number}e{exponent}")
        }
        Some(digits) => value.fixed(digits),
        None if scientific => {
            let text = value.shortest_scientific();
            let (number, exponent) = at_exponent(&text);
            format!("{number}e{exponent}")
        }
        None => {
            let text = value.shortest();
            match point && !text.contains('.') {
                true => text + ".0",
                false => text,
            }
        }
    }
}

fn reals<F: Decimal>(values: &[F], style: Style) -> Vec<String> {
    match style {
        Style::Single(precision) => {
            let words = values.iter().map(|&value| alone(value, precision, true));
            words.collect()
        }
        Style::Columns(precision) => {
            let column = Column::new(values, precision, false);
            let words = values.iter().map(|&value| {
                let (word, spaces) = column.word(value);
                word + &" ".repeat(spaces)
            });
            words.collect()
        }
    }
}

fn complexes<F: Decimal>(values: &[Complex<F>], style: Style) -> Vec<String> {
    match style {
        Style::Single(precision) => {
            let words = values.iter().map(|value| {
                let (real, imaginary) = (
                    alone(value.re, precision, false),
                    alone(value.im, precision, false),
                );
                if value.re.wide() == 0.0 && value.re.wide().is_sign_positive() {
                    return imaginary + "j";
                }
                let plus = if imaginary.starts_with('-') { "" } else { "+" };
                format!("({real}{plus}{imaginary}j)")
            });
            words.collect()
        }
        Style::Columns(precision) => {
            let (real, imaginary): (Vec<F>, Vec<F>) =
                values.iter().map(|value| (value.re, value.im)).unzip();
            let real = Column::new(&real, precision, false);
            let imaginary = Column::new(&imaginary, precision, true);
            let words = values.iter().map(|value| {
                let ((re, after_re), (im, after_im)) =
                    (real.word(value.re), imaginary.word(value.im));
                let (after_re, after_im) = (" ".repeat(after_re), " ".repeat(after_im));
                format!("{re}{after_re}{im}j{after_im}")
            });
            words.collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns<T: Element>(values: &[T]) -> Vec<String> {
        formatted(values, Style::Columns(None))
    }

    fn single<T: Element>(value: T) -> String {
        formatted(&[value], Style::Single(None)).remove(0)
    }

    #[test]
    fn numbers_of_a_column_share_the_place_of_their_point() {
        assert_eq!(columns(&[1.5, 2.25, -10.0]), ["  1.5 ", "  2.25", "-10.  "]);
        assert_eq!(columns(&[1.0 / 3.0, 0.5]), ["0.33333333", "0.5       "]);
        let precise = |values: &[f64], digits| formatted(values, Style::Columns(Some(digits)));
        assert_eq!(precise(&[1.0, 22.5], 2), [" 1.00", "22.50"]);
        assert_eq!(precise(&[1e10, 2.5], 1), ["1.0e+10", "2.5e+00"]);
        assert_eq!(columns(&[0.0, -0.0]), [" 0.", "-0."]);
    }

    #[test]
    fn what_is_no_number_has_the_width_of_the_others() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        assert_eq!(
            columns(&[nan, 1.5, inf, -inf]),
            [" nan", " 1.5", " inf", "-inf"]
        );
        assert_eq!(columns(&[nan, inf]), ["nan", "inf"]);
        let c = Complex::<f64>::new;
        let values = [c(1.0, nan), c(nan, inf), c(-inf, -inf)];
        assert_eq!(columns(&values), ["  1.+nanj", " nan+infj", "-inf-infj"]);
        assert_eq!(
            columns(&[c(1.0, 2.5), c(0.25, -1.0)]),
            ["1.  +2.5j", "0.25-1.j "]
        );
    }

    #[test]
    fn columns_with_large_small_or_different_numbers_have_powers_of_ten() {
        assert_eq!(columns(&[99_999_999.0]), ["99999999."]);
        assert_eq!(columns(&[1e8]), ["1.e+08"]);
        assert_eq!(columns(&[1e-4]), ["0.0001"]);
        assert_eq!(columns(&[9e-5, 0.0]), ["9.e-05", "0.e+00"]);
        assert_eq!(columns(&[1000.0, 1.0]), ["1000.", "   1."]);
        assert_eq!(columns(&[1001.0, -1.0]), [" 1.001e+03", "-1.000e+00"]);
        assert_eq!(columns(&[1e100, 1.5]), ["1.0e+100", "1.5e+000"]);
        let half = f16::from_f32;
        assert_eq!(columns(&[half(999.0)]), ["999."]);
        assert_eq!(columns(&[half(1000.0)]), ["1.e+03"]);
        assert_eq!(columns(&[half(0.1)]), ["0.1"]);
        // Infinities and zeros don't affect the choice of notation.
        assert_eq!(columns(&[0.0, 2.0, f64::INFINITY]), [" 0.", " 2.", "inf"]);
    }

    #[test]
    fn numbers_alone_have_all_their_digits() {
        assert_eq!(single(1e15), "1000000000000000.0");
        assert_eq!(single(1e16), "1e+16");
        assert_eq!(single(1e-4), "0.0001");
        assert_eq!(single(-9e-5), "-9e-05");
        assert_eq!(
            [single(0.0), single(1.5), single(2.0f32)],
            ["0.0", "1.5", "2.0"]
        );
        assert_eq!(single(1e8f32), "1e+08");
        assert_eq!(
            [f64::NAN, f64::INFINITY, -f64::INFINITY].map(single),
            ["nan", "inf", "-inf"]
        );
        let precise = |value: f64| formatted(&[value], Style::Single(Some(2))).remove(0);
        assert_eq!([precise(1.5), precise(1e20)], ["1.50", "1.00e+20"]);
        let c = Complex::<f64>::new;
        assert_eq!(single(c(1.0, 2.5)), "(1+2.5j)");
        assert_eq!(single(c(1.0, -2.0)), "(1-2j)");
        assert_eq!(
            [single(c(0.0, 2.0)), single(c(-0.0, 2.0))],
            ["2j", "(-0+2j)"]
        );
    }

    #[test]
    fn other_elements_are_aligned_at_their_ends() {
        assert_eq!(columns(&[true, false]), [" True", "False"]);
        assert_eq!(columns(&[true]), [" True"]);
        assert_eq!([single(true), single(false)], ["True", "False"]);
        assert_eq!(columns(&[-128i8, 7]), ["-128", "   7"]);
        assert_eq!(single(-7), "-7");
    }

    #[test]
    fn exponents_have_a_sign_and_two_digits() {
        let split = |text| {
            let (number, exponent) = at_exponent(text);
            format!("{number} {exponent}")
        };
        assert_eq!(split("1.5e-7"), "1.5 -07");
        assert_eq!(split("1e100"), "1 +100");
        assert_eq!(split("-3"), "-3 +00");
        assert_eq!(at_point("12.5"), ("12", "5"));
        assert_eq!(at_point("12"), ("12", ""));
    }

    #[test]
    fn columns_have_eight_digits_behind_the_point() {
        assert_eq!(
            columns(&[1e10 / 3.0, 1.0]),
            ["3.33333333e+09", "1.00000000e+00"]
        );
        assert_eq!(columns(&[1.500_000_001e10]), ["1.5e+10"]);
        assert_eq!(columns(&[1.000_000_000_1]), ["1."]);
        assert_eq!(columns(&[0.123_456_78]), ["0.12345678"]);
        let nan = f64::NAN;
        assert_eq!(
            columns(&[nan, 1e20, -1e-300]),
            ["     nan", " 1.e+020", "-1.e-300"]
        );
    }

    #[test]
    fn all_floats_are_written_alike() {
        assert_eq!(
            columns(&[bf16::from_f32(0.1), bf16::from_f32(2.0)]),
            ["0.1", "2. "]
        );
        assert_eq!(columns(&[0.1f32, 2.0]), ["0.1", "2. "]);
        assert_eq!(columns(&[Complex::<f32>::new(1.0, 2.0)]), ["1.+2.j"]);
        assert_eq!(single(f16::from_f32(2.0)), "2.0");
        assert_eq!(single(Complex::<f32>::new(1.0, -2.0)), "(1-2j)");
    }
}
