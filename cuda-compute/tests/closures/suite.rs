//! Compares device functions with the CPU: each function is applied to edge values on the device
//! and on the CPU.

use std::{
    cell::RefCell,
    fmt::{Debug, Write as _},
    panic::{AssertUnwindSafe, catch_unwind},
};

use cuda_compute::DeviceFn;
use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Program, Stream, bytemuck::Pod};

const BLOCK: usize = 128;

/// The required accuracy of the device's result. All NaNs are equal.
#[derive(Clone, Copy)]
pub enum Near {
    /// The same bits.
    Same,
    /// Equal, so the sign of a zero may differ.
    Equal,
    /// Within this many representable numbers, or within this distance.
    Within(u64, f64),
}

/// A type of parameters and results.
pub trait Number: Copy + Debug + 'static {
    type Stored: Pod;
    const DEVICE: &'static str;
    fn store(self) -> Self::Stored;
    fn load(stored: Self::Stored) -> Self;
    fn edges() -> Vec<Self>;
    fn near(self, other: Self, near: Near) -> bool;
}

macro_rules! integers {
    ($($type:ident $device:literal)*) => {$(
        impl Number for $type {
            type Stored = Self;
            const DEVICE: &'static str = $device;
            fn store(self) -> Self {
                self
            }
            fn load(stored: Self) -> Self {
                stored
            }
            fn edges() -> Vec<Self> {
                let far = [$type::MAX, $type::MAX - 1, $type::MAX / 2, $type::MIN, $type::MIN + 1, $type::MIN / 2];
                let near = [0i64, 1, 2, 3, 4, 7, 8, 15, 31, 32, 33, 63, 64, 100, 127, -1, -2, -3, -7, -64, 46341, 65535];
                far.into_iter().chain(near.map(|value| value as $type)).collect()
            }
            fn near(self, other: Self, _: Near) -> bool {
                self == other
            }
        }
    )*};
}

integers! {
    i8 "signed char" i16 "short" i32 "int" i64 "long long"
    u8 "unsigned char" u16 "unsigned short" u32 "unsigned" u64 "unsigned long long"
}

impl Number for bool {
    type Stored = u8;
    const DEVICE: &'static str = "bool";
    fn store(self) -> u8 {
        self.into()
    }
    fn load(stored: u8) -> Self {
        assert!(stored < 2, "a bool must be 0 or 1, got {stored}");
        stored == 1
    }
    fn edges() -> Vec<Self> {
        vec![false, true]
    }
    fn near(self, other: Self, _: Near) -> bool {
        self == other
    }
}

macro_rules! reals {
    ($($type:ident $bits:ident $device:literal)*) => {$(
        impl Number for $type {
            type Stored = Self;
            const DEVICE: &'static str = $device;
            fn store(self) -> Self {
                self
            }
            fn load(stored: Self) -> Self {
                stored
            }
            fn edges() -> Vec<Self> {
                vec![
                    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -7.25, 0.1, -0.3, 0.999, 3.0e-3, 1e-40, 1e10,
                    -1e10, 88.5, -100.0, 12345.678, 16_777_217.0, 2_147_483_648.0, -9.3e18, $type::MIN_POSITIVE,
                    $type::EPSILON, $type::MAX, $type::MIN, $type::INFINITY, $type::NEG_INFINITY, $type::NAN,
                ]
            }
            fn near(self, other: Self, near: Near) -> bool {
                if self.is_nan() || other.is_nan() {
                    return self.is_nan() && other.is_nan();
                }
                match near {
                    Near::Same => self.to_bits() == other.to_bits(),
                    Near::Equal => self == other,
                    Near::Within(steps, distance) => {
                        // Maps floats to integers in the same order.
                        let place = |x: $type| {
                            let bits = i128::from(x.abs().to_bits());
                            if x.is_sign_negative() { -bits } else { bits }
                        };
                        (place(self) - place(other)).unsigned_abs() <= u128::from(steps)
                            || f64::from((self - other).abs()) <= distance
                    }
                }
            }
        }
    )*};
}

reals! { f32 u32 "float" f64 u64 "double" }

/// A function signature: its argument values, the way the kernel reads them, and a call on the CPU.
pub trait Function: Copy + 'static {
    type Arguments: Copy + Debug + 'static;
    type Result: Number;
    /// Returns the kernel's parameters, and the arguments for calling the function.
    fn reads() -> (String, String);
    fn arguments() -> Vec<Self::Arguments>;
    fn call(function: &DeviceFn<Self>, arguments: Self::Arguments) -> Self::Result;
    fn launch(
        module: &Module,
        stream: &Stream,
        kernel: &str,
        all: &[Self::Arguments],
    ) -> Vec<Self::Result>;
}

/// The maximum number of argument lists to try for a function.
const MOST: usize = 1200;

