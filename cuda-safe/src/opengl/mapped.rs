//! OpenGL objects while they are mapped for CUDA.

use std::{array, fmt, mem, ptr, sync::Arc};

use cuda_sys::{self as sys, CUgraphicsResource};

use super::{explained, resource::GraphicsResource};
use crate::{
    array::{CudaArray, MipmappedArray},
    capture::{self, released},
    error::{Error, Result, fault::discarding_errors},
    memory::{DeviceView, DeviceViewMut, PlainData},
    stream::{Stream, Uncaptured},
};

/// Resources that are mapped for a stream. Until this is dropped or [unmapped](Self::unmap), only
/// CUDA may use them, and OpenGL must not.
///
/// Work of the stream after the mapping runs after earlier OpenGL commands. OpenGL commands after
/// the unmapping run after earlier work of the stream. The host does not wait.
///
/// Arrays of a mapped image can be cloned, and textures and surfaces hold them. While any of them
/// exists, the image cannot be unmapped: see [`is_held`](Self::is_held).
#[must_use = "the resources are mapped only as long as this lives"]
pub struct MappedResources<const N: usize> {
    resources: [GraphicsResource; N],
    stream: Stream,
    /// A reference count. Arrays hold references.
    held: Arc<()>,
    mapped: bool,
}

impl<const N: usize> MappedResources<N> {
    /// Maps resources for work on a stream, with one driver call.
    ///
    /// See [`cuGraphicsMapResources`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPHICS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_ALREADY_MAPPED` if one of them is already mapped. None of the others is
    /// then mapped. Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if
    /// there are no resources, if one is listed twice, if the stream belongs to another context or
    /// is being captured, or while this thread captures a stream. Returns
    /// `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT` if no OpenGL context is current on this thread.
    #[doc(alias = "cuGraphicsMapResources")]
    pub fn map(stream: &Stream, resources: [&GraphicsResource; N]) -> Result<Self> {
        const CALL: &str = "MappedResources::map";
        if N == 0 {
            return Err(Error::invalid(CALL, "`resources` is empty"));
        }
        let mut raw = resources.map(GraphicsResource::as_raw);
        for (i, resource) in resources.iter().enumerate() {
            let context = resource.context();
            context.expect_same(stream.context(), CALL, "the resource and the stream")?;
            if raw[..i].contains(&raw[i]) {
                return Err(Error::invalid(
                    CALL,
                    format!("{resource:?} is listed twice"),
                ));
            }
        }
        const REMEDY: &str = "map it before the capture";
        let _allowed = capture::reject_during_capture(CALL, REMEDY)?;
        let _uncaptured = stream.uncaptured(CALL, REMEDY)?;
        // SAFETY: the resources are live, `N` is their number, and the stream is live.
        let code =
            unsafe { sys::cuGraphicsMapResources(N as u32, raw.as_mut_ptr(), stream.as_raw()) };
        let done = stream.check("cuGraphicsMapResources", code);
        done.map_err(explained)?;
        for resource in resources {
            resource.note_stream(stream);
        }
        Ok(Self {
            resources: resources.map(GraphicsResource::clone),
            stream: stream.clone(),
            held: Arc::new(()),
            mapped: true,
        })
    }

    /// Returns access to the resources, in the order of `map`.
    pub fn each(&mut self) -> [MappedResource<'_>; N] {
        array::from_fn(|i| MappedResource {
            resource: &self.resources[i],
            stream: &self.stream,
            held: &self.held,
        })
    }

    /// Returns the stream for which they are mapped.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns whether an array of one of them still exists, or a texture or surface that holds
    /// one.
    #[must_use]
    pub fn is_held(&self) -> bool {
        Arc::strong_count(&self.held) > 1
    }

