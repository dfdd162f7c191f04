//! A producer of DLPack tensors that follows DLPack's header.

use std::{
    ffi::c_void,
    ptr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, ThreadId},
};

use cuda_compute::interop::dlpack::{
    DLDataType, DLDevice, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion,
    DLTensor, VERSION,
};
use cuda_safe::{DeviceBuffer, Stream, bytemuck::Pod};

pub const F32: DLDataType = DLDataType {
    code: 2,
    bits: 32,
    lanes: 1,
};

/// The fields of the tensor to produce, which may be wrong on purpose.
#[derive(Clone)]
pub struct Description {
    pub version: DLPackVersion,
    pub flags: u64,
    pub device: DLDevice,
    pub ndim: i32,
    pub dtype: DLDataType,
    pub shape: Option<Vec<i64>>,
    pub strides: Option<Vec<i64>>,
    pub byte_offset: u64,
    pub data: bool,
    pub deleter: bool,
}

impl Description {
    pub fn of(dtype: DLDataType, shape: &[i64]) -> Self {
        Self {
            version: VERSION,
            flags: 0,
            device: DLDevice {
                device_type: DLDeviceType::CUDA,
                device_id: 0,
            },
            ndim: shape.len() as i32,
            dtype,
            shape: Some(shape.to_vec()),
            strides: None,
            byte_offset: 0,
            data: true,
            deleter: true,
        }
    }

    pub fn strides(self, strides: &[i64]) -> Self {
        let strides = Some(strides.to_vec());
        Self { strides, ..self }
    }
}

/// The number of calls of a tensor's deleter, and the thread of the last one.
#[derive(Clone, Default)]
pub struct Deletions(Arc<(AtomicUsize, std::sync::Mutex<Option<ThreadId>>)>);

impl Deletions {
    pub fn count(&self) -> usize {
        self.0.0.load(Ordering::SeqCst)
    }

    pub fn thread(&self) -> Option<ThreadId> {
        *self.0.1.lock().unwrap()
    }

    fn add(&self) {
        self.0.0.fetch_add(1, Ordering::SeqCst);
        *self.0.1.lock().unwrap() = Some(thread::current().id());
    }
}

struct Made<M> {
    managed: M,
    _description: Description, // its axes are the tensor's
    deletions: Deletions,
    _memory: Box<dyn std::any::Any>,
}

/// Creates a tensor over a copy of the elements. Also returns its address.
pub fn produce<T: Pod>(
    stream: &Stream,
    elements: &[T],
    description: &Description,
) -> (*mut DLManagedTensorVersioned, u64, Deletions) {
    unsafe extern "C" fn delete(tensor: *mut DLManagedTensorVersioned) {
        // SAFETY: The tensor was created below and is deleted once. The allocator's memory checks
        // would detect a second deletion.
        let made = unsafe {
            Box::from_raw(
                (*tensor)
                    .manager_ctx
                    .cast::<Made<DLManagedTensorVersioned>>(),
            )
        };
        made.deletions.add();
    }
    make(
        stream,
        elements,
        description,
        |description, dl_tensor, manager_ctx| DLManagedTensorVersioned {
            version: description.version,
            manager_ctx,
            deleter: description.deleter.then_some(delete),
            flags: description.flags,
            dl_tensor,
        },
    )
}

/// Creates a tensor of the structure used before version 1.0.
pub fn produce_unversioned<T: Pod>(
    stream: &Stream,
    elements: &[T],
    description: &Description,
) -> (*mut DLManagedTensor, u64, Deletions) {
    unsafe extern "C" fn delete(tensor: *mut DLManagedTensor) {
        // SAFETY: as above.
        let made = unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Made<DLManagedTensor>>()) };
        made.deletions.add();
    }
    make(
        stream,
        elements,
        description,
        |description, dl_tensor, manager_ctx| DLManagedTensor {
            dl_tensor,
            manager_ctx,
            deleter: description.deleter.then_some(delete),
        },
    )
}

/// Frees a tensor without a deleter, as its producer does.
///
/// # Safety The caller must ensure that:
/// - `manager_ctx` belongs to a tensor of [`produce`] or [`produce_unversioned`] with the type `M`;
/// - the tensor is not used afterwards.
pub unsafe fn free<M>(manager_ctx: *mut c_void) {
    // SAFETY: The box was created below. The caller frees it once.
    drop(unsafe { Box::from_raw(manager_ctx.cast::<Made<M>>()) });
}

fn make<T: Pod, M>(
    stream: &Stream,
    elements: &[T],
    description: &Description,
    structure: impl FnOnce(&Description, DLTensor, *mut c_void) -> M,
) -> (*mut M, u64, Deletions) {
    let memory = DeviceBuffer::from_slice(stream, elements).unwrap();
    let address = memory.as_device_ptr();
    let deletions = Deletions::default();
    let mut description = description.clone();
    let place = Box::into_raw(Box::<Made<M>>::new_uninit());
    let axes = |axes: &mut Option<Vec<i64>>| axes.as_mut().map_or(ptr::null_mut(), Vec::as_mut_ptr);
    let tensor = DLTensor {
        data: ptr::with_exposed_provenance_mut(if description.data {
            address as usize
        } else {
            0
        }),
        device: description.device,
        ndim: description.ndim,
        dtype: description.dtype,
        shape: axes(&mut description.shape),
        strides: axes(&mut description.strides),
        byte_offset: description.byte_offset,
    };
    let managed = structure(&description, tensor, place.cast());
    // SAFETY: The box has room for the value. Moving the vectors does not move their elements.
    let managed = unsafe {
        (*place).write(Made {
            managed,
            _description: description,
            deletions: deletions.clone(),
            _memory: Box::new(memory),
        });
        &raw mut (*place.cast::<Made<M>>()).managed
    };
    (managed, address, deletions)
}
