//! Core dumps of the device after a fault: whether, where and with which contents they are written.
//!
//! A dump holds the state of the device when a kernel faulted. Open it in `cuda-gdb` with
//! `target cudacore FILE`. The settings correspond to the environment variables
//! `CUDA_ENABLE_COREDUMP_ON_EXCEPTION` and similar. [`Coredump::process`] applies to contexts that
//! the process creates later, and [`Coredump::of`] to one existing context.
//!
//! Unless [`DumpFlags::SKIP_ABORT`] is set, the driver ends the process (`abort`) after writing a
//! dump. Enabling dumps is memory-safe, but a fault then never returns as an error.
//!
//! ```
//! use cuda_safe::{Context, ContextFlags, Device, coredump::{Coredump, DumpFlags}};
//!
//! # fn main() -> cuda_safe::Result<()> {
//! let context = Context::create(Device::get(0)?, ContextFlags::AUTO)?;
//! let dumps = Coredump::of(&context);
//! # if dumps.is_enabled().is_err() { return Ok(()); }
//! assert!(!dumps.is_enabled()?); // by default
//! dumps.set_flags(DumpFlags::SKIP_GLOBAL_MEMORY | DumpFlags::SKIP_ABORT)?;
//! println!("a dump would go to {:?}", dumps.file()?);
//! # Ok(())
//! # }
//! ```

use std::{
    ffi::{CStr, CString, OsStr, OsString, c_uint, c_void},
    path::{Path, PathBuf},
};

use cuda_sys::CUresult;

pub use crate::raw::diagnostics::DumpFlags;
use crate::{
    context::{Context, Current},
    driver::{self, callback, check, newer},
    error::{Error, Result},
    raw::file::{path_bytes, path_from_bytes},
};

/// `CUcoredumpSettings`
#[derive(Clone, Copy)]
enum Setting {
    Enable = 1,
    TriggerHost = 2,
    Lightweight = 3,
    EnableUserTrigger = 4,
    File = 5,
    Pipe = 6,
    Flags = 7,
}

/// The size of a text in bytes, including the NUL.
const TEXT: usize = 1024;

/// The core dump settings of the process or of a context. See the [module](self).
#[derive(Clone, Debug)]
pub struct Coredump {
    context: Option<Context>,
}

impl Coredump {
    /// Returns the settings of one context. Dumps can be enabled here only before anything runs in
    /// the context.
    #[must_use]
    pub fn of(context: &Context) -> Self {
        Self {
            context: Some(context.clone()),
        }
    }

    /// Returns the settings for contexts that are created later.
    #[must_use]
    pub fn process() -> Self {
        Self { context: None }
    }

    /// Returns whether a fault writes a dump.
    ///
    /// See [`cuCoredumpGetAttribute`, `cuCoredumpGetAttributeGlobal`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__COREDUMP.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the driver is older
    /// than CUDA 12.1. This applies to all methods. Returns an error if the context is unusable
    /// after a fault.
    #[doc(alias = "CU_COREDUMP_ENABLE_ON_EXCEPTION")]
    #[doc(alias = "cuCoredumpGetAttribute")]
    #[doc(alias = "cuCoredumpGetAttributeGlobal")]
    pub fn is_enabled(&self) -> Result<bool> {
        self.switch(Setting::Enable)
    }

    /// Sets whether a fault writes a dump.
    ///
    /// See [`cuCoredumpSetAttribute`, `cuCoredumpSetAttributeGlobal`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__COREDUMP.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns `CUDA_ERROR_NOT_PERMITTED` if it is too late, or if the environment variable has
    /// precedence. Also returns the errors of [`is_enabled`](Self::is_enabled).
    #[doc(alias = "CU_COREDUMP_ENABLE_ON_EXCEPTION")]
    #[doc(alias = "cuCoredumpSetAttribute")]
    #[doc(alias = "cuCoredumpSetAttributeGlobal")]
    pub fn set_enabled(&self, enabled: bool) -> Result<()> {
        self.set_switch(Setting::Enable, enabled)
    }

    /// Returns whether the host process also dumps core and ends. Replaced by
    /// [`DumpFlags::SKIP_ABORT`] since CUDA 12.5.
    ///
    /// # Errors
    /// Returns the errors of [`is_enabled`](Self::is_enabled).
    #[doc(alias = "CU_COREDUMP_TRIGGER_HOST")]
    pub fn triggers_host(&self) -> Result<bool> {
        self.switch(Setting::TriggerHost)
    }

