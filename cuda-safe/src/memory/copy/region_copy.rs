//! Copies of rectangles and boxes between linear, pitched and host memory, arrays and other
//! devices.

use std::marker::PhantomData;

use cuda_sys::CUdeviceptr;

use super::{
    explained_write,
    extent::{Extent, Offset, expect_within},
    is_between_devices,
    layout::Layout,
    region::{CopySource, CopyTarget, Place, Region},
    region_call::{BoxCopy, Side},
};
use crate::{
    error::{Error, Result},
    memory::plain::PlainData,
    stream::{Stream, Uncaptured, owner::Owner, settle::HostRange},
};

/// A copy of a rectangle or box: its size, and where it begins on each side.
///
/// You pass the sides when you make the copy. Each can be linear memory
/// ([`DeviceMemory`](crate::DeviceMemory), which is one row), pitched memory
/// ([`PitchedMemory`](crate::memory::PitchedMemory)), an array, or host memory. Device sides can be
/// on different devices. Both sides are checked before the driver call.
///
/// | method | copy |
/// | --- | --- |
/// | [`enqueue`](Self::enqueue) | from device to device; does not wait |
/// | [`upload`](Self::upload), [`download`](Self::download) | from and to borrowed host memory; waits |
/// | [`Scope::upload_region`](crate::memory::Scope::upload_region), [`Scope::download_region`](crate::memory::Scope::download_region) | the same, but waits at the end of a scope |
/// | [`Stream::upload_region`], [`Stream::download_region`] | from and to page-locked memory, which the transfer owns meanwhile |
/// | [`Graph::add_region_copy`](crate::Graph::add_region_copy) | as a node of a graph |
///
/// ```
/// use cuda_safe::{Context, memory::{HostRegion, HostRegionMut, PitchedBuffer, RegionCopy}, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let mut image = PitchedBuffer::<u32>::zeroed(&stream, [4, 3])?;
/// let host = [
///     1, 2, 3, //
///     4, 5, 6,
/// ];
/// // Copies the two right columns of `host` into the middle of the image.
/// let copy = RegionCopy::new([2, 2]).source_at([1, 0]).target_at([1, 1]);
/// copy.upload(&stream, &mut image, HostRegion::new(&host, [3, 2])?)?;
/// assert_eq!(image.to_vec(&stream)?, [0, 0, 0, 0, 0, 2, 3, 0, 0, 5, 6, 0]);
///
/// let mut column = [0; 3];
/// let copy = RegionCopy::new([1, 3]).source_at(2);
/// copy.download(&stream, HostRegionMut::new(&mut column, [1, 3])?, &image)?;
/// assert_eq!(column, [0, 3, 6]);
///
/// let error = RegionCopy::new([4, 2]).source_at([0, 2]).download(
///     &stream, HostRegionMut::new(&mut [0; 8], [4, 2])?, &image).unwrap_err();
/// assert!(error.to_string().contains("the source has 3 rows (axis y)"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "a description alone copies nothing"]
pub struct RegionCopy {
    extent: Extent,
    source: Offset,
    target: Offset,
}

/// Borrowed host memory as the source of a copy: a slice seen as rows and slices.
#[derive(Clone, Copy, Debug)]
pub struct HostRegion<'a, T> {
    pub(in crate::memory) place: Place,
    pub(in crate::memory) range: HostRange,
    host: PhantomData<&'a [T]>,
}

/// Borrowed host memory as the destination of a copy: a slice seen as rows and slices.
#[derive(Debug)]
pub struct HostRegionMut<'a, T> {
    pub(in crate::memory) place: Place,
    pub(in crate::memory) range: HostRange,
    host: PhantomData<&'a mut [T]>,
}

/// Checks a layout of host memory, and returns its location.
pub(crate) fn host_place<T>(host: *mut [T], layout: Layout, call: &'static str) -> Result<Place> {
    let bytes = host.len() * size_of::<T>();
    let strides = layout.aligned::<T>(bytes, "the host memory", call)?;
    Ok(Place::Host(host.cast(), strides))
}

