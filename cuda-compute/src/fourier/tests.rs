//! Fourier transforms with a fake cuFFT: sums on the host that follow NVIDIA's description of the
//! seven functions. These tests check the arguments of the calls, and the layouts. `tests/fft.rs`
//! uses the real cuFFT.

use std::{
    collections::HashMap,
    f64::consts::TAU,
    ffi::{c_int, c_longlong, c_void},
    sync::{Mutex, MutexGuard, PoisonError},
};

use cuda_safe::{
    Context, Stream,
    bytemuck::{self, Pod},
    sys::{self, CUresult},
};

use super::{
    library::Functions,
    plan::{PLANS, Plan},
    *,
};
use crate::{error::CufftResult, kernel::Kernels, s};

/// Transforms along one axis by the definition, without a division.
fn dft(values: &[Complex<f64>], shape: &[usize], axis: usize, sign: f64) -> Vec<Complex<f64>> {
    let length = shape[axis];
    let stride: usize = shape[axis + 1..].iter().product();
    let element = |place: usize| {
        let k = place / stride % length;
        let first = place - k * stride;
        let term = |j: usize| {
            let angle = sign * TAU * (j * k % length) as f64 / length as f64;
            values[first + j * stride] * Complex::from_polar(1.0, angle)
        };
        (0..length).map(term).sum()
    };
    (0..values.len()).map(element).collect()
}

/// A plan of the fake.
#[derive(Clone, Default)]
struct Made {
    shape: Vec<usize>,
    types: (c_int, c_int),
    stream: usize,
    work: usize,
}

static MADE: Mutex<Option<HashMap<c_int, Made>>> = Mutex::new(None);

fn made() -> MutexGuard<'static, Option<HashMap<c_int, Made>>> {
    MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with(plan: c_int, change: impl FnOnce(&mut Made)) -> c_int {
    let mut context = std::ptr::null_mut();
    // SAFETY: `context` is valid for the write.
    let code = unsafe { sys::cuCtxGetCurrent(&mut context) };
    if code != CUresult::CUDA_SUCCESS || context.is_null() {
        return 7;
    }
    match made().get_or_insert_default().get_mut(&plan) {
        Some(plan) => change(plan),
        None => return 1,
    }
    0
}

unsafe extern "C" fn create(plan: *mut c_int) -> c_int {
    static NEXT: Mutex<c_int> = Mutex::new(1);
    let mut next = NEXT.lock().unwrap();
    *next += 1;
    made()
        .get_or_insert_default()
        .insert(*next, Made::default());
    // SAFETY: the caller provides memory for the plan.
    unsafe { *plan = *next };
    0
}

unsafe extern "C" fn destroy(plan: c_int) -> c_int {
    let removed = made().get_or_insert_default().remove(&plan);
    if removed.is_some() { 0 } else { 1 }
}

unsafe extern "C" fn set_auto_allocation(plan: c_int, automatic: c_int) -> c_int {
    assert_eq!(automatic, 0);
    with(plan, |_| ())
}

unsafe extern "C" fn make_plan_many(
    plan: c_int,
    rank: c_int,
    lengths: *mut c_longlong,
    input_embedding: *mut c_longlong,
    _: c_longlong,
    _: c_longlong,
    input_type: c_int,
    output_embedding: *mut c_longlong,
    _: c_longlong,
    _: c_longlong,
    output_type: c_int,
    batch: c_longlong,
    work_bytes: *mut usize,
    compute_type: c_int,
) -> c_int {
    assert!((1..=3).contains(&rank) && batch > 0);
    assert!(input_embedding.is_null() && output_embedding.is_null());
    assert_eq!(compute_type, input_type.max(output_type));
    // SAFETY: the caller passes a length for each axis.
    let lengths = unsafe { std::slice::from_raw_parts(lengths, rank as usize) };
    if lengths.contains(&13) {
        return 8; // as if no algorithm existed
    }
    // SAFETY: the caller provides memory for the size.
    unsafe { *work_bytes = if lengths[0] == 5 { 0 } else { 512 } };
    let lengths = std::iter::once(&batch).chain(lengths);
    let shape = lengths.map(|&length| length as usize);
    with(plan, |made| {
        (made.shape, made.types) = (shape.collect(), (input_type, output_type));
    })
}

unsafe extern "C" fn set_stream(plan: c_int, stream: *mut c_void) -> c_int {
    with(plan, |made| made.stream = stream.addr())
}