macro_rules! functions {
    ($($parameter:ident $name:ident $place:tt),*) => {
        impl<$($parameter: Number,)* R: Number> Function for fn($($parameter),*) -> R {
            type Arguments = ($($parameter,)*);
            type Result = R;

            fn reads() -> (String, String) {
                let parameters = [$(format!("const {} *{}, ", $parameter::DEVICE, stringify!($name))),*];
                let arguments = [$(format!("{}[i]", stringify!($name))),*];
                (parameters.concat(), arguments.join(", "))
            }

            fn arguments() -> Vec<Self::Arguments> {
                $(let $name = $parameter::edges();)*
                let combinations = 1 $(* $name.len())*;
                // All combinations, or an evenly spaced subset of at most `MOST`.
                let count = combinations.min(MOST);
                (0..count)
                    .map(|index| {
                        let mut rest = (index as u128 * combinations as u128 / count as u128) as usize;
                        $(
                            let $name = {
                                let length = $name.len();
                                let chosen = $name[rest % length];
                                rest /= length;
                                chosen
                            };
                        )*
                        assert_eq!(rest, 0);
                        ($($name,)*)
                    })
                    .collect()
            }

            fn call(function: &DeviceFn<Self>, arguments: Self::Arguments) -> R {
                function.call(arguments)
            }

            fn launch(module: &Module, stream: &Stream, kernel: &str, all: &[Self::Arguments]) -> Vec<R> {
                let blocks = all.len().div_ceil(BLOCK);
                let padded = || all.iter().chain(std::iter::repeat(&all[0])).take(blocks * BLOCK);
                $(
                    let $name: Vec<_> = padded().map(|arguments| arguments.$place.store()).collect();
                    let $name = DeviceBuffer::from_slice(stream, &$name).unwrap();
                )*
                let mut out = DeviceBuffer::<R::Stored>::zeroed(stream, blocks * BLOCK).unwrap();
                let kernel = module.function(kernel).unwrap();
                let config = LaunchConfig::new(blocks as u32, BLOCK as u32);
                // SAFETY: Each thread accesses one element of each buffer. Each buffer has one
                // element per thread, and all work is on one stream.
                unsafe { kernel.launch(stream, config, ($(&$name,)* &mut out)) }.unwrap();
                let out = out.to_vec(stream).unwrap();
                out.into_iter().take(all.len()).map(R::load).collect()
            }
        }
    };
}

functions!(A a 0);
functions!(A a 0, B b 1);
functions!(A a 0, B b 1, C c 2);
functions!(A a 0, B b 1, C c 2, D d 3);
functions!(A a 0, B b 1, C c 2, D d 3, E e 4);
functions!(A a 0, B b 1, C c 2, D d 3, E e 4, G g 5);

type Check = Box<dyn FnOnce(&Module, &Stream)>;

/// Functions that are compiled together.
#[derive(Default)]
pub struct Suite {
    text: String,
    checks: Vec<Check>,
}

thread_local! {
    static QUIET: RefCell<bool> = const { RefCell::new(false) };
}

impl Suite {
    pub fn new() -> Self {
        Self::default()
    }

    /// Compares with the same function on the CPU, except for arguments for which that panics.
    pub fn check<F: Function>(&mut self, function: DeviceFn<F>, near: Near) -> &mut Self {
        self.add(function, near, move |arguments| {
            QUIET.set(true);
            let result = catch_unwind(AssertUnwindSafe(|| F::call(&function, arguments))).ok();
            QUIET.set(false);
            result
        })
    }

    /// Checks that the results have the same bits as on the CPU.
    pub fn same<F: Function>(&mut self, function: DeviceFn<F>) -> &mut Self {
        self.check(function, Near::Same)
    }

    /// Compares with another function on the CPU, for functions that panic there.
    pub fn against<F: Function>(
        &mut self,
        function: DeviceFn<F>,
        reference: impl Fn(F::Arguments) -> F::Result + 'static,
    ) -> &mut Self {
        self.add(function, Near::Same, move |arguments| {
            Some(reference(arguments))
        })
    }

    fn add<F: Function>(
        &mut self,
        function: DeviceFn<F>,
        near: Near,
        reference: impl Fn(F::Arguments) -> Option<F::Result> + 'static,
    ) -> &mut Self {
        let number = self.checks.len();
        let (parameters, arguments) = F::reads();
        write!(
            self.text,
            "{}\nextern \"C\" __global__ void k{number}({parameters}{} *out) {{\n    \
             int i = blockIdx.x * blockDim.x + threadIdx.x;\n    out[i] = f{number}({arguments});\n}}\n",
            function.source_named(&format!("f{number}")),
            F::Result::DEVICE,
        )
        .unwrap();
        self.checks.push(Box::new(move |module, stream| {
            let all = F::arguments();
            let got = F::launch(module, stream, &format!("k{number}"), &all);
            let mut compared = 0;
            for (arguments, got) in all.iter().zip(got) {
                let Some(wanted) = reference(*arguments) else {
                    continue;
                };
                compared += 1;
                assert!(
                    got.near(wanted, near),
                    "{arguments:?} gives {got:?}, not {wanted:?}, in\n{}",
                    function.source()
                );
            }
            assert!(
                compared * 10 >= all.len(),
                "compared only {compared} results of\n{}",
                function.source()
            );
        }));
        self
    }

    /// Compiles and compares. Multiplications and additions are not fused, so all rounding matches
    /// Rust's.
    pub fn run(&mut self) {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.with(|quiet| *quiet.borrow()) {
                hook(info);
            }
        }));
        let context = Context::primary(0).expect("a device");
        let stream = Stream::new(&context).expect("a stream");
        let text = format!("#include \"scalar.cuh\"\n{}", self.text);
        let program = Program::new(text)
            .header("scalar.cuh", include_str!("../../src/kernels/scalar.cuh"))
            .fmad(false);
        let module = Module::compile(&context, program).expect("text that compiles");
        for check in self.checks.drain(..) {
            check(&module, &stream);
        }
    }
}