impl<'a, T: PlainData> HostRegion<'a, T> {
    /// Describes a host slice as rows and slices. It may be longer than the layout needs.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the layout is
    /// inconsistent or needs more elements, or if its pitch is not a multiple of the alignment of
    /// `T`.
    pub fn new(host: &'a [T], layout: impl Into<Layout>) -> Result<Self> {
        let (host, layout) = (std::ptr::from_ref(host).cast_mut(), layout.into());
        Ok(Self {
            place: host_place(host, layout, "HostRegion::new")?,
            range: HostRange::of(host),
            host: PhantomData,
        })
    }
}

impl<'a, T: PlainData> HostRegionMut<'a, T> {
    /// Describes a host slice as rows and slices, for writing. It may be longer than the layout
    /// needs.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the layout is
    /// inconsistent or needs more elements, or if its pitch is not a multiple of the alignment of
    /// `T`.
    pub fn new(host: &'a mut [T], layout: impl Into<Layout>) -> Result<Self> {
        Ok(Self {
            range: HostRange::of(&*host),
            place: host_place(host, layout.into(), "HostRegionMut::new")?,
            host: PhantomData,
        })
    }
}

impl RegionCopy {
    /// Creates a copy of `extent` elements, rows and slices, which begins at the start of both
    /// sides.
    pub fn new(extent: impl Into<Extent>) -> Self {
        Self {
            extent: extent.into(),
            source: Offset::default(),
            target: Offset::default(),
        }
    }

    /// Sets where the box begins in the source.
    pub fn source_at(mut self, at: impl Into<Offset>) -> Self {
        self.source = at.into();
        self
    }

    /// Sets where the box begins in the destination.
    pub fn target_at(mut self, at: impl Into<Offset>) -> Self {
        self.target = at.into();
        self
    }

    /// Returns the size of the box.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Enqueues the copy from device to device.
    ///
    /// The two sides can belong to different contexts or devices. They need no peer access, and the
    /// stream can belong to either. The host does not wait, unless the memory belongs to another
    /// context but to no stream.
    ///
    /// See [`cuMemcpy2D`, `cuMemcpy2DAsync`, `cuMemcpy3D`, `cuMemcpy3DAsync`, `cuMemcpy3DPeer`, `cuMemcpy3DPeerAsync`, `cuMemcpyPeer`, `cuMemcpyPeerAsync`, `cuMemcpyAtoA`, `cuMemcpyAtoD`, `cuMemcpyDtoA`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the box is out
    /// of bounds (the message names the side, the axis and the numbers), if the sides overlap, or
    /// if the stream is capturing and the copy is between devices or has to wait. Returns
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a copy between layers or faces
    /// of one array, because drivers up to 580 report success but copy nothing. Also returns an
    /// error if the context is unusable after a fault.
    #[doc(alias = "cuMemcpy2D")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3D")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cuMemcpy3DPeer")]
    #[doc(alias = "cuMemcpy3DPeerAsync")]
    #[doc(alias = "cuMemcpyPeer")]
    #[doc(alias = "cuMemcpyPeerAsync")]
    #[doc(alias = "cuMemcpyAtoA")]
    #[doc(alias = "cuMemcpyAtoD")]
    #[doc(alias = "cuMemcpyDtoA")]
    pub fn enqueue<T: PlainData>(
        self,
        stream: &Stream,
        target: &mut impl CopyTarget<T>,
        source: &impl CopySource<T>,
    ) -> Result<()> {
        const CALL: &str = "RegionCopy::enqueue";
        let (to, from) = (target.region(), source.region());
        let Some(copy) = self.between::<T>(to.place, from.place, CALL)? else {
            return Ok(());
        };
        let here = stream.context();
        // The host waits if a stream cannot be made to wait.
        let foreign = |region: &Region<'_>| matches!(region.owner, Owner::Context(context) if context != here);
        let waits = foreign(&to) || foreign(&from);
        let _uncaptured = match waits {
            true => Some(stream.enter_to_wait(CALL)?),
            false => None,
        };
        let between = is_between_devices(stream, [to.owner, from.owner]);
        let _uncaptured_too = match between {
            true => Some(expect_no_capture(stream, CALL)?),
            false => None,
        };
        let owners = [&to, &from].into_iter().filter(|side| !foreign(side));
        let enqueued = stream.ordered(CALL, owners.map(|side| side.owner), || {
            let (to, from) = (to.owner.context(), from.owner.context());
            // SAFETY: the box is within memory of these contexts, and the copy is ordered with its
            // other uses.
            unsafe {
                match between {
                    false => copy.enqueue(stream),
                    true => copy.enqueue_between(stream, to, from),
                }
            }
        });
        if !waits {
            return enqueued;
        }
        let waited = stream.settle().or_abort();
        enqueued.and(waited)
    }

