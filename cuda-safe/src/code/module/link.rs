//! The driver's linker, which combines several pieces of code into one module.

use std::{
    ffi::{CString, c_char, c_uint},
    path::Path,
    ptr, slice,
    sync::{Mutex, PoisonError},
};

use cuda_sys::{self as sys, CUjitInputType, CUlinkState, CUresult};

#[cfg(feature = "nvrtc")]
use super::load::load_compiled;
use super::{
    JitOptions, Module, Names, device_runtime, image,
    jit::Request,
    load::{load_error, with_file},
};
#[cfg(feature = "nvrtc")]
use crate::code::program::CompiledProgram;
use crate::{
    context::Context,
    driver::callback,
    error::{Error, Result},
    handle::{Adopt, Handle, Kind, handle},
};

/// A linker: it combines several pieces of PTX that refer to each other into one module.
///
/// ```
/// use cuda_safe::{Context, module::Linker, Out, LaunchConfig, Stream};
///
/// # fn main() -> cuda_safe::Result<()> {
/// let context = Context::primary(0)?;
/// let stream = Stream::new(&context)?;
/// let linker = Linker::new(&context)?;
/// linker.add_ptx("answer.ptx", ".version 7.0
///     .target sm_50
///     .address_size 64
///     .visible .func (.param .u32 result) answer() {
///         st.param.u32 [result], 42;
///         ret;
///     }")?;
/// linker.add_ptx("store.ptx", ".version 7.0
///     .target sm_50
///     .address_size 64
///     .extern .func (.param .u32 result) answer();
///     .visible .entry store(.param .u64 to) {
///         .reg .u64 %to;
///         .reg .u32 %value;
///         .param .u32 result;
///         call (result), answer;
///         ld.param.u32 %value, [result];
///         ld.param.u64 %to, [to];
///         st.global.u32 [%to], %value;
///         ret;
///     }")?;
/// let store = linker.finish()?.function("store")?;
/// let mut value = [0u32];
/// // SAFETY: the kernel writes one number.
/// unsafe { store.launch(&stream, LaunchConfig::new(1, 1), (Out(&mut value),))? };
/// assert_eq!(value, [42]);
/// # Ok(())
/// # }
/// ```
pub struct Linker(Handle<LinkerKind>);

/// What a linker knows beside its handle.
struct LinkerKind {
    /// What the driver writes to during the linker's life. The lock serialises the calls.
    request: Mutex<Option<Request>>,
    /// What is known about the names in what was added.
    names: Mutex<Names>,
}

impl Kind for LinkerKind {
    type Raw = CUlinkState;
    type Parent = Context;
    const NAME: &'static str = "Linker";

    unsafe fn release(&self, raw: CUlinkState, context: &Context) -> Result<()> {
        // A linker that stays may still write to its logs.
        let _current = context
            .enter("cuLinkDestroy")
            .inspect_err(|_| self.leak_request())?;
        // SAFETY: released once, by this function's contract; what it writes to goes after it.
        context.check("cuLinkDestroy", unsafe { sys::cuLinkDestroy(raw) })
    }

    fn hand_over(&mut self, _: CUlinkState) {
        self.leak_request();
    }
}

impl LinkerKind {
    /// Keeps what the driver writes to: the handle outlives this object.
    fn leak_request(&self) {
        let mut request = self.request.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::forget(request.take());
    }
}

impl Adopt for LinkerKind {
    fn adopt(_: CUlinkState) -> Self {
        Self {
            request: Mutex::new(None),
            names: Mutex::default(),
        }
    }
}

handle!(Linker, CUlinkState, released by "cuLinkDestroy", made in Context);

impl Linker {
    /// Creates a linker without any input, for the context's device.
    ///
    /// # Errors
    /// The driver has no memory left, or the context has faulted.
    #[doc(alias = "cuLinkCreate")]
    pub fn new(context: &Context) -> Result<Self> {
        Self::with_options(context, &JitOptions::default())
    }

