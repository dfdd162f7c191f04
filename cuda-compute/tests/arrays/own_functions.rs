//! CUDA C++ functions within expressions: all types, helper functions, source text created at run
//! time, errors, and kernels shared between functions.

use cuda_compute::{
    Array, Combination, CudaFn, Element, MapReduce, Reducer, concatenate, device_fn, eval, fold, s,
};
use cuda_safe::{DeviceBuffer, Stream};
use half::{bf16, f16};
use num_complex::Complex;

use crate::{OnHost, elements, failure::failure, shaped, stream, upload};

/// Wraps a function that has no side effects.
fn cuda<F: cuda_compute::Signature>(name: &str, text: &str) -> CudaFn<F> {
    // SAFETY: All functions in this file only compute their result.
    unsafe { CudaFn::new(name, text) }
}

#[test]
fn one_to_six_parameters() {
    let stream = stream();
    let x = upload(&stream, &[1.0f32, 2.0, 3.0]);
    let text = |count: usize| {
        let parameters: Vec<String> = (0..count).map(|i| format!("float x{i}")).collect();
        let sum: Vec<String> = (0..count).map(|i| format!("x{i} * {}", i + 1)).collect();
        let (parameters, sum) = (parameters.join(", "), sum.join(" + "));
        format!("__device__ float weigh({parameters}) {{ return {sum}; }}")
    };
    macro_rules! check {
        ($($count:literal: fn($($type:ty),*), ($($argument:expr),*), $wanted:expr;)*) => {$(
            let weigh = cuda::<fn($($type),*) -> f32>("weigh", &text($count));
            let got = weigh.map(($($argument,)*)).eval().unwrap();
            assert_eq!(got.host(), $wanted);
        )*};
    }
    check! {
        1: fn(f32), (&x), [1.0, 2.0, 3.0];
        2: fn(f32, f32), (&x, 10.0), [21.0, 22.0, 23.0];
        3: fn(f32, f32, f32), (&x, 10.0, &x), [24.0, 28.0, 32.0];
        4: fn(f32, f32, f32, f32), (&x, 10.0, &x, 1.0), [28.0, 32.0, 36.0];
        5: fn(f32, f32, f32, f32, f32), (&x, 10.0, &x, 1.0, &x * 2.0), [38.0, 52.0, 66.0];
        6: fn(f32, f32, f32, f32, f32, f32), (&x, 10.0, &x, 1.0, &x * 2.0, 1.0), [44.0, 58.0, 72.0];
    }
    // The function is fused with closures and with itself, and its arguments are broadcast.
    let square = cuda::<fn(f32) -> f32>(
        "square",
        "__device__ float square(float x) { return x * x; }",
    );
    let less = device_fn!(|x: f32| x - 1.0);
    let column = x.reshape([3, 1]).unwrap();
    let got = (square.map((less.map((square.map((&column,)),)),)) + &x)
        .eval()
        .unwrap();
    assert_eq!(
        got.host(),
        [1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 65.0, 66.0, 67.0]
    );
}

#[test]
fn every_type_is_supported() {
    fn check<T: Element>(stream: &Stream, name: &str, values: &[T]) {
        let text = format!("__device__ {name} same(const {name} &x) {{ return x; }}");
        let same = cuda::<fn(T) -> T>("same", &text);
        let x = Array::from_slice(stream, values).unwrap();
        assert_eq!(same.map((&x,)).eval().unwrap().host(), values);
        let either = cuda::<fn(bool, T, T) -> T>(
            "either",
            &format!(
                "__device__ {name} either(bool first, {name} a, {name} b) {{ return first ? a : b; }}"
            ),
        );
        let got = either
            .map((x.equal(values[0]), values[1], &x))
            .eval()
            .unwrap();
        assert_eq!(got.host()[..2], [values[1], values[1]]);
    }
    let stream = stream();
    check(&stream, "bool", &[true, false]);
    check(&stream, "signed char", &[i8::MIN, 5]);
    check(&stream, "short", &[i16::MIN, 5]);
    check(&stream, "int", &[i32::MIN, 5]);
    check(&stream, "long long", &[i64::MIN, 5]);
    check(&stream, "unsigned char", &[u8::MAX, 5]);
    check(&stream, "unsigned short", &[u16::MAX, 5]);
    check(&stream, "unsigned", &[u32::MAX, 5]);
    check(&stream, "unsigned long long", &[u64::MAX, 5]);
    check(&stream, "float", &[f16::MAX, f16::from_f32(0.1)]);
    check(&stream, "float", &[bf16::MAX, bf16::from_f32(0.1)]);
    check(&stream, "float", &[f32::MAX, 0.1]);
    check(&stream, "double", &[f64::MAX, 0.1]);
    check(
        &stream,
        "complex<float>",
        &[Complex::new(1.0f32, -2.0), Complex::new(0.0, 3.0)],
    );
    check(
        &stream,
        "complex<double>",
        &[Complex::new(1.0f64, -2.0), Complex::new(0.0, 3.0)],
    );
}

