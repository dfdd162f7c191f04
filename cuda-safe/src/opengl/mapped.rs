//! Objects of OpenGL while they are CUDA's.

use std::{array, fmt, mem, ptr, sync::Arc};

use cuda_sys::{self as sys, CUgraphicsResource};

use super::{explained, resource::GraphicsResource};
use crate::{
    array::{CudaArray, MipmappedArray},
    capture::{self, released},
    error::{Error, Result, fault::unheard},
    memory::{DeviceView, DeviceViewMut, PlainData},
    stream::{Stream, Uncaptured},
};

/// Resources that are mapped for a stream: they are CUDA's until this is dropped or [unmapped](Self::unmap), and OpenGL must
/// not use them.
///
/// What OpenGL was told before the mapping comes before what the stream is given afterwards; what the stream was given
/// before the unmapping comes before what OpenGL is told afterwards. The host does not wait.
///
/// Arrays of a mapped image may be cloned, and textures and surfaces hold them. As long as any of them is there, the image
/// can't be given back: see [`is_held`](Self::is_held).
#[must_use = "the resources are mapped only as long as this lives"]
pub struct MappedResources<const N: usize> {
    resources: [GraphicsResource; N],
    stream: Stream,
    /// Arrays hold it.
    held: Arc<()>,
    mapped: bool,
}

impl<const N: usize> MappedResources<N> {
    /// Maps resources for work on a stream, by one driver call.
    ///
    /// # Errors
    /// `CUDA_ERROR_ALREADY_MAPPED` where one of them is mapped; none of the others is mapped then.
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for no resources, for one that is there twice, and
    /// for a stream of another context. `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT` where no OpenGL context is current on this
    /// thread. The stream is being captured, or a stream is by this thread.
    #[doc(alias = "cuGraphicsMapResources")]
    pub fn map(stream: &Stream, resources: [&GraphicsResource; N]) -> Result<Self> {
        const CALL: &str = "MappedResources::map";
        if N == 0 {
            return Err(Error::invalid(CALL, "there is nothing to map"));
        }
        let mut raw = resources.map(GraphicsResource::as_raw);
        for (i, resource) in resources.iter().enumerate() {
            let context = resource.context();
            context.expect_same(stream.context(), CALL, "the resource and the stream")?;
            if raw[..i].contains(&raw[i]) {
                return Err(Error::invalid(CALL, format!("{resource:?} is there twice")));
            }
        }
        const REMEDY: &str = "map it before the capture";
        let _allowed = capture::refuse_here(CALL, REMEDY)?;
        let _uncaptured = stream.uncaptured(CALL, REMEDY)?;
        // SAFETY: live resources, as many as that; the stream is live.
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

    /// Each of the resources, in the order in which they were named.
    pub fn each(&mut self) -> [MappedResource<'_>; N] {
        array::from_fn(|i| MappedResource {
            resource: &self.resources[i],
            stream: &self.stream,
            held: &self.held,
        })
    }

    /// The stream that they are mapped for.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns whether an array of one of them is still there, or a texture or surface that holds
    /// one.
    #[must_use]
    pub fn is_held(&self) -> bool {
        Arc::strong_count(&self.held) > 1
    }

    /// Gives the resources back to OpenGL, by one driver call, and reports whether that worked. Dropping does the same, and
    /// discards the error; where it doesn't work, the resources stay CUDA's, and registered, for ever.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where an array is [still there](Self::is_held), or a
    /// texture or surface of one: one that is dropped while a stream is being captured, on whatever thread, goes when none is
    /// any more. The stream is being captured. The error carries the resources then, mapped as they were: **take them out of
    /// it** ([`UnmapError::mapped`]), and unmap them later. Where the error is dropped, or turned into an [`Error`] by `?`,
    /// before the arrays are, the resources stay CUDA's for ever.
    ///
    /// The fault of work that was enqueued earlier. `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT` where no OpenGL context is current
    /// on this thread. The resources can't be used any more then: an H200's driver (580) takes them neither for mapped nor for
    /// unmapped.
    #[doc(alias = "cuGraphicsUnmapResources")]
    pub fn unmap(mut self) -> Result<(), UnmapError<N>> {
        match self.expect_free() {
            Ok(_uncaptured) => self.give_back().map_err(|error| UnmapError {
                error,
                mapped: None,
            }),
            Err(error) if error.driver_code().is_some() => {
                self.leave();
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

    /// Keeps captures from beginning on the stream until the result is dropped. Returns an error if the resources can't be
    /// given back now.
    fn expect_free(&mut self) -> Result<Uncaptured> {
        const CALL: &str = "MappedResources::unmap";
        // What others did with arrays comes before.
        if Arc::get_mut(&mut self.held).is_none() {
            return Err(Error::invalid(
                CALL,
                "an array of a mapped image is still there, or a texture or surface of one: drop them, and unmap then the \
                 resources that this error carries (UnmapError::mapped), which stay CUDA's for ever if it is dropped first",
            ));
        }
        let remedy = "unmap before the capture, or after it: the resources are in this error (UnmapError::mapped), and \
                      stay CUDA's for ever if it is dropped before";
        self.stream.uncaptured(CALL, remedy)
    }

    /// What is free is given back, once.
    fn give_back(&mut self) -> Result<()> {
        let done = self.call_driver();
        match done {
            Ok(()) => self.mapped = false,
            Err(_) => self.leave(),
        }
        done
    }

    /// What may be mapped must not be unregistered.
    fn leave(&mut self) {
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
            // SAFETY: live resources, as many as that, which were mapped and not unmapped; the stream is live, and no
            // array of them is left.
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
        // An error here can't be acted upon; `unmap` reports it. This is never put off: OpenGL's context is current on this
        // thread alone.
        match unheard(|| self.expect_free()) {
            Ok(_uncaptured) => drop(unheard(|| self.give_back())),
            Err(_) => self.leave(),
        }
    }
}

impl<const N: usize> fmt::Debug for MappedResources<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.resources).finish()
    }
}

/// Why resources were not unmapped: see [`MappedResources::unmap`]. It turns into an [`Error`], without the resources: those
/// that still can't be given back then stay CUDA's, and registered, for ever. Take them out before.
pub struct UnmapError<const N: usize> {
    /// What went wrong.
    pub error: Error,
    /// The resources, mapped as they were, unless the driver has refused. Dropping them gives back what can be given back by
    /// then, and leaves the rest to CUDA for ever.
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

/// One of the resources that are mapped: see [`MappedResources::each`].
#[derive(Debug)]
pub struct MappedResource<'a> {
    resource: &'a GraphicsResource,
    stream: &'a Stream,
    held: &'a Arc<()>,
}

impl<'a> MappedResource<'a> {
    /// The resource itself.
    #[must_use]
    pub fn resource(&self) -> &'a GraphicsResource {
        self.resource
    }