    /// Unmaps the resources with one driver call, so that OpenGL can use them again.
    ///
    /// Dropping does the same and discards the error. If the resources cannot be unmapped when this
    /// is dropped, they stay mapped and registered forever.
    ///
    /// See [`cuGraphicsUnmapResources`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPHICS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if an array, or a
    /// texture or surface of one, [still exists](Self::is_held), or if the stream is being
    /// captured. An array that is dropped during a stream capture, on any thread, exists until no
    /// stream is being captured. The error contains the resources, which are still mapped. **Take
    /// them out of the error** ([`UnmapError::mapped`]) and unmap them later. If you drop the
    /// error, or convert it to an [`Error`] with `?`, before the arrays are dropped, the resources
    /// stay mapped forever.
    ///
    /// Returns the fault of earlier work, or `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT` if no OpenGL
    /// context is current on this thread. The resources cannot be used any more in these cases:
    /// driver 580 on an H200 treats them neither as mapped nor as unmapped.
    #[doc(alias = "cuGraphicsUnmapResources")]
    pub fn unmap(mut self) -> Result<(), UnmapError<N>> {
        match self.expect_free() {
            Ok(_uncaptured) => self.try_unmap().map_err(|error| UnmapError {
                error,
                mapped: None,
            }),
            Err(error) if error.driver_code().is_some() => {
                self.leak();
                Err(UnmapError {
                    error,
                    mapped: None,
                })
            }
            Err(error) => Err(UnmapError {
                error,
                mapped: Some(self),
            }),
        }
    }

    /// Prevents captures from beginning on the stream until the result is dropped. Returns an error
    /// if the resources cannot be unmapped now.
    fn expect_free(&mut self) -> Result<Uncaptured> {
        const CALL: &str = "MappedResources::unmap";
        // `get_mut` synchronizes with threads that dropped arrays.
        if Arc::get_mut(&mut self.held).is_none() {
            return Err(Error::invalid(
                CALL,
                "an array of a mapped image, or a texture or surface of one, still exists. Fix: drop it, and unmap the \
                 resources in this error (UnmapError::mapped). They stay mapped forever if the error is dropped first",
            ));
        }
        let remedy = "unmap before or after the capture. The resources are in this error (UnmapError::mapped), and \
                      stay mapped forever if it is dropped first";
        self.stream.uncaptured(CALL, remedy)
    }

    /// Unmaps the resources, once.
    fn try_unmap(&mut self) -> Result<()> {
        let done = self.call_driver();
        match done {
            Ok(()) => self.mapped = false,
            Err(_) => self.leak(),
        }
        done
    }

    /// Leaks the resources, because resources that may be mapped must not be unregistered.
    fn leak(&mut self) {
        if mem::take(&mut self.mapped) {
            for resource in &self.resources {
                mem::forget(resource.clone());
            }
        }
    }

    fn call_driver(&self) -> Result<()> {
        let _current = self.stream.enter("cuGraphicsUnmapResources")?;
        let raw: [CUgraphicsResource; N] = array::from_fn(|i| self.resources[i].as_raw());
        let code = released(|| {
            let mut raw = raw;
            // SAFETY: the resources are live, `N` is their number, and they are mapped. The stream
            // is live, and no array of them exists.
            unsafe {
                sys::cuGraphicsUnmapResources(N as u32, raw.as_mut_ptr(), self.stream.as_raw())
            }
        });
        let done = self.stream.check("cuGraphicsUnmapResources", code);
        done.map_err(explained)
    }
}

impl<const N: usize> Drop for MappedResources<N> {
    fn drop(&mut self) {
        if !self.mapped {
            return;
        }
        // `drop` cannot return an error. `unmap` does. The call is never postponed, because
        // OpenGL's context is current only on this thread.
        match discarding_errors(|| self.expect_free()) {
            Ok(_uncaptured) => drop(discarding_errors(|| self.try_unmap())),
            Err(_) => self.leak(),
        }
    }
}

impl<const N: usize> fmt::Debug for MappedResources<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.resources).finish()
    }
}

/// The error of [`MappedResources::unmap`].
///
/// It converts to an [`Error`] without the resources. Resources that cannot be unmapped then stay
/// mapped and registered forever, so take them out first.
pub struct UnmapError<const N: usize> {
    /// The reason.
    pub error: Error,
    /// The resources, still mapped, or `None` if the driver returned an error. Dropping them unmaps
    /// them if that is possible by then, and otherwise leaves them mapped forever.
    pub mapped: Option<MappedResources<N>>,
}

