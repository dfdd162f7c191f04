//! Functions for the whole driver: initialization, versions, and the addresses of functions.

pub(crate) mod callback;
pub(crate) mod newer;

use std::{
    ffi::{CStr, c_int, c_void},
    fmt,
    ptr::{self, NonNull},
    sync::atomic::{AtomicBool, Ordering},
};

use cuda_sys::{self as sys, CUresult};

use crate::error::{
    Error, ErrorKind, Result,
    report::{look_up, report},
};

/// A CUDA version, of the driver or of the run-time compiler.
///
/// ```
/// # use cuda_safe::driver;
/// # fn main() -> cuda_safe::Result<()> {
/// let version = driver::Version { major: 12, minor: 4 };
/// assert_eq!(version.to_string(), "12.4");
/// assert!(version < driver::Version { major: 13, minor: 0 });
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The part before the dot: 13 in 13.0.
    pub major: u32,
    /// The part after the dot: 0 in 13.0.
    pub minor: u32,
}

impl Version {
    /// Converts the driver's version number: 13020 is 13.2.
    pub(crate) const fn from_number(number: u32) -> Self {
        let (major, minor) = (number / 1000, number % 1000 / 10);
        Self { major, minor }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Initializes the driver.
///
/// You need not call this: functions that need the driver initialize it themselves. Each further
/// call costs one load from memory.
///
/// See [`cuInit`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__INITIALIZE.html) in NVIDIA's manual.
///
/// # Errors
/// Returns [`ErrorKind::NoDevice`] if there is no device, or no driver that can start. The error
/// names the remedy.
///
/// ```
/// # use cuda_safe::driver;
/// # fn main() -> cuda_safe::Result<()> {
/// driver::init()?;
/// assert!(driver::init().is_ok()); // does nothing
/// # Ok(())
/// # }
/// ```
#[doc(alias = "cuInit")]
pub fn init() -> Result<()> {
    static READY: AtomicBool = AtomicBool::new(false);
    if READY.load(Ordering::Acquire) {
        return Ok(());
    }
    // SAFETY: no pointers; may be called at any time and from any thread.
    call("cuInit", || unsafe { sys::cuInit(0) }).map_err(explained)?;
    // From now on, the emulator leaves reports to this crate's errors.
    look_up();
    READY.store(true, Ordering::Release);
    Ok(())
}

/// Makes a driver call that needs no current context, and checks its code. Returns an error without
/// making the call if this thread runs a function that the driver calls.
pub(crate) fn call(name: &'static str, call: impl FnOnce() -> CUresult) -> Result<()> {
    callback::reject_in_callback(name)?;
    check(name, call())
}

/// Adds the emulator's report of why it did not start.
#[cold]
fn explained(error: Error) -> Error {
    match error.driver_code() {
        Some(CUresult::CUDA_ERROR_INVALID_VALUE) => match report(ptr::null_mut()) {
            Some(report) => error.with_kind(ErrorKind::NoDevice).with_detail(report),
            None => error,
        },
        _ => error,
    }
}

/// Returns whether the driver starts and this program can see at least one device.
///
/// Use it in programs that can work without a GPU. It initializes the driver, as [`init`] does, and
/// queries the number of devices. It creates no context, and does not check the capabilities of
/// devices. A device that it counts may still not allow a context, for example if another program
/// uses it exclusively.
///
/// If it returns `false`, [`init`] returns the reason. With the feature `dynamic-loading`, the
/// reason may be a missing driver. Without that feature, a program is linked to the driver and does
/// not start without one, so `false` means that the driver does not start or that no device is
/// visible. The result may change from `false` to `true` while the program runs, unless the
/// driver's library was missing at first: it is searched only once.
///
/// ```
/// use cuda_safe::{Context, driver};
///
/// # fn main() -> cuda_safe::Result<()> {
/// if driver::is_available() {
///     let context = Context::primary(0)?;
/// #   drop(context);
/// } else {
///     println!("on the CPU: {}", driver::init().map_or_else(|e| e.to_string(), |()| "no device".into()));
/// }
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn is_available() -> bool {
    let mut count = 0;
    // SAFETY: `count` is valid for the write, and the driver is initialized.
    init().is_ok()
        && unsafe { sys::cuDeviceGetCount(&mut count) } == CUresult::CUDA_SUCCESS
        && count > 0
}

/// Returns the newest CUDA version that the installed driver supports. It needs no device and no
/// initialization.
///
/// See [`cuDriverGetVersion`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VERSION.html) in NVIDIA's manual.
///
/// # Errors
/// Does not fail on a working driver.
///
/// ```
/// # use cuda_safe::driver;
/// # fn main() -> cuda_safe::Result<()> {
/// assert!(driver::version()? >= driver::Version { major: 12, minor: 0 });
/// # Ok(())
/// # }
/// ```
#[doc(alias = "cuDriverGetVersion")]
pub fn version() -> Result<Version> {
    let mut version: c_int = 0;
    // SAFETY: `version` is valid for the write; the call needs no initialization.
    call("cuDriverGetVersion", || unsafe {
        sys::cuDriverGetVersion(&mut version)
    })?;
    Ok(Version::from_number(u32::try_from(version).unwrap_or(0)))
}

/// Returns the address of a driver function, by its name in the documentation, with the signature
/// that it had in CUDA `since`.
///
/// Use it for functions that some supported drivers lack. A program that is linked to such a
/// function does not start if the driver lacks it.
///
/// See [`cuGetProcAddress`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DRIVER__ENTRY__POINT.html) in NVIDIA's manual.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] if the installed driver does not have the function. The error
/// names both versions.
///
/// Returns [`ErrorKind::NoDevice`] if the driver cannot start, as [`init`] does.
///
/// ```
/// use cuda_safe::{ErrorKind, driver};
///
/// let missing = driver::symbol(c"cuFromTheFuture", driver::Version { major: 12, minor: 0 });
/// assert_eq!(*missing.unwrap_err().kind(), ErrorKind::Unsupported);
/// ```
///
/// `cuda-sys` has the type of each function:
///
/// ```
/// use cuda_safe::{driver, sys};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let address = driver::symbol(c"cuDeviceGetCount", driver::Version { major: 12, minor: 0 })?;
/// // SAFETY: the driver gave the address under the name and version of this type.
/// let get_count: sys::PFN_cuDeviceGetCount = unsafe { std::mem::transmute(address) };
/// let mut count = 0;
/// // SAFETY: `count` is valid for the write.
/// assert_eq!(unsafe { get_count(&mut count) }, sys::CUresult::CUDA_SUCCESS);
/// assert!(count > 0);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "cuGetProcAddress")]
pub fn symbol(name: &'static CStr, since: Version) -> Result<NonNull<c_void>> {
    callback::reject_in_callback("cuGetProcAddress")?;
    init()?;
    let mut address = ptr::null_mut();
    let number = since
        .major
        .saturating_mul(1000)
        .saturating_add(since.minor.saturating_mul(10));
    let number = c_int::try_from(number).unwrap_or(c_int::MAX);
    // SAFETY: `name` is NUL-terminated, `address` is valid for the write, and the status may be
    // null.
    let code = unsafe {
        sys::cuGetProcAddress_v2(name.as_ptr(), &mut address, number, 0, ptr::null_mut())
    };
    if let Some(address) = NonNull::new(address)
        && code == CUresult::CUDA_SUCCESS
    {
        return Ok(address);
    }
    let installed = version()?;
    let absent = matches!(
        code,
        CUresult::CUDA_SUCCESS
            | CUresult::CUDA_ERROR_NOT_FOUND
            | CUresult::CUDA_ERROR_NOT_SUPPORTED
    );
    let name = name.to_string_lossy();
    let detail = if installed < since {
        format!(
            "{name} needs a driver of CUDA {since} or newer; the installed one is CUDA {installed}"
        )
    } else if absent {
        format!("the installed driver (CUDA {installed}) has no function {name}")
    } else {
        // The code does not tell whether the function exists.
        return Err(Error::driver("cuGetProcAddress", code));
    };
    Err(
        Error::driver("cuGetProcAddress", CUresult::CUDA_ERROR_NOT_FOUND)
            .with_kind(ErrorKind::Unsupported)
            .with_detail(detail),
    )
}

/// Converts the code of a raw call into a `Result`. If you have a context, use
/// [`Context::check`](crate::Context::check), which can give more details.
///
/// # Errors
/// Returns an error for every code except `CUDA_SUCCESS`.
///
/// ```
/// use cuda_safe::{driver, sys};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let mut version = 0;
/// // SAFETY: `version` is valid for the write.
/// driver::check("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) })?;
/// assert!(version >= 12000);
/// # Ok(())
/// # }
/// ```
#[inline]
pub fn check(call: &'static str, code: CUresult) -> Result<()> {
    if code == CUresult::CUDA_SUCCESS {
        Ok(())
    } else {
        Err(Error::driver(call, code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_parsed_from_the_driver_number() {
        for (number, text) in [
            (13_020, "13.2"),
            (12_000, "12.0"),
            (0, "0.0"),
            (9_120, "9.12"),
        ] {
            assert_eq!(Version::from_number(number).to_string(), text);
        }
    }
}
