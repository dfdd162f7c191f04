use super::compile;
use crate::{
    code::program::{Cache, Program},
    device::ComputeCapability,
    error::{Error, ErrorKind},
    typed::{Declaration, Parameter, Read, Signature, Value, Write},
};

const CAPABILITY: ComputeCapability = ComputeCapability { major: 9, minor: 0 };

fn declaration<S: Signature>(
    name: &'static str,
    parameters: &'static [(&'static str, Option<&'static str>)],
) -> Declaration {
    Declaration {
        name,
        rust: "fn ...",
        parameters,
        signature: S::declared,
    }
}

fn program(source: impl Into<String>) -> Program {
    Program::new(source).cache(Cache::Off)
}

/// Returns the detail of the error for declarations that do not match.
#[track_caller]
fn mismatch(source: &str, declarations: &[Declaration]) -> String {
    let error = compile(&program(source), CAPABILITY, declarations).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Signature, "{error}");
    error.detail().to_owned()
}

/// Returns whether a parameter declared as `P` matches the C++ parameter.
#[track_caller]
fn exactly<P: Parameter>(parameter: &str, exact: Option<&'static str>) -> bool {
    let source = format!(
        "struct S {{ short x[4]; }}; struct Opaque; enum Small : unsigned char {{ ONE }};
         typedef float Real; template <class T> struct Of {{ T x; }};
         __global__ void k({parameter}) {{}}"
    );
    let parameters = vec![("x", exact)].leak();
    let compiled = compile(
        &program(source),
        CAPABILITY,
        &[declaration::<(P,)>("k", parameters)],
    );
    match compiled.as_ref().map_err(Error::kind) {
        Ok(_) => true,
        Err(ErrorKind::Signature) => false,
        Err(_) => panic!("{}", compiled.unwrap_err()),
    }
}

#[track_caller]
fn matches<P: Parameter>(parameter: &str) -> bool {
    exactly::<P>(parameter, None)
}

#[test]
#[cfg_attr(
    windows,
    ignore = "the expected types are those of Linux, where `long` has 64 bits"
)]
fn equivalent_types_match() {
    assert!(matches::<Read<f32>>("const volatile Real *x"));
    assert!(matches::<Read<f32>>("const void *x"));
    assert!(matches::<Write<f32>>("float * __restrict__ const x"));
    assert!(matches::<Write<u64>>("unsigned long *x"));
    assert!(matches::<Write<u64>>("unsigned long long *x"));
    assert!(matches::<Write<u64>>("const float **x"));
    assert!(matches::<Read<u8>>("const char *x"));
    assert!(matches::<Read<i8>>("const char *x"));
    assert!(matches::<Read<u8>>("const bool *x"));
    assert!(matches::<Read<u8>>("const Small *x"));
    assert!(matches::<Value<i8>>("Small x"));
    assert!(matches::<Value<isize>>("long x"));
    assert!(matches::<Value<usize>>("size_t x"));
    assert!(matches::<Value<u16>>("char16_t x"));
    assert!(matches::<Value<bool>>("const bool x"));
    assert!(matches::<Value<f64>>("double x"));
}

#[test]
fn types_of_one_language_match_by_size() {
    assert!(matches::<Value<[i16; 4]>>("const S x"));
    assert!(matches::<Value<[i16; 4]>>("const __grid_constant__ S x"));
    assert!(matches::<Value<[f32; 1]>>("float x"));
    assert!(matches::<Write<[u32; 2]>>("S *x"));
    assert!(matches::<Write<[u32; 2]>>("Of<Of<double>> *x"));
    assert!(!matches::<Value<[i16; 3]>>("S x"));
    assert!(!matches::<Write<[i16; 3]>>("S *x"));
    assert!(!matches::<Value<[u32; 2]>>("float *x"));
    assert!(!matches::<Write<u32>>("Opaque *x"));
}

