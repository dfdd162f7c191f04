//! Errors: the driver call that failed, the reason and the remedy.

pub(crate) mod fault;
pub(crate) mod report;
#[cfg(feature = "nvrtc")]
pub(crate) mod sources;

use std::{fmt, sync::Arc};

use cuda_sys::CUresult;
#[cfg(feature = "nvrtc")]
use cuda_sys::nvrtcResult;

#[cfg(feature = "nvrtc")]
use crate::raw::nvjitlink::JitLinkStatus;

/// The result type of this crate.
///
/// ```
/// # use cuda_safe::{Context, Module};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// fn kernel_count(context: &Context, source: &str) -> cuda_safe::Result<usize> {
///     Ok(Module::compile(context, source)?.function_names()?.len())
/// }
/// assert_eq!(kernel_count(&context, "__global__ void a() {} __global__ void b() {}")?, 2);
/// assert!(kernel_count(&context, "no CUDA C++").is_err());
/// # Ok(())
/// # }
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure: the call that failed, its code, and the known details of the reason.
///
/// `Display` prints one paragraph for people. Programs use [`kind`](Self::kind) and
/// [`code`](Self::code) to decide what to do next. `Debug` prints the same paragraph, because
/// `unwrap` and a `main` that returns a [`Result`] use it. `{:#?}` prints the fields.
///
/// ```
/// # use cuda_safe::{Context, ErrorKind, Module};
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let error = Module::compile(&context, "__global__ void k() { not_a_name = 1; }").unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Compile { .. }));
/// assert!(error.to_string().contains("not_a_name"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    code: Code,
    call: &'static str,
    kind: ErrorKind,
    detail: String,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// The code that the failed call of an [`Error`] returned.
///
/// ```
/// # use cuda_safe::{Code, Context, DeviceBuffer, Stream};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// # let stream = Stream::new(&context)?;
/// let buffer = DeviceBuffer::<f32>::zeroed(&stream, 4)?;
/// let error = buffer.slice(2..9).unwrap_err();
/// assert_eq!(error.code(), Code::Checked); // found before any driver call
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// A code of the driver.
    Driver(CUresult),
    /// A code of NVRTC, the run-time compiler.
    #[cfg(feature = "nvrtc")]
    Nvrtc(nvrtcResult),
    /// A code of nvJitLink, the optimizing linker.
    #[cfg(feature = "nvrtc")]
    JitLink(JitLinkStatus),
    /// No code: the mistake was found before any driver call.
    Checked,
}

/// The kind of failure of an [`Error`].
///
/// ```
/// # use cuda_safe::{Context, ErrorKind, Module};
/// # fn main() -> cuda_safe::Result<()> {
/// # let context = Context::primary(0)?;
/// match Module::from_ptx(&context, "no PTX").unwrap_err().kind() {
///     ErrorKind::Load { log } => println!("the driver says: {log}"),
///     other => panic!("{other:?}"),
/// }
/// assert!(matches!(
///     Module::compile(&context, "no CUDA C++").unwrap_err().kind(),
///     ErrorKind::Compile { log } if !log.is_empty(),
/// ));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The driver returned an error that no other kind describes. See [`Error::code`].
    Driver,
    /// There is no usable device, or no driver.
    NoDevice,
    /// There is no run-time compiler: the library of NVRTC or nvJitLink is missing.
    NoCompiler,
    /// The source did not compile.
    Compile {
        /// The compiler's complete log.
        log: String,
    },
    /// The image could not be loaded or linked on this device.
    Load {
        /// The driver's complete log, or an empty string if it wrote none.
        log: String,
    },
    /// The launch does not match the kernel or the device. Nothing was launched.
    LaunchArguments,
    /// A kernel is declared with a signature that differs from its code.
    Signature,
    /// The device or the host ran out of memory.
    OutOfMemory {
        /// The bytes that were requested, or 0 if they are not known.
        requested: usize,
        /// The bytes of device memory that were free just after the failure, or 0 if host memory
        /// ran out.
        free: usize,
        /// The total bytes of device memory, or 0 if host memory ran out.
        total: usize,
    },
    /// No function, variable or file has that name.
    NotFound,
    /// The driver, the device or the compiler is too old or lacks the feature.
    Unsupported,
    /// An argument is wrong, which was found without a driver call.
    InvalidArgument,
    /// A kernel faulted. Its context is unusable from now on.
    Fault,
    /// The call failed because of an earlier fault, which made the context unusable.
    Poisoned,
}

