//! Limits of a context's device, read once.

use crate::{
    device::{Device, attribute::DeviceAttribute},
    error::{Error, Result},
};

/// The limits against which launches are checked, read once per context.
#[derive(Clone, Copy, Default)]
pub(crate) struct Limits {
    pub(crate) block: [u32; 3],
    pub(crate) grid: [u32; 3],
    pub(crate) threads_per_block: u32,
    pub(crate) memory_pools: bool,
}

impl Limits {
    pub(super) fn of(device: Device) -> Result<Self> {
        let read =
            |attribute| Ok::<_, Error>(u32::try_from(device.attribute(attribute)?).unwrap_or(0));
        Ok(Self {
            block: [
                read(DeviceAttribute::MAX_BLOCK_DIM_X)?,
                read(DeviceAttribute::MAX_BLOCK_DIM_Y)?,
                read(DeviceAttribute::MAX_BLOCK_DIM_Z)?,
            ],
            grid: [
                read(DeviceAttribute::MAX_GRID_DIM_X)?,
                read(DeviceAttribute::MAX_GRID_DIM_Y)?,
                read(DeviceAttribute::MAX_GRID_DIM_Z)?,
            ],
            threads_per_block: read(DeviceAttribute::MAX_THREADS_PER_BLOCK)?,
            memory_pools: read(DeviceAttribute::MEMORY_POOLS_SUPPORTED)? != 0,
        })
    }
}
