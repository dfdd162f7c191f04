//! Kernels declared as functions.

use cuda_safe::{Context, DeviceBuffer, ErrorKind, In, InOut, LaunchConfig, Out};

use crate::{device, failure, kernels};

const BLAS: &str = r#"
// Macros of the program must not affect the code that checks the declarations.
#define T 5
#define A 4
#define value 3
#define type 2
#define N 1
struct Pair { float scale; int offset; };
enum Mode : unsigned { PLUS, MINUS };
__global__ void saxpy(float a, const float *x, float *y, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
#undef T
template <typename T> __global__ void scale(T *x, T factor) { x[threadIdx.x] *= factor; }
namespace pairs {
__global__ void apply(float *x, const Pair *all, Pair one, Mode mode, bool negate) {
    const Pair pair = all ? all[threadIdx.x] : one;
    float result = x[threadIdx.x] * pair.scale + (mode == PLUS ? pair.offset : -pair.offset);
    x[threadIdx.x] = negate ? -result : result;
}
}
__global__ void integers(unsigned long a, unsigned long long b, size_t c, signed char d, long long e,
                         const char *f, const bool *g, float **h, void *i, long *j) {
    *j = a + b + c + d + e + f[0] + g[0] + (h == nullptr) + (i == nullptr);
}
__global__ void vectors(const float2 *in, float4 *out) {
    out[threadIdx.x] = make_float4(in[threadIdx.x].x, in[threadIdx.x].y, 0, 1);
}
extern "C" __global__ void nothing() {} // the source ends without a newline"#;

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Pair {
    scale: f32,
    offset: i32,
}

cuda_safe::kernels! {
    /// All kinds of declarations.
    #[allow(dead_code)]
    struct Blas = BLAS;

    /// Adds `a * x` to `y`.
    fn saxpy(a: f32, x: &[f32], y: &mut [f32], n: u32);
    /// An instance of a template.
    fn scale_f64(x: &mut [f64], factor: f64) = "scale<double>";
    fn scale_i16(x: &mut [i16], factor: i16,) = "scale<short>";
    fn apply(x: &mut [f32], all: *const Pair, one: Pair, mode: u32, negate: bool) = "pairs::apply";
    fn integers(
        a: u64, b: u64, c: usize, d: i8, e: i64, f: &[u8], g: &[u8], h: *mut u64, i: *mut f32,
        j: &mut [i64]
    );
    fn vectors(input: &[[f32; 2]] = "const float2 *", output: &mut [[f32; 4]]);
    fn nothing();
}

#[test]
#[cfg_attr(
    windows,
    ignore = "the kernels have parameters of 64 bits called `long`"
)]
fn declared_kernels_can_be_called() {
    let (context, stream) = device();
    let blas = Blas::load(&context).unwrap();
    let x = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0, 3.0]).unwrap();
    let mut y = DeviceBuffer::from_slice(&stream, &[10.0f32; 3]).unwrap();
    let config = LaunchConfig::new(1, 3);
    // SAFETY: each buffer has three elements.
    unsafe { blas.saxpy(&stream, config, 2.0, &x, &mut y, 3).unwrap() };
    assert_eq!(y.to_vec(&stream).unwrap(), [12.0, 14.0, 16.0]);
    // With views and host slices.
    let mut host = [0.0f32, 1.0];
    let two = LaunchConfig::new(1, 2);
    // SAFETY: each buffer has two elements.
    unsafe {
        let (x, mut y) = (x.slice(1..).unwrap(), y.slice_mut(..2).unwrap());
        blas.saxpy(&stream, two, 1.0, x, &mut y, 2).unwrap();
        blas.saxpy(&stream, two, 1.0, In(&[5.0, 6.0]), &mut y, 2)
            .unwrap();
        blas.saxpy(&stream, two, 1.0, &y, InOut(&mut host), 2)
            .unwrap();
    }
    assert_eq!(host, [19.0, 24.0]);

    let (mut f64s, mut i16s) = ([1.5, 2.0], [7i16, -3]);
    // SAFETY: each buffer has two elements.
    unsafe {
        blas.scale_f64(&stream, two, InOut(&mut f64s), 2.0).unwrap();
        blas.scale_i16(&stream, two, InOut(&mut i16s), 3).unwrap();
    }
    assert_eq!((f64s, i16s), ([3.0, 4.0], [21, -9]));

    let pair = Pair {
        scale: 2.0,
        offset: 1,
    };
    let mut x = [4.0f32];
    let one = LaunchConfig::new(1, 1);
    // SAFETY: there is one element, and the kernel reads no address.
    unsafe { blas.apply(&stream, one, InOut(&mut x), 0, pair, 1, true) }.unwrap();
    assert_eq!(x, [-7.0]);
    let mut sum = [0i64];
    // SAFETY: each buffer has one element, and the kernel reads no other address.
    unsafe {
        blas.integers(
            &stream,
            one,
            1 << 40,
            2,
            3,
            -4,
            5,
            In(&[6]),
            In(&[1]),
            0,
            0,
            Out(&mut sum),
        )
        .unwrap();
    }
    assert_eq!(sum, [(1 << 40) + 15]);
    let mut out = [[0.0f32; 4]; 2];
    // SAFETY: each buffer has two elements.
    unsafe {
        blas.vectors(&stream, two, In(&[[1.0, 2.0], [3.0, 4.0]]), Out(&mut out))
            .unwrap();
        blas.nothing(&stream, one).unwrap();
    }
    assert_eq!(out, [[1.0, 2.0, 0.0, 1.0], [3.0, 4.0, 0.0, 1.0]]);
    // The fields are functions.
    assert_eq!(blas.saxpy.name(), "saxpy");
    assert_eq!(blas.clone().scale_f64.name(), "scale<double>");
    assert!(format!("{blas:?}").contains("scale<double>"));
    stream.synchronize().unwrap();
}