impl<const N: usize> From<UnmapError<N>> for Error {
    fn from(failed: UnmapError<N>) -> Self {
        failed.error
    }
}

impl<const N: usize> fmt::Debug for UnmapError<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl<const N: usize> fmt::Display for UnmapError<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl<const N: usize> std::error::Error for UnmapError<N> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.error)
    }
}

/// One of the mapped resources. See [`MappedResources::each`].
#[derive(Debug)]
pub struct MappedResource<'a> {
    resource: &'a GraphicsResource,
    stream: &'a Stream,
    held: &'a Arc<()>,
}

impl<'a> MappedResource<'a> {
    /// Returns the resource.
    #[must_use]
    pub fn resource(&self) -> &'a GraphicsResource {
        self.resource
    }

    /// Returns the whole buffer object for reading, in the order of the stream for which it is
    /// mapped.
    ///
    /// See [`cuGraphicsResourceGetMappedPointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPHICS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NOT_MAPPED_AS_POINTER` for an image. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the size of the buffer
    /// is not a multiple of the element size, or if the buffer is not aligned for elements of this
    /// type.
    #[doc(alias = "cuGraphicsResourceGetMappedPointer")]
    pub fn memory<T: PlainData>(&self) -> Result<DeviceView<'_, T>> {
        let (ptr, len) = self.place::<T>()?;
        // SAFETY: the buffer has that many elements, and is mapped while the resources are
        // borrowed, in the stream's order.
        Ok(unsafe { DeviceView::borrow_raw(ptr, len, self.stream) })
    }

    /// Returns the whole buffer object for writing. See [`memory`](Self::memory).
    ///
    /// See [`cuGraphicsResourceGetMappedPointer`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPHICS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`memory`](Self::memory).
    #[doc(alias = "cuGraphicsResourceGetMappedPointer")]
    pub fn memory_mut<T: PlainData>(&mut self) -> Result<DeviceViewMut<'_, T>> {
        let (ptr, len) = self.place::<T>()?;
        // SAFETY: as above. The caller of the registration promised that nothing else uses it, and
        // it is borrowed exclusively.
        Ok(unsafe { DeviceViewMut::borrow_raw(ptr, len, self.stream) })
    }

    /// Returns the whole buffer object for writing, for as long as the resources are borrowed. See
    /// [`memory_mut`](Self::memory_mut).
    ///
    /// # Errors
    /// Returns the errors of [`memory`](Self::memory).
    pub fn into_memory<T: PlainData>(self) -> Result<DeviceViewMut<'a, T>> {
        let (ptr, len) = self.place::<T>()?;
        // SAFETY: as above. This object is consumed.
        Ok(unsafe { DeviceViewMut::borrow_raw(ptr, len, self.stream) })
    }

    /// Returns the address and the length.
    fn place<T>(&self) -> Result<(sys::CUdeviceptr, usize)> {
        let (mut ptr, mut bytes) = (0, 0);
        let _current = self.stream.enter("cuGraphicsResourceGetMappedPointer_v2")?;
        // SAFETY: both are valid for the writes, and the resource is live.
        let code = unsafe {
            sys::cuGraphicsResourceGetMappedPointer_v2(&mut ptr, &mut bytes, self.resource.as_raw())
        };
        let done = self
            .stream
            .check("cuGraphicsResourceGetMappedPointer_v2", code);
        done.map_err(explained)?;
        elements::<T>(ptr, bytes).map(|len| (ptr, len))
    }

    /// Returns the array of one layer or face and one level of an image. If the image has no layers
    /// or levels, use 0.
    ///
    /// Images without layers were tested in both directions. With a
    /// [`TEXTURE_2D_ARRAY`](super::ImageTarget::TEXTURE_2D_ARRAY), OpenGL did not see texels that
    /// were copied to the arrays of single layers (H200, driver 580).
    ///
    /// See [`cuGraphicsSubResourceGetMappedArray`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPHICS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NOT_MAPPED_AS_ARRAY` for a buffer. Returns `CUDA_ERROR_INVALID_VALUE` if
    /// the level or layer does not exist.
    #[doc(alias = "cuGraphicsSubResourceGetMappedArray")]
    pub fn array(&self, layer: u32, level: u32) -> Result<CudaArray> {
        let mut raw = ptr::null_mut();
        let current = self.stream.enter("cuGraphicsSubResourceGetMappedArray")?;
        // SAFETY: `raw` is valid for the write, and the resource is live.
        let code = unsafe {
            sys::cuGraphicsSubResourceGetMappedArray(&mut raw, self.resource.as_raw(), layer, level)
        };
        let done = self
            .stream
            .check("cuGraphicsSubResourceGetMappedArray", code);
        done.map_err(|error| explain_missing_part(error, layer, level))?;
        drop(current);
        // SAFETY: the array is live while the image is mapped, and `held` keeps it mapped.
        unsafe { CudaArray::held(self.stream, raw, self.held.clone()) }
    }

    /// Returns all levels of an image. If the image has several, driver 580 on an H200 returns as
    /// many levels as its size allows, even if OpenGL has not defined them.
    ///
    /// See [`cuGraphicsResourceGetMappedMipmappedArray`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPHICS.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NOT_MAPPED_AS_ARRAY` for a buffer.
    #[doc(alias = "cuGraphicsResourceGetMappedMipmappedArray")]
    pub fn mipmapped(&self) -> Result<MipmappedArray> {
        let mut raw = ptr::null_mut();
        let current = self
            .stream
            .enter("cuGraphicsResourceGetMappedMipmappedArray")?;
        // SAFETY: `raw` is valid for the write, and the resource is live.
        let code = unsafe {
            sys::cuGraphicsResourceGetMappedMipmappedArray(&mut raw, self.resource.as_raw())
        };
        let done = self
            .stream
            .check("cuGraphicsResourceGetMappedMipmappedArray", code);
        done.map_err(explained)?;
        drop(current);
        // SAFETY: the array is live while the image is mapped, and `held` keeps it mapped.
        unsafe { MipmappedArray::held(self.stream, raw, self.held.clone()) }
    }
}

