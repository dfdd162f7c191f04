//! The facts of `__cuda_array_interface__`, version 3.

use std::{borrow::Cow, sync::Arc};

use cuda_safe::Stream;

use super::{
    foreign::Foreign,
    place::Place,
    stream::{numbered, stream_number},
};
use crate::{
    array::{Array, MAX_RANK, Memory},
    element::{DataType, Element},
    error::{Error, Result},
    kernel::Kernels,
};

/// What Python objects tell in the dictionary `__cuda_array_interface__`, version 3: each field is an entry.
///
/// Out of an array, it borrows the array. Work that is enqueued on the memory must be over, or ordered before the array's
/// stream, when the borrow ends.
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
    /// The distance of neighbours along each axis, in bytes; `None` stands for C order.
    pub strides: Option<Cow<'a, [isize]>>,
    /// NumPy's name of the elements' type: the order of bytes, a letter, the bytes of an element.
    pub typestr: Cow<'a, str>,
    /// The device address of the first element; 0 if there are none. The first of the two values of `data`.
    pub data: u64,
    /// Whether the memory must not be written to. The second of the two values of `data`.
    pub read_only: bool,
    /// The stream that a consumer orders its own with: 1 is the legacy default stream, 2 the calling thread's, 0 isn't
    /// allowed. `None`: there is nothing to wait for.
    pub stream: Option<i64>,
    /// 3.
    pub version: u32,
}

const VERSION: u32 = 3;

impl<T: Element> Array<T> {
    /// What `__cuda_array_interface__` tells, of memory that must not be written to. PyTorch refuses that: it wants
    /// [`cuda_array_interface_mut`](Self::cuda_array_interface_mut).
    ///
    /// # Errors
    /// The elements are `bf16`, which have no name there: DLPack has one, or [`reinterpret`](Self::reinterpret) them.
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

    /// What `__cuda_array_interface__` tells, of memory that may be written to, in the order of the array's stream. The
    /// array is copied first if others share its memory, or must not write to it, or if it repeats elements.
    ///
    /// # Errors
    /// As [`cuda_array_interface`](Self::cuda_array_interface). Memory for a copy ran out.
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

    /// An array of memory that another library tells about. Nothing is copied. `owner` is what keeps the memory alive; it
    /// is dropped after the last array or expression that uses the memory, when a wait for `stream` is over, on whatever
    /// thread that is.
    ///
    /// `stream` waits for the stream that is told, if one is. Writing to the array writes to the memory, unless it is
    /// read-only or shared among arrays: then the array is copied first.
    ///
    /// # Safety
    /// What is told is right: it is device memory of the stream's context, as large as told, until `owner` is dropped. A
    /// stream above 2 is the handle of a live stream of that context. If no stream is told, work on the memory is ordered
    /// before `stream`. While arrays share the memory, whatever else writes to it is ordered with `stream`, and changes
    /// those arrays; and unless it is read-only, whatever else reads it is ordered with `stream`. There is no `mask`.
    ///
    /// # Errors
    /// The elements are of another type, in another order of bytes, or not aligned. Strides are no whole elements. There
    /// are more than [`MAX_RANK`] axes. The stream is 0. The version is neither 2 nor 3. `owner` has been dropped.
    pub unsafe fn from_cuda_array_interface(
        stream: &Stream,
        facts: &CudaArrayInterface<'_>,
        owner: impl Send + Sync + 'static,
    ) -> Result<Self> {
        if !(2..=VERSION).contains(&facts.version) {
            return Err(Error::Foreign(format!(
                "version {} of __cuda_array_interface__: this library knows 2 and 3",
                facts.version
            )));
        }
        expect_type(&facts.typestr, T::DATA_TYPE)?;
        let lengths: Vec<i64> = facts.shape.iter().map(|&length| length as i64).collect();
        if lengths.len() > MAX_RANK {
            return Err(Error::Foreign(format!(
                "an object of {} axes: arrays have at most {MAX_RANK}; reshape it first",
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
        let kernels = Kernels::of(stream.context())?;
        if let Some(number) = facts.stream {
            if number == -1 {
                return Err(Error::Foreign(
                    "-1 is no stream: None stands for no order".into(),
                ));
            }
            // SAFETY: by this function's contract.
            if let Some(told) = unsafe { numbered(stream.context(), Some(number))? } {
                stream.wait_stream(&told)?;
            }
        }
        // SAFETY: by this function's contract.
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
        DataType::Bf16 | DataType::Struct(_) => {
            return Err(Error::Foreign(format!(
                "elements of {} have no name in __cuda_array_interface__: use DLPack, or reinterpret them as integers",
                data.name()
            )));
        }
    })
}

/// The order of single bytes doesn't matter: some write `<`, `=` or `>` where others write `|`.
fn expect_type(told: &str, wanted: DataType) -> Result<()> {
    let own = typestr(wanted)?;
    let order = told.get(..1).unwrap_or_default();
    let same = told.get(1..) == own.get(1..);
    let ordered = order == "<" || order == "=" || own.starts_with('|') && "|>".contains(order);
    if same && ordered {
        return Ok(());
    }
    Err(Error::Foreign(format!(
        "an object of {told} is no array of {} ({own})",
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
        // Not used along such axes.
        _ if length <= 1 => Ok(0),
        stride if stride % size == 0 => Ok(stride / size),
        stride => Err(Error::Foreign(format!(
            "a stride of {stride} bytes leads to no whole elements of {}, which have {size}: copy the object first",
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
        let fits = |told, wanted| expect_type(told, wanted).is_ok();
        for told in ["<f4", "=f4"] {
            assert!(fits(told, DataType::F32), "{told}");
        }
        for told in [">f4", "|f4", "<f8", "<i4", "f4", "", "<"] {
            assert!(!fits(told, DataType::F32), "{told}");
        }
        // Single bytes have no order.
        for told in ["|u1", "<u1", "=u1", ">u1"] {
            assert!(fits(told, DataType::U8), "{told}");
        }
        assert!(!fits("?u1", DataType::U8) && !fits("|i1", DataType::U8));
        let error = expect_type(">f4", DataType::F32).unwrap_err().to_string();
        assert!(
            error.contains("an object of >f4 is no array of f32 (<f4)"),
            "{error}"
        );
    }

    #[test]
    fn strides_are_whole_elements() {
        let of = |strides: &[isize], lengths: &[i64]| in_elements(strides, lengths, DataType::F32);
        assert_eq!(of(&[12, 4], &[2, 3]).unwrap(), [3, 1]);
        assert_eq!(of(&[-12, 0], &[2, 3]).unwrap(), [-3, 0]);
        // Where there are no neighbours, they are anything.
        assert_eq!(of(&[7, 4], &[1, 3]).unwrap(), [0, 1]);
        assert_eq!(of(&[7, 4], &[0, 3]).unwrap(), [0, 1]);
        let error = of(&[6, 4], &[2, 3]).unwrap_err().to_string();
        assert!(error.contains("a stride of 6 bytes"), "{error}");
        let error = of(&[4], &[2, 3]).unwrap_err().to_string();
        assert!(error.contains("1 strides for 2 axes"), "{error}");
    }
}