impl Error {
    pub(crate) fn new(
        code: Code,
        call: &'static str,
        kind: ErrorKind,
        detail: impl Into<String>,
    ) -> Self {
        Self(Box::new(Inner {
            code,
            call,
            kind,
            detail: detail.into(),
            source: None,
        }))
    }

    /// Returns the error of a mistake that was found before any driver call.
    pub(crate) fn checked(kind: ErrorKind, call: &'static str, detail: impl Into<String>) -> Self {
        Self::new(Code::Checked, call, kind, detail)
    }

    pub(crate) fn invalid(call: &'static str, detail: impl Into<String>) -> Self {
        Self::checked(ErrorKind::InvalidArgument, call, detail)
    }

    /// Returns the error of an argument that can't be passed to a kernel, of kind
    /// [`ErrorKind::LaunchArguments`].
    ///
    /// For implementations of [`KernelArgument`](crate::launch::KernelArgument).
    ///
    /// ```
    /// use cuda_safe::{Error, ErrorKind};
    ///
    /// let error = Error::launch_argument("the array is not contiguous");
    /// assert_eq!(*error.kind(), ErrorKind::LaunchArguments);
    /// assert_eq!(error.to_string(), "Function::launch: the array is not contiguous");
    /// ```
    #[cold]
    #[must_use]
    pub fn launch_argument(detail: impl Into<String>) -> Self {
        Self::checked(ErrorKind::LaunchArguments, "Function::launch", detail)
    }

    /// Returns the error of a raw driver call.
    ///
    /// It explains the code and names a remedy, like the errors of this crate's own calls. If you
    /// have a context, use [`Context::check`](crate::Context::check), which can give more details.
    ///
    /// ```
    /// use cuda_safe::{Error, ErrorKind, sys::CUresult};
    ///
    /// let error = Error::driver("cuMemcpyPeer", CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    /// assert_eq!(*error.kind(), ErrorKind::Fault);
    /// assert!(error.to_string().starts_with("cuMemcpyPeer failed: CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
    /// ```
    #[cold]
    #[must_use]
    pub fn driver(call: &'static str, code: CUresult) -> Self {
        if code == CUresult::CUDA_ERROR_NO_DEVICE
            && let Err(missing) = cuda_sys::loading::driver()
        {
            let missing = missing.to_string();
            return Self::new(Code::Driver(code), call, ErrorKind::NoDevice, missing);
        }
        let reported = match code {
            CUresult::CUDA_ERROR_NOT_SUPPORTED => Some(ErrorKind::Unsupported),
            CUresult::CUDA_ERROR_INVALID_VALUE => Some(ErrorKind::Driver),
            _ => None,
        };
        if let Some(kind) = reported
            && let Some(report) = report::report(std::ptr::null_mut())
        {
            return Self::new(Code::Driver(code), call, kind, report);
        }
        let (kind, detail) = match code {
            CUresult::CUDA_ERROR_NO_DEVICE => (
                ErrorKind::NoDevice,
                "there is a driver, but no GPU. Fix: check `nvidia-smi`, CUDA_VISIBLE_DEVICES, and whether a laptop's \
                 GPU is switched off (on the emulator, check CUDA_EMULATOR_DEVICES)",
            ),
            CUresult::CUDA_ERROR_NOT_INITIALIZED | CUresult::CUDA_ERROR_STUB_LIBRARY => (
                ErrorKind::NoDevice,
                "the driver could not start. Fix: install the NVIDIA driver, or build with CUDA_EMULATOR=1. A process made \
                 by fork cannot use CUDA after its parent has: start it with std::process::Command",
            ),
            CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => (
                ErrorKind::NoDevice,
                "libcuda and the kernel driver have different versions. Fix: reboot after a driver update",
            ),
            CUresult::CUDA_ERROR_NOT_SUPPORTED => (
                ErrorKind::Unsupported,
                "not supported by this driver or device",
            ),
            CUresult::CUDA_ERROR_NOT_PERMITTED => (
                ErrorKind::Driver,
                "not permitted here: for example, the driver forbids this call in a host function",
            ),
            CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => (
                ErrorKind::Driver,
                "a stream is being captured, on this thread or with CU_STREAM_CAPTURE_MODE_GLOBAL, and the capture \
                 forbids this call. The capture is now invalid. Fix: end it, and capture with \
                 CU_STREAM_CAPTURE_MODE_RELAXED, or make this call before or after the capture",
            ),
            CUresult::CUDA_ERROR_STREAM_CAPTURE_ISOLATION => (
                ErrorKind::Driver,
                "a stream that is being captured can't wait for one that is not captured",
            ),
            _ if is_fault(code) => {
                let detail = format!("{FAULTED}. {DROP}. {FIND}");
                return Self::new(Code::Driver(code), call, ErrorKind::Fault, detail);
            }
            _ => (ErrorKind::Driver, ""),
        };
        Self::new(Code::Driver(code), call, kind, detail)
    }

