//! Calls of NVRTC.

use std::{
    env,
    ffi::{CStr, CString, OsString, c_char},
    iter,
    path::PathBuf,
    ptr,
    sync::{Arc, PoisonError},
};

use cuda_sys::{self as sys, nvrtcProgram, nvrtcResult};

use super::{
    Architecture, Program, builtins,
    cancel::{self, Flow},
    compiled::CompiledProgram,
    diagnostics,
    disk_cache::Place,
    mixed,
    nvrtc_path::for_nvrtc,
    precompiled,
    version::{check, nvrtc_version},
};
use crate::{
    device::ComputeCapability,
    error::{Code, Error, ErrorKind, Result},
};

impl Program {
    /// Compiles the program, or takes the result of an earlier compilation from the cache.
    ///
    /// See [`nvrtcCompileProgram`](https://docs.nvidia.com/cuda/nvrtc/index.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Compile`](crate::ErrorKind::Compile), with the log and the source lines
    /// that it refers to, if the program does not compile. Returns
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the compiler does not support
    /// the architecture. Returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument)
    /// if the source, a name or an option contains a NUL character.
    ///
    /// ```
    /// # use cuda_safe::{Architecture, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let program = Program::new("__global__ void nothing() {}");
    /// let compiled = program.compile(Architecture::real_of(90))?;
    /// assert!(compiled.cubin().is_some_and(|code| code.starts_with(b"\x7fELF")));
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "nvrtcCompileProgram")]
    pub fn compile(&self, architecture: Architecture) -> Result<CompiledProgram> {
        compile(self, architecture, None)
    }

    /// Compiles the program for a device with this compute capability.
    ///
    /// The result has PTX, and also machine code if the compiler supports the device.
    ///
    /// # Errors
    /// Returns the errors of [`compile`](Self::compile), and
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if the device is older than every
    /// architecture that the compiler supports.
    ///
    /// ```
    /// # use cuda_safe::{ComputeCapability, Program};
    /// # fn main() -> cuda_safe::Result<()> {
    /// let program = Program::new("__global__ void nothing() {}");
    /// let compiled = program.compile_for(ComputeCapability { major: 9, minor: 0 })?;
    /// assert!(compiled.ptx().contains(".target sm_90"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn compile_for(&self, capability: ComputeCapability) -> Result<CompiledProgram> {
        self.compile(Architecture::for_device(capability)?)
    }

    /// Compiles the program as [`compile`](Self::compile) does, unless `is_cancelled` returns
    /// `true`.
    ///
    /// The compiler calls `is_cancelled` from time to time, on any thread. In it, compilations and
    /// [`set_precompiled_header_heap`](crate::program::set_precompiled_header_heap) return
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument). A panic in it also
    /// cancels the compilation.
    ///
    /// See [`nvrtcSetFlowCallback`](https://docs.nvidia.com/cuda/nvrtc/index.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`compile`](Self::compile). Returns NVRTC's code
    /// `NVRTC_ERROR_CANCELLED` (16) if the compilation was cancelled, and
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) if NVRTC is older than 12.8.
    ///
    /// ```
    /// # use cuda_safe::{Architecture, program::Cache, Code, Program, sys};
    /// let program = Program::new("__global__ void k() {}").cache(Cache::Off);
    /// let error = program.compile_unless(Architecture::virtual_of(90), || true).unwrap_err();
    /// assert!(error.to_string().contains("cancelled"));
    /// ```
    #[doc(alias = "nvrtcSetFlowCallback")]
    pub fn compile_unless(
        &self,
        architecture: Architecture,
        is_cancelled: impl Fn() -> bool + Sync,
    ) -> Result<CompiledProgram> {
        let flow = Flow::new(&is_cancelled);
        compile(self, architecture, Some(&flow))
    }
}

