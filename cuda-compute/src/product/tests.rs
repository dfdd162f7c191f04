//! Matrix products with a fake cuBLAS: a loop on the host that follows NVIDIA's description of the
//! six functions. These tests check the arguments of the calls. `tests/matmul.rs` uses the real
//! cuBLAS.

use std::{
    ffi::{c_int, c_uint, c_void},
    sync::atomic::{AtomicU32, Ordering},
    thread,
};

use cuda_safe::{
    Context, Stream,
    bytemuck::{self, Zeroable},
    sys::{self, CUresult},
};
use half::{bf16, f16};
use num_complex::Complex;

use super::{
    handle::STREAMS,
    library::{Functions, RawHandle},
    *,
};
use crate::{element::Element, error::CublasStatus, kernel::Kernels, s};

/// The state behind a handle of the fake.
struct State {
    stream: *mut c_void,
    workspace: (u64, usize),
    mode: c_int,
}

/// The number of handles of [`COUNTED`] that have not been destroyed.
static LIVE: AtomicU32 = AtomicU32::new(0);

/// Returns whether a context is current, which every function needs.
fn in_context() -> bool {
    let mut context = std::ptr::null_mut();
    // SAFETY: `context` is valid for the write.
    let code = unsafe { sys::cuCtxGetCurrent(&mut context) };
    code == CUresult::CUDA_SUCCESS && !context.is_null()
}

unsafe extern "C" fn create(handle: *mut RawHandle) -> c_uint {
    if !in_context() {
        return CublasStatus::NOT_INITIALIZED.0;
    }
    let state = State {
        stream: std::ptr::null_mut(),
        workspace: (0, 0),
        mode: 0,
    };
    // SAFETY: the caller provides memory for the handle.
    unsafe { *handle = Box::into_raw(Box::new(state)).cast() };
    CublasStatus::SUCCESS.0
}

unsafe extern "C" fn destroy(handle: RawHandle) -> c_uint {
    if !in_context() {
        return CublasStatus::NOT_INITIALIZED.0;
    }
    // SAFETY: `create` created it.
    drop(unsafe { Box::from_raw(handle.cast::<State>()) });
    CublasStatus::SUCCESS.0
}

unsafe extern "C" fn set_stream(handle: RawHandle, stream: *mut c_void) -> c_uint {
    // SAFETY: `create` created it, and only one thread uses it.
    let state = unsafe { &mut *handle.cast::<State>() };
    state.stream = stream;
    state.workspace = (0, 0); // cuBLAS does the same
    CublasStatus::SUCCESS.0
}

unsafe extern "C" fn set_workspace(handle: RawHandle, place: *mut c_void, bytes: usize) -> c_uint {
    if !place.addr().is_multiple_of(256) {
        return CublasStatus::INVALID_VALUE.0;
    }
    // SAFETY: as in `set_stream`.
    unsafe { (*handle.cast::<State>()).workspace = (place.addr() as u64, bytes) };
    CublasStatus::SUCCESS.0
}

unsafe extern "C" fn set_mode(handle: RawHandle, mode: c_int) -> c_uint {
    // SAFETY: as in `set_stream`.
    unsafe { (*handle.cast::<State>()).mode = mode };
    CublasStatus::SUCCESS.0
}

/// Reads a number of any of the types from its bytes, as a complex number.
fn decode(data: c_int, bytes: &[u8]) -> Complex<f64> {
    let real = |value: f64| Complex::new(value, 0.0);
    match data {
        0 => real(bytemuck::pod_read_unaligned::<f32>(bytes).into()),
        1 => real(bytemuck::pod_read_unaligned(bytes)),
        2 => real(bytemuck::pod_read_unaligned::<f16>(bytes).into()),
        14 => real(bytemuck::pod_read_unaligned::<bf16>(bytes).into()),
        4 => {
            let value: Complex<f32> = bytemuck::pod_read_unaligned(bytes);
            Complex::new(value.re.into(), value.im.into())
        }
        5 => bytemuck::pod_read_unaligned(bytes),
        other => panic!("no type has the number {other}"),
    }
}

fn encode(data: c_int, value: Complex<f64>) -> Vec<u8> {
    let single = Complex::new(value.re as f32, value.im as f32);
    match data {
        0 => bytemuck::bytes_of(&single.re).to_vec(),
        1 => bytemuck::bytes_of(&value.re).to_vec(),
        2 => bytemuck::bytes_of(&f16::from_f64(value.re)).to_vec(),
        14 => bytemuck::bytes_of(&bf16::from_f64(value.re)).to_vec(),
        4 => bytemuck::bytes_of(&single).to_vec(),
        _ => bytemuck::bytes_of(&value).to_vec(),
    }
}

