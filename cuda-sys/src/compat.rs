//! Types whose Rust definition depends on the header, with uniform constructors and accessors.

use core::ffi::c_int;
use core::mem::offset_of;

use crate::{CUmemLocation, CUmemLocationType};

/// The offset of `id`: it is the `int` after the type. In newer headers, it is in an unnamed union.
const ID: usize = size_of::<CUmemLocationType>();
const _: () = assert!(
    offset_of!(CUmemLocation, type_) == 0 && size_of::<CUmemLocation>() >= ID + size_of::<c_int>()
);

impl CUmemLocation {
    /// Creates a location of `type_` with the identifier `id`, which is a device's number or a host
    /// NUMA node. Types without an identifier ignore it.
    pub fn new(type_: CUmemLocationType, id: c_int) -> Self {
        let mut location = Self {
            type_,
            ..Default::default()
        };
        // SAFETY: the assertion above keeps the write inside of `location`. The int may be
        // unaligned.
        unsafe {
            (&raw mut location)
                .cast::<u8>()
                .add(ID)
                .cast::<c_int>()
                .write_unaligned(id)
        };
        location
    }

    /// Returns the identifier: a device's number or a host NUMA node, depending on the type.
    pub fn identifier(&self) -> c_int {
        // SAFETY: the assertion above keeps the read inside of `self`. Every bit pattern is a valid
        // int, and `new`, `default` and the driver initialise it.
        unsafe {
            (&raw const *self)
                .cast::<u8>()
                .add(ID)
                .cast::<c_int>()
                .read_unaligned()
        }
    }
}