    /// Creates a linker with options for the compiler that its PTX goes through, and for what it links.
    ///
    /// # Errors
    /// As [`new`](Self::new); `CUDA_ERROR_INVALID_VALUE` for a value that the driver does not take.
    ///
    /// ```
    /// # use cuda_safe::{Context, module::{JitOptions, Linker}};
    /// # fn main() -> cuda_safe::Result<()> {
    /// # let context = Context::primary(0)?;
    /// let linker = Linker::with_options(&context, &JitOptions::default().max_registers(32))?;
    /// linker.add_ptx("k", ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }")?;
    /// assert!(linker.finish()?.function("k").is_ok());
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "cuLinkCreate")]
    pub fn with_options(context: &Context, options: &JitOptions) -> Result<Self> {
        let _current = context.enter("cuLinkCreate_v2")?;
        let request = Request::new(options);
        let (count, keys, values) = request.raw();
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write; as many keys and values as the count says, of which the logs and the values
        // stay where they are for as long as the linker lives.
        let code = unsafe { sys::cuLinkCreate_v2(count, keys, values, &mut raw) };
        context.check("cuLinkCreate_v2", code)?;
        let kind = LinkerKind {
            request: Mutex::new(Some(request)),
            names: Mutex::new(Names::none()),
        };
        // SAFETY: just made in this context, and owned by nobody else.
        Ok(Self(unsafe {
            Handle::new(raw, true, context.clone(), kind)
        }))
    }

    /// Returns the driver's remarks: what was linked and, with [`JitOptions::verbose`], what each kernel needs.
    ///
    /// The text is empty if the driver made none, if the linker came in as a raw handle, and in a function that the
    /// driver calls: a call of this linker may be under way there.
    #[must_use]
    pub fn info_log(&self) -> String {
        if callback::refuse_within("cuLinkCreate").is_err() {
            return String::new();
        }
        let request = self.0.kind().request.lock();
        let request = request.unwrap_or_else(PoisonError::into_inner);
        request.as_ref().map(Request::info_log).unwrap_or_default()
    }

    /// The context that the code is linked for.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Adds a piece of PTX; `name` is what messages call it.
    ///
    /// # Errors
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) where the text is not PTX; with the driver's log where it does not
    /// compile. [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where `name` contains a NUL character.
    #[doc(alias = "cuLinkAddData")]
    pub fn add_ptx(&self, name: &str, ptx: &str) -> Result<()> {
        // SAFETY: text, which the driver compiles.
        unsafe { self.add(CUjitInputType::CU_JIT_INPUT_PTX, name, &image::ptx(ptx)?) }?;
        self.knows(Some(Names::of(ptx, &[])));
        Ok(())
    }

    /// Adds a compiled program, which was compiled as [`relocatable`](crate::Program::relocatable): its machine code, or
    /// its PTX if the driver does not accept that. `name` is what messages call it.
    ///
    /// # Errors
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) with the driver's log where it is for another device, or doesn't fit
    /// what was added before. [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where `name` contains a
    /// NUL character.
    #[cfg(feature = "nvrtc")]
    #[doc(alias = "cuLinkAddData")]
    pub fn add_compiled(&self, name: &str, compiled: &CompiledProgram) -> Result<()> {
        load_compiled(compiled, |image| {
            let kind = match image::Kind::of(image) {
                image::Kind::Cubin => CUjitInputType::CU_JIT_INPUT_CUBIN,
                _ => CUjitInputType::CU_JIT_INPUT_PTX,
            };
            // SAFETY: complete, since the compiler in this process produced it.
            unsafe { self.add(kind, name, image) }
        })?;
        self.knows(Some(Names::of_compiled(compiled)));
        Ok(())
    }

    /// Adds machine code of the given kind: a cubin, a fat binary, an object or a library; `name` is what messages
    /// call it. [`add_image`](Self::add_image) finds out the kind by itself.
    ///
    /// # Safety
    /// The code is complete, was produced by a CUDA compiler, and comes from a source that may run code in this
    /// process: the driver follows offsets in it without checking them.
    ///
    /// # Errors
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) where the driver can't read it, or it is for other devices.
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) where `name` contains a NUL character.
    #[doc(alias = "cuLinkAddData")]
    pub unsafe fn add_code(&self, kind: CUjitInputType, name: &str, code: &[u8]) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.add(kind, name, code) }?;
        self.knows(None);
        Ok(())
    }

    /// Adds code of any kind, recognised by its first bytes: PTX, a cubin, a fat binary, an object file that nvcc compiled
    /// for the host (`nvcc -dc`), or an archive of these. `name` is what messages call it.
    ///
    /// # Safety
    /// As for [`add_code`](Self::add_code), unless it is PTX.
    ///
    /// # Errors
    /// As [`add_code`](Self::add_code); [`ErrorKind::Load`](crate::ErrorKind::Load) for what is none of these.
    #[doc(alias = "cuLinkAddData")]
    pub unsafe fn add_image(&self, name: &str, image: &[u8]) -> Result<()> {
        match input_kind(image) {
            // SAFETY: the caller's promise.
            Some(kind) => unsafe { self.add_code(kind, name, image) },
            None => self.add_ptx(name, image::text(image)?),
        }
    }

    /// Adds a file of any kind, as [`add_image`](Self::add_image).
    ///
    /// # Safety
    /// As for [`add_image`](Self::add_image), for the contents of the file when it is read.
    ///
    /// # Errors
    /// As [`add_image`](Self::add_image); [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) where the file can't be
    /// read.
    #[doc(alias = "cuLinkAddFile")]
    pub unsafe fn add_file(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let name = path.to_string_lossy();
        with_file(path, "Linker::add_file", |image| {
            // SAFETY: the caller's promise.
            unsafe { self.add_image(&name, image) }
        })
    }

    /// Adds the device runtime, with which kernels launch kernels: the toolkit's `libcudadevrt.a`. It is looked for beside
    /// NVRTC's library, then below `CUDA_PATH`, `CUDA_HOME` and `CUDA_ROOT`, then in the toolkit that this crate was built
    /// with, and where distributions put it. [`add_file`](Self::add_file) takes one from elsewhere.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) where there is none; it says what was looked for.
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) where the driver can't read it.
    #[doc(alias = "libcudadevrt")]
    pub fn add_device_runtime(&self) -> Result<()> {
        let (path, archive) = device_runtime::read()?;
        let kind = CUjitInputType::CU_JIT_INPUT_LIBRARY;
        // SAFETY: the toolkit's, which is trusted as the compiler is that comes from there, and whole.
        unsafe { self.add_code(kind, &path.to_string_lossy(), &archive) }
    }

    /// # Safety
    /// Data of this kind, which the driver may follow.
    unsafe fn add(&self, kind: CUjitInputType, name: &str, data: &[u8]) -> Result<()> {
        const CALL: &str = "cuLinkAddData_v2";
        callback::refuse_within(CALL)?;
        let name = CString::new(name).map_err(|_| {
            Error::invalid(CALL, format!("the name {name:?} contains a NUL character"))
        })?;
        self.locked(CALL, |raw| {
            // SAFETY: the linker is live; as many bytes as are said to be there, which the driver only reads; a name
            // that ends in NUL; no options.
            unsafe {
                sys::cuLinkAddData_v2(
                    raw,
                    kind,
                    data.as_ptr().cast_mut().cast(),
                    data.len(),
                    name.as_ptr().cast::<c_char>(),
                    0 as c_uint,
                    ptr::null_mut(),
                    ptr::null_mut(),
                )
            }
        })
    }

    /// Links what was added, and loads it into the context.
    ///
    /// # Errors
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) with the driver's log where a name is missing or defined twice.
    #[doc(alias = "cuLinkComplete")]
    pub fn finish(&self) -> Result<Module> {
        let image = self.finish_to_image()?;
        let names = self.0.kind().names.lock();
        let names = names.unwrap_or_else(PoisonError::into_inner).clone();
        // SAFETY: made by the driver just now.
        unsafe { Module::from_linked(self.context(), &image, names) }
    }

    /// Links what was added, and returns the machine code: a cubin for the context's device.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    #[doc(alias = "cuLinkComplete")]
    pub fn finish_to_image(&self) -> Result<Vec<u8>> {
        callback::refuse_within("cuLinkComplete")?;
        let (mut image, mut size) = (ptr::null_mut(), 0);
        let mut copy = Vec::new();
        self.locked("cuLinkComplete", |raw| {
            // SAFETY: the linker is live, both are valid for the write.
            let code = unsafe { sys::cuLinkComplete(raw, &mut image, &mut size) };
            if code == CUresult::CUDA_SUCCESS && !image.is_null() {
                // SAFETY: the linker's own copy, which lives until the linker is used again.
                copy = unsafe { slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec();
            }
            code
        })?;
        Ok(copy)
    }

    /// Notes what is known about the names in what was added; `None` if nothing is.
    fn knows(&self, added: Option<Names>) {
        let names = self.0.kind().names.lock();
        names.unwrap_or_else(PoisonError::into_inner).add(added);
    }

    fn locked(&self, call: &'static str, work: impl FnOnce(CUlinkState) -> CUresult) -> Result<()> {
        // Before the lock: a log listener runs inside the call that is made under it.
        callback::refuse_within(call)?;
        let log = self
            .0
            .kind()
            .request
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let _current = self.context().enter(call)?;
        let code = work(self.as_raw());
        if code == CUresult::CUDA_SUCCESS {
            return Ok(());
        }
        let text = log.as_ref().map(Request::error_log).unwrap_or_default();
        Err(load_error(self.context(), call, code, text))
    }
}