unsafe extern "C" fn gemm(
    handle: RawHandle,
    op_a: c_int,
    op_b: c_int,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const c_void,
    a: *const c_void,
    type_a: c_int,
    leading_a: i64,
    step_a: i64,
    b: *const c_void,
    type_b: c_int,
    leading_b: i64,
    step_b: i64,
    beta: *const c_void,
    c: *mut c_void,
    type_c: c_int,
    leading_c: i64,
    step_c: i64,
    count: i64,
    compute: c_int,
    algorithm: c_int,
) -> c_uint {
    // SAFETY: as in `set_stream`.
    let state = unsafe { &*handle.cast::<State>() };
    let wide = type_a == 1 || type_a == 5;
    let expected = if wide { &[70][..] } else { &[68, 77] };
    let rows = |op: c_int, plain: i64, turned: i64| if op == 0 { plain } else { turned };
    let allowed = in_context()
        && state.workspace.1 > 0
        && state.mode == 16
        && [type_b, type_c] == [type_a; 2]
        && expected.contains(&compute)
        && algorithm == -1
        && [op_a, op_b].iter().all(|op| [0, 1].contains(op))
        && m.min(n).min(k).min(count) >= 1
        && leading_a >= rows(op_a, m, k)
        && leading_b >= rows(op_b, k, n)
        && leading_c >= m;
    if !allowed {
        return CublasStatus::INVALID_VALUE.0;
    }
    // The factors have the compute type.
    let factor_type = match (type_a, wide) {
        (4 | 5, _) => type_a,
        (_, true) => 1,
        _ => 0,
    };
    let size = encode(type_a, Complex::zeroed()).len();
    let factor = |place: *const c_void| {
        let bytes = encode(factor_type, Complex::zeroed()).len();
        // SAFETY: the caller's factor has this type.
        decode(factor_type, unsafe {
            std::slice::from_raw_parts(place.cast(), bytes)
        })
    };
    let (alpha, beta) = (factor(alpha), factor(beta));
    assert_eq!(beta, Complex::zeroed());
    let stream = state.stream.cast();
    // SAFETY: the handle's stream is live.
    if unsafe { sys::cuStreamSynchronize(stream) } != CUresult::CUDA_SUCCESS {
        return CublasStatus::EXECUTION_FAILED.0;
    }
    let read = |base: *const c_void, element: i64| {
        let mut bytes = vec![0u8; size];
        let address = base.addr() as u64 + element as u64 * size as u64;
        // SAFETY: the address is that of one of the caller's elements, and the buffer has its size.
        let code = unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, size) };
        assert_eq!(
            code,
            CUresult::CUDA_SUCCESS,
            "element {element} of {base:?}"
        );
        decode(type_a, &bytes)
    };
    for p in 0..count {
        for column in 0..n {
            for row in 0..m {
                let mut sum = Complex::<f64>::zeroed();
                for l in 0..k {
                    let of_a = match op_a {
                        0 => row + l * leading_a,
                        _ => l + row * leading_a,
                    };
                    let of_b = match op_b {
                        0 => l + column * leading_b,
                        _ => column + l * leading_b,
                    };
                    sum += read(a, p * step_a + of_a) * read(b, p * step_b + of_b);
                }
                let bytes = encode(type_c, alpha * sum);
                let element = p * step_c + row + column * leading_c;
                let address = c.addr() as u64 + element as u64 * size as u64;
                // SAFETY: the address is that of one of the caller's elements, and the buffer has
                // its size.
                let code = unsafe { sys::cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), size) };
                assert_eq!(code, CUresult::CUDA_SUCCESS, "element {element} of {c:?}");
            }
        }
    }
    CublasStatus::SUCCESS.0
}

const DOUBLE: Functions = Functions {
    create,
    destroy,
    set_stream,
    set_workspace,
    set_math_mode: set_mode,
    gemm_strided_batched: gemm,
};

unsafe extern "C" fn counted_create(handle: *mut RawHandle) -> c_uint {
    LIVE.fetch_add(1, Ordering::SeqCst);
    // SAFETY: guaranteed by the caller.
    unsafe { create(handle) }
}

unsafe extern "C" fn counted_destroy(handle: RawHandle) -> c_uint {
    // SAFETY: guaranteed by the caller.
    let status = unsafe { destroy(handle) };
    if status == 0 {
        LIVE.fetch_sub(1, Ordering::SeqCst);
    }
    status
}

