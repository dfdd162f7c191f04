use cuda_compute::{
    Border, Convolution, ConvolutionOptions, Error, Extent, Filter, Kind, Layout,
    cpu::convolve_reference,
};
use cuda_safe::{Context, DeviceBuffer, Stream};

use crate::{Random, device, emulated};

const BORDERS: [Border; 4] = [Border::Zero, Border::Clamp, Border::Reflect, Border::Wrap];

/// An image in device memory, with a margin around its rows and in front of it.
struct Case {
    width: usize,
    height: usize,
    pitch: usize,
    start: usize,
}

/// Runs one case and compares every pixel with the reference. The memory between the rows of the
/// output must not change.
fn check(
    context: &Context,
    stream: &Stream,
    filter: &Filter,
    options: ConvolutionOptions,
    case: &Case,
) {
    let &Case {
        width,
        height,
        pitch,
        start,
    } = case;
    let image = Random(11).reals(width * height);
    let mut host = vec![f32::NAN; start + pitch * height];
    for (y, row) in image.chunks(width).enumerate() {
        host[start + y * pitch..][..width].copy_from_slice(row);
    }
    let convolution = Convolution::with_options(context, filter, options).unwrap();
    let (columns, rows) = convolution.output_size(width, height);
    let out_layout = Layout::new(columns, rows).pitch(pitch);
    let input = DeviceBuffer::from_slice(stream, &host).unwrap();
    let mut output = DeviceBuffer::<f32>::uninit(stream, start + pitch * height).unwrap();
    output.fill(stream, -12345.0).unwrap();
    convolution
        .run(
            stream,
            &input.slice(start..).unwrap(),
            Layout::new(width, height).pitch(pitch),
            &mut output.slice_mut(start..).unwrap(),
            out_layout,
        )
        .unwrap();
    let got = output.to_vec(stream).unwrap();
    let wanted = convolve_reference(&image, width, height, filter, options);
    let weight: f64 = filter.weights().iter().map(|w| f64::from(w.abs())).sum();
    let bound = weight * (filter.weights().len() as f64).min(8.0) * 6e-8;
    let what = || {
        format!(
            "{} x {} filter on {width} x {height}, pitch {pitch}, start {start}, {options:?}",
            filter.width(),
            filter.height()
        )
    };
    for (i, got) in got.iter().enumerate() {
        let place = i.checked_sub(start).map(|at| (at % pitch, at / pitch));
        match place {
            Some((x, y)) if x < columns && y < rows => {
                let wanted = wanted[y * columns + x];
                let error = (f64::from(*got) - wanted).abs();
                assert!(
                    error <= bound,
                    "{}: ({x}, {y}) is {got}, not {wanted}",
                    what()
                );
            }
            _ => assert_eq!(*got, -12345.0, "{}: wrote outside the image at {i}", what()),
        }
    }
}

/// Returns a filter that is not a product of two vectors, and one that is.
fn filters(width: usize, height: usize) -> [Filter; 2] {
    let mut random = Random((width * 100 + height) as u64);
    let dense = Filter::new(width, height, &random.reals(width * height)).unwrap();
    let (row, column) = (random.reals(width), random.reals(height));
    [dense, Filter::separable(&row, &column).unwrap()]
}

fn images(emulated: bool) -> Vec<Case> {
    let case = |width, height, pitch, start| Case {
        width,
        height,
        pitch,
        start,
    };
    let mut cases = vec![
        case(1, 1, 1, 0),
        case(7, 5, 8, 4),
        case(133, 21, 135, 1),
        case(260, 37, 264, 0),
    ];
    if !emulated {
        cases.extend([case(1024, 300, 1024, 0), case(999, 513, 1003, 3)]);
    }
    cases
}