/// `None` for what can only be PTX.
pub(crate) fn input_kind(image: &[u8]) -> Option<CUjitInputType> {
    /// `e_machine` of device code, at its place in an ELF file.
    const EM_CUDA: [u8; 2] = 190u16.to_le_bytes();
    match image::Kind::of(image) {
        image::Kind::Cubin if image.get(18..20) == Some(&EM_CUDA) => {
            Some(CUjitInputType::CU_JIT_INPUT_CUBIN)
        }
        image::Kind::Cubin => Some(CUjitInputType::CU_JIT_INPUT_OBJECT),
        image::Kind::FatBinary => Some(CUjitInputType::CU_JIT_INPUT_FATBINARY),
        _ if image.starts_with(device_runtime::ARCHIVE) => {
            Some(CUjitInputType::CU_JIT_INPUT_LIBRARY)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_told_apart_by_their_beginning() {
        let elf = |machine: u16| {
            let mut file = b"\x7fELF".to_vec();
            file.resize(18, 0);
            file.extend_from_slice(&machine.to_le_bytes());
            file
        };
        for (image, kind) in [
            (elf(190), Some(CUjitInputType::CU_JIT_INPUT_CUBIN)),
            (elf(62), Some(CUjitInputType::CU_JIT_INPUT_OBJECT)),
            (
                elf(183)[..19].to_vec(),
                Some(CUjitInputType::CU_JIT_INPUT_OBJECT),
            ),
            (
                0xBA55_ED50_u32.to_le_bytes().to_vec(),
                Some(CUjitInputType::CU_JIT_INPUT_FATBINARY),
            ),
            (
                b"!<arch>\n".to_vec(),
                Some(CUjitInputType::CU_JIT_INPUT_LIBRARY),
            ),
            (b"!<thin>\n".to_vec(), None),
            (b".version 7.0".to_vec(), None),
            (Vec::new(), None),
        ] {
            assert_eq!(input_kind(&image), kind, "{image:?}");
        }
    }
}
