//! Mipmapped arrays in memory of other interfaces.

use std::ptr;

use cuda_sys::{self as sys, CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, CUresult};

use super::{ArrayFlags, ArrayShape, Described, MipmappedArray, TexelFormat};
use crate::{
    capture,
    error::{Error, Result},
    share::ExternalMemory,
};

impl ExternalMemory {
    /// Maps a part of the memory, starting at byte `offset`, as a mipmapped array.
    ///
    /// The part is an image of the other interface, with the same format, lengths and levels. An
    /// image without mipmaps has one level. The array keeps the memory alive. Set
    /// [`ArrayFlags::SURFACE`] if surfaces write to the image, and [`ArrayFlags::COLOR_ATTACHMENT`]
    /// if the other interface draws to it.
    ///
    /// See [`cuExternalMemoryGetMappedMipmappedArray`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXTRES__INTEROP.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that:
    ///
    /// - the memory has at that offset an image with this format, these lengths and these levels,
    ///   or only this array uses that part;
    /// - while the array lives, all other uses of that part, including those through other arrays
    ///   and buffers, are ordered with uses of the array.
    ///
    /// # Errors
    /// Returns the errors of [`MipmappedArray::new`]. Returns `CUDA_ERROR_INVALID_VALUE` if the
    /// image does not fit into the memory. Dedicated memory has one image, at its start, so another
    /// offset returns the same error.
    ///
    /// ```ignore-windows
    /// # use cuda_safe::{
    /// #     Context, share::{ExternalMemory, ExternalMemoryKind, ShareableHandles},
    /// #     memory::virtual_memory::{PhysicalMemory, PhysicalOptions}, Stream,
    /// # };
    /// use cuda_safe::array::{ArrayFlags, TexelFormat};
    ///
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// # let stream = Stream::new(&context)?;
    /// # let unit = PhysicalMemory::unit(&context)?;
    /// # let options = PhysicalOptions::default().handles(ShareableHandles::POSIX_FILE_DESCRIPTOR);
    /// # let file = PhysicalMemory::with_options(&context, unit, options)?.export()?;
    /// # // SAFETY: the file is memory of that many bytes, which nothing else uses.
    /// # let memory = unsafe {
    /// #     ExternalMemory::import(&context, ExternalMemoryKind::OPAQUE_FD, file, unit as u64, false)?
    /// # };
    /// let format = TexelFormat::of::<f32>();
    /// // SAFETY: nothing else uses the memory.
    /// let image =
    ///     unsafe { memory.mipmapped_array(0, format, [64, 32], 3, ArrayFlags::default())? };
    /// drop(memory); // the image keeps it alive
    /// image.level(2)?.copy_from_slice(&stream, &[0.5; 16 * 8])?;
    /// assert_eq!(image.level(2)?.to_vec::<f32>(&stream)?, [0.5; 16 * 8]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuExternalMemoryGetMappedMipmappedArray")]
    pub unsafe fn mipmapped_array(
        &self,
        offset: u64,
        format: TexelFormat,
        shape: impl Into<ArrayShape>,
        levels: u32,
        flags: ArrayFlags,
    ) -> Result<MipmappedArray> {
        const CALL: &str = "cuExternalMemoryGetMappedMipmappedArray";
        let described = MipmappedArray::described(
            "ExternalMemory::mipmapped_array",
            format,
            shape.into(),
            levels,
            flags,
        )?;
        let _allowed = capture::reject_during_capture(
            "ExternalMemory::mipmapped_array",
            "map it before the capture",
        )?;
        let description = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
            offset,
            arrayDesc: described.to_raw(),
            numLevels: levels,
            ..Default::default()
        };
        let context = self.context();
        let _current = context.enter("cuExternalMemoryGetMappedMipmappedArray")?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write, the handle is live, and the description lives
        // through the call.
        let code = unsafe {
            sys::cuExternalMemoryGetMappedMipmappedArray(&mut raw, self.as_raw(), &description)
        };
        context
            .check(CALL, code)
            .map_err(|error| described.explain_misplaced(error, offset, levels))?;
        // SAFETY: the array was just created in this context with these levels, and has no other
        // owner.
        Ok(unsafe { MipmappedArray::made(context, raw, described, levels, Some(self.clone())) })
    }
}

impl Described {
    /// Adds the likely reason to an error of the driver.
    #[cold]
    fn explain_misplaced(&self, error: Error, offset: u64, levels: u32) -> Error {
        if error.driver_code() != Some(CUresult::CUDA_ERROR_INVALID_VALUE) {
            return error;
        }
        error.with_detail(format!(
            "the driver rejects an image of {}, {}, {levels} levels, {:?}, starting at byte {offset}. It must fit into the \
             imported memory, and must be at the start of dedicated memory",
            self.shape, self.format, self.flags
        ))
    }
}
