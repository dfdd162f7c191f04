//! Modules, functions, linkers and launches.

use super::*;

pub fn load(ptx: &str) -> CUmodule {
    let text = CString::new(ptx).unwrap();
    out!(cuModuleLoadData(_, text.as_ptr().cast()))
}

pub fn function(module: CUmodule, name: &str) -> CUfunction {
    let name = CString::new(name).unwrap();
    out!(cuModuleGetFunction(_, module, name.as_ptr()))
}

/// Launches a kernel with arguments given as addresses of values.
pub fn launch(
    function: CUfunction,
    grid: u32,
    block: u32,
    stream: CUstream,
    arguments: &mut [*mut c_void],
) -> CUresult {
    // SAFETY: The tests pass arguments of the kernel's types, or arguments that must be rejected.
    unsafe {
        cuLaunchKernel(
            function,
            grid,
            1,
            1,
            block,
            1,
            1,
            0,
            stream,
            arguments.as_mut_ptr(),
            null_mut(),
        )
    }
}

/// Returns a pointer to a value, for use as a kernel argument.
pub fn arg<T>(value: &T) -> *mut c_void {
    std::ptr::from_ref(value).cast_mut().cast()
}

/// Launches a kernel with blocks of any shape. `arguments` and `extra` are the two ways to pass
/// arguments.
pub fn launch_shaped(
    function: CUfunction,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    arguments: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    let ([gx, gy, gz], [bx, by, bz], stream) = (grid, block, null_mut());
    // SAFETY: as for `launch`.
    unsafe {
        cuLaunchKernel(
            function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra,
        )
    }
}

/// Launches a kernel whose blocks can wait for each other.
pub fn launch_cooperative(
    function: CUfunction,
    grid: [u32; 3],
    block: u32,
    arguments: *mut *mut c_void,
) -> CUresult {
    let ([x, y, z], stream) = (grid, null_mut());
    // SAFETY: as for `launch`.
    unsafe { cuLaunchCooperativeKernel(function, x, y, z, block, 1, 1, 0, stream, arguments) }
}

/// Returns the address of a module's variable.
pub fn global(module: CUmodule, name: &CStr) -> CUdeviceptr {
    out!(cuModuleGetGlobal_v2(_, null_mut(), module, name.as_ptr()))
}

/// Loads a library without options. The image ends in NUL.
pub fn load_library(image: &[u8]) -> Result<CUlibrary, CUresult> {
    assert_eq!(image.last(), Some(&0));
    let (image, no, none) = (image.as_ptr().cast(), null_mut(), null_mut());
    result!(cuLibraryLoadData(
        _,
        image,
        null_mut(),
        none,
        0,
        no,
        none,
        0
    ))
}

/// Kinds of linker inputs: numbers of `CUjitInputType`.
pub mod input {
    pub const CUBIN: u32 = 0;
    pub const PTX: u32 = 1;
    pub const FAT_BINARY: u32 = 2;
    pub const OBJECT: u32 = 3;
    pub const LIBRARY: u32 = 4;
}

pub fn linker() -> CUlinkState {
    out!(cuLinkCreate_v2(0, null_mut(), null_mut(), _))
}

/// Adds an input to a linker, without options.
pub fn link_data(state: CUlinkState, kind: u32, data: &[u8], name: &CStr) -> CUresult {
    let (kind, name) = (CUjitInputType(kind), name.as_ptr());
    let (place, size, no) = (data.as_ptr().cast_mut().cast(), data.len(), null_mut());
    // SAFETY: The data has this size.
    unsafe { cuLinkAddData_v2(state, kind, place, size, name, 0, null_mut(), no) }
}

/// Returns an attribute of device 0.
pub fn device_attribute(attribute: CUdevice_attribute) -> i32 {
    out!(cuDeviceGetAttribute(_, attribute, 0))
}

/// Returns an attribute of a function by its number.
pub fn attribute_of(function: CUfunction, number: u32) -> i32 {
    out!(cuFuncGetAttribute(
        _,
        CUfunction_attribute(number),
        function
    ))
}

/// Sets an attribute of a function by its number.
pub fn set_attribute(function: CUfunction, number: u32, value: i32) -> CUresult {
    call!(cuFuncSetAttribute(
        function,
        CUfunction_attribute(number),
        value
    ))
}
