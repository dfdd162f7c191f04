//! Core dumps of the device: whether a fault writes one, where, and with what in it.
//!
//! A dump holds the state of the device when a kernel faulted: `cuda-gdb` opens it (`target cudacore FILE`). The settings
//! here are those of the environment's variables `CUDA_ENABLE_COREDUMP_ON_EXCEPTION` and so on. [`Coredump::process`] is
//! for contexts that the process creates later; [`Coredump::of`] for one context that there is.
//!
//! Unless [`DumpFlags::SKIP_ABORT`] is set, the driver ends the process (`abort`) when a dump has been written. Turning
//! dumps on is no memory unsafety, but a fault then never returns as an error.
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
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

use cuda_sys::CUresult;

pub use crate::raw::diagnostics::DumpFlags;
use crate::{
    context::{Context, Current},
    driver::{self, callback, check, newer},
    error::{Error, Result},
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

/// Bytes of a text, with the NUL.
const TEXT: usize = 1024;

/// The settings of dumps: of the process, or of a context. See the [module](self).
#[derive(Clone, Debug)]
pub struct Coredump {
    context: Option<Context>,
}

impl Coredump {
    /// The settings of one context. Dumps can be turned on here only before anything runs in it.
    #[must_use]
    pub fn of(context: &Context) -> Self {
        Self {
            context: Some(context.clone()),
        }
    }

    /// The settings that contexts are created with from now on.
    #[must_use]
    pub fn process() -> Self {
        Self { context: None }
    }

    /// Whether a fault writes a dump.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for a driver older than CUDA 12.1, also of all other
    /// methods. The context is unusable after a fault.
    #[doc(alias = "CU_COREDUMP_ENABLE_ON_EXCEPTION")]
    #[doc(alias = "cuCoredumpGetAttribute")]
    #[doc(alias = "cuCoredumpGetAttributeGlobal")]
    pub fn is_enabled(&self) -> Result<bool> {
        self.switch(Setting::Enable)
    }

    /// Sets whether a fault writes a dump.
    ///
    /// # Errors
    /// As [`is_enabled`](Self::is_enabled). `CUDA_ERROR_NOT_PERMITTED` where it is too late, or the environment's
    /// variable decides.
    #[doc(alias = "CU_COREDUMP_ENABLE_ON_EXCEPTION")]
    #[doc(alias = "cuCoredumpSetAttribute")]
    #[doc(alias = "cuCoredumpSetAttributeGlobal")]
    pub fn set_enabled(&self, enabled: bool) -> Result<()> {
        self.set_switch(Setting::Enable, enabled)
    }

    /// Whether the host's process dumps core and ends too. Replaced by [`DumpFlags::SKIP_ABORT`] since CUDA 12.5.
    ///
    /// # Errors
    /// As [`is_enabled`](Self::is_enabled).
    #[doc(alias = "CU_COREDUMP_TRIGGER_HOST")]
    pub fn triggers_host(&self) -> Result<bool> {
        self.switch(Setting::TriggerHost)
    }

    /// Sets whether the host's process dumps core and ends too.
    ///
    /// # Errors
    /// As [`set_enabled`](Self::set_enabled). Drivers may allow this for the process only.
    #[doc(alias = "CU_COREDUMP_TRIGGER_HOST")]
    pub fn set_triggers_host(&self, triggers: bool) -> Result<()> {
        self.set_switch(Setting::TriggerHost, triggers)
    }

    /// Whether dumps have no memory and images. Replaced by [`flags`](Self::flags) since CUDA 12.5.
    ///
    /// # Errors
    /// As [`is_enabled`](Self::is_enabled).
    #[doc(alias = "CU_COREDUMP_LIGHTWEIGHT")]
    pub fn is_lightweight(&self) -> Result<bool> {
        self.switch(Setting::Lightweight)
    }

    /// Sets whether dumps have no memory and images.
    ///
    /// # Errors
    /// As [`set_enabled`](Self::set_enabled).
    #[doc(alias = "CU_COREDUMP_LIGHTWEIGHT")]
    pub fn set_lightweight(&self, lightweight: bool) -> Result<()> {
        self.set_switch(Setting::Lightweight, lightweight)
    }

    /// Whether writing to [`pipe`](Self::pipe) makes a dump of what is running.
    ///
    /// # Errors
    /// As [`is_enabled`](Self::is_enabled).
    #[doc(alias = "CU_COREDUMP_ENABLE_USER_TRIGGER")]
    pub fn has_user_trigger(&self) -> Result<bool> {
        self.switch(Setting::EnableUserTrigger)
    }

    /// Sets whether writing to [`pipe`](Self::pipe) makes a dump of what is running.
    ///
    /// # Errors
    /// As [`set_enabled`](Self::set_enabled).
    #[doc(alias = "CU_COREDUMP_ENABLE_USER_TRIGGER")]
    pub fn set_user_trigger(&self, enabled: bool) -> Result<()> {
        self.set_switch(Setting::EnableUserTrigger, enabled)
    }

    /// Where dumps go; `%h` stands for the host's name, `%p` for the process's number, and `%t` for the time.
    ///
    /// # Errors
    /// As [`is_enabled`](Self::is_enabled).
    #[doc(alias = "CU_COREDUMP_FILE")]
    pub fn file(&self) -> Result<PathBuf> {
        self.text(Setting::File).map(PathBuf::from)
    }

    /// Sets where dumps go: at most 1023 bytes, without NUL.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a longer name, or a NUL in it; otherwise
    /// as [`set_enabled`](Self::set_enabled).
    #[doc(alias = "CU_COREDUMP_FILE")]
    pub fn set_file(&self, path: impl AsRef<Path>) -> Result<()> {
        self.set_text(Setting::File, path.as_ref().as_os_str())
    }

    /// The pipe that makes dumps: see [`has_user_trigger`](Self::has_user_trigger).
    ///
    /// # Errors
    /// As [`is_enabled`](Self::is_enabled).
    #[doc(alias = "CU_COREDUMP_PIPE")]
    pub fn pipe(&self) -> Result<PathBuf> {
        self.text(Setting::Pipe).map(PathBuf::from)
    }

    /// Sets the pipe that makes dumps, before the first context is created.
    ///
    /// # Errors
    /// As [`set_file`](Self::set_file). Drivers allow this for the process only.
    #[doc(alias = "CU_COREDUMP_PIPE")]
    pub fn set_pipe(&self, path: impl AsRef<Path>) -> Result<()> {
        self.set_text(Setting::Pipe, path.as_ref().as_os_str())
    }

    /// What dumps leave out.
    ///
    /// # Errors
    /// As [`is_enabled`](Self::is_enabled). The driver's code where it is older than CUDA 12.5.
    #[doc(alias = "CU_COREDUMP_GENERATION_FLAGS")]
    pub fn flags(&self) -> Result<DumpFlags> {
        let mut flags: c_uint = 0;
        let size = self.get(Setting::Flags, (&raw mut flags).cast(), size_of::<c_uint>())?;
        self.expect_size(size, size_of::<c_uint>())?;
        Ok(DumpFlags(flags))
    }

    /// Sets what dumps leave out.
    ///
    /// # Errors
    /// As [`flags`](Self::flags), and [`set_enabled`](Self::set_enabled).
    #[doc(alias = "CU_COREDUMP_GENERATION_FLAGS")]
    pub fn set_flags(&self, flags: DumpFlags) -> Result<()> {
        let mut flags = flags.0;
        // SAFETY: as many bytes as are said.
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
        // SAFETY: as many bytes as are said.
        unsafe { self.set(setting, (&raw mut value).cast(), 1) }
    }

    fn text(&self, setting: Setting) -> Result<OsString> {
        let mut text = [0u8; TEXT + 1];
        self.get(setting, text.as_mut_ptr().cast(), TEXT)?;
        // The last byte is not the driver's.
        let text = CStr::from_bytes_until_nul(&text).expect("a NUL at the end");
        Ok(OsString::from_vec(text.to_bytes().to_vec()))
    }

    fn set_text(&self, setting: Setting, text: &OsStr) -> Result<()> {
        const CALL: &str = "cuCoredumpSetAttribute";
        let nul = |_| Error::invalid(CALL, format!("{text:?} contains a NUL"));
        let name = CString::new(text.as_bytes()).map_err(nul)?;
        let bytes = name.as_bytes_with_nul().len();
        if bytes > TEXT {
            let reason = format!("a name of {} bytes: 1023 is the most", bytes - 1);
            return Err(Error::invalid(CALL, reason));
        }
        // A room of its own, since the driver takes the value by a pointer to what could be written.
        let mut bytes = name.into_bytes_with_nul();
        // SAFETY: as many bytes as are said, the NUL among them.
        unsafe { self.set(setting, bytes.as_mut_ptr().cast(), bytes.len()) }
    }

    fn enter(&self, call: &'static str) -> Result<Option<Current>> {
        driver::init()?;
        callback::refuse_within(call)?;
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
            format!("the driver gave {size} bytes, not {expected}"),
        ))
    }

    /// Writes at most so many bytes of a setting to `value`. Gives their number.
    fn get(&self, setting: Setting, value: *mut c_void, room: usize) -> Result<usize> {
        let _current = self.enter("cuCoredumpGetAttribute")?;
        let mut size = room;
        let call = match self.context {
            Some(_) => newer::cuCoredumpGetAttribute()?,
            None => newer::cuCoredumpGetAttributeGlobal()?,
        };
        // SAFETY: callers give a place of so many bytes.
        let code = unsafe { call(setting as c_uint, value, &mut size) };
        self.check("cuCoredumpGetAttribute", code)?;
        Ok(size)
    }

    /// # Safety
    /// `value` is of the type of the setting, and has so many bytes.
    unsafe fn set(&self, setting: Setting, value: *mut c_void, mut size: usize) -> Result<()> {
        let _current = self.enter("cuCoredumpSetAttribute")?;
        let call = match self.context {
            Some(_) => newer::cuCoredumpSetAttribute()?,
            None => newer::cuCoredumpSetAttributeGlobal()?,
        };
        // SAFETY: as this function's contract says.
        let code = unsafe { call(setting as c_uint, value, &mut size) };
        self.check("cuCoredumpSetAttribute", code).map_err(|error| match code {
            CUresult::CUDA_ERROR_NOT_PERMITTED => error.with_detail(
                "it is too late for this setting, which has to come before the context is created (Coredump::process), \
                 or it can't be a context's own",
            ),
            _ => error,
        })
    }
}
