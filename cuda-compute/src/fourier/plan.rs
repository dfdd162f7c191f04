//! cuFFT plans: one per form of a transform.

use std::{
    ffi::{c_int, c_longlong},
    ptr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use cuda_safe::{Context, DeviceBuffer, Stream};

use super::library::{self, FORWARD, Functions, INVERSE, check};
use crate::error::{Error, Result};

/// The maximum number of axes of one plan.
pub(super) const MAX_AXES: usize = 3;

/// The maximum number of plans that are kept. Destroying one waits for the device.
pub(super) const PLANS: usize = 16;

/// The types of the elements before and after a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Complex,
    RealToComplex,
    ComplexToReal,
}

/// The form of a transform: everything that a plan depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) kind: Kind,
    /// Whether the numbers are `f64`.
    pub(super) wide: bool,
    /// The number of elements along each transformed axis. For real numbers, those of the real side.
    pub(super) lengths: Vec<usize>,
    /// The number of transforms, one after the other in memory.
    pub(super) batch: usize,
}

/// The plans of a context, most recently used first.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    known: Mutex<Vec<Arc<Plan>>>,
    #[cfg(test)]
    pub(super) fake: std::sync::OnceLock<&'static Functions>,
}

impl Plans {
    /// Returns the plan for a form. The first call creates it, which can take many milliseconds.
    pub(super) fn of(&self, stream: &Stream, form: Form) -> Result<Arc<Plan>> {
        let known_plan = |known: &mut Vec<Arc<Plan>>| {
            let at = known.iter().position(|plan| plan.form == form)?;
            known[..=at].rotate_right(1);
            Some(known[0].clone())
        };
        if let Some(plan) = known_plan(&mut lock(&self.known)) {
            return Ok(plan);
        }
        // The list is unlocked, so that other threads can transform in the meantime.
        let plan = Arc::new(Plan::new(self.functions()?, stream, form.clone())?);
        let mut known = lock(&self.known);
        if let Some(plan) = known_plan(&mut known) {
            return Ok(plan);
        }
        known.insert(0, plan.clone());
        let oldest = (known.len() > PLANS).then(|| known.pop());
        drop(known);
        drop(oldest); // a thread that is about to use it holds a reference
        Ok(plan)
    }

    fn functions(&self) -> Result<&'static Functions> {
        #[cfg(test)]
        if let Some(&fake) = self.fake.get() {
            return Ok(fake);
        }
        library::functions()
    }
}

/// A cuFFT plan, which owns no memory for intermediate results.
#[derive(Debug)]
pub(super) struct Plan {
    functions: &'static Functions,
    context: Context,
    form: Form,
    /// Locked during a call, because a plan enqueues on one stream at a time.
    raw: Mutex<c_int>,
    work_bytes: usize,
}

impl Plan {
    fn new(functions: &'static Functions, stream: &Stream, form: Form) -> Result<Self> {
        // cuFFT allocates memory and waits, which would end a capture. This call fails in that case.
        stream.query()?;
        let context = stream.context().clone();
        let current = context.push_current()?;
        let mut raw = 0;
        // SAFETY: `raw` is valid for the write, and the context is current.
        check("cufftCreate", unsafe { (functions.create)(&mut raw) })?;
        drop(current);
        let mut plan = Self {
            functions,
            context,
            form,
            raw: Mutex::new(raw),
            work_bytes: 0,
        };
        plan.make(raw)?;
        Ok(plan)
    }

    fn make(&mut self, raw: c_int) -> Result<()> {
        let _current = self.context.push_current()?;
        // SAFETY: the plan is live.
        let set = unsafe { (self.functions.set_auto_allocation)(raw, 0) };
        check("cufftSetAutoAllocation", set)?;
        let too_long = |length: usize| {
            Error::Shape(format!(
                "{length} elements or transforms are too many for cuFFT"
            ))
        };
        let number = |length: usize| c_longlong::try_from(length).map_err(|_| too_long(length));
        let lengths = self.form.lengths.iter().map(|&length| number(length));
        let mut lengths = lengths.collect::<Result<Vec<_>>>()?;
        // `cudaDataType`
        let (real, complex) = if self.form.wide { (1, 5) } else { (0, 4) };
        let (input, output) = match self.form.kind {
            Kind::Complex => (complex, complex),
            Kind::RealToComplex => (real, complex),
            Kind::ComplexToReal => (complex, real),
        };
        // SAFETY: the plan is live and its context is current. There is a length for each axis.
        // Without embeddings, elements and transforms are contiguous, and the other numbers are not
        // read.
        let made = unsafe {
            (self.functions.make_plan_many)(
                raw,
                lengths.len() as c_int,
                lengths.as_mut_ptr(),
                ptr::null_mut(),
                1,
                0,
                input,
                ptr::null_mut(),
                1,
                0,
                output,
                number(self.form.batch)?,
                &mut self.work_bytes,
                complex,
            )
        };
        check("cufftXtMakePlanMany", made)
    }

    /// Enqueues the transform on the stream.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - `input` and `output` are the addresses of contiguous elements with the form's types and
    ///   number, aligned to 16 bytes. They may be equal if both sides are complex;
    /// - both are memory of the plan's context and ordered with the stream;
    /// - nothing else uses the input if the output is real, because cuFFT may overwrite it.
    pub(super) unsafe fn run(
        &self,
        stream: &Stream,
        [input, output]: [u64; 2],
        inverse: bool,
    ) -> Result<()> {
        // Freed in stream order, after the transform.
        let work = match self.work_bytes {
            0 => None,
            bytes => Some(DeviceBuffer::<u8>::uninit(stream, bytes)?),
        };
        let address = work.as_ref().map_or(0, DeviceBuffer::as_device_ptr);
        let pointer = |address: u64| ptr::without_provenance_mut(address as usize);
        let direction = if inverse { INVERSE } else { FORWARD };
        let _current = self.context.push_current()?;
        let raw = lock(&self.raw);
        // SAFETY: the plan and the stream are live and in the same context, which is current.
        let set = unsafe { (self.functions.set_stream)(*raw, stream.as_raw().cast()) };
        check("cufftSetStream", set)?;
        // SAFETY: this is device memory of the size that the plan needs. It is used only on this
        // stream.
        let set = unsafe { (self.functions.set_work_area)(*raw, pointer(address)) };
        check("cufftSetWorkArea", set)?;
        // SAFETY: the caller guarantees that the addresses are valid.
        let run =
            unsafe { (self.functions.execute)(*raw, pointer(input), pointer(output), direction) };
        check("cufftXtExec", run)
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        // In a host function, or if the context no longer exists, nothing can be destroyed.
        let Ok(_current) = self.context.push_current() else {
            return;
        };
        let raw = self.raw.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: no other reference to the plan exists. A failure can't be handled here.
        let _ = unsafe { (self.functions.destroy)(*raw) };
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
