//! A vector that is larger than memory: it stays in its file and is processed in pieces.

mod pass;
mod read;

use std::{
    cell::Cell,
    fs::File,
    marker::PhantomData,
    ops::Range,
    path::{Path, PathBuf},
};

use cuda_compute::{MapReduce, Reducer, Reducible, Scalar};
use cuda_safe::{ErrorKind, Stream, bytemuck, memory::Pipeline};

pub use self::pass::{FilePass, FileProgress};
use super::{
    agree::agree,
    part,
    partial::{Partial, sealed::Partial as _},
};
use crate::{
    collectives::Collectives,
    error::{Error, Result},
    record::{CALL, Fact, type_name},
};

/// Numbers in a file, stored contiguously in little-endian order.
///
/// A reduction reads the file in pieces, directly into page-locked memory. At the same time, the
/// previous piece is copied to the device, and the one before it is reduced. Each rank of the group
/// reads a separate share, and all ranks get the same bits as the result. Memory for
/// [`FilePass::slots`] pieces is needed on the host and on the device.
///
/// ```
/// use cuda_nccl::{SingleRank, spread::{FilePass, FileVector}};
/// use cuda_safe::Context;
///
/// # fn main() -> cuda_nccl::Result<()> {
/// # let path = std::env::temp_dir().join(format!("cuda-nccl-doc-{}", std::process::id()));
/// # let numbers: Vec<u8> = (1..=1000u32).flat_map(u32::to_le_bytes).collect();
/// # std::fs::write(&path, numbers).unwrap();
/// let vector = FileVector::<u32>::open(&path)?;
/// // For several devices, use the rank of a communicator. For one device:
/// let group = SingleRank::new(&Context::primary(0)?);
/// let sum = vector.sum(&group, FilePass::new().piece_bytes(1024))?;
/// assert_eq!((vector.len(), sum), (1000, 500_500));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct FileVector<T> {
    file: File,
    path: PathBuf,
    /// In bytes.
    start: u64,
    len: usize,
    element: PhantomData<fn() -> T>,
}

