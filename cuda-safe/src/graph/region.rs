//! Copies of rectangles and boxes as nodes, and the memory that they copy.

use std::{fmt, marker::PhantomData, ops::Deref};

use cuda_sys::{self as sys, CUdeviceptr};

use super::{Graph, GraphExec, Keep, Kept, Node, Part, held::Held};
use crate::{
    error::{Error, Result},
    launch::address_argument,
    memory::{
        CopySource, CopyTarget, Extent, Layout, Place, PlainData, Region, RegionCopy, host_place,
    },
};

/// The token of pitched memory or an array that a [`Graph`] owns: see [`Graph::keep_region`]. As an argument of a kernel it
/// is the address of pitched memory.
pub struct KeptRegion<T, M> {
    part: PartRegion<T>,
    memory: PhantomData<fn() -> M>,
}

/// Rows and slices of memory that a [`Graph`] owns, or an array: what copies of rectangles and boxes take. Made by
/// [`Part::pitched`] and [`Kept::pitched`], and by `into` from a [`KeptRegion`].
pub struct PartRegion<T> {
    number: u64,
    place: Place,
    element: PhantomData<fn() -> T>,
}

// SAFETY: a name of memory that the graph owns, whose addresses nobody follows through it.
unsafe impl<T> Send for PartRegion<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for PartRegion<T> {}

/// Memory that a graph lends between launches. It can be looked at ([`Deref`]), and copied from and to; it stays the
/// graph's, since nodes know where it is.
pub struct Lent<'a, M>(&'a mut M);

impl<M> Deref for Lent<'_, M> {
    type Target = M;

    fn deref(&self) -> &M {
        self.0
    }
}

// SAFETY: the region of what is lent, borrowed for no longer.
unsafe impl<T: PlainData, M: CopySource<T>> CopySource<T> for Lent<'_, M> {
    fn region(&self) -> Region<'_> {
        self.0.region()
    }
}

// SAFETY: lent exclusively.
unsafe impl<T: PlainData, M: CopyTarget<T>> CopyTarget<T> for Lent<'_, M> {}

impl Graph {
    /// Hands pitched memory or an array to the graph, as [`keep`](Self::keep) does with memory whose elements follow each
    /// other.
    ///
    /// ```
    /// use cuda_safe::{Context, PinnedBuffer, memory::{PitchedBuffer, RegionCopy}, Stream, graph::Graph};
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// let context = Context::primary(0)?;
    /// let stream = Stream::new(&context)?;
    /// let mut graph = Graph::new(&context)?;
    /// let image = graph.keep_region(PitchedBuffer::<u8>::zeroed(&stream, [4, 4])?);
    /// let host = graph.keep(PinnedBuffer::from_slice(&context, &[1u8, 2, 3, 4])?);
    /// let middle = RegionCopy::new([2, 2]).target_at([1, 1]);
    /// graph.add_region_copy(&[], middle, image, host.pitched([2, 2])?)?;
    /// let mut exec = graph.instantiate()?;
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.region(image)?.to_vec(&stream)?, [0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn keep_region<T: PlainData, M>(&mut self, memory: M) -> KeptRegion<T, M>
    where
        M: CopyTarget<T> + Send + 'static,
    {
        let place = memory.region().place;
        let number = self.held.keep_region(memory);
        KeptRegion {
            part: PartRegion {
                number,
                place,
                element: PhantomData,
            },
            memory: PhantomData,
        }
    }

    /// The memory behind a token of [`keep_region`](Self::keep_region).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for memory of another graph.
    pub fn region<T, M: 'static>(&mut self, kept: KeptRegion<T, M>) -> Result<Lent<'_, M>> {
        self.held
            .region(kept.part.number, "Graph::region")
            .map(Lent)
    }

    /// Adds a copy of a rectangle or box between memory of the graph: pitched, linear, page-locked, or an array. It waits
    /// for the nodes of `after`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the box does not lie within a side, the two
    /// overlap, or the memory belongs to another graph; and as [`add_empty`](Self::add_empty).
    #[doc(alias = "cuGraphAddMemcpyNode")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    pub fn add_region_copy<T: PlainData>(
        &mut self,
        after: &[Node],
        copy: RegionCopy,
        to: impl Into<PartRegion<T>>,
        from: impl Into<PartRegion<T>>,
    ) -> Result<Node> {
        const CALL: &str = "Graph::add_region_copy";
        let Some(copy) = described(&self.held, copy, to.into(), from.into(), CALL)? else {
            return self.add_empty(after);
        };
        let context = self.context().as_raw();
        self.add(
            "cuGraphAddMemcpyNode",
            after,
            // SAFETY: a live graph and live nodes of it; both sides are memory that the graph owns, within which the box
            // lies.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddMemcpyNode(node, graph, nodes, count, &copy, context)
            },
        )
    }
}

