//! Linking programs of several sources, and kernels that launch kernels, with one call.
#![cfg(feature = "nvrtc")]

use std::panic::Location;

use super::{Linker, Module};
use crate::{code::program::Program, context::Context, error::Result};

impl Module {
    /// Compiles several programs that refer to each other and links them into one module.
    ///
    /// Each program is compiled separately. This is a shorthand for
    /// [`relocatable`](Program::relocatable) and [`Linker::add_compiled`] for each program, then
    /// [`Linker::finish`]. Use these to set linker options or to add other code.
    ///
    /// See [`cuLinkComplete`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`Module::compile`]. Returns
    /// [`ErrorKind::Load`](crate::ErrorKind::Load), with the driver's log, if a name is missing or
    /// defined twice.
    ///
    /// ```
    /// use cuda_safe::{Context, LaunchConfig, Module, Out, Program, Stream};
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let header = "__device__ int twice(int x);";
    /// let twice = Program::new("#include \"twice.h\"\n__device__ int twice(int x) { return 2 * x; }").name("twice.cu");
    /// let user = Program::new(r#"
    ///     #include "twice.h"
    ///     extern "C" __global__ void k(int *x) { *x = twice(21); }"#);
    /// let programs = [twice, user].map(|program| program.header("twice.h", header));
    /// let module = Module::link(&context, programs)?;
    /// let mut x = [0];
    /// // SAFETY: the kernel writes one number.
    /// unsafe { module.function("k")?.launch(&stream, LaunchConfig::new(1, 1), (Out(&mut x),))? };
    /// assert_eq!(x, [42]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuLinkComplete")]
    #[track_caller]
    pub fn link<P: Into<Program>>(
        context: &Context,
        programs: impl IntoIterator<Item = P>,
    ) -> Result<Self> {
        let linker = Linker::new(context)?;
        linker.add_programs(programs)?;
        linker.finish()
    }

    /// Compiles a program whose kernels launch kernels, and links it with the toolkit's device
    /// runtime.
    ///
    /// A kernel finishes only after the kernels that it launched have finished. Devices that
    /// support only the newer of the two programming models (compute capability 9.0 and above)
    /// cannot wait for them in the kernel.
    ///
    /// # Errors
    /// Returns the errors of [`Module::link`], and those of [`Linker::add_device_runtime`] if
    /// `libcudadevrt.a` was not found.
    ///
    /// ```
    /// use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream};
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let module = Module::compile_with_device_runtime(&context, r#"
    ///     __global__ void child(int *x) { x[threadIdx.x] += threadIdx.x; }
    ///     extern "C" __global__ void parent(int *x, int n) { child<<<1, n>>>(x); }"#)?;
    /// let mut x = DeviceBuffer::from_slice(&stream, &[10; 4])?;
    /// // SAFETY: four elements for four threads.
    /// unsafe { module.function("parent")?.launch(&stream, LaunchConfig::new(1, 1), (&mut x, 4))? };
    /// assert_eq!(x.to_vec(&stream)?, [10, 11, 12, 13]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "DynamicSourceModule")]
    #[track_caller]
    pub fn compile_with_device_runtime(
        context: &Context,
        program: impl Into<Program>,
    ) -> Result<Self> {
        let linker = Linker::new(context)?;
        linker.add_programs([program.into()])?;
        linker.add_device_runtime()?;
        linker.finish()
    }
}

impl Linker {
    /// Compiles programs as [`relocatable`](Program::relocatable) for the context's device, and
    /// adds them.
    ///
    /// # Errors
    /// Returns the errors of [`Program::compile`] and [`Linker::add_compiled`].
    #[track_caller]
    pub fn add_programs<P: Into<Program>>(
        &self,
        programs: impl IntoIterator<Item = P>,
    ) -> Result<()> {
        let place = Location::caller();
        let capability = self.context().device().compute_capability()?;
        for program in programs {
            let program = program.into().made_at(place);
            let name = program.own_name().to_owned();
            self.add_compiled(&name, &program.relocatable().compile_for(capability)?)?;
        }
        Ok(())
    }
}