    /// Copies from the host to the device, and waits until the host memory has been read.
    ///
    /// See [`cuMemcpy2D`, `cuMemcpy2DUnaligned`, `cuMemcpy2DAsync`, `cuMemcpy3D`, `cuMemcpy3DAsync`, `cuMemcpyHtoA`, `cuMemcpyHtoAAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`enqueue`](Self::enqueue). Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the stream is
    /// capturing. Returns an error if work enqueued earlier has faulted.
    #[doc(alias = "cuMemcpy2D")]
    #[doc(alias = "cuMemcpy2DUnaligned")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3D")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cuMemcpyHtoA")]
    #[doc(alias = "cuMemcpyHtoAAsync")]
    pub fn upload<T: PlainData>(
        self,
        stream: &Stream,
        target: &mut impl CopyTarget<T>,
        source: HostRegion<'_, T>,
    ) -> Result<()> {
        const CALL: &str = "RegionCopy::upload";
        let _current = stream.enter_to_wait(CALL)?;
        // SAFETY: the memory stays borrowed until the wait below has finished, even after a
        // failure.
        let enqueued = unsafe { self.upload_enqueue(stream, target, source.place, CALL) };
        let waited = stream.end_borrow([source.range]);
        enqueued.and(waited)
    }

    /// Copies from the device to the host, and waits for the copy.
    ///
    /// See [`cuMemcpy2D`, `cuMemcpy2DUnaligned`, `cuMemcpy2DAsync`, `cuMemcpy3D`, `cuMemcpy3DAsync`, `cuMemcpyAtoH`, `cuMemcpyAtoHAsync`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the box is out
    /// of bounds of a side, or if the stream is capturing. Returns an error if work enqueued
    /// earlier has faulted.
    #[doc(alias = "cuMemcpy2D")]
    #[doc(alias = "cuMemcpy2DUnaligned")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3D")]
    #[doc(alias = "cuMemcpy3DAsync")]
    #[doc(alias = "cuMemcpyAtoH")]
    #[doc(alias = "cuMemcpyAtoHAsync")]
    pub fn download<T: PlainData>(
        self,
        stream: &Stream,
        target: HostRegionMut<'_, T>,
        source: &impl CopySource<T>,
    ) -> Result<()> {
        const CALL: &str = "RegionCopy::download";
        let _current = stream.enter_to_wait(CALL)?;
        let range = target.range;
        // SAFETY: the memory stays exclusively borrowed until the wait below has finished, even
        // after a failure.
        let enqueued = unsafe { self.download_enqueue(stream, target.place, source, CALL) };
        let waited = stream.end_borrow([range]);
        enqueued.and(waited)
    }

    /// Enqueues a copy from the host.
    ///
    /// # Safety
    /// The caller must ensure that the host memory stays readable until the copy has finished.
    pub(in crate::memory) unsafe fn upload_enqueue<T: PlainData>(
        self,
        stream: &Stream,
        target: &mut impl CopyTarget<T>,
        source: Place,
        call: &'static str,
    ) -> Result<()> {
        let to = target.region();
        let Some(copy) = self.between::<T>(to.place, source, call)? else {
            return Ok(());
        };
        // SAFETY: the box is within the owner's memory, and the copy is ordered with its other
        // uses. The caller promises the host memory.
        stream.ordered(call, [to.owner], || unsafe {
            with_host(copy, stream, to.owner)
        })
    }

