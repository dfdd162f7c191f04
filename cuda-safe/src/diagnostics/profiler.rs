//! When a profiler collects.
//!
//! A profiler that is started with the option for it (`nsys profile --capture-range=cudaProfilerApi`,
//! `ncu --profile-from-start off`) collects only what happens between [`start`] and [`stop`]. Without a profiler both do
//! nothing. For ranges with names, which a profiler shows beside the calls, see [the guide](crate::guide::profiling).

use cuda_sys as sys;

use crate::{context::Context, error::Result};

/// Has a profiler collect, until [`stop`] is called. Again while it collects, this does nothing.
///
/// # Errors
/// The context is unusable after a fault.
///
/// ```
/// # use cuda_safe::{Context, profiler};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// profiler::start(&context)?;
/// // ... what is to be seen ...
/// context.synchronize()?; // all of it
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

/// Has a profiler collect no longer. Where it doesn't, this does nothing.
///
/// # Errors
/// The context is unusable after a fault.
#[doc(alias = "cuProfilerStop")]
pub fn stop(context: &Context) -> Result<()> {
    let _current = context.enter("cuProfilerStop")?;
    // SAFETY: works on the current context.
    let code = unsafe { sys::cuProfilerStop() };
    context.check("cuProfilerStop", code)
}

/// [`start`], and [`stop`] when the returned guard is dropped.
///
/// # Errors
/// As [`start`].
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

/// A profiler collects until this is dropped: see [`collect`].
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
