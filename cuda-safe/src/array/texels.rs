//! Arrays as operands of copies of rectangles and boxes.

use std::{fmt, marker::PhantomData};

use super::{CudaArray, Texel};
use crate::{
    error::Result,
    memory::{CopySource, CopyTarget, Region},
};

/// An array whose texels are known to have type `T`, as an operand of a
/// [`RegionCopy`](crate::memory::RegionCopy). Layers and faces are slices. Created by
/// [`CudaArray::texels`], it is another reference to the array.
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
    /// Returns the array with the type of its texels, for copies of parts of it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `T` does not
    /// match the array's format, or if the array was created without memory.
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
    /// Returns the array.
    #[must_use]
    pub fn array(&self) -> &CudaArray {
        &self.array
    }
}

// SAFETY: the array is live, has texels of this type, and is destroyed after all work of its
// context.
unsafe impl<T: Texel> CopySource<T> for ArrayTexels<T> {
    fn region(&self) -> Region<'_> {
        let shape = self.array.described().shape;
        let extent = [shape.width(), shape.height(), shape.planes_in_all()];
        let region = Region::array::<T>(self.array.as_raw(), extent, self.array.owner());
        // Layers of one dimension are copied as rows.
        match (shape.is_layered() || shape.is_cube()) && shape.height() > 1 {
            true => region.with_layers(),
            false => region,
        }
    }
}

// SAFETY: every holder of a handle may write an array's texels. There are no references to them.
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