    /// The whole of a buffer object, for reading, in the order of the stream that it is mapped for.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_MAPPED_AS_POINTER` for an image.
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a buffer whose bytes are no whole number of
    /// elements, or that doesn't lie as elements of this type have to.
    #[doc(alias = "cuGraphicsResourceGetMappedPointer")]
    pub fn memory<T: PlainData>(&self) -> Result<DeviceView<'_, T>> {
        let (ptr, len) = self.place::<T>()?;
        // SAFETY: mapped for as long as the resources are borrowed, of that many elements, in the stream's order.
        Ok(unsafe { DeviceView::borrow_raw(ptr, len, self.stream) })
    }

    /// As [`memory`](Self::memory), for writing.
    ///
    /// # Errors
    /// Returns the errors of [`memory`](Self::memory).
    #[doc(alias = "cuGraphicsResourceGetMappedPointer")]
    pub fn memory_mut<T: PlainData>(&mut self) -> Result<DeviceViewMut<'_, T>> {
        let (ptr, len) = self.place::<T>()?;
        // SAFETY: as above; whoever registered it promised that nothing else uses it, and this is borrowed exclusively.
        Ok(unsafe { DeviceViewMut::borrow_raw(ptr, len, self.stream) })
    }

    /// As [`memory_mut`](Self::memory_mut), for as long as the resources are borrowed.
    ///
    /// # Errors
    /// Returns the errors of [`memory`](Self::memory).
    pub fn into_memory<T: PlainData>(self) -> Result<DeviceViewMut<'a, T>> {
        let (ptr, len) = self.place::<T>()?;
        // SAFETY: as above; this is gone.
        Ok(unsafe { DeviceViewMut::borrow_raw(ptr, len, self.stream) })
    }

    /// Address and length.
    fn place<T>(&self) -> Result<(sys::CUdeviceptr, usize)> {
        let (mut ptr, mut bytes) = (0, 0);
        let _current = self.stream.enter("cuGraphicsResourceGetMappedPointer_v2")?;
        // SAFETY: both are valid for the writes; the resource is live.
        let code = unsafe {
            sys::cuGraphicsResourceGetMappedPointer_v2(&mut ptr, &mut bytes, self.resource.as_raw())
        };
        let done = self
            .stream
            .check("cuGraphicsResourceGetMappedPointer_v2", code);
        done.map_err(explained)?;
        elements::<T>(ptr, bytes).map(|len| (ptr, len))
    }

    /// The array of one level of an image, and of one layer or face. What has none of them has one, number 0.
    ///
    /// Images without layers have been tried both ways. What was copied to the arrays of the single layers of a
    /// [`TEXTURE_2D_ARRAY`](super::ImageTarget::TEXTURE_2D_ARRAY) was not there when OpenGL read the texture (H200, driver 580).
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_MAPPED_AS_ARRAY` for a buffer. `CUDA_ERROR_INVALID_VALUE` for a level or layer that isn't there.
    #[doc(alias = "cuGraphicsSubResourceGetMappedArray")]
    pub fn array(&self, layer: u32, level: u32) -> Result<CudaArray> {
        let mut raw = ptr::null_mut();
        let current = self.stream.enter("cuGraphicsSubResourceGetMappedArray")?;
        // SAFETY: `raw` is valid for the write; the resource is live.
        let code = unsafe {
            sys::cuGraphicsSubResourceGetMappedArray(&mut raw, self.resource.as_raw(), layer, level)
        };
        let done = self
            .stream
            .check("cuGraphicsSubResourceGetMappedArray", code);
        done.map_err(|error| no_part(error, layer, level))?;
        drop(current);
        // SAFETY: there as long as it is mapped, which what is held sees to.
        unsafe { CudaArray::held(self.stream, raw, self.held.clone()) }
    }

    /// All levels of an image. Where it has several, an H200's driver (580) shows as many as its size allows, whether OpenGL
    /// has given them or not.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_MAPPED_AS_ARRAY` for a buffer.
    #[doc(alias = "cuGraphicsResourceGetMappedMipmappedArray")]
    pub fn mipmapped(&self) -> Result<MipmappedArray> {
        let mut raw = ptr::null_mut();
        let current = self
            .stream
            .enter("cuGraphicsResourceGetMappedMipmappedArray")?;
        // SAFETY: `raw` is valid for the write; the resource is live.
        let code = unsafe {
            sys::cuGraphicsResourceGetMappedMipmappedArray(&mut raw, self.resource.as_raw())
        };
        let done = self
            .stream
            .check("cuGraphicsResourceGetMappedMipmappedArray", code);
        done.map_err(explained)?;
        drop(current);
        // SAFETY: there as long as it is mapped, which what is held sees to.
        unsafe { MipmappedArray::held(self.stream, raw, self.held.clone()) }
    }
}

