//! NumPy's files: `.npy` with one array, and `.npz` with several by name.
//!
//! [`header`] translates types and layouts, with the crate `npyz`. [`load`] and [`save`] copy elements
//! between a file and the device through two page-locked buffers, so that the file and the device work
//! at the same time. [`npz`] reads and writes archives, with the crate `zip`.

mod file;
mod header;
mod load;
mod npz;
mod save;

use std::path::Path;

use cuda_safe::Stream;
use file::failed;
pub use npz::{NpzReader, NpzWriter};

use crate::{array::Array, element::Element, error::Result};

impl<T: Element> Array<T> {
    /// Reads an array from a `.npy` file, like NumPy's `load`.
    ///
    /// The elements must have this array's type. `bf16` is read from the two bytes (`V2`) that NumPy
    /// writes for `ml_dtypes.bfloat16`. Elements in Fortran order stay in this order, as the array's
    /// strides show. Big-endian elements are converted.
    ///
    /// The file is read in parts of 8 MiB, into page-locked memory. While one part is copied to the
    /// device, the next one is read. The call waits until the last part has been copied.
    ///
    /// ```
    /// use cuda_compute::Array;
    /// # use cuda_safe::{Context, Stream};
    /// # fn main() -> cuda_compute::Result<()> {
    /// # let stream = Stream::new(&Context::primary(0)?)?;
    /// # let path = std::env::temp_dir().join(format!("load_npy_{}.npy", std::process::id()));
    /// let x = Array::from_nested(&stream, [[1.0f32, 2.0], [3.0, 4.0]])?;
    /// x.save_npy(&path)?;
    /// let y = Array::<f32>::load_npy(&stream, &path)?;
    /// assert_eq!((y.shape(), y.to_vec()?), (x.shape(), x.to_vec()?));
    /// let error = Array::<f64>::load_npy(&stream, &path).unwrap_err();
    /// assert!(error.to_string().contains("<f4 (f32)"), "{error}");
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::File`](crate::Error::File) if the file can't be read, is not a `.npy` file, ends too early, or has
    /// elements of another type. Returns [`Error::Shape`](crate::Error::Shape) if it has more axes than an array can have, and
    /// [`Error::Cuda`](crate::Error::Cuda) if memory runs out or the stream is capturing.
    pub fn load_npy(stream: &Stream, path: impl AsRef<Path>) -> Result<Self> {
        Self::load_npy_with(stream, path, |_, _| {})
    }

    /// Reads an array from a `.npy` file, and reports the progress: see [`load_npy`](Self::load_npy).
    ///
    /// `progress` is called after each part with the number of bytes that have been read and their
    /// total, without the header.
    ///
    /// # Errors
    /// Returns an error in the cases that [`load_npy`](Self::load_npy) lists.
    pub fn load_npy_with(
        stream: &Stream,
        path: impl AsRef<Path>,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<Self> {
        let name = path.as_ref().display();
        let mut file = std::fs::File::open(&path).map_err(failed(&name, "can't be opened"))?;
        load::load(stream, &mut file, &name.to_string(), &mut progress)
    }

    /// Writes the array to a `.npy` file, like NumPy's `save`. An existing file is replaced.
    ///
    /// `bf16` is written as two bytes (`V2`), as NumPy writes `ml_dtypes.bfloat16`. In Python, call
    /// `.view(ml_dtypes.bfloat16)` after `np.load`. Arrays that are contiguous in Fortran order only are
    /// written in this order. Others are made contiguous in C order first.
    ///
    /// The elements are copied to page-locked memory in parts of 8 MiB. While one part is written, the
    /// next one is copied. The call waits for the elements.
    ///
    /// # Errors
    /// Returns [`Error::File`](crate::Error::File) if the file can't be written, or if the elements are structs or 8-bit floats. Returns
    /// [`Error::Cuda`](crate::Error::Cuda) if memory runs out, if the stream is capturing, or if work enqueued before has
    /// failed. If writing fails, the file is incomplete.
    pub fn save_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_npy_with(path, |_, _| {})
    }

    /// Writes the array to a `.npy` file, and reports the progress: see [`save_npy`](Self::save_npy) and
    /// [`load_npy_with`](Self::load_npy_with).
    ///
    /// # Errors
    /// Returns an error in the cases that [`save_npy`](Self::save_npy) lists.
    pub fn save_npy_with(
        &self,
        path: impl AsRef<Path>,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<()> {
        let name = path.as_ref().display();
        // Check before a file is replaced, and compute the elements in order.
        header::type_string::<T>(&name)?;
        let dense = save::dense(self)?;
        dense.stream().synchronize()?;
        let mut file = std::fs::File::create(&path).map_err(failed(&name, "can't be created"))?;
        save::save(&dense, &mut file, &name.to_string(), &mut progress)
    }
}