    /// Returns the error of a raw NVRTC call.
    #[cfg(feature = "nvrtc")]
    #[cold]
    #[must_use]
    pub fn nvrtc(call: &'static str, code: nvrtcResult) -> Self {
        if let Err(missing) = cuda_sys::loading::nvrtc() {
            let missing = missing.to_string();
            return Self::new(Code::Nvrtc(code), call, ErrorKind::NoCompiler, missing);
        }
        Self::new(Code::Nvrtc(code), call, ErrorKind::Driver, "")
    }

    pub(crate) fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = detail.into();
        self
    }

    pub(crate) fn with_source(
        mut self,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    pub(crate) fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Returns the kind of failure.
    ///
    /// ```
    /// # use cuda_safe::{Device, ErrorKind};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let error = Device::get(12_345).unwrap_err();
    /// assert_eq!(*error.kind(), ErrorKind::NoDevice);
    /// assert_eq!(error.call(), "cuDeviceGet");
    /// assert!(error.detail().contains("12345"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the code that the call returned.
    ///
    /// ```
    /// # use cuda_safe::{Code, Device, sys::CUresult};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let error = Device::get(12_345).unwrap_err();
    /// assert_eq!(error.code(), Code::Driver(CUresult::CUDA_ERROR_INVALID_DEVICE));
    /// assert_eq!(error.driver_code(), Some(CUresult::CUDA_ERROR_INVALID_DEVICE));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Returns the driver's code, or `None` if the error does not come from the driver.
    #[must_use]
    pub fn driver_code(&self) -> Option<CUresult> {
        match self.0.code {
            Code::Driver(code) => Some(code),
            _ => None,
        }
    }

    /// Returns the name of the function that failed: of the driver, of NVRTC or of this crate.
    #[must_use]
    pub fn call(&self) -> &'static str {
        self.0.call
    }

    /// Returns the known details of the reason, such as a log, the existing names, the sizes that
    /// differ, or the remedy. May be empty.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.0.detail
    }
}

/// The texts about faults in error messages.
pub(crate) const FAULTED: &str =
    "a kernel of this process faulted, which makes every CUDA context of the process unusable";
pub(crate) const DROP: &str = "Fix: end the process, and continue in a new one";
pub(crate) const FIND: &str = "To find the faulting line, run the program under compute-sanitizer or on the emulator: kernels \
    have line information, unless you call Program::without_line_info";

/// Returns whether this code, returned by the context that faulted, means that no work of the
/// context is running any more.
pub(crate) fn ends_context(code: CUresult) -> bool {
    is_fault(code)
        || matches!(
            code,
            // A raw call or another library destroyed or reset it. The driver waited for the work.
            CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
            // The process is ending, and the driver has shut down.
            | CUresult::CUDA_ERROR_DEINITIALIZED
        )
}

