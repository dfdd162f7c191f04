//! Random arrays.

use std::fmt::Debug;

use cuda_compute::{Array, DataType, Expr, Ordered, QuantileElement, Result};
use cuda_safe::{Context, Stream};

use crate::{random::Random, sort_keys::Key};

/// The types of the cases.
pub trait Element: Key + Ordered + QuantileElement {
    fn wide(self) -> f64;
    fn quantile(value: Self::Quantile) -> f64;
    /// The bits to which quantiles are compared.
    const DIGITS: i32;
    /// The smallest difference of quantiles.
    const SMALLEST: f64;
}

macro_rules! elements {
    ($($type:ty: $digits:expr, $smallest:expr;)*) => {$(
        impl Element for $type {
            fn wide(self) -> f64 {
                self.into()
            }
            fn quantile(value: Self::Quantile) -> f64 {
                value.into()
            }
            const DIGITS: i32 = $digits;
            const SMALLEST: f64 = $smallest;
        }
    )*};
}

elements! {
    f32: 24, 1.5e-45;
    f64: 52, 5e-324;
    half::f16: 11, 6e-8;
    i32: 50, 0.0;
    u8: 50, 0.0;
}

/// A random array with its elements in C order.
pub struct Case<T> {
    pub random: Random,
    pub stream: Stream,
    pub shape: Vec<usize>,
    pub axis: usize,
    pub host: Vec<T>,
    pub array: Array<T>,
    /// Identifies the case in messages.
    name: String,
}

/// Returns whether an element is not a number.
pub fn is_nan<T: Key>(value: &T) -> bool {
    value.partial_cmp(value).is_none()
}

impl<T: Element> Case<T> {
    pub fn new(seed: u64, round: u64) -> Self {
        let mut random = Random(seed << 32 | round);
        let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
        let rank = 1 + random.below(3);
        let longest = [300, 24, 8][rank - 1];
        let shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(longest)).collect();
        let axis = random.below(rank);
        let mut host = vec![T::of_bits(0); shape.iter().product()];
        for line in lines(&shape, axis) {
            let values = elements(&mut random, line.len());
            for (place, value) in line.into_iter().zip(values) {
                host[place] = value;
            }
        }
        // Permuted in memory in some cases.
        let array = if random.below(3) == 0 && rank > 1 {
            let lengths: Vec<usize> = shape.iter().rev().copied().collect();
            let turned = transposed(&host, &shape);
            Array::from_shape(&stream, &lengths[..], &turned)
                .unwrap()
                .t()
        } else {
            Array::from_shape(&stream, &shape[..], &host).unwrap()
        };
        let name = format!(
            "seed {seed}, round {round}, {:?} {shape:?}, axis {axis}",
            T::DATA_TYPE
        );
        Self {
            random,
            stream,
            shape,
            axis,
            host,
            array,
            name,
        }
    }

    /// Returns another array with one axis, whose elements have the same distribution.
    pub fn other(&mut self) -> (Vec<T>, Array<T>) {
        let count = 1 + self.random.below(60);
        let mut host = elements(&mut self.random, count);
        // Some elements are those of this array.
        for value in &mut host {
            if self.random.below(2) == 0 {
                *value = self.host[self.random.below(self.host.len())];
            }
        }
        let array = Array::from_slice(&self.stream, &host).unwrap();
        (host, array)
    }

    /// Returns the places of each line's elements along the axis.
    pub fn lines(&self) -> Vec<Vec<usize>> {
        lines(&self.shape, self.axis)
    }

    /// Returns results along the axis in C order, from those of each line.
    pub fn joined<R: Copy>(&self, lines: &[Vec<R>]) -> Vec<R> {
        let inner: usize = self.shape[self.axis + 1..].iter().product();
        let blocks = lines.chunks(inner).flat_map(|block| {
            (0..block[0].len()).flat_map(|place| block.iter().map(move |line| line[place]))
        });
        blocks.collect()
    }

    /// Returns the array as an expression, which computes something in some cases.
    pub fn expr(&mut self) -> Expr<T> {
        match self.random.below(3) {
            0 => self.array.maximum(&self.array),
            _ => self.array.expr(),
        }
    }

    /// Compares results bit for bit, except NaNs, zeros and halves that are computed.
    #[track_caller]
    pub fn same(&self, what: &str, got: Result<Array<T>>, wanted: &[T]) {
        let got = got.unwrap_or_else(|error| panic!("{what}, {}: {error}", self.name));
        let got = got.to_vec().unwrap();
        let equal = |(a, b): (&T, &T)| a == b || (is_nan(a) && is_nan(b));
        assert!(
            got.len() == wanted.len() && got.iter().zip(wanted).all(equal),
            "{what}, {}: {got:?}, not {wanted:?} of {:?}",
            self.name,
            self.host
        );
    }

    /// Compares places, or other exact results.
    #[track_caller]
    pub fn equal<R: cuda_compute::Element + PartialEq + Debug>(
        &self,
        what: &str,
        got: Result<Array<R>>,
        wanted: &[R],
    ) {
        let got = got.unwrap_or_else(|error| panic!("{what}, {}: {error}", self.name));
        let got = got.to_vec().unwrap();
        assert!(
            got == wanted,
            "{what}, {}: {got:?}, not {wanted:?} of {:?}",
            self.name,
            self.host
        );
    }

    /// Compares numbers that are computed from two elements.
    #[track_caller]
    pub fn near(&self, what: &str, got: Result<Array<T::Quantile>>, wanted: &[f64]) {
        let got = got.unwrap_or_else(|error| panic!("{what}, {}: {error}", self.name));
        let got: Vec<f64> = got.to_vec().unwrap().into_iter().map(T::quantile).collect();
        let largest = self.host.iter().map(|x| x.wide().abs());
        let largest = largest.filter(|x| x.is_finite()).fold(0.0, f64::max);
        let rounding = largest * 2f64.powi(1 - T::DIGITS) + T::SMALLEST;
        let near = |(a, b): (&f64, &f64)| {
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= rounding
        };
        assert!(
            got.len() == wanted.len() && got.iter().zip(wanted).all(near),
            "{what}, {}: {got:?}, not {wanted:?} of {:?}",
            self.name,
            self.host
        );
    }
}

