//! Nodes that copy rectangles and boxes, and the memory that they copy.

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

/// A token for pitched memory or an array that a [`Graph`] owns. Created by [`Graph::keep_region`].
/// As a kernel argument it is the address of pitched memory.
pub struct KeptRegion<T, M> {
    part: PartRegion<T>,
    memory: PhantomData<fn() -> M>,
}

/// Pitched memory or an array that a [`Graph`] owns, as an operand of copies of rectangles and
/// boxes. Created by [`Part::pitched`] and [`Kept::pitched`], or from a [`KeptRegion`] with `into`.
pub struct PartRegion<T> {
    number: u64,
    place: Place,
    element: PhantomData<fn() -> T>,
}

// SAFETY: it only names memory of the graph. Nothing accesses the memory through it.
unsafe impl<T> Send for PartRegion<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for PartRegion<T> {}

/// Access to memory of a graph between launches. You can inspect it ([`Deref`]) and copy from and
/// to it. It stays in the graph, because nodes hold its address.
pub struct BorrowedRegion<'a, M>(&'a mut M);

impl<M> Deref for BorrowedRegion<'_, M> {
    type Target = M;

    fn deref(&self) -> &M {
        self.0
    }
}

// SAFETY: the region of the borrowed memory, borrowed for the same time.
unsafe impl<T: PlainData, M: CopySource<T>> CopySource<T> for BorrowedRegion<'_, M> {
    fn region(&self) -> Region<'_> {
        self.0.region()
    }
}

// SAFETY: the memory is borrowed exclusively.
unsafe impl<T: PlainData, M: CopyTarget<T>> CopyTarget<T> for BorrowedRegion<'_, M> {}

impl Graph {
    /// Moves pitched memory or an array into the graph, as [`keep`](Self::keep) does with
    /// contiguous memory.
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

    /// Returns access to the memory behind a token of [`keep_region`](Self::keep_region).
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the memory
    /// belongs to another graph.
    pub fn region<T, M: 'static>(
        &mut self,
        kept: KeptRegion<T, M>,
    ) -> Result<BorrowedRegion<'_, M>> {
        self.held
            .region(kept.part.number, "Graph::region")
            .map(BorrowedRegion)
    }

    /// Adds a copy of a rectangle or box between memory of the graph: pitched, linear, page-locked,
    /// or an array. It depends on the nodes in `after`.
    ///
    /// See [`cuGraphAddMemcpyNode`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html), [`cuMemcpy2DAsync`, `cuMemcpy3DAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the box is not
    /// within a side, if the two overlap, or if the memory belongs to another graph. Also returns
    /// the errors of [`add_empty`](Self::add_empty).
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
            // SAFETY: the graph and its nodes are alive. The graph owns both sides, and the box
            // lies within both.
            |node, graph, nodes, count| unsafe {
                sys::cuGraphAddMemcpyNode(node, graph, nodes, count, &copy, context)
            },
        )
    }
}

impl GraphExec {
    /// Returns access to the memory behind a token of [`Graph::keep_region`], between launches.
    ///
    /// If the memory belongs to no stream, this waits for the launches. Use of other memory is
    /// ordered by its stream, as usual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the memory
    /// belongs to another graph. If this waits, it returns the fault of a kernel.
    pub fn region<T: PlainData, M: CopySource<T> + 'static>(
        &mut self,
        kept: KeptRegion<T, M>,
    ) -> Result<BorrowedRegion<'_, M>> {
        const CALL: &str = "GraphExec::region";
        let memory: &mut M = self.held().region(kept.part.number, CALL)?;
        if memory.region().owner().stream().is_none() {
            self.wait()?;
        }
        self.held()
            .region(kept.part.number, CALL)
            .map(BorrowedRegion)
    }

    /// Changes the operands of a copy node. Earlier launches of the graph are not affected.
    ///
    /// Drivers can only change copies of one row to other copies of one row. For other rectangles
    /// or boxes, add one node for each, and choose among them with
    /// [`set_enabled`](Self::set_enabled).
    ///
    /// See [`cuGraphExecMemcpyNodeSetParams`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`Graph::add_region_copy`]. Returns the driver's error if host and
    /// device memory change roles, or if the driver cannot change such a copy. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are no elements.
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
            let text = "there are no elements. Fix: skip the node with GraphExec::set_enabled";
            Error::invalid(CALL, text)
        })?;
        // SAFETY: the graph owns both sides, and the box is within both.
        unsafe { self.set_raw_copy(node, &copy) }
    }
}

/// Returns the parameters of a copy, or `None` if there is nothing to copy.
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
    /// Returns the memory as rows and slices, for a copy of a rectangle or box. The memory may be
    /// longer than the layout needs.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the layout
    /// needs more memory, contradicts itself, or has a pitch that is not a multiple of the
    /// elements' alignment.
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
    /// Returns the memory as rows and slices, for a copy of a rectangle or box. The memory may be
    /// longer than the layout needs.
    ///
    /// # Errors
    /// Returns the errors of [`Part::pitched`].
    pub fn pitched(&self, layout: impl Into<Layout>) -> Result<PartRegion<M::Element>> {
        Part::from(*self).pitched(layout)
    }
}

impl<T, M> KeptRegion<T, M> {
    /// Returns the number of elements along each axis.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.part.place.extent()
    }

    /// Returns the address of pitched memory, or 0 for an array. It is valid as long as the graph
    /// keeps the memory.
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

impl<M: fmt::Debug> fmt::Debug for BorrowedRegion<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}
