//! The entries of `__cuda_array_interface__`, version 3.

use std::{borrow::Cow, sync::Arc};

use cuda_safe::Stream;

use super::{
    place::Place,
    stream::{numbered, stream_number},
};
use crate::{
    array::{Array, Foreign, MAX_RANK, Memory},
    element::{DataType, Element},
    error::{Error, Result},
    kernel::Kernels,
};

/// The entries of the Python dictionary `__cuda_array_interface__`, version 3. Each field is an
/// entry.
///
/// An interface of an array borrows the array. When the borrow ends, the work enqueued on the
/// memory must have finished, or must be ordered before the array's stream.
///
/// ```
/// # use cuda_compute::{Array, interop::stream_number};
/// # use cuda_safe::{Context, Stream};
/// # fn main() -> cuda_compute::Result<()> {
/// # let stream = Stream::new(&Context::primary(0)?)?;
/// let x = Array::from_shape(&stream, [2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?.t();
/// let facts = x.cuda_array_interface()?;
/// assert_eq!((&*facts.shape, &*facts.typestr, facts.version), (&[3, 2][..], "<f4", 3));
/// assert_eq!(facts.strides.as_deref(), Some(&[4, 12][..])); // in bytes
/// assert_eq!((facts.data, facts.read_only), (x.as_device_ptr(), true));
/// assert_eq!(facts.stream, Some(stream_number(&stream)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaArrayInterface<'a> {
    /// The lengths of the axes.
    pub shape: Cow<'a, [usize]>,
    /// The distance between neighbours along each axis, in bytes. `None` means C order.
    pub strides: Option<Cow<'a, [isize]>>,
    /// NumPy's name of the element type: the byte order, a letter, and the size in bytes.
    pub typestr: Cow<'a, str>,
    /// The device address of the first element, or 0 if there are no elements. This is the first
    /// value of `data`.
    pub data: u64,
    /// Whether the memory is read-only. This is the second value of `data`.
    pub read_only: bool,
    /// The stream that the consumer must order its own stream after. 1 is the legacy default
    /// stream, 2 is the calling thread's default stream, and 0 is not allowed. `None` means that
    /// there is nothing to wait for.
    pub stream: Option<i64>,
    /// The version, 3.
    pub version: u32,
}

const VERSION: u32 = 3;