    /// Sets whether the host process also dumps core and ends.
    ///
    /// # Errors
    /// Returns the errors of [`set_enabled`](Self::set_enabled). Drivers may allow this only for
    /// the process.
    #[doc(alias = "CU_COREDUMP_TRIGGER_HOST")]
    pub fn set_triggers_host(&self, triggers: bool) -> Result<()> {
        self.set_switch(Setting::TriggerHost, triggers)
    }

    /// Returns whether dumps contain no memory and no images. Replaced by [`flags`](Self::flags)
    /// since CUDA 12.5.
    ///
    /// # Errors
    /// Returns the errors of [`is_enabled`](Self::is_enabled).
    #[doc(alias = "CU_COREDUMP_LIGHTWEIGHT")]
    pub fn is_lightweight(&self) -> Result<bool> {
        self.switch(Setting::Lightweight)
    }

    /// Sets whether dumps contain no memory and no images.
    ///
    /// # Errors
    /// Returns the errors of [`set_enabled`](Self::set_enabled).
    #[doc(alias = "CU_COREDUMP_LIGHTWEIGHT")]
    pub fn set_lightweight(&self, lightweight: bool) -> Result<()> {
        self.set_switch(Setting::Lightweight, lightweight)
    }

    /// Returns whether writing to [`pipe`](Self::pipe) creates a dump of the running work.
    ///
    /// # Errors
    /// Returns the errors of [`is_enabled`](Self::is_enabled).
    #[doc(alias = "CU_COREDUMP_ENABLE_USER_TRIGGER")]
    pub fn has_user_trigger(&self) -> Result<bool> {
        self.switch(Setting::EnableUserTrigger)
    }

    /// Sets whether writing to [`pipe`](Self::pipe) creates a dump of the running work.
    ///
    /// # Errors
    /// Returns the errors of [`set_enabled`](Self::set_enabled).
    #[doc(alias = "CU_COREDUMP_ENABLE_USER_TRIGGER")]
    pub fn set_user_trigger(&self, enabled: bool) -> Result<()> {
        self.set_switch(Setting::EnableUserTrigger, enabled)
    }

    /// Returns the path of dumps. `%h` is replaced by the host name, `%p` by the process ID, and
    /// `%t` by the time.
    ///
    /// # Errors
    /// Returns the errors of [`is_enabled`](Self::is_enabled).
    #[doc(alias = "CU_COREDUMP_FILE")]
    pub fn file(&self) -> Result<PathBuf> {
        self.text(Setting::File).map(PathBuf::from)
    }

    /// Sets the path of dumps: at most 1023 bytes, without NUL.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the path is
    /// longer or contains a NUL, and on Windows if it is not ASCII. Also returns the errors of [`set_enabled`](Self::set_enabled).
    #[doc(alias = "CU_COREDUMP_FILE")]
    pub fn set_file(&self, path: impl AsRef<Path>) -> Result<()> {
        self.set_text(Setting::File, path.as_ref().as_os_str())
    }

    /// Returns the path of the pipe that creates dumps. See
    /// [`has_user_trigger`](Self::has_user_trigger).
    ///
    /// # Errors
    /// Returns the errors of [`is_enabled`](Self::is_enabled).
    #[doc(alias = "CU_COREDUMP_PIPE")]
    pub fn pipe(&self) -> Result<PathBuf> {
        self.text(Setting::Pipe).map(PathBuf::from)
    }

    /// Sets the path of the pipe that creates dumps. Call this before the first context is created.
    ///
    /// # Errors
    /// Returns the errors of [`set_file`](Self::set_file). Drivers allow this only for the process.
    #[doc(alias = "CU_COREDUMP_PIPE")]
    pub fn set_pipe(&self, path: impl AsRef<Path>) -> Result<()> {
        self.set_text(Setting::Pipe, path.as_ref().as_os_str())
    }

    /// Returns the parts that dumps omit.
    ///
    /// # Errors
    /// Returns the driver's error if the driver is older than CUDA 12.5. Also returns the errors of
    /// [`is_enabled`](Self::is_enabled).
    #[doc(alias = "CU_COREDUMP_GENERATION_FLAGS")]
    pub fn flags(&self) -> Result<DumpFlags> {
        let mut flags: c_uint = 0;
        let size = self.get(Setting::Flags, (&raw mut flags).cast(), size_of::<c_uint>())?;
        self.expect_size(size, size_of::<c_uint>())?;
        Ok(DumpFlags(flags))
    }

