//! Types whose Rust form depends on the header, with one way to create and read them.

use core::ffi::c_int;
use core::mem::offset_of;

use crate::{CUmemLocation, CUmemLocationType};

/// Newer headers put `id` into an unnamed union. It is still the `int` after the type.
const ID: usize = size_of::<CUmemLocationType>();
const _: () = assert!(
    offset_of!(CUmemLocation, type_) == 0 && size_of::<CUmemLocation>() >= ID + size_of::<c_int>()
);

impl CUmemLocation {
    /// A location of `type_` with the identifier `id`, if the type has one: a device's number, or a host NUMA node.
    pub fn new(type_: CUmemLocationType, id: c_int) -> Self {
        let mut location = Self {
            type_,
            ..Default::default()
        };
        // SAFETY: the assertion above keeps the write inside of `location`; an int may be unaligned here.
        unsafe {
            (&raw mut location)
                .cast::<u8>()
                .add(ID)
                .cast::<c_int>()
                .write_unaligned(id)
        };
        location
    }

    /// The identifier: a device's number or a host NUMA node, depending on the type.
    pub fn identifier(&self) -> c_int {
        // SAFETY: the assertion above keeps the read inside of `self`; every bit pattern is an int, and a
        // location made by `new`, `default` or the driver is initialised here.
        unsafe {
            (&raw const *self)
                .cast::<u8>()
                .add(ID)
                .cast::<c_int>()
                .read_unaligned()
        }
    }
}
