//! Link-time optimization with nvJitLink, which optimizes several programs as one.

mod library;
mod options;

use std::{ffi::CString, path::Path, ptr, sync::Arc};

pub use crate::raw::nvjitlink::JitLinkStatus;
use library::{Contents, Functions, RawLink, Size, functions, input};
pub use options::JitLinkOptions;

use super::{Architecture, CompiledProgram, Program, Sources};
use crate::{
    code::module::{JitOptions, Module, input_of, is_rejected},
    context::Context,
    error::{Error, ErrorKind, Result},
};

/// A linker with link-time optimization, based on nvJitLink.
///
/// Programs that were compiled with [`Program::lto`] are optimized together, as if they were one
/// program: functions of one program can be inlined in another. Cubins, PTX, fat binaries, objects
/// and archives are linked as by a [`Linker`](crate::module::Linker). The result is machine code
/// or, for a virtual architecture, PTX. Linking needs neither a driver nor a device.
///
/// The first link opens nvJitLink's library, which is part of the toolkit. It is searched for in
/// NVRTC's folder first, then in the places that [`cuda_find`] lists. To use another file, set the
/// environment variable `CUDA_SAFE_LIBNVJITLINK` to its path. The library must not be older than
/// NVRTC.
///
/// ```no_run
/// use cuda_safe::{Architecture, program::{JitLinkOptions, JitLinker}, Program};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let target = Architecture::virtual_of(90);
/// let answer = Program::new("__device__ int answer() { return 42; }").lto();
/// let user = Program::new(r#"
///     __device__ int answer();
///     extern "C" __global__ void k(int *x) { *x = answer(); }"#).lto();
/// let mut linker = JitLinker::new(target, &JitLinkOptions::default());
/// linker.add_compiled("answer", &answer.compile(target)?)?;
/// linker.add_compiled("user", &user.compile(target)?)?;
/// let linked = linker.link()?; // Module::from_compiled loads it
/// assert!(!linked.ptx().contains("call"));
/// # Ok(())
/// # }
/// ```
///
/// See [`nvJitLink`](https://docs.nvidia.com/cuda/nvjitlink/index.html) in NVIDIA's manual.
#[derive(Clone, Debug)]
#[doc(alias = "nvJitLink")]
pub struct JitLinker {
    architecture: Architecture,
    options: JitLinkOptions,
    inputs: Vec<Input>,
    lowered: Vec<(String, String)>,
    sources: Sources,
}

#[derive(Clone, Debug)]
struct Input {
    kind: i32,
    name: CString,
    data: Vec<u8>,
}

const ADD: &str = "nvJitLinkAddData";

impl JitLinker {
    /// Creates a linker without inputs. It produces machine code for a real architecture and PTX
    /// for a virtual one.
    #[must_use]
    pub fn new(architecture: Architecture, options: &JitLinkOptions) -> Self {
        Self {
            architecture,
            options: options.clone(),
            inputs: Vec::new(),
            lowered: Vec::new(),
            sources: Sources::default(),
        }
    }

    /// Adds a compiled program. Error messages contain `name`.
    ///
    /// It adds the LTO IR if the program was compiled with [`Program::lto`]. Otherwise it adds the
    /// machine code or the PTX. They can be linked with other code only if the program was compiled
    /// as [`Program::relocatable`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if `name` contains a NUL character.
    pub fn add_compiled(&mut self, name: &str, compiled: &CompiledProgram) -> Result<()> {
        match (compiled.lto_ir(), compiled.cubin()) {
            (Some(ir), _) => self.add(input::LTO_IR, name, ir.to_vec())?,
            (None, Some(cubin)) => self.add(input::CUBIN, name, cubin.to_vec())?,
            (None, None) => self.add_ptx(name, compiled.ptx())?,
        }
        self.lowered.extend_from_slice(compiled.lowered_names());
        self.sources.extend(compiled.sources());
        Ok(())
    }

    /// Adds PTX. Error messages contain `name`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if `name` or `ptx` contains a NUL character.
    pub fn add_ptx(&mut self, name: &str, ptx: &str) -> Result<()> {
        let text = CString::new(ptx).map_err(|_| {
            Error::invalid(ADD, format!("the PTX `{name}` contains a NUL character"))
        })?;
        self.add(input::PTX, name, text.into_bytes_with_nul())
    }

