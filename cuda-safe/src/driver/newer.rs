//! Driver functions that are not linked directly: those newer than CUDA 12.0, and those whose name stands for
//! different signatures in different headers. Linking to one that the installed driver lacks would stop the program
//! before `main`.

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

/// A row is a name, the CUDA version whose signature is meant, and that signature; of a name with several
/// signatures also the one that the driver knows. It becomes a Rust function that
/// returns the driver's function, looked up at the first call, and fails with `ErrorKind::Unsupported` where there is
/// none.
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
            // SAFETY: the table has the signature that the driver documents for this name since this version.
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
    callback::refuse_within(name.to_str().unwrap_or("cuGetProcAddress"))?;
    let address = driver::symbol(name, since)?;
    // Only a definite answer is kept: a driver that failed to answer is queried again.
    found.store(address.as_ptr(), Ordering::Release);
    Ok(address)
}

table! {
    /// The bare name stands for a different signature in every generation of headers.
    cuCtxCreate: 11 . 0, fn(*mut CUcontext, c_uint, CUdevice);
    /// As above, with the parameters that ask for multiprocessors.
    cuCtxCreate_v3 as c"cuCtxCreate": 11 . 4, fn(*mut CUcontext, *mut CUexecAffinityParam, c_int, c_uint, CUdevice);
    /// Newer headers rename it to a version that a 12.0 driver lacks.
    cuEventElapsedTime: 12 . 0, fn(*mut f32, CUevent, CUevent);
    /// Newer headers have edges with data, in functions that a 12.0 driver lacks; the same for the next two.
    cuGraphGetEdges: 10 . 0, fn(CUgraph, *mut CUgraphNode, *mut CUgraphNode, *mut usize);
    cuGraphAddDependencies: 10 . 0, fn(CUgraph, *const CUgraphNode, *const CUgraphNode, usize);
    cuGraphRemoveDependencies: 10 . 0, fn(CUgraph, *const CUgraphNode, *const CUgraphNode, usize);
    /// As above.
    cuStreamGetCaptureInfo: 11 . 3, fn(CUstream, *mut CUstreamCaptureStatus, *mut u64, *mut CUgraph, *mut *const CUgraphNode, *mut usize);
    cuGraphGetEdges_v2 as c"cuGraphGetEdges": 12 . 3, fn(CUgraph, *mut CUgraphNode, *mut CUgraphNode, *mut RawEdgeData, *mut usize);
    cuGraphAddDependencies_v2 as c"cuGraphAddDependencies": 12 . 3, fn(CUgraph, *const CUgraphNode, *const CUgraphNode, *const RawEdgeData, usize);
    cuGraphRemoveDependencies_v2 as c"cuGraphRemoveDependencies": 12 . 3, fn(CUgraph, *const CUgraphNode, *const CUgraphNode, *const RawEdgeData, usize);
    /// The parameters are a structure of many forms, which headers of 12.0 lack.
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
    /// With numbers for the enumerations, some of which a 12.0 header doesn't have.
    cuTensorMapEncodeIm2colWide: 12 . 8, fn(*mut c_void, c_uint, c_uint, *mut c_void, *const u64, *const u64, c_int, c_int, c_uint, c_uint, *const c_uint, c_uint, c_uint, c_uint, c_uint, c_uint);
    cuModuleEnumerateFunctions: 12 . 4, fn(*mut CUfunction, c_uint, CUmodule);
    /// With the place for the index of what failed, which the form of 13.0 lacks; the same for the next.
    cuMemcpyBatchAsync: 12 . 8, fn(*mut CUdeviceptr, *mut CUdeviceptr, *mut usize, usize, *mut RawCopyAttributes, *mut usize, usize, *mut usize, CUstream);
    cuMemcpy3DBatchAsync: 12 . 8, fn(usize, *mut RawCopyOperation, *mut usize, u64, CUstream);
    cuMemcpyWithAttributesAsync: 13 . 2, fn(CUdeviceptr, CUdeviceptr, usize, *mut RawCopyAttributes, CUstream);
    cuMemcpy3DWithAttributesAsync: 13 . 2, fn(*mut RawCopyOperation, u64, CUstream);
    cuCtxSetFlags: 12 . 1, fn(c_uint);
    cuCtxRecordEvent: 12 . 5, fn(CUcontext, CUevent);
    cuCtxWaitEvent: 12 . 5, fn(CUcontext, CUevent);
    cuStreamGetDevice: 12 . 8, fn(CUstream, *mut CUdevice);

    /// Newer headers give the name to the form with a place, which a 12.0 driver lacks; the same for the next.
    cuMemPrefetchAsync: 8 . 0, fn(CUdeviceptr, usize, CUdevice, CUstream);
    cuMemPrefetchAsync_v2 as c"cuMemPrefetchAsync": 12 . 2, fn(CUdeviceptr, usize, CUmemLocation, c_uint, CUstream);
    cuMemAdvise: 8 . 0, fn(CUdeviceptr, usize, c_uint, CUdevice);
    cuMemAdvise_v2 as c"cuMemAdvise": 12 . 2, fn(CUdeviceptr, usize, c_uint, CUmemLocation);
    cuMemPrefetchBatchAsync: 13 . 0, fn(*mut CUdeviceptr, *mut usize, usize, *mut CUmemLocation, *mut usize, usize, u64, CUstream);
    cuMemDiscardBatchAsync: 13 . 0, fn(*mut CUdeviceptr, *mut usize, usize, u64, CUstream);
    cuMemDiscardAndPrefetchBatchAsync: 13 . 0, fn(*mut CUdeviceptr, *mut usize, usize, *mut CUmemLocation, *mut usize, usize, u64, CUstream);
    /// A `CUmemAllocationType` is a number; the same for the next two.
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

    /// A `CUmemGenericAllocationHandle` is a number; the same for the next seven.
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

    /// A `CUcoredumpSettings` is a number; the same for the next three.
    cuCoredumpGetAttribute: 12 . 1, fn(c_uint, *mut c_void, *mut usize);
    cuCoredumpGetAttributeGlobal: 12 . 1, fn(c_uint, *mut c_void, *mut usize);
    cuCoredumpSetAttribute: 12 . 1, fn(c_uint, *mut c_void, *mut usize);
    cuCoredumpSetAttributeGlobal: 12 . 1, fn(c_uint, *mut c_void, *mut usize);

    /// A `CUlogsCallbackHandle` is a pointer, a `CUlogIterator` a number.
    cuLogsRegisterCallback: 12 . 9, fn(RawCallback, *mut c_void, *mut *mut c_void);
    cuLogsUnregisterCallback: 12 . 9, fn(*mut c_void);
    cuLogsCurrent: 12 . 9, fn(*mut c_uint, c_uint);
    cuLogsDumpToFile: 12 . 9, fn(*mut c_uint, *const c_char, c_uint);
    cuLogsDumpToMemory: 12 . 9, fn(*mut c_uint, *mut c_char, *mut usize, c_uint);

    /// Of `cudaGL.h`, which an installation may lack; the same for the next two. A `CUGLDeviceList` is a number.
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
    /// The parameters of this one and of the last are all reserved: null.
    cuCheckpointProcessCheckpoint: 12 . 8, fn(c_int, *mut c_void);
    cuCheckpointProcessRestore: 12 . 8, fn(c_int, *mut RawRestore);
    cuCheckpointProcessUnlock: 12 . 8, fn(c_int, *mut c_void);
}