#[test]
fn different_types_do_not_match() {
    assert!(!matches::<Read<f32>>("float *x"));
    assert!(!matches::<Write<f32>>("const float *x"));
    assert!(!matches::<Write<f32>>("const void *x"));
    assert!(!matches::<Write<f32>>("float **x"));
    assert!(!matches::<Write<u64>>("float *x"));
    assert!(!matches::<Write<f64>>("long long *x"));
    assert!(!matches::<Write<i64>>("float **x"));
    assert!(!matches::<Value<u64>>("float *x"));
    assert!(!matches::<Read<f32>>("unsigned long long x"));
    assert!(!matches::<Value<u8>>("bool x"));
    assert!(!matches::<Value<bool>>("unsigned char x"));
    assert!(!matches::<Value<u32>>("int x"));
    assert!(!matches::<Value<i32>>("unsigned x"));
    assert!(!matches::<Value<i32>>("long long x"));
    assert!(!matches::<Value<f32>>("int x"));
    assert!(!matches::<Value<f32>>("double x"));
}

#[test]
fn explicit_type_must_match_exactly() {
    assert!(exactly::<Read<f32>>("float *x", Some("float *")));
    assert!(exactly::<Read<f32>>("const float *x", Some("Real const *")));
    assert!(exactly::<Read<[f32; 2]>>(
        "const float2 *x",
        Some("const float2 *")
    ));
    assert!(exactly::<Write<u64>>("Opaque **x", Some("Opaque **")));
    assert!(exactly::<Read<u8>>("void *x", Some("void *")));
    assert!(exactly::<Value<[u8; 8]>>("Of<S> x", Some("Of<S>")));
    assert!(!exactly::<Read<[f32; 2]>>(
        "const double *x",
        Some("const float2 *")
    ));
    assert!(!exactly::<Value<[u8; 4]>>("float x", Some("int")));
    // The size must match too.
    assert!(!exactly::<Write<[i16; 3]>>("S *x", Some("S *")));
    assert!(!exactly::<Value<[i16; 3]>>("S x", Some("S")));
}

#[test]
fn each_invalid_declaration_is_reported() {
    let source = "
        __global__ void right(const float *x) {}
        __global__ void wrong(int n) {}
        __global__ void twice(int n) {}
        __global__ void twice(float n) {}
        __device__ int helper(int x) { return x; }";
    let text = mismatch(
        source,
        &[
            declaration::<(Read<f32>,)>("right", &[("x", None)]),
            declaration::<(Value<u32>,)>("wrong", &[("n", None)]),
            declaration::<()>("other", &[]),
            declaration::<(Value<i32>,)>("helper", &[("x", None)]),
            declaration::<(Value<i32>,)>("twice", &[("n", None)]),
            declaration::<(Read<f32>,)>("right", &[("x", Some("const Unknown *"))]),
        ],
    );
    for part in [
        "`other` cannot be compared: the compiler reports identifier \"other\" is undefined",
        "identifier \"Unknown\" is undefined",
        "`twice` cannot be compared",
        "overloaded",
        "`helper` does not match its code: it is not a kernel",
        "compiled: int (*)(int)",
        "`n` is declared as `unsigned int` and is `int`",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(!text.contains("cuda_direct"), "{text}");
    assert_eq!(text.matches("in C++:").count(), 5, "{text}");
}

#[test]
fn errors_of_the_source_are_compile_errors() {
    let wrong = [declaration::<()>("k", &[])];
    let source = "__global__ void k(int n) {\n not C++; }";
    let error = compile(&program(source), CAPABILITY, &wrong).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Compile { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("program.cu(2)") && !text.contains("cuda_direct"),
        "{text}"
    );
    // The same applies to unknown options.
    let program = program("__global__ void k() {}").option("--no-such-option");
    let error = compile(&program, CAPABILITY, &wrong).unwrap_err();
    assert!(error.to_string().contains("no-such-option"), "{error}");
}

#[test]
#[cfg_attr(
    windows,
    ignore = "the expected types are those of Linux, where `long` has 64 bits"
)]
fn all_dialects_and_lengths_are_checked() {
    let parameters: Vec<String> = (0..32).map(|i| format!("long a{i}")).collect();
    let source = format!("__global__ void k({}) {{}}", parameters.join(", "));
    type V = Value<i64>;
    #[rustfmt::skip]
    type Most = (
        V, V, V, V, V, V, V, V, V, V, V, V, V, V, V, V,
        V, V, V, V, V, V, V, V, V, V, V, V, V, V, V, Read<i64>,
    );
    let all = vec![("x", None); 32].leak();
    for year in [11, 14, 17, 20] {
        // The comparison works with any last line of the source.
        for end in ["", "\n", " // no line ends this", " // nor this\\", "\\\n"] {
            let program = program(format!("{source}{end}")).cpp_standard(year);
            let error = compile(&program, CAPABILITY, &[declaration::<Most>("k", all)]);
            let text = error.unwrap_err().to_string();
            assert_eq!(text.matches("is declared as").count(), 1, "{text}");
            assert!(text.contains("`const long long *` and is `long`"), "{text}");
        }
    }
}

