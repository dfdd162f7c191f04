//! The sides of a copy: linear memory or an array.

use std::ffi::c_void;

use cuda_sys::{CUarray, CUdeviceptr};

use super::{extent::Extent, layout::Strides};
use crate::{
    memory::{
        device::DeviceMemory,
        plain::PlainData,
        storage::{Storage, StorageMut},
    },
    stream::owner::Owner,
};

/// The location and layout of the elements of one side.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// Device memory that starts at this address.
    Linear(CUdeviceptr, Strides),
    /// Host memory that starts at this address.
    Host(*mut c_void, Strides),
    /// An array with this extent. `element` is the size of an element in bytes.
    Array {
        array: CUarray,
        extent: Extent,
        element: usize,
        /// Whether the slices of the array are layers or faces.
        layers: bool,
    },
}

/// The description of one side of a copy: the location of its elements, their number along each
/// axis, and the owner of the memory. [`CopySource::region`] returns it.
#[derive(Clone, Copy, Debug)]
pub struct Region<'a> {
    pub(crate) place: Place,
    pub(crate) owner: Owner<'a>,
}

impl Place {
    pub(crate) fn extent(&self) -> Extent {
        match *self {
            Self::Linear(_, strides) | Self::Host(_, strides) => strides.extent,
            Self::Array { extent, .. } => extent,
        }
    }

    /// Returns the size of an element in bytes.
    pub(crate) fn element(&self) -> usize {
        match *self {
            Self::Linear(_, strides) | Self::Host(_, strides) => strides.element,
            Self::Array { element, .. } => element,
        }
    }
}

impl<'a> Region<'a> {
    /// Describes device memory of `extent` elements of type `T` without gaps, starting at `ptr`.
    /// Returns `None` if its size overflows.
    #[must_use]
    pub fn linear<T: PlainData>(
        ptr: CUdeviceptr,
        extent: impl Into<Extent>,
        owner: impl Into<Owner<'a>>,
    ) -> Option<Self> {
        let extent = extent.into();
        let strides = Strides::checked_dense(extent, size_of::<T>())?;
        Some(Self {
            place: Place::Linear(ptr, strides),
            owner: owner.into(),
        })
    }

    /// Describes an array of `extent` elements of type `T`. Layers or faces count as slices.
    #[must_use]
    pub fn array<T: PlainData>(
        array: CUarray,
        extent: impl Into<Extent>,
        owner: impl Into<Owner<'a>>,
    ) -> Self {
        Self {
            place: Place::Array {
                array,
                extent: extent.into(),
                element: size_of::<T>(),
                layers: false,
            },
            owner: owner.into(),
        }
    }

    /// Declares that the slices of the array are two-dimensional layers or faces of cubes.
    ///
    /// For a copy between layers of one array, drivers up to 580 report success but copy nothing.
    /// With this declaration, such a copy returns an error.
    #[must_use]
    pub fn with_layers(mut self) -> Self {
        if let Place::Array { layers, .. } = &mut self.place {
            *layers = true;
        }
        self
    }

    /// Returns the number of elements along each axis.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.place.extent()
    }

    /// Returns the owner of the memory.
    #[must_use]
    pub fn owner(&self) -> Owner<'a> {
        self.owner
    }
}

/// Device memory from which a [`RegionCopy`](crate::memory::RegionCopy) can copy: linear memory,
/// pitched memory or an array.
///
/// # Safety
/// The implementer must ensure that:
/// - the region is memory of the owner's context with the given number of elements of type `T`;
/// - the memory stays there as long as the object lives, and until all work has finished that
///   copies have enqueued on it, on the owner's stream if it has one, otherwise on any stream of
///   the context.
pub unsafe trait CopySource<T: PlainData> {
    /// Returns the description of the memory.
    fn region(&self) -> Region<'_>;
}

/// Device memory to which a [`RegionCopy`](crate::memory::RegionCopy) can write.
///
/// # Safety
/// The implementer must ensure that nothing else uses the memory while the object is borrowed
/// exclusively.
pub unsafe trait CopyTarget<T: PlainData>: CopySource<T> {}

// SAFETY: the region is a row of all elements. Storages promise the rest.
unsafe impl<S: Storage, T: PlainData> CopySource<T> for DeviceMemory<S, T> {
    fn region(&self) -> Region<'_> {
        Region {
            place: Place::Linear(
                self.as_device_ptr(),
                Strides::dense(self.len().into(), size_of::<T>()),
            ),
            owner: self.owner(),
        }
    }
}

// SAFETY: the storage is writable.
unsafe impl<S: StorageMut, T: PlainData> CopyTarget<T> for DeviceMemory<S, T> {}