#[test]
fn halves_round_and_complex_numbers_have_operators() {
    let stream = stream();
    let third =
        cuda::<fn(f16) -> f16>("third", "__device__ float third(float x) { return x / 3; }");
    let host: Vec<f16> = (0..200).map(|i| f16::from_f32(i as f32)).collect();
    let x = upload(&stream, &host);
    // The result is rounded before it is used: the sum has half precision.
    let got = (third.map((&x,)) + third.map((&x,))).eval().unwrap();
    let wanted: Vec<f16> = host
        .iter()
        .map(|x| f16::from_f32(x.to_f32() / 3.0))
        .map(|x| f16::from_f32(x.to_f32() * 2.0))
        .collect();
    assert_eq!(got.host(), wanted);
    let wide = cuda::<fn(bf16) -> f64>("wide", "__device__ double wide(float x) { return x; }");
    let y = upload(&stream, &[bf16::from_f32(0.1)]);
    let got = wide.map((&y,)).eval().unwrap().value();
    assert_eq!(got, bf16::from_f32(0.1).to_f64());
    let turn = cuda::<fn(Complex<f32>, f32) -> Complex<f32>>(
        "turn",
        "__device__ complex<float> turn(complex<float> z, float by) {
             return z * complex<float>{cosf(by), sinf(by)} + complex<float>{z.im, 0} * complex<float>{0, 0};
         }",
    );
    let z = upload(&stream, &[Complex::new(1.0f32, 2.0)]);
    let got = turn
        .map((&z, std::f32::consts::FRAC_PI_2))
        .eval()
        .unwrap()
        .value();
    assert!((got - Complex::new(-2.0, 1.0)).norm() < 1e-6, "{got}");
}

#[test]
fn source_may_use_helpers_includes_and_any_names() {
    let stream = stream();
    let x = upload(&stream, &[1.0f32, 4.0, 9.0]);
    // Names that the kernels use for macros, functions and types, and helpers of the same name in
    // two texts.
    let one = cuda::<fn(f32) -> f32>(
        "compute",
        "#include <cuda_fp16.h>
         struct Inputs { float N, VECTOR, THREADS, UNROLL; };
         template <int VALUE> __device__ float load(float FIRST) { return FIRST + VALUE; }
         __device__ const float STORED[2] = {1.0f, 2.0f};
         __device__ float compute(float w) {
             Inputs GROUP = {w, STORED[1], 0, __half2float(__float2half(0.5f))};
             return load<3>(GROUP.N) * GROUP.VECTOR + GROUP.UNROLL;
         }",
    );
    let two = cuda::<fn(f32) -> f32>(
        "compute",
        "template <int VALUE> __device__ float load(float FIRST) { return FIRST * VALUE; }
         __device__ float compute(float w) { return load<10>(w); }",
    );
    let wanted = |x: f32| (x + 3.0) * 2.0 + 0.5 + x * 10.0;
    let got = (one.map((&x,)) + two.map((&x,))).eval().unwrap();
    assert_eq!(got.host(), [1.0, 4.0, 9.0].map(wanted));
    // The same in other kernels: by rows, by columns, with indices, and as combinations.
    let text = |name: &str| {
        format!(
            "__device__ int {name}(int ROWS, int COLUMNS) {{ int ROOM = ROWS, N = COLUMNS; return ROOM + N; }}"
        )
    };
    let add = cuda::<fn(i32, i32) -> i32>("scan", &text("scan"));
    let sum = Combination::new(&add, 0);
    let host: Vec<i32> = (0..60 * 70).map(|i| i % 101).collect();
    let y = shaped(&stream, [60, 70], &host);
    for axis in [0, 1] {
        assert_eq!(
            y.reduce_axis(axis, &sum).eval().unwrap().host(),
            y.sum_axis(axis).eval().unwrap().host()
        );
        assert_eq!(
            y.scan(&sum, axis).unwrap().host(),
            y.cumsum(axis).unwrap().host()
        );
    }
    let above = &y - y.reduce_axis(1, &sum).keep_axes();
    let wanted = &y - y.sum_axis(1).keep_axes();
    assert_eq!(elements(above.eval()), wanted.eval().unwrap().host());
    let big = add.map((&y, 7)).greater(50);
    assert_eq!(
        add.map((&y, 7)).compress(&big).unwrap().host(),
        host.iter()
            .map(|v| v + 7)
            .filter(|v| *v > 50)
            .collect::<Vec<_>>()
    );
    let turned = add
        .map((&y, y.t().contiguous(cuda_compute::Order::C).unwrap().t()))
        .eval()
        .unwrap();
    assert_eq!(
        turned.host(),
        host.iter().map(|v| v * 2).collect::<Vec<_>>()
    );
    let places = upload(&stream, &[3, 1, -1]);
    assert_eq!(
        add.map((&y, 1))
            .take(&places, 0)
            .unwrap()
            .slice(s![2, 69])
            .unwrap()
            .value(),
        host[60 * 70 - 1] + 1
    );
    let mut z = y.clone();
    z.put(&places, add.map((&places, 1000))).unwrap();
    assert_eq!(z.slice(s![0, 3]).unwrap().value(), 1003);
    let counts = add.map((&y, 0)).cast::<u32>().histogram(101).unwrap();
    assert_eq!(
        counts.host()[7],
        host.iter().filter(|v| **v == 7).count() as u64
    );
}

