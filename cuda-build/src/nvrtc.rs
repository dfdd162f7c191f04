//! NVRTC: where it is, and what is asked of it.

use std::{
    env,
    ffi::{CString, OsString, c_char, c_int, c_void},
    fmt::Write,
    path::{Path, PathBuf},
    ptr,
};

use libloading::Library;

use crate::{Error, Result};

/// What decides which NVRTC is taken.
pub(crate) const VARIABLES: [&str; 6] = [
    NAMED,
    "CUDA_PATH",
    "CUDA_HOME",
    "CUDA_ROOT",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
];
/// Names the file.
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

/// The library's functions, all of which exist since CUDA 12.0 with these signatures.
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
    /// The library is NVRTC, if it has functions of these names; it stays open for as long as they are used.
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

/// The compiler, opened.
pub(crate) struct Nvrtc {
    functions: Functions,
    /// The folder that it was found in; `None` if the loader found it.
    folder: Option<PathBuf>,
    /// Kept open, with what NVRTC itself loads by name.
    _libraries: Vec<Library>,
}

/// What a program was compiled to.
pub(crate) struct Code {
    pub(crate) ptx: String,
    /// Empty for a virtual architecture.
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
            "NVRTC, which compiles CUDA C++, is not there: looked for {}{reasons}. Install it: `pip install \
             nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-crt` in the active virtual environment, \
             or a CUDA toolkit; {NAMED} can name its file, and CUDA_PATH a toolkit's folder. With cuda-direct-sys among the \
             dependencies, what that has found is used",
            looked.join(", ")
        )))
    }

    fn open(file: &Path) -> std::result::Result<Self, libloading::Error> {
        let mut libraries = Vec::new();
        let folder = file.parent().filter(|folder| folder.is_absolute());
        // NVRTC loads its builtins by name: what is loaded already is found.
        if let Some(folder) = folder {
            libraries.extend(builtins(folder));
        }
        // SAFETY: what the library runs when it is loaded is as trusted as a compiler that a build script would start.
        let library = unsafe { Library::new(file) }?;
        // SAFETY: it is named as NVRTC, and is kept open.
        let functions = unsafe { Functions::of(&library) }?;
        libraries.push(library);
        Ok(Self {
            functions,
            folder: folder.map(Path::to_owned),
            _libraries: libraries,
        })
    }

    /// CUDA's headers: those of the toolkit, or of pip's packages, that NVRTC is a part of.
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

    /// Compiles a file. The name is what messages call it.
    pub(crate) fn compile(
        &self,
        name: &str,
        text: &[u8],
        architecture: &str,
        options: &[String],
    ) -> Result<Code> {
        let c_string = |text: &[u8]| {
            CString::new(text)
                .map_err(|_| Error(format!("{name}: a NUL character in it or in an option")))
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
        // SAFETY: a place for the program; strings that end in NUL and are copied; no headers.
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
        // SAFETY: a live program, and as many strings as the count says.
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
        // SAFETY: any number may be asked about; the answer is a text that is never freed.
        let reason = unsafe { std::ffi::CStr::from_ptr((self.functions.error_string)(code)) };
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both are valid for the write.
        let _ = unsafe { (self.functions.version)(&mut major, &mut minor) };
        Err(Error(format!(
            "{name}: NVRTC {major}.{minor} says {}",
            reason.to_string_lossy()
        )))
    }

    fn bytes(&self, program: &Handle<'_>, size_of: Size, contents_of: Contents) -> Result<Vec<u8>> {
        let mut size = 0;
        // SAFETY: a live program; `size` is valid for the write.
        self.check("the result", unsafe { size_of(program.0, &mut size) })?;
        let mut bytes = vec![0u8; size];
        // SAFETY: a live program; room for as many bytes as were announced.
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
    /// Opens the library that `make setup` brought, or else the one that is found without it.
    pub(crate) fn for_tests() -> Self {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let brought = repository.join(".cuda/nvidia/cu13/lib/libnvrtc.so.13");
        match brought.is_file() {
            true => Self::open(&brought).unwrap(),
            false => Self::find().unwrap(),
        }
    }

    /// Compiles a source whose headers are all in memory, and returns the compiler's log if that fails.
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
        // SAFETY: a place for the program; strings that end in NUL and are copied; as many headers as the count says.
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
        // SAFETY: a live program, without options.
        match unsafe { (self.functions.compile)(program.0, 0, ptr::null()) } {
            0 => Ok(()),
            _ => Err(self
                .text(&program, self.functions.log_size, self.functions.log)
                .unwrap()),
        }
    }
}

/// A program that is destroyed with this.
struct Handle<'a>(Program, &'a Functions);

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: created once, destroyed once.
            unsafe { (self.1.destroy)(&mut self.0) };
        }
    }
}

/// The builtins in a folder, opened for all.
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
        // SAFETY: as for NVRTC, beside which it lies.
        unsafe { unix::Library::open(Some(file), flags) }
            .ok()
            .map(Library::from)
    };
    #[cfg(not(unix))]
    // SAFETY: as for NVRTC, beside which it lies.
    let open = |file: PathBuf| unsafe { Library::new(file) }.ok();
    files.filter_map(open).collect()
}

/// Where NVRTC may be, in order.
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

/// Folders of pip's packages, of the active virtual environment and of the first `python3` on `PATH`.
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
    fn what_was_looked_for_is_told() {
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
    fn another_library_is_no_nvrtc() {
        let error = Nvrtc::open(Path::new("libc.so.6")).err().expect("no NVRTC");
        assert!(error.to_string().contains("nvrtcCreateProgram"), "{error}");
    }
}