impl<T: Reducible> FileVector<T> {
    /// Opens a whole file as a vector.
    ///
    /// Each rank opens the file separately. A rank that fails should report this to the others, for
    /// instance with [`Collectives::gather_on_host`]. Otherwise they wait at their first reduction
    /// until this rank has ended or the time limit is over.
    ///
    /// # Errors
    /// Returns [`Error::File`] if the file cannot be opened, or if its length is not a multiple of
    /// the element size.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let (file, bytes) = read::open(path.as_ref())?;
        let element = size_of::<T>() as u64;
        if bytes % element != 0 {
            return Err(Error::File(format!(
                "{}: the length of {bytes} bytes is not a multiple of the element size of {element} bytes: {} bytes are left \
                 over. Fix: check the element type, or read a part with FileVector::open_at",
                path.as_ref().display(),
                bytes % element
            )));
        }
        Self::new(file, path.as_ref(), 0, bytes / element)
    }

    /// Opens `len` elements of a file as a vector, starting at byte `start`, for instance after a
    /// header.
    ///
    /// # Errors
    /// Returns [`Error::File`] if the file cannot be opened or is too short.
    pub fn open_at(path: impl AsRef<Path>, start: u64, len: usize) -> Result<Self> {
        let (file, bytes) = read::open(path.as_ref())?;
        let end = (len as u64)
            .checked_mul(size_of::<T>() as u64)
            .and_then(|needed| start.checked_add(needed));
        if end.is_none_or(|end| end > bytes) {
            return Err(Error::File(format!(
                "{}: {bytes} bytes are too few for {len} elements of {} bytes starting at byte {start}",
                path.as_ref().display(),
                size_of::<T>()
            )));
        }
        Self::new(file, path.as_ref(), start, len as u64)
    }

    fn new(file: File, path: &Path, start: u64, len: u64) -> Result<Self> {
        let len = usize::try_from(len).map_err(|_| {
            Error::File(format!(
                "{}: {len} elements exceed the address space",
                path.display()
            ))
        })?;
        Ok(Self {
            file,
            path: path.to_owned(),
            start,
            len,
            element: PhantomData,
        })
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the elements that a rank of a group reads. The shares differ by at most one element.
    ///
    /// # Panics
    /// Panics if `rank >= size`.
    #[must_use]
    pub fn share(&self, rank: usize, size: usize) -> Range<usize> {
        part(self.len, size, rank)
    }

    /// Returns the sum, computed in the wider type: `f64` for `f32`, `i64` for `i32`. Returns 0 if
    /// there are no elements.
    ///
    /// The bits are the same for the same file, piece size, number of ranks and kind of device.
    ///
    /// # Errors
    /// Returns the errors of [`reduce`](Self::reduce).
    pub fn sum(&self, group: &impl Collectives, pass: FilePass<'_>) -> Result<T::Wide>
    where
        T::Wide: Partial,
    {
        // SAFETY: the expressions only compute.
        let sum = unsafe { MapReduce::<T, T::Wide>::new("x", "a + b", "0") };
        self.reduced("sum", group, &sum, T::Wide::ZERO, T::Wide::plus, pass)
    }

    /// Returns the smallest element, or `None` if there are no elements. NaN is ignored, unless all
    /// elements are NaN: then the result is NaN.
    ///
    /// # Errors
    /// Returns the errors of [`reduce`](Self::reduce).
    pub fn min(&self, group: &impl Collectives, pass: FilePass<'_>) -> Result<Option<T::Sum>>
    where
        T::Sum: Partial,
    {
        let (identity, source) = T::Sum::HIGHEST;
        // SAFETY: the expressions only compute.
        let min = unsafe { MapReduce::<T, T::Sum>::new("x", T::Sum::EXTREMES.0, source) };
        let found = self.reduced("min", group, &min, identity, T::Sum::least, pass)?;
        Ok((!self.is_empty()).then_some(found))
    }

    /// Returns the largest element, or `None` if there are no elements. NaN is ignored, unless all
    /// elements are NaN: then the result is NaN.
    ///
    /// # Errors
    /// Returns the errors of [`reduce`](Self::reduce).
    pub fn max(&self, group: &impl Collectives, pass: FilePass<'_>) -> Result<Option<T::Sum>>
    where
        T::Sum: Partial,
    {
        let (identity, source) = T::Sum::LOWEST;
        // SAFETY: the expressions only compute.
        let max = unsafe { MapReduce::<T, T::Sum>::new("x", T::Sum::EXTREMES.1, source) };
        let found = self.reduced("max", group, &max, identity, T::Sum::greatest, pass)?;
        Ok((!self.is_empty()).then_some(found))
    }

    /// Computes any reduction. `identity` and `combine` must match the reduction. The host uses
    /// them to combine the results of pieces, and then those of ranks, in their order.
    ///
    /// **All ranks of the group must call this**, with the same file or copies of it, and the same
    /// reduction. Only the types of the reductions are compared. The call waits for the result.
    ///
    /// # Errors
    /// - Returns [`Error::File`] if the file cannot be read. The text has its name and the offset.
    ///   The other ranks return an [`Error::Value`] with this rank's number and reason, and the
    ///   group stays usable.
    /// - Returns [`Error::Value`] if the pass has no slots, or if there is not enough memory for
    ///   them.
    /// - Returns [`Error::Value`] on all ranks, before anything is read, if the calls, or the
    ///   types, lengths or start offsets of the vectors, differ between ranks.
    /// - Returns [`Error::Cuda`] or [`Error::Compute`] if the device or the reduction's code fails,
    ///   and the errors of [`Collectives::gather_on_host`].
    ///
    /// # Panics
    /// Panics if `combine` or the progress callback panics. The other ranks then wait until their
    /// time limit is over.
    pub fn reduce<A: Scalar>(
        &self,
        group: &impl Collectives,
        reduction: &MapReduce<T, A>,
        identity: A,
        combine: impl FnMut(A, A) -> A,
        pass: FilePass<'_>,
    ) -> Result<A> {
        self.reduced("reduce", group, reduction, identity, combine, pass)
    }

    /// Computes a reduction for the method with this name.
    fn reduced<A: Scalar>(
        &self,
        name: &'static str,
        group: &impl Collectives,
        reduction: &MapReduce<T, A>,
        identity: A,
        mut combine: impl FnMut(A, A) -> A,
        pass: FilePass<'_>,
    ) -> Result<A> {
        let facts = vec![
            Fact::Name(CALL, "FileVector"),
            Fact::Name("the reduction", name),
            Fact::Name("the element type", type_name::<T>()),
            Fact::Name("the result type", type_name::<A>()),
            Fact::Number("the number of elements in the file", self.len as u64),
            Fact::Number("the file's first byte", self.start),
        ];
        let stream = Stream::new(group.context())?;
        let able = match pass.slots {
            0 => Err(Error::Value(
                "FilePass::slots is 0, but must be at least 1. Fix: use 3, so that the disk, the link and the device work at the same time".to_owned(),
            )),
            _ => Ok((facts, [])),
        };
        agree(group, &stream, able)?;
        let share = self.share(group.rank(), group.size());
        let own = self.reduce_share(group, reduction, identity, &mut combine, share, pass);
        // Done after a failure too, so that the other ranks do not wait in vain.
        let outcome = own.as_ref().map(|result| (Vec::new(), [to_word(result)]));
        let all = agree(group, &stream, outcome.map_err(Clone::clone))?;
        if group.size() == 1 {
            return own;
        }
        Ok(all
            .into_iter()
            .fold(identity, |result, [word]| combine(result, from_word(word))))
    }

    fn reduce_share<A: Scalar>(
        &self,
        group: &impl Collectives,
        reduction: &MapReduce<T, A>,
        identity: A,
        combine: &mut impl FnMut(A, A) -> A,
        share: Range<usize>,
        mut pass: FilePass<'_>,
    ) -> Result<A> {
        if share.is_empty() {
            return Ok(identity);
        }
        let piece = (pass.piece_bytes / size_of::<T>()).clamp(1, share.len());
        let slots = pass.slots.min(share.len().div_ceil(piece));
        let reducer = Reducer::new(group.context())?;
        let mut pipeline = Pipeline::<T, A>::new(group.context(), slots, piece, 1)
            .map_err(|error| no_room(error, slots, piece * size_of::<T>()))?;
        let pieces = share
            .clone()
            .step_by(piece)
            .map(|start| start..share.end.min(start + piece));
        // The last piece is shorter. A slot is filled right before its work is enqueued, so this is
        // the length of that piece.
        let filled = Cell::new(0);
        let mut result = identity;
        pipeline.run(
            pieces,
            |piece, host| {
                filled.set(piece.len());
                self.read(piece.start, &mut host[..piece.len()], pass.threads)
            },
            |stream, x, y| {
                let x = x.slice(..filled.get())?;
                Ok(reducer.reduce_into(stream, reduction, &x, y)?)
            },
            |piece, found| {
                result = combine(result, found[0]);
                if let Some(show) = &mut pass.progress {
                    show(FileProgress {
                        done: piece.end - share.start,
                        of: share.len(),
                    });
                }
            },
        )?;
        Ok(result)
    }

    /// Reads elements from the file.
    fn read(&self, first: usize, host: &mut [T], threads: usize) -> Result<()> {
        let offset = self.start + (first * size_of::<T>()) as u64;
        read::read(
            &self.file,
            &self.path,
            offset,
            bytemuck::cast_slice_mut(host),
            threads,
        )
    }
}

/// Adds a remedy to the error if there is not enough memory.
#[cold]
fn no_room(error: cuda_safe::Error, slots: usize, bytes: usize) -> Error {
    match error.kind() {
        ErrorKind::OutOfMemory { .. } => Error::Value(format!(
            "not enough memory for {slots} slots of {bytes} bytes each, on the device and in page-locked memory ({error}). \
             Fix: reduce FilePass::piece_bytes or FilePass::slots"
        )),
        _ => error.into(),
    }
}

/// Encodes a scalar, which has at most eight bytes.
fn to_word<A: Scalar>(value: &A) -> u64 {
    let mut bytes = [0; 8];
    bytes[..size_of::<A>()].copy_from_slice(bytemuck::bytes_of(value));
    u64::from_ne_bytes(bytes)
}

fn from_word<A: Scalar>(word: u64) -> A {
    bytemuck::pod_read_unaligned(&word.to_ne_bytes()[..size_of::<A>()])
}