/// Functions that count handles, for one test only.
const COUNTED: Functions = Functions {
    create: counted_create,
    destroy: counted_destroy,
    ..DOUBLE
};

unsafe extern "C" fn refuse(_: RawHandle, _: c_int) -> c_uint {
    CublasStatus::NOT_SUPPORTED.0
}

/// Functions that fail after the handle has been created.
const REFUSING: Functions = Functions {
    set_math_mode: refuse,
    ..COUNTED
};

/// Returns a stream whose products are computed by the fake as long as the array lives.
pub(super) fn stream() -> (Stream, Array<u8>) {
    let stream = Stream::new(&Context::primary(0).unwrap()).unwrap();
    let keeps = Array::zeros(&stream, 1).unwrap();
    let kernels = Kernels::of(&stream).unwrap();
    kernels
        .products()
        .get::<Handles>()
        .with(|| Ok(&DOUBLE), &stream, 4096)
        .unwrap();
    (stream, keeps)
}

/// Small integers, whose products are exact in every type.
fn numbers<T: Element>(stream: &Stream, shape: &[usize], make: fn(f64, f64) -> T) -> Array<T> {
    let count = shape.iter().product();
    let values: Vec<T> = (0..count)
        .map(|i: usize| make((i * 7 % 5) as f64 - 2.0, (i * 3 % 4) as f64 - 1.0))
        .collect();
    Array::from_shape(stream, shape, &values).unwrap()
}

/// Computes the product of `[batch, m, k]` and `[batch, k, n]` with expressions.
fn by_sums<T: Math>(left: &Array<T>, right: &Array<T>) -> Vec<T>
where
    Expr<T>: std::ops::Mul<Expr<T>, Output = Expr<T>>,
{
    use crate::{Ellipsis, NewAxis};
    let of_left = left.slice(s![Ellipsis, NewAxis]).unwrap();
    let of_right = right.slice(s![.., NewAxis, .., ..]).unwrap();
    (of_left.expr() * of_right.expr())
        .sum_axis(2)
        .eval()
        .unwrap()
        .to_vec()
        .unwrap()
}

fn every_type<T: Math>(make: fn(f64, f64) -> T)
where
    Expr<T>: std::ops::Mul<Expr<T>, Output = Expr<T>>,
{
    let (stream, _keeps) = stream();
    let left = numbers(&stream, &[2, 3, 4], make);
    let right = numbers(&stream, &[2, 4, 2], make);
    let wanted = by_sums(&left, &right);
    let product = left.matmul(&right).unwrap();
    assert_eq!(product.shape(), [2, 3, 2]);
    assert_eq!(product.to_vec().unwrap(), wanted);
    // The same matrices, column-major, with gaps, and reversed.
    let turned = |x: &Array<T>| {
        let axes = [0, 2, 1];
        let dense = x.permute(axes).unwrap().contiguous(Order::C).unwrap();
        dense.permute(axes).unwrap()
    };
    let backwards = |x: &Array<T>| {
        let dense = x.flip(2).unwrap().contiguous(Order::C).unwrap();
        dense.flip(2).unwrap()
    };
    for change in [&turned as &dyn Fn(&Array<T>) -> Array<T>, &backwards] {
        let (left, right) = (change(&left), change(&right));
        assert_eq!(left.matmul(&right).unwrap().to_vec().unwrap(), wanted);
    }
    let tf32 = MatmulOptions::default().tf32(true);
    let fast = left.matmul_with(&right, tf32).unwrap();
    assert_eq!(fast.to_vec().unwrap(), wanted);
}

#[test]
fn every_type_has_its_cuda_number() {
    every_type::<f16>(|re, _| f16::from_f64(re));
    every_type::<bf16>(|re, _| bf16::from_f64(re));
    every_type::<f32>(|re, _| re as f32);
    every_type::<f64>(|re, _| re);
    every_type::<Complex<f32>>(|re, im| Complex::new(re as f32, im as f32));
    every_type::<Complex<f64>>(Complex::new);
}

