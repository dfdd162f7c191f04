//! Convolutions of arrays, compared with loops on the host.

use cuda_compute::{
    Array, Border, Convolution, ConvolutionOptions, Error, Extent, Filter, Kind, Layout, Pixel, s,
};
use cuda_safe::{Context, DeviceBuffer, Stream};
use half::{bf16, f16};

use crate::{OnHost, random::Random, shaped, stream};

const BORDERS: [Border; 4] = [Border::Zero, Border::Clamp, Border::Reflect, Border::Wrap];

/// The operations on elements that the host reference needs.
trait Value: Pixel {
    fn float(self) -> f32;
    /// Rounds a sum to this type.
    fn rounded(sum: f32) -> Self;
    /// Returns a random element.
    fn random(random: &mut Random) -> Self;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Value for $type {
            fn float(self) -> f32 {
                self.into()
            }
            fn rounded(sum: f32) -> Self {
                sum.round_ties_even() as Self // cuts off
            }
            fn random(random: &mut Random) -> Self {
                random.bits() as Self
            }
        }
    )*};
}

macro_rules! floats {
    ($($type:ty: $float:expr, $rounded:expr);*) => {$(
        impl Value for $type {
            fn float(self) -> f32 {
                $float(self)
            }
            fn rounded(sum: f32) -> Self {
                $rounded(sum)
            }
            fn random(random: &mut Random) -> Self {
                Self::rounded(random.real() as f32)
            }
        }
    )*};
}

integers!(u8, u16);
floats!(f16: Self::to_f32, Self::from_f32; bf16: Self::to_f32, Self::from_f32; f32: |x| x, |x| x);

/// Height, width and channels. An image with one channel has no channel axis.
type Sides = [usize; 3];

fn shape([height, width, channels]: Sides) -> Vec<usize> {
    match channels {
        1 => vec![height, width],
        _ => vec![height, width, channels],
    }
}

fn image<T: Value>(sides: Sides) -> Vec<T> {
    let mut random = Random(sides.iter().sum::<usize>() as u64);
    let count = sides.iter().product();
    (0..count).map(|_| T::random(&mut random)).collect()
}

/// Returns a filter with weights of both signs. Some of its sums exceed the range of integers, most
/// do not.
fn filter(width: usize, height: usize) -> Filter {
    let mut random = Random((width * 100 + height) as u64);
    let weights = random.reals(width * height);
    Filter::new(width, height, &weights).unwrap()
}

/// Returns the position inside the image that an outside position maps to.
fn inside(border: Border, at: isize, size: usize) -> Option<usize> {
    let size = size as isize;
    let place = match border {
        _ if (0..size).contains(&at) => at,
        Border::Zero => return None,
        Border::Clamp => at.clamp(0, size - 1),
        Border::Reflect if size == 1 => 0,
        Border::Reflect => {
            let at = at.rem_euclid(2 * size - 2);
            at.min(2 * size - 2 - at)
        }
        Border::Wrap => at.rem_euclid(size),
    };
    Some(place as usize)
}

/// Returns, for each element of the result, the sum in `f32` in the documented order, the sum in
/// `f64`, and the sum of the magnitudes.
fn sums<T: Value>(
    image: &[T],
    [height, width, channels]: Sides,
    filter: &Filter,
    options: ConvolutionOptions,
) -> Vec<(f32, f64, f64)> {
    let (columns, rows) = options.output_size(filter, width, height);
    let mut weights = filter.weights().to_vec();
    if options.kind == Kind::Convolution {
        weights.reverse();
    }
    let before = |size: usize| match options.kind {
        Kind::Convolution => size as isize / 2,
        Kind::Correlation => (size as isize - 1) / 2,
    };
    let (left, above) = match options.extent {
        Extent::Same => (before(filter.width()), before(filter.height())),
        Extent::Valid => (0, 0),
        Extent::ValidRows => (before(filter.width()), 0),
    };
    let mut all = Vec::new();
    for place in 0..rows * columns * channels {
        let (y, x, channel) = (
            place / channels / columns,
            place / channels % columns,
            place % channels,
        );
        let mut sum = (0.0f32, 0.0f64, 0.0f64);
        for (at, &weight) in weights.iter().enumerate() {
            let (j, i) = (at / filter.width(), at % filter.width());
            let column = inside(options.border, (x + i) as isize - left, width);
            let row = inside(options.border, (y + j) as isize - above, height);
            let pixel = match (row, column) {
                (Some(row), Some(column)) => {
                    image[(row * width + column) * channels + channel].float()
                }
                _ => 0.0,
            };
            let product = f64::from(weight) * f64::from(pixel);
            sum.0 = weight.mul_add(pixel, sum.0);
            sum.1 += product;
            sum.2 += product.abs();
        }
        all.push(sum);
    }
    all
}

