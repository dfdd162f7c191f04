//! A device for tests of the engine: allocations, a heap, and printed output.
#![allow(dead_code)]

pub mod features;
pub mod rows;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use cuda_emulator_engine::{
    Device, Fault, Image, Launch, Options, Program, Region, Shape, Stats, run,
};

/// An allocation. It is stored in words that keep it aligned to 16.
struct Block {
    words: Vec<u128>,
    size: u64,
    writable: bool,
}

#[derive(Default)]
pub struct TestDevice {
    blocks: RwLock<BTreeMap<u64, Block>>,
    generation: AtomicU64,
    pub output: Mutex<Vec<u8>>,
    /// The kernel and place of each launch that took long.
    pub long_runs: Mutex<Vec<String>>,
}

impl TestDevice {
    pub fn new() -> TestDevice {
        TestDevice::default()
    }

    pub fn allocate(&self, size: u64, writable: bool) -> u64 {
        let mut words = vec![0u128; size.div_ceil(16).max(1) as usize + 15];
        let base = (words.as_mut_ptr() as u64).next_multiple_of(256);
        self.blocks.write().unwrap().insert(
            base,
            Block {
                words,
                size,
                writable,
            },
        );
        base
    }

    pub fn upload<T: Copy>(&self, data: &[T]) -> u64 {
        let base = self.allocate(size_of_val(data) as u64, true);
        // SAFETY: the allocation has this size.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), base as *mut T, data.len()) };
        base
    }

    pub fn download<T: Copy + Default>(&self, at: u64, count: usize) -> Vec<T> {
        let mut out = vec![T::default(); count];
        // SAFETY: tests only read memory that they allocated.
        unsafe { std::ptr::copy_nonoverlapping(at as *const T, out.as_mut_ptr(), count) };
        out
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut *self.output.lock().unwrap())).into_owned()
    }
}

impl Device for TestDevice {
    fn find(&self, addr: u64) -> Option<Region> {
        let blocks = self.blocks.read().unwrap();
        let (&base, block) = blocks.range(..=addr).next_back()?;
        (addr - base < block.size).then_some(Region {
            base,
            size: block.size,
            writable: block.writable,
            id: base,
        })
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    fn explain(&self, addr: u64, _: u32) -> String {
        let blocks = self.blocks.read().unwrap();
        match blocks.range(..=addr).next_back() {
            Some((&base, block)) => format!(
                "nearest allocation: 0x{base:x}, {} bytes; {} past its end",
                block.size,
                addr - base - block.size.min(addr - base)
            ),
            None => "no allocation below".into(),
        }
    }

    fn malloc(&self, size: u64) -> u64 {
        self.allocate(size, true)
    }

    fn free(&self, addr: u64) -> bool {
        self.generation.fetch_add(1, Ordering::Relaxed);
        self.blocks.write().unwrap().remove(&addr).is_some()
    }

    fn note_long_run(&self, kernel: &str, elapsed: Duration, place: &str) {
        assert!(elapsed > Duration::ZERO);
        self.long_runs
            .lock()
            .unwrap()
            .push(format!("{kernel}: {place}"));
    }

    fn print(&self, text: &[u8]) {
        self.output.lock().unwrap().extend_from_slice(text);
    }
}

/// A loaded module on a test device.
pub struct Loaded {
    pub device: TestDevice,
    pub image: Image,
    pub addresses: Vec<u64>,
    pub options: Options,
    /// The cluster size of launches.
    pub cluster: Option<[u32; 3]>,
}

#[allow(missing_docs)]
pub fn load(ptx: &str) -> Loaded {
    place(Program::load(ptx).unwrap_or_else(|e| panic!("{e}")))
}

#[allow(missing_docs)]
pub fn place(program: Program) -> Loaded {
    let program = Arc::new(program);
    let device = TestDevice::new();
    let addresses: Vec<u64> = program
        .variables()
        .iter()
        .map(|v| device.allocate(v.size, true))
        .collect();
    // SAFETY: allocated just now with the variables' sizes.
    let image = unsafe { Image::place(program, &addresses) };
    Loaded {
        device,
        image,
        addresses,
        options: Options {
            time_limit: Some(std::time::Duration::from_secs(60)),
            ..Options::default()
        },
        cluster: None,
    }
}

/// A parameter's bytes.
pub struct Arg(pub Vec<u8>);

macro_rules! arguments {
    ($($type:ty)*) => {$(
        impl From<$type> for Arg {
            fn from(value: $type) -> Arg {
                Arg(value.to_le_bytes().to_vec())
            }
        }
    )*};
}
arguments!(u32 i32 u64 f32 f64);

/// The size of a grid or block: one number, or one per dimension.
pub trait Extent {
    fn dimensions(self) -> [u32; 3];
}

impl Extent for u32 {
    fn dimensions(self) -> [u32; 3] {
        [self, 1, 1]
    }
}

impl Extent for [u32; 3] {
    fn dimensions(self) -> [u32; 3] {
        self
    }
}

impl Loaded {
    pub fn variable(&self, name: &str) -> u64 {
        let at = self
            .image
            .program()
            .variables()
            .iter()
            .position(|v| v.name == name)
            .expect("a variable");
        self.addresses[at]
    }

    pub fn try_run(
        &self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        cooperative: bool,
        args: &[Arg],
    ) -> Result<Stats, Fault> {
        let index = self
            .image
            .program()
            .kernels()
            .iter()
            .position(|k| k.name == kernel)
            .unwrap_or_else(|| panic!("no kernel {kernel}"));
        let info = &self.image.program().kernels()[index];
        assert_eq!(info.params.len(), args.len(), "parameters of {kernel}");
        let mut params = vec![0u8; info.param_bytes as usize];
        for (arg, at) in args.iter().zip(&info.params) {
            assert_eq!(
                arg.0.len(),
                at.size as usize,
                "size of a parameter of {kernel}"
            );
            params[at.offset as usize..][..arg.0.len()].copy_from_slice(&arg.0);
        }
        let launch = Launch {
            image: &self.image,
            kernel: index,
            shape: Shape {
                grid,
                block,
                dynamic_shared: shared,
                cooperative,
                cluster: self.cluster,
            },
            params: &params,
        };
        run(&launch, &self.device, &self.options)
    }

    pub fn run(&self, kernel: &str, grid: impl Extent, block: impl Extent, args: &[Arg]) -> Stats {
        self.launched(kernel, grid, block, args)
            .unwrap_or_else(|f| panic!("{kernel}: {f}"))
    }

    fn launched(
        &self,
        kernel: &str,
        grid: impl Extent,
        block: impl Extent,
        args: &[Arg],
    ) -> Result<Stats, Fault> {
        let (grid, block) = (grid.dimensions(), block.dimensions());
        self.try_run(kernel, grid, block, 0, false, args)
    }

    /// Returns the fault of a launch.
    pub fn fault(
        &self,
        kernel: &str,
        grid: impl Extent,
        block: impl Extent,
        args: &[Arg],
    ) -> Fault {
        self.launched(kernel, grid, block, args).expect_err(kernel)
    }
}

/// A kernel's arguments.
#[macro_export]
macro_rules! args {
    ($($e:expr),* $(,)?) => { &[$($crate::common::Arg::from($e)),*] };
}