#[test]
fn thirty_two_parameters_can_be_declared() {
    const SOURCE: &str = "__global__ void many(int *x,
        int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m,
        int n, int o, int p, int q, int r, int s, int t, int u, int v, int w, int y, int z, int aa,
        int bb, int cc, int dd, int ee, int ff) { *x = ff; }";
    #[rustfmt::skip]
    cuda_safe::kernels! {
        struct Many = SOURCE;
        fn many(
            x: &mut [i32], a: i32, b: i32, c: i32, d: i32, e: i32, f: i32, g: i32, h: i32, i: i32,
            j: i32, k: i32, l: i32, m: i32, n: i32, o: i32, p: i32, q: i32, r: i32, s: i32, t: i32,
            u: i32, v: i32, w: i32, y: i32, z: i32, aa: i32, bb: i32, cc: i32, dd: i32, ee: i32,
            ff: i32
        );
    }
    let (context, stream) = device();
    let many = Many::load(&context).unwrap();
    let (mut x, config) = ([0], LaunchConfig::new(1, 1));
    // SAFETY: there is one element.
    #[rustfmt::skip]
    let launched = unsafe {
        many.many(
            &stream, config, Out(&mut x), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
            17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        )
    };
    launched.unwrap();
    assert_eq!(x, [31]);
}

#[test]
#[cfg_attr(
    windows,
    ignore = "the kernels have parameters of 64 bits called `long`"
)]
fn signature_checks_add_no_code() {
    let (context, _) = device();
    let checked = Blas::load(&context).unwrap();
    let mut names = checked.saxpy.module().function_names().unwrap();
    names.sort();
    assert_eq!(names.len(), 7, "{names:?}");
    assert!(
        names.iter().all(|name| !name.contains("cuda_direct")),
        "{names:?}"
    );
}

/// Returns the detail of the error of `load`.
fn load_error<K: std::fmt::Debug>(load: impl FnOnce(&Context) -> cuda_safe::Result<K>) -> String {
    let error = load(&device().0).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Signature, "{error}");
    error.detail().to_owned()
}

#[track_caller]
fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn signature_errors_list_all_differences() {
    cuda_safe::kernels! {
        struct Wrong = BLAS;
        fn saxpy(a: f64, x: &mut [f32], y: &[u32], n: i32);
        fn scale(x: &mut [f64], factor: f64, more: u8) = "scale<double>";
        fn nothing();
        fn apply(x: &mut [f32], all: &[u16], one: [u8; 12], mode: u8, negate: u8) = "pairs::apply";
        fn vectors(input: &[[f32; 2]] = "const float4 *", output: &mut [[f32; 3]]);
    }
    let text = load_error(Wrong::load);
    assert_contains(
        &text,
        &[
            "fn saxpy(a: f64, x: &mut [f32], y: &[u32], n: i32)",
            "saxpy(double a, float *x, const unsigned int *y, int n)",
            "saxpy(float, const float *, float *, unsigned int)",
            "`a` is declared as `double` and is `float`",
            "`x` is declared as `float *` and is `const float *`",
            "`y` is declared as `const unsigned int *` and is `float *`",
            "`n` is declared as `int` and is `unsigned int`",
            "3 parameters are declared, but the kernel has 2",
            "scale<double>(double *, double)",
            "`all` is declared as `const unsigned short *` and is `const Pair *`",
            "`one` is declared as `<12 bytes>` and is `Pair` ([u8; 12] has 12 bytes, the C++ type 8)",
            "`mode` is declared as `unsigned char` and is `Mode`",
            "`negate` is declared as `unsigned char` and is `bool`",
            "`input` is declared as `const float4 *` and is `const float2 *`",
            "([f32; 3] has 12 bytes, the C++ type 16)",
        ],
    );
    assert!(!text.contains("nothing"), "{text}");
    assert!(!text.contains("cuda_direct"), "{text}");
}

