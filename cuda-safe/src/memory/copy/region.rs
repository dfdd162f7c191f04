//! What the sides of a copy are: linear memory with its distances, or an array.

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

/// Where the elements of a side lie.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// Linear memory of the device, from this address on.
    Linear(CUdeviceptr, Strides),
    /// Memory of the host, from this address on.
    Host(*mut c_void, Strides),
    /// An array of this extent, of elements of so many bytes.
    Array {
        array: CUarray,
        extent: Extent,
        element: usize,
        /// Whether its slices are layers or faces.
        layers: bool,
    },
}

/// What a side of a copy says of itself: where its elements lie, how many there are along each axis, and what the memory
/// belongs to. [`CopySource::region`] returns it.
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

    /// Bytes of an element.
    pub(crate) fn element(&self) -> usize {
        match *self {
            Self::Linear(_, strides) | Self::Host(_, strides) => strides.element,
            Self::Array { element, .. } => element,
        }
    }
}

impl<'a> Region<'a> {
    /// Rows of device memory without gaps: `extent` elements of type `T` from `ptr` on. `None` where their size can't be
    /// counted.
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

    /// An array of `extent` elements of type `T`: of layers or faces, as many as slices.
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

    /// The slices of the array are layers of two dimensions, or faces of cubes. From one of them to another of the same
    /// array, drivers up to 580 report success and copy nothing: with this, such a copy is refused.
    #[must_use]
    pub fn of_layers(mut self) -> Self {
        if let Place::Array { layers, .. } = &mut self.place {
            *layers = true;
        }
        self
    }

    /// How many elements there are along each axis.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.place.extent()
    }

    /// What the memory belongs to.
    #[must_use]
    pub fn owner(&self) -> Owner<'a> {
        self.owner
    }
}

/// Memory of a device, of which a [`RegionCopy`](crate::memory::RegionCopy) copies a part: linear, pitched, or an array.
///
/// # Safety
/// The region is memory of the owner's context, with that many elements of type `T`. It stays there for as long as this
/// object lives, and until the work is over that copies have enqueued on it: on the owner's stream if there is one,
/// otherwise on any stream of the context.
pub unsafe trait CopySource<T: PlainData> {
    /// Where the elements lie.
    fn region(&self) -> Region<'_>;
}

/// Memory of a device that a [`RegionCopy`](crate::memory::RegionCopy) can write to.
///
/// # Safety
/// While this object is borrowed exclusively, nothing else uses the memory.
pub unsafe trait CopyTarget<T: PlainData>: CopySource<T> {}

// SAFETY: a row of as many elements as there are; the rest is what storages promise.
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

// SAFETY: as what may be written promises.
unsafe impl<S: StorageMut, T: PlainData> CopyTarget<T> for DeviceMemory<S, T> {}
