//! Memory that a graph owns, and the tokens that name it.

use std::{fmt, marker::PhantomData, ops::RangeBounds};

use cuda_sys::CUdeviceptr;

use crate::{
    error::Result,
    launch::address_argument,
    memory::{DeviceMemory, DeviceViewMut, OwnedStorage, PinnedBuffer, PlainData, range_within},
    stream::{Owner, Stream},
};

/// Memory that a [`Graph`](super::Graph) can own: owned device memory of every kind, and
/// page-locked host memory. The graph gives access to it as a [`DeviceViewMut`] or as a slice.
///
/// This trait is sealed, because the graph relies on its results.
pub trait Keep: sealed::Sealed + Send + 'static {
    /// The type of an element.
    type Element: PlainData;
    /// Returns the location of the memory.
    #[doc(hidden)]
    fn place(&self) -> Place;
    /// Returns the stream in whose order the memory is used and freed, or `None` for memory that
    /// the host may use at any time.
    #[doc(hidden)]
    fn stream(&self) -> Option<&Stream>;
    /// The type of access. The memory itself stays in the graph, because nodes hold its address.
    type Access<'a>;
    #[doc(hidden)]
    fn access(&mut self) -> Self::Access<'_>;
}

mod sealed {
    pub trait Sealed {}
}

/// The address and the length of memory.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub(super) address: u64,
    pub(super) len: usize,
    pub(super) on_host: bool,
}

impl<S: OwnedStorage, T> sealed::Sealed for DeviceMemory<S, T> {}
impl<S: OwnedStorage + Send + 'static, T: PlainData> Keep for DeviceMemory<S, T> {
    type Element = T;

    fn place(&self) -> Place {
        Place {
            address: self.as_device_ptr(),
            len: self.len(),
            on_host: false,
        }
    }

    fn stream(&self) -> Option<&Stream> {
        match self.owner() {
            Owner::Stream(stream) => Some(stream),
            Owner::Context(_) => None,
        }
    }

    type Access<'a> = DeviceViewMut<'a, T>;

    fn access(&mut self) -> DeviceViewMut<'_, T> {
        self.view_mut()
    }
}

impl<T: PlainData> sealed::Sealed for PinnedBuffer<T> {}
impl<T: PlainData> Keep for PinnedBuffer<T> {
    type Element = T;

    fn place(&self) -> Place {
        Place {
            address: self.as_raw_slice().cast::<T>().expose_provenance() as u64,
            len: self.len(),
            on_host: true,
        }
    }

    fn stream(&self) -> Option<&Stream> {
        None
    }

    type Access<'a> = &'a mut [T];

    fn access(&mut self) -> &mut [T] {
        self
    }
}

/// A token for memory that a [`Graph`](super::Graph) owns. Created by
/// [`Graph::keep`](super::Graph::keep).
///
/// Nodes take it, or a part of it ([`slice`](Self::slice)). As a kernel argument it is the address
/// of the memory. Access the memory with [`Graph::memory`](super::Graph::memory), and between
/// launches with [`GraphExec::memory`](super::GraphExec::memory).
///
/// ```
/// # use cuda_safe::{Context, DeviceBuffer, Stream, graph::Graph};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let mut graph = Graph::new(&context)?;
/// let x = graph.keep(DeviceBuffer::<f32>::zeroed(&stream, 4)?);
/// assert_eq!(x.len(), 4);
/// graph.add_fill(&[], x.slice(1..3)?, 2.0)?;
/// let mut exec = graph.instantiate()?;
/// exec.launch(&stream)?;
/// assert_eq!(exec.memory(x)?.to_vec(&stream)?, [0.0, 2.0, 2.0, 0.0]);
/// # Ok(())
/// # }
/// ```
pub struct Kept<M: Keep> {
    pub(super) number: u64,
    pub(super) place: Place,
    memory: PhantomData<fn() -> M>,
}

impl<M: Keep> Kept<M> {
    pub(super) fn new(number: u64, place: Place) -> Self {
        Self {
            number,
            place,
            memory: PhantomData,
        }
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.place.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.place.len == 0
    }

    /// Returns the address of the memory, for nodes that raw calls add. It is valid as long as the
    /// graph keeps the memory.
    #[must_use]
    pub fn as_device_ptr(&self) -> CUdeviceptr {
        self.place.address
    }

    /// Returns a part of the memory, for a node.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the range is
    /// not within the memory.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Part<M::Element>> {
        let range = range_within(range, self.place.len, "Kept::slice")?;
        let address = self.place.address + (range.start * size_of::<M::Element>()) as u64;
        Ok(Part {
            number: self.number,
            place: Place {
                address,
                len: range.len(),
                ..self.place
            },
            element: PhantomData,
        })
    }
}

impl<M: Keep> Clone for Kept<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Keep> Copy for Kept<M> {}

impl<M: Keep> fmt::Debug for Kept<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { address, len, .. } = self.place;
        write!(f, "Kept({len} elements at {address:#x})")
    }
}

/// A part of memory that a [`Graph`](super::Graph) owns, or all of it, as an operand of copies and
/// fills. Created by [`Kept::slice`], or from a [`Kept`] with `into`.
pub struct Part<T> {
    pub(super) number: u64,
    pub(super) place: Place,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Part<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Part<T> {}

impl<T> fmt::Debug for Part<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { address, len, .. } = self.place;
        write!(f, "Part({len} elements at {address:#x})")
    }
}

impl<M: Keep> From<Kept<M>> for Part<M::Element> {
    fn from(kept: Kept<M>) -> Self {
        Self {
            number: kept.number,
            place: kept.place,
            element: PhantomData,
        }
    }
}

impl<T> Part<T> {
    pub(super) fn new(number: u64, place: Place) -> Self {
        Self {
            number,
            place,
            element: PhantomData,
        }
    }

    fn as_device_ptr(&self) -> CUdeviceptr {
        self.place.address
    }

    pub(super) fn bytes(&self) -> usize {
        self.place.len * size_of::<T>()
    }
}

address_argument!([M: Keep] Kept<M>);
address_argument!([T: PlainData] Part<T>);