/// Returns whether a context returns only errors after this code.
pub(crate) fn is_fault(code: CUresult) -> bool {
    // These codes are newer than the oldest supported headers.
    const CONTAINED: CUresult = CUresult(226);
    const TENSOR_MEMORY_LEAK: CUresult = CUresult(721);
    const EXTERNAL_DEVICE: CUresult = CUresult(911);
    matches!(
        code,
        CONTAINED
            | TENSOR_MEMORY_LEAK
            | EXTERNAL_DEVICE
            | CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
            | CUresult::CUDA_ERROR_ASSERT
            | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
            | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUresult::CUDA_ERROR_INVALID_PC
            | CUresult::CUDA_ERROR_LAUNCH_FAILED
            | CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
            | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
    )
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            code,
            call,
            kind,
            detail,
            source: _,
        } = &*self.0;
        f.write_str(call)?;
        match code {
            Code::Driver(code) => {
                let name = code.name().unwrap_or("unknown error");
                write!(f, " failed: {name} ({})", code.0)?;
                if detail.is_empty()
                    && let Some(description) = code.description()
                {
                    write!(f, ": {description}")?;
                }
            }
            #[cfg(feature = "nvrtc")]
            Code::Nvrtc(code) => {
                write!(
                    f,
                    " failed: {} ({})",
                    code.name().unwrap_or("unknown error"),
                    code.0
                )?;
            }
            #[cfg(feature = "nvrtc")]
            Code::JitLink(status) => write!(f, " failed: {status}")?,
            Code::Checked => {}
        }
        if detail.starts_with('\n') {
            write!(f, ":{detail}")?;
        } else if !detail.is_empty() {
            write!(f, ": {detail}")?;
        }
        if let ErrorKind::OutOfMemory {
            requested,
            free,
            total,
        } = kind
        {
            if *requested > 0 {
                write!(f, ": {requested} bytes were requested")?;
            }
            // The driver cannot report the free host memory.
            if *total > 0 {
                let before = if *requested > 0 { "," } else { ":" };
                write!(f, "{before} {free} of {total} bytes were free")?;
            }
        }
        Ok(())
    }
}

/// Prints the same as `Display`, because `main` and `unwrap` show errors with `Debug`. `{:#?}`
/// prints the fields.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return fmt::Display::fmt(self, f);
        }
        f.debug_struct("Error")
            .field("code", &self.0.code)
            .field("call", &self.0.call)
            .field("kind", &self.0.kind)
            .field("detail", &self.0.detail)
            .finish()
    }
}

impl std::error::Error for Error {
    /// Returns the failure outside of CUDA that caused this one, such as that of reading a file.
    /// `Display` includes it.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source: &(dyn std::error::Error + 'static) = self.0.source.as_deref()?;
        Some(source)
    }
}

impl PartialEq for Error {
    /// Compares the [`code`](Error::code) and the [`kind`](Error::kind), but not the call.
    fn eq(&self, other: &Self) -> bool {
        self.0.code == other.0.code && self.0.kind == other.0.kind
    }
}

impl From<CUresult> for Error {
    /// Converts the code of a driver call, for `?` on [`CUresult::result`] if the call need not be
    /// named.
    ///
    /// The conversion does not check the code: `CUDA_SUCCESS` becomes an error too.
    ///
    /// ```
    /// use cuda_safe::{driver, sys};
    ///
    /// fn device(ordinal: i32) -> cuda_safe::Result<sys::CUdevice> {
    ///     driver::init()?;
    ///     let mut device = 0;
    ///     // SAFETY: `device` is valid for the write.
    ///     unsafe { sys::cuDeviceGet(&mut device, ordinal) }.result()?;
    ///     Ok(device)
    /// }
    /// let error = device(-1).unwrap_err();
    /// assert_eq!(error.driver_code(), Some(sys::CUresult::CUDA_ERROR_INVALID_DEVICE));
    /// ```
    fn from(code: CUresult) -> Self {
        Self::driver("a driver call", code)
    }
}