impl GraphExec {
    /// The memory behind a token of [`Graph::keep_region`], between launches. Memory that belongs to no stream is waited
    /// for; other memory is used in the order of its stream, as always.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for memory of another graph. A fault of a
    /// kernel, where this waits.
    pub fn region<T: PlainData, M: CopySource<T> + 'static>(
        &mut self,
        kept: KeptRegion<T, M>,
    ) -> Result<Lent<'_, M>> {
        const CALL: &str = "GraphExec::region";
        let memory: &mut M = self.held().region(kept.part.number, CALL)?;
        if memory.region().owner().stream().is_none() {
            self.wait()?;
        }
        self.held().region(kept.part.number, CALL).map(Lent)
    }

    /// Changes what a copy's node copies. Launches that were made before are not changed. Drivers change copies of one row
    /// only, to others of one row: for another rectangle or box, a node is added for each, and
    /// [`set_enabled`](Self::set_enabled) chooses among them.
    ///
    /// # Errors
    /// As [`Graph::add_region_copy`]; the driver's code where host and device change their roles, and where it does not
    /// change such copies. No elements, since a node can't do nothing.
    #[doc(alias = "cuGraphExecMemcpyNodeSetParams")]
    pub fn set_region_copy<T: PlainData>(
        &mut self,
        node: Node,
        copy: RegionCopy,
        to: impl Into<PartRegion<T>>,
        from: impl Into<PartRegion<T>>,
    ) -> Result<()> {
        const CALL: &str = "GraphExec::set_region_copy";
        self.expect_own(node, CALL)?;
        let (to, from) = (to.into(), from.into());
        let numbers = [to.number, from.number];
        let copy = described(self.held(), copy, to, from, CALL)?;
        for number in numbers {
            self.held().share(number);
        }
        let copy = copy.ok_or_else(|| {
            let text = "no elements: use GraphExec::set_enabled to leave the node out";
            Error::invalid(CALL, text)
        })?;
        // SAFETY: both sides are memory that the graph owns, within which the box lies.
        unsafe { self.set_raw_copy(node, &copy) }
    }
}

/// A copy as a node, `None` if there is nothing to copy.
fn described<T: PlainData>(
    held: &Held,
    copy: RegionCopy,
    to: PartRegion<T>,
    from: PartRegion<T>,
    call: &'static str,
) -> Result<Option<sys::CUDA_MEMCPY3D>> {
    held.expect_number(to.number, call)?;
    held.expect_number(from.number, call)?;
    let copy = copy.between::<T>(to.place, from.place, call)?;
    Ok(copy.map(|copy| copy.cubic()))
}

impl<T: PlainData> Part<T> {
    /// The memory as rows and slices, for a copy of a rectangle or box. It may be longer than the layout needs.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where the layout needs more memory, contradicts
    /// itself, or has a pitch that is no multiple of the elements' alignment.
    pub fn pitched(&self, layout: impl Into<Layout>) -> Result<PartRegion<T>> {
        const CALL: &str = "Part::pitched";
        let (layout, place) = (layout.into(), self.place);
        let address = std::ptr::with_exposed_provenance_mut::<T>(place.address as usize);
        let host = std::ptr::slice_from_raw_parts_mut(address, place.len);
        let place = match (host_place(host, layout, CALL)?, place.on_host) {
            (Place::Host(_, strides), false) => Place::Linear(place.address, strides),
            (place, _) => place,
        };
        Ok(PartRegion {
            number: self.number,
            place,
            element: PhantomData,
        })
    }
}

impl<M: Keep> Kept<M> {
    /// The memory as rows and slices, for a copy of a rectangle or box. It may be longer than the layout needs.
    ///
    /// # Errors
    /// As [`Part::pitched`].
    pub fn pitched(&self, layout: impl Into<Layout>) -> Result<PartRegion<M::Element>> {
        Part::from(*self).pitched(layout)
    }
}

impl<T, M> KeptRegion<T, M> {
    /// How many elements there are along each axis.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.part.place.extent()
    }

    /// The address of pitched memory; 0 for an array. Valid as long as the graph keeps it.
    #[must_use]
    pub fn as_device_ptr(&self) -> CUdeviceptr {
        match self.part.place {
            Place::Linear(ptr, _) => ptr,
            Place::Host(..) | Place::Array { .. } => 0,
        }
    }
}

impl<T, M> From<KeptRegion<T, M>> for PartRegion<T> {
    fn from(kept: KeptRegion<T, M>) -> Self {
        kept.part
    }
}

address_argument!([T: PlainData, M: 'static] KeptRegion<T, M>);

impl<T, M> Clone for KeptRegion<T, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, M> Copy for KeptRegion<T, M> {}

impl<T> Clone for PartRegion<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PartRegion<T> {}

impl<T, M> fmt::Debug for KeptRegion<T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeptRegion({:?})", self.part.place)
    }
}

impl<T> fmt::Debug for PartRegion<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PartRegion({:?})", self.place)
    }
}

impl<M: fmt::Debug> fmt::Debug for Lent<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}