/// How many elements the bytes at an address are.
fn elements<T>(ptr: sys::CUdeviceptr, bytes: usize) -> Result<usize> {
    const CALL: &str = "MappedResource::memory";
    let (size, align) = (size_of::<T>(), align_of::<T>());
    if size == 0 || !bytes.is_multiple_of(size) {
        return Err(Error::invalid(
            CALL,
            format!("the buffer has {bytes} bytes: no whole number of elements of {size} bytes"),
        ));
    }
    if !ptr.is_multiple_of(align as sys::CUdeviceptr) {
        return Err(Error::invalid(
            CALL,
            format!("the buffer lies at {ptr:#x}: elements lie at multiples of {align} bytes"),
        ));
    }
    Ok(bytes / size)
}

#[cold]
fn no_part(error: Error, layer: u32, level: u32) -> Error {
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
    fn memory_is_a_whole_number_of_elements() {
        assert_eq!(elements::<f32>(0x1000, 40).unwrap(), 10);
        assert_eq!(elements::<u8>(0x1001, 3).unwrap(), 3);
        assert_eq!(elements::<[u64; 2]>(0x1000, 0).unwrap(), 0);
        for refused in [
            elements::<f32>(0x1000, 41),
            elements::<f32>(0x1002, 40),
            elements::<()>(0x1000, 40),
        ] {
            let error = refused.unwrap_err();
            assert_eq!(error.call(), "MappedResource::memory");
        }
    }
}
