//! CUDA arrays and mipmapped arrays.

use crate::abi::pointers::{In, Out};
use crate::abi::status::{Code, Result};
use crate::abi::*;
use crate::graph::capture;
use crate::memory::array;
use crate::process::call::export;
use crate::process::device;

fn create(place: Out<u64>, described: Array3dDescriptor) -> Result {
    let place = place.check()?;
    capture::reject_unsafe()?;
    place.set(array::create(described)?.handle)
}

impl From<ArrayDescriptor> for Array3dDescriptor {
    fn from(one: ArrayDescriptor) -> Self {
        Array3dDescriptor {
            width: one.width,
            height: one.height,
            depth: 0,
            format: one.format,
            channels: one.channels,
            flags: 0,
        }
    }
}

export! {
    fn cuArrayCreate_v2(pHandle: Out<u64>, pAllocateArray: In<ArrayDescriptor>) {
        create(pHandle, pAllocateArray.get()?.into())
    }

    fn cuArrayGetDescriptor_v2(pArrayDescriptor: Out<ArrayDescriptor>, hArray: u64) {
        let one = array::get(hArray)?.described;
        pArrayDescriptor.set(ArrayDescriptor {
            width: one.width,
            height: one.height,
            format: one.format,
            channels: one.channels,
        })
    }

    fn cuArray3DCreate_v2(pHandle: Out<u64>, pAllocateArray: In<Array3dDescriptor>) {
        create(pHandle, pAllocateArray.get()?)
    }

    fn cuArray3DGetDescriptor_v2(pArrayDescriptor: Out<Array3dDescriptor>, hArray: u64) {
        pArrayDescriptor.set(array::get(hArray)?.described)
    }

    fn cuArrayDestroy(hArray: u64) {
        capture::reject_unsafe()?;
        array::destroy(hArray)
    }

    fn cuArrayGetPlane(pPlaneArray: Out<u64>, hArray: u64, planeIdx: u32) {
        pPlaneArray.check()?;
        array::get(hArray)?;
        // The emulator creates no arrays with several planes.
        Err(Code::ERROR_INVALID_VALUE)
    }

    fn cuArrayGetMemoryRequirements(memoryRequirements: Out<ArrayRequirements>, array_: u64, device: i32) {
        memoryRequirements.check()?;
        device::check(device)?;
        array::get(array_)?;
        // Only arrays without memory have requirements.
        Err(Code::ERROR_INVALID_VALUE)
    }

    fn cuArrayGetSparseProperties(sparseProperties: Out<SparseProperties>, array_: u64) {
        sparseProperties.check()?;
        array::get(array_)?;
        Err(Code::ERROR_INVALID_VALUE)
    }

    fn cuMipmappedArrayCreate(pHandle: Out<u64>, pMipmappedArrayDesc: In<Array3dDescriptor>, numMipmapLevels: u32) {
        let place = pHandle.check()?;
        let described = pMipmappedArrayDesc.get()?;
        capture::reject_unsafe()?;
        place.set(array::create_mipmapped(described, numMipmapLevels)?.handle)
    }

    fn cuMipmappedArrayGetLevel(pLevelArray: Out<u64>, hMipmappedArray: u64, level: u32) {
        let place = pLevelArray.check()?;
        let whole = array::get_mipmapped(hMipmappedArray)?;
        let level = whole.levels.get(level as usize).ok_or(Code::ERROR_INVALID_VALUE)?;
        place.set(level.handle)
    }

    fn cuMipmappedArrayDestroy(hMipmappedArray: u64) {
        capture::reject_unsafe()?;
        array::destroy_mipmapped(hMipmappedArray)
    }

    fn cuMipmappedArrayGetMemoryRequirements(memoryRequirements: Out<ArrayRequirements>, mipmap: u64, device: i32) {
        memoryRequirements.check()?;
        device::check(device)?;
        array::get_mipmapped(mipmap)?;
        Err(Code::ERROR_INVALID_VALUE)
    }

    fn cuMipmappedArrayGetSparseProperties(sparseProperties: Out<SparseProperties>, mipmap: u64) {
        sparseProperties.check()?;
        array::get_mipmapped(mipmap)?;
        Err(Code::ERROR_INVALID_VALUE)
    }
}
