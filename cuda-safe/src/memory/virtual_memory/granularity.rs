//! The units in which physical memory is made.

use std::ffi::c_uint;

use crate::raw::flags::choices;

choices! {
    /// Which unit [`PhysicalMemory::granularity`](super::PhysicalMemory::granularity) is asked for.
    #[doc(alias = "CUmemAllocationGranularity_flags")]
    pub struct Granularity(c_uint) {
        /// What sizes must be multiples of.
        MINIMUM = 0, "CU_MEM_ALLOC_GRANULARITY_MINIMUM";
        /// What sizes had better be multiples of, for speed.
        RECOMMENDED = 1, "CU_MEM_ALLOC_GRANULARITY_RECOMMENDED";
    }
}
