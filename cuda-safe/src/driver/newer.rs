//! Driver functions that are looked up at run time: those newer than CUDA 12.0, and those whose
//! name has different signatures in different headers. A program that is linked to a function that
//! the installed driver lacks does not start.

use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    mem, ptr,
    ptr::NonNull,
    sync::atomic::{AtomicPtr, Ordering},
};

use cuda_sys::{
    CUcontext, CUdevice, CUdeviceptr, CUevent, CUexecAffinityParam, CUfunction, CUgraph,
    CUgraphNode, CUkernel, CUlibrary, CUmemLocation, CUmemoryPool, CUmodule, CUresult, CUstream,
    CUstreamCaptureMode, CUstreamCaptureStatus,
};

use crate::{
    driver::{self, Version, callback},
    error::Result,
    raw::structures::{
        RawCallback, RawCopyAttributes, RawCopyOperation, RawEdgeData, RawLock, RawMulticast,
        RawResource, RawRestore,
    },
};

/// Declares the functions. A row has the name, the CUDA version of the signature, and the
/// signature. If a name has several signatures, the row also has the name that the driver knows.
/// Each row becomes a Rust function that returns the driver's function. It looks the function up at
/// the first call, and returns `ErrorKind::Unsupported` if the driver lacks it.
macro_rules! table {
    ($($(#[$doc:meta])* $name:ident $(as $driver:literal)?: $major:literal . $minor:literal, fn($($argument:ty),*);)*) => {$(
        $(#[$doc])*
        #[allow(non_snake_case, reason = "the driver's name")]
        #[inline]
        pub(crate) fn $name() -> Result<unsafe extern "C" fn($($argument),*) -> CUresult> {
            static FOUND: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
            const NAMES: &[&CStr] = &[$($driver,)? name(concat!(stringify!($name), "\0"))];
            const NAME: &CStr = NAMES[0];
            let address = match NonNull::new(FOUND.load(Ordering::Acquire)) {
                Some(address) => address,
                None => find(&FOUND, NAME, Version { major: $major, minor: $minor })?,
            };
            // SAFETY: the table has the signature that the driver documents for this name since
            // this version.
            Ok(unsafe {
                mem::transmute::<NonNull<c_void>, unsafe extern "C" fn($($argument),*) -> CUresult>(address)
            })
        }
    )*};
}

const fn name(with_nul: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(with_nul.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a name without NUL"),
    }
}

#[cold]
fn find(found: &AtomicPtr<c_void>, name: &'static CStr, since: Version) -> Result<NonNull<c_void>> {
    callback::reject_in_callback(name.to_str().unwrap_or("cuGetProcAddress"))?;
    let address = driver::symbol(name, since)?;
    // Only found addresses are stored. If the lookup fails, the next call repeats it.
    found.store(address.as_ptr(), Ordering::Release);
    Ok(address)
}

table! {
    /// The name without a suffix has a different signature in every generation of headers.
    cuCtxCreate: 11 . 0, fn(*mut CUcontext, c_uint, CUdevice);
    /// Has parameters that request multiprocessors.
    cuCtxCreate_v3 as c"cuCtxCreate": 11 . 4, fn(*mut CUcontext, *mut CUexecAffinityParam, c_int, c_uint, CUdevice);
    /// Newer headers map the name to a version that a 12.0 driver lacks.
    cuEventElapsedTime: 12 . 0, fn(*mut f32, CUevent, CUevent);
    /// Newer headers map this name and the next two to functions for edges with data, which a 12.0
    /// driver lacks.
    cuGraphGetEdges: 10 . 0, fn(CUgraph, *mut CUgraphNode, *mut CUgraphNode, *mut usize);
    cuGraphAddDependencies: 10 . 0, fn(CUgraph, *const CUgraphNode, *const CUgraphNode, usize);
    cuGraphRemoveDependencies: 10 . 0, fn(CUgraph, *const CUgraphNode, *const CUgraphNode, usize);
    /// Newer headers map the name to a function that a 12.0 driver lacks.
    cuStreamGetCaptureInfo: 11 . 3, fn(CUstream, *mut CUstreamCaptureStatus, *mut u64, *mut CUgraph, *mut *const CUgraphNode, *mut usize);
    cuGraphGetEdges_v2 as c"cuGraphGetEdges": 12 . 3, fn(CUgraph, *mut CUgraphNode, *mut CUgraphNode, *mut RawEdgeData, *mut usize);
    cuGraphAddDependencies_v2 as c"cuGraphAddDependencies": 12 . 3, fn(CUgraph, *const CUgraphNode, *const CUgraphNode, *const RawEdgeData, usize);
    cuGraphRemoveDependencies_v2 as c"cuGraphRemoveDependencies": 12 . 3, fn(CUgraph, *const CUgraphNode, *const CUgraphNode, *const RawEdgeData, usize);
    /// The parameters are a union, which headers of 12.0 lack.
    cuGraphAddNode: 12 . 2, fn(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *mut c_void);
    cuGraphConditionalHandleCreate: 12 . 3, fn(*mut u64, CUgraph, CUcontext, c_uint, c_uint);
    cuStreamBeginCaptureToGraph: 12 . 3, fn(CUstream, CUgraph, *const CUgraphNode, *const RawEdgeData, usize, CUstreamCaptureMode);
    cuFuncGetName: 12 . 3, fn(*mut *const c_char, CUfunction);
    cuFuncGetParamInfo: 12 . 4, fn(CUfunction, usize, *mut usize, *mut usize);
    cuFuncIsLoaded: 12 . 4, fn(*mut c_uint, CUfunction);
    cuFuncLoad: 12 . 4, fn(CUfunction);
    cuKernelGetName: 12 . 3, fn(*mut *const c_char, CUkernel);
    cuKernelGetParamCount: 13 . 2, fn(CUkernel, *mut usize);
    cuKernelGetParamInfo: 12 . 4, fn(CUkernel, usize, *mut usize, *mut usize);
    cuLibraryEnumerateKernels: 12 . 4, fn(*mut CUkernel, c_uint, CUlibrary);
    cuLibraryGetKernelCount: 12 . 4, fn(*mut c_uint, CUlibrary);
    cuModuleGetFunctionCount: 12 . 4, fn(*mut c_uint, CUmodule);
    /// Enumerations are numbers here, because 12.0 headers lack some of them.
    cuTensorMapEncodeIm2colWide: 12 . 8, fn(*mut c_void, c_uint, c_uint, *mut c_void, *const u64, *const u64, c_int, c_int, c_uint, c_uint, *const c_uint, c_uint, c_uint, c_uint, c_uint, c_uint);
    cuModuleEnumerateFunctions: 12 . 4, fn(*mut CUfunction, c_uint, CUmodule);
    /// This function and the next have a parameter for the index of the failed copy, which the
    /// signature of 13.0 lacks.
    cuMemcpyBatchAsync: 12 . 8, fn(*mut CUdeviceptr, *mut CUdeviceptr, *mut usize, usize, *mut RawCopyAttributes, *mut usize, usize, *mut usize, CUstream);
    cuMemcpy3DBatchAsync: 12 . 8, fn(usize, *mut RawCopyOperation, *mut usize, u64, CUstream);
    cuMemcpyWithAttributesAsync: 13 . 2, fn(CUdeviceptr, CUdeviceptr, usize, *mut RawCopyAttributes, CUstream);
    cuMemcpy3DWithAttributesAsync: 13 . 2, fn(*mut RawCopyOperation, u64, CUstream);
    cuCtxSetFlags: 12 . 1, fn(c_uint);
    cuCtxRecordEvent: 12 . 5, fn(CUcontext, CUevent);
    cuCtxWaitEvent: 12 . 5, fn(CUcontext, CUevent);
    cuStreamGetDevice: 12 . 8, fn(CUstream, *mut CUdevice);

    /// Newer headers map this name and `cuMemAdvise` to versions with a location, which a 12.0
    /// driver lacks.
    cuMemPrefetchAsync: 8 . 0, fn(CUdeviceptr, usize, CUdevice, CUstream);
    cuMemPrefetchAsync_v2 as c"cuMemPrefetchAsync": 12 . 2, fn(CUdeviceptr, usize, CUmemLocation, c_uint, CUstream);
    cuMemAdvise: 8 . 0, fn(CUdeviceptr, usize, c_uint, CUdevice);
    cuMemAdvise_v2 as c"cuMemAdvise": 12 . 2, fn(CUdeviceptr, usize, c_uint, CUmemLocation);
    cuMemPrefetchBatchAsync: 13 . 0, fn(*mut CUdeviceptr, *mut usize, usize, *mut CUmemLocation, *mut usize, usize, u64, CUstream);
    cuMemDiscardBatchAsync: 13 . 0, fn(*mut CUdeviceptr, *mut usize, usize, u64, CUstream);
    cuMemDiscardAndPrefetchBatchAsync: 13 . 0, fn(*mut CUdeviceptr, *mut usize, usize, *mut CUmemLocation, *mut usize, usize, u64, CUstream);
    /// In this function and the next two, a `CUmemAllocationType` is a number.
    cuMemGetMemPool: 13 . 0, fn(*mut CUmemoryPool, *mut CUmemLocation, c_uint);
    cuMemGetDefaultMemPool: 13 . 0, fn(*mut CUmemoryPool, *mut CUmemLocation, c_uint);
    cuMemSetMemPool: 13 . 0, fn(*mut CUmemLocation, c_uint, CUmemoryPool);

    cuDeviceGetDevResource: 12 . 4, fn(CUdevice, *mut RawResource, c_uint);
    cuCtxGetDevResource: 12 . 4, fn(CUcontext, *mut RawResource, c_uint);
    cuDevSmResourceSplitByCount: 12 . 4, fn(*mut RawResource, *mut c_uint, *const RawResource, *mut RawResource, c_uint, c_uint);
    /// A `CUdevResourceDesc` is a pointer.
    cuDevResourceGenerateDesc: 12 . 4, fn(*mut *mut c_void, *mut RawResource, c_uint);
    /// A `CUgreenCtx` is a pointer.
    cuGreenCtxCreate: 12 . 4, fn(*mut *mut c_void, *mut c_void, CUdevice, c_uint);
    cuGreenCtxDestroy: 12 . 4, fn(*mut c_void);
    cuCtxFromGreenCtx: 12 . 4, fn(*mut CUcontext, *mut c_void);
    cuGreenCtxGetDevResource: 12 . 4, fn(*mut c_void, *mut RawResource, c_uint);
    cuGreenCtxRecordEvent: 12 . 4, fn(*mut c_void, CUevent);
    cuGreenCtxWaitEvent: 12 . 4, fn(*mut c_void, CUevent);
    cuGreenCtxStreamCreate: 12 . 5, fn(*mut CUstream, *mut c_void, c_uint, c_int);
    cuGreenCtxGetId: 12 . 9, fn(*mut c_void, *mut u64);
    cuStreamGetGreenCtx: 12 . 4, fn(CUstream, *mut *mut c_void);

    /// In this function and the next seven, a `CUmemGenericAllocationHandle` is a number.
    cuMulticastCreate: 12 . 1, fn(*mut u64, *const RawMulticast);
    cuMulticastAddDevice: 12 . 1, fn(u64, CUdevice);
    cuMulticastBindMem: 12 . 1, fn(u64, usize, u64, usize, usize, u64);
    cuMulticastBindAddr: 12 . 1, fn(u64, usize, CUdeviceptr, usize, u64);
    cuMulticastBindMem_v2 as c"cuMulticastBindMem": 13 . 1, fn(u64, CUdevice, usize, u64, usize, usize, u64);
    cuMulticastBindAddr_v2 as c"cuMulticastBindAddr": 13 . 1, fn(u64, CUdevice, usize, CUdeviceptr, usize, u64);
    cuMulticastUnbind: 12 . 1, fn(u64, CUdevice, usize, usize);
    cuMulticastGetGranularity: 12 . 1, fn(*mut usize, *const RawMulticast, c_uint);

    /// A `CUatomicOperation` is a number.
    cuDeviceGetHostAtomicCapabilities: 13 . 0, fn(*mut c_uint, *const c_uint, c_uint, CUdevice);
    cuDeviceGetP2PAtomicCapabilities: 13 . 0, fn(*mut c_uint, *const c_uint, c_uint, CUdevice, CUdevice);

    /// In this function and the next three, a `CUcoredumpSettings` is a number.
    cuCoredumpGetAttribute: 12 . 1, fn(c_uint, *mut c_void, *mut usize);
    cuCoredumpGetAttributeGlobal: 12 . 1, fn(c_uint, *mut c_void, *mut usize);
    cuCoredumpSetAttribute: 12 . 1, fn(c_uint, *mut c_void, *mut usize);
    cuCoredumpSetAttributeGlobal: 12 . 1, fn(c_uint, *mut c_void, *mut usize);

    /// A `CUlogsCallbackHandle` is a pointer, and a `CUlogIterator` is a number.
    cuLogsRegisterCallback: 12 . 9, fn(RawCallback, *mut c_void, *mut *mut c_void);
    cuLogsUnregisterCallback: 12 . 9, fn(*mut c_void);
    cuLogsCurrent: 12 . 9, fn(*mut c_uint, c_uint);
    cuLogsDumpToFile: 12 . 9, fn(*mut c_uint, *const c_char, c_uint);
    cuLogsDumpToMemory: 12 . 9, fn(*mut c_uint, *mut c_char, *mut usize, c_uint);

    /// This function and the next two are in `cudaGL.h`, which an installation may lack. A
    /// `CUGLDeviceList` is a number.
    #[cfg(feature = "opengl")]
    cuGLGetDevices: 6 . 5, fn(*mut c_uint, *mut CUdevice, c_uint, c_uint);
    /// OpenGL's names are numbers.
    #[cfg(feature = "opengl")]
    cuGraphicsGLRegisterBuffer: 3 . 0, fn(*mut cuda_sys::CUgraphicsResource, c_uint, c_uint);
    #[cfg(feature = "opengl")]
    cuGraphicsGLRegisterImage: 3 . 0, fn(*mut cuda_sys::CUgraphicsResource, c_uint, c_uint, c_uint);

    cuCheckpointProcessGetRestoreThreadId: 12 . 8, fn(c_int, *mut c_int);
    /// A `CUprocessState` is a number.
    cuCheckpointProcessGetState: 12 . 8, fn(c_int, *mut c_uint);
    cuCheckpointProcessLock: 12 . 8, fn(c_int, *mut RawLock);
    /// The parameters of this function and of `cuCheckpointProcessUnlock` are reserved and must be
    /// null.
    cuCheckpointProcessCheckpoint: 12 . 8, fn(c_int, *mut c_void);
    cuCheckpointProcessRestore: 12 . 8, fn(c_int, *mut RawRestore);
    cuCheckpointProcessUnlock: 12 . 8, fn(c_int, *mut c_void);
}
