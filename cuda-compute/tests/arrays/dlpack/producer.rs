//! Another library, as DLPack's header describes it.

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

/// What the producer says of its memory, true or not.
#[derive(Clone)]
pub struct Told {
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

impl Told {
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

/// How often a tensor's deleter was called, and where.
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
    _told: Told, // its axes are the tensor's
    deletions: Deletions,
    _memory: Box<dyn std::any::Any>,
}

/// A tensor over a copy of the elements; also their address.
pub fn produce<T: Pod>(
    stream: &Stream,
    elements: &[T],
    told: &Told,
) -> (*mut DLManagedTensorVersioned, u64, Deletions) {
    unsafe extern "C" fn delete(tensor: *mut DLManagedTensorVersioned) {
        // SAFETY: made below, and deleted once: a second time the memory checks of the allocator would notice.
        let made = unsafe {
            Box::from_raw(
                (*tensor)
                    .manager_ctx
                    .cast::<Made<DLManagedTensorVersioned>>(),
            )
        };
        made.deletions.add();
    }
    make(stream, elements, told, |told, dl_tensor, manager_ctx| {
        DLManagedTensorVersioned {
            version: told.version,
            manager_ctx,
            deleter: told.deleter.then_some(delete),
            flags: told.flags,
            dl_tensor,
        }
    })
}

/// The same before version 1.0.
pub fn produce_unversioned<T: Pod>(
    stream: &Stream,
    elements: &[T],
    told: &Told,
) -> (*mut DLManagedTensor, u64, Deletions) {
    unsafe extern "C" fn delete(tensor: *mut DLManagedTensor) {
        // SAFETY: as above.
        let made = unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Made<DLManagedTensor>>()) };
        made.deletions.add();
    }
    make(stream, elements, told, |told, dl_tensor, manager_ctx| {
        DLManagedTensor {
            dl_tensor,
            manager_ctx,
            deleter: told.deleter.then_some(delete),
        }
    })
}

/// Frees a tensor that has no deleter, as its producer.
///
/// # Safety
/// `manager_ctx` is that of a tensor of [`produce`] or [`produce_unversioned`], of the type `M`. Nothing uses it any more.
pub unsafe fn free<M>(manager_ctx: *mut c_void) {
    // SAFETY: made below; freed once, by this function's contract.
    drop(unsafe { Box::from_raw(manager_ctx.cast::<Made<M>>()) });
}

fn make<T: Pod, M>(
    stream: &Stream,
    elements: &[T],
    told: &Told,
    structure: impl FnOnce(&Told, DLTensor, *mut c_void) -> M,
) -> (*mut M, u64, Deletions) {
    let memory = DeviceBuffer::from_slice(stream, elements).unwrap();
    let (address, deletions, mut told) =
        (memory.as_device_ptr(), Deletions::default(), told.clone());
    let place = Box::into_raw(Box::<Made<M>>::new_uninit());
    let axes = |axes: &mut Option<Vec<i64>>| axes.as_mut().map_or(ptr::null_mut(), Vec::as_mut_ptr);
    let tensor = DLTensor {
        data: ptr::with_exposed_provenance_mut(if told.data { address as usize } else { 0 }),
        device: told.device,
        ndim: told.ndim,
        dtype: told.dtype,
        shape: axes(&mut told.shape),
        strides: axes(&mut told.strides),
        byte_offset: told.byte_offset,
    };
    let managed = structure(&told, tensor, place.cast());
    // SAFETY: room for it, in the box; the vectors' elements stay where they are.
    let managed = unsafe {
        (*place).write(Made {
            managed,
            _told: told,
            deletions: deletions.clone(),
            _memory: Box::new(memory),
        });
        &raw mut (*place.cast::<Made<M>>()).managed
    };
    (managed, address, deletions)
}