#[test]
fn every_border_kind_and_extent() {
    let (context, stream) = device();
    for (width, height) in [(3, 3), (4, 6)] {
        for filter in filters(width, height) {
            for border in BORDERS {
                for kind in [Kind::Convolution, Kind::Correlation] {
                    for extent in [Extent::Same, Extent::Valid, Extent::ValidRows] {
                        let options = ConvolutionOptions::default()
                            .border(border)
                            .kind(kind)
                            .extent(extent);
                        for case in &images(emulated(&context))[..3] {
                            check(&context, &stream, &filter, options, case);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn filters_of_all_sizes() {
    let (context, stream) = device();
    let emulated = emulated(&context);
    let sizes: &[(usize, usize)] = if emulated {
        &[
            (1, 1),
            (5, 5),
            (9, 9),
            (2, 7),
            (15, 15),
            (1, 12),
            (12, 1),
            (5, 35),
        ]
    } else {
        &[
            (1, 1),
            (2, 2),
            (5, 5),
            (6, 6),
            (7, 7),
            (8, 3),
            (9, 9),
            (10, 10),
            (11, 11),
            (2, 30),
            (30, 2),
            (15, 15),
            (17, 17),
            (1, 63),
            (63, 1),
            (31, 31),
            (33, 20),
            (63, 63),
            (64, 64),
        ]
    };
    for &(width, height) in sizes {
        for filter in filters(width, height) {
            for border in [Border::Zero, Border::Reflect] {
                let options = ConvolutionOptions::default().border(border);
                // The reference is slow for large filters on large images.
                let affordable =
                    |case: &&Case| case.width * case.height * filter.weights().len() <= 30_000_000;
                for case in images(emulated).iter().filter(affordable) {
                    check(&context, &stream, &filter, options, case);
                }
            }
        }
    }
}

#[test]
fn a_large_filter_on_a_small_image() {
    let (context, stream) = device();
    for filter in filters(31, 31) {
        for border in BORDERS {
            let options = ConvolutionOptions::default().border(border);
            let case = Case {
                width: 9,
                height: 4,
                pitch: 12,
                start: 0,
            };
            check(&context, &stream, &filter, options, &case);
        }
    }
}

#[test]
fn more_rows_than_a_grid_has_in_y() {
    let (context, stream) = device();
    let [filter, _] = filters(3, 3);
    let height = if emulated(&context) { 66_000 } else { 300_000 };
    let case = Case {
        width: 5,
        height,
        pitch: 8,
        start: 0,
    };
    check(
        &context,
        &stream,
        &filter,
        ConvolutionOptions::default(),
        &case,
    );
}

#[test]
fn batches_match_single_images() {
    let (context, stream) = device();
    let (width, height, images) = (40, 30, 5);
    let layout = Layout::new(width, height)
        .pitch(44)
        .images(images)
        .image_pitch(44 * 31);
    let host = Random(21).reals(layout.elements().unwrap());
    let input = DeviceBuffer::from_slice(&stream, &host).unwrap();
    for (size, separate) in [(3, false), (5, true), (13, false)] {
        let [dense, separable] = filters(size, size);
        let filter = if separate { separable } else { dense };
        let convolution = Convolution::new(&context, &filter).unwrap();
        let mut together = DeviceBuffer::<f32>::zeroed(&stream, input.len()).unwrap();
        let mut single = DeviceBuffer::<f32>::zeroed(&stream, input.len()).unwrap();
        convolution
            .run(&stream, &input, layout, &mut together, layout)
            .unwrap();
        for image in 0..images {
            let range = image * layout.image_pitch..;
            let one = Layout::new(width, height).pitch(44);
            let from = input.slice(range.clone()).unwrap();
            let mut to = single.slice_mut(range).unwrap();
            convolution.run(&stream, &from, one, &mut to, one).unwrap();
        }
        assert_eq!(
            together.to_vec(&stream).unwrap(),
            single.to_vec(&stream).unwrap()
        );
    }
}

#[test]
fn nan_and_infinity_affect_only_the_filter_area() {
    let (context, stream) = device();
    let layout = Layout::new(20, 20);
    let mut image = vec![1.0f32; 400];
    image[10 * 20 + 10] = f32::NAN;
    image[2 * 20 + 2] = f32::INFINITY;
    let input = DeviceBuffer::from_slice(&stream, &image).unwrap();
    for separate in [false, true] {
        let filter = Filter::new(5, 5, &[0.5; 25]).unwrap();
        let options = ConvolutionOptions::default().separate(separate);
        let convolution = Convolution::with_options(&context, &filter, options).unwrap();
        let mut output = DeviceBuffer::<f32>::zeroed(&stream, 400).unwrap();
        convolution
            .run(&stream, &input, layout, &mut output, layout)
            .unwrap();
        for (i, value) in output.to_vec(&stream).unwrap().iter().enumerate() {
            let near = |x: usize, y: usize| (i % 20).abs_diff(x) <= 2 && (i / 20).abs_diff(y) <= 2;
            assert_eq!(value.is_nan(), near(10, 10), "pixel {i} is {value}");
            assert_eq!(*value == f32::INFINITY, near(2, 2), "pixel {i} is {value}");
        }
    }
}

#[test]
fn invalid_sizes_are_rejected() {
    let (context, stream) = device();
    let filter = Filter::new(3, 3, &[1.0; 9]).unwrap();
    let convolution = Convolution::new(&context, &filter).unwrap();
    let input = DeviceBuffer::<f32>::zeroed(&stream, 100).unwrap();
    let mut output = DeviceBuffer::<f32>::zeroed(&stream, 100).unwrap();
    let square = Layout::new(10, 10);
    let mut assert_rejected = |from: Layout, to: Layout, why: &str| {
        let error = convolution
            .run(&stream, &input, from, &mut output, to)
            .unwrap_err();
        assert!(matches!(error, Error::Shape(_)), "{error}");
        assert!(error.to_string().contains(why), "{error}");
    };
    assert_rejected(Layout::new(10, 11), Layout::new(10, 11), "the input");
    assert_rejected(square, Layout::new(10, 10).pitch(11), "the output");
    assert_rejected(square, Layout::new(8, 8), "10 x 10");
    assert_rejected(Layout::new(10, 5), Layout::new(10, 5).images(2), "images");

    // An empty image needs no work.
    let empty = Layout::new(0, 10);
    convolution
        .run(&stream, &input, empty, &mut output, empty)
        .unwrap();

    let huge = Filter::new(100, 100, &[1.0; 10_000]).unwrap();
    let options = ConvolutionOptions::default().separate(false);
    let error = Convolution::with_options(&context, &huge, options).unwrap_err();
    assert!(error.to_string().contains("100 x 100"), "{error}");
}

#[test]
fn one_convolution_serves_many_threads_and_streams() {
    let (context, stream) = device();
    let [filter, _] = filters(5, 5);
    let convolution = Convolution::new(&context, &filter).unwrap();
    let layout = Layout::new(50, 40);
    let input = DeviceBuffer::from_slice(&stream, &Random(31).reals(2000)).unwrap();
    let run = || {
        let stream = Stream::new(&context).unwrap();
        let mut output = DeviceBuffer::<f32>::zeroed(&stream, 2000).unwrap();
        convolution
            .run(&stream, &input, layout, &mut output, layout)
            .unwrap();
        output.to_vec(&stream).unwrap()
    };
    let wanted = run();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(run)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), wanted);
        }
    });
}

/// The filter needs more shared memory than a block gets without opting in.
#[test]
fn filters_may_need_much_shared_memory() {
    let (context, stream) = device();
    let filter = Filter::new(46, 46, &Random(46).reals(46 * 46)).unwrap();
    let options = ConvolutionOptions::default().separate(false);
    let case = Case {
        width: 150,
        height: 40,
        pitch: 152,
        start: 0,
    };
    check(&context, &stream, &filter, options, &case);
    assert_eq!(
        Convolution::new(&context, &filter).unwrap().options(),
        ConvolutionOptions::default()
    );
    let convolution = Convolution::with_options(&context, &filter, options).unwrap();
    assert_eq!(convolution.options(), options);
}
