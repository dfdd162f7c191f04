//! The driver's linker, which combines several pieces of code into one module.

use std::{
    ffi::{CString, c_char, c_uint},
    path::Path,
    ptr, slice,
    sync::{Mutex, PoisonError},
};

use cuda_sys::{self as sys, CUjitInputType, CUlinkState, CUresult};

#[cfg(feature = "nvrtc")]
use super::machine_code::load_compiled;
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

/// A linker that combines pieces of PTX and machine code, which refer to each other, into one
/// module.
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

/// The data of a linker.
struct LinkerKind {
    /// The buffers that the driver writes to while the linker lives. The lock serializes the calls.
    request: Mutex<Option<Request>>,
    /// The known names in the added code.
    names: Mutex<Names>,
}

impl Kind for LinkerKind {
    type Raw = CUlinkState;
    type Parent = Context;
    const NAME: &'static str = "Linker";

    unsafe fn release(&self, raw: CUlinkState, context: &Context) -> Result<()> {
        // A linker that is not destroyed may still write to its logs.
        let _current = context
            .enter("cuLinkDestroy")
            .inspect_err(|_| self.leak_request())?;
        // SAFETY: this function's contract says that it is released once. Its buffers are freed
        // afterwards.
        context.check("cuLinkDestroy", unsafe { sys::cuLinkDestroy(raw) })
    }

    fn prepare_into_raw(&mut self, _: CUlinkState) {
        self.leak_request();
    }
}

impl LinkerKind {
    /// Leaks the buffers that the driver writes to, because the handle outlives this object.
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
    /// Creates a linker without input for the context's device.
    ///
    /// See [`cuLinkCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns an error if the driver is out of memory, or if the context has faulted.
    #[doc(alias = "cuLinkCreate")]
    pub fn new(context: &Context) -> Result<Self> {
        Self::with_options(context, &JitOptions::default())
    }