fn compile(
    program: &Program,
    architecture: Architecture,
    flow: Option<&Flow<'_>>,
) -> Result<CompiledProgram> {
    // Before the lock that `run` takes, because a thread that sets the compiler's heap may be
    // waiting for it.
    cancel::reject_in_callback("nvrtcCompileProgram")?;
    precompiled::check(program)?;
    let toolkit = toolkit_include_paths(|name| env::var_os(name), sys::TOOLKIT_INCLUDE_DIRS);
    let mut options = vec![format!("--gpu-architecture={architecture}")];
    options.extend(program.options.iter().cloned());
    for directory in program.include_paths.iter().chain(&toolkit) {
        options.push(format!("--include-path={}", for_nvrtc(directory)));
    }
    let place = Place::of(program, &options, &toolkit);
    let sources = Arc::new(program.sources());
    if let Some(mut compiled) = place.as_ref().and_then(Place::read) {
        compiled.sources = sources;
        return Ok(compiled);
    }
    builtins::preload();
    // Not part of the options in the cache key. The key itself records that line information was
    // requested.
    let lines = (program.lines && !sets_line_info(&program.options)).then(|| LINES.to_owned());
    let all: Vec<_> = options.iter().cloned().chain(lines).collect();
    let mut compiled = run(program, architecture, &all, &toolkit, flow)?;
    compiled.sources = sources;
    if let Some(place) = place {
        place.write(program, &options, &toolkit, &compiled);
    }
    Ok(compiled)
}

const LINES: &str = "--generate-line-info";

/// Returns whether the options themselves determine the line information.
fn sets_line_info(options: &[String]) -> bool {
    options.iter().any(|option| {
        let name = option.trim_start_matches('-');
        let name = name.split('=').next().unwrap_or(name);
        matches!(
            name,
            "G" | "device-debug" | "generate-line-info" | "lineinfo"
        )
    })
}

/// Returns whether the options request link-time optimization.
fn requests_lto(options: &[String]) -> bool {
    options.iter().any(|option| {
        let name = option.trim_matches(' ').trim_start_matches('-');
        matches!(name, "dlto" | "dlink-time-opt" | "gen-opt-lto")
    })
}

/// Returns the toolkit's header folders: those of the machine that the program runs on, or else
/// those that it was built with. The result never mixes two toolkits.
pub(super) fn toolkit_include_paths(
    variable: impl Fn(&str) -> Option<OsString>,
    built_with: &[&str],
) -> Vec<PathBuf> {
    let installed = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"]
        .into_iter()
        .filter_map(variable)
        .map(|root| PathBuf::from(root).join("include"))
        .find(|path| path.join("cuda.h").is_file());
    match installed {
        Some(root) => vec![root.clone(), root.join("cccl")],
        None => built_with.iter().map(PathBuf::from).collect(),
    }
    .into_iter()
    .filter(|path| path.is_dir())
    .collect()
}

/// A program that is destroyed when it goes out of scope.
struct Handle(nvrtcProgram);

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        let _ = unsafe { sys::nvrtcDestroyProgram(&mut self.0) };
    }
}

fn c_string(text: &str, what: &str) -> Result<CString> {
    CString::new(text).map_err(|error| {
        Error::invalid(
            "nvrtcCreateProgram",
            format!(
                "the {what} contains a NUL character at byte {}",
                error.nul_position()
            ),
        )
    })
}

fn c_strings<'a>(texts: impl IntoIterator<Item = &'a str>, what: &str) -> Result<Vec<CString>> {
    texts.into_iter().map(|text| c_string(text, what)).collect()
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_ptr()).collect()
}