#[test]
fn matmul_accepts_vectors_slices_and_expressions() {
    let (stream, _keeps) = stream();
    let a = Array::range(&stream, 0..12i32)
        .unwrap()
        .cast::<f32>()
        .eval()
        .unwrap();
    let a = a.reshape([3, 4]).unwrap();
    let x = Array::from_slice(&stream, &[1.0f32, -1.0, 2.0, 0.5]).unwrap();
    assert_eq!(a.matmul(&x).unwrap().to_vec().unwrap(), [4.5, 14.5, 24.5]);
    assert_eq!(
        x.matmul(a.t()).unwrap().to_vec().unwrap(),
        [4.5, 14.5, 24.5]
    );
    assert_eq!(x.matmul(&x).unwrap().item().unwrap(), 6.25);
    // A block whose first element is not the first of its memory.
    let block = a.slice(s![1.., 1..3]).unwrap();
    let squares = block.matmul(block.t()).unwrap();
    assert_eq!(squares.to_vec().unwrap(), [61.0, 105.0, 105.0, 181.0]);
    // Twice the first row, broadcast over three rows.
    let row = (a.slice(s![..1]).unwrap() * 2.0)
        .broadcast_to([3, 4])
        .unwrap();
    assert_eq!(row.matmul(&x).unwrap().to_vec().unwrap(), [9.0; 3]);
    assert_eq!(
        a.matmul(&x * 2.0).unwrap().to_vec().unwrap(),
        [9.0, 29.0, 49.0]
    );
    let nothing = Expr::scalar(1.0f32).broadcast_to([3, 4]).unwrap();
    assert_eq!(nothing.matmul(&x).unwrap().to_vec().unwrap(), [2.5; 3]);
}

#[test]
fn matmul_waits_for_operands_of_other_streams() {
    let (stream, _keeps) = stream();
    let other = Stream::new(stream.context()).unwrap();
    let left = numbers(&stream, &[1, 3, 4], |re, _| re);
    let here = numbers(&stream, &[1, 4, 2], |re, _| re);
    let right = numbers(&other, &[1, 4, 2], |re, _| re) * 1.0;
    let right = right.eval_on(&other).unwrap();
    let product = left.matmul(&right).unwrap();
    drop(right);
    assert_eq!(product.stream(), &stream);
    assert_eq!(product.to_vec().unwrap(), by_sums(&left, &here));
}

#[test]
fn rejected_calls_return_their_status() {
    let (stream, _keeps) = stream();
    let handles = Handles::default();
    let handle = handles.with(|| Ok(&DOUBLE), &stream, 256).unwrap();
    let a = numbers(&stream, &[2, 2], |re, _| re);
    let lengths = Lengths::of(a.shape(), a.shape()).unwrap();
    let plan = Plan::new(&lengths, &a.layout, &a.layout).unwrap().unwrap();
    let mut types = types(DataType::F64, MatmulOptions::default()).unwrap();
    types.compute = 68; // which can't add f64
    let addresses = [a.as_device_ptr(); 3];
    // SAFETY: this is memory of that many elements on the stream. The fake rejects the types before
    // it accesses any.
    let error = unsafe { handle.multiply(&plan, types, 8, addresses) }.unwrap_err();
    let text = "cublasGemmStridedBatchedEx_64 failed: CUBLAS_STATUS_INVALID_VALUE (7)";
    assert_eq!(error.to_string(), text);
    let named = matches!(
        error,
        Error::Cublas {
            status: CublasStatus::INVALID_VALUE,
            ..
        }
    );
    assert!(named, "{error:?}");
    // [-2, 0; 2, -1] squared.
    assert_eq!(
        a.matmul(&a).unwrap().to_vec().unwrap(),
        [4.0, 0.0, -6.0, 1.0]
    );
}

#[test]
fn handles_are_shared_limited_and_destroyed() {
    let context = Context::primary(0).unwrap();
    let handles = Handles::default();
    let live = || LIVE.load(Ordering::SeqCst);
    let streams: Vec<_> = (0..STREAMS + 2)
        .map(|_| Stream::new(&context).unwrap())
        .collect();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| handles.with(|| Ok(&COUNTED), &streams[0], 256).unwrap());
        }
    });
    assert_eq!(live(), 1);
    for (number, stream) in streams.iter().enumerate() {
        handles.with(|| Ok(&COUNTED), stream, 256).unwrap();
        assert_eq!(live() as usize, (number + 1).min(STREAMS));
    }
    let missing = handles.with(|| Err(Error::Missing("no".into())), &streams[0], 256);
    assert!(matches!(missing, Err(Error::Missing(_))));
    // A handle that is created and then fails is destroyed at once.
    let error = handles
        .with(|| Ok(&REFUSING), &streams[0], 256)
        .unwrap_err();
    let text = "cublasSetMathMode failed: CUBLAS_STATUS_NOT_SUPPORTED (15)";
    assert_eq!(error.to_string(), text);
    assert_eq!(live() as usize, STREAMS);
    // The handles hold the last references to their streams, and no context is current on a new
    // thread.
    drop(streams);
    thread::spawn(move || drop(handles)).join().unwrap();
    assert_eq!(live(), 0);
}
