//! Control of profilers: when they collect data.
//!
//! A profiler that is started with `nsys profile --capture-range=cudaProfilerApi` or
//! `ncu --profile-from-start off` collects only between [`start`] and [`stop`]. Without a profiler,
//! both do nothing. For named ranges, which a profiler shows beside the calls, see [the
//! guide](crate::guide::profiling).

use cuda_sys as sys;

use crate::{context::Context, error::Result};

/// Makes a profiler collect until [`stop`] is called. Does nothing if it already collects.
///
/// See [`cuProfilerStart`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PROFILER.html) in NVIDIA's manual.
///
/// # Errors
/// Returns an error if the context is unusable after a fault.
///
/// ```
/// # use cuda_safe::{Context, profiler};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// profiler::start(&context)?;
/// // ... the work to profile ...
/// context.synchronize()?; // wait until the work has finished
/// profiler::stop(&context)?;
/// # Ok(())
/// # }
/// ```
#[doc(alias = "cuProfilerStart")]
pub fn start(context: &Context) -> Result<()> {
    let _current = context.enter("cuProfilerStart")?;
    // SAFETY: works on the current context.
    let code = unsafe { sys::cuProfilerStart() };
    context.check("cuProfilerStart", code)
}

/// Makes a profiler stop collecting. Does nothing if it does not collect.
///
/// See [`cuProfilerStop`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PROFILER.html) in NVIDIA's manual.
///
/// # Errors
/// Returns an error if the context is unusable after a fault.
#[doc(alias = "cuProfilerStop")]
pub fn stop(context: &Context) -> Result<()> {
    let _current = context.enter("cuProfilerStop")?;
    // SAFETY: works on the current context.
    let code = unsafe { sys::cuProfilerStop() };
    context.check("cuProfilerStop", code)
}

/// Calls [`start`], and [`stop`] when the returned guard is dropped.
///
/// # Errors
/// Returns the errors of [`start`].
///
/// ```
/// # use cuda_safe::{Context, profiler};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// {
///     let _collecting = profiler::collect(&context)?;
///     context.synchronize()?;
/// }
/// # Ok(())
/// # }
/// ```
pub fn collect(context: &Context) -> Result<Collecting> {
    start(context)?;
    Ok(Collecting {
        context: context.clone(),
    })
}

/// A guard: a profiler collects until it is dropped. See [`collect`].
#[derive(Debug)]
#[must_use = "the profiler collects only as long as this lives"]
pub struct Collecting {
    context: Context,
}

impl Drop for Collecting {
    fn drop(&mut self) {
        let _ = stop(&self.context);
    }
}