#[test]
fn macros_named_as_keywords_do_not_disable_the_comparison() {
    let declared = [declaration::<(Read<f32>, Value<i32>)>(
        "k",
        &[("x", None), ("n", None)],
    )];
    // The kernel comes before the macro, so the macro does not change it.
    let kernel = "__global__ void k(const double *x, long long n) {}\n";
    for line in [
        "",
        "#define static_assert(...) struct Nothing",
        "#define decltype(...) void (*)(const float *, int)",
        "#define float double",
        "#define int long long",
        "#define sizeof(x) 4",
        "#define constexpr constexpr const",
        "#define false true",
        "#define typename struct Nothing; typename",
        "#define template",
        "#define __is_enum(x) true",
        "#define bool int",
    ] {
        let source = format!("{kernel}{line}\n");
        let text = mismatch(&source, &declared);
        assert!(
            text.contains("`x` is declared as `const float *`"),
            "{line}: {text}"
        );
        assert!(text.contains("`n` is declared as `int`"), "{line}: {text}");
    }
    // A matching declaration is still accepted.
    let fits =
        "__global__ void k(const float *x, int n) {}\n#define float double\n#define int char\n";
    compile(&program(fits), CAPABILITY, &declared).unwrap();
}

#[test]
fn macros_named_as_kernels_do_not_redirect_the_comparison() {
    let source = "
        __global__ void k(const double *x) {}
        __global__ void decoy(const float *x) {}
        namespace one { template <class T> __global__ void of(const double *x) {} }
        namespace two { template <class T> __global__ void of(const float *x) {} }
        template __global__ void one::of<int>(const double *);
        template __global__ void two::of<int>(const float *);
        template <bool EARLY> struct At { using type = const double *; };
        template <> struct At<false> { using type = const float *; };
        template <bool EARLY> __global__ void at(typename At<EARLY>::type x) {}";
    for (name, line) in [
        ("k", "#define k decoy"),
        ("k", "#define k (decoy)"),
        // NVRTC expands the macro where it looks the kernel up, which is on another line than the
        // comparison.
        ("k", "#define k at<(__LINE__ < 50)>"),
        ("one::of<int>", "#define one two"),
        (
            "one::of<int>",
            "#define of of<int>; using two::of; decltype(&of",
        ),
    ] {
        let declared = [declaration::<(Read<f32>,)>(name, &[("x", None)])];
        let text = mismatch(&format!("{source}\n{line}\n"), &declared);
        assert!(
            text.contains("`x` is declared as `const float *` and is `const double *`"),
            "{line}: {text}"
        );
    }
    // Macros in template arguments still apply.
    let source = format!("{source}\n#define INT int\n");
    let declared = [declaration::<(Read<f32>,)>("two::of<INT>", &[("x", None)])];
    compile(&program(source), CAPABILITY, &declared).unwrap();
}

#[test]
fn names_of_the_comparison_in_the_source_do_not_disable_it() {
    let declared = [declaration::<(Read<f32>,)>("k", &[("x", None)])];
    let source = "__global__ void k(const double *x) {}
        template <class F, class D> struct cuda_direct_fits;
        template <class... R> struct cuda_direct_declared;
        template <class R, bool C> struct cuda_direct_points;
        template <> struct cuda_direct_fits<void (*)(const double *), cuda_direct_declared<cuda_direct_points<float, true>>> {
            static constexpr bool cuda_direct_is = true;
        };";
    let text = mismatch(source, &declared);
    assert!(
        text.contains("`x` is declared as `const float *`"),
        "{text}"
    );
}

#[test]
fn the_prefix_depends_on_the_source() {
    let [a, b] = ["a", "b"].map(|source| super::prefix(&program(source)));
    assert_ne!(a, b);
    assert_eq!(a, super::prefix(&program("a")));
    assert!(a.starts_with("cuda_direct_") && a.ends_with('_'), "{a}");
}
