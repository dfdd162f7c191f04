//! Finds and calls NVRTC.

use std::{
    env,
    ffi::{CString, OsString, c_char, c_int, c_void},
    fmt::Write,
    path::{Path, PathBuf},
    ptr,
};

use libloading::Library;

use crate::{Error, Result};

/// The environment variables that affect which NVRTC is used.
pub(crate) const VARIABLES: [&str; 6] = [
    NAMED,
    "CUDA_PATH",
    "CUDA_HOME",
    "CUDA_ROOT",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
];
/// The variable that contains the path of NVRTC's library.
const NAMED: &str = "CUDA_SYS_LIBNVRTC";

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
    /// The caller must ensure that the library is NVRTC if it has functions of these names, and
    /// that it stays open while they are used.
    unsafe fn of(library: &Library) -> std::result::Result<Self, libloading::Error> {
        // SAFETY: the functions of these names have these signatures.
        unsafe {
            Ok(Self {
                create: *library.get(b"nvrtcCreateProgram\0")?,
                compile: *library.get(b"nvrtcCompileProgram\0")?,
                log_size: *library.get(b"nvrtcGetProgramLogSize\0")?,
                log: *library.get(b"nvrtcGetProgramLog\0")?,
                ptx_size: *library.get(b"nvrtcGetPTXSize\0")?,
                ptx: *library.get(b"nvrtcGetPTX\0")?,
                cubin_size: *library.get(b"nvrtcGetCUBINSize\0")?,
                cubin: *library.get(b"nvrtcGetCUBIN\0")?,
                destroy: *library.get(b"nvrtcDestroyProgram\0")?,
                error_string: *library.get(b"nvrtcGetErrorString\0")?,
                version: *library.get(b"nvrtcVersion\0")?,
            })
        }
    }
}

/// The opened compiler library.
pub(crate) struct Nvrtc {
    functions: Functions,
    /// The folder in which it was found, or `None` if the loader found it.
    folder: Option<PathBuf>,
    /// The library and the builtins that NVRTC itself loads by name, kept open.
    _libraries: Vec<Library>,
}

/// The result of compiling a program.
pub(crate) struct Code {
    pub(crate) ptx: String,
    /// The machine code, which is empty for a virtual architecture.
    pub(crate) cubin: Vec<u8>,
}

impl Nvrtc {
    pub(crate) fn find() -> Result<Self> {
        Self::find_by(|name| env::var_os(name).filter(|value| !value.is_empty()))
    }

    fn find_by(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let files = match variable(NAMED) {
            Some(file) => vec![PathBuf::from(file)],
            None => files(&variable),
        };
        let mut reasons = String::new();
        for file in &files {
            match Self::open(file) {
                Ok(found) => return Ok(found),
                Err(reason) if file.is_file() => {
                    let _ = write!(reasons, ". The loader says: {reason}");
                }
                Err(_) => {}
            }
        }
        let looked: Vec<_> = files
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        Err(Error(format!(
            "NVRTC, the compiler of CUDA C++, was not found: looked for {}{reasons}. Fix: install it with `pip install \
             nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-crt` in the active virtual environment, \
             or install a CUDA toolkit. You can also set {NAMED} to its file, or CUDA_PATH to a toolkit's folder. If the \
             crate depends on cuda-direct-sys, the library that it has found is used",
            looked.join(", ")
        )))
    }

    fn open(file: &Path) -> std::result::Result<Self, libloading::Error> {
        let mut libraries = Vec::new();
        let folder = file.parent().filter(|folder| folder.is_absolute());
        // NVRTC loads its builtins by name. The loader finds those that are already loaded.
        if let Some(folder) = folder {
            libraries.extend(builtins(folder));
        }
        // SAFETY: the code that the library runs when it is loaded is as trusted as a compiler that
        // a build script would run.
        let library = unsafe { Library::new(file) }?;
        // SAFETY: the file has NVRTC's name, and it is kept open.
        let functions = unsafe { Functions::of(&library) }?;
        libraries.push(library);
        Ok(Self {
            functions,
            folder: folder.map(Path::to_owned),
            _libraries: libraries,
        })
    }

