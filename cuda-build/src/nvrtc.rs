//! Finds and calls NVRTC.

use std::{
    env,
    ffi::{CString, c_char, c_int, c_void},
    path::{Path, PathBuf},
    ptr,
};

use cuda_find::{Handle, NVRTC};

use crate::{Error, Result};

type Program = *mut c_void;
type Strings = *const *const c_char;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    Strings,
    Strings,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, Strings) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Contents = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
type ErrorString = unsafe extern "C" fn(c_int) -> *const c_char;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;

/// The library's functions. All of them have existed with these signatures since CUDA 12.0.
struct Functions {
    create: Create,
    compile: Compile,
    log_size: Size,
    log: Contents,
    ptx_size: Size,
    ptx: Contents,
    cubin_size: Size,
    cubin: Contents,
    destroy: Destroy,
    error_string: ErrorString,
    version: Version,
}

impl Functions {
    /// # Safety
    /// The caller must ensure that the library is NVRTC if it has functions of these names.
    unsafe fn of(library: Handle) -> std::result::Result<Self, String> {
        // SAFETY: the functions of these names have these signatures.
        unsafe {
            Ok(Self {
                create: library.function(c"nvrtcCreateProgram")?,
                compile: library.function(c"nvrtcCompileProgram")?,
                log_size: library.function(c"nvrtcGetProgramLogSize")?,
                log: library.function(c"nvrtcGetProgramLog")?,
                ptx_size: library.function(c"nvrtcGetPTXSize")?,
                ptx: library.function(c"nvrtcGetPTX")?,
                cubin_size: library.function(c"nvrtcGetCUBINSize")?,
                cubin: library.function(c"nvrtcGetCUBIN")?,
                destroy: library.function(c"nvrtcDestroyProgram")?,
                error_string: library.function(c"nvrtcGetErrorString")?,
                version: library.function(c"nvrtcVersion")?,
            })
        }
    }
}

/// The opened compiler library.
pub(crate) struct Nvrtc {
    functions: Functions,
    /// The folders that contain it, and the target of its symbolic link, if they are known.
    folders: Vec<PathBuf>,
}

/// The result of compiling a program.
pub(crate) struct Code {
    pub(crate) ptx: String,
    /// The machine code, which is empty for a virtual architecture.
    pub(crate) cubin: Vec<u8>,
}

impl Nvrtc {
    pub(crate) fn find() -> Result<Self> {
        let found_by_sys = env::var_os("DEP_CUDA_NVRTC_DIR").filter(|folder| !folder.is_empty());
        Self::find_first_in(found_by_sys.map(PathBuf::from).as_slice())
    }

    /// Searches these folders before the usual places.
    fn find_first_in(folders: &[PathBuf]) -> Result<Self> {
        // SAFETY: the file has NVRTC's name.
        let accept = |library, file: &Path| Ok((unsafe { Functions::of(library) }?, file.into()));
        let found: std::result::Result<(Functions, PathBuf), _> =
            NVRTC.open(&[13, 12], folders, None, accept);
        let (functions, file) = found.map_err(|missing| {
            // Cargo sets the first variable if the crate depends on cuda-direct-sys. If the second is
            // set, only its file is searched.
            let depends = env::var_os("DEP_CUDA_VERSION").is_some();
            let named = cuda_find::variable(NVRTC.variable).is_some();
            Error(explain(&missing.to_string(), !depends && !named))
        })?;
        let file = cuda_find::file_of(functions.version as *const c_void).unwrap_or(file);
        // If the file is a symbolic link, the builtins are next to its target, and the headers may be
        // next to the link.
        let target = file.canonicalize().unwrap_or_else(|_| file.clone());
        let mut folders: Vec<PathBuf> = [&file, &target]
            .into_iter()
            .filter_map(|file| Some(file.parent()?.to_owned()))
            .filter(|folder| folder.is_absolute())
            .collect();
        folders.dedup();
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both are valid for the write.
        if unsafe { (functions.version)(&mut major, &mut minor) } == 0 {
            // If this fails, NVRTC searches by itself.
            cuda_find::open_builtins(&file, format_args!("{major}.{minor}"));
        }
        Ok(Self { functions, folders })
    }

