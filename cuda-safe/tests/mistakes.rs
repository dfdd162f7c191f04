//! The table of mistakes in the debugging guide. Each row is a program that makes the mistake. It
//! runs in a separate process on the emulator, whose output must contain the row's text.

#[path = "common/test_name.rs"]
mod test_name;

use std::{
    mem,
    process::{Command, Output},
};

use cuda_safe::{Context, DeviceBuffer, Function, LaunchConfig, Module, Result, Stream};

const GUIDE: &str = include_str!("../src/guide/debugging.md");

const KERNELS: &str = r#"
extern "C" __global__ void write(int *x, long long at) { x[at] = 1; }
extern "C" __global__ void misaligned(char *x) { *(volatile int *)(x + 1) = 1; }
extern "C" __global__ void scale(float *x, float factor) { x[threadIdx.x] = factor; }
extern "C" __global__ void reverse(float *x) {
    __shared__ float part[64];
    part[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = part[63 - threadIdx.x];
}
extern "C" __global__ void meet() {
    if (threadIdx.x < 16) __syncthreads();
}
extern "C" __global__ void square(float *x, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i * i;
}
extern "C" __global__ void sum(const float *x, float *y) {
    for (int i = 0; i < 4; i++) y[0] += x[i];
}
extern "C" __global__ void forever(volatile int *flag) {
    while (*flag == 0) {}
}
"#;

/// A stream, and a function that finds kernels.
struct Gpu {
    stream: Stream,
    module: Module,
}

impl Gpu {
    fn new() -> Result<Self> {
        let context = Context::primary(0)?;
        let stream = Stream::new(&context)?;
        let module = Module::compile(&context, KERNELS)?;
        Ok(Self { stream, module })
    }

    fn kernel(&self, name: &str) -> Result<Function> {
        self.module.function(name)
    }
}

type Program = fn(&Gpu) -> Result<()>;

/// The programs, in the order of the table.
const PROGRAMS: [(&str, Program); 18] = [
    ("write past the end of a buffer", |gpu| {
        let mut x = DeviceBuffer::<i32>::zeroed(&gpu.stream, 4)?;
        // SAFETY: intentionally wrong, as in all programs here. The emulator contains the fault.
        unsafe {
            gpu.kernel("write")?
                .launch(&gpu.stream, one(), (&mut x, 4i64))?
        };
        gpu.stream.synchronize()
    }),
    ("use of freed memory", |gpu| {
        let x = DeviceBuffer::<i32>::zeroed(&gpu.stream, 4)?;
        let address = x.as_device_ptr();
        drop(x);
        gpu.stream.synchronize()?;
        // SAFETY: as above.
        unsafe {
            gpu.kernel("write")?
                .launch(&gpu.stream, one(), (address, 0i64))?
        };
        gpu.stream.synchronize()
    }),
    ("null pointer", |gpu| {
        // SAFETY: as above.
        unsafe {
            gpu.kernel("write")?
                .launch(&gpu.stream, one(), (0u64, 0i64))?
        };
        gpu.stream.synchronize()
    }),
    ("misaligned address", |gpu| {
        let mut x = DeviceBuffer::<u8>::zeroed(&gpu.stream, 16)?;
        // SAFETY: as above.
        unsafe {
            gpu.kernel("misaligned")?
                .launch(&gpu.stream, one(), (&mut x,))?
        };
        gpu.stream.synchronize()
    }),
    (
        "grid without blocks, such as `n / 256` for a small `n`",
        |gpu| {
            let n = 100;
            let mut x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 100)?;
            let config = LaunchConfig::new(n / 256, 256);
            // SAFETY: as above.
            unsafe {
                gpu.kernel("square")?
                    .launch(&gpu.stream, config, (&mut x, n))
            }
        },
    ),
    ("`f64` scalar for a `float` parameter", |gpu| {
        let mut x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 1)?;
        // SAFETY: as above.
        unsafe {
            gpu.kernel("scale")?
                .launch(&gpu.stream, one(), (&mut x, 2.0f64))
        }
    }),
    ("`f64` buffer for a `float *` parameter", |gpu| {
        cuda_safe::kernels! {
            struct Wrong = "__global__ void scale(float *x, float factor) { *x = factor; }";
            fn scale(x: &mut [f64], factor: f32);
        }
        Wrong::load(gpu.stream.context()).map(drop)
    }),
    (
        "`f64` buffer for a `float *` that the kernel writes",
        |gpu| {
            let mut x = DeviceBuffer::<f64>::zeroed(&gpu.stream, 1024)?;
            let config = LaunchConfig::for_elements(1024);
            // SAFETY: as above.
            unsafe {
                gpu.kernel("square")?
                    .launch(&gpu.stream, config, (&mut x, 1024u32))?
            };
            gpu.stream.synchronize()
        },
    ),
    ("too few blocks for the buffer", |gpu| {
        let mut x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 1000)?;
        let config = LaunchConfig::new(1000 / 256, 256);
        // SAFETY: as above.
        unsafe {
            gpu.kernel("square")?
                .launch(&gpu.stream, config, (&mut x, 1000u32))?
        };
        gpu.stream.synchronize()
    }),
    ("`f64` buffer for a `const float *`", |gpu| {
        let x = DeviceBuffer::<f64>::zeroed(&gpu.stream, 4)?;
        let mut y = DeviceBuffer::<f32>::zeroed(&gpu.stream, 1)?;
        // SAFETY: as above.
        unsafe {
            gpu.kernel("sum")?
                .launch(&gpu.stream, one(), (&x, &mut y))?
        };
        gpu.stream.synchronize()
    }),
    ("32-bit index that overflows", |gpu| {
        let mut x = DeviceBuffer::<i32>::zeroed(&gpu.stream, 4)?;
        let index = i64::from(i32::MAX.wrapping_add(1));
        // SAFETY: as above.
        unsafe {
            gpu.kernel("write")?
                .launch(&gpu.stream, one(), (&mut x, index))?
        };
        gpu.stream.synchronize()
    }),
    ("missing `__syncthreads()`", |gpu| {
        let mut x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 64)?;
        let config = LaunchConfig::new(1, 64);
        // SAFETY: as above.
        unsafe {
            gpu.kernel("reverse")?
                .launch(&gpu.stream, config, (&mut x,))?
        };
        gpu.stream.synchronize()
    }),
    (
        "`__syncthreads()` that some threads of a block skip",
        |gpu| {
            let config = LaunchConfig::new(1, 32);
            // SAFETY: as above.
            unsafe { gpu.kernel("meet")?.launch(&gpu.stream, config, ())? };
            gpu.stream.synchronize()
        },
    ),
    (
        "a kernel reads memory that nothing has written (copies to the host are not checked)",
        |gpu| {
            let x = DeviceBuffer::<f32>::uninit(&gpu.stream, 4)?;
            let mut y = DeviceBuffer::<f32>::zeroed(&gpu.stream, 1)?;
            // SAFETY: as above.
            unsafe {
                gpu.kernel("sum")?
                    .launch(&gpu.stream, one(), (&x, &mut y))?
            };
            gpu.stream.synchronize()
        },
    ),
    ("read of shared memory that no thread has written", |gpu| {
        let mut x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 64)?;
        let config = LaunchConfig::new(1, 32);
        // SAFETY: as above.
        unsafe {
            gpu.kernel("reverse")?
                .launch(&gpu.stream, config, (&mut x,))?
        };
        gpu.stream.synchronize()
    }),
    (
        "two streams that use the same memory without an order",
        |gpu| {
            let mut x = DeviceBuffer::<f32>::zeroed(&gpu.stream, 32)?;
            let other = Stream::new(gpu.stream.context())?;
            gpu.stream.synchronize()?;
            for stream in [&gpu.stream, &other] {
                // SAFETY: as above.
                unsafe {
                    gpu.kernel("scale")?.launch(
                        stream,
                        LaunchConfig::new(1, 32),
                        (&mut x, 2.0f32),
                    )?
                };
            }
            gpu.stream.synchronize()?;
            other.synchronize()
        },
    ),
    ("buffer that is never freed", |gpu| {
        mem::forget(DeviceBuffer::<f32>::zeroed(&gpu.stream, 4)?);
        gpu.stream.synchronize()
    }),
    ("kernel that never ends", |gpu| {
        let mut flag = DeviceBuffer::<i32>::zeroed(&gpu.stream, 1)?;
        // SAFETY: as above.
        unsafe {
            gpu.kernel("forever")?
                .launch(&gpu.stream, one(), (&mut flag,))?
        };
        gpu.stream.synchronize()
    }),
];

