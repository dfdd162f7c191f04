//! The driver's linker, which combines several pieces of code into one module.

use std::{
    ffi::{CString, c_char, c_uint},
    ptr, slice,
    sync::{Mutex, PoisonError},
};

use cuda_sys::{self as sys, CUjitInputType, CUlinkState, CUresult};

use super::{JitOptions, Module, image, jit::Request, load::load_error};
use crate::{
    context::Context,
    error::{Error, Result},
    handle::{Adopt, Handle, Kind, handle},
};

/// A linker: it combines several pieces of PTX that refer to each other into one module.
///
/// ```
/// use cuda_safe::{Context, Linker, Out, LaunchConfig, Stream};
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

/// What a linker writes to during its life. The lock serialises the calls.
struct LinkerKind(Mutex<Option<Request>>);

impl Kind for LinkerKind {
    type Raw = CUlinkState;
    type Parent = Context;
    const NAME: &'static str = "Linker";

    unsafe fn release(&self, raw: CUlinkState, context: &Context) -> Result<()> {
        let _current = context.enter()?;
        // SAFETY: released once, by this function's contract; what it writes to goes after it.
        context.check("cuLinkDestroy", unsafe { sys::cuLinkDestroy(raw) })
    }

    fn hand_over(&mut self) {
        let log = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::forget(log.take()); // the driver goes on writing to it
    }
}

impl Adopt for LinkerKind {
    fn adopt(_: CUlinkState) -> Self {
        Self(Mutex::new(None))
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
    /// # use cuda_safe::{Context, JitOptions, Linker};
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
        let _current = context.enter()?;
        let request = Request::new(options);
        let (count, keys, values) = request.raw();
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is valid for the write; as many keys and values as the count says, of which the logs and the values
        // stay where they are for as long as the linker lives.
        let code = unsafe { sys::cuLinkCreate_v2(count, keys, values, &mut raw) };
        context.check("cuLinkCreate_v2", code)?;
        let kind = LinkerKind(Mutex::new(Some(request)));
        // SAFETY: just made in this context, and owned by nobody else.
        Ok(Self(unsafe {
            Handle::new(raw, true, context.clone(), kind)
        }))
    }

    /// What the driver has to say beside errors: what was linked and, with [`JitOptions::verbose`], what each kernel needs.
    /// Empty where it said nothing, and for linkers that came in as raw handles.
    #[must_use]
    pub fn info_log(&self) -> String {
        let request = self.0.kind().0.lock();
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
        unsafe { self.add(CUjitInputType::CU_JIT_INPUT_PTX, name, &image::ptx(ptx)?) }
    }

    /// Adds machine code of the given kind: a cubin, a fat binary, an object or a library; `name` is what messages
    /// call it.
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
        unsafe { self.add(kind, name, code) }
    }

    /// # Safety
    /// Data of this kind, which the driver may follow.
    unsafe fn add(&self, kind: CUjitInputType, name: &str, data: &[u8]) -> Result<()> {
        const CALL: &str = "cuLinkAddData_v2";
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
        // SAFETY: made by the driver just now.
        unsafe { Module::from_linked(self.context(), &image) }
    }

    /// Links what was added, and returns the machine code: a cubin for the context's device.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    #[doc(alias = "cuLinkComplete")]
    pub fn finish_to_image(&self) -> Result<Vec<u8>> {
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

    fn locked(&self, call: &'static str, work: impl FnOnce(CUlinkState) -> CUresult) -> Result<()> {
        let log = self
            .0
            .kind()
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let _current = self.context().enter()?;
        let code = work(self.as_raw());
        if code == CUresult::CUDA_SUCCESS {
            return Ok(());
        }
        let text = log.as_ref().map(Request::error_log).unwrap_or_default();
        Err(load_error(self.context(), call, code, text))
    }
}
