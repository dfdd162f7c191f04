//! The two sides of a box copy, in memory of each kind, and their expected contents.

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::abi::*;

pub const SIZE: usize = 1024;
pub const DEVICE: CUmemorytype = CUmemorytype::CU_MEMORYTYPE_DEVICE;
pub const HOST: CUmemorytype = CUmemorytype::CU_MEMORYTYPE_HOST;
pub const UNIFIED: CUmemorytype = CUmemorytype::CU_MEMORYTYPE_UNIFIED;
pub const ARRAY: CUmemorytype = CUmemorytype::CU_MEMORYTYPE_ARRAY;

/// Returns a zeroed C struct.
pub fn zeroed<T>() -> T {
    // SAFETY: Only used for plain C structs, for which zero is a valid value.
    unsafe { std::mem::zeroed() }
}

pub fn pattern() -> Vec<u8> {
    (0..SIZE).map(|at| (at % 251 + 1) as u8).collect()
}

/// The layout of one side: offset of the first byte, row pitch and slice pitch in bytes.
pub type Layout = [usize; 3];

/// Returns the contents of the target after a copy of `extent` into zeros.
pub fn expected(to: Layout, from: Layout, extent: [usize; 3]) -> Vec<u8> {
    let (source, mut all) = (pattern(), vec![0; SIZE]);
    for z in 0..extent[2] {
        for y in 0..extent[1] {
            let [to, from] = [to, from].map(|side| side[0] + y * side[1] + z * side[2]);
            all[to..][..extent[0]].copy_from_slice(&source[from..][..extent[0]]);
        }
    }
    all
}

/// The memory kinds of both sides of a copy: target, source.
pub const KINDS: [[CUmemorytype; 2]; 6] = [
    [DEVICE, DEVICE],
    [DEVICE, HOST],
    [HOST, DEVICE],
    [HOST, HOST],
    [UNIFIED, HOST],
    [DEVICE, UNIFIED],
];

/// A zeroed target and a source with the pattern, in memory of the given kinds.
pub struct Sides {
    pub kinds: [CUmemorytype; 2],
    pub host: [Vec<u8>; 2],
    pub device: [CUdeviceptr; 2],
}

impl Sides {
    pub fn new(kinds: [CUmemorytype; 2]) -> Sides {
        let host = [vec![0; SIZE], pattern()];
        let device = [upload(&host[0]), upload(&host[1])];
        Sides {
            kinds,
            host,
            device,
        }
    }

    pub fn host(&mut self, side: usize) -> *mut c_void {
        match self.kinds[side] {
            HOST => self.host[side].as_mut_ptr().cast(),
            _ => null_mut(),
        }
    }

    pub fn device(&self, side: usize) -> CUdeviceptr {
        match self.kinds[side] {
            HOST => 0,
            _ => self.device[side],
        }
    }

    pub fn target(&self) -> Vec<u8> {
        ok!(cuCtxSynchronize());
        match self.kinds[0] {
            HOST => self.host[0].clone(),
            _ => download(self.device[0], SIZE),
        }
    }
}
