//! Kernel launches: grid, attributes and arguments.
//!
//! [`Function::launch`] takes a [`LaunchConfig`] and a tuple of arguments, and checks them as far
//! as possible. See the guide's chapter on the [safety of launches](crate::guide::launch_safety).
//!
//! - Grid, block and attributes: [`LaunchConfig`], [`Dim3`], [`IntoDim3`], [`LaunchAttributes`],
//!   [`LaunchEvents`], [`ClusterScheduling`], [`PortableClusterSize`], [`Occupancy`]
//! - Arguments: [`KernelArguments`], [`KernelArgument`], [`ArgumentList`], [`ByValue`],
//!   [`WithLen`], [`HasLength`]
//! - Host slices that the launch copies: [`In`], [`Out`], [`InOut`]

mod arguments;
mod attributes;
mod check;
mod config;
mod host;
mod length;
mod list;
pub(crate) mod occupancy;

use std::ffi::{c_uint, c_void};

use cuda_sys::{self as sys, CUresult};

pub(crate) use arguments::address_argument;
pub use arguments::{ByValue, KernelArgument, KernelArguments};
pub(crate) use attributes::{COOPERATIVE, RawAttributes, bytes_of, name_of};
pub use attributes::{ClusterScheduling, LaunchAttributes, LaunchEvents, PortableClusterSize};
use config::PlainConfig;
pub use config::{Dim3, IntoDim3, LaunchConfig};
pub use host::{In, InOut, Out};
pub use length::{HasLength, WithLen};
pub use list::ArgumentList;

use crate::{
    code::{function::Function, parameter::ArgumentType},
    error::{Error, Result},
    stream::Stream,
};
pub use occupancy::Occupancy;

