//! The macro that declares kernels as Rust functions.

/// Declares kernels as Rust functions: a struct with a typed method for each kernel.
///
/// ```
/// use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Stream};
///
/// cuda_safe::kernels! {
///     /// Linear algebra; a file would be `= cuda_safe::include_program!("blas.cu")`.
///     pub struct Blas = r#"
///         __global__ void saxpy(float a, const float *x, float *y, unsigned n) {
///             const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
///             if (i < n) y[i] += a * x[i];
///         }
///         template <typename T> __global__ void scale(T *x, T factor) {
///             x[threadIdx.x] *= factor;
///         }"#;
///
///     /// Adds `a * x` to `y`. Elements beyond `n` do not change.
///     pub fn saxpy(a: f32, x: &[f32], y: &mut [f32], n: u32);
///
///     /// Multiplies the elements of one block. An instance of a template.
///     pub fn scale_f64(x: &mut [f64], factor: f64) = "scale<double>";
/// }
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let blas = Blas::load(&context)?; // compiles, and compares every signature
///
/// let x = DeviceBuffer::from_slice(&stream, &[1.0f32; 100])?;
/// let mut y = DeviceBuffer::from_slice(&stream, &[2.0f32; 100])?;
/// // SAFETY: both buffers have 100 elements and are used on one stream.
/// unsafe { blas.saxpy(&stream, LaunchConfig::for_elements(100), 3.0, &x, &mut y, 100)? };
/// assert_eq!(y.to_vec(&stream)?, [5.0; 100]);
/// # Ok(())
/// # }
/// ```
///
/// The source can be any expression that converts to a [`Program`](crate::Program): text, or a
/// program with options. It can be omitted (`pub struct Blas;`).
///
/// # Generated items
///
/// For each kernel:
///
/// - a method, `unsafe fn saxpy(&self, stream: &Stream, config: LaunchConfig, ...) -> Result<()>`,
///   with the documentation of the declaration. It calls
///   [`Function::launch`](crate::Function::launch) and costs the same.
/// - a field of the same name, a [`TypedFunction`](crate::typed::TypedFunction), for attributes,
///   occupancy and the raw handle.
///
/// For all kernels together:
///
/// - `load(&Context)` compiles the source in the declaration and compares the signatures.
/// - `program()` returns this source as a [`Program`](crate::Program), to which you can add
///   options.
/// - `compile(&Context, impl Into<Program>)` compiles another source and compares the signatures.
/// - `from_module(&Module)` uses the kernels of a loaded module, from PTX or machine code.
///
/// The functions that compile need the feature `nvrtc`. Kernels need no `extern "C"`. If a kernel
/// has the name of one of these functions, declare it under a different name, with its own name
/// after `=`.
///
/// # Parameters
///
/// | declared | in the kernel | accepted arguments |
/// | --- | --- | --- |
/// | `x: &[f32]` | `const float *` | [`Readable<f32>`](crate::typed::Readable): `&buffer`, a view, `In(&slice)`, `&array` of `cuda-compute` |
/// | `x: &mut [f32]` | `float *` | [`Writable<f32>`](crate::typed::Writable): `&mut buffer`, `&mut view`, `Out(&mut slice)`, `&mut array` of `cuda-compute` |
/// | `x: *const f32`, `x: *mut f32` | the same | a raw address, `CUdeviceptr`; 0 for null |
/// | `a: f32`, `n: u32`, `b: bool` | `float`, `unsigned`, `bool` | the value |
/// | `p: Pair` | a type of the same size | the value, which is `Copy` |
/// | `p: &[Vec2] = "const float2 *"` | exactly this C++ type | as without the type |
/// | `t: &Texture` | `cudaTextureObject_t` | `&texture`, a [`Texture`](crate::Texture) |
/// | `s: &Surface` | `cudaSurfaceObject_t` | `&surface`, a [`Surface`](crate::Surface) |
/// | `(x, n): (&mut [f32], u32)` | two: `float *`, `unsigned` | memory with its length, see [`WithLen`](crate::WithLen) |
///
/// # Comparison of signatures
///
/// If source is compiled, the compiler itself compares the number and types of the parameters. For
/// pointers it compares the type and `const` of the target, through `typedef`s and templates. The
/// rules are:
///
/// - Integers match by size and sign. `u64` matches `unsigned long` and `unsigned long long`. `i8`
///   and `u8` match `char`, whose sign NVRTC takes from the host: on aarch64 it is unsigned.
///   `signed char` always matches `i8`.
/// - An enumeration matches an integer of its size.
/// - `void *` matches any memory.
/// - Rust knows nothing about other C++ types. A struct, an array or `half::f16` matches any type
///   of the same size that is not a pointer. To require an exact type, write it after `=`.
///
/// For a module that is already loaded, only the sizes and the kinds in its PTX (float, integer,
/// address) are compared, as for a [launch](crate::guide::launch_safety). For machine code, only
/// the sizes are compared, if the driver reports them (from CUDA 12.4 on).
///
/// One error of kind [`ErrorKind::Signature`](crate::ErrorKind) reports all differences, with both
/// signatures:
///
/// ```
/// # use cuda_safe::{Context, ErrorKind};
/// cuda_safe::kernels! {
///     /// Declares a float as an int.
///     struct Wrong = "__global__ void fill(float *x, float value) { *x = value; }";
///     /// Fills.
///     fn fill(x: &mut [f32], value: i32);
/// }
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let error = Wrong::load(&context).unwrap_err();
/// assert_eq!(*error.kind(), ErrorKind::Signature);
/// assert!(error.detail().contains("`value` is declared as `int` and is `float`"));
/// assert!(error.detail().contains("fill(float *x, int value)"));
/// assert!(error.detail().contains("fill(float *, float)"));
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! kernels {
    (
        $(#[$attribute:meta])* $visibility:vis struct $name:ident $(= $source:expr)?;
        $(
            $(#[$about:meta])*
            $public:vis fn $kernel:ident($($parameters:tt)*) $(= $expression:literal)?;
        )*
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug)]
        $visibility struct $name {
            $(
                #[doc = concat!("The kernel that [`", stringify!($kernel), "`](Self::", stringify!($kernel), "()) launches.")]
                $public $kernel: $crate::typed::TypedFunction<
                    $crate::__kernel!(@signature [] [] $($parameters)*)
                >,
            )*
        }

        const _: () = {
            static DECLARATIONS: &[$crate::typed::Declaration] = &[$(
                $crate::typed::Declaration {
                    name: $crate::__kernel!(@name $kernel $($expression)?),
                    rust: concat!(
                        "fn ", stringify!($kernel), "(", stringify!($($parameters)*), ")"
                    ),
                    parameters: $crate::__kernel!(@names [] [] $($parameters)*),
                    signature: <
                        $crate::__kernel!(@signature [] [] $($parameters)*)
                        as $crate::typed::Signature
                    >::declared,
                },
            )*];

            impl $name {
                /// Uses the kernels of a loaded module. Compares the declarations with the
                /// parameters that its PTX and the driver report.
                ///
                /// # Errors
                /// Returns `ErrorKind::NotFound` if a kernel is missing. Returns
                /// `ErrorKind::Signature`, with both signatures of each kernel that differs, if a
                /// declaration does not match.
                #[allow(dead_code, reason = "one of several constructors")]
                $visibility fn from_module(module: &$crate::Module) -> $crate::Result<Self> {
                    Self::__take(&$crate::typed::from_module(module, DECLARATIONS)?)
                }

                #[allow(unused_mut, unused_variables, reason = "there may be no kernels")]
                fn __take(checked: &$crate::typed::Checked) -> $crate::Result<Self> {
                    let mut indices = 0..;
                    Ok(Self {
                        $($kernel: checked.function(indices.next().unwrap_or_default())?,)*
                    })
                }
            }

            $crate::__kernels_compile!($visibility $name DECLARATIONS $($source)?);
        };

        impl $name {
            $($crate::__kernel! {
                @method [$(#[$about])* $public $kernel] [] $($parameters)*
            })*
        }
    };
}

/// The functions that need the compiler.
#[cfg(feature = "nvrtc")]
#[doc(hidden)]
#[macro_export]
macro_rules! __kernels_compile {
    ($visibility:vis $name:ident $declarations:ident $($source:expr)?) => {
        impl $name {
            /// Compiles another source and compares the signatures with the declarations.
            ///
            /// # Errors
            /// Returns the errors of `Module::compile`. Returns `ErrorKind::Signature`, with both
            /// signatures of each kernel that differs, if a declaration does not match.
            #[allow(dead_code, reason = "one of several constructors")]
            $visibility fn compile(
                context: &$crate::Context,
                program: impl ::core::convert::Into<$crate::Program>,
            ) -> $crate::Result<Self> {
                Self::__take(&$crate::typed::compile(context, program.into(), $declarations)?)
            }

            $(
                /// Returns the source in the declaration as a program.
                #[allow(dead_code, reason = "one of several constructors")]
                $visibility fn program() -> $crate::Program {
                    $crate::typed::program($source)
                }

                /// Compiles the source in the declaration and compares the signatures.
                ///
                /// # Errors
                /// Returns the errors of `compile`.
                #[allow(dead_code, reason = "one of several constructors")]
                $visibility fn load(context: &$crate::Context) -> $crate::Result<Self> {
                    Self::compile(context, Self::program())
                }
            )?
        }
    };
}

/// Generates nothing without the compiler.
#[cfg(not(feature = "nvrtc"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __kernels_compile {
    ($visibility:vis $name:ident $declarations:ident) => {};
    ($visibility:vis $name:ident $declarations:ident $source:expr) => {
        compile_error!("a source needs the feature `nvrtc` of cuda-safe");
    };
}

/// Processes the parameters one after the other. Each becomes
/// `{name [its part of the signature] [type of the argument] [the argument] [type in C++]}`.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernel {
    (@name $kernel:ident) => { stringify!($kernel) };
    (@name $kernel:ident $expression:literal) => { $expression };

    // All parameters are processed.
    (@signature [] [$({$name:ident [$part:ty] [$($argument:tt)*] [$($value:tt)*] [$($exact:tt)*]})*]) => {
        ($($part,)*)
    };
    (@names [] [$({$name:ident [$part:ty] [$($argument:tt)*] [$($value:tt)*] [$($exact:tt)*]})*]) => {
        &[$((stringify!($name), $($exact)*)),*]
    };
    (
        @method [$(#[$about:meta])* $public:vis $kernel:ident]
        [$({$name:ident [$part:ty] [$($argument:tt)*] [$($value:tt)*] [$($exact:tt)*]})*]
    ) => {
        $(#[$about])*
        ///
        /// # Safety
        /// The caller must satisfy the conditions of `Function::launch`, except the first: the
        /// types were compared when the kernels were loaded.
        ///
        /// # Errors
        /// Returns the errors of `Function::launch`.
        #[inline]
        #[allow(clippy::too_many_arguments, dead_code, reason = "as many as the kernel has")]
        $public unsafe fn $kernel(
            &self,
            stream: &$crate::Stream,
            config: $crate::LaunchConfig,
            $($name: $($argument)*),*
        ) -> $crate::Result<()> {
            // SAFETY: guaranteed by the caller.
            unsafe { self.$kernel.launch(stream, config, ($($($value)*,)*)) }
        }
    };

    // Memory and its length: two parameters of the kernel, one argument.
    (
        @signature $context:tt [$($done:tt)*]
        ($name:ident, $len:ident): (&mut [$element:ty], $integer:ident) $(, $($rest:tt)*)?
    ) => {
        $crate::__kernel! {
            @signature $context
            [
                $($done)*
                {$name [$crate::typed::Write<$element>] [] [] [$crate::__kernel!(@exact)]}
                {$len [$crate::typed::Value<$integer>] [] [] [$crate::__kernel!(@exact)]}
            ]
            $($($rest)*)?
        }
    };
    (
        @names $context:tt [$($done:tt)*]
        ($name:ident, $len:ident): (&mut [$element:ty], $integer:ident) $(, $($rest:tt)*)?
    ) => {
        $crate::__kernel! {
            @names $context
            [
                $($done)*
                {$name [$crate::typed::Write<$element>] [] [] [$crate::__kernel!(@exact)]}
                {$len [$crate::typed::Value<$integer>] [] [] [$crate::__kernel!(@exact)]}
            ]
            $($($rest)*)?
        }
    };
    (
        @method $context:tt [$($done:tt)*]
        ($name:ident, $len:ident): (&mut [$element:ty], $integer:ident) $(, $($rest:tt)*)?
    ) => {
        $crate::__kernel! {
            @method $context
            [$($done)* {
                $name [()] [impl $crate::typed::Writable<$element> + $crate::launch::HasLength]
                [$crate::WithLen::$integer($name)] []
            }]
            $($($rest)*)?
        }
    };
    (
        @signature $context:tt [$($done:tt)*]
        ($name:ident, $len:ident): (& [$element:ty], $integer:ident) $(, $($rest:tt)*)?
    ) => {
        $crate::__kernel! {
            @signature $context
            [
                $($done)*
                {$name [$crate::typed::Read<$element>] [] [] [$crate::__kernel!(@exact)]}
                {$len [$crate::typed::Value<$integer>] [] [] [$crate::__kernel!(@exact)]}
            ]
            $($($rest)*)?
        }
    };
    (
        @names $context:tt [$($done:tt)*]
        ($name:ident, $len:ident): (& [$element:ty], $integer:ident) $(, $($rest:tt)*)?
    ) => {
        $crate::__kernel! {
            @names $context
            [
                $($done)*
                {$name [$crate::typed::Read<$element>] [] [] [$crate::__kernel!(@exact)]}
                {$len [$crate::typed::Value<$integer>] [] [] [$crate::__kernel!(@exact)]}
            ]
            $($($rest)*)?
        }
    };
    (
        @method $context:tt [$($done:tt)*]
        ($name:ident, $len:ident): (& [$element:ty], $integer:ident) $(, $($rest:tt)*)?
    ) => {
        $crate::__kernel! {
            @method $context
            [$($done)* {
                $name [()] [impl $crate::typed::Readable<$element> + $crate::launch::HasLength]
                [$crate::WithLen::$integer($name)] []
            }]
            $($($rest)*)?
        }
    };

    // The next parameter.
    (@$then:ident $context:tt [$($done:tt)*] $name:ident: &mut [$element:ty] $(= $exact:literal)? $(, $($rest:tt)*)?) => {
        $crate::__kernel! {
            @$then $context
            [$($done)* {
                $name [$crate::typed::Write<$element>] [impl $crate::typed::Writable<$element>]
                [$name] [$crate::__kernel!(@exact $($exact)?)]
            }]
            $($($rest)*)?
        }
    };
    (@$then:ident $context:tt [$($done:tt)*] $name:ident: &[$element:ty] $(= $exact:literal)? $(, $($rest:tt)*)?) => {
        $crate::__kernel! {
            @$then $context
            [$($done)* {
                $name [$crate::typed::Read<$element>] [impl $crate::typed::Readable<$element>]
                [$name] [$crate::__kernel!(@exact $($exact)?)]
            }]
            $($($rest)*)?
        }
    };
    (@$then:ident $context:tt [$($done:tt)*] $name:ident: *mut $element:ty $(= $exact:literal)? $(, $($rest:tt)*)?) => {
        $crate::__kernel! {
            @$then $context
            [$($done)* {
                $name [$crate::typed::Write<$element>] [$crate::sys::CUdeviceptr]
                [$name] [$crate::__kernel!(@exact $($exact)?)]
            }]
            $($($rest)*)?
        }
    };
    (@$then:ident $context:tt [$($done:tt)*] $name:ident: *const $element:ty $(= $exact:literal)? $(, $($rest:tt)*)?) => {
        $crate::__kernel! {
            @$then $context
            [$($done)* {
                $name [$crate::typed::Read<$element>] [$crate::sys::CUdeviceptr]
                [$name] [$crate::__kernel!(@exact $($exact)?)]
            }]
            $($($rest)*)?
        }
    };
    (@$then:ident $context:tt [$($done:tt)*] $name:ident: &Texture $(= $exact:literal)? $(, $($rest:tt)*)?) => {
        $crate::__kernel! {
            @$then $context
            [$($done)* {
                $name [$crate::typed::Value<$crate::sys::CUtexObject>] [&$crate::Texture]
                [$name] [$crate::__kernel!(@exact $($exact)?)]
            }]
            $($($rest)*)?
        }
    };
    (@$then:ident $context:tt [$($done:tt)*] $name:ident: &Surface $(= $exact:literal)? $(, $($rest:tt)*)?) => {
        $crate::__kernel! {
            @$then $context
            [$($done)* {
                $name [$crate::typed::Value<$crate::sys::CUsurfObject>] [&$crate::Surface]
                [$name] [$crate::__kernel!(@exact $($exact)?)]
            }]
            $($($rest)*)?
        }
    };
    // The error is emitted once, in place of the method.
    (@signature $context:tt [$($done:tt)*] $name:ident: &$($rest:tt)*) => { () };
    (@names $context:tt [$($done:tt)*] $name:ident: &$($rest:tt)*) => { &[] };
    (@method $context:tt [$($done:tt)*] $name:ident: &$($rest:tt)*) => {
        compile_error!(concat!(
            "parameter `", stringify!($name),
            "`: declare memory by its elements, as `&[f32]` or `&mut [f32]`"
        ));
    };
    (@$then:ident $context:tt [$($done:tt)*] $name:ident: $type:ty $(= $exact:literal)? $(, $($rest:tt)*)?) => {
        $crate::__kernel! {
            @$then $context
            [$($done)* {
                $name [$crate::typed::Value<$type>] [$type]
                [$crate::launch::ByValue($name)] [$crate::__kernel!(@exact $($exact)?)]
            }]
            $($($rest)*)?
        }
    };

    (@exact) => { ::core::option::Option::None };
    (@exact $exact:literal) => { ::core::option::Option::Some($exact) };
}