unsafe extern "C" fn set_work_area(plan: c_int, work: *mut c_void) -> c_int {
    with(plan, |made| made.work = work.addr())
}

/// Reads elements of a `cudaDataType`.
fn read(address: u64, data: c_int, elements: usize) -> Vec<Complex<f64>> {
    fn copied<T: Pod>(address: u64, elements: usize) -> Vec<T> {
        let mut values = vec![T::zeroed(); elements];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
        // SAFETY: the buffer has this size.
        let code = unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, bytes.len()) };
        assert_eq!(code, CUresult::CUDA_SUCCESS);
        values
    }
    let wide = |value: Complex<f32>| Complex::new(value.re.into(), value.im.into());
    match data {
        0 => copied::<f32>(address, elements)
            .into_iter()
            .map(|re| Complex::new(re.into(), 0.0))
            .collect(),
        1 => copied::<f64>(address, elements)
            .into_iter()
            .map(|re| Complex::new(re, 0.0))
            .collect(),
        4 => copied::<Complex<f32>>(address, elements)
            .into_iter()
            .map(wide)
            .collect(),
        _ => copied::<Complex<f64>>(address, elements),
    }
}

/// Writes elements of a `cudaDataType`.
fn write(address: u64, data: c_int, values: &[Complex<f64>]) {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| match data {
            0 => bytemuck::bytes_of(&(value.re as f32)).to_vec(),
            1 => bytemuck::bytes_of(&value.re).to_vec(),
            4 => bytemuck::bytes_of(&Complex::new(value.re as f32, value.im as f32)).to_vec(),
            _ => bytemuck::bytes_of(value).to_vec(),
        })
        .collect();
    // SAFETY: the buffer has this size.
    let code = unsafe { sys::cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len()) };
    assert_eq!(code, CUresult::CUDA_SUCCESS);
}

unsafe extern "C" fn execute(
    plan: c_int,
    input: *mut c_void,
    output: *mut c_void,
    direction: c_int,
) -> c_int {
    let mut made = Made::default();
    let found = with(plan, |of| made = of.clone());
    if found != 0 {
        return found;
    }
    let Made {
        shape,
        types: (input_type, output_type),
        stream,
        work,
    } = made;
    assert_eq!(work == 0, shape[1] == 5);
    // SAFETY: the plan's stream is live.
    let waited = unsafe { sys::cuStreamSynchronize(std::ptr::with_exposed_provenance_mut(stream)) };
    assert_eq!(waited, CUresult::CUDA_SUCCESS);
    let (input, output) = (input.addr() as u64, output.addr() as u64);
    assert!((input | output).is_multiple_of(16));
    let rank = shape.len() - 1;
    let mut half = shape.clone();
    half[rank] = shape[rank] / 2 + 1;
    let elements: usize = shape.iter().product();
    let (to_real, of_real) = (output_type < 4, input_type < 4);
    let mut values = if to_real {
        let known = read(input, input_type, half.iter().product());
        // cuFFT may overwrite this input.
        write(
            input,
            input_type,
            &vec![Complex::new(f64::NAN, 0.0); known.len()],
        );
        // The other half is the conjugate of the opposite frequency.
        let element = |place: usize| {
            let mut index = index_of(place, &shape);
            let mirrored = index[rank] >= half[rank];
            if mirrored {
                for (i, &n) in index.iter_mut().zip(&shape).skip(1) {
                    *i = (n - *i) % n;
                }
            }
            let value = known[place_of(&index, &half)];
            if mirrored { value.conj() } else { value }
        };
        (0..elements).map(element).collect()
    } else {
        read(input, input_type, elements)
    };
    for axis in 1..=rank {
        values = dft(&values, &shape, axis, f64::from(direction));
    }
    if of_real {
        let known = |&place: &usize| index_of(place, &shape)[rank] < half[rank];
        values = (0..elements)
            .filter(known)
            .map(|place| values[place])
            .collect();
    }
    write(output, output_type, &values);
    0
}

fn index_of(mut place: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (i, &n) in index.iter_mut().zip(shape).rev() {
        (*i, place) = (place % n, place / n);
    }
    index
}

fn place_of(index: &[usize], shape: &[usize]) -> usize {
    index
        .iter()
        .zip(shape)
        .fold(0, |place, (&i, &n)| place * n + i)
}

static FAKE: Functions = Functions {
    create,
    destroy,
    set_auto_allocation,
    make_plan_many,
    set_stream,
    set_work_area,
    execute,
};

