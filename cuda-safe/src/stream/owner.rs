//! The owner of device memory.

use crate::{context::Context, stream::Stream};

/// The owner of device memory: a stream, in whose order the memory is used and freed, or only a
/// context, as for the variables of a module.
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, Module, Owner, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let buffer = DeviceBuffer::<u32>::zeroed(&stream, 3)?;
/// assert_eq!(buffer.view().owner(), Owner::Stream(&stream));
/// let module = Module::compile(&context, "__device__ int x; __global__ void k() { x = 1; }")?;
/// let x = module.global::<i32>("x", 1)?;
/// assert_eq!(x.view().owner(), Owner::Context(&context));
/// assert_eq!(x.view().owner().stream(), None);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner<'a> {
    /// A stream. Methods order work on other streams with it: see [`Stream::ordered_with`].
    Stream(&'a Stream),
    /// A context. Nothing is ordered automatically: the caller orders the work within this context.
    Context(&'a Context),
}

impl<'a> Owner<'a> {
    /// Returns the context of the memory.
    #[must_use]
    pub fn context(self) -> &'a Context {
        match self {
            Self::Stream(stream) => stream.context(),
            Self::Context(context) => context,
        }
    }

    /// Returns the stream in whose order the memory is used, or `None` if the caller orders the
    /// work.
    #[must_use]
    pub fn stream(self) -> Option<&'a Stream> {
        match self {
            Self::Stream(stream) => Some(stream),
            Self::Context(_) => None,
        }
    }
}

impl<'a> From<&'a Stream> for Owner<'a> {
    fn from(stream: &'a Stream) -> Self {
        Self::Stream(stream)
    }
}

impl<'a> From<&'a Context> for Owner<'a> {
    fn from(context: &'a Context) -> Self {
        Self::Context(context)
    }
}
