//! OpenGL without a screen: an EGL context on CUDA's device 0, and the few OpenGL functions that
//! the tests call.

use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    mem::transmute_copy,
    ptr,
};

use crate::harness::{Test, tests};

type Pointer = *mut c_void;

/// Constants with the names in OpenGL's headers.
pub const ARRAY_BUFFER: c_uint = 0x8892;
pub const DYNAMIC_DRAW: c_uint = 0x88e8;
pub const TEXTURE_2D: c_uint = 0x0de1;
pub const TEXTURE_3D: c_uint = 0x806f;
pub const TEXTURE_2D_ARRAY: c_uint = 0x8c1a;
pub const TEXTURE_CUBE_MAP: c_uint = 0x8513;
pub const RENDERBUFFER: c_uint = 0x8d41;
pub const R32F: c_uint = 0x822e;
pub const DEPTH16: c_uint = 0x81a5;
pub const RGBA8: c_uint = 0x8058;
const RED: c_uint = 0x1903;
const FLOAT: c_uint = 0x1406;
const OPENGL_API: c_uint = 0x30a2;
const FRAMEBUFFER: c_uint = 0x8d40;
const COLOR_ATTACHMENT0: c_uint = 0x8ce0;
const FRAMEBUFFER_COMPLETE: c_uint = 0x8cd5;
const COLOR_BUFFER_BIT: c_uint = 0x4000;