/// Returns a stream whose context uses the fake as long as the array lives.
fn stream() -> (Stream, Array<u8>) {
    let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
    let keeps = Array::zeros(&stream, 1).unwrap();
    kernels(&stream);
    (stream, keeps)
}

/// Returns the kernels of the stream's context, whose plans use the fake.
fn kernels(stream: &Stream) -> Kernels {
    let kernels = Kernels::of(stream).unwrap();
    let plans = kernels.transforms().get::<Plans>();
    plans.fake.get_or_init(|| &FAKE);
    kernels
}

fn numbers(shape: &[usize]) -> Vec<Complex<f64>> {
    let elements: usize = shape.iter().product();
    let part = |i: usize, by: usize| (i * by % 11) as f64 - 5.0;
    (0..elements)
        .map(|i| Complex::new(part(i, 7), part(i, 3)))
        .collect()
}

fn expected(
    mut values: Vec<Complex<f64>>,
    shape: &[usize],
    axes: &[usize],
    inverse: bool,
) -> Vec<Complex<f64>> {
    for &axis in axes {
        values = dft(&values, shape, axis, if inverse { 1.0 } else { -1.0 });
        if inverse {
            values = values
                .iter()
                .map(|value| value / shape[axis] as f64)
                .collect();
        }
    }
    values
}

fn assert_close(found: &[Complex<f64>], wanted: &[Complex<f64>], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (at, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert!(
            (found - wanted).norm() < 1e-9 * (1.0 + wanted.norm()),
            "{what}, element {at}: {found} instead of {wanted}"
        );
    }
}

#[test]
fn the_reference_is_a_fourier_transform() {
    let real = |re| Complex::new(re, 0.0);
    let wave = [1.0, 0.0, -1.0, 0.0].map(real);
    assert_close(
        &dft(&wave, &[4], 0, -1.0),
        &[0.0, 2.0, 0.0, 2.0].map(real),
        "",
    );
    let shifted = dft(&[0.0, 1.0, 0.0, 0.0].map(real), &[4], 0, -1.0);
    assert_close(&shifted[1..2], &[Complex::new(0.0, -1.0)], "");
}

/// All kinds of axes: the last, the first, inner ones, several in any order, more than three, none.
#[test]
fn complex_transforms_of_any_axes() {
    let (stream, _keeps) = stream();
    let cases: [(&[usize], &[usize]); 12] = [
        (&[8], &[0]),
        (&[5], &[0]),
        (&[1], &[0]),
        (&[3, 4], &[1]),
        (&[3, 4], &[0]),
        (&[3, 4], &[1, 0]),
        (&[2, 3, 4], &[1]),
        (&[2, 3, 4], &[0, 2]),
        (&[2, 3, 4], &[2, 0, 1]),
        (&[2, 3, 2, 2, 3], &[0, 1, 2, 3, 4]),
        (&[2, 3, 2, 2, 3], &[4, 0, 3, 1]),
        (&[2, 3], &[]),
    ];
    for (shape, axes) in cases {
        let values = numbers(shape);
        let x = Array::from_shape(&stream, shape, &values).unwrap();
        let what = format!("axes {axes:?} of {shape:?}");
        let y = x.fft(axes).unwrap();
        assert_eq!(y.shape().as_slice(), shape);
        let wanted = expected(values.clone(), shape, axes, false);
        assert_close(&y.to_vec().unwrap(), &wanted, &what);
        let wanted = expected(values.clone(), shape, axes, true);
        assert_close(&x.ifft(axes).unwrap().to_vec().unwrap(), &wanted, &what);
        assert_close(&y.ifft(axes).unwrap().to_vec().unwrap(), &values, &what);
        assert_eq!(x.to_vec().unwrap(), values, "the operand is unchanged");
    }
}

