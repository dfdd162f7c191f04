//! Arrays whose element type is known only at run time.

use cuda_compute::{
    Array, DataType, Element, Error, Expr, Order, Result,
    interop::{CudaArrayInterface, ExportedTensor, ImportedTensor, dlpack::DLDataType},
    s,
};
use cuda_safe::{DeviceBuffer, DeviceView, Stream, bytemuck};
use half::{bf16, f16};
use num_complex::Complex;

/// An array of elements of any type.
pub trait Typed {
    fn another(&self) -> Box<dyn Typed>;
    fn doubled(&self) -> Result<Box<dyn Typed>>;
    fn double(&mut self) -> Result<()>;
    fn transposed(&self) -> Box<dyn Typed>;
    fn every_second(&self) -> Result<Box<dyn Typed>>;
    fn share(&self) -> ExportedTensor;
    fn give(self: Box<Self>) -> Result<ExportedTensor>;
    fn facts(&mut self, writing: bool) -> Result<CudaArrayInterface<'_>>;
    fn read(&self, host: &mut [u8]) -> Result<()>;
}

/// Elements that can be doubled.
trait Doubled: Element {
    fn doubled(array: &Array<Self>) -> Expr<Self>;
}

impl Doubled for bool {
    fn doubled(array: &Array<Self>) -> Expr<Self> {
        !array
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Doubled for $number {
            fn doubled(array: &Array<Self>) -> Expr<Self> {
                array + array
            }
        }
    )*};
}

numbers! { i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, Complex<f32>, Complex<f64> }

impl<T: Doubled> Typed for Array<T> {
    fn another(&self) -> Box<dyn Typed> {
        Box::new(self.clone())
    }

    fn doubled(&self) -> Result<Box<dyn Typed>> {
        Ok(Box::new(T::doubled(self).eval()?))
    }

    fn double(&mut self) -> Result<()> {
        self.assign(T::doubled(self))
    }

    fn transposed(&self) -> Box<dyn Typed> {
        Box::new(self.t())
    }

    fn every_second(&self) -> Result<Box<dyn Typed>> {
        Ok(Box::new(self.slice(s![1..;2])?))
    }

    fn share(&self) -> ExportedTensor {
        self.share_dlpack()
    }

    fn give(self: Box<Self>) -> Result<ExportedTensor> {
        self.into_dlpack()
    }

    fn facts(&mut self, writing: bool) -> Result<CudaArrayInterface<'_>> {
        match writing {
            true => self.cuda_array_interface_mut(),
            false => self.cuda_array_interface(),
        }
    }

    fn read(&self, host: &mut [u8]) -> Result<()> {
        let dense = self.contiguous(Order::C)?;
        let bytes = dense.len() * T::DATA_TYPE.size();
        // SAFETY: the array's own elements, on its stream.
        let view =
            unsafe { DeviceView::<u8>::borrow_raw(dense.as_device_ptr(), bytes, dense.stream()) };
        Ok(view.copy_to_slice(dense.stream(), host)?)
    }
}

/// Calls a function for the element type that a value names.
macro_rules! typed {
    ($data:expr, $function:ident($($argument:expr),*)) => {
        match $data {
            DataType::Bool => $function::<bool>($($argument),*),
            DataType::I8 => $function::<i8>($($argument),*),
            DataType::I16 => $function::<i16>($($argument),*),
            DataType::I32 => $function::<i32>($($argument),*),
            DataType::I64 => $function::<i64>($($argument),*),
            DataType::U8 => $function::<u8>($($argument),*),
            DataType::U16 => $function::<u16>($($argument),*),
            DataType::U32 => $function::<u32>($($argument),*),
            DataType::U64 => $function::<u64>($($argument),*),
            DataType::F16 => $function::<f16>($($argument),*),
            DataType::Bf16 => $function::<bf16>($($argument),*),
            DataType::F32 => $function::<f32>($($argument),*),
            DataType::F64 => $function::<f64>($($argument),*),
            DataType::Complex32 => $function::<Complex<f32>>($($argument),*),
            DataType::Complex64 => $function::<Complex<f64>>($($argument),*),
            other @ (DataType::F8E4M3 | DataType::F8E5M2 | DataType::Struct(_)) => Err(Error::Value(
                format!("Python has no element type {}", other.name()),
            )),
        }
    };
}

/// Creates an array with a copy of the host's elements.
pub fn new(
    stream: &Stream,
    dtype: DLDataType,
    lengths: &[usize],
    host: &[u8],
) -> Result<Box<dyn Typed>> {
    fn make<T: Doubled>(stream: &Stream, lengths: &[usize], host: &[u8]) -> Result<Box<dyn Typed>> {
        let elements: Vec<T::Stored> = bytemuck::pod_collect_to_vec(host);
        let buffer = DeviceBuffer::from_slice(stream, &elements)?;
        Ok(Box::new(Array::<T>::from_buffer(buffer, lengths)?))
    }
    let data = dtype.data_type();
    let data = data.ok_or_else(|| Error::Value(format!("arrays of {dtype} are not supported")))?;
    typed!(data, make(stream, lengths, host))
}

/// Creates an array from a tensor's memory.
///
/// # Safety
/// The conditions of `ImportedTensor::into_array` or `ImportedTensor::into_array_with_producer` apply.
pub unsafe fn take(
    stream: &Stream,
    tensor: ImportedTensor,
    producer: Option<&Stream>,
) -> Result<Box<dyn Typed>> {
    fn make<T: Doubled>(
        stream: &Stream,
        tensor: ImportedTensor,
        producer: Option<&Stream>,
    ) -> Result<Box<dyn Typed>> {
        // SAFETY: by the contract of `take`.
        let array: Array<T> = unsafe {
            match producer {
                Some(producer) => tensor.into_array_with_producer(stream, producer)?,
                None => tensor.into_array(stream)?,
            }
        };
        Ok(Box::new(array))
    }
    typed!(tensor.data_type()?, make(stream, tensor, producer))
}

/// Creates an array from the memory that another object describes.
///
/// # Safety
/// The conditions of `Array::from_cuda_array_interface` apply.
pub unsafe fn of_facts(
    stream: &Stream,
    interface: &CudaArrayInterface<'_>,
    owner: impl Send + Sync + 'static,
) -> Result<Box<dyn Typed>> {
    fn make<T: Doubled>(
        stream: &Stream,
        interface: &CudaArrayInterface<'_>,
        owner: impl Send + Sync + 'static,
    ) -> Result<Box<dyn Typed>> {
        // SAFETY: by the contract of `of_facts`.
        Ok(Box::new(unsafe {
            Array::<T>::from_cuda_array_interface(stream, interface, owner)?
        }))
    }
    match interface.typestr.get(1..).unwrap_or_default() {
        "b1" => make::<bool>(stream, interface, owner),
        "i1" => make::<i8>(stream, interface, owner),
        "i2" => make::<i16>(stream, interface, owner),
        "i4" => make::<i32>(stream, interface, owner),
        "i8" => make::<i64>(stream, interface, owner),
        "u1" => make::<u8>(stream, interface, owner),
        "u2" => make::<u16>(stream, interface, owner),
        "u4" => make::<u32>(stream, interface, owner),
        "u8" => make::<u64>(stream, interface, owner),
        "f2" => make::<f16>(stream, interface, owner),
        "f8" => make::<f64>(stream, interface, owner),
        "c8" => make::<Complex<f32>>(stream, interface, owner),
        "c16" => make::<Complex<f64>>(stream, interface, owner),
        _ => make::<f32>(stream, interface, owner), // returns an error with the actual type
    }
}