    /// Creates a linker with options for compiling PTX and for linking.
    ///
    /// See [`cuLinkCreate`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new). Returns `CUDA_ERROR_INVALID_VALUE` if the driver
    /// rejects a value.
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
        // SAFETY: `raw` is valid for writing. There are as many keys and values as `count` says.
        // The logs and the values stay in place while the linker lives.
        let code = unsafe { sys::cuLinkCreate_v2(count, keys, values, &mut raw) };
        context.check("cuLinkCreate_v2", code)?;
        let kind = LinkerKind {
            request: Mutex::new(Some(request)),
            names: Mutex::new(Names::none()),
        };
        // SAFETY: just created in this context, and nothing else owns it.
        Ok(Self(unsafe {
            Handle::new(raw, true, context.clone(), kind)
        }))
    }

    /// Returns the driver's information log: the linked code and, with [`JitOptions::verbose`], the
    /// resources of each kernel.
    ///
    /// The text is empty if the driver wrote none or if the linker was created from a raw handle.
    /// It is also empty inside a host function or a log listener, because a call of this linker may
    /// be in progress there.
    #[must_use]
    pub fn info_log(&self) -> String {
        if callback::reject_in_callback("cuLinkCreate").is_err() {
            return String::new();
        }
        let request = self.0.kind().request.lock();
        let request = request.unwrap_or_else(PoisonError::into_inner);
        request.as_ref().map(Request::info_log).unwrap_or_default()
    }

    /// Returns the context that the code is linked for.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.0.parent()
    }

    /// Adds PTX. Error messages contain `name`.
    ///
    /// See [`cuLinkAddData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`](crate::ErrorKind::Load) if the text is not PTX or does not
    /// compile. In the second case the error has the driver's log. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `name` contains a NUL
    /// character.
    #[doc(alias = "cuLinkAddData")]
    pub fn add_ptx(&self, name: &str, ptx: &str) -> Result<()> {
        // SAFETY: the image is text, which the driver compiles.
        unsafe { self.add(CUjitInputType::CU_JIT_INPUT_PTX, name, &image::ptx(ptx)?) }?;
        self.add_names(Some(Names::of(ptx, &[])));
        Ok(())
    }

    /// Adds a program that was compiled as [`relocatable`](crate::Program::relocatable).
    ///
    /// It adds the machine code, or the PTX if the driver rejects the machine code. Error messages
    /// contain `name`.
    ///
    /// See [`cuLinkAddData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`](crate::ErrorKind::Load), with the driver's log, if the code is
    /// for another device or does not fit the code that was added before. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `name` contains a NUL
    /// character.
    #[cfg(feature = "nvrtc")]
    #[doc(alias = "cuLinkAddData")]
    pub fn add_compiled(&self, name: &str, compiled: &CompiledProgram) -> Result<()> {
        load_compiled(compiled, |image| {
            let kind = match image::Kind::of(image) {
                image::Kind::Cubin => CUjitInputType::CU_JIT_INPUT_CUBIN,
                _ => CUjitInputType::CU_JIT_INPUT_PTX,
            };
            // SAFETY: the code is complete, because the compiler in this process produced it.
            unsafe { self.add(kind, name, image) }
        })?;
        self.add_names(Some(Names::of_compiled(compiled)));
        Ok(())
    }

    /// Adds machine code of the given kind: a cubin, a fat binary, an object or a library. Error
    /// messages contain `name`.
    ///
    /// [`add_image`](Self::add_image) recognizes the kind.
    ///
    /// See [`cuLinkAddData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must ensure that the code is complete, was produced by a CUDA compiler, and comes
    /// from a source that may run code in this process. The driver follows offsets in it without
    /// checking them.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`](crate::ErrorKind::Load) if the driver cannot read the code, or
    /// if it is for other devices. Returns
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `name` contains a NUL
    /// character.
    #[doc(alias = "cuLinkAddData")]
    pub unsafe fn add_code(&self, kind: CUjitInputType, name: &str, code: &[u8]) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.add(kind, name, code) }?;
        self.add_names(None);
        Ok(())
    }

    /// Adds PTX, a cubin, a fat binary, an object file that nvcc compiled for the host (`nvcc
    /// -dc`), or an archive of these. Error messages contain `name`.
    ///
    /// The first bytes of the image determine its kind.
    ///
    /// See [`cuLinkAddData`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must satisfy the conditions of [`add_code`](Self::add_code), unless the image is
    /// PTX.
    ///
    /// # Errors
    /// Returns the errors of [`add_code`](Self::add_code). Returns
    /// [`ErrorKind::Load`](crate::ErrorKind::Load) also if the image is none of these kinds.
    #[doc(alias = "cuLinkAddData")]
    pub unsafe fn add_image(&self, name: &str, image: &[u8]) -> Result<()> {
        match input_kind(image) {
            // SAFETY: guaranteed by the caller.
            Some(kind) => unsafe { self.add_code(kind, name, image) },
            None => self.add_ptx(name, image::text(image)?),
        }
    }

    /// Adds a file with any kind of code that [`add_image`](Self::add_image) accepts.
    ///
    /// See [`cuLinkAddFile`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Safety
    /// The caller must satisfy the conditions of [`add_image`](Self::add_image) for the file's
    /// contents at the time of the call.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the file cannot be read, and
    /// the errors of [`add_image`](Self::add_image).
    #[doc(alias = "cuLinkAddFile")]
    pub unsafe fn add_file(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let name = path.to_string_lossy();
        with_file(path, "Linker::add_file", |image| {
            // SAFETY: guaranteed by the caller.
            unsafe { self.add_image(&name, image) }
        })
    }

    /// Adds the toolkit's device runtime, `libcudadevrt.a`, which kernels need to launch kernels.
    ///
    /// These places are searched, in this order:
    /// - the folder of NVRTC's library;
    /// - the library folders below `CUDA_PATH`, `CUDA_HOME` and `CUDA_ROOT`;
    /// - the toolkit that this crate was built with;
    /// - the usual folders of distributions.
    ///
    /// To use a file elsewhere, call [`add_file`](Self::add_file).
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), with the searched folders, if
    /// there is no such file. Returns [`ErrorKind::Load`](crate::ErrorKind::Load) if the driver
    /// cannot read it.
    #[doc(alias = "libcudadevrt")]
    pub fn add_device_runtime(&self) -> Result<()> {
        let (path, archive) = device_runtime::read()?;
        let kind = CUjitInputType::CU_JIT_INPUT_LIBRARY;
        // SAFETY: the archive is complete and comes from the toolkit, which is trusted like the
        // compiler in it.
        unsafe { self.add_code(kind, &path.to_string_lossy(), &archive) }
    }

    /// Adds code to the linker.
    ///
    /// # Safety
    /// The caller must ensure that `data` is code of this kind that the driver can read safely.
    unsafe fn add(&self, kind: CUjitInputType, name: &str, data: &[u8]) -> Result<()> {
        const CALL: &str = "cuLinkAddData_v2";
        callback::reject_in_callback(CALL)?;
        let name = CString::new(name).map_err(|_| {
            Error::invalid(CALL, format!("the name {name:?} contains a NUL character"))
        })?;
        self.locked(CALL, |raw| {
            // SAFETY: the linker is live. The driver only reads `data`, whose length is passed with
            // it. The name is NUL-terminated, and there are no options.
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

    /// Links the added code and loads it into the context.
    ///
    /// See [`cuLinkComplete`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Load`](crate::ErrorKind::Load), with the driver's log, if a name is
    /// missing or defined twice.
    #[doc(alias = "cuLinkComplete")]
    pub fn finish(&self) -> Result<Module> {
        let image = self.finish_to_image()?;
        let names = self.0.kind().names.lock();
        let names = names.unwrap_or_else(PoisonError::into_inner).clone();
        // SAFETY: the driver has just produced it.
        unsafe { Module::from_linked(self.context(), &image, names) }
    }

    /// Links the added code and returns the machine code: a cubin for the context's device.
    ///
    /// See [`cuLinkComplete`](https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MODULE.html) in NVIDIA's manual.
    ///
    /// # Errors
    /// Returns the errors of [`finish`](Self::finish).
    #[doc(alias = "cuLinkComplete")]
    pub fn finish_to_image(&self) -> Result<Vec<u8>> {
        callback::reject_in_callback("cuLinkComplete")?;
        let (mut image, mut size) = (ptr::null_mut(), 0);
        let mut copy = Vec::new();
        self.locked("cuLinkComplete", |raw| {
            // SAFETY: the linker is live, and both are valid for writing.
            let code = unsafe { sys::cuLinkComplete(raw, &mut image, &mut size) };
            if code == CUresult::CUDA_SUCCESS && !image.is_null() {
                // SAFETY: the linker owns the image, which lives until the linker is used again.
                copy = unsafe { slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec();
            }
            code
        })?;
        Ok(copy)
    }

    /// Records the names in the added code, or that they are unknown if `added` is `None`.
    fn add_names(&self, added: Option<Names>) {
        let names = self.0.kind().names.lock();
        names.unwrap_or_else(PoisonError::into_inner).add(added);
    }

    fn locked(&self, call: &'static str, work: impl FnOnce(CUlinkState) -> CUresult) -> Result<()> {
        // Before the lock, because a log listener runs inside the call that is made under the lock.
        callback::reject_in_callback(call)?;
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

/// Returns the kind of the input, or `None` if it can only be PTX.
pub(crate) fn input_kind(image: &[u8]) -> Option<CUjitInputType> {
    /// `e_machine` of device code. In an ELF file it is at byte 18.
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
    fn input_kind_depends_on_the_first_bytes() {
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
