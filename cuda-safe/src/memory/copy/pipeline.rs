//! A pipeline that overlaps the copies and the computation of consecutive pieces of work.

use std::{collections::VecDeque, fmt};

use bytemuck::Pod;

use super::transfer::Transfer;
use crate::{
    context::Context,
    error::{Error, Result},
    memory::{device::buffer::DeviceBuffer, host::pinned::PinnedBuffer},
    stream::Stream,
};

/// A pipeline that processes work in pieces: while one piece is uploaded, the previous piece is
/// computed, and the result of the one before that is downloaded.
///
/// A pipeline is a ring of slots. Each slot has a stream, and device memory and page-locked memory
/// for the input and output of a piece. Each piece takes the next slot, after the slot's previous
/// piece has finished. The device thus works on as many pieces at once as there are slots. Two
/// slots are a double buffer. Three are enough for both copies and the kernel at once.
///
/// ```
/// use cuda_safe::{Context, LaunchConfig, Module, memory::Pipeline, WithLen};
///
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// let square = Module::compile(&context, r#"
///     extern "C" __global__ void square(const float *x, float *y, int n) {
///         const int i = blockIdx.x * blockDim.x + threadIdx.x;
///         if (i < n) y[i] = x[i] * x[i];
///     }"#)?.function("square")?;
/// let (input, mut output) = (vec![3.0f32; 10_000], vec![0.0f32; 10_000]);
///
/// let mut pipeline = Pipeline::new(&context, 3, 1024, 1024)?; // three slots of 1024 elements
/// pipeline.run(
///     input.chunks(1024).zip(output.chunks_mut(1024)), // the last piece is shorter
///     |(piece, _), host| host[..piece.len()].copy_from_slice(piece),
///     |stream, x, y| {
///         let config = LaunchConfig::for_elements(x.len());
///         // SAFETY: the kernel reads n elements of x and writes n of y; both belong to the stream.
///         unsafe { square.launch(stream, config, (&*x, WithLen::i32(y))) }
///     },
///     |(_, result), host| result.copy_from_slice(&host[..result.len()]),
/// )?;
/// assert_eq!(output, [9.0; 10_000]);
/// # Ok(())
/// # }
/// ```
pub struct Pipeline<I: Pod, O: Pod> {
    slots: Vec<Slot<I, O>>,
}

struct Slot<I: Pod, O: Pod> {
    input: DeviceBuffer<I>,
    output: DeviceBuffer<O>,
    stream: Stream,
    /// `None` while a transfer owns it, and after a failure.
    host_input: Option<PinnedBuffer<I>>,
    host_output: Option<PinnedBuffer<O>>,
}

/// The result of a closure of [`Pipeline::run`]: nothing, or a `Result` of nothing.
///
/// ```
/// use cuda_safe::memory::Outcome;
///
/// assert_eq!(Outcome::<String>::into_result(()), Ok(()));
/// assert_eq!(Err("wrong").into_result(), Err("wrong"));
/// ```
pub trait Outcome<E>: sealed::Sealed {
    /// Converts the outcome into a `Result`.
    ///
    /// # Errors
    /// Returns the closure's error.
    fn into_result(self) -> Result<(), E>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for () {}
    impl<E> Sealed for Result<(), E> {}
}

impl<E> Outcome<E> for () {
    fn into_result(self) -> Result<(), E> {
        Ok(())
    }
}

impl<E> Outcome<E> for Result<(), E> {
    fn into_result(self) -> Self {
        self
    }
}

/// A piece in progress. Dropping it waits.
struct Running<P, I: Pod, O: Pod> {
    slot: usize,
    piece: P,
    upload: Transfer<I>,
    download: Transfer<O>,
}

impl<I: Pod, O: Pod> Pipeline<I, O> {
    /// Creates a pipeline of `slots` slots. Each slot has device memory and page-locked memory for
    /// `input_len` input elements and `output_len` output elements.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `slots` is 0.
    /// Returns [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if an allocation fails.
    /// Also returns an error if the context is unusable after a fault.
    pub fn new(
        context: &Context,
        slots: usize,
        input_len: usize,
        output_len: usize,
    ) -> Result<Self> {
        if slots == 0 {
            let detail = "the number of slots is 0. Fix: use at least 1, or 3 to overlap both copies and the kernel";
            return Err(Error::invalid("Pipeline::new", detail));
        }
        let slot = |_| {
            let stream = Stream::new(context)?;
            Ok(Slot {
                input: DeviceBuffer::uninit(&stream, input_len)?,
                output: DeviceBuffer::uninit(&stream, output_len)?,
                stream,
                host_input: None,
                host_output: None,
            })
        };
        let mut slots: Vec<_> = (0..slots).map(slot).collect::<Result<_>>()?;
        slots.iter_mut().try_for_each(Slot::prepare)?;
        Ok(Self { slots })
    }

