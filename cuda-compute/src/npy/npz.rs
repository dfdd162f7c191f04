//! Archives of arrays.

use std::{
    fs::File,
    io::{BufReader, BufWriter},
    path::{Path, PathBuf},
};

use cuda_safe::Stream;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::{file::failed, header, load, save};
use crate::{
    array::Array,
    element::Element,
    error::{Error, Result},
};

/// A reader of `.npz` files: archives of named arrays, as NumPy's `savez` and `savez_compressed` write
/// them.
///
/// ```
/// use cuda_compute::{Array, NpzReader, NpzWriter};
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// # let path = std::env::temp_dir().join(format!("npz_{}.npz", std::process::id()));
/// let mut file = NpzWriter::create(&path)?;
/// file.save("x", &Array::from_slice(&stream, &[1.0f32, 2.0])?)?;
/// file.save("n", &Array::from_slice(&stream, &[7i64])?)?;
/// file.finish()?;
///
/// let mut file = NpzReader::open(&path)?;
/// assert_eq!(file.names(), ["x", "n"]);
/// let x: Array<f32> = file.load(&stream, "x")?;
/// assert_eq!(x.to_vec()?, [1.0, 2.0]);
/// # std::fs::remove_file(path).unwrap();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct NpzReader {
    path: PathBuf,
    archive: ZipArchive<BufReader<File>>,
}

impl NpzReader {
    /// Opens a file and reads its list of arrays.
    ///
    /// # Errors
    /// Returns [`Error::File`] if the file can't be opened, or if it is not a zip archive.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        let name = path.display();
        let file = File::open(&path).map_err(failed(&name, "can't be opened"))?;
        let archive = ZipArchive::new(BufReader::new(file))
            .map_err(failed(&name, "the list of arrays can't be read"))?;
        Ok(Self { path, archive })
    }

    /// Returns the names of the arrays, in the order of the file.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let names = self.archive.file_names().flatten();
        names
            .filter_map(|name| npyz::npz::array_name_from_file_name(&name).map(String::from))
            .collect()
    }

    /// Reads an array by its name: see [`Array::load_npy`].
    ///
    /// # Errors
    /// Returns [`Error::File`] if there is no array of this name, and an error in the cases that
    /// [`Array::load_npy`] lists.
    pub fn load<T: Element>(&mut self, stream: &Stream, name: &str) -> Result<Array<T>> {
        self.load_with(stream, name, |_, _| {})
    }

    /// Reads an array by its name, and reports the progress: see [`Array::load_npy_with`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`load`](Self::load) lists.
    pub fn load_with<T: Element>(
        &mut self,
        stream: &Stream,
        name: &str,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<Array<T>> {
        let entry = npyz::npz::file_name_from_array_name(name);
        let place = format!("{}: array {name:?}", self.path.display());
        if self.archive.index_for_name(&entry).is_none() {
            return Err(Error::File(format!(
                "{place} does not exist. Fix: pass one of {:?}",
                self.names()
            )));
        }
        let file = self.archive.by_name(&entry);
        let mut file = file.map_err(failed(&place, "can't be read"))?;
        let array = load::load(stream, &mut file, &place, &mut progress)?;
        // The checksum is compared at the end of the entry.
        std::io::copy(&mut file, &mut std::io::sink()).map_err(failed(&place, "can't be read"))?;
        Ok(array)
    }
}

/// A writer of `.npz` files: archives of named arrays, without compression, as NumPy's `savez` writes
/// them. See [`NpzReader`].
#[derive(Debug)]
pub struct NpzWriter {
    path: PathBuf,
    archive: ZipWriter<BufWriter<File>>,
}

impl NpzWriter {
    /// Creates a file. An existing file is replaced.
    ///
    /// # Errors
    /// Returns [`Error::File`] if the file can't be created.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_path_buf();
        let file = File::create(&path).map_err(failed(&path.display(), "can't be created"))?;
        let archive = ZipWriter::new(BufWriter::new(file));
        Ok(Self { path, archive })
    }

    /// Writes an array under a name: see [`Array::save_npy`].
    ///
    /// # Errors
    /// Returns [`Error::File`] if the file can't be written, if it has an array of this name, or if the
    /// elements are structs or 8-bit floats. After an error, the archive lacks the array, and others can
    /// be saved. Returns [`Error::Cuda`] if memory runs out, if the stream is capturing, or
    /// if work enqueued before has failed.
    pub fn save<T: Element>(&mut self, name: &str, array: &Array<T>) -> Result<()> {
        self.save_with(name, array, |_, _| {})
    }

    /// Writes an array under a name, and reports the progress: see [`Array::load_npy_with`].
    ///
    /// # Errors
    /// Returns an error in the cases that [`save`](Self::save) lists.
    pub fn save_with<T: Element>(
        &mut self,
        name: &str,
        array: &Array<T>,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<()> {
        let place = format!("{}: array {name:?}", self.path.display());
        header::type_string::<T>(&place)?;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(true);
        let entry = npyz::npz::file_name_from_array_name(name);
        self.archive
            .start_file(entry, options)
            .map_err(failed(&place, "can't be written"))?;
        let saved = save::save(array, &mut self.archive, &place, &mut progress);
        if saved.is_err() {
            // Otherwise, the archive would list an array that is cut off.
            let _ = self.archive.abort_file();
        }
        saved
    }

    /// Writes the list of arrays and closes the file. If the writer is dropped instead, errors are lost.
    ///
    /// # Errors
    /// Returns [`Error::File`] if the file can't be written.
    pub fn finish(self) -> Result<()> {
        let failed = |cause| failed(&self.path.display(), "can't be written")(cause);
        let file = self
            .archive
            .finish()
            .map_err(|cause| failed(cause.into()))?;
        file.into_inner()
            .map_err(|cause| failed(cause.into_error()))?;
        Ok(())
    }
}