#[test]
fn parameters_can_have_the_names_of_method_parameters() {
    cuda_safe::kernels! {
        struct Names = "__global__ void load(int *stream, int config) { *stream = config; }";
        fn store(stream: &mut [i32], config: i32) = "load";
    }
    let (context, stream) = device();
    let names = Names::load(&context).unwrap();
    let mut x = [0];
    // SAFETY: there is one element.
    unsafe { names.store(&stream, LaunchConfig::new(1, 1), Out(&mut x), 5) }.unwrap();
    assert_eq!(x, [5]);
}

cuda_safe::kernels! {
    /// Kernels of the tests' shared module.
    struct Loaded;
    fn scale(x: &mut [f32], factor: f32, n: u32);
    fn spin(nanoseconds: u64, out: *mut u32);
}

#[test]
fn loaded_modules_are_checked_by_parameter_kinds() {
    let (context, stream) = device();
    let module = kernels(&context);
    let loaded = Loaded::from_module(&module).unwrap();
    let mut x = [1.0f32, 2.0];
    // SAFETY: there are two elements.
    unsafe { loaded.scale(&stream, LaunchConfig::new(1, 2), InOut(&mut x), 3.0, 2) }.unwrap();
    assert_eq!(x, [3.0, 6.0]);

    cuda_safe::kernels! {
        struct Wrong;
        fn scale(x: &mut [f32], factor: i32, n: u32);
        fn spin(nanoseconds: u32, out: *mut u32);
        fn affine(x: &mut [f32]);
        fn no_parameters(x: u8);
        fn shared_sum(out: &mut [u64], n: u32);
    }
    let text = load_error(|_| Wrong::from_module(&module));
    assert_contains(
        &text,
        &[
            "scale(float *x, int factor, unsigned int n)",
            "the parameter of `factor` is a float of 4 bytes",
            "the parameter of `nanoseconds` is an integer or a pointer, of 8 bytes",
            "1 parameters are declared, but the kernel has 4",
            "one is a struct of 8 bytes, aligned to 4",
            "compiled: no parameters",
        ],
    );
    assert!(
        !text.contains("shared_sum"),
        "element types cannot be checked:\n{text}"
    );

    cuda_safe::kernels! {
        struct Absent;
        fn absent();
    }
    failure(Absent::from_module(&module)).of_kind(ErrorKind::NotFound);
}

const LENGTHS: &str = r#"
__global__ void copy(const float *x, unsigned n, double factor, float *y, size_t m) {
    for (size_t i = 0; i < n && i < m; ++i) y[i] = factor * x[i];
}"#;

cuda_safe::kernels! {
    /// Memory with its length.
    struct Lengths = LENGTHS;
    /// Lengths in the middle and at the end.
    fn copy((x, n): (&[f32], u32), factor: f64, (y, m): (&mut [f32], usize));
}

cuda_safe::kernels! {
    /// Lengths of types that differ from the code's.
    struct WrongLengths = LENGTHS;
    /// A length of another signedness and one of another size.
    #[allow(dead_code)]
    fn copy((x, n): (&[f32], i32), factor: f64, (y, m): (&mut [f32], u32));
}

#[test]
fn memory_and_length_can_be_one_argument() {
    let (context, stream) = device();
    let lengths = Lengths::load(&context).unwrap();
    let x = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0, 3.0]).unwrap();
    let mut y = DeviceBuffer::<f32>::zeroed(&stream, 5).unwrap();
    let mut host = [0.0f32; 2];
    let one = LaunchConfig::new(1, 1);
    // SAFETY: the kernel stays within the given lengths.
    unsafe {
        lengths.copy(&stream, one, &x, 2.0, &mut y).unwrap();
        lengths
            .copy(&stream, one, In(&[7.0, 8.0, 9.0]), 1.0, Out(&mut host))
            .unwrap();
    }
    assert_eq!(y.to_vec(&stream).unwrap(), [2.0, 4.0, 6.0, 0.0, 0.0]);
    assert_eq!(host, [7.0, 8.0]);
    // The same with a loaded module, where only sizes are compared.
    let module = lengths.copy.module();
    Lengths::from_module(module).unwrap();
}

#[test]
fn types_of_lengths_are_checked() {
    let (context, _) = device();
    failure(WrongLengths::load(&context))
        .of_kind(ErrorKind::Signature)
        .mentions("`n` is declared as `int` and is `unsigned int`")
        .mentions("copy(const float *x, int n, double factor, float *y, unsigned int m)");
}