    /// Enqueues a copy to the host.
    ///
    /// # Safety
    /// The caller must ensure that until the copy has finished, the host memory stays writable and
    /// nothing reads it.
    pub(in crate::memory) unsafe fn download_enqueue<T: PlainData>(
        self,
        stream: &Stream,
        target: Place,
        source: &impl CopySource<T>,
        call: &'static str,
    ) -> Result<()> {
        let from = source.region();
        let Some(copy) = self.between::<T>(target, from.place, call)? else {
            return Ok(());
        };
        // SAFETY: as above.
        let enqueued = stream.ordered(call, [from.owner], || unsafe {
            with_host(copy, stream, from.owner)
        });
        match copy.to {
            Side::Host(host, _) => explained_write(enqueued, stream, host.addr() as CUdeviceptr),
            _ => enqueued,
        }
    }

    /// Checks the copy between two places, and returns `None` if there is nothing to copy.
    pub(crate) fn between<T: PlainData>(
        self,
        to: Place,
        from: Place,
        call: &'static str,
    ) -> Result<Option<BoxCopy>> {
        let layers = matches!(from, Place::Array { layers: true, .. });
        let from = self.side::<T>(from, self.source, "the source", call)?;
        let to = self.side::<T>(to, self.target, "the destination", call)?;
        let copy = BoxCopy::new(to, from, self.extent, size_of::<T>());
        match copy {
            Some(copy) if layers && copy.moves_between_slices() => Err(Error::checked(
                crate::error::ErrorKind::Unsupported,
                call,
                "the driver reports success for a copy between layers of one array, but copies nothing. Fix: copy \
                 through a DeviceBuffer or a PitchedBuffer",
            )),
            Some(copy) if copy.overlaps() => Err(Error::invalid(
                call,
                format!("the source and the destination overlap: {copy}"),
            )),
            copy => Ok(copy),
        }
    }

    /// Returns the side of the box in a place, or an error if it is out of bounds.
    fn side<T: PlainData>(
        self,
        place: Place,
        at: Offset,
        what: &str,
        call: &'static str,
    ) -> Result<Side> {
        let (extent, element) = (place.extent(), place.element());
        expect_within(what, at, self.extent, extent, call)?;
        if element != size_of::<T>() {
            return Err(Error::invalid(
                call,
                format!(
                    "{what} has elements of {element} bytes, but the copy has elements of {} bytes",
                    size_of::<T>()
                ),
            ));
        }
        if self.extent.is_empty() {
            return Ok(Side::Nothing);
        }
        Ok(match place {
            Place::Linear(ptr, strides) => {
                Side::Device(ptr + strides.offset(at) as u64, strides.part(self.extent))
            }
            // The box is within the memory.
            Place::Host(ptr, strides) => Side::Host(
                ptr.wrapping_byte_add(strides.offset(at)),
                strides.part(self.extent),
            ),
            Place::Array { array, .. } => Side::Array(array, at.x * element, at.y, at.z),
        })
    }
}

/// Enqueues a copy between the host and the owner's memory, which can be on another device than the
/// stream.
///
/// # Safety
/// The same as for [`BoxCopy::enqueue`].
unsafe fn with_host(copy: BoxCopy, stream: &Stream, owner: Owner<'_>) -> Result<()> {
    // SAFETY: the caller promises this.
    unsafe {
        match is_between_devices(stream, [owner; 2]) {
            false => copy.enqueue(stream),
            true => copy.enqueue_between(stream, owner.context(), owner.context()),
        }
    }
}

/// Rejects copies between devices while the stream is capturing. Graphs have no nodes for such
/// copies, and the driver would end the capture.
pub(in crate::memory) fn expect_no_capture(
    stream: &Stream,
    call: &'static str,
) -> Result<Uncaptured> {
    stream.uncaptured(call, "make the copy between devices outside of the capture")
}
