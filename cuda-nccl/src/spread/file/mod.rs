//! A vector that is larger than all memory: it stays in its file, and goes through the devices piece by piece.

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
    agree::{Fact, agree, type_name},
    part,
    partial::{Partial, sealed::Partial as _},
};
use crate::{
    collectives::Collectives,
    error::{Error, Result},
};

/// Numbers in a file, one behind the other as they lie in memory (little-endian).
///
/// A reduction reads the file in pieces, straight into page-locked memory, while the device reduces the piece before and
/// the one before that is on its way there. Each rank of the group reads a share of its own, and all have the result, the
/// same bits. It needs as much memory as [`FilePass::slots`] pieces, on the host and on the device.
///
/// ```
/// use cuda_nccl::{Alone, spread::{FilePass, FileVector}};
/// use cuda_safe::Context;
///
/// # fn main() -> cuda_nccl::Result<()> {
/// # let path = std::env::temp_dir().join(format!("cuda-nccl-doc-{}", std::process::id()));
/// # let numbers: Vec<u8> = (1..=1000u32).flat_map(u32::to_le_bytes).collect();
/// # std::fs::write(&path, numbers).unwrap();
/// let vector = FileVector::<u32>::open(&path)?;
/// // All devices: the rank of a communicator. One device:
/// let group = Alone::new(&Context::primary(0)?);
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
    /// The whole file.
    ///
    /// Ranks open it each by itself. So one that can't tells the others before it gives up, such as by
    /// [`Collectives::gather_on_host`]: else they wait for it at their first reduction, until it has ended or the time limit
    /// is over.
    ///
    /// # Errors
    /// [`Error::File`]: the file can't be opened, or its length is not a multiple of an element's.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let (file, bytes) = read::open(path.as_ref())?;
        let element = size_of::<T>() as u64;
        if bytes % element != 0 {
            return Err(Error::File(format!(
                "{}: its {bytes} bytes are no whole number of elements of {element} bytes: {} are left over; is this its type? \
                 FileVector::open_at reads a part",
                path.as_ref().display(),
                bytes % element
            )));
        }
        Self::new(file, path.as_ref(), 0, bytes / element)
    }

    /// `len` elements from a byte of the file on, such as behind a header.
    ///
    /// # Errors
    /// [`Error::File`]: the file can't be opened, or is too short.
    pub fn open_at(path: impl AsRef<Path>, start: u64, len: usize) -> Result<Self> {
        let (file, bytes) = read::open(path.as_ref())?;
        let end = (len as u64)
            .checked_mul(size_of::<T>() as u64)
            .and_then(|needed| start.checked_add(needed));
        if end.is_none_or(|end| end > bytes) {
            return Err(Error::File(format!(
                "{}: its {bytes} bytes are too few for {len} elements of {} bytes from byte {start} on",
                path.as_ref().display(),
                size_of::<T>()
            )));
        }
        Self::new(file, path.as_ref(), start, len as u64)
    }

    fn new(file: File, path: &Path, start: u64, len: u64) -> Result<Self> {
        let len = usize::try_from(len).map_err(|_| {
            Error::File(format!(
                "{}: {len} elements are more than can be counted",
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

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which elements a rank of a group reads. The shares differ by one element at most.
    ///
    /// # Panics
    /// A rank that there is not.
    #[must_use]
    pub fn share(&self, rank: usize, size: usize) -> Range<usize> {
        part(self.len, size, rank)
    }

    /// The sum, computed in the wider type: `f32` in `f64`, `i32` in `i64`. 0 if there are no elements. The same bits for
    /// the same file, pieces, and number of ranks of the same kind of device.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn sum(&self, group: &impl Collectives, pass: FilePass<'_>) -> Result<T::Wide>
    where
        T::Wide: Partial,
    {
        // SAFETY: the expressions only compute.
        let sum = unsafe { MapReduce::<T, T::Wide>::new("x", "a + b", "0") };
        self.reduced("sum", group, &sum, T::Wide::ZERO, T::Wide::plus, pass)
    }

    /// The smallest element; `None` if there are none. NaN is ignored, and is the result if there is nothing else.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
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

    /// The largest element; `None` if there are none. NaN is ignored, and is the result if there is nothing else.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
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

    /// Any reduction. `identity` and `combine` are those of the reduction, for the host, which combines the results of
    /// pieces and then those of ranks, in their order.
    ///
    /// **All ranks of the group call this** with the same file (or copies of it), and the same reduction, of which the types
    /// are compared. It waits for the result.
    ///
    /// # Errors
    /// - [`Error::File`]: what could not be read, with the file's name and the offset. The other ranks get an
    ///   [`Error::Value`] with this one's number and reason, and the group goes on.
    /// - [`Error::Value`]: no slots, or more or larger ones than there is memory for. On all ranks, before anything is read:
    ///   vectors of other types, lengths or beginnings, or other calls, on other ranks.
    /// - Failures of the device, of the reduction's code, and of the group.
    ///
    /// # Panics
    /// Only where `combine` or the callback for progress does. The other ranks then wait for their time limit.
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

    /// By the method of this name.
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
            Fact::Name("the call", "File"),
            Fact::Name("the reduction", name),
            Fact::Name("the elements", type_name::<T>()),
            Fact::Name("the result", type_name::<A>()),
            Fact::Number("the number of the file's elements", self.len as u64),
            Fact::Number("the file's first byte", self.start),
        ];
        let stream = Stream::new(group.context())?;
        let able = match pass.slots {
            0 => Err(Error::Value(
                "a pass without slots can't do anything: 3 let the disk, the link and the device work at once".to_owned(),
            )),
            _ => Ok((facts, [])),
        };
        agree(group, &stream, able)?;
        let share = self.share(group.rank(), group.size());
        let own = self.reduce_share(group, reduction, identity, &mut combine, share, pass);
        // Also after a failure, so that the others don't wait for it in vain.
        let told = own.as_ref().map(|result| (Vec::new(), [to_word(result)]));
        let all = agree(group, &stream, told.map_err(Clone::clone))?;
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
        // The last piece is shorter; a slot is filled right before its work is enqueued.
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

/// With the remedy, if memory ran out.
#[cold]
fn no_room(error: cuda_safe::Error, slots: usize, bytes: usize) -> Error {
    match error.kind() {
        ErrorKind::OutOfMemory { .. } => Error::Value(format!(
            "{slots} slots of {bytes} bytes each, on the device and in page-locked memory, have no room: take a smaller \
             FilePass::piece_bytes, or fewer FilePass::slots. {error}"
        )),
        _ => error.into(),
    }
}

/// A scalar has at most eight bytes.
fn to_word<A: Scalar>(value: &A) -> u64 {
    let mut bytes = [0; 8];
    bytes[..size_of::<A>()].copy_from_slice(bytemuck::bytes_of(value));
    u64::from_ne_bytes(bytes)
}

fn from_word<A: Scalar>(word: u64) -> A {
    bytemuck::pod_read_unaligned(&word.to_ne_bytes()[..size_of::<A>()])
}