/// Returns the number of elements in the bytes at an address.
fn elements<T>(ptr: sys::CUdeviceptr, bytes: usize) -> Result<usize> {
    const CALL: &str = "MappedResource::memory";
    let (size, align) = (size_of::<T>(), align_of::<T>());
    if size == 0 || !bytes.is_multiple_of(size) {
        return Err(Error::invalid(
            CALL,
            format!(
                "the buffer has {bytes} bytes, which is not a multiple of the element size of {size} bytes"
            ),
        ));
    }
    if !ptr.is_multiple_of(align as sys::CUdeviceptr) {
        return Err(Error::invalid(
            CALL,
            format!(
                "the buffer is at {ptr:#x}, but elements must be at multiples of {align} bytes"
            ),
        ));
    }
    Ok(bytes / size)
}

#[cold]
fn explain_missing_part(error: Error, layer: u32, level: u32) -> Error {
    if error.driver_code() != Some(sys::CUresult::CUDA_ERROR_INVALID_VALUE) {
        return explained(error);
    }
    error.with_detail(format!(
        "the image has no layer {layer} with a level {level}"
    ))
}

#[cfg(test)]
mod tests {
    use super::elements;

    #[test]
    fn elements_rejects_partial_and_misaligned_memory() {
        assert_eq!(elements::<f32>(0x1000, 40).unwrap(), 10);
        assert_eq!(elements::<u8>(0x1001, 3).unwrap(), 3);
        assert_eq!(elements::<[u64; 2]>(0x1000, 0).unwrap(), 0);
        for rejected in [
            elements::<f32>(0x1000, 41),
            elements::<f32>(0x1002, 40),
            elements::<()>(0x1000, 40),
        ] {
            let error = rejected.unwrap_err();
            assert_eq!(error.call(), "MappedResource::memory");
        }
    }
}