#[cfg(feature = "nvrtc")]
impl From<nvrtcResult> for Error {
    /// Converts the code of an NVRTC call, for `?` on `nvrtcResult::result` if the call need not be
    /// named.
    fn from(code: nvrtcResult) -> Self {
        Self::nvrtc("a call of NVRTC", code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_map_to_kinds_and_remedies() {
        for (code, kind, text) in [
            (
                CUresult::CUDA_ERROR_NO_DEVICE,
                ErrorKind::NoDevice,
                "nvidia-smi",
            ),
            (
                CUresult::CUDA_ERROR_NOT_INITIALIZED,
                ErrorKind::NoDevice,
                "install the NVIDIA driver",
            ),
            (
                CUresult::CUDA_ERROR_STUB_LIBRARY,
                ErrorKind::NoDevice,
                "install the NVIDIA driver",
            ),
            (
                CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
                ErrorKind::NoDevice,
                "reboot",
            ),
            (
                CUresult::CUDA_ERROR_NOT_SUPPORTED,
                ErrorKind::Unsupported,
                "not supported",
            ),
            (
                CUresult::CUDA_ERROR_NOT_PERMITTED,
                ErrorKind::Driver,
                "host function",
            ),
            (
                CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                ErrorKind::Driver,
                "is being captured",
            ),
            (
                CUresult::CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                ErrorKind::Driver,
                "can't wait for one",
            ),
            (
                CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
                ErrorKind::Fault,
                "compute-sanitizer",
            ),
            (
                CUresult::CUDA_ERROR_INVALID_VALUE,
                ErrorKind::Driver,
                "outside the range",
            ),
        ] {
            let error = Error::driver("cuCall", code);
            assert_eq!(*error.kind(), kind, "{error}");
            assert_eq!((error.call(), error.driver_code()), ("cuCall", Some(code)));
            assert!(error.to_string().contains(text), "{error}");
            assert!(
                error.to_string().starts_with("cuCall failed: CUDA_ERROR_"),
                "{error}"
            );
            assert!(
                error.to_string().contains(&format!("({})", code.0)),
                "{error}"
            );
        }
        let unheard_of = Error::driver("cuCall", CUresult(54_321));
        assert_eq!(
            unheard_of.to_string(),
            "cuCall failed: unknown error (54321)"
        );
    }

    #[test]
    fn fault_codes_end_the_context() {
        for code in [
            214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 911,
        ] {
            assert!(
                is_fault(CUresult(code)) && ends_context(CUresult(code)),
                "{code}"
            );
        }
        for code in [4, 709] {
            assert!(
                !is_fault(CUresult(code)) && ends_context(CUresult(code)),
                "{code}"
            );
        }
        for code in [
            1, 2, 3, 100, 201, 400, 600, 720, 800, 802, 900, 901, 910, 999,
        ] {
            assert!(
                !is_fault(CUresult(code)) && !ends_context(CUresult(code)),
                "{code}"
            );
        }
    }

    #[test]
    fn errors_are_equal_by_code_and_kind() {
        let fault = |call| Error::driver(call, CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(fault("a"), fault("b").with_detail("d"));
        assert_ne!(fault("a"), fault("a").with_kind(ErrorKind::Poisoned));
        assert_ne!(fault("a"), Error::invalid("a", ""));
        let code = CUresult::CUDA_ERROR_INVALID_VALUE;
        assert_eq!(Error::from(code), Error::driver("cuCall", code));
    }

    #[test]
    fn with_source_keeps_the_source() {
        use std::error::Error as _;
        let error = Error::invalid("Type::method", "what is wrong");
        assert!(error.source().is_none());
        let error = error.with_source(std::io::Error::other("the disk"));
        assert_eq!(error.source().unwrap().to_string(), "the disk");
        assert_eq!(error.clone().source().unwrap().to_string(), "the disk");
    }

    #[test]
    fn display_prints_call_code_and_detail() {
        let error = Error::invalid("Type::method", "what is wrong");
        assert_eq!(error.to_string(), "Type::method: what is wrong");
        assert_eq!(
            (error.call(), error.detail()),
            ("Type::method", "what is wrong")
        );
        assert_eq!((error.code(), error.driver_code()), (Code::Checked, None));
        let lines = Error::invalid("Type::method", "\nfirst\nsecond");
        assert_eq!(lines.to_string(), "Type::method:\nfirst\nsecond");
        for error in [&error, &lines] {
            assert_eq!(
                format!("{error:?}"),
                error.to_string(),
                "what unwrap prints"
            );
        }
        let fields = format!("{error:#?}");
        assert!(
            fields.starts_with("Error {\n")
                && fields.contains("call: \"Type::method\"")
                && fields.contains("kind: InvalidArgument"),
            "{fields}"
        );
        let full = |requested, total| {
            let kind = ErrorKind::OutOfMemory {
                requested,
                free: 5,
                total,
            };
            Error::driver("cuCall", CUresult::CUDA_ERROR_OUT_OF_MEMORY)
                .with_kind(kind)
                .with_detail("d")
        };
        let shown = full(7, 9).to_string();
        assert!(
            shown.ends_with(": d: 7 bytes were requested, 5 of 9 bytes were free"),
            "{shown}"
        );
        let shown = full(0, 9).to_string();
        assert!(shown.ends_with(": d: 5 of 9 bytes were free"), "{shown}");
        let shown = full(7, 0).to_string();
        assert!(shown.ends_with(": d: 7 bytes were requested"), "{shown}");
    }
}