impl<T: Element> Array<T> {
    /// Returns the entries of `__cuda_array_interface__` for read-only memory.
    ///
    /// PyTorch rejects read-only memory. Use
    /// [`cuda_array_interface_mut`](Self::cuda_array_interface_mut) for it.
    ///
    /// # Errors
    /// Returns [`Error::Foreign`] if the elements are `bf16`, 8-bit floats or structs, for which the
    /// interface has no name. Use DLPack, or [`reinterpret`](Self::reinterpret) the elements as integers.
    pub fn cuda_array_interface(&self) -> Result<CudaArrayInterface<'_>> {
        let size = T::DATA_TYPE.size() as isize;
        Ok(CudaArrayInterface {
            shape: Cow::Borrowed(self.layout.shape.as_slice()),
            strides: Some(self.strides().iter().map(|stride| stride * size).collect()),
            typestr: Cow::Borrowed(typestr(T::DATA_TYPE)?),
            data: self.as_device_ptr(),
            read_only: true,
            stream: Some(stream_number(self.stream())),
            version: VERSION,
        })
    }

    /// Returns the entries of `__cuda_array_interface__` for writable memory, in the order of the
    /// array's stream.
    ///
    /// The array is copied first if it shares its memory with others, if its memory is read-only,
    /// or if it repeats elements.
    ///
    /// # Errors
    /// Returns an error under the conditions of
    /// [`cuda_array_interface`](Self::cuda_array_interface), or if memory for a copy runs out.
    pub fn cuda_array_interface_mut(&mut self) -> Result<CudaArrayInterface<'_>> {
        typestr(T::DATA_TYPE)?;
        let alone = Arc::get_mut(&mut self.memory).is_some_and(|memory| !memory.is_read_only());
        if !alone || self.layout.repeats() {
            *self = self.copy()?;
        }
        Ok(CudaArrayInterface {
            read_only: false,
            ..self.cuda_array_interface()?
        })
    }

    /// Creates an array of memory that another library describes. Nothing is copied.
    ///
    /// `owner` keeps the memory alive. Dropping the last array or expression that uses the memory
    /// waits for `stream` and then drops `owner`, on the same thread.
    ///
    /// If the description names a stream, `stream` waits for it. Writing to the array writes to the
    /// memory, unless the memory is read-only or shared among arrays. In that case the array is
    /// copied first.
    ///
    /// # Safety
    /// The caller must ensure that:
    /// - the description is correct: the memory is device memory of the stream's context, has the
    ///   described size, and stays valid until `owner` is dropped;
    /// - a stream number above 2 is the handle of a live stream of that context;
    /// - if no stream is named, previous work on the memory is ordered before `stream`;
    /// - while arrays share the memory, all other writes to it are ordered with `stream` (they
    ///   change those arrays), and so are all other reads unless the memory is read-only;
    /// - there is no `mask`.
    ///
    /// # Errors
    /// Returns [`Error::Foreign`] if:
    /// - the element type is not `T`, the byte order is not the host's, or the memory is not
    ///   aligned;
    /// - a stride is not a multiple of the element size;
    /// - there are more than [`MAX_RANK`] axes;
    /// - the stream is 0;
    /// - the version is neither 2 nor 3.
    ///
    /// After an error, `owner` has been dropped.
    pub unsafe fn from_cuda_array_interface(
        stream: &Stream,
        facts: &CudaArrayInterface<'_>,
        owner: impl Send + Sync + 'static,
    ) -> Result<Self> {
        if !(2..=VERSION).contains(&facts.version) {
            return Err(Error::Foreign(format!(
                "version {} of __cuda_array_interface__: only 2 and 3 are supported",
                facts.version
            )));
        }
        expect_type(&facts.typestr, T::DATA_TYPE)?;
        let lengths: Vec<i64> = facts.shape.iter().map(|&length| length as i64).collect();
        if lengths.len() > MAX_RANK {
            return Err(Error::Foreign(format!(
                "an object of {} axes: arrays have at most {MAX_RANK}. Fix: reshape it first",
                lengths.len()
            )));
        }
        let strides = facts.strides.as_deref();
        let strides = strides.map(|strides| in_elements(strides, &lengths, T::DATA_TYPE));
        let strides = strides.transpose()?;
        if facts.data == 0 && !lengths.contains(&0) {
            return Err(Error::Foreign(format!(
                "an object of shape {lengths:?} has no memory: its address is 0"
            )));
        }
        let place = Place::of(T::DATA_TYPE, &lengths, strides.as_deref(), facts.data)?;
        let kernels = Kernels::of(stream)?;
        if let Some(number) = facts.stream {
            if number == -1 {
                return Err(Error::Foreign(
                    "stream -1 is not allowed: pass None if no ordering is needed".into(),
                ));
            }
            // SAFETY: guaranteed by the caller.
            if let Some(producer) = unsafe { numbered(stream.context(), Some(number))? } {
                stream.wait_stream(&producer)?;
            }
        }
        // SAFETY: guaranteed by the caller.
        let memory = unsafe {
            Foreign::memory(
                place.address,
                place.bytes,
                stream,
                facts.read_only,
                None,
                Box::new(owner),
            )
        };
        Ok(Self::of(
            Arc::new(Memory::foreign(&kernels, memory)),
            place.layout,
        ))
    }
}