    /// Returns the folders of CUDA's headers, from the toolkit or the pip packages that NVRTC
    /// belongs to.
    pub(crate) fn include_paths(&self) -> Vec<PathBuf> {
        let given = env::var_os("DEP_CUDA_INCLUDE");
        let given = given.iter().flat_map(env::split_paths);
        let homes = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"].into_iter();
        let homes = homes.filter_map(env::var_os).map(PathBuf::from);
        let beside = self.folders.iter().flat_map(|folder| {
            // On Windows, pip's package and the toolkit have a folder for the processor.
            let has_processor = folder.ends_with("x86_64") || folder.ends_with("x64");
            let folder = match cfg!(windows) && has_processor {
                true => folder.parent().unwrap_or(folder),
                false => folder,
            };
            let up = folder.parent();
            let neighbour = up.and_then(Path::parent);
            let neighbour = neighbour.map(|packages| packages.join("cuda_runtime"));
            up.map(Path::to_owned).into_iter().chain(neighbour)
        });
        let first = given.chain(
            homes
                .chain(beside)
                .map(|home| home.join("include"))
                .filter(|folder| folder.join("cuda.h").is_file())
                .take(1)
                .flat_map(|folder| [folder.clone(), folder.join("cccl")]),
        );
        first.filter(|folder| folder.is_dir()).collect()
    }