/// Returns the places of each line's elements along an axis.
fn lines(shape: &[usize], axis: usize) -> Vec<Vec<usize>> {
    let inner: usize = shape[axis + 1..].iter().product();
    let count: usize = shape.iter().product();
    let starts = (0..count).filter(|at| (at / inner).is_multiple_of(shape[axis]));
    let line = |start: usize| (0..shape[axis]).map(|i| start + i * inner).collect();
    starts.map(line).collect()
}

/// Returns elements: few or many different ones, in order or not, with a share of NaNs.
fn elements<T: Element>(random: &mut Random, count: usize) -> Vec<T> {
    let distinct = [1, 2, 5, 40, u64::MAX][random.below(5)];
    let special = [0, 0, 2, 20][random.below(4)];
    let mut values: Vec<T> = (0..count)
        .map(|_| match random.below(100) < special {
            true => nan_or_least(random),
            false => finite(random, distinct),
        })
        .collect();
    match random.below(5) {
        0 => values.sort_by(crate::sort_keys::order),
        1 => values.sort_by(|a, b| crate::sort_keys::order(b, a)),
        _ => {}
    }
    values
}

/// Returns a number of moderate size, so that differences don't overflow.
fn finite<T: Element>(random: &mut Random, distinct: u64) -> T {
    loop {
        let bits = (random.bits() % distinct).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // The highest bits of an exponent are rarely set, whatever the type.
        let value = T::of_bits(bits >> random.below(3));
        if value.wide().abs() < 1e4 || matches!(T::DATA_TYPE, DataType::I32 | DataType::U8) {
            return value;
        }
        if distinct < 50 {
            // There may be no number of moderate size.
            return T::of_bits(random.below(distinct as usize) as u64);
        }
    }
}

/// Returns NaN, an infinity or a zero, or for integers another number.
fn nan_or_least<T: Element>(random: &mut Random) -> T {
    let bits: [u64; 4] = match T::DATA_TYPE {
        DataType::F16 => [0x7e00, 0x7c00, 0xfc00, 0x8000],
        DataType::F32 => [0x7fc0_0000, 0x7f80_0000, 0xff80_0000, 0x8000_0000],
        DataType::F64 => [0x7ff8 << 48, 0x7ff0 << 48, 0xfff0 << 48, 1 << 63],
        _ => [0, 1, u64::MAX, 1 << 31],
    };
    // NaN as often as all others together.
    T::of_bits(bits[random.below(6).saturating_sub(2)])
}

/// Returns elements with the axes in reverse order.
fn transposed<T: Copy>(host: &[T], shape: &[usize]) -> Vec<T> {
    let rank = shape.len();
    let lengths: Vec<usize> = shape.iter().rev().copied().collect();
    let place = |mut at: usize| {
        let mut index = vec![0; rank];
        for axis in (0..rank).rev() {
            index[axis] = at % lengths[axis];
            at /= lengths[axis];
        }
        index
            .iter()
            .rev()
            .zip(shape)
            .fold(0, |place, (i, length)| place * length + i)
    };
    (0..host.len()).map(|at| host[place(at)]).collect()
}