/// Compares every element with the reference.
fn check<T: Value>(stream: &Stream, sides: Sides, filter: &Filter, options: ConvolutionOptions) {
    let host = image::<T>(sides);
    let array = Array::from_shape(stream, &*shape(sides), &host).unwrap();
    let result = array.convolve_with(filter, options).unwrap();
    let what = format!(
        "{} of {sides:?} by {} x {}, {options:?}",
        T::DATA_TYPE.name(),
        filter.width(),
        filter.height()
    );
    let (columns, rows) = options.output_size(filter, sides[1], sides[0]);
    assert_eq!(result.shape(), *shape([rows, columns, sides[2]]), "{what}");
    let got = result.host();
    let wanted = sums(&host, sides, filter, options);
    assert_eq!(got.len(), wanted.len());
    // Single-channel `f32` images use another kernel, which adds in another order.
    let plane = size_of::<T>() == 4 && sides[2] == 1;
    for (place, (got, (sum, exact, magnitude))) in got.into_iter().zip(wanted).enumerate() {
        let bound = filter.weights().len() as f64 * magnitude / f64::from(1 << 24);
        let sum = if plane { got.float() } else { sum };
        assert!((f64::from(sum) - exact).abs() <= bound, "{what}: {place}");
        assert_eq!(got, T::rounded(sum), "{what}: {place}");
    }
}

/// Checks all numbers of channels and all borders with filters and images of odd and even sizes.
/// Some images are smaller than the filter and some span several blocks.
fn check_all<T: Value>() {
    let stream = stream();
    let mut turn = 0;
    for channels in [1, 3, 4] {
        for border in BORDERS {
            for (width, height) in [(5, 3), (2, 4)] {
                let filter = filter(width, height);
                let options = ConvolutionOptions::default().border(border);
                turn += 1;
                let kind = [Kind::Convolution, Kind::Correlation][turn / 2 % 2];
                for [height, width] in [[1, 1], [3, 2], [37, 131 / channels + 2]] {
                    let sides = [height, width, channels];
                    check::<T>(&stream, sides, &filter, options.kind(kind));
                }
            }
        }
    }
}

#[test]
fn u8_images() {
    check_all::<u8>();
}

#[test]
fn u16_images() {
    check_all::<u16>();
}

#[test]
fn f16_images() {
    check_all::<f16>();
}

#[test]
fn bf16_images() {
    check_all::<bf16>();
}

#[test]
fn f32_images() {
    check_all::<f32>();
}

/// Checks rows whose start is aligned for loads and stores of 4 elements, and rows whose start is
/// not.
#[test]
fn rows_of_any_alignment() {
    let stream = stream();
    let (odd, even) = (filter(3, 3), filter(4, 2));
    for border in BORDERS {
        let options = ConvolutionOptions::default().border(border);
        check::<u8>(&stream, [35, 180, 3], &odd, options);
        check::<u8>(&stream, [70, 264, 1], &even, options);
    }
    let options = ConvolutionOptions::default().border(Border::Reflect);
    check::<u16>(&stream, [5, 272, 1], &odd, options);
    check::<f16>(&stream, [5, 92, 3], &even, options);
    check::<bf16>(&stream, [5, 70, 4], &odd, options);
    check::<f32>(&stream, [5, 92, 3], &odd, options);
    // Aligned only by chance, in blocks that touch no edge.
    check::<u8>(&stream, [70, 101, 3], &odd, options);
    check::<f16>(&stream, [70, 303, 1], &odd, options);
    check::<f32>(&stream, [70, 101, 3], &odd, options);
    // Only the input or only the output is aligned.
    let valid = options.extent(Extent::Valid);
    check::<u8>(&stream, [9, 92, 3], &odd, valid);
    check::<u8>(&stream, [9, 90, 3], &odd, valid);
    check::<u8>(&stream, [9, 86, 4], &odd, valid);
    check::<u16>(&stream, [9, 262, 1], &odd, valid);
    check::<f32>(&stream, [9, 90, 3], &odd, valid);
}

