//! Convolution of images in strips.

use cuda_compute::{Border, Convolution, ConvolutionOptions, Extent, Filter, Kind, Layout};
use cuda_nccl::{Collectives, Error, spread::StripConvolution};
use cuda_safe::{Context, DeviceBuffer, Stream};

use crate::{SIZES, failure::failure, ranks, suite};

const BORDERS: [Border; 4] = [Border::Zero, Border::Clamp, Border::Reflect, Border::Wrap];

/// Compares the result of the strips with that of the whole image, up to the rounding of sums.
fn convolved(
    size: usize,
    filter: &Filter,
    options: ConvolutionOptions,
    [width, height]: [usize; 2],
) {
    let image: Vec<f32> = (0..width * height)
        .map(|i| ((i * 7919) % 1000) as f32 / 500.0 - 1.0)
        .collect();
    let ranks = ranks(size);
    let wanted = {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        let from = DeviceBuffer::from_slice(&stream, &image).unwrap();
        let mut to = DeviceBuffer::<f32>::zeroed(&stream, image.len()).unwrap();
        let layout = Layout::new(width, height);
        let whole = Convolution::with_options(&context, filter, options).unwrap();
        whole.run(&stream, &from, layout, &mut to, layout).unwrap();
        to.to_vec(&stream).unwrap()
    };
    suite::on_all(ranks, |rank| {
        let stream = Stream::new(rank.context()).unwrap();
        let strips = StripConvolution::new(rank, filter, options, width, height).unwrap();
        let rows = strips.rows();
        let own = rows.start * width..rows.end * width;
        let mut from = strips.strip(&stream).unwrap();
        let mut to = strips.strip(&stream).unwrap();
        from.copy_from_slice(&stream, &image[own.clone()]).unwrap();
        for _ in 0..2 {
            strips.run(&stream, &mut from, &mut to).unwrap();
            let result = to.to_vec(&stream).unwrap();
            assert_eq!(result.len(), own.len());
            let errors = result.iter().zip(&wanted[own.clone()]);
            let error = errors.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            let me = rank.rank();
            assert!(error < 2e-5, "rank {me} of {size}, {options:?}: {error}");
        }
    });
}

fn filter(width: usize, height: usize) -> Filter {
    let weights: Vec<f32> = (0..width * height)
        .map(|i| ((i * 31) % 17) as f32 / 16.0 - 0.4)
        .collect();
    Filter::new(width, height, &weights).unwrap()
}

#[test]
fn strips_give_the_result_of_the_whole_image() {
    for border in BORDERS {
        let options = ConvolutionOptions::default().border(border);
        for size in SIZES {
            convolved(size, &filter(3, 3), options, [20, 13]);
            convolved(
                size,
                &filter(5, 4),
                options.kind(Kind::Correlation),
                [37, 40],
            );
        }
    }
}

#[test]
fn strips_work_with_other_filters() {
    let options = ConvolutionOptions::default();
    convolved(2, &filter(4, 1), options, [12, 5]);
    convolved(2, &filter(1, 6), options, [12, 30]);
    // Strips with fewer rows than the filter, which have no inner rows.
    convolved(3, &filter(3, 7), options.border(Border::Wrap), [16, 14]);
    let separable = Filter::separable(&[0.25, 0.5, 0.25], &[0.5, 1.0, -0.5, 0.25, 0.5]).unwrap();
    convolved(2, &separable, options.border(Border::Reflect), [64, 33]);
}

#[test]
fn images_that_exceed_the_address_space_are_rejected() {
    let options = ConvolutionOptions::default();
    let rejected = |size, width, height| {
        suite::on_all(ranks(size), |rank| {
            let error =
                StripConvolution::new(rank, &filter(3, 3), options, width, height).unwrap_err();
            assert!(matches!(error, Error::Value(_)), "{error}");
            let text = error.to_string();
            assert!(text.ends_with("exceeds the address space"), "{text}");
        });
    };
    // The number of elements overflows to 16 in 64 bits.
    rejected(1, (1 << 62) + 4, 2);
    rejected(1, usize::MAX, 2);
    rejected(2, 4, usize::MAX);
    // Only the size of rank 0's strip overflows.
    rejected(2, (1 << 63) / 18, 5);
}

