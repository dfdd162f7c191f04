//! Convolutions of images, compared with recorded results of NPP (CUDA 13.0) on an H200. See
//! `npp/record.py`.

use cuda_compute::{Array, Border, ConvolutionOptions, Filter, Kind, Pixel};

use crate::{OnHost, stream};

const WIDTH: usize = 37;
const HEIGHT: usize = 29;
const FILTERS: [(usize, usize); 3] = [(3, 3), (5, 5), (7, 3)];

/// Creates an image. `of` converts a number to a pixel, as in the script.
fn image<T>(channels: usize, of: impl Fn(u64) -> T) -> Vec<T> {
    let places = (0..HEIGHT * WIDTH * channels).map(|i| {
        let (y, x, c) = (i / channels / WIDTH, i / channels % WIDTH, i % channels);
        (y * 131 + x * 57 + c * 29) as u64
    });
    places.map(|value| of(value * value)).collect()
}

fn filter(width: usize, height: usize) -> Filter {
    let weights = (0..width * height).map(|i| ((i * 7 + 3) % 11) as f32 - 4.0);
    let weights: Vec<f32> = weights.map(|weight| weight / 16.0).collect();
    Filter::new(width, height, &weights).unwrap()
}

fn convolved<T: Pixel>(pixels: &[T], channels: usize, filter: &Filter) -> Vec<T> {
    let image = Array::from_shape(&stream(), [HEIGHT, WIDTH, channels], pixels).unwrap();
    let options = ConvolutionOptions::default()
        .border(Border::Clamp)
        .kind(Kind::Convolution);
    image.convolve_with(filter, options).unwrap().host()
}

/// Checks integers. NPP truncates the sum and this crate rounds it, so both are compared with the
/// exact sum.
fn check_integers<T: Pixel>(
    recorded: &mut &[u8],
    of: impl Fn(u64) -> T,
    back: impl Fn(T) -> u32,
    most: f32,
) {
    for channels in [1, 3, 4] {
        let pixels = image(channels, &of);
        let floats: Vec<f32> = pixels.iter().map(|&pixel| back(pixel) as f32).collect();
        for (width, height) in FILTERS {
            let filter = filter(width, height);
            let sums = convolved(&floats, channels, &filter);
            let rounded = convolved(&pixels, channels, &filter);
            let (own, rest) = recorded.split_at(size_of_val(&*pixels));
            *recorded = rest;
            let theirs = own.chunks(size_of::<T>()).map(|bytes| {
                let high = bytes.get(1).copied().unwrap_or(0);
                u32::from(bytes[0]) | u32::from(high) << 8
            });
            for (i, ((sum, ours), theirs)) in sums.iter().zip(rounded).zip(theirs).enumerate() {
                let cut = sum.clamp(0.0, most);
                let case = format!("{sum} at {i}, {channels} channels, {width} x {height}");
                assert_eq!(theirs, cut.trunc() as u32, "NPP's {case}");
                assert_eq!(back(ours), cut.round_ties_even() as u32, "ours of {case}");
            }
        }
    }
}

#[test]
fn convolutions_match_npp() {
    let recorded = &mut &include_bytes!("npp/recorded.bin")[..];
    check_integers(recorded, |value| (value >> 3) as u8, u32::from, 255.0);
    check_integers(
        recorded,
        |value| ((value * 40_503) >> 7) as u16,
        u32::from,
        65_535.0,
    );
    let pixels = image(3, |value| f32::from((value >> 3) as u8) / 16.0);
    let ours = convolved(&pixels, 3, &filter(5, 5));
    let theirs = recorded
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
    assert_eq!(ours, theirs.collect::<Vec<f32>>());
}