    /// Returns the folders of CUDA's headers, from the toolkit or the pip packages that NVRTC
    /// belongs to.
    pub(crate) fn include_paths(&self) -> Vec<PathBuf> {
        let given = env::var_os("DEP_CUDA_INCLUDE");
        let given = given.iter().flat_map(env::split_paths);
        let homes = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"].into_iter();
        let homes = homes.filter_map(env::var_os).map(PathBuf::from);
        let beside = self.folder.as_deref().into_iter().flat_map(|folder| {
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
        let mut program = Handle(ptr::null_mut(), functions);
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

    fn bytes(&self, program: &Handle<'_>, size_of: Size, contents_of: Contents) -> Result<Vec<u8>> {
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

    fn text(&self, program: &Handle<'_>, size_of: Size, contents_of: Contents) -> Result<String> {
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
        let brought = repository.join(".cuda/nvidia/cu13/lib/libnvrtc.so.13");
        match brought.is_file() {
            true => Self::open(&brought).unwrap(),
            false => Self::find().unwrap(),
        }
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
        let mut program = Handle(ptr::null_mut(), &self.functions);
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

/// A program that is destroyed on drop.
struct Handle<'a>(Program, &'a Functions);

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the program was created once and is destroyed once.
            unsafe { (self.1.destroy)(&mut self.0) };
        }
    }
}

/// Opens the builtins in a folder, with global symbols.
fn builtins(folder: &Path) -> Vec<Library> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libnvrtc-builtins.so")
    });
    #[cfg(unix)]
    let open = |file: PathBuf| {
        use libloading::os::unix;
        let flags = unix::RTLD_NOW | unix::RTLD_GLOBAL;
        // SAFETY: the library is as trusted as NVRTC, which is in the same folder.
        unsafe { unix::Library::open(Some(file), flags) }
            .ok()
            .map(Library::from)
    };
    #[cfg(not(unix))]
    // SAFETY: the library is as trusted as NVRTC, which is in the same folder.
    let open = |file: PathBuf| unsafe { Library::new(file) }.ok();
    files.filter_map(open).collect()
}

/// Returns the possible paths of NVRTC, in search order.
fn files(variable: &impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let names: &[&str] = match cfg!(windows) {
        true => &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"],
        false => &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"],
    };
    let below = |home: PathBuf| ["lib64", "lib", "bin"].map(|folder| home.join(folder));
    let in_folder = |folder: PathBuf| names.iter().map(move |name| folder.join(name));
    let named = variable("DEP_CUDA_NVRTC_DIR").map(PathBuf::from);
    let set = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"].into_iter();
    let set = set.filter_map(variable).map(PathBuf::from).flat_map(below);
    let usual = ["/usr/local/cuda", "/opt/cuda"].map(PathBuf::from);
    let usual = usual.into_iter().flat_map(below);
    let mut all: Vec<_> = named.into_iter().chain(set).flat_map(in_folder).collect();
    all.extend(names.iter().map(PathBuf::from));
    all.extend(usual.chain(of_pip(variable)).flat_map(in_folder));
    all
}

/// Returns the folders of NVRTC's pip packages: those of the active virtual environment, of the
/// first `python3` on `PATH`, and in `~/.local`.
fn of_pip(variable: &impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let path = variable("PATH").unwrap_or_default();
    let first = env::split_paths(&path).find(|folder| folder.join("python3").is_file());
    let first = first.and_then(|folder| folder.parent().map(Path::to_owned));
    let own = variable("HOME").map(|home| Path::new(&home).join(".local"));
    let prefixes = variable("VIRTUAL_ENV")
        .map(PathBuf::from)
        .into_iter()
        .chain(first)
        .chain(own);
    let mut folders = Vec::new();
    for prefix in prefixes {
        for version in std::fs::read_dir(prefix.join("lib"))
            .into_iter()
            .flatten()
            .flatten()
        {
            for site in ["site-packages", "dist-packages"] {
                for package in ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"] {
                    folders.push(version.path().join(site).join(package));
                }
            }
        }
    }
    folders.retain(|folder| folder.is_dir());
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_nvrtc_error_lists_searched_files() {
        let named = |name: &str| (name == NAMED).then(|| OsString::from("/no/such/nvrtc.so"));
        let error = Nvrtc::find_by(named).err().expect("no such file");
        assert!(error.0.contains("looked for /no/such/nvrtc.so."), "{error}");
        assert!(error.0.contains("pip install nvidia-cuda-nvrtc"), "{error}");
        let home = |name: &str| (name == "CUDA_HOME").then(|| OsString::from("/home"));
        let files = files(&home);
        assert_eq!(files[0], Path::new("/home/lib64/libnvrtc.so.13"));
        assert!(files.contains(&"libnvrtc.so.12".into()));
        assert!(files.contains(&"/opt/cuda/lib/libnvrtc.so".into()));
    }

    #[test]
    fn open_rejects_other_libraries() {
        let error = Nvrtc::open(Path::new("libc.so.6")).err().expect("no NVRTC");
        assert!(error.to_string().contains("nvrtcCreateProgram"), "{error}");
    }
}