#[test]
fn kinds_extents_and_sizes_of_filters() {
    let stream = stream();
    for (width, height) in [(1, 1), (7, 1), (1, 8), (9, 10), (13, 12), (33, 35)] {
        let filter = filter(width, height);
        for extent in [Extent::Same, Extent::Valid, Extent::ValidRows] {
            for kind in [Kind::Convolution, Kind::Correlation] {
                let options = ConvolutionOptions::default().kind(kind).extent(extent);
                check::<u8>(&stream, [37, 39, 3], &filter, options);
            }
        }
    }
    let options = ConvolutionOptions::default().border(Border::Wrap);
    check::<u16>(&stream, [3, 5, 4], &filter(45, 45), options);
    // A product of two vectors gives the same result.
    let weights = [0.25, 0.5, -0.25, 1.0, 0.125];
    let separable = Filter::separable(&weights, &weights).unwrap();
    check::<u8>(&stream, [7, 50, 3], &separable, options);
}

#[test]
fn integers_round_ties_to_even_and_saturate() {
    fn check<T: Value>(stream: &Stream, all: &[T], weights: &[f32]) {
        let array = Array::from_shape(stream, [1, all.len()], all).unwrap();
        for &weight in weights {
            let filter = Filter::new(1, 1, &[weight]).unwrap();
            let got = array.convolve(&filter).unwrap().host();
            for (&from, got) in all.iter().zip(got) {
                let wanted = T::rounded(weight.mul_add(from.float(), 0.0));
                let both_nan = got.float().is_nan() && wanted.float().is_nan();
                assert!(
                    got == wanted || both_nan,
                    "{from:?} by {weight}: {got:?}, not {wanted:?}"
                );
            }
        }
    }
    let stream = stream();
    let below = f32::from_bits(0.5f32.to_bits() - 1);
    let weights = [0.5, 0.25, 1.5, 2.0, -0.5, 1e30, -1e30, below];
    let [infinite, nan] = [f32::INFINITY, f32::NAN];
    let bytes: Vec<u8> = (0..=255).collect();
    check(&stream, &bytes, &weights);
    check(&stream, &bytes, &[infinite, -infinite, nan]);
    let words: Vec<u16> = (0..=65_535).collect();
    check(&stream, &words, &weights);
    check(&stream, &words, &[infinite, nan]);
    // A third of these values lose bits, some overflow and some underflow.
    let halves: Vec<f16> = (0..=65_535).step_by(7).map(f16::from_bits).collect();
    check(&stream, &halves, &[0.5, 0.75, 1.000_488_3, 3.0]);
    let halves: Vec<bf16> = (0..=65_535).step_by(7).map(bf16::from_bits).collect();
    check(&stream, &halves, &[0.5, 1.003_906_3, 3.0]);
    // Expected values computed by hand.
    let half = Filter::new(1, 1, &[0.5]).unwrap();
    let array = shaped(&stream, [1, 6], &[1u8, 2, 3, 5, 7, 255]);
    let got = array.convolve(&half).unwrap().host();
    assert_eq!(got, [0, 1, 2, 2, 4, 128]);
}

#[test]
fn f32_planes_match_convolution_kernel() {
    let stream = stream();
    let context = Context::primary(0).unwrap();
    let box_filter = Filter::new(5, 5, &[0.04; 25]).unwrap();
    assert!(box_filter.is_separable());
    for filter in [filter(3, 3), filter(6, 7), box_filter] {
        for [height, width] in [[37, 131], [20, 264]] {
            let host = image::<f32>([height, width, 1]);
            for options in [
                ConvolutionOptions::default(),
                ConvolutionOptions::default()
                    .border(Border::Clamp)
                    .extent(Extent::Valid),
            ] {
                let convolution = Convolution::with_options(&context, &filter, options).unwrap();
                let (columns, rows) = convolution.output_size(width, height);
                let input = DeviceBuffer::from_slice(&stream, &host).unwrap();
                let mut output = DeviceBuffer::<f32>::zeroed(&stream, columns * rows).unwrap();
                let (from, to) = (Layout::new(width, height), Layout::new(columns, rows));
                convolution
                    .run(&stream, &input, from, &mut output, to)
                    .unwrap();
                let wanted = output.to_vec(&stream).unwrap();
                for shape in [&[height, width][..], &[height, width, 1]] {
                    let array = shaped(&stream, shape, &host);
                    let got = array.convolve_with(&filter, options).unwrap();
                    assert_eq!(got.rank(), shape.len());
                    assert_eq!(got.host(), wanted);
                }
            }
        }
    }
}

