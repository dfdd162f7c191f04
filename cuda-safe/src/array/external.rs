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
    /// Has a part of the memory, from byte `offset` on, be a mipmapped array: an image of the other interface, whose format,
    /// lengths and levels are the same. An image with no smaller ones has one level. The array holds the memory.
    ///
    /// Flags say what the image is made for: [`ArrayFlags::SURFACE`] where surfaces write to it, and
    /// [`ArrayFlags::COLOR_ATTACHMENT`] where the other interface draws to it.
    ///
    /// # Safety
    /// In the memory, at that offset, lies an image of that format, of these lengths and levels; or nothing but this array uses
    /// that part. What else uses it, and other arrays and buffers that are mapped there, is ordered with what uses
    /// the array while that lives.
    ///
    /// # Errors
    /// As [`MipmappedArray::new`]; `CUDA_ERROR_INVALID_VALUE` for what does not lie within the memory, and for a part of dedicated
    /// memory: that has one image, at its beginning.
    ///
    /// ```
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
    /// # // SAFETY: the file is memory of that many bytes, which nobody else uses.
    /// # let memory = unsafe {
    /// #     ExternalMemory::import(&context, ExternalMemoryKind::OPAQUE_FD, file, unit as u64, false)?
    /// # };
    /// let format = TexelFormat::of::<f32>();
    /// // SAFETY: nothing else uses the memory.
    /// let image =
    ///     unsafe { memory.mipmapped_array(0, format, [64, 32], 3, ArrayFlags::default())? };
    /// drop(memory); // the image holds it
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
        let _allowed = capture::refuse_here(
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
        // SAFETY: `raw` is valid for the write, the handle is live, the description lives through the call.
        let code = unsafe {
            sys::cuExternalMemoryGetMappedMipmappedArray(&mut raw, self.as_raw(), &description)
        };
        context
            .check(CALL, code)
            .map_err(|error| described.misplaced(error, offset, levels))?;
        // SAFETY: just made in this context, of these levels, and owned by nobody else.
        Ok(unsafe { MipmappedArray::made(context, raw, described, levels, Some(self.clone())) })
    }
}

impl Described {
    /// What a refusal by the driver is likely to mean.
    #[cold]
    fn misplaced(&self, error: Error, offset: u64, levels: u32) -> Error {
        if error.driver_code() != Some(CUresult::CUDA_ERROR_INVALID_VALUE) {
            return error;
        }
        error.with_detail(format!(
            "the driver refuses an image of {}, {}, {levels} levels, {:?}, from byte {offset} on: it has to lie within the \
             imported memory, and at its beginning where the memory is dedicated",
            self.shape, self.format, self.flags
        ))
    }
}
