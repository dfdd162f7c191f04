//! `cudaError_t`: the codes that kernels can get, and their texts in memory that kernels can read.

use std::sync::OnceLock;

use crate::boundary::Region;
use crate::state::frame::Buffer;

macro_rules! errors {
    ($($variant:ident = $code:literal, $text:literal;)*) => {
        /// A `cudaError_t`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        #[allow(dead_code, reason = "some are used only for their texts")]
        pub(super) enum Error {
            $($variant = $code,)*
        }

        const TEXTS: &[(u32, &str, &str)] = &[
            (0, "cudaSuccess", "no error"),
            $(($code, concat!("cudaError", stringify!($variant)), $text),)*
        ];
    };
}

errors! {
    InvalidValue = 1, "invalid argument";
    MemoryAllocation = 2, "out of memory";
    InvalidConfiguration = 9, "invalid configuration argument";
    InvalidPitchValue = 12, "invalid pitch argument";
    InvalidMemcpyDirection = 21, "invalid copy direction for memcpy";
    LaunchMaxDepthExceeded = 65, "launch would exceed maximum depth of nested launches";
    SyncDepthExceeded = 68, "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth";
    LaunchPendingCountExceeded = 69, "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount";
    InvalidDeviceFunction = 98, "invalid device function";
    NoDevice = 100, "no CUDA-capable device is detected";
    InvalidDevice = 101, "invalid device ordinal";
    StartupFailure = 127, "startup failure in cuda runtime";
    InvalidKernelImage = 200, "device kernel image is invalid";
    UnsupportedLimit = 215, "limit is not supported on this architecture";
    InvalidResourceHandle = 400, "invalid resource handle";
    NotReady = 600, "device not ready";
    IllegalAddress = 700, "an illegal memory access was encountered";
    LaunchOutOfResources = 701, "too many resources requested for launch";
    LaunchFailure = 719, "unspecified launch failure";
    CooperativeLaunchTooLarge = 720, "too many blocks in cooperative launch";
    NotSupported = 801, "operation not supported";
    InvalidClusterSize = 912, "cluster misconfiguration";
    Unknown = 999, "unknown error";
}

const UNKNOWN: &str = "unrecognized error code";

/// The texts, each terminated by NUL.
struct Strings {
    memory: Buffer,
    size: u64,
    /// Offsets of the name and the text of each row, and of [`UNKNOWN`].
    rows: Vec<(u64, u64)>,
    unknown: u64,
}

fn strings() -> &'static Strings {
    static STRINGS: OnceLock<Strings> = OnceLock::new();
    STRINGS.get_or_init(|| {
        let mut bytes = Vec::new();
        let mut add = |text: &str| {
            let at = bytes.len() as u64;
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(0);
            at
        };
        let rows = TEXTS.iter().map(|row| (add(row.1), add(row.2))).collect();
        let unknown = add(UNKNOWN);
        let memory = Buffer::new(bytes.len());
        // SAFETY: the buffer is as long as the bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory.ptr(), bytes.len()) };
        Strings {
            memory,
            size: bytes.len() as u64,
            rows,
            unknown,
        }
    })
}

fn text(code: u32, of: impl Fn(&(u64, u64)) -> u64) -> u64 {
    let strings = strings();
    let row = TEXTS.iter().position(|row| row.0 == code);
    let offset = row.map_or(strings.unknown, |row| of(&strings.rows[row]));
    strings.memory.ptr() as u64 + offset
}

/// Returns the address of a code's name.
pub(super) fn name_of(code: u32) -> u64 {
    text(code, |row| row.0)
}

/// Returns the address of a code's description.
pub(super) fn description_of(code: u32) -> u64 {
    text(code, |row| row.1)
}

/// Returns the memory of the texts.
pub(super) fn region() -> Region {
    let strings = strings();
    Region {
        base: strings.memory.ptr() as u64,
        size: strings.size,
        writable: false,
        id: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(address: u64) -> String {
        // SAFETY: the texts end in NUL and live as long as the process.
        let text = unsafe { std::ffi::CStr::from_ptr(address as *const _) };
        text.to_str().unwrap().into()
    }

    #[test]
    fn codes_have_names_and_texts() {
        assert_eq!(read(name_of(0)), "cudaSuccess");
        assert_eq!(
            read(name_of(Error::InvalidValue as u32)),
            "cudaErrorInvalidValue"
        );
        assert_eq!(read(description_of(801)), "operation not supported");
        assert_eq!(read(description_of(12345)), UNKNOWN);
        assert_eq!(read(name_of(12345)), UNKNOWN);
        let last = description_of(12345) + UNKNOWN.len() as u64 + 1;
        assert_eq!(last, region().base + region().size);
    }
}