fn run(
    program: &Program,
    architecture: Architecture,
    options: &[String],
    toolkit: &[PathBuf],
    flow: Option<&Flow<'_>>,
) -> Result<CompiledProgram> {
    let _heap = precompiled::HEAP
        .read()
        .unwrap_or_else(PoisonError::into_inner);
    let source = c_string(&program.source, "source")?;
    let name = c_string(&program.name, "program's name")?;
    let header_names = c_strings(
        program.headers.iter().map(|(n, _)| n.as_str()),
        "header's name",
    )?;
    let header_texts = c_strings(program.headers.iter().map(|(_, t)| t.as_str()), "header")?;
    let options = c_strings(options.iter().map(String::as_str), "option")?;
    let expressions = c_strings(
        program.name_expressions.iter().map(String::as_str),
        "name expression",
    )?;
    let count = |strings: &[CString]| i32::try_from(strings.len()).unwrap_or(i32::MAX);

    let mut raw = ptr::null_mut();
    // SAFETY: `raw` is valid for writing. All strings are NUL-terminated, and the arrays are as
    // long as their count. NVRTC copies them.
    check("nvrtcCreateProgram", unsafe {
        sys::nvrtcCreateProgram(
            &mut raw,
            source.as_ptr(),
            name.as_ptr(),
            count(&header_texts),
            pointers(&header_texts).as_ptr(),
            pointers(&header_names).as_ptr(),
        )
    })?;
    let handle = Handle(raw);
    for expression in &expressions {
        // SAFETY: the program is live, and the string is NUL-terminated.
        check("nvrtcAddNameExpression", unsafe {
            sys::nvrtcAddNameExpression(handle.0, expression.as_ptr())
        })?;
    }
    if let Some(flow) = flow {
        // SAFETY: the program is live and is compiled only below.
        unsafe { flow.follow(handle.0) }?;
    }
    // SAFETY: the program is live, and the array is as long as its count.
    let code =
        unsafe { sys::nvrtcCompileProgram(handle.0, count(&options), pointers(&options).as_ptr()) };
    let log = text_of(
        &handle,
        sys::nvrtcGetProgramLogSize,
        sys::nvrtcGetProgramLog,
        "nvrtcGetProgramLog",
    )
    .unwrap_or_default();
    if code != nvrtcResult::NVRTC_SUCCESS {
        return Err(compile_error(program, architecture, toolkit, code, log));
    }
    let lowered = expressions
        .iter()
        .zip(&program.name_expressions)
        .map(|(expression, text)| Ok((text.clone(), lowered_name(&handle, expression)?)))
        .collect::<Result<_>>()?;
    let ptx = text_of(
        &handle,
        sys::nvrtcGetPTXSize,
        sys::nvrtcGetPTX,
        "nvrtcGetPTX",
    )?;
    let cubin = if architecture.is_real() {
        let bytes = bytes_of(
            &handle,
            sys::nvrtcGetCUBINSize,
            sys::nvrtcGetCUBIN,
            "nvrtcGetCUBIN",
        )?;
        (!bytes.is_empty()).then_some(bytes)
    } else {
        None
    };
    let lto_ir = if requests_lto(&program.options) {
        let bytes = bytes_of(
            &handle,
            sys::nvrtcGetLTOIRSize,
            sys::nvrtcGetLTOIR,
            "nvrtcGetLTOIR",
        )?;
        (!bytes.is_empty()).then_some(bytes)
    } else {
        None
    };
    Ok(CompiledProgram {
        ptx,
        cubin,
        lto_ir,
        log,
        lowered,
        // SAFETY: the program is live.
        precompiled: unsafe { precompiled::status(program, handle.0) },
        from_cache: false,
        sources: Arc::default(),
    })
}

fn compile_error(
    program: &Program,
    architecture: Architecture,
    toolkit: &[PathBuf],
    code: nvrtcResult,
    log: String,
) -> Error {
    /// `NVRTC_ERROR_CANCELLED`, which is newer than the oldest supported headers.
    const CANCELLED: nvrtcResult = nvrtcResult(16);
    if code == CANCELLED {
        let detail = "the compilation was cancelled";
        return Error::new(
            Code::Nvrtc(code),
            "nvrtcCompileProgram",
            ErrorKind::Driver,
            detail,
        );
    }
    let own = (program.name.as_str(), program.source.as_str());
    let headers = program.headers.iter();
    let headers = headers.map(|(name, text)| (name.as_str(), text.as_str()));
    let mut detail = diagnostics::explain(&log, iter::once(own).chain(headers));
    if code == nvrtcResult::NVRTC_ERROR_INVALID_OPTION {
        // NVRTC reports the option but not its value.
        detail.push_str(&format!(
            "\ncompiled for the architecture {architecture} with the options {:?}",
            program.options
        ));
    }
    if code == nvrtcResult::NVRTC_ERROR_BUILTIN_OPERATION_FAILURE
        && let Some(description) = code.description()
    {
        detail = format!("{detail}\n{description}");
    }
    if let Ok(version) = nvrtc_version() {
        let library = builtins::library();
        let mixed = mixed::explain(&log, toolkit, version, library.as_deref());
        detail.extend(mixed.map(|mixed| format!("\n{mixed}")));
    }
    if !detail.is_empty() {
        detail.insert(0, '\n');
    }
    let call = "nvrtcCompileProgram";
    Error::new(Code::Nvrtc(code), call, ErrorKind::Compile { log }, detail)
}

fn lowered_name(handle: &Handle, expression: &CStr) -> Result<String> {
    let mut lowered = ptr::null();
    // SAFETY: the program is live, the string is NUL-terminated, and `lowered` is valid for
    // writing.
    check("nvrtcGetLoweredName", unsafe {
        sys::nvrtcGetLoweredName(handle.0, expression.as_ptr(), &mut lowered)
    })?;
    // SAFETY: null, or a NUL-terminated string that lives as long as the program.
    unsafe { text_at(lowered) }.ok_or_else(|| {
        let detail = format!("NVRTC returned no name for {expression:?}");
        Error::checked(ErrorKind::NotFound, "nvrtcGetLoweredName", detail)
    })
}