#[test]
fn source_may_be_created_at_run_time() {
    let stream = stream();
    let x = upload(&stream, &[1.0f64, 2.0, 3.0]);
    let polynomial = |coefficients: &[f64]| {
        let body = coefficients
            .iter()
            .fold("0.0".to_owned(), |text, c| format!("({text}) * x + {c:?}"));
        cuda::<fn(f64) -> f64>(
            "p",
            &format!("__device__ double p(double x) {{ return {body}; }}"),
        )
    };
    for coefficients in [&[1.0, 0.0][..], &[2.0, 3.0, -1.0], &[0.5, 0.25]] {
        let wanted: Vec<f64> = [1.0, 2.0, 3.0]
            .iter()
            .map(|x| coefficients.iter().fold(0.0, |sum, c| sum * x + c))
            .collect();
        let p = polynomial(coefficients);
        assert_eq!(elements(p.map((&x,)).eval()), wanted, "{p:?}");
    }
}

#[test]
fn errors_show_the_source_lines() {
    let stream = stream();
    let x = upload(&stream, &[1.0f32]);
    let wrong = cuda::<fn(f32) -> f32>(
        "wave",
        "__device__ float inner(float x) { return x; }\n\
         __device__ float wave(float x) {\n    return inner(y);\n}\n",
    );
    failure(wrong.map((&x,)).eval())
        .mentions("nvrtcCompileProgram failed: NVRTC_ERROR_COMPILATION (6):\nwave.cu(3): error: identifier \"y\" is undefined")
        .mentions(" >    3 |     return inner(y);")
        .mentions("      2 | __device__ float wave(float x) {");
    // As a combination, in every kind of kernel.
    let wrong = cuda::<fn(f32, f32) -> f32>(
        "join",
        "__device__ float join(float a, float b) { return a + ; }",
    );
    let join = Combination::new(&wrong, 0.0);
    let y = shaped(&stream, [2, 2], &[1.0f32; 4]);
    for error in [
        y.reduce(&join).eval().unwrap_err(),
        y.reduce_axis(0, &join).eval().unwrap_err(),
        (&y - y.reduce_axis(1, &join).keep_axes())
            .eval()
            .unwrap_err(),
        y.scan(&join, 0).unwrap_err(),
        y.scan(&join, 1).unwrap_err(),
    ] {
        let error = error.to_string();
        assert!(
            error.contains("join.cu(1): error: expected an expression"),
            "{error}"
        );
        assert!(error.contains(" >    1 | __device__ float join"), "{error}");
        // The kernel that includes the source has another name.
        assert!(!error.contains("kernel.cu"), "{error}");
    }
    // The declared type differs from the Rust type.
    for text in [
        "__device__ double wave(float x) { return x; }",
        "__device__ float wave(double x) { return x; }",
        "__device__ float wave(float x, float y) { return x; }",
        "__device__ float wave(float &x) { return x; }",
    ] {
        failure(cuda::<fn(f32) -> f32>("wave", text).map((&x,)).eval())
            .mentions("wave does not have the type declared in Rust, (f32) -> f32, which is float wave(float) in CUDA C++");
    }
    failure(
        cuda::<fn(f32) -> f32>("wave", "z[i] = 2 * x[i]")
            .map((&x,))
            .eval(),
    )
    .mentions("CudaFn wave: the source defines no function for the device");
    let missing = cuda::<fn(f32) -> f32>("wave", "__device__ float waves(float x) { return x; }");
    failure(missing.map((&x,)).eval()).mentions("wave");
    // A failed compilation does not affect the corrected function.
    let right = cuda::<fn(f32) -> f32>("wave", "__device__ float wave(float x) { return -x; }");
    assert_eq!(right.map((&x,)).eval().unwrap().value(), -1.0);
}