    /// Adds PTX, a cubin, a fat binary, an object file that nvcc compiled for the host, or an
    /// archive of these. Error messages contain `name`.
    ///
    /// The first bytes of the image determine its kind.
    ///
    /// # Safety
    /// Unless the image is PTX, the caller must ensure that the code is complete and was produced
    /// by a CUDA compiler. nvJitLink follows offsets in it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArgument`] if `name` or a PTX text contains a NUL character, and
    /// [`ErrorKind::Load`] if the text is not UTF-8.
    pub unsafe fn add_image(&mut self, name: &str, image: &[u8]) -> Result<()> {
        use cuda_sys::CUjitInputType as Type;
        let kind = match input_of(image) {
            Some(Type::CU_JIT_INPUT_CUBIN) => input::CUBIN,
            Some(Type::CU_JIT_INPUT_FATBINARY) => input::FATBIN,
            Some(Type::CU_JIT_INPUT_LIBRARY) => input::LIBRARY,
            Some(_) => input::OBJECT,
            None => return self.add_ptx(name, crate::code::module::text_of(image)?),
        };
        self.add(kind, name, image.to_vec())
    }

    /// Adds a file with any kind of code that [`add_image`](Self::add_image) accepts.
    ///
    /// # Safety
    /// The caller must satisfy the conditions of [`add_image`](Self::add_image) for the file's
    /// contents at the time of the call.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] if the file cannot be read, and the errors of
    /// [`add_image`](Self::add_image).
    pub unsafe fn add_file(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let image = std::fs::read(path).map_err(|error| {
            let detail = format!("cannot read {}: {error}", path.display());
            Error::checked(ErrorKind::NotFound, "nvJitLinkAddFile", detail).with_source(error)
        })?;
        // SAFETY: guaranteed by the caller.
        unsafe { self.add_image(&path.to_string_lossy(), &image) }
    }

    fn add(&mut self, kind: i32, name: &str, data: Vec<u8>) -> Result<()> {
        let name = CString::new(name).map_err(|_| {
            Error::invalid(ADD, format!("the name {name:?} contains a NUL character"))
        })?;
        self.inputs.push(Input { kind, name, data });
        Ok(())
    }

    /// Links the added code.
    ///
    /// The result has machine code, or PTX for a virtual architecture. [`Module::from_compiled`]
    /// and [`Library::from_compiled`](crate::Library::from_compiled) load it. Its log contains
    /// nvJitLink's messages other than errors.
    ///
    /// See [`nvJitLinkComplete`](https://docs.nvidia.com/cuda/nvjitlink/index.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`], with nvJitLink's log, if a name is missing or defined twice, if
    /// an input is for another architecture or comes from a newer compiler, or if an option is
    /// invalid. Linked PTX can still lack names, which the driver reports when it loads the PTX.
    /// Returns [`ErrorKind::NoCompiler`], with the searched files, if nvJitLink is not installed.
    #[doc(alias = "nvJitLinkComplete")]
    pub fn link(&self) -> Result<CompiledProgram> {
        self.link_for(self.architecture)
    }

    fn link_for(&self, architecture: Architecture) -> Result<CompiledProgram> {
        let functions = functions()?;
        let mut options = vec![format!("-arch={architecture}")];
        // Only if needed, because it is an error if no input has LTO IR.
        if self.inputs.iter().any(|one| one.kind == input::LTO_IR) {
            options.push("-lto".into());
        }
        if !architecture.is_real() {
            options.push("-ptx".into());
        }
        options.extend_from_slice(self.options.as_slice());
        let link = Link::new(functions, &options)?;
        for one in &self.inputs {
            // SAFETY: the handle is live, `data` is passed with its length, and the name is
            // NUL-terminated. nvJitLink copies both.
            let status = unsafe {
                (functions.add_data)(
                    link.raw,
                    one.kind.unsigned_abs(),
                    one.data.as_ptr().cast(),
                    one.data.len(),
                    one.name.as_ptr(),
                )
            };
            link.check(ADD, status)?;
        }
        // SAFETY: the handle is live.
        link.check("nvJitLinkComplete", unsafe {
            (functions.complete)(link.raw)
        })?;
        let (mut ptx, mut cubin) = (String::new(), None);
        if architecture.is_real() {
            const CALL: &str = "nvJitLinkGetLinkedCubin";
            cubin = Some(link.read(CALL, functions.cubin_size, functions.cubin)?);
        } else {
            const CALL: &str = "nvJitLinkGetLinkedPtx";
            ptx = text(link.read(CALL, functions.ptx_size, functions.ptx)?);
        }
        let log = link.read(
            "nvJitLinkGetInfoLog",
            functions.info_log_size,
            functions.info_log,
        );
        Ok(CompiledProgram {
            ptx,
            cubin,
            lto_ir: None,
            log: log.map(text).unwrap_or_default(),
            lowered: self.lowered.clone(),
            precompiled: None,
            from_cache: false,
            sources: Arc::new(self.sources.clone()),
        })
    }
}