    /// Returns the number of slots.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Processes all `pieces`, and returns when the last one has finished.
    ///
    /// The pipeline performs these steps for each piece, in order:
    ///
    /// 1. `fill` writes the input to page-locked memory, which still contains data of an earlier
    ///    piece.
    /// 2. The input is uploaded.
    /// 3. `work` enqueues the computation on the slot's stream, to which both buffers belong.
    /// 4. The output is downloaded.
    /// 5. `take` reads the output when the slot is needed again, or at the end.
    ///
    /// The host waits only before step 5. While it runs `fill` or `take`, the device works on the
    /// pieces of the other slots. Each copy transfers a whole slot.
    ///
    /// `fill` and `take` return nothing, or a `Result` if they can fail. All errors have one type,
    /// into which this crate's errors can be converted.
    ///
    /// Like any launch, `work` must order itself with memory of other streams: see
    /// [`Stream::ordered_with`](crate::Stream::ordered_with).
    ///
    /// See [`cuMemcpyHtoDAsync`, `cuMemcpyDtoHAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the first error of a closure, of a copy, or of work enqueued before it, such as a
    /// fault. It then waits for the pieces in progress, but does not pass them to `take`. You can
    /// use the pipeline again unless the context is lost.
    ///
    /// # Panics
    /// Panics only if a closure panics, after waiting for the pieces in progress.
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[doc(alias = "cuMemcpyDtoHAsync")]
    pub fn run<P, E: From<Error>, F: Outcome<E>, T: Outcome<E>>(
        &mut self,
        pieces: impl IntoIterator<Item = P>,
        mut fill: impl FnMut(&mut P, &mut [I]) -> F,
        mut work: impl FnMut(&Stream, &mut DeviceBuffer<I>, &mut DeviceBuffer<O>) -> Result<(), E>,
        mut take: impl FnMut(P, &[O]) -> T,
    ) -> Result<(), E> {
        let slots = &mut self.slots;
        let mut running = VecDeque::with_capacity(slots.len());
        let mut finish = |slots: &mut [Slot<I, O>], oldest: Running<P, I, O>| {
            let slot = &mut slots[oldest.slot];
            // Wait for both, so that a failure of one does not lose the other's memory.
            let (uploaded, downloaded) = (oldest.upload.wait(), oldest.download.wait());
            let (input, output) = match (uploaded, downloaded) {
                (Ok(input), Ok(output)) => (input, output),
                (input, output) => {
                    let error = input.as_ref().err().or(output.as_ref().err()).cloned();
                    slot.host_input = input.ok();
                    slot.host_output = output.ok();
                    return error.map_or(Ok(()), |error| Err(error.into()));
                }
            };
            slot.host_input = Some(input);
            take(oldest.piece, slot.host_output.insert(output)).into_result()
        };
        for (turn, mut piece) in pieces.into_iter().enumerate() {
            let index = turn % slots.len();
            if running.len() == slots.len()
                && let Some(oldest) = running.pop_front()
            {
                finish(slots, oldest)?;
            }
            let (upload, download) =
                slots[index].start(|host| fill(&mut piece, host).into_result(), &mut work)?;
            running.push_back(Running {
                slot: index,
                piece,
                upload,
                download,
            });
        }
        while let Some(oldest) = running.pop_front() {
            finish(slots, oldest)?;
        }
        Ok(())
    }
}

impl<I: Pod, O: Pod> Slot<I, O> {
    /// Replaces page-locked memory that was lost by a failure.
    fn prepare(&mut self) -> Result<()> {
        let context = self.stream.context();
        if self.host_input.is_none() {
            self.host_input = Some(PinnedBuffer::zeroed(context, self.input.len())?);
        }
        if self.host_output.is_none() {
            self.host_output = Some(PinnedBuffer::zeroed(context, self.output.len())?);
        }
        Ok(())
    }

    fn start<E: From<Error>>(
        &mut self,
        fill: impl FnOnce(&mut [I]) -> Result<(), E>,
        work: impl FnOnce(&Stream, &mut DeviceBuffer<I>, &mut DeviceBuffer<O>) -> Result<(), E>,
    ) -> Result<(Transfer<I>, Transfer<O>), E> {
        self.prepare()?;
        if let Some(host) = &mut self.host_input {
            fill(host)?;
        }
        let (Some(input), Some(output)) = (self.host_input.take(), self.host_output.take()) else {
            unreachable!("just prepared");
        };
        let stream = &self.stream;
        let upload = match stream.upload(input, &mut self.input) {
            Ok(upload) => upload,
            Err(failed) => {
                (self.host_input, self.host_output) = (failed.host, Some(output));
                return Err(failed.error.into());
            }
        };
        // A failure from here on drops the upload, which waits.
        if let Err(error) = work(stream, &mut self.input, &mut self.output) {
            self.host_output = Some(output);
            return Err(error);
        }
        match stream.download(&self.output, output) {
            Ok(download) => Ok((upload, download)),
            Err(failed) => {
                self.host_output = failed.host;
                Err(failed.error.into())
            }
        }
    }
}

impl<I: Pod, O: Pod> fmt::Debug for Pipeline<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (input, output) = self
            .slots
            .first()
            .map_or((0, 0), |slot| (slot.input.len(), slot.output.len()));
        let slots = self.slots.len();
        write!(
            f,
            "Pipeline({slots} slots of {input} elements in, {output} out)"
        )
    }
}