/// Returns the text, or `None` for a null pointer.
///
/// # Safety
/// The caller must ensure that `text` is null or NUL-terminated.
unsafe fn text_at(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: guaranteed by the caller.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

type SizeOf = unsafe extern "C" fn(nvrtcProgram, *mut usize) -> nvrtcResult;
type ContentsOf = unsafe extern "C" fn(nvrtcProgram, *mut c_char) -> nvrtcResult;

fn bytes_of(
    handle: &Handle,
    size_of: SizeOf,
    contents_of: ContentsOf,
    call: &'static str,
) -> Result<Vec<u8>> {
    let mut size = 0;
    // SAFETY: the program is live, and `size` is valid for writing.
    check(call, unsafe { size_of(handle.0, &mut size) })?;
    let mut bytes = vec![0u8; size];
    // SAFETY: the program is live, and the buffer has the size that the call above returned.
    check(call, unsafe {
        contents_of(handle.0, bytes.as_mut_ptr().cast())
    })?;
    Ok(bytes)
}

/// Returns the text without the NUL that terminates it.
fn text_of(
    handle: &Handle,
    size_of: SizeOf,
    contents_of: ContentsOf,
    call: &'static str,
) -> Result<String> {
    let mut bytes = bytes_of(handle, size_of, contents_of, call)?;
    bytes.truncate(
        bytes
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(bytes.len()),
    );
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn nvrtc_codes_become_errors() {
        assert!(check("nvrtcCall", nvrtcResult::NVRTC_SUCCESS).is_ok());
        let error = check("nvrtcCall", nvrtcResult::NVRTC_ERROR_OUT_OF_MEMORY).unwrap_err();
        assert_eq!(error.call(), "nvrtcCall");
        assert!(
            error.to_string().contains("NVRTC_ERROR_OUT_OF_MEMORY"),
            "{error}"
        );
    }

    #[test]
    fn null_name_is_none() {
        // SAFETY: null and a literal.
        let (none, name) = unsafe { (text_at(ptr::null()), text_at(c"name".as_ptr())) };
        assert_eq!(none, None);
        assert_eq!(name.as_deref(), Some("name"));
    }

    #[test]
    fn options_for_line_info_are_recognized() {
        let sets_lines = |options: &[&str]| {
            sets_line_info(&options.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        for option in [
            "-G",
            "--device-debug",
            "-lineinfo",
            "--generate-line-info",
            "-G=true",
        ] {
            assert!(sets_lines(&["-w", option]), "{option}");
        }
        assert!(!sets_lines(&[]) && !sets_lines(&["-w", "--fmad=true", "-DG"]));
    }

    #[test]
    fn include_paths_belong_to_one_toolkit() {
        let folder = env::temp_dir().join(format!("cuda-safe-toolkit-{}", std::process::id()));
        let path = |name: &str| folder.join(name);
        for name in ["with/include/cccl", "old/include", "no/include", "built"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        for name in ["with/include/cuda.h", "old/include/cuda.h", "file"] {
            fs::write(path(name), "").unwrap();
        }
        fs::create_dir_all(path("none/include/cuda.h")).unwrap();
        let found = |variables: &[(&str, &str)]| {
            let variable = |name: &str| {
                let (_, root) = variables.iter().find(|(known, _)| *known == name)?;
                Some(path(root).into_os_string())
            };
            let built = [path("built"), path("file"), path("missing")];
            let built: Vec<_> = built.iter().map(|path| path.to_str().unwrap()).collect();
            let found = toolkit_include_paths(variable, &built);
            let names = found
                .iter()
                .map(|found| found.strip_prefix(&folder).unwrap());
            names
                .map(|name| name.to_str().unwrap().replace('\\', "/"))
                .collect::<Vec<_>>()
        };
        let with = ["with/include", "with/include/cccl"];
        for variable in ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"] {
            assert_eq!(found(&[(variable, "with")]), with);
        }
        assert_eq!(found(&[("CUDA_PATH", "no"), ("CUDA_HOME", "with")]), with);
        assert_eq!(
            found(&[("CUDA_HOME", "old"), ("CUDA_ROOT", "with")]),
            ["old/include"]
        );
        assert_eq!(
            found(&[("CUDA_PATH", "no"), ("CUDA_HOME", "none")]),
            ["built"]
        );
        assert_eq!(found(&[]), ["built"]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