macro_rules! functions {
    ($(#[$doc:meta])* struct $name:ident { $($symbol:ident: fn($($argument:ty),*) $(-> $result:ty)?;)* }) => {
        $(#[$doc])*
        #[allow(non_snake_case, reason = "the library's names")]
        struct $name {
            $($symbol: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $name {
            /// Looks up each function by name. Returns the name of a missing function as the error.
            fn find(find: impl Fn(&CStr) -> Pointer) -> Result<Self, &'static str> {
                Ok(Self {
                    $($symbol: {
                        let name = concat!(stringify!($symbol), "\0");
                        let found = find(CStr::from_bytes_with_nul(name.as_bytes()).unwrap());
                        if found.is_null() {
                            return Err(stringify!($symbol));
                        }
                        // SAFETY: the library's function with this name has this signature.
                        unsafe { transmute_copy(&found) }
                    },)*
                })
            }
        }
    };
}

functions! {
    struct Egl {
        eglQueryDevicesEXT: fn(c_int, *mut Pointer, *mut c_int) -> c_uint;
        eglQueryDeviceAttribEXT: fn(Pointer, c_int, *mut isize) -> c_uint;
        eglGetPlatformDisplayEXT: fn(c_uint, Pointer, *const c_int) -> Pointer;
        eglInitialize: fn(Pointer, *mut c_int, *mut c_int) -> c_uint;
        eglBindAPI: fn(c_uint) -> c_uint;
        eglChooseConfig: fn(Pointer, *const c_int, *mut Pointer, c_int, *mut c_int) -> c_uint;
        eglCreateContext: fn(Pointer, Pointer, Pointer, *const c_int) -> Pointer;
        eglMakeCurrent: fn(Pointer, Pointer, Pointer, Pointer) -> c_uint;
        eglGetProcAddress: fn(*const c_char) -> Pointer;
    }
}

functions! {
    struct Functions {
        glGetError: fn() -> c_uint;
        glFinish: fn();
        glGenBuffers: fn(c_int, *mut c_uint);
        glBindBuffer: fn(c_uint, c_uint);
        glBufferData: fn(c_uint, isize, *const c_void, c_uint);
        glBufferSubData: fn(c_uint, isize, isize, *const c_void);
        glGetBufferSubData: fn(c_uint, isize, isize, *mut c_void);
        glDeleteBuffers: fn(c_int, *const c_uint);
        glGenTextures: fn(c_int, *mut c_uint);
        glBindTexture: fn(c_uint, c_uint);
        glTexStorage2D: fn(c_uint, c_int, c_uint, c_int, c_int);
        glTexStorage3D: fn(c_uint, c_int, c_uint, c_int, c_int, c_int);
        glTexSubImage2D: fn(c_uint, c_int, c_int, c_int, c_int, c_int, c_uint, c_uint, *const c_void);
        glGetTexImage: fn(c_uint, c_int, c_uint, c_uint, *mut c_void);
        glDeleteTextures: fn(c_int, *const c_uint);
        glGenRenderbuffers: fn(c_int, *mut c_uint);
        glBindRenderbuffer: fn(c_uint, c_uint);
        glRenderbufferStorage: fn(c_uint, c_uint, c_int, c_int);
        glDeleteRenderbuffers: fn(c_int, *const c_uint);
        glGenFramebuffers: fn(c_int, *mut c_uint);
        glBindFramebuffer: fn(c_uint, c_uint);
        glFramebufferRenderbuffer: fn(c_uint, c_uint, c_uint, c_uint);
        glCheckFramebufferStatus: fn(c_uint) -> c_uint;
        glDeleteFramebuffers: fn(c_int, *const c_uint);
        glClearColor: fn(f32, f32, f32, f32);
        glClear: fn(c_uint);
    }
}

/// The reason why there is no OpenGL to share with.
pub enum NoOpenGl {
    /// OpenGL is not installed.
    Missing(String),
    /// OpenGL is installed but does not work.
    Failed(String),
}

impl NoOpenGl {
    /// Returns the reason for a missing EGL function. Only functions of extensions can find a
    /// device, and EGL may work without these extensions if there is no device.
    fn lacks(name: &str) -> Self {
        let reason = format!("EGL has no {name}");
        match name.ends_with("EXT") {
            true => Self::Missing(reason),
            false => Self::Failed(reason),
        }
    }
}

impl From<String> for NoOpenGl {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

/// # Safety
/// As for `dlopen`.
#[cfg(unix)]
unsafe fn dlopen(name: *const c_char) -> Pointer {
    // SAFETY: the caller guarantees it.
    unsafe { libc::dlopen(name, libc::RTLD_NOW) }
}

#[cfg(unix)]
use libc::dlsym;

/// Finds no library, because Windows has no EGL.
#[cfg(not(unix))]
unsafe fn dlopen(_: *const c_char) -> Pointer {
    std::ptr::null_mut()
}

#[cfg(not(unix))]
unsafe fn dlsym(_: Pointer, _: *const c_char) -> Pointer {
    std::ptr::null_mut()
}

/// Opens a library for the lifetime of the process.
fn open(name: &CStr) -> Result<Pointer, NoOpenGl> {
    // SAFETY: opening the library runs only its own initialization.
    let library = unsafe { dlopen(name.as_ptr()) };
    if library.is_null() {
        let name = name.to_string_lossy();
        return Err(NoOpenGl::Missing(format!("{name} is not installed")));
    }
    Ok(library)
}

/// The EGL display of CUDA's device 0, and one of its configurations.
struct Display {
    egl: Egl,
    display: Pointer,
    config: Pointer,
}

impl Display {
    fn open() -> Result<Self, NoOpenGl> {
        const CUDA_DEVICE: c_int = 0x323a;
        const PLATFORM_DEVICE: c_uint = 0x313f;
        let library = open(c"libEGL.so.1")?;
        // CUDA's driver opens this library to share with OpenGL.
        open(c"libGL.so.1")?;
        // SAFETY: the library stays open, and names are NUL-terminated.
        let symbol = |name: &CStr| unsafe { dlsym(library, name.as_ptr()) };
        let proc_address = symbol(c"eglGetProcAddress");
        if proc_address.is_null() {
            return Err(String::from("libEGL.so.1 has no eglGetProcAddress").into());
        }
        // SAFETY: the function has this signature.
        let proc_address: unsafe extern "C" fn(*const c_char) -> Pointer =
            unsafe { transmute_copy(&proc_address) };
        let egl = Egl::find(|name| match symbol(name) {
            // SAFETY: the name is NUL-terminated.
            found if found.is_null() => unsafe { proc_address(name.as_ptr()) },
            found => found,
        })
        .map_err(NoOpenGl::lacks)?;

        let (mut devices, mut count) = ([ptr::null_mut(); 64], 0);
        // SAFETY: the array has room for 64 devices, and `count` is valid for writes.
        unsafe { (egl.eglQueryDevicesEXT)(64, devices.as_mut_ptr(), &mut count) };
        let ordinal = |device: &Pointer| {
            let mut ordinal = -1;
            // SAFETY: the device is valid, and the pointer is valid for writes. Devices that are
            // not CUDA's return an error.
            let known =
                unsafe { (egl.eglQueryDeviceAttribEXT)(*device, CUDA_DEVICE, &mut ordinal) };
            (known == 1).then_some(ordinal)
        };
        let devices = &devices[..count as usize];
        if devices.iter().all(|device| ordinal(device).is_none()) {
            return Err(NoOpenGl::Missing(format!(
                "NVIDIA's part of OpenGL is not installed: none of EGL's {count} devices is CUDA's"
            )));
        }
        let Some(device) = devices.iter().find(|device| ordinal(device) == Some(0)) else {
            return Err(format!("none of EGL's {count} devices is CUDA's device 0").into());
        };
        // An OpenGL context with 8 bits of red and without surfaces.
        let wanted = [0x3033, 1, 0x3040, 8, 0x3024, 8, 0x3038];
        let (mut config, mut configs) = (ptr::null_mut(), 0);
        // SAFETY: the device is valid, the attribute list has EGL's terminator, and the pointers
        // are valid for writes.
        unsafe {
            let display = (egl.eglGetPlatformDisplayEXT)(PLATFORM_DEVICE, *device, ptr::null());
            if (egl.eglInitialize)(display, ptr::null_mut(), ptr::null_mut()) != 1
                || (egl.eglBindAPI)(OPENGL_API) != 1
                || (egl.eglChooseConfig)(display, wanted.as_ptr(), &mut config, 1, &mut configs)
                    != 1
                || configs != 1
            {
                return Err(String::from("EGL makes no OpenGL on CUDA's device 0").into());
            }
            Ok(Self {
                egl,
                display,
                config,
            })
        }
    }
}

/// A context, and the functions that work on the current context.
struct Made {
    display: Display,
    context: Pointer,
    gl: Functions,
}

impl Made {
    fn new() -> Result<Self, NoOpenGl> {
        let display = Display::open()?;
        let egl = &display.egl;
        let version = [0x3098, 4, 0x30fb, 5, 0x3038]; // 4.5
        // SAFETY: the display is live and has this configuration. The list has EGL's terminator.
        let context = unsafe {
            let (display, config) = (display.display, display.config);
            (egl.eglCreateContext)(display, config, ptr::null_mut(), version.as_ptr())
        };
        if context.is_null() {
            return Err(String::from("EGL makes no context of OpenGL 4.5").into());
        }
        // SAFETY: names are NUL-terminated.
        let gl = Functions::find(|name| unsafe { (egl.eglGetProcAddress)(name.as_ptr()) });
        let gl = gl.map_err(|name| format!("OpenGL has no {name}"))?;
        Ok(Self {
            display,
            context,
            gl,
        })
    }
}

/// The OpenGL context. Creating it takes seconds, so it is created once. It stays on the thread
/// that created it.
pub struct Gl(Made);

impl Gl {
    /// Returns the context, or the reason why OpenGL is not available.
    pub fn new() -> Result<Self, NoOpenGl> {
        Made::new().map(Self)
    }

    fn made(&self) -> &Made {
        &self.0
    }

    /// Makes the context current and clears its errors, whatever state a failed test has left.
    pub fn begin(&self) {
        self.make_current(true);
        // SAFETY: the context is current. If the context does not work, each call returns an error.
        let error = || unsafe { (self.functions().glGetError)() };
        (0..100).take_while(|_| error() != 0).for_each(drop);
    }

    /// Waits until all drawing has finished, and checks that nothing has failed.
    pub fn finish(&self) {
        // SAFETY: the context is current.
        unsafe { (self.functions().glFinish)() };
        self.expect_no_error();
    }

    fn functions(&self) -> &Functions {
        &self.made().gl
    }

    /// Makes the context current on this thread, or no context.
    pub fn make_current(&self, current: bool) {
        let made = self.made();
        let context = if current {
            made.context
        } else {
            ptr::null_mut()
        };
        let (egl, display) = (&made.display.egl, made.display.display);
        // SAFETY: the context is live and current on no other thread. It needs no surface, and
        // threads use OpenGL only after this call.
        unsafe {
            assert_eq!((egl.eglBindAPI)(OPENGL_API), 1);
            let none = ptr::null_mut();
            assert_eq!((egl.eglMakeCurrent)(display, none, none, context), 1);
        }
    }

    /// Checks that no earlier call has failed.
    fn expect_no_error(&self) {
        // SAFETY: the context is current.
        let error = unsafe { (self.functions().glGetError)() };
        assert_eq!(error, 0, "OpenGL returned an error");
    }

    /// Creates a buffer object with these elements.
    pub fn buffer(&self, elements: &[f32]) -> u32 {
        let mut buffer = 0;
        // SAFETY: the context is current, and the slice has that number of bytes.
        unsafe {
            (self.functions().glGenBuffers)(1, &mut buffer);
            (self.functions().glBindBuffer)(ARRAY_BUFFER, buffer);
            let bytes = size_of_val(elements) as isize;
            (self.functions().glBufferData)(
                ARRAY_BUFFER,
                bytes,
                elements.as_ptr().cast(),
                DYNAMIC_DRAW,
            );
        }
        self.expect_no_error();
        buffer
    }

    /// Creates a buffer object without memory.
    pub fn empty_buffer(&self) -> u32 {
        let mut buffer = 0;
        // SAFETY: the context is current.
        unsafe {
            (self.functions().glGenBuffers)(1, &mut buffer);
            (self.functions().glBindBuffer)(ARRAY_BUFFER, buffer);
        }
        buffer
    }

    /// Writes elements to a buffer object, starting at its beginning.
    pub fn write_buffer(&self, buffer: u32, elements: &[f32]) {
        // SAFETY: the context is current, and OpenGL checks the buffer's size.
        unsafe {
            (self.functions().glBindBuffer)(ARRAY_BUFFER, buffer);
            let bytes = size_of_val(elements) as isize;
            (self.functions().glBufferSubData)(ARRAY_BUFFER, 0, bytes, elements.as_ptr().cast());
        }
        self.expect_no_error();
    }

    /// Returns the first `len` elements of a buffer object.
    pub fn read_buffer(&self, buffer: u32, len: usize) -> Vec<f32> {
        let mut elements = vec![0.0f32; len];
        // SAFETY: the context is current, and the vector has room for that number of bytes.
        unsafe {
            (self.functions().glBindBuffer)(ARRAY_BUFFER, buffer);
            let bytes = size_of_val(&elements[..]) as isize;
            (self.functions().glGetBufferSubData)(
                ARRAY_BUFFER,
                0,
                bytes,
                elements.as_mut_ptr().cast(),
            );
        }
        self.expect_no_error();
        elements
    }

    pub fn delete_buffer(&self, buffer: u32) {
        // SAFETY: the context is current.
        unsafe { (self.functions().glDeleteBuffers)(1, &buffer) };
        self.expect_no_error();
    }

    /// Creates a texture with `levels` levels. With depth or layers it has three lengths.
    pub fn texture(&self, target: u32, levels: c_int, format: u32, lengths: &[c_int]) -> u32 {
        let mut texture = 0;
        // SAFETY: the context is current.
        unsafe {
            (self.functions().glGenTextures)(1, &mut texture);
            (self.functions().glBindTexture)(target, texture);
            match *lengths {
                [w, h] => (self.functions().glTexStorage2D)(target, levels, format, w, h),
                [w, h, d] => (self.functions().glTexStorage3D)(target, levels, format, w, h, d),
                _ => panic!("expected two or three lengths"),
            }
        }
        self.expect_no_error();
        texture
    }

    /// Writes a level of a two-dimensional texture with one `float` per texel.
    pub fn write_texture(&self, texture: u32, level: c_int, [w, h]: [c_int; 2], texels: &[f32]) {
        assert_eq!(texels.len(), (w * h) as usize);
        // SAFETY: the context is current, and the slice has the number of texels that OpenGL reads.
        unsafe {
            (self.functions().glBindTexture)(TEXTURE_2D, texture);
            let texels = texels.as_ptr().cast();
            (self.functions().glTexSubImage2D)(TEXTURE_2D, level, 0, 0, w, h, RED, FLOAT, texels);
        }
        self.expect_no_error();
    }

    /// Returns a level of a two-dimensional texture with one `float` per texel, as `len` texels.
    pub fn read_texture(&self, texture: u32, level: c_int, len: usize) -> Vec<f32> {
        let mut texels = vec![0.0f32; len];
        // SAFETY: the context is current, and the vector has room for the `len` texels of the
        // level.
        unsafe {
            (self.functions().glBindTexture)(TEXTURE_2D, texture);
            let texels = texels.as_mut_ptr().cast();
            (self.functions().glGetTexImage)(TEXTURE_2D, level, RED, FLOAT, texels);
        }
        self.expect_no_error();
        texels
    }

    pub fn delete_texture(&self, texture: u32) {
        // SAFETY: the context is current.
        unsafe { (self.functions().glDeleteTextures)(1, &texture) };
        self.expect_no_error();
    }

    /// Creates a renderbuffer with four bytes per texel.
    pub fn renderbuffer(&self, [w, h]: [c_int; 2]) -> u32 {
        let mut buffer = 0;
        // SAFETY: the context is current.
        unsafe {
            (self.functions().glGenRenderbuffers)(1, &mut buffer);
            (self.functions().glBindRenderbuffer)(RENDERBUFFER, buffer);
            (self.functions().glRenderbufferStorage)(RENDERBUFFER, RGBA8, w, h);
        }
        self.expect_no_error();
        buffer
    }

    /// Fills a renderbuffer with one color.
    pub fn draw(&self, renderbuffer: u32, [r, g, b, a]: [f32; 4]) {
        let (gl, mut frame) = (self.functions(), 0);
        // SAFETY: the context is current.
        unsafe {
            (gl.glGenFramebuffers)(1, &mut frame);
            (gl.glBindFramebuffer)(FRAMEBUFFER, frame);
            (gl.glFramebufferRenderbuffer)(
                FRAMEBUFFER,
                COLOR_ATTACHMENT0,
                RENDERBUFFER,
                renderbuffer,
            );
            let status = (gl.glCheckFramebufferStatus)(FRAMEBUFFER);
            assert_eq!(status, FRAMEBUFFER_COMPLETE);
            (gl.glClearColor)(r, g, b, a);
            (gl.glClear)(COLOR_BUFFER_BIT);
            (gl.glBindFramebuffer)(FRAMEBUFFER, 0);
            (gl.glDeleteFramebuffers)(1, &frame);
        }
        self.expect_no_error();
    }

    pub fn delete_renderbuffer(&self, buffer: u32) {
        // SAFETY: the context is current.
        unsafe { (self.functions().glDeleteRenderbuffers)(1, &buffer) };
        self.expect_no_error();
    }
}

pub const TESTS: &[Test] = tests![Host egl_without_device_functions_is_missing];

fn egl_without_device_functions_is_missing() {
    for lacking in [
        "eglQueryDevicesEXT",
        "eglQueryDeviceAttribEXT",
        "eglGetPlatformDisplayEXT",
    ] {
        let found = Egl::find(|name| match name.to_str() == Ok(lacking) {
            true => ptr::null_mut(),
            false => ptr::dangling_mut(), // not called
        });
        let reason = found.map(drop).map_err(NoOpenGl::lacks);
        assert!(matches!(reason, Err(NoOpenGl::Missing(text)) if text.contains(lacking)));
    }
    let found = Egl::find(|_| ptr::null_mut());
    assert!(matches!(found, Err("eglQueryDevicesEXT")));
    assert!(matches!(
        NoOpenGl::lacks("eglInitialize"),
        NoOpenGl::Failed(_)
    ));
}