#[test]
fn strips_that_do_not_fit_are_rejected() {
    suite::on_all(ranks(3), |rank| {
        let options = ConvolutionOptions::default();
        let rejected = |filter, options, height| {
            let error = StripConvolution::new(rank, &filter, options, 8, height).unwrap_err();
            assert!(matches!(error, Error::Value(_)), "{error}");
            error.to_string()
        };
        let text = rejected(filter(3, 9), options, 11);
        let expected = "11 rows divided among 3 ranks leave 3 for the last one, but the filter reaches 4 rows: use at most 2 ranks";
        assert_eq!(text, expected);
        assert!(StripConvolution::new(rank, &filter(3, 9), options, 8, 12).is_ok());
        rejected(filter(3, 9), options.border(Border::Reflect), 12);
        let text = rejected(filter(1, 1), options, 2);
        assert!(text.ends_with("use at most 2 ranks"), "{text}");
        let text = rejected(filter(3, 9), options, 3);
        assert!(
            text.ends_with("too small for any number of ranks"),
            "{text}"
        );
        rejected(filter(3, 3), options.extent(Extent::Valid), 30);
        let stream = Stream::new(rank.context()).unwrap();
        let one = StripConvolution::new(rank, &filter(3, 3), options, 8, 30).unwrap();
        let other = StripConvolution::new(rank, &filter(3, 5), options, 8, 30).unwrap();
        let (mut from, mut to) = (one.strip(&stream).unwrap(), other.strip(&stream).unwrap());
        failure(one.run(&stream, &mut from, &mut to))
            .mentions("created by another StripConvolution");
        assert!(from.copy_from_slice(&stream, &[0.0; 9]).is_err());
        assert_eq!((from.width(), from.rows(), from.pitch()), (8, 10, 8));
    });
}

#[test]
fn strip_of_another_convolution_fails_on_all_ranks() {
    let options = ConvolutionOptions::default();
    for border in BORDERS {
        suite::on_all(ranks(3), |rank| {
            let stream = Stream::new(rank.context()).unwrap();
            let strips = |rows| {
                let options = options.border(border);
                StripConvolution::new(rank, &filter(3, rows), options, 8, 30).unwrap()
            };
            let (one, other) = (strips(3), strips(5));
            let mut from = one.strip(&stream).unwrap();
            let wrong = if rank.rank() == 1 { &other } else { &one };
            let mut to = wrong.strip(&stream).unwrap();
            let error = one.run(&stream, &mut from, &mut to).unwrap_err();
            assert!(matches!(error, Error::Value(_)), "{error}");
            let text = error.to_string();
            match rank.rank() {
                1 => assert!(
                    text.contains("created by another StripConvolution"),
                    "{text}"
                ),
                _ => assert!(text.starts_with("rank 1 can't take part: "), "{text}"),
            }
            // The group stays usable.
            let mut to = one.strip(&stream).unwrap();
            one.run(&stream, &mut from, &mut to).unwrap();
            assert_eq!(to.to_vec(&stream).unwrap(), [0.0; 80]);
        });
    }
}

#[test]
fn strips_of_few_rows_and_filters_of_any_height() {
    for (height, kind, border) in [
        (1, Kind::Convolution, Border::Clamp),
        (2, Kind::Correlation, Border::Zero),
        (4, Kind::Correlation, Border::Wrap),
        (5, Kind::Convolution, Border::Clamp),
    ] {
        let weights: Vec<f32> = (0..3 * height).map(|i| (i + 1) as f32 / 16.0).collect();
        let filter = Filter::new(3, height, &weights).unwrap();
        let options = ConvolutionOptions::default().kind(kind).border(border);
        for size in SIZES {
            // Fewer rows than the filter covers, the same number, and more.
            for rows in (height / 2).max(1)..=height {
                convolved(size, &filter, options, [7, rows * size]);
            }
        }
    }
}
