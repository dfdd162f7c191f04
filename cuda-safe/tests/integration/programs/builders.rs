//! The effect of each method of a program.

use cuda_safe::{Architecture, CompiledProgram, ComputeCapability, Program, program::Cache};

use super::{Folder, VIRTUAL};

fn compiled(program: Program) -> CompiledProgram {
    program.cache(Cache::Off).compile(VIRTUAL).unwrap()
}

fn fails(program: Program) -> String {
    let error = program.cache(Cache::Off).compile(VIRTUAL).unwrap_err();
    error.to_string()
}

#[test]
fn program_returns_its_name_and_source() {
    assert_eq!(Program::new("int a;").source(), "int a;");
    let text = String::from("int b;");
    assert_eq!(Program::from(text.clone()).source(), text);
    assert_eq!(Program::from("int c;").source(), "int c;");
    let program = Program::new("wrong").name("dir/some.cu");
    assert_eq!(Program::from(&program).source(), "wrong");
    assert!(fails(Program::from(&program)).contains("dir/some.cu(1)"));
    assert!(fails(Program::new("wrong")).contains("program.cu(1)"));
}

#[test]
fn macros_headers_and_folders_are_found() {
    let folder = Folder::new("builders");
    folder.write("three.h", "#define THREE 3\n");
    let source = "#include \"four.h\"\n#include <three.h>\n__device__ int x[THREE + FOUR + FIVE];";
    let whole = Program::new(source)
        .define("FIVE", 5)
        .include_path(&folder.0)
        .header("four.h", "#define FOUR 4\n");
    assert!(compiled(whole).ptx().contains("x[48]"));
    let no_folder = Program::new(source).header("four.h", "");
    assert!(fails(no_folder).contains("three.h"));
    let no_header = Program::new(source).include_path(&folder.0);
    assert!(fails(no_header).contains("four.h"));
    let two = Program::new(source)
        .include_path("/nowhere")
        .include_path(&folder.0)
        .header("other.h", "")
        .header("four.h", "#define FOUR 4\n")
        .define("OTHER", 1)
        .define("FIVE", 5);
    assert!(compiled(two).ptx().contains("x[48]"));
}

#[test]
fn name_expressions_have_lowered_names() {
    let source = "template <int N> __global__ void f(int *x) { *x = N; }";
    let program = Program::new(source)
        .name_expression("f<3>")
        .name_expression("f<4>");
    let found = compiled(program);
    let (three, four) = (found.lowered_name("f<3>"), found.lowered_name("f<4>"));
    assert!(three.is_some() && four.is_some() && three != four);
    assert!(found.ptx().contains(three.unwrap()) && found.ptx().contains(four.unwrap()));
    assert_eq!(found.lowered_name("f<5>"), None);
    assert!(!compiled(Program::new(source)).ptx().contains(".entry"));
}

#[test]
fn debug_options_add_debug_information() {
    let program = || Program::new("__global__ void k(float *x) { *x = 1; }");
    let plain = compiled(program().without_line_info());
    assert!(!plain.ptx().contains(".loc") && !plain.ptx().contains("debug"));
    for lines in [program(), program().line_info()] {
        let lines = compiled(lines);
        assert!(lines.ptx().contains(".loc") && !lines.ptx().contains(", debug"));
    }
    assert!(
        compiled(program().device_debug())
            .ptx()
            .contains(".target sm_90, debug")
    );
}

#[test]
fn math_options_select_instructions() {
    let sine = || Program::new("__global__ void k(float *x) { *x = sinf(*x); }");
    let fast = "sin.approx.ftz.f32";
    assert!(compiled(sine().fast_math()).ptx().contains(fast));
    assert!(!compiled(sine()).ptx().contains(fast));
    let product = || Program::new("__global__ void k(float *x) { *x = x[0] * x[1] + x[2]; }");
    assert!(compiled(product().fmad(true)).ptx().contains("fma.rn.f32"));
    assert!(!compiled(product().fmad(false)).ptx().contains("fma.rn.f32"));
}

#[test]
fn max_registers_limits_registers() {
    let source = "__global__ void k(float *x) {
        float y[64];
        for (int i = 0; i < 64; i++) y[i] = x[i * threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 64; i++) x[i * i + threadIdx.x] = y[i];
    }";
    // Read from the machine code, because a tool that intercepts the compiler may drop the log.
    let registers = |program: Program| -> u32 {
        let compiled = program.compile(Architecture::real_of(90)).unwrap();
        let cubin = compiled.cubin().unwrap();
        // An entry of `.nv.info` with a value of 8 bytes (4), the attribute for the register count
        // (0x2f), and then the symbol and the count.
        let entries = cubin
            .windows(12)
            .filter(|entry| entry[..4] == [4, 0x2f, 8, 0]);
        let counts: Vec<_> = entries
            .map(|entry| u32::from_le_bytes(entry[8..].try_into().unwrap()))
            .collect();
        assert_eq!(counts.len(), 1, "{counts:?}");
        counts[0]
    };
    assert!(registers(Program::new(source)) > 40);
    assert!(registers(Program::new(source).max_registers(32)) <= 32);
}

#[test]
fn dialect_and_linking_options_apply() {
    let concept = || Program::new("template <typename T> concept Small = sizeof(T) < 4;");
    compiled(concept().cpp_standard(20));
    assert!(fails(concept().cpp_standard(17)).contains("concept"));
    let outside = || Program::new("extern __device__ int x; __global__ void k() { x = 1; }");
    assert!(
        compiled(outside().relocatable())
            .ptx()
            .contains(".extern .global")
    );
    assert!(!compiled(outside()).ptx().contains(".extern .global"));
    let unused = || Program::new("__global__ void k() { int unused; }");
    assert!(compiled(unused()).log().contains("unused"));
    assert_eq!(compiled(unused().option("--disable-warnings")).log(), "");
}

#[test]
fn programs_compile_for_the_device() {
    let program = Program::new("__global__ void k() {}").cache(Cache::Off);
    let hopper = ComputeCapability { major: 9, minor: 0 };
    let compiled = program.compile_for(hopper).unwrap();
    assert!(compiled.cubin().unwrap().starts_with(b"\x7fELF"));
    assert!(compiled.ptx().contains(".target sm_90"));
    let later = ComputeCapability {
        major: 99,
        minor: 0,
    };
    let compiled = program.compile_for(later).unwrap();
    assert!(compiled.cubin().is_none() && compiled.ptx().contains(".entry"));
    let never = ComputeCapability { major: 1, minor: 0 };
    let error = program.compile_for(never).unwrap_err();
    assert_eq!(*error.kind(), cuda_safe::ErrorKind::Unsupported);
    let nvrtc = cuda_safe::program::nvrtc_version().unwrap();
    assert!(
        error.to_string().contains(&format!("this NVRTC ({nvrtc})")),
        "{error}"
    );
    let architecture = Architecture::real_of(90).specific();
    let compiled = program.compile(architecture).unwrap();
    assert!(compiled.ptx().contains(".target sm_90a"));
}