#[test]
fn real_transforms_have_half_of_the_frequencies() {
    let (stream, _keeps) = stream();
    let cases: [(&[usize], &[usize]); 9] = [
        (&[8], &[0]),
        (&[5], &[0]),
        (&[1], &[0]),
        (&[3, 4], &[0]),
        (&[3, 4], &[0, 1]),
        (&[3, 4], &[1, 0]),
        (&[2, 3, 4], &[1]),
        (&[2, 3, 2, 2, 3], &[0, 1, 2, 3, 4]),
        (&[2, 3, 2, 2, 3], &[4, 0, 3, 1]),
    ];
    for (shape, axes) in cases {
        let values: Vec<f64> = numbers(shape).iter().map(|value| value.re).collect();
        let last = axes[axes.len() - 1];
        let what = format!("axes {axes:?} of {shape:?}");
        let x = Array::from_shape(&stream, shape, &values).unwrap();
        let y = x.rfft(axes).unwrap();
        let whole = values.iter().map(|&re| Complex::new(re, 0.0)).collect();
        let whole = expected(whole, shape, axes, false);
        let whole = Array::from_shape(&stream, shape, &whole).unwrap();
        let items = SliceItem::along(last, ..shape[last] / 2 + 1);
        let half = whole.slice(items).unwrap();
        assert_eq!(y.shape(), half.shape(), "{what}");
        assert_close(&y.to_vec().unwrap(), &half.to_vec().unwrap(), &what);
        let back = y.irfft(axes, shape[last]).unwrap();
        assert_eq!(back.shape().as_slice(), shape, "{what}");
        for (found, wanted) in back.to_vec().unwrap().iter().zip(&values) {
            assert!((found - wanted).abs() < 1e-9, "{what}: {found} {wanted}");
        }
        assert_close(&y.to_vec().unwrap(), &half.to_vec().unwrap(), "unchanged");
    }
}

#[test]
fn inverse_real_transforms_cut_and_extend_frequencies() {
    let (stream, _keeps) = stream();
    let x = Array::from_slice(&stream, &[1.0f64, 4.0, 2.0, 8.0, 5.0, 7.0]).unwrap();
    let y = x.rfft(0).unwrap();
    for length in [1, 2, 3, 4, 5, 6, 7, 8, 12] {
        let mut half = y.to_vec().unwrap();
        half.resize(length / 2 + 1, Complex::new(0.0, 0.0));
        let term = |j: usize| {
            let of = |k: usize| match k {
                k if k < half.len() => half[k],
                k => half[length - k].conj(),
            };
            let angle = |k: usize| TAU * (j * k) as f64 / length as f64;
            let terms = (0..length).map(|k| of(k) * Complex::from_polar(1.0, angle(k)));
            terms.sum::<Complex<f64>>().re / length as f64
        };
        let found = y.irfft(-1, length).unwrap().to_vec().unwrap();
        let wanted: Vec<f64> = (0..length).map(term).collect();
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
        assert_eq!(found.len(), length);
        assert!(found.iter().zip(&wanted).all(close), "{found:?} {wanted:?}");
    }
}

#[test]
fn operands_of_any_layout_and_type() {
    let (stream, _keeps) = stream();
    let single = |value: Complex<f64>| Complex::new(value.re as f32, value.im as f32);
    let wide = |value: &Complex<f32>| Complex::new(value.re.into(), value.im.into());
    let values: Vec<Complex<f32>> = numbers(&[4, 6]).into_iter().map(single).collect();
    let x = Array::from_shape(&stream, [4, 6], &values).unwrap();
    let parts = [
        x.t(),
        x.slice(s![1..3, ..]).unwrap(),
        x.slice(s![.., 1..]).unwrap(), // begins at an address that is no multiple of 16
        x.flip(1).unwrap(),
        x.slice(s![0]).unwrap().broadcast_to([3, 6]).unwrap(),
    ];
    for part in parts {
        let shape = part.shape();
        let values = part.to_vec().unwrap().iter().map(wide).collect();
        let wanted = expected(values, shape.as_slice(), &[1], false);
        let found = part.fft(1).unwrap().to_vec().unwrap();
        for (found, wanted) in found.iter().map(wide).zip(&wanted) {
            assert!((found - wanted).norm() < 1e-4, "{found} {wanted}");
        }
    }
    // An expression, a real one, and one of halves that is converted.
    let doubled = (&x * Complex::new(2.0f32, 0.0)).fft(1).unwrap();
    let twice = x.fft(1).unwrap() + x.fft(1).unwrap();
    assert_eq!(
        doubled.to_vec().unwrap(),
        twice.eval().unwrap().to_vec().unwrap()
    );
    let real = x.real().rfft(1).unwrap();
    assert_eq!(real.shape(), [4, 4]);
    let halves = x.real().cast::<half::f16>().eval().unwrap();
    let of_halves = halves.cast::<f32>().rfft(1).unwrap();
    assert_eq!(of_halves.to_vec().unwrap(), real.to_vec().unwrap());
}

