//! Initialization, version, error texts, entry points, profiler.

use std::ffi::CStr;

use crate::abi::failure_reason;
use crate::abi::pointers::{In, Out, Text, Word};
use crate::abi::status::Code;
use crate::abi::*;
use crate::exports::symbols::{self, Search};
use crate::process::call::{self, export};
use crate::process::{configuration, context, device, exit, warnings};
use crate::queue::fault_output;
use crate::system;

/// Variants to look up.
const LEGACY: u64 = CU_GET_PROC_ADDRESS_LEGACY_STREAM as u64;
const PER_THREAD: u64 = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM as u64;

extern "C" fn forget_initialization() {
    // The child of a fork has no worker threads. As with NVIDIA's driver, it cannot use CUDA.
    call::set_initialized(false);
}

fn find(symbol: Text, pfn: Out<u64>, version: i32, flags: u64) -> Result<Search, Code> {
    pfn.check()?;
    pfn.set(0)?;
    let name = symbol.str()?;
    if flags & !(LEGACY | PER_THREAD) != 0 || version > device::DRIVER_VERSION {
        return Err(Code::ERROR_INVALID_VALUE);
    }
    let found = symbols::find(name, version, flags & PER_THREAD != 0);
    if name == "cuEmulatorGetReport" {
        fault_output::expect_fetches();
    }
    if let Search::Found(address) = found {
        pfn.set(address as u64)?;
    }
    Ok(found)
}

export! {
    early fn cuInit(flags: u32) {
        if flags != 0 || configuration::complaint().is_some() {
            return Err(Code::ERROR_INVALID_VALUE);
        }
        if configuration::get().devices == 0 {
            return Err(Code::ERROR_NO_DEVICE);
        }
        exit::watch();
        static FIRST: std::sync::Once = std::sync::Once::new();
        FIRST.call_once(|| {
            system::stay_loaded();
            system::after_fork(forget_initialization);
        });
        call::set_initialized(true);
        warnings::print_start_notices();
        Ok(())
    }

    // Only the emulator has this function. It explains an error. For a context, it returns the
    // report of the context's fault. For null, it returns the environment variable that cuInit
    // rejects, or the reason for this thread's last failed call.
    early fn cuEmulatorGetReport(context: u64, pStr: Out<usize>) {
        pStr.check()?;
        let address = |text: &CStr| text.as_ptr() as usize;
        let report = match context {
            0 => configuration::complaint().map(address).or_else(failure_reason::address),
            _ => {
                let report = context::get(context)?.report();
                report.inspect(|text| fault_output::fetched(&text.to_string_lossy()));
                report.map(address)
            }
        };
        pStr.set(report.unwrap_or(0))?;
        report.map(drop).ok_or(Code::ERROR_NOT_FOUND)
    }

    early fn cuDriverGetVersion(driverVersion: Out<i32>) {
        driverVersion.set(device::DRIVER_VERSION)
    }

    early fn cuGetErrorName(error: u32, pStr: Out<usize>) {
        pStr.check()?;
        let name = Code(error).texts().map(|(name, _)| name.as_ptr() as usize);
        pStr.set(name.unwrap_or(0))?;
        name.map(drop).ok_or(Code::ERROR_INVALID_VALUE)
    }

    early fn cuGetErrorString(error: u32, pStr: Out<usize>) {
        pStr.check()?;
        let text = Code(error).texts().map(|(_, text)| text.as_ptr() as usize);
        pStr.set(text.unwrap_or(0))?;
        text.map(drop).ok_or(Code::ERROR_INVALID_VALUE)
    }

    early fn cuGetProcAddress(symbol: Text, pfn: Out<u64>, cudaVersion: i32, flags: u64) {
        match find(symbol, pfn, cudaVersion, flags)? {
            Search::Found(_) => Ok(()),
            _ => Err(Code::ERROR_NOT_FOUND),
        }
    }

    early fn cuGetProcAddress_v2(symbol: Text, pfn: Out<u64>, cudaVersion: i32, flags: u64, symbolStatus: Out<u32>) {
        symbolStatus.set_optional(match find(symbol, pfn, cudaVersion, flags)? {
            Search::Found(_) => CU_GET_PROC_ADDRESS_SUCCESS,
            Search::Unknown => CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND,
            Search::TooNew => CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT,
        });
        Ok(())
    }

    early fn cuGetExportTable(ppExportTable: Out<u64>, pExportTableId: In<[u8; 16]>) {
        // Private tables between NVIDIA's own libraries.
        ppExportTable.set(0)?;
        pExportTableId.get()?;
        Err(Code::ERROR_NOT_FOUND)
    }

    // Nothing is profiled, but programs that mark a region for a profiler run unchanged.
    fn cuProfilerStart() {
        context::current().map(drop)
    }

    fn cuProfilerStop() {
        context::current().map(drop)
    }

    fn cuProfilerInitialize(configFile: Word, outputFile: Word, outputMode: u32) {
        Err(Code::ERROR_PROFILER_DISABLED)
    }
}