impl Function {
    /// Enqueues the kernel on `stream` with a tuple of arguments.
    ///
    /// Arguments can be:
    /// - buffers and views (`&buffer` for reading, `&mut buffer` for writing), and globals;
    /// - plain values and `#[repr(C)]` structs that are
    ///   [`Pod`](https://docs.rs/bytemuck/1/bytemuck/trait.Pod.html) or wrapped in [`ByValue`];
    /// - the host slices [`In`], [`Out`] and [`InOut`], which the launch copies;
    /// - memory with its length, as [`WithLen`];
    /// - arrays of the crate `cuda-compute`, by reference. The launch orders their streams.
    ///
    /// With host slices, the launch waits for the kernel. Without them, it is one asynchronous
    /// driver call and allocates nothing. Arrays of another stream add events. A grid for no elements
    /// ([`LaunchConfig::for_elements(0)`](LaunchConfig::for_elements)) does nothing. Any other grid
    /// without blocks is an error.
    ///
    /// See [`cuLaunchKernel`, `cuLaunchCooperativeKernel`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// Rust cannot check the kernel's code. The caller must ensure that:
    /// - each argument has the type that the kernel declares. The launch checks the number and
    ///   sizes of the arguments if the driver (from CUDA 12.4 on) or PTX reports the parameters,
    ///   and their kinds (float, integer, address) if PTX does. The element types of memory are
    ///   checked only if the kernel is declared with [`kernels!`](crate::kernels).
    /// - the kernel stays within the memory that is passed to it, and does not write to memory that
    ///   is borrowed for reading.
    /// - if memory belongs to a stream other than `stream`, the two streams are ordered before and
    ///   after the launch. [`Stream::ordered_with`] does that.
    /// - memory that the kernel reaches through a raw pointer lives until the kernel has finished.
    ///   If it is host memory, the program does not interfere until then: it must not read memory
    ///   that the kernel writes, write memory that the kernel uses, or create or use a Rust
    ///   reference that rules out such accesses.
    ///
    /// # Errors
    /// Returns [`ErrorKind::LaunchArguments`](crate::ErrorKind::LaunchArguments) if the number,
    /// sizes or kinds of the arguments, the grid, the block or the shared memory do not fit.
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream
    /// belongs to another context, or if there are host slices and the stream is capturing or a
    /// capture of this thread forbids waiting. Returns the driver's error if it cannot read the
    /// parameters. In all these cases nothing is launched.
    ///
    /// The next call that waits for the kernel reports the kernel's faults. With host slices, the
    /// launch itself waits. It also returns an error if there is no memory for the copies.
    ///
    /// # Aborts
    /// With host slices, see [`Settled::or_abort`](crate::Settled::or_abort).
    ///
    /// ```
    /// use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Out, Stream};
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let module = Module::compile(&context, r#"
    ///     extern "C" __global__ void fill(float *x, float value, unsigned n) {
    ///         const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    ///         if (i < n) x[i] = value;
    ///     }"#)?;
    /// let fill = module.function("fill")?;
    /// let n = 1000u32;
    ///
    /// let mut x = DeviceBuffer::<f32>::uninit(&stream, n as usize)?;
    /// // SAFETY: the kernel writes n floats, as many as the buffer has.
    /// unsafe { fill.launch(&stream, LaunchConfig::for_elements(n), (&mut x, 2.5f32, n))? };
    /// assert!(x.to_vec(&stream)?.iter().all(|&value| value == 2.5));
    ///
    /// let mut y = vec![0.0f32; n as usize];
    /// // SAFETY: the kernel writes n floats, as many as the slice has.
    /// unsafe { fill.launch(&stream, LaunchConfig::for_elements(n), (Out(&mut y), 1.5f32, n))? };
    /// assert!(y.iter().all(|&value| value == 1.5));
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchCooperativeKernel")]
    pub unsafe fn launch<A: KernelArguments>(
        &self,
        stream: &Stream,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<()> {
        let Some(plain) = config.plain().filter(|_| const { !A::WAITS }) else {
            // SAFETY: guaranteed by the caller.
            return unsafe { self.launch_unusual(stream, config, arguments) };
        };
        // SAFETY: guaranteed by the caller. Kinds, sizes and limits are checked.
        unsafe {
            arguments.with_pointers(stream, |pointers| {
                match self.start_at_once(stream, &plain, A::TYPES, pointers) {
                    Ok(()) => Ok(()),
                    Err(code) => self.start_slowly(code, stream, &plain, A::TYPES, pointers),
                }
            })
        }
    }

    /// [`launch`](Self::launch) with host slices, clusters or attributes. Takes the configuration by
    /// value, so that the compiler need not copy it before the usual launch.
    ///
    /// # Safety
    /// See [`launch`](Self::launch).
    #[inline(never)]
    unsafe fn launch_unusual<A: KernelArguments>(
        &self,
        stream: &Stream,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<()> {
        if !self.is_launchable(stream.context(), &config, A::TYPES)? {
            return Ok(());
        }
        // SAFETY: guaranteed by the caller. Kinds, sizes and limits are checked above.
        unsafe { arguments.with_pointers(stream, |pointers| self.start(stream, &config, pointers)) }
    }

    /// Checks a plain launch and enqueues it. Returns the driver's error code, or `None` if the
    /// launch needs [`start_slowly`](Self::start_slowly), which may find it correct.
    ///
    /// This function is compiled once, not for each tuple of arguments. It makes no other call than
    /// the driver's and uses few registers, because both would cost as much as the checks.
    ///
    /// # Safety
    /// See [`launch_raw`](Self::launch_raw), provided that the types fit the kernel.
    #[inline(never)]
    unsafe fn start_at_once(
        &self,
        stream: &Stream,
        plain: &PlainConfig,
        types: &'static [ArgumentType],
        pointers: &mut [*mut c_void],
    ) -> Result<(), Option<CUresult>> {
        if !stream.may_call_at_once() || !self.is_usual(stream.context(), plain, types) {
            return Err(None);
        }
        // SAFETY: this function has the same contract.
        match unsafe { self.enqueue_plain(stream, plain, pointers) } {
            CUresult::CUDA_SUCCESS => {
                stream.note_launch(self.number());
                Ok(())
            }
            code => Err(Some(code)),
        }
    }

    /// Launches after complete checks, which find the reason for an error. If the driver has
    /// returned `code` already, handles it and launches again if that can help.
    ///
    /// # Safety
    /// See [`start_at_once`](Self::start_at_once).
    #[cold]
    #[inline(never)]
    unsafe fn start_slowly(
        &self,
        mut code: Option<CUresult>,
        stream: &Stream,
        plain: &PlainConfig,
        types: &'static [ArgumentType],
        pointers: &mut [*mut c_void],
    ) -> Result<()> {
        let config = plain.whole();
        if code.is_none() && !self.is_launchable(stream.context(), &config, types)? {
            return Ok(());
        }
        self.check_launch(stream, &config, || match code.take() {
            Some(code) => code,
            // SAFETY: this function has the same contract.
            None => unsafe { self.enqueue_plain(stream, plain, pointers) },
        })
    }

    /// Enqueues the kernel with an array of pointers to its arguments, without checks.
    ///
    /// For code that already has the pointers. [`launch_list`](Self::launch_list) checks arguments
    /// that are known only at run time.
    ///
    /// See [`cuLaunchKernel`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must satisfy the conditions of [`launch`](Self::launch). In addition, `pointers`
    /// must have one pointer for each of the kernel's parameters, each to a value of that
    /// parameter's size.
    ///
    /// # Errors
    /// Returns [`ErrorKind::LaunchArguments`](crate::ErrorKind::LaunchArguments) if the driver
    /// rejects the grid, the block or the shared memory. Returns an error if the context is
    /// unusable after a fault.
    ///
    /// ```
    /// # use cuda_safe::{Context, DeviceBuffer, LaunchConfig, Module, Stream};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// let source = r#"extern "C" __global__ void set(int *x, int value) { *x = value; }"#;
    /// let set = Module::compile(&context, source)?.function("set")?;
    /// let x = DeviceBuffer::<i32>::zeroed(&stream, 1)?;
    /// let (mut address, mut value) = (x.as_device_ptr(), 7i32);
    /// let mut pointers = [(&raw mut address).cast(), (&raw mut value).cast()];
    /// // SAFETY: a pointer and an int, as the kernel declares; it writes one int.
    /// unsafe { set.launch_raw(&stream, LaunchConfig::new(1, 1), &mut pointers)? };
    /// assert_eq!(x.to_vec(&stream)?, [7]);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    #[doc(alias = "cuLaunchKernel")]
    pub unsafe fn launch_raw(
        &self,
        stream: &Stream,
        config: LaunchConfig,
        pointers: &mut [*mut c_void],
    ) -> Result<()> {
        // SAFETY: this function has the same contract.
        unsafe { self.start(stream, &config, pointers) }
    }

    /// Launches the kernel and records events while it runs.
    ///
    /// See [`cuLaunchKernelEx`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must satisfy the conditions of [`launch`](Self::launch). Work that waits for an
    /// event of `events` runs concurrently with the kernel. Only the event orders the two.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are host
    /// slices (`In`, `Out` or `InOut`), if an event belongs to another context, or if the grid has
    /// no blocks, because then no event would be recorded. Returns the driver's error if an event
    /// has timing, and the errors of [`launch`](Self::launch).
    ///
    /// ```
    /// # use cuda_safe::{
    /// #     Context, DeviceBuffer, Event, EventOptions, LaunchConfig, launch::LaunchEvents, Module, Stream,
    /// # };
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// # let source = r#"extern "C" __global__ void set(int *x) { *x = 7; }"#;
    /// # let set = Module::compile(&context, source)?.function("set")?;
    /// let mut x = DeviceBuffer::<i32>::uninit(&stream, 1)?;
    /// let started = Event::with_options(&context, EventOptions::default().disable_timing(true))?;
    /// let events = LaunchEvents::default().started(&started);
    /// // SAFETY: one int, as the kernel writes; the other stream does nothing with it.
    /// unsafe { set.launch_with_events(&stream, LaunchConfig::new(1, 1), events, (&mut x,))? };
    /// let other = Stream::new(&context)?;
    /// other.wait_event(&started)?; // continues when the kernel has started
    /// # other.synchronize()?;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuLaunchKernelEx")]
    pub unsafe fn launch_with_events<A: KernelArguments>(
        &self,
        stream: &Stream,
        config: LaunchConfig,
        events: LaunchEvents<'_>,
        arguments: A,
    ) -> Result<()> {
        const CALL: &str = "Function::launch_with_events";
        if A::WAITS {
            let text = "a launch with host slices waits for its kernel, so it does not support events. Fix: use buffers";
            return Err(Error::invalid(CALL, text));
        }
        for event in [events.started, events.triggered].into_iter().flatten() {
            let what = "the event and the kernel";
            event.context().expect_same(self.context(), CALL, what)?;
        }
        if !self.is_launchable(stream.context(), &config, A::TYPES)? {
            let text = "the grid has no blocks, so nothing is launched and no event would be recorded. Fix: skip the launch";
            return Err(Error::invalid(CALL, text));
        }
        let mut attributes = RawAttributes::new(&config);
        attributes.events(events);
        // SAFETY: guaranteed by the caller. Kinds, sizes and limits are checked above.
        unsafe {
            arguments.with_pointers(stream, |pointers| {
                self.check_launch(stream, &config, || {
                    self.enqueue_with(stream, &config, &mut attributes, pointers)
                })
            })
        }
    }

    /// Enqueues a launch, and explains a failure.
    ///
    /// # Safety
    /// See [`launch_raw`](Self::launch_raw).
    #[inline]
    unsafe fn start(
        &self,
        stream: &Stream,
        config: &LaunchConfig,
        pointers: &mut [*mut c_void],
    ) -> Result<()> {
        // SAFETY: this function has the same contract.
        self.check_launch(stream, config, || unsafe {
            self.enqueue(stream, config, pointers)
        })
    }

    #[inline]
    fn check_launch(
        &self,
        stream: &Stream,
        config: &LaunchConfig,
        enqueue: impl FnMut() -> CUresult,
    ) -> Result<()> {
        match stream.call("cuLaunchKernel", enqueue)? {
            CUresult::CUDA_SUCCESS => {
                stream.note_launch(self.number());
                Ok(())
            }
            code => Err(self.launch_error(code, config)),
        }
    }

    /// Makes the driver call for a launch.
    ///
    /// # Safety
    /// See [`launch_raw`](Self::launch_raw).
    #[inline]
    unsafe fn enqueue(
        &self,
        stream: &Stream,
        config: &LaunchConfig,
        pointers: &mut [*mut c_void],
    ) -> CUresult {
        match config.plain() {
            // SAFETY: this function has the same contract.
            Some(plain) => unsafe { self.enqueue_plain(stream, &plain, pointers) },
            // SAFETY: as above.
            None => unsafe { self.enqueue_special(stream, config, pointers) },
        }
    }

    /// Makes the driver call for a launch without attributes.
    ///
    /// # Safety
    /// See [`launch_raw`](Self::launch_raw).
    #[inline(always)]
    unsafe fn enqueue_plain(
        &self,
        stream: &Stream,
        plain: &PlainConfig,
        pointers: &mut [*mut c_void],
    ) -> CUresult {
        let PlainConfig {
            grid,
            block,
            shared_bytes,
        } = *plain;
        // SAFETY: this function has the same contract. The driver copies the arguments.
        unsafe {
            sys::cuLaunchKernel(
                self.as_raw(),
                grid.x,
                grid.y,
                grid.z,
                block.x,
                block.y,
                block.z,
                shared_bytes as c_uint,
                stream.as_raw(),
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        }
    }

    /// Makes the driver call for a cooperative launch, or for one with attributes. It is a separate
    /// function so that plain launches do not need a kilobyte of stack for the attributes.
    ///
    /// # Safety
    /// See [`launch_raw`](Self::launch_raw).
    #[inline(never)]
    unsafe fn enqueue_special(
        &self,
        stream: &Stream,
        config: &LaunchConfig,
        pointers: &mut [*mut c_void],
    ) -> CUresult {
        if !config.is_plain() {
            let mut attributes = RawAttributes::new(config);
            // SAFETY: this function has the same contract.
            return unsafe { self.enqueue_with(stream, config, &mut attributes, pointers) };
        }
        let LaunchConfig {
            grid,
            block,
            shared_bytes,
            ..
        } = *config;
        // SAFETY: this function has the same contract. The driver copies the arguments.
        unsafe {
            sys::cuLaunchCooperativeKernel(
                self.as_raw(),
                grid.x,
                grid.y,
                grid.z,
                block.x,
                block.y,
                block.z,
                shared_bytes as c_uint,
                stream.as_raw(),
                pointers.as_mut_ptr(),
            )
        }
    }

    /// Makes the driver call for a launch with attributes.
    ///
    /// # Safety
    /// See [`launch_raw`](Self::launch_raw).
    unsafe fn enqueue_with(
        &self,
        stream: &Stream,
        config: &LaunchConfig,
        attributes: &mut RawAttributes,
        pointers: &mut [*mut c_void],
    ) -> CUresult {
        let launch = attributes.launch(config, stream);
        // SAFETY: this function has the same contract. The driver copies the arguments and the
        // attributes.
        unsafe {
            sys::cuLaunchKernelEx(
                &launch,
                self.as_raw(),
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        }
    }
}