#[test]
fn transforms_without_elements_need_no_library() {
    let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
    let none = Array::<Complex<f32>>::zeros(&stream, [0, 4]).unwrap();
    assert_eq!(none.fft(1).unwrap().shape(), [0, 4]);
    assert_eq!(none.ifft(-1).unwrap().shape(), [0, 4]);
    assert_eq!(none.irfft(1, 7).unwrap().shape(), [0, 7]);
    assert_eq!(none.real().rfft(1).unwrap().shape(), [0, 3]);
    let text = none.fft(0).unwrap_err().to_string();
    assert_eq!(
        text,
        "fft: axis 0 of shape [0, 4] has no elements to transform"
    );
}

#[test]
fn invalid_axes_and_lengths_are_named() {
    let (stream, _keeps) = stream();
    let x = Array::<Complex<f32>>::zeros(&stream, [2, 4]).unwrap();
    let text = |error: Error| error.to_string();
    assert!(text(x.fft(2).unwrap_err()).starts_with("axis 2 is out of range for shape [2, 4]"));
    assert!(text(x.fft([1, -1]).unwrap_err()).contains("name axis 1 twice"));
    let zero = text(x.irfft(1, 0).unwrap_err());
    assert!(zero.starts_with("irfft: the length is 0"), "{zero}");
    let no_axis = text(x.real().rfft(()).unwrap_err());
    assert!(no_axis.starts_with("rfft: there is no axis"), "{no_axis}");
    let failed = Array::<Complex<f32>>::zeros(&stream, 13)
        .unwrap()
        .fft(0)
        .unwrap_err();
    assert!(matches!(
        failed,
        Error::Cufft {
            call: "cufftXtMakePlanMany",
            result: CufftResult::INVALID_SIZE
        }
    ));
    assert_eq!(
        text(failed),
        "cufftXtMakePlanMany failed: CUFFT_INVALID_SIZE (8)"
    );
}

/// Plans are shared by transforms of one form, and the least recently used one is destroyed.
#[test]
fn a_context_keeps_a_few_plans() {
    // Other tests use the primary context.
    let device = cuda_safe::Device::get(0).unwrap();
    let context = Context::create(device, cuda_safe::context::ContextFlags::default()).unwrap();
    let stream = Stream::new(&context).unwrap();
    let kernels = kernels(&stream);
    let plans = kernels.transforms().get::<Plans>();
    let form = |length| Form {
        kind: Kind::Complex,
        wide: false,
        lengths: vec![length],
        batch: 1,
    };
    let first = plans.of(&stream, form(1000)).unwrap();
    let again = plans.of(&stream, form(1000)).unwrap();
    assert!(Arc::ptr_eq(&first, &again));
    drop(again);
    let oldest: Arc<Plan> = plans.of(&stream, form(2000)).unwrap();
    for other in 1..PLANS {
        plans.of(&stream, form(2000 + other)).unwrap();
        assert!(Arc::ptr_eq(&first, &plans.of(&stream, form(1000)).unwrap()));
    }
    assert_eq!(Arc::strong_count(&oldest), 1, "only this test holds it");
    assert_eq!(Arc::strong_count(&first), 2);
    let new = plans.of(&stream, form(2000)).unwrap();
    assert!(!Arc::ptr_eq(&oldest, &new));
}

#[test]
fn frequencies_match_numpy() {
    let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
    let frequencies = |count| {
        let array = Array::<f64>::fftfreq(&stream, count, 0.25).unwrap();
        array.to_vec().unwrap()
    };
    assert_eq!(frequencies(0), []);
    assert_eq!(frequencies(1), [0.0]);
    assert_eq!(frequencies(4), [0.0, 1.0, -2.0, -1.0]);
    assert_eq!(frequencies(5), [0.0, 0.8, 1.6, -1.6, -0.8]);
    let half = Array::<f32>::rfftfreq(&stream, 5, 0.25).unwrap();
    assert_eq!(half.to_vec().unwrap(), [0.0, 0.8, 1.6]);
    let error = Array::<f32>::rfftfreq(&stream, 0, 1.0).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("rfftfreq: there are no elements")
    );
    let error = Array::<f32>::fftfreq(&stream, 4, 0.0).unwrap_err();
    assert!(error.to_string().starts_with("fftfreq: the spacing is 0"));
    let x = Array::from_shape(&stream, [2, 3], &[0, 1, 2, 3, 4, 5]).unwrap();
    let shifted = x.fftshift([0, 1]).unwrap();
    assert_eq!(shifted.to_vec().unwrap(), [5, 3, 4, 2, 0, 1]);
    assert_eq!(
        shifted.ifftshift([0, 1]).unwrap().to_vec().unwrap(),
        x.to_vec().unwrap()
    );
}
