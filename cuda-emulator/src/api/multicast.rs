//! Multicast objects: memory on several devices to which one store writes.
//!
//! The emulator has no NVSwitch. All calls return the codes of an H200 without one (driver 580).

use crate::abi::pointers::{In, Out};
use crate::abi::status::Code;
use crate::process::call::export;

export! {
    fn cuMulticastCreate(mcHandle: Out<u64>, prop: In<u64>) {
        Err(Code::ERROR_NOT_SUPPORTED)
    }

    fn cuMulticastAddDevice(mcHandle: u64, dev: i32) {
        Err(Code::ERROR_NOT_SUPPORTED)
    }

    fn cuMulticastBindMem(mcHandle: u64, mcOffset: usize, memHandle: u64, memOffset: usize, size: usize, flags: u64) {
        Err(Code::ERROR_NOT_SUPPORTED)
    }

    fn cuMulticastBindMem_v2(mcHandle: u64, dev: i32, mcOffset: usize, memHandle: u64, memOffset: usize, size: usize, flags: u64) {
        Err(Code::ERROR_NOT_SUPPORTED)
    }

    fn cuMulticastBindAddr(mcHandle: u64, mcOffset: usize, memptr: u64, size: usize, flags: u64) {
        Err(Code::ERROR_NOT_SUPPORTED)
    }

    fn cuMulticastBindAddr_v2(mcHandle: u64, dev: i32, mcOffset: usize, memptr: u64, size: usize, flags: u64) {
        Err(Code::ERROR_NOT_SUPPORTED)
    }

    fn cuMulticastUnbind(mcHandle: u64, dev: i32, mcOffset: usize, size: usize) {
        Err(Code::ERROR_NOT_SUPPORTED)
    }

    fn cuMulticastGetGranularity(granularity: Out<usize>, prop: In<u64>, option: u32) {
        Err(Code::ERROR_NOT_SUPPORTED)
    }
}
