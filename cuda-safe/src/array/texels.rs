//! Arrays as sides of copies of rectangles and boxes.

use std::{fmt, marker::PhantomData};

use super::{CudaArray, Texel};
use crate::{
    error::Result,
    memory::{CopySource, CopyTarget, Region},
};

/// An array whose texels are known to be of type `T`: a side of a [`RegionCopy`](crate::memory::RegionCopy), of which layers and
/// faces are slices. It is another handle of the array. Made by [`CudaArray::texels`].
///
/// ```
/// use cuda_safe::{array::CudaArray, Context, memory::{HostRegion, PitchedBuffer, RegionCopy}, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let image = CudaArray::from_slice(&stream, [4, 2], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])?;
/// let mut texels = image.texels::<f32>()?;
/// // The two columns in the middle, to pitched memory.
/// let mut middle = PitchedBuffer::<f32>::zeroed(&stream, [2, 2])?;
/// RegionCopy::new([2, 2]).source_at([1, 0]).enqueue(&stream, &mut middle, &texels)?;
/// assert_eq!(middle.to_vec(&stream)?, [2.0, 3.0, 6.0, 7.0]);
/// // The second row, from the host.
/// let row = HostRegion::new(&[0.0f32; 4], 4)?;
/// RegionCopy::new(4).target_at([0, 1]).upload(&stream, &mut texels, row)?;
/// assert_eq!(image.to_vec::<f32>(&stream)?, [1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
/// # Ok(())
/// # }
/// ```
pub struct ArrayTexels<T> {
    array: CudaArray,
    texel: PhantomData<fn() -> T>,
}

impl CudaArray {
    /// The array with the type of its texels, for copies of parts of it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where `T` isn't the array's format, and for an array
    /// without memory.
    pub fn texels<T: Texel>(&self) -> Result<ArrayTexels<T>> {
        const CALL: &str = "CudaArray::texels";
        self.expect_format::<T>(CALL)?;
        self.expect_memory(CALL)?;
        Ok(ArrayTexels {
            array: self.clone(),
            texel: PhantomData,
        })
    }
}

impl<T> ArrayTexels<T> {
    /// The array.
    #[must_use]
    pub fn array(&self) -> &CudaArray {
        &self.array
    }
}

// SAFETY: a live array of texels of this type, which is destroyed after all work of its context.
unsafe impl<T: Texel> CopySource<T> for ArrayTexels<T> {
    fn region(&self) -> Region<'_> {
        let shape = self.array.described().shape;
        let extent = [shape.width(), shape.height(), shape.planes_in_all()];
        let region = Region::array::<T>(self.array.as_raw(), extent, self.array.owner());
        // Layers of one dimension are copied.
        match (shape.is_layered() || shape.is_cube()) && shape.height() > 1 {
            true => region.of_layers(),
            false => region,
        }
    }
}

// SAFETY: an array's texels may be written by whoever has a handle; nobody has references to them.
unsafe impl<T: Texel> CopyTarget<T> for ArrayTexels<T> {}

impl<T> Clone for ArrayTexels<T> {
    fn clone(&self) -> Self {
        Self {
            array: self.array.clone(),
            texel: PhantomData,
        }
    }
}

impl<T> fmt::Debug for ArrayTexels<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArrayTexels({:?})", self.array)
    }
}