fn one() -> LaunchConfig {
    LaunchConfig::new(1, 1)
}

/// A row of the guide's table.
struct Row {
    mistake: &'static str,
    /// The environment variable that makes the emulator find it, if one is needed.
    variable: Option<(&'static str, &'static str)>,
    text: &'static str,
}

/// Parses the guide's table.
fn table() -> Vec<Row> {
    let (_, table) = GUIDE.split_once("| mistake | found with | ").unwrap();
    let rows = table.lines().skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|line| {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [mistake, found_with, text] = cells[..] else {
            panic!("{line}")
        };
        let variable = found_with.trim_matches('`').split_once('=');
        let text = text.trim_matches('`').trim();
        Row {
            mistake,
            variable,
            text,
        }
    })
    .collect()
}

const ROW: &str = "CUDA_SAFE_TEST_MISTAKE";

/// Runs the test again with one row's program.
fn run(test: &str, row: usize, variable: Option<(&str, &str)>) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]);
    command.env_remove("CUDA_EMULATOR_CHECK");
    command.env(ROW, row.to_string()).envs(variable);
    command.output().unwrap()
}

#[test]
fn every_mistake_of_the_guide_is_found() {
    if let Ok(row) = std::env::var(ROW) {
        let gpu = Gpu::new().unwrap();
        println!("device: {}", gpu.stream.context().device().name().unwrap());
        let (_, program) = PROGRAMS[row.parse::<usize>().unwrap()];
        if let Err(error) = program(&gpu) {
            eprintln!("{error}");
        }
        return;
    }
    let test = test_name::test_name(&|| {});
    let rows = table();
    let mistakes: Vec<_> = rows.iter().map(|row| row.mistake).collect();
    assert_eq!(mistakes, PROGRAMS.map(|(mistake, _)| mistake));
    for (number, row) in rows.iter().enumerate() {
        let output = run(test, number, row.variable);
        let text = String::from_utf8_lossy(&output.stderr);
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.contains("device: "), "{stdout}{text}");
        if !stdout.contains("device: CUDA emulator") {
            // The guide's table is about the emulator. A GPU need not find these mistakes.
            return;
        }
        if row.text == "nothing" {
            let all = ("CUDA_EMULATOR_CHECK", "all,unwritten");
            let output = run(test, number, Some(all));
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {text}", row.mistake);
            assert!(!text.contains("kernel sum"), "{}: {text}", row.mistake);
            continue;
        }
        assert!(
            text.contains(row.text),
            "{}: no `{}` in:\n{text}",
            row.mistake,
            row.text
        );
        // The variable is needed. Without a time limit, the kernel would not end.
        if row
            .variable
            .is_some_and(|(name, _)| name == "CUDA_EMULATOR_CHECK")
        {
            let output = run(test, number, None);
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {text}", row.mistake);
            assert!(!text.contains(row.text), "{}: {text}", row.mistake);
        }
    }
}