fn typestr(data: DataType) -> Result<&'static str> {
    Ok(match data {
        DataType::Bool => "|b1",
        DataType::I8 => "|i1",
        DataType::I16 => "<i2",
        DataType::I32 => "<i4",
        DataType::I64 => "<i8",
        DataType::U8 => "|u1",
        DataType::U16 => "<u2",
        DataType::U32 => "<u4",
        DataType::U64 => "<u8",
        DataType::F16 => "<f2",
        DataType::F32 => "<f4",
        DataType::F64 => "<f8",
        DataType::Complex32 => "<c8",
        DataType::Complex64 => "<c16",
        DataType::F8E4M3 | DataType::F8E5M2 | DataType::Bf16 | DataType::Struct(_) => {
            return Err(Error::Foreign(format!(
                "elements of {} have no name in __cuda_array_interface__. Fix: use DLPack, or reinterpret them as integers",
                data.name()
            )));
        }
    })
}

/// Accepts any byte order for single-byte elements, because some libraries write `<`, `=` or `>`
/// instead of `|`.
fn expect_type(name: &str, wanted: DataType) -> Result<()> {
    let own = typestr(wanted)?;
    let order = name.get(..1).unwrap_or_default();
    let same = name.get(1..) == own.get(1..);
    let ordered = order == "<" || order == "=" || own.starts_with('|') && "|>".contains(order);
    if same && ordered {
        return Ok(());
    }
    Err(Error::Foreign(format!(
        "an object of {name} can't become an array of {} ({own})",
        wanted.name()
    )))
}

fn in_elements(strides: &[isize], lengths: &[i64], data: DataType) -> Result<Vec<i64>> {
    if strides.len() != lengths.len() {
        return Err(Error::Foreign(format!(
            "{} strides for {} axes",
            strides.len(),
            lengths.len()
        )));
    }
    let size = data.size() as i64;
    let axes = strides.iter().zip(lengths);
    let each = axes.map(|(&stride, &length)| match stride as i64 {
        // Strides are not used along such axes.
        _ if length <= 1 => Ok(0),
        stride if stride % size == 0 => Ok(stride / size),
        stride => Err(Error::Foreign(format!(
            "a stride of {stride} bytes is not a multiple of the {size} bytes of {}. Fix: copy the object first",
            data.name()
        ))),
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_those_of_this_machine() {
        let fits = |name, wanted| expect_type(name, wanted).is_ok();
        for name in ["<f4", "=f4"] {
            assert!(fits(name, DataType::F32), "{name}");
        }
        for name in [">f4", "|f4", "<f8", "<i4", "f4", "", "<"] {
            assert!(!fits(name, DataType::F32), "{name}");
        }
        // Single bytes have no order.
        for name in ["|u1", "<u1", "=u1", ">u1"] {
            assert!(fits(name, DataType::U8), "{name}");
        }
        assert!(!fits("?u1", DataType::U8) && !fits("|i1", DataType::U8));
        let error = expect_type(">f4", DataType::F32).unwrap_err().to_string();
        assert!(
            error.contains("an object of >f4 can't become an array of f32 (<f4)"),
            "{error}"
        );
    }

    #[test]
    fn strides_are_whole_elements() {
        let of = |strides: &[isize], lengths: &[i64]| in_elements(strides, lengths, DataType::F32);
        assert_eq!(of(&[12, 4], &[2, 3]).unwrap(), [3, 1]);
        assert_eq!(of(&[-12, 0], &[2, 3]).unwrap(), [-3, 0]);
        // Strides along axes without neighbours may have any value.
        assert_eq!(of(&[7, 4], &[1, 3]).unwrap(), [0, 1]);
        assert_eq!(of(&[7, 4], &[0, 3]).unwrap(), [0, 1]);
        let error = of(&[6, 4], &[2, 3]).unwrap_err().to_string();
        assert!(error.contains("a stride of 6 bytes"), "{error}");
        let error = of(&[4], &[2, 3]).unwrap_err().to_string();
        assert!(error.contains("1 strides for 2 axes"), "{error}");
    }
}