#[test]
fn identities_may_be_any_value() {
    let stream = stream();
    let none = Array::<f32>::zeros(&stream, 0).unwrap();
    let larger = device_fn!(|a: f32, b: f32| a.max(b));
    for identity in [f32::NEG_INFINITY, -0.0, 1e-45, -7.25] {
        let most = Combination::new(&larger, identity);
        let got = none.reduce(&most).eval().unwrap().value();
        assert_eq!(got.to_bits(), identity.to_bits());
        let x = upload(&stream, &[identity, identity]);
        let got = x.scan_exclusive(&most, 0).unwrap().host();
        assert_eq!(got[0].to_bits(), identity.to_bits());
    }
    // Halves are combined as floats.
    let add = cuda::<fn(f16, f16) -> f16>(
        "add",
        "__device__ float add(float a, float b) { return a + b; }",
    );
    let sum = Combination::new(&add, f16::ZERO);
    let x = Array::full(&stream, 5000, f16::ONE).unwrap();
    assert_eq!(
        x.reduce(&sum).eval().unwrap().value(),
        f16::from_f32(5000.0)
    );
    assert_eq!(
        x.scan(&sum, 0).unwrap().slice(s![-1]).unwrap().value(),
        f16::from_f32(5000.0)
    );
    // Bools, complex numbers, and the library's own combinations as reductions.
    let differ = cuda::<fn(bool, bool) -> bool>(
        "differ",
        "__device__ bool differ(bool a, bool b) { return a != b; }",
    );
    let odd = Combination::new(&differ, false);
    let mask = Array::range(&stream, 0..301).unwrap().less(200) ^ true;
    assert!(mask.reduce(&odd).eval().unwrap().value());
    let product = cuda::<fn(Complex<f64>, Complex<f64>) -> Complex<f64>>(
        "product",
        "__device__ complex<double> product(complex<double> a, complex<double> b) { return a * b; }",
    );
    let turns = Array::full(&stream, 7, Complex::new(0.0f64, 1.0)).unwrap();
    let got = turns.reduce(Combination::new(&product, Complex::new(1.0, 0.0)));
    assert_eq!(got.eval().unwrap().value(), Complex::new(0.0, -1.0));
    let y = Array::range(&stream, 1..6).unwrap();
    let (sum, product, most, least) = eval((
        y.reduce(Combination::sum()),
        y.reduce(Combination::product()),
        y.reduce(Combination::max()),
        y.reduce(Combination::min()),
    ))
    .unwrap();
    let all = concatenate(
        &[
            &sum.flatten().unwrap(),
            &product.flatten().unwrap(),
            &most.flatten().unwrap(),
            &least.flatten().unwrap(),
        ],
        0,
    );
    assert_eq!(all.unwrap().host(), [15, 120, 5, 1]);
}

#[test]
fn closures_reduce_device_memory() {
    let stream = stream();
    let reducer = Reducer::new(stream.context()).unwrap();
    let host: Vec<i32> = (0..10_000).map(|i| (i * 7919) % 10_007 - 5000).collect();
    let data = DeviceBuffer::from_slice(&stream, &host).unwrap();
    let far = device_fn!(|x: i64| if x < 0 { -3 * x } else { x });
    let most = fold!(|a: i64, b: i64| a.max(b), i64::MIN);
    let farthest = MapReduce::<i32, i64>::of(&far, &most);
    let wanted = host.iter().map(|&x| far.call((x.into(),))).max().unwrap();
    assert_eq!(reducer.reduce(&stream, &farthest, &data).unwrap(), wanted);
    // Integers wrap around as in Rust, also inside the closure.
    let square = device_fn!(|x: i32| x.wrapping_mul(x).wrapping_mul(x));
    let sum = fold!(|a: i32, b: i32| a.wrapping_add(b), 0);
    let cubes = MapReduce::<i32, i32>::of(&square, &sum);
    let wanted = host
        .iter()
        .map(|&x| square.call((x,)))
        .fold(0, i32::wrapping_add);
    assert_eq!(reducer.reduce(&stream, &cubes, &data).unwrap(), wanted);
    let empty = data.slice(..0).unwrap();
    assert_eq!(
        reducer.reduce(&stream, &farthest, &empty).unwrap(),
        i64::MIN
    );
    let halves = [f16::from_f32(1.5), f16::from_f32(-2.5)];
    let halves = DeviceBuffer::from_slice(&stream, &halves).unwrap();
    let size = device_fn!(|x: f32| x.abs());
    let sizes = MapReduce::<f16, f32>::of(&size, &fold!(|a: f32, b: f32| a + b, 0.0));
    assert_eq!(reducer.reduce(&stream, &sizes, &halves).unwrap(), 4.0);
}