#[test]
fn images_of_any_layout() {
    fn check<T: Value>(stream: &Stream, channels: usize) {
        let filter = filter(3, 3);
        let options = ConvolutionOptions::default().border(Border::Clamp);
        let sides = [20, 60, channels];
        let host = image::<T>(sides);
        let array = Array::from_shape(stream, sides, &host).unwrap();
        for (view, copied) in [
            (array.slice(s![2..15, 1..59]), false),
            (array.slice(s![2..15, 3..]), false),
            (array.slice(s![..;2, ..]), false),
            (
                array.slice(s![5]).unwrap().reshape([1, 60, channels]),
                false,
            ),
            (array.slice(s![.., ..;3]), true),
            (array.flip(0), true),
            (array.flip(1), true),
            (array.permute([1, 0, 2]), true),
            (array.slice(s![0..1]).unwrap().broadcast_to(sides), true),
        ] {
            let view = view.unwrap();
            let dense = Array::from_shape(stream, view.shape().as_slice(), &view.host());
            let wanted = dense.unwrap().convolve_with(&filter, options).unwrap();
            let got = view.convolve_with(&filter, options).unwrap();
            assert!(got.is_contiguous(cuda_compute::Order::C));
            assert_eq!(
                got.host(),
                wanted.host(),
                "{:?} of {:?}, copied: {copied}",
                view.shape(),
                view.strides()
            );
        }
    }
    let stream = stream();
    check::<u8>(&stream, 3);
    check::<u16>(&stream, 1);
    check::<f32>(&stream, 1);
    check::<f32>(&stream, 4);
    // One of three channels.
    let array = shaped(&stream, [20, 60, 3], &image::<u8>([20, 60, 3]));
    let all = array.convolve(&filter(3, 3)).unwrap();
    let green = array.slice(s![.., .., 1]).unwrap();
    let green = green.convolve(&filter(3, 3)).unwrap();
    let wanted = all.slice(s![.., .., 1]).unwrap().host();
    assert_eq!(green.host(), wanted);
}

#[test]
fn empty_images_and_results() {
    let stream = stream();
    let options = ConvolutionOptions::default();
    for shape in [&[0, 7][..], &[7, 0], &[0, 0, 3], &[4, 0, 4]] {
        let array = Array::<u8>::zeros(&stream, shape).unwrap();
        let result = array.convolve(&filter(3, 3)).unwrap();
        assert_eq!(result.shape(), *shape);
        assert!(result.host().is_empty());
    }
    let array = Array::<u8>::ones(&stream, [2, 9, 3]).unwrap();
    let valid = options.extent(Extent::Valid);
    let result = array.convolve_with(&filter(3, 3), valid).unwrap();
    assert_eq!(result.shape(), [0, 7, 3]);
    assert!(result.is_empty());
}

#[test]
fn invalid_images_are_rejected() {
    let stream = stream();
    let assert_rejected = |shape: &[usize], filter: &Filter, why: &str| {
        let error = Array::<u8>::zeros(&stream, shape).unwrap().convolve(filter);
        let error = error.unwrap_err();
        assert!(matches!(error, Error::Shape(_)), "{error}");
        assert!(error.to_string().contains(why), "{error}");
    };
    let small = filter(3, 3);
    assert_rejected(&[9], &small, "it has 1 axes");
    assert_rejected(&[9, 9, 3, 1], &small, "it has 4 axes");
    assert_rejected(&[9, 9, 2], &small, "it has 2 channels");
    assert_rejected(&[0, 9, 5], &small, "it has 5 channels");
    assert_rejected(&[9, 9, 0], &small, "it has 0 channels");
    // 91 rows of 92 weights, because rows are padded to an even length.
    let large = Filter::new(91, 91, &[0.0; 91 * 91]).unwrap();
    assert_rejected(&[9, 9, 3], &large, "91 x 91 is too large");
    let long = Filter::new(1, 8170, &[0.0; 8170]).unwrap();
    assert_rejected(&[9, 9, 3], &long, "1 x 8170 is too large");
    let wide = Filter::new(8000, 1, &[0.0; 8000]).unwrap();
    assert_rejected(&[9, 9, 4], &wide, "too little shared memory");
}