impl Module {
    /// Compiles several programs that refer to each other, optimizes them as one, and loads the
    /// result.
    ///
    /// It loads machine code, or PTX if the driver rejects the machine code. This is a shorthand
    /// for [`Program::lto`] and [`JitLinker::add_compiled`] for each program, then
    /// [`JitLinker::link`]. [`Module::link`] does the same without optimization across programs and
    /// without nvJitLink.
    ///
    /// See [`nvJitLink`](https://docs.nvidia.com/cuda/nvjitlink/index.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`Module::compile`] and [`JitLinker::link`].
    #[doc(alias = "nvJitLink")]
    pub fn link_optimized(
        context: &Context,
        programs: impl IntoIterator<Item = Program>,
        options: &JitLinkOptions,
    ) -> Result<Self> {
        functions()?;
        let target = Architecture::for_device(context.device().compute_capability()?)?;
        let mut linker = JitLinker::new(target, options);
        for program in programs {
            let name = program.own_name().to_owned();
            // The same IR is used for machine code and for PTX.
            linker.add_compiled(&name, &program.lto().compile(target)?)?;
        }
        let load = |linked| Self::from_compiled(context, &linked, &JitOptions::default());
        match linker.link().and_then(load) {
            Err(error) if target.is_real() && is_rejected(&error) => {
                linker.link_for(target.without_code()).and_then(load)
            }
            loaded => loaded,
        }
    }
}

/// A link in progress. Dropping it destroys nvJitLink's handle.
struct Link<'a> {
    functions: &'a Functions,
    raw: RawLink,
}

impl<'a> Link<'a> {
    fn new(functions: &'a Functions, options: &[String]) -> Result<Self> {
        const CALL: &str = "nvJitLinkCreate";
        let options: Vec<_> = options
            .iter()
            .map(|option| {
                CString::new(option.as_str()).map_err(|_| {
                    Error::invalid(
                        CALL,
                        format!("the option {option:?} contains a NUL character"),
                    )
                })
            })
            .collect::<Result<_>>()?;
        let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let mut raw = ptr::null_mut();
        let count = u32::try_from(pointers.len()).unwrap_or(u32::MAX);
        // SAFETY: `raw` is valid for writing. `count` is the number of strings, which are
        // NUL-terminated and copied.
        let status = unsafe { (functions.create)(&mut raw, count, pointers.as_ptr()) };
        // If the options are invalid, the handle still provides a log.
        let link = Self { functions, raw };
        link.check(CALL, status)?;
        Ok(link)
    }

    fn check(&self, call: &'static str, status: u32) -> Result<()> {
        JitLinkStatus::check(call, status).map_err(|error| {
            let functions = self.functions;
            let log = self.read(
                "nvJitLinkGetErrorLog",
                functions.error_log_size,
                functions.error_log,
            );
            let log = log.map(text).unwrap_or_default().trim_end().to_owned();
            let detail = log.clone();
            error.with_kind(ErrorKind::Load { log }).with_detail(detail)
        })
    }

    fn read(&self, call: &'static str, size: Size, contents: Contents) -> Result<Vec<u8>> {
        if self.raw.is_null() {
            return Ok(Vec::new());
        }
        let mut bytes = 0;
        // SAFETY: the handle is live, and `bytes` is valid for writing.
        JitLinkStatus::check(call, unsafe { size(self.raw, &mut bytes) })?;
        let mut found = vec![0u8; bytes];
        if bytes > 0 {
            // SAFETY: the handle is live, and the buffer has the size that the call above returned.
            JitLinkStatus::check(call, unsafe {
                contents(self.raw, found.as_mut_ptr().cast())
            })?;
        }
        Ok(found)
    }
}

impl Drop for Link<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: created by `create`, destroyed once.
            let _ = unsafe { (self.functions.destroy)(&mut self.raw) };
        }
    }
}

/// Returns the text up to the NUL that terminates it.
fn text(mut bytes: Vec<u8>) -> String {
    bytes.truncate(
        bytes
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(bytes.len()),
    );
    String::from_utf8_lossy(&bytes).into_owned()
}