    /// Sets the parts that dumps omit.
    ///
    /// # Errors
    /// Returns the errors of [`flags`](Self::flags) and [`set_enabled`](Self::set_enabled).
    #[doc(alias = "CU_COREDUMP_GENERATION_FLAGS")]
    pub fn set_flags(&self, flags: DumpFlags) -> Result<()> {
        let mut flags = flags.0;
        // SAFETY: the value has that size.
        unsafe { self.set(Setting::Flags, (&raw mut flags).cast(), size_of::<c_uint>()) }
    }

    fn switch(&self, setting: Setting) -> Result<bool> {
        let mut value = 0u8; // any byte is allowed here, unlike in a bool
        let size = self.get(setting, (&raw mut value).cast(), 1)?;
        self.expect_size(size, 1)?;
        Ok(value != 0)
    }

    fn set_switch(&self, setting: Setting, value: bool) -> Result<()> {
        let mut value = u8::from(value);
        // SAFETY: the value has that size.
        unsafe { self.set(setting, (&raw mut value).cast(), 1) }
    }

    fn text(&self, setting: Setting) -> Result<OsString> {
        let mut text = [0u8; TEXT + 1];
        self.get(setting, text.as_mut_ptr().cast(), TEXT)?;
        // The driver cannot write the last byte.
        let text = CStr::from_bytes_until_nul(&text).expect("a NUL at the end");
        Ok(path_from_bytes(text.to_bytes().to_vec()))
    }

    fn set_text(&self, setting: Setting, text: &OsStr) -> Result<()> {
        const CALL: &str = "cuCoredumpSetAttribute";
        let nul = |_| Error::invalid(CALL, format!("{text:?} contains a NUL"));
        let bytes = path_bytes(text)
            .map_err(|reason| Error::invalid(CALL, format!("{text:?} {reason}")))?;
        let name = CString::new(bytes).map_err(nul)?;
        let bytes = name.as_bytes_with_nul().len();
        if bytes > TEXT {
            let reason = format!(
                "the path has {} bytes, but at most 1023 are allowed",
                bytes - 1
            );
            return Err(Error::invalid(CALL, reason));
        }
        // A mutable copy, because the driver takes a pointer to mutable memory.
        let mut bytes = name.into_bytes_with_nul();
        // SAFETY: the value has that size, including the NUL.
        unsafe { self.set(setting, bytes.as_mut_ptr().cast(), bytes.len()) }
    }

    fn enter(&self, call: &'static str) -> Result<Option<Current>> {
        driver::init()?;
        callback::reject_in_callback(call)?;
        let context = self.context.as_ref();
        context.map(|context| context.enter(call)).transpose()
    }

    fn check(&self, call: &'static str, code: CUresult) -> Result<()> {
        match &self.context {
            Some(context) => context.check(call, code),
            None => check(call, code),
        }
    }

    fn expect_size(&self, size: usize, expected: usize) -> Result<()> {
        if size == expected {
            return Ok(());
        }
        Err(Error::invalid(
            "cuCoredumpGetAttribute",
            format!("the driver returned {size} bytes instead of {expected}"),
        ))
    }

    /// Writes at most `room` bytes of a setting to `value`, and returns their number.
    fn get(&self, setting: Setting, value: *mut c_void, room: usize) -> Result<usize> {
        let _current = self.enter("cuCoredumpGetAttribute")?;
        let mut size = room;
        let call = match self.context {
            Some(_) => newer::cuCoredumpGetAttribute()?,
            None => newer::cuCoredumpGetAttributeGlobal()?,
        };
        // SAFETY: callers pass memory of `room` bytes.
        let code = unsafe { call(setting as c_uint, value, &mut size) };
        self.check("cuCoredumpGetAttribute", code)?;
        Ok(size)
    }

    /// Changes a setting.
    ///
    /// # Safety
    /// The caller must ensure that `value` has the type of the setting and `size` bytes.
    unsafe fn set(&self, setting: Setting, value: *mut c_void, mut size: usize) -> Result<()> {
        let _current = self.enter("cuCoredumpSetAttribute")?;
        let call = match self.context {
            Some(_) => newer::cuCoredumpSetAttribute()?,
            None => newer::cuCoredumpSetAttributeGlobal()?,
        };
        // SAFETY: guaranteed by this function's contract.
        let code = unsafe { call(setting as c_uint, value, &mut size) };
        self.check("cuCoredumpSetAttribute", code).map_err(|error| match code {
            CUresult::CUDA_ERROR_NOT_PERMITTED => error.with_detail(
                "this setting cannot be changed now. Fix: set it before the context is created (Coredump::process). Some \
                 settings cannot differ between contexts",
            ),
            _ => error,
        })
    }
}
