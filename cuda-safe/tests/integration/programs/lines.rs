//! Line information, which programs contain by default.

use std::collections::BTreeMap;

use cuda_safe::{Architecture, CompiledProgram, Program, program::Cache};

use super::VIRTUAL;

/// Code with calls, inlined functions, unrolled loops, shared memory, double precision and
/// templates.
const SOURCE: &str = r#"
struct Pair { float a; double b; };

__device__ __noinline__ float called(float x, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += sinf(x * i) / (1.0f + expf(-x));
    return sum;
}

__device__ float inlined(const Pair &pair) { return pair.a * float(sqrt(pair.b)); }

extern "C" __global__ void __launch_bounds__(256) reduce(float *out, const Pair *in, int n) {
    __shared__ float partial[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += inlined(in[i]);
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, called(partial[0], n));
}

template <int N> __global__ void product(float *c, const float *a, const float *b) {
    float row[N];
#pragma unroll
    for (int k = 0; k < N; ++k) row[k] = a[threadIdx.x * N + k];
#pragma unroll
    for (int j = 0; j < N; ++j) {
        float sum = 0;
        for (int k = 0; k < N; ++k) sum = fmaf(row[k], b[k * N + j], sum);
        c[threadIdx.x * N + j] = sum;
    }
}
"#;

fn program() -> Program {
    Program::new(SOURCE)
        .name("kernels.cu")
        .name_expression("product<8>")
        .cache(Cache::Off)
}

/// Returns the sections of an ELF file by name.
fn sections(elf: &[u8]) -> BTreeMap<String, &[u8]> {
    let word = |at: usize, bytes: usize| {
        let mut number = [0; 8];
        number[..bytes].copy_from_slice(&elf[at..at + bytes]);
        u64::from_le_bytes(number) as usize
    };
    let header = |index: usize| word(0x28, 8) + index * word(0x3a, 2);
    let names = word(header(word(0x3e, 2)) + 24, 8);
    (0..word(0x3c, 2))
        .map(|index| {
            let header = header(index);
            let name = &elf[names + word(header, 4)..];
            let name = name.split(|&byte| byte == 0).next().unwrap();
            let (at, bytes) = (word(header + 24, 8), word(header + 32, 8));
            // A section without contents occupies no space.
            let holds = word(header + 4, 4) != 8;
            let contents = if holds { &elf[at..at + bytes] } else { &[] };
            (String::from_utf8_lossy(name).into_owned(), contents)
        })
        .collect()
}

/// Returns PTX without line information: without its directives and the labels that they refer to.
fn instructions(ptx: &str) -> Vec<&str> {
    let mut in_section = false;
    let lines = ptx.lines().map(str::trim).filter(|line| {
        in_section |= line.starts_with(".section");
        let skipped = in_section;
        in_section &= *line != "}";
        let prefixes = [".loc", ".file", "//", "$L__tmp", "$L__func", "$L__info"];
        !skipped && !line.is_empty() && !prefixes.iter().any(|prefix| line.starts_with(prefix))
    });
    lines.collect()
}

#[test]
fn line_information_is_default_and_changes_no_instruction() {
    let compile = |program: Program, target: Architecture| program.compile(target).unwrap();
    let has_lines = |compiled: &CompiledProgram| {
        let ptx = compiled.ptx();
        ptx.contains(".loc") && ptx.contains("kernels.cu")
    };
    for target in [
        Architecture::real_of(90),
        Architecture::real_of(80),
        VIRTUAL,
    ] {
        let with = compile(program(), target);
        let without = compile(program().without_line_info(), target);
        assert!(has_lines(&with) && !has_lines(&without), "{target}");
        assert_eq!(
            instructions(with.ptx()),
            instructions(without.ptx()),
            "{target}"
        );
        assert_eq!(with.cubin().is_some(), target != VIRTUAL);
        let (Some(with), Some(without)) = (with.cubin(), without.cubin()) else {
            continue;
        };
        let (with, without) = (sections(with), sections(without));
        assert!(with.contains_key(".debug_line") && !without.contains_key(".debug_line"));
        let code = |name: &&String| {
            name.starts_with(".text")
                || name.starts_with(".nv.constant")
                || name.starts_with(".nv.shared")
        };
        assert!(
            without.keys().filter(code).count() > 3,
            "{:?}",
            without.keys()
        );
        for name in without.keys().filter(code) {
            assert_eq!(with[name], without[name], "{target}: {name}");
        }
    }
}

#[test]
fn explicit_line_options_replace_the_default() {
    let log = |program: Program| {
        let compiled = program.compile(Architecture::real_of(90)).unwrap();
        assert!(compiled.ptx().contains(".loc"));
        compiled.log().to_owned()
    };
    let plain = log(program());
    // The compiler would warn about contradicting options.
    assert_eq!(log(program().line_info()), plain);
    assert_eq!(log(program().device_debug()), plain);
    assert_eq!(log(program().option("-G")), plain);
    assert_eq!(log(program().relocatable()), plain);
}