    /// Compiles a file. Messages use `name` for it.
    pub(crate) fn compile(
        &self,
        name: &str,
        text: &[u8],
        architecture: &str,
        options: &[String],
    ) -> Result<Code> {
        let c_string = |text: &[u8]| {
            CString::new(text).map_err(|_| {
                Error(format!(
                    "{name}: the file or an option contains a NUL character"
                ))
            })
        };
        let (source, own_name) = (c_string(text)?, c_string(name.as_bytes())?);
        let architecture_option = format!("--gpu-architecture={architecture}");
        let mut all = vec![c_string(architecture_option.as_bytes())?];
        for option in options {
            all.push(c_string(option.as_bytes())?);
        }
        let pointers: Vec<_> = all.iter().map(|option| option.as_ptr()).collect();
        let functions = &self.functions;
        let mut program = Owned(ptr::null_mut(), functions);
        // SAFETY: `program` is valid for the write. The strings end in NUL and are copied. There
        // are no headers.
        let code = unsafe {
            (functions.create)(
                &mut program.0,
                source.as_ptr(),
                own_name.as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        self.check(name, code)?;
        // SAFETY: the program is live, and the count is the number of strings.
        let code =
            unsafe { (functions.compile)(program.0, pointers.len() as c_int, pointers.as_ptr()) };
        let log = self.text(&program, functions.log_size, functions.log);
        if code != 0 {
            let log = log.unwrap_or_default();
            let reason = self
                .check(name, code)
                .err()
                .map(|error| error.0)
                .unwrap_or_default();
            return Err(Error(format!(
                "{reason}, compiled for {architecture}\n{}",
                log.trim_end()
            )));
        }
        for line in log
            .unwrap_or_default()
            .lines()
            .filter(|line| line.contains("warning"))
        {
            println!("cargo::warning={line}");
        }
        let cubin = match architecture.starts_with("sm_") {
            true => self.bytes(&program, functions.cubin_size, functions.cubin)?,
            false => Vec::new(),
        };
        let ptx = self.text(&program, functions.ptx_size, functions.ptx)?;
        Ok(Code { ptx, cubin })
    }

    fn check(&self, name: &str, code: c_int) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the function accepts any number and returns a static string.
        let reason = unsafe { std::ffi::CStr::from_ptr((self.functions.error_string)(code)) };
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both are valid for the write.
        let _ = unsafe { (self.functions.version)(&mut major, &mut minor) };
        Err(Error(format!(
            "{name}: NVRTC {major}.{minor} reports {}",
            reason.to_string_lossy()
        )))
    }

    fn bytes(&self, program: &Owned<'_>, size_of: Size, contents_of: Contents) -> Result<Vec<u8>> {
        let mut size = 0;
        // SAFETY: the program is live, and `size` is valid for the write.
        self.check("the result", unsafe { size_of(program.0, &mut size) })?;
        let mut bytes = vec![0u8; size];
        // SAFETY: the program is live, and there is room for `size` bytes.
        self.check("the result", unsafe {
            contents_of(program.0, bytes.as_mut_ptr().cast())
        })?;
        Ok(bytes)
    }

    fn text(&self, program: &Owned<'_>, size_of: Size, contents_of: Contents) -> Result<String> {
        let mut bytes = self.bytes(program, size_of, contents_of)?;
        bytes.truncate(
            bytes
                .iter()
                .position(|&byte| byte == 0)
                .unwrap_or(bytes.len()),
        );
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
impl Nvrtc {
    /// Opens the library that `make setup` installed, or otherwise the one found by the normal
    /// search.
    pub(crate) fn for_tests() -> Self {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        Self::find_first_in(&[repository.join(".cuda/nvidia/cu13/lib")]).unwrap()
    }

    /// Compiles a source whose headers are all in memory, and returns the compiler's log if that
    /// fails.
    pub(crate) fn compile_in_memory(
        &self,
        text: &str,
        headers: &[(&str, &str)],
    ) -> std::result::Result<(), String> {
        let c_string = |text: &str| CString::new(text).unwrap();
        let source = c_string(text);
        let (names, texts): (Vec<_>, Vec<_>) = headers
            .iter()
            .map(|(name, text)| (c_string(name), c_string(text)))
            .unzip();
        let pointers = |all: &[CString]| all.iter().map(|one| one.as_ptr()).collect::<Vec<_>>();
        let (names, texts) = (pointers(&names), pointers(&texts));
        let mut program = Owned(ptr::null_mut(), &self.functions);
        // SAFETY: `program` is valid for the write. The strings end in NUL and are copied. The
        // count is the number of headers.
        let code = unsafe {
            (self.functions.create)(
                &mut program.0,
                source.as_ptr(),
                c"kernels/in_memory.cu".as_ptr(),
                headers.len() as c_int,
                texts.as_ptr(),
                names.as_ptr(),
            )
        };
        self.check("a source in memory", code).unwrap();
        // SAFETY: the program is live, and there are no options.
        match unsafe { (self.functions.compile)(program.0, 0, ptr::null()) } {
            0 => Ok(()),
            _ => Err(self
                .text(&program, self.functions.log_size, self.functions.log)
                .unwrap()),
        }
    }
}

/// Adds the remedies of build scripts to the error for a missing NVRTC. `add` says whether a
/// dependency on cuda-direct-sys would help.
fn explain(missing: &str, add: bool) -> String {
    let first = match add {
        false => "",
        true => {
            "add cuda-direct-sys to the dependencies of this crate, so that the NVRTC that cuda-direct-sys has found \
             is used. In an optional feature, also list \"dep:cuda-direct-sys\". Otherwise, "
        }
    };
    let missing = missing.replacen("Fix: ", &format!("Fix: {first}"), 1);
    format!(
        "{missing}. For sources that include CUDA's headers, also install nvidia-cuda-runtime, nvidia-cuda-cccl and \
         nvidia-cuda-crt with pip, or a toolkit"
    )
}

/// A program that is destroyed on drop.
struct Owned<'a>(Program, &'a Functions);

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the program was created once and is destroyed once.
            unsafe { (self.1.destroy)(&mut self.0) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_remedy_for_a_missing_compiler_is_cuda_direct_sys() {
        let missing = "NVRTC was not found: looked for libnvrtc.so.13. Fix: run `pip`";
        let headers = "For sources that include CUDA's headers, also install nvidia-cuda-runtime, nvidia-cuda-cccl and \
                       nvidia-cuda-crt with pip, or a toolkit";
        assert_eq!(
            explain(missing, true),
            format!(
                "NVRTC was not found: looked for libnvrtc.so.13. Fix: add cuda-direct-sys to the dependencies of this \
                 crate, so that the NVRTC that cuda-direct-sys has found is used. In an optional feature, also list \
                 \"dep:cuda-direct-sys\". Otherwise, run `pip`. {headers}"
            )
        );
        assert_eq!(explain(missing, false), format!("{missing}. {headers}"));
    }
}
