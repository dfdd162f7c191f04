// Made by scripts/carry-bindings.sh from the headers of CUDA 13.5. Not to be edited.

unsafe extern "C" {
    pub fn cuMemcpy_ptds(
        dst: CUdeviceptr,
        src: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyPeer_ptds(
        dstDevice: CUdeviceptr,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr,
        srcContext: CUcontext,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyHtoD_v2_ptds(
        dstDevice: CUdeviceptr,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoH_v2_ptds(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoD_v2_ptds(
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoA_v2_ptds(
        dstArray: CUarray,
        dstOffset: usize,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAtoD_v2_ptds(
        dstDevice: CUdeviceptr,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyHtoA_v2_ptds(
        dstArray: CUarray,
        dstOffset: usize,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAtoH_v2_ptds(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAtoA_v2_ptds(
        dstArray: CUarray,
        dstOffset: usize,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy2D_v2_ptds(pCopy: *const CUDA_MEMCPY2D) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy2DUnaligned_v2_ptds(pCopy: *const CUDA_MEMCPY2D) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3D_v2_ptds(pCopy: *const CUDA_MEMCPY3D) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DPeer_ptds(pCopy: *const CUDA_MEMCPY3D_PEER) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAsync_ptsz(
        dst: CUdeviceptr,
        src: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyPeerAsync_ptsz(
        dstDevice: CUdeviceptr,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr,
        srcContext: CUcontext,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyHtoDAsync_v2_ptsz(
        dstDevice: CUdeviceptr,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoHAsync_v2_ptsz(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoDAsync_v2_ptsz(
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyHtoAAsync_v2_ptsz(
        dstArray: CUarray,
        dstOffset: usize,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAtoHAsync_v2_ptsz(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy2DAsync_v2_ptsz(
        pCopy: *const CUDA_MEMCPY2D,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DAsync_v2_ptsz(
        pCopy: *const CUDA_MEMCPY3D,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DPeerAsync_ptsz(
        pCopy: *const CUDA_MEMCPY3D_PEER,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyBatchAsync_v2_ptsz(
        dsts: *mut CUdeviceptr,
        srcs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        attrs: *mut CUmemcpyAttributes,
        attrsIdxs: *mut usize,
        numAttrs: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DBatchAsync_v2_ptsz(
        numOps: usize,
        opList: *mut CUDA_MEMCPY3D_BATCH_OP,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyWithAttributesAsync_ptsz(
        dst: CUdeviceptr,
        src: CUdeviceptr,
        size: usize,
        attr: *mut CUmemcpyAttributes,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DWithAttributesAsync_ptsz(
        op: *mut CUDA_MEMCPY3D_BATCH_OP,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD8_v2_ptds(
        dstDevice: CUdeviceptr,
        uc: ::core::ffi::c_uchar,
        N: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD16_v2_ptds(
        dstDevice: CUdeviceptr,
        us: ::core::ffi::c_ushort,
        N: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD32_v2_ptds(
        dstDevice: CUdeviceptr,
        ui: ::core::ffi::c_uint,
        N: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D8_v2_ptds(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        uc: ::core::ffi::c_uchar,
        Width: usize,
        Height: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D16_v2_ptds(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        us: ::core::ffi::c_ushort,
        Width: usize,
        Height: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D32_v2_ptds(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        ui: ::core::ffi::c_uint,
        Width: usize,
        Height: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD8Async_ptsz(
        dstDevice: CUdeviceptr,
        uc: ::core::ffi::c_uchar,
        N: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD16Async_ptsz(
        dstDevice: CUdeviceptr,
        us: ::core::ffi::c_ushort,
        N: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD32Async_ptsz(
        dstDevice: CUdeviceptr,
        ui: ::core::ffi::c_uint,
        N: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D8Async_ptsz(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        uc: ::core::ffi::c_uchar,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D16Async_ptsz(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        us: ::core::ffi::c_ushort,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D32Async_ptsz(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        ui: ::core::ffi::c_uint,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemBatchDecompressAsync_ptsz(
        paramsArray: *mut CUmemDecompressParams,
        count: usize,
        flags: ::core::ffi::c_uint,
        errorIndex: *mut usize,
        stream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemMapArrayAsync_ptsz(
        mapInfoList: *mut CUarrayMapInfo,
        count: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemFreeAsync_ptsz(dptr: CUdeviceptr, hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAllocAsync_ptsz(
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAllocFromPoolAsync_ptsz(
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        pool: CUmemoryPool,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuFabricCpyBatchAsync_ptsz(
        numOps: usize,
        opList: *mut CUDA_FABRIC_COPY_BATCH_OP,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPrefetchAsync_v2_ptsz(
        devPtr: CUdeviceptr,
        count: usize,
        location: CUmemLocation,
        flags: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPrefetchBatchAsync_ptsz(
        dptrs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut CUmemLocation,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemDiscardBatchAsync_ptsz(
        dptrs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemDiscardAndPrefetchBatchAsync_ptsz(
        dptrs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut CUmemLocation,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBeginCaptureToCig_ptsz(
        hStream: CUstream,
        streamCigCaptureParams: *mut CUstreamCigCaptureParams,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamEndCaptureToCig_ptsz(hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetPriority_ptsz(
        hStream: CUstream,
        priority: *mut ::core::ffi::c_int,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetDevice_ptsz(hStream: CUstream, device: *mut CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetFlags_ptsz(
        hStream: CUstream,
        flags: *mut ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetId_ptsz(
        hStream: CUstream,
        streamId: *mut ::core::ffi::c_ulonglong,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetCtx_ptsz(hStream: CUstream, pctx: *mut CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetCtx_v2_ptsz(
        hStream: CUstream,
        pCtx: *mut CUcontext,
        pGreenCtx: *mut CUgreenCtx,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWaitEvent_ptsz(
        hStream: CUstream,
        hEvent: CUevent,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamAddCallback_ptsz(
        hStream: CUstream,
        callback: CUstreamCallback,
        userData: *mut ::core::ffi::c_void,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBeginCapture_v2_ptsz(
        hStream: CUstream,
        mode: CUstreamCaptureMode,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBeginRecaptureToGraph_ptsz(
        hStream: CUstream,
        mode: CUstreamCaptureMode,
        hGraph: CUgraph,
        callbackFunc: CUgraphRecaptureCallback,
        userData: *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBeginCaptureToGraph_ptsz(
        hStream: CUstream,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        mode: CUstreamCaptureMode,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamEndCapture_ptsz(hStream: CUstream, phGraph: *mut CUgraph) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamIsCapturing_ptsz(
        hStream: CUstream,
        captureStatus: *mut CUstreamCaptureStatus,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetCaptureInfo_v3_ptsz(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
        graph_out: *mut CUgraph,
        dependencies_out: *mut *const CUgraphNode,
        edgeData_out: *mut *const CUgraphEdgeData,
        numDependencies_out: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamUpdateCaptureDependencies_v2_ptsz(
        hStream: CUstream,
        dependencies: *mut CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamAttachMemAsync_ptsz(
        hStream: CUstream,
        dptr: CUdeviceptr,
        length: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamQuery_ptsz(hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamSynchronize_ptsz(hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamCopyAttributes_ptsz(dst: CUstream, src: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetAttribute_ptsz(
        hStream: CUstream,
        attr: CUstreamAttrID,
        value_out: *mut CUstreamAttrValue,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamSetAttribute_ptsz(
        hStream: CUstream,
        attr: CUstreamAttrID,
        value: *const CUstreamAttrValue,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuEventRecord_ptsz(hEvent: CUevent, hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuEventRecordWithFlags_ptsz(
        hEvent: CUevent,
        hStream: CUstream,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuSignalExternalSemaphoresAsync_ptsz(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        numExtSems: ::core::ffi::c_uint,
        stream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuWaitExternalSemaphoresAsync_ptsz(
        extSemArray: *const CUexternalSemaphore,
        paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
        numExtSems: ::core::ffi::c_uint,
        stream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWaitValue32_v2_ptsz(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWaitValue64_v2_ptsz(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWriteValue32_v2_ptsz(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWriteValue64_v2_ptsz(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBatchMemOp_v2_ptsz(
        stream: CUstream,
        count: ::core::ffi::c_uint,
        paramArray: *mut CUstreamBatchMemOpParams,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchKernel_ptsz(
        f: CUfunction,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        hStream: CUstream,
        kernelParams: *mut *mut ::core::ffi::c_void,
        extra: *mut *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchKernelEx_ptsz(
        config: *const CUlaunchConfig,
        f: CUfunction,
        kernelParams: *mut *mut ::core::ffi::c_void,
        extra: *mut *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchCooperativeKernel_ptsz(
        f: CUfunction,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        hStream: CUstream,
        kernelParams: *mut *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchHostFunc_ptsz(
        hStream: CUstream,
        fn_: CUhostFn,
        userData: *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLaunchHostFunc_v2_ptsz(
        hStream: CUstream,
        fn_: CUhostFn,
        userData: *mut ::core::ffi::c_void,
        syncMode: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphInstantiateWithParams_ptsz(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphUpload_ptsz(hGraphExec: CUgraphExec, hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphLaunch_ptsz(hGraphExec: CUgraphExec, hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphicsMapResources_ptsz(
        count: ::core::ffi::c_uint,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphicsUnmapResources_ptsz(
        count: ::core::ffi::c_uint,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetDevResource_ptsz(
        hStream: CUstream,
        resource: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemHostRegister(
        p: *mut ::core::ffi::c_void,
        bytesize: usize,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphicsResourceSetMapFlags(
        resource: CUgraphicsResource,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLinkCreate(
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
        stateOut: *mut CUlinkState,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLinkAddData(
        state: CUlinkState,
        type_: CUjitInputType,
        data: *mut ::core::ffi::c_void,
        size: usize,
        name: *const ::core::ffi::c_char,
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuLinkAddFile(
        state: CUlinkState,
        type_: CUjitInputType,
        path: *const ::core::ffi::c_char,
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetAddress2D_v2(
        hTexRef: CUtexref,
        desc: *const CUDA_ARRAY_DESCRIPTOR,
        dptr: CUdeviceptr,
        Pitch: usize,
    ) -> CUresult;
}
pub type CUdeviceptr_v1 = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_MEMCPY2D_v1_st {
    pub srcXInBytes: ::core::ffi::c_uint,
    pub srcY: ::core::ffi::c_uint,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: *const ::core::ffi::c_void,
    pub srcDevice: CUdeviceptr_v1,
    pub srcArray: CUarray,
    pub srcPitch: ::core::ffi::c_uint,
    pub dstXInBytes: ::core::ffi::c_uint,
    pub dstY: ::core::ffi::c_uint,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: *mut ::core::ffi::c_void,
    pub dstDevice: CUdeviceptr_v1,
    pub dstArray: CUarray,
    pub dstPitch: ::core::ffi::c_uint,
    pub WidthInBytes: ::core::ffi::c_uint,
    pub Height: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEMCPY2D_v1_st",
    ][::core::mem::size_of::<CUDA_MEMCPY2D_v1_st>() - 96usize];
    [
        "Alignment of CUDA_MEMCPY2D_v1_st",
    ][::core::mem::align_of::<CUDA_MEMCPY2D_v1_st>() - 8usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::srcXInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, srcXInBytes) - 0usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::srcY",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, srcY) - 4usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::srcMemoryType",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, srcMemoryType) - 8usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::srcHost",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, srcHost) - 16usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::srcDevice",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, srcDevice) - 24usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::srcArray",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, srcArray) - 32usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::srcPitch",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, srcPitch) - 40usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::dstXInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, dstXInBytes) - 44usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::dstY",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, dstY) - 48usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::dstMemoryType",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, dstMemoryType) - 52usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::dstHost",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, dstHost) - 56usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::dstDevice",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, dstDevice) - 64usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::dstArray",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, dstArray) - 72usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::dstPitch",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, dstPitch) - 80usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::WidthInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, WidthInBytes) - 84usize];
    [
        "Offset of field: CUDA_MEMCPY2D_v1_st::Height",
    ][::core::mem::offset_of!(CUDA_MEMCPY2D_v1_st, Height) - 88usize];
};
impl Default for CUDA_MEMCPY2D_v1_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_MEMCPY2D_v1 = CUDA_MEMCPY2D_v1_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_MEMCPY3D_v1_st {
    pub srcXInBytes: ::core::ffi::c_uint,
    pub srcY: ::core::ffi::c_uint,
    pub srcZ: ::core::ffi::c_uint,
    pub srcLOD: ::core::ffi::c_uint,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: *const ::core::ffi::c_void,
    pub srcDevice: CUdeviceptr_v1,
    pub srcArray: CUarray,
    pub reserved0: *mut ::core::ffi::c_void,
    pub srcPitch: ::core::ffi::c_uint,
    pub srcHeight: ::core::ffi::c_uint,
    pub dstXInBytes: ::core::ffi::c_uint,
    pub dstY: ::core::ffi::c_uint,
    pub dstZ: ::core::ffi::c_uint,
    pub dstLOD: ::core::ffi::c_uint,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: *mut ::core::ffi::c_void,
    pub dstDevice: CUdeviceptr_v1,
    pub dstArray: CUarray,
    pub reserved1: *mut ::core::ffi::c_void,
    pub dstPitch: ::core::ffi::c_uint,
    pub dstHeight: ::core::ffi::c_uint,
    pub WidthInBytes: ::core::ffi::c_uint,
    pub Height: ::core::ffi::c_uint,
    pub Depth: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEMCPY3D_v1_st",
    ][::core::mem::size_of::<CUDA_MEMCPY3D_v1_st>() - 144usize];
    [
        "Alignment of CUDA_MEMCPY3D_v1_st",
    ][::core::mem::align_of::<CUDA_MEMCPY3D_v1_st>() - 8usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::srcXInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, srcXInBytes) - 0usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::srcY",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, srcY) - 4usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::srcZ",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, srcZ) - 8usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::srcLOD",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, srcLOD) - 12usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::srcMemoryType",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, srcMemoryType) - 16usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::srcHost",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, srcHost) - 24usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::srcDevice",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, srcDevice) - 32usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::srcArray",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, srcArray) - 40usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::reserved0",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, reserved0) - 48usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::srcPitch",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, srcPitch) - 56usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::srcHeight",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, srcHeight) - 60usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::dstXInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, dstXInBytes) - 64usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::dstY",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, dstY) - 68usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::dstZ",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, dstZ) - 72usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::dstLOD",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, dstLOD) - 76usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::dstMemoryType",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, dstMemoryType) - 80usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::dstHost",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, dstHost) - 88usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::dstDevice",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, dstDevice) - 96usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::dstArray",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, dstArray) - 104usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::reserved1",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, reserved1) - 112usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::dstPitch",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, dstPitch) - 120usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::dstHeight",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, dstHeight) - 124usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::WidthInBytes",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, WidthInBytes) - 128usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::Height",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, Height) - 132usize];
    [
        "Offset of field: CUDA_MEMCPY3D_v1_st::Depth",
    ][::core::mem::offset_of!(CUDA_MEMCPY3D_v1_st, Depth) - 136usize];
};
impl Default for CUDA_MEMCPY3D_v1_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_MEMCPY3D_v1 = CUDA_MEMCPY3D_v1_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_ARRAY_DESCRIPTOR_v1_st {
    pub Width: ::core::ffi::c_uint,
    pub Height: ::core::ffi::c_uint,
    pub Format: CUarray_format,
    pub NumChannels: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_ARRAY_DESCRIPTOR_v1_st",
    ][::core::mem::size_of::<CUDA_ARRAY_DESCRIPTOR_v1_st>() - 16usize];
    [
        "Alignment of CUDA_ARRAY_DESCRIPTOR_v1_st",
    ][::core::mem::align_of::<CUDA_ARRAY_DESCRIPTOR_v1_st>() - 4usize];
    [
        "Offset of field: CUDA_ARRAY_DESCRIPTOR_v1_st::Width",
    ][::core::mem::offset_of!(CUDA_ARRAY_DESCRIPTOR_v1_st, Width) - 0usize];
    [
        "Offset of field: CUDA_ARRAY_DESCRIPTOR_v1_st::Height",
    ][::core::mem::offset_of!(CUDA_ARRAY_DESCRIPTOR_v1_st, Height) - 4usize];
    [
        "Offset of field: CUDA_ARRAY_DESCRIPTOR_v1_st::Format",
    ][::core::mem::offset_of!(CUDA_ARRAY_DESCRIPTOR_v1_st, Format) - 8usize];
    [
        "Offset of field: CUDA_ARRAY_DESCRIPTOR_v1_st::NumChannels",
    ][::core::mem::offset_of!(CUDA_ARRAY_DESCRIPTOR_v1_st, NumChannels) - 12usize];
};
impl Default for CUDA_ARRAY_DESCRIPTOR_v1_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_ARRAY_DESCRIPTOR_v1 = CUDA_ARRAY_DESCRIPTOR_v1_st;
#[repr(C)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUDA_ARRAY3D_DESCRIPTOR_v1_st {
    pub Width: ::core::ffi::c_uint,
    pub Height: ::core::ffi::c_uint,
    pub Depth: ::core::ffi::c_uint,
    pub Format: CUarray_format,
    pub NumChannels: ::core::ffi::c_uint,
    pub Flags: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_ARRAY3D_DESCRIPTOR_v1_st",
    ][::core::mem::size_of::<CUDA_ARRAY3D_DESCRIPTOR_v1_st>() - 24usize];
    [
        "Alignment of CUDA_ARRAY3D_DESCRIPTOR_v1_st",
    ][::core::mem::align_of::<CUDA_ARRAY3D_DESCRIPTOR_v1_st>() - 4usize];
    [
        "Offset of field: CUDA_ARRAY3D_DESCRIPTOR_v1_st::Width",
    ][::core::mem::offset_of!(CUDA_ARRAY3D_DESCRIPTOR_v1_st, Width) - 0usize];
    [
        "Offset of field: CUDA_ARRAY3D_DESCRIPTOR_v1_st::Height",
    ][::core::mem::offset_of!(CUDA_ARRAY3D_DESCRIPTOR_v1_st, Height) - 4usize];
    [
        "Offset of field: CUDA_ARRAY3D_DESCRIPTOR_v1_st::Depth",
    ][::core::mem::offset_of!(CUDA_ARRAY3D_DESCRIPTOR_v1_st, Depth) - 8usize];
    [
        "Offset of field: CUDA_ARRAY3D_DESCRIPTOR_v1_st::Format",
    ][::core::mem::offset_of!(CUDA_ARRAY3D_DESCRIPTOR_v1_st, Format) - 12usize];
    [
        "Offset of field: CUDA_ARRAY3D_DESCRIPTOR_v1_st::NumChannels",
    ][::core::mem::offset_of!(CUDA_ARRAY3D_DESCRIPTOR_v1_st, NumChannels) - 16usize];
    [
        "Offset of field: CUDA_ARRAY3D_DESCRIPTOR_v1_st::Flags",
    ][::core::mem::offset_of!(CUDA_ARRAY3D_DESCRIPTOR_v1_st, Flags) - 20usize];
};
impl Default for CUDA_ARRAY3D_DESCRIPTOR_v1_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUDA_ARRAY3D_DESCRIPTOR_v1 = CUDA_ARRAY3D_DESCRIPTOR_v1_st;
unsafe extern "C" {
    pub fn cuDeviceTotalMem(bytes: *mut ::core::ffi::c_uint, dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxCreate(
        pctx: *mut CUcontext,
        flags: ::core::ffi::c_uint,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxCreate_v2(
        pctx: *mut CUcontext,
        flags: ::core::ffi::c_uint,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxCreate_v3(
        pctx: *mut CUcontext,
        paramsArray: *mut CUexecAffinityParam,
        numParams: ::core::ffi::c_int,
        flags: ::core::ffi::c_uint,
        dev: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuModuleGetGlobal(
        dptr: *mut CUdeviceptr_v1,
        bytes: *mut ::core::ffi::c_uint,
        hmod: CUmodule,
        name: *const ::core::ffi::c_char,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemGetInfo(
        free: *mut ::core::ffi::c_uint,
        total: *mut ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAlloc(
        dptr: *mut CUdeviceptr_v1,
        bytesize: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAllocPitch(
        dptr: *mut CUdeviceptr_v1,
        pPitch: *mut ::core::ffi::c_uint,
        WidthInBytes: ::core::ffi::c_uint,
        Height: ::core::ffi::c_uint,
        ElementSizeBytes: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemFree(dptr: CUdeviceptr_v1) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemGetAddressRange(
        pbase: *mut CUdeviceptr_v1,
        psize: *mut ::core::ffi::c_uint,
        dptr: CUdeviceptr_v1,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAllocHost(
        pp: *mut *mut ::core::ffi::c_void,
        bytesize: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemHostGetDevicePointer(
        pdptr: *mut CUdeviceptr_v1,
        p: *mut ::core::ffi::c_void,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyHtoD(
        dstDevice: CUdeviceptr_v1,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoH(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr_v1,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoD(
        dstDevice: CUdeviceptr_v1,
        srcDevice: CUdeviceptr_v1,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoA(
        dstArray: CUarray,
        dstOffset: ::core::ffi::c_uint,
        srcDevice: CUdeviceptr_v1,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAtoD(
        dstDevice: CUdeviceptr_v1,
        srcArray: CUarray,
        srcOffset: ::core::ffi::c_uint,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyHtoA(
        dstArray: CUarray,
        dstOffset: ::core::ffi::c_uint,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAtoH(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: CUarray,
        srcOffset: ::core::ffi::c_uint,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAtoA(
        dstArray: CUarray,
        dstOffset: ::core::ffi::c_uint,
        srcArray: CUarray,
        srcOffset: ::core::ffi::c_uint,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyHtoAAsync(
        dstArray: CUarray,
        dstOffset: ::core::ffi::c_uint,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyAtoHAsync(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: CUarray,
        srcOffset: ::core::ffi::c_uint,
        ByteCount: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy2D(pCopy: *const CUDA_MEMCPY2D_v1) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy2DUnaligned(pCopy: *const CUDA_MEMCPY2D_v1) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3D(pCopy: *const CUDA_MEMCPY3D_v1) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyHtoDAsync(
        dstDevice: CUdeviceptr_v1,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoHAsync(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr_v1,
        ByteCount: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyDtoDAsync(
        dstDevice: CUdeviceptr_v1,
        srcDevice: CUdeviceptr_v1,
        ByteCount: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy2DAsync(
        pCopy: *const CUDA_MEMCPY2D_v1,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DAsync(
        pCopy: *const CUDA_MEMCPY3D_v1,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD8(
        dstDevice: CUdeviceptr_v1,
        uc: ::core::ffi::c_uchar,
        N: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD16(
        dstDevice: CUdeviceptr_v1,
        us: ::core::ffi::c_ushort,
        N: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD32(
        dstDevice: CUdeviceptr_v1,
        ui: ::core::ffi::c_uint,
        N: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D8(
        dstDevice: CUdeviceptr_v1,
        dstPitch: ::core::ffi::c_uint,
        uc: ::core::ffi::c_uchar,
        Width: ::core::ffi::c_uint,
        Height: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D16(
        dstDevice: CUdeviceptr_v1,
        dstPitch: ::core::ffi::c_uint,
        us: ::core::ffi::c_ushort,
        Width: ::core::ffi::c_uint,
        Height: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemsetD2D32(
        dstDevice: CUdeviceptr_v1,
        dstPitch: ::core::ffi::c_uint,
        ui: ::core::ffi::c_uint,
        Width: ::core::ffi::c_uint,
        Height: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuArrayCreate(
        pHandle: *mut CUarray,
        pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR_v1,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuArrayGetDescriptor(
        pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR_v1,
        hArray: CUarray,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuArray3DCreate(
        pHandle: *mut CUarray,
        pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR_v1,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuArray3DGetDescriptor(
        pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR_v1,
        hArray: CUarray,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetAddress(
        ByteOffset: *mut ::core::ffi::c_uint,
        hTexRef: CUtexref,
        dptr: CUdeviceptr_v1,
        bytes: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefSetAddress2D(
        hTexRef: CUtexref,
        desc: *const CUDA_ARRAY_DESCRIPTOR_v1,
        dptr: CUdeviceptr_v1,
        Pitch: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuTexRefGetAddress(pdptr: *mut CUdeviceptr_v1, hTexRef: CUtexref) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphicsResourceGetMappedPointer(
        pDevPtr: *mut CUdeviceptr_v1,
        pSize: *mut ::core::ffi::c_uint,
        resource: CUgraphicsResource,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxDestroy(ctx: CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxPopCurrent(pctx: *mut CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuCtxPushCurrent(ctx: CUcontext) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamDestroy(hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuEventDestroy(hEvent: CUevent) -> CUresult;
}
unsafe extern "C" {
    pub fn cuEventElapsedTime(
        pMilliseconds: *mut f32,
        hStart: CUevent,
        hEnd: CUevent,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDevicePrimaryCtxRelease(dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDevicePrimaryCtxReset(dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDevicePrimaryCtxSetFlags(
        dev: CUdevice,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuDeviceGetUuid(uuid: *mut CUuuid, dev: CUdevice) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyBatchAsync(
        dsts: *mut CUdeviceptr,
        srcs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        attrs: *mut CUmemcpyAttributes,
        attrsIdxs: *mut usize,
        numAttrs: usize,
        failIdx: *mut usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DBatchAsync(
        numOps: usize,
        opList: *mut CUDA_MEMCPY3D_BATCH_OP,
        failIdx: *mut usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpyBatchAsync_ptsz(
        dsts: *mut CUdeviceptr,
        srcs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        attrs: *mut CUmemcpyAttributes,
        attrsIdxs: *mut usize,
        numAttrs: usize,
        failIdx: *mut usize,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemcpy3DBatchAsync_ptsz(
        numOps: usize,
        opList: *mut CUDA_MEMCPY3D_BATCH_OP,
        failIdx: *mut usize,
        flags: ::core::ffi::c_ulonglong,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWriteValue32(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWaitValue32(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWriteValue64(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWaitValue64(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBatchMemOp(
        stream: CUstream,
        count: ::core::ffi::c_uint,
        paramArray: *mut CUstreamBatchMemOpParams,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWriteValue32_ptsz(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWaitValue32_ptsz(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint32_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWriteValue64_ptsz(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamWaitValue64_ptsz(
        stream: CUstream,
        addr: CUdeviceptr,
        value: cuuint64_t,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBatchMemOp_ptsz(
        stream: CUstream,
        count: ::core::ffi::c_uint,
        paramArray: *mut CUstreamBatchMemOpParams,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPrefetchAsync(
        devPtr: CUdeviceptr,
        count: usize,
        dstDevice: CUdevice,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemPrefetchAsync_ptsz(
        devPtr: CUdeviceptr,
        count: usize,
        dstDevice: CUdevice,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuMemAdvise(
        devPtr: CUdeviceptr,
        count: usize,
        advice: CUmem_advise,
        device: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBeginCapture(hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamBeginCapture_ptsz(hStream: CUstream) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetCaptureInfo(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetCaptureInfo_ptsz(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetCaptureInfo_v2(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
        graph_out: *mut CUgraph,
        dependencies_out: *mut *const CUgraphNode,
        numDependencies_out: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamGetCaptureInfo_v2_ptsz(
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut cuuint64_t,
        graph_out: *mut CUgraph,
        dependencies_out: *mut *const CUgraphNode,
        numDependencies_out: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddKernelNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphKernelNodeGetParams(
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphKernelNodeSetParams(
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecKernelNodeSetParams(
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphExecUpdate(
        hGraphExec: CUgraphExec,
        hGraph: CUgraph,
        hErrorNode_out: *mut CUgraphNode,
        updateResult_out: *mut CUgraphExecUpdateResult,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphGetEdges(
        hGraph: CUgraph,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        numEdges: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeGetDependencies(
        hNode: CUgraphNode,
        dependencies: *mut CUgraphNode,
        numDependencies: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphNodeGetDependentNodes(
        hNode: CUgraphNode,
        dependentNodes: *mut CUgraphNode,
        numDependentNodes: *mut usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddDependencies(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        numDependencies: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphRemoveDependencies(
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        numDependencies: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphAddNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuIpcOpenMemHandle(
        pdptr: *mut CUdeviceptr,
        handle: CUipcMemHandle,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphInstantiate(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        phErrorNode: *mut CUgraphNode,
        logBuffer: *mut ::core::ffi::c_char,
        bufferSize: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGraphInstantiate_v2(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        phErrorNode: *mut CUgraphNode,
        logBuffer: *mut ::core::ffi::c_char,
        bufferSize: usize,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamUpdateCaptureDependencies(
        hStream: CUstream,
        dependencies: *mut CUgraphNode,
        numDependencies: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuStreamUpdateCaptureDependencies_ptsz(
        hStream: CUstream,
        dependencies: *mut CUgraphNode,
        numDependencies: usize,
        flags: ::core::ffi::c_uint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGetProcAddress(
        symbol: *const ::core::ffi::c_char,
        pfn: *mut *mut ::core::ffi::c_void,
        cudaVersion: ::core::ffi::c_int,
        flags: cuuint64_t,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLMapBufferObject_v2_ptds(
        dptr: *mut CUdeviceptr,
        size: *mut usize,
        buffer: GLuint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLMapBufferObjectAsync_v2_ptsz(
        dptr: *mut CUdeviceptr,
        size: *mut usize,
        buffer: GLuint,
        hStream: CUstream,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLGetDevices(
        pCudaDeviceCount: *mut ::core::ffi::c_uint,
        pCudaDevices: *mut CUdevice,
        cudaDeviceCount: ::core::ffi::c_uint,
        deviceList: CUGLDeviceList,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLCtxCreate(
        pCtx: *mut CUcontext,
        Flags: ::core::ffi::c_uint,
        device: CUdevice,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLMapBufferObject(
        dptr: *mut CUdeviceptr_v1,
        size: *mut ::core::ffi::c_uint,
        buffer: GLuint,
    ) -> CUresult;
}
unsafe extern "C" {
    pub fn cuGLMapBufferObjectAsync(
        dptr: *mut CUdeviceptr_v1,
        size: *mut ::core::ffi::c_uint,
        buffer: GLuint,
        hStream: CUstream,
    ) -> CUresult;
}
pub type PFN_cuMemHostRegister_v4000 = ::core::option::Option<
    unsafe extern "C" fn(
        p: *mut ::core::ffi::c_void,
        bytesize: usize,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGraphicsResourceSetMapFlags_v3000 = ::core::option::Option<
    unsafe extern "C" fn(
        resource: CUgraphicsResource,
        flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuLinkCreate_v5050 = ::core::option::Option<
    unsafe extern "C" fn(
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
        stateOut: *mut CUlinkState,
    ) -> CUresult,
>;
pub type PFN_cuLinkAddData_v5050 = ::core::option::Option<
    unsafe extern "C" fn(
        state: CUlinkState,
        type_: CUjitInputType,
        data: *mut ::core::ffi::c_void,
        size: usize,
        name: *const ::core::ffi::c_char,
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuLinkAddFile_v5050 = ::core::option::Option<
    unsafe extern "C" fn(
        state: CUlinkState,
        type_: CUjitInputType,
        path: *const ::core::ffi::c_char,
        numOptions: ::core::ffi::c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> CUresult,
>;
pub type PFN_cuTexRefSetAddress2D_v3020 = ::core::option::Option<
    unsafe extern "C" fn(
        hTexRef: CUtexref,
        desc: *const CUDA_ARRAY_DESCRIPTOR_v2,
        dptr: CUdeviceptr_v2,
        Pitch: usize,
    ) -> CUresult,
>;
pub type PFN_cuDeviceTotalMem_v2000 = ::core::option::Option<
    unsafe extern "C" fn(bytes: *mut ::core::ffi::c_uint, dev: CUdevice_v1) -> CUresult,
>;
pub type PFN_cuCtxCreate_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pctx: *mut CUcontext,
        flags: ::core::ffi::c_uint,
        dev: CUdevice_v1,
    ) -> CUresult,
>;
pub type PFN_cuModuleGetGlobal_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v1,
        bytes: *mut ::core::ffi::c_uint,
        hmod: CUmodule,
        name: *const ::core::ffi::c_char,
    ) -> CUresult,
>;
pub type PFN_cuMemGetInfo_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        free: *mut ::core::ffi::c_uint,
        total: *mut ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemAlloc_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v1,
        bytesize: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemAllocPitch_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v1,
        pPitch: *mut ::core::ffi::c_uint,
        WidthInBytes: ::core::ffi::c_uint,
        Height: ::core::ffi::c_uint,
        ElementSizeBytes: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemFree_v2000 = ::core::option::Option<
    unsafe extern "C" fn(dptr: CUdeviceptr_v1) -> CUresult,
>;
pub type PFN_cuMemGetAddressRange_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pbase: *mut CUdeviceptr_v1,
        psize: *mut ::core::ffi::c_uint,
        dptr: CUdeviceptr_v1,
    ) -> CUresult,
>;
pub type PFN_cuMemAllocHost_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pp: *mut *mut ::core::ffi::c_void,
        bytesize: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemHostGetDevicePointer_v2020 = ::core::option::Option<
    unsafe extern "C" fn(
        pdptr: *mut CUdeviceptr_v1,
        p: *mut ::core::ffi::c_void,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyHtoD_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v1,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoH_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr_v1,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoD_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v1,
        srcDevice: CUdeviceptr_v1,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoA_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstArray: CUarray,
        dstOffset: ::core::ffi::c_uint,
        srcDevice: CUdeviceptr_v1,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAtoD_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v1,
        srcArray: CUarray,
        srcOffset: ::core::ffi::c_uint,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyHtoA_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstArray: CUarray,
        dstOffset: ::core::ffi::c_uint,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAtoH_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: CUarray,
        srcOffset: ::core::ffi::c_uint,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAtoA_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstArray: CUarray,
        dstOffset: ::core::ffi::c_uint,
        srcArray: CUarray,
        srcOffset: ::core::ffi::c_uint,
        ByteCount: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyHtoAAsync_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstArray: CUarray,
        dstOffset: ::core::ffi::c_uint,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyAtoHAsync_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: CUarray,
        srcOffset: ::core::ffi::c_uint,
        ByteCount: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy2D_v2000 = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY2D_v1) -> CUresult,
>;
pub type PFN_cuMemcpy2DUnaligned_v2000 = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY2D_v1) -> CUresult,
>;
pub type PFN_cuMemcpy3D_v2000 = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY3D_v1) -> CUresult,
>;
pub type PFN_cuMemcpyHtoDAsync_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v1,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoHAsync_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstHost: *mut ::core::ffi::c_void,
        srcDevice: CUdeviceptr_v1,
        ByteCount: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpyDtoDAsync_v3000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v1,
        srcDevice: CUdeviceptr_v1,
        ByteCount: ::core::ffi::c_uint,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuMemcpy2DAsync_v2000 = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY2D_v1, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuMemcpy3DAsync_v2000 = ::core::option::Option<
    unsafe extern "C" fn(pCopy: *const CUDA_MEMCPY3D_v1, hStream: CUstream) -> CUresult,
>;
pub type PFN_cuMemsetD8_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v1,
        uc: ::core::ffi::c_uchar,
        N: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD16_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v1,
        us: ::core::ffi::c_ushort,
        N: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD32_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v1,
        ui: ::core::ffi::c_uint,
        N: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D8_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v1,
        dstPitch: ::core::ffi::c_uint,
        uc: ::core::ffi::c_uchar,
        Width: ::core::ffi::c_uint,
        Height: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D16_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v1,
        dstPitch: ::core::ffi::c_uint,
        us: ::core::ffi::c_ushort,
        Width: ::core::ffi::c_uint,
        Height: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuMemsetD2D32_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dstDevice: CUdeviceptr_v1,
        dstPitch: ::core::ffi::c_uint,
        ui: ::core::ffi::c_uint,
        Width: ::core::ffi::c_uint,
        Height: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuArrayCreate_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pHandle: *mut CUarray,
        pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR_v1,
    ) -> CUresult,
>;
pub type PFN_cuArrayGetDescriptor_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR_v1,
        hArray: CUarray,
    ) -> CUresult,
>;
pub type PFN_cuArray3DCreate_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pHandle: *mut CUarray,
        pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR_v1,
    ) -> CUresult,
>;
pub type PFN_cuArray3DGetDescriptor_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR_v1,
        hArray: CUarray,
    ) -> CUresult,
>;
pub type PFN_cuTexRefSetAddress_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        ByteOffset: *mut ::core::ffi::c_uint,
        hTexRef: CUtexref,
        dptr: CUdeviceptr_v1,
        bytes: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuTexRefSetAddress2D_v2020 = ::core::option::Option<
    unsafe extern "C" fn(
        hTexRef: CUtexref,
        desc: *const CUDA_ARRAY_DESCRIPTOR_v1,
        dptr: CUdeviceptr_v1,
        Pitch: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuTexRefGetAddress_v2000 = ::core::option::Option<
    unsafe extern "C" fn(pdptr: *mut CUdeviceptr_v1, hTexRef: CUtexref) -> CUresult,
>;
pub type PFN_cuGraphicsResourceGetMappedPointer_v3000 = ::core::option::Option<
    unsafe extern "C" fn(
        pDevPtr: *mut CUdeviceptr_v1,
        pSize: *mut ::core::ffi::c_uint,
        resource: CUgraphicsResource,
    ) -> CUresult,
>;
pub type PFN_cuCtxDestroy_v2000 = ::core::option::Option<
    unsafe extern "C" fn(ctx: CUcontext) -> CUresult,
>;
pub type PFN_cuCtxPopCurrent_v2000 = ::core::option::Option<
    unsafe extern "C" fn(pctx: *mut CUcontext) -> CUresult,
>;
pub type PFN_cuCtxPushCurrent_v2000 = ::core::option::Option<
    unsafe extern "C" fn(ctx: CUcontext) -> CUresult,
>;
pub type PFN_cuStreamDestroy_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream) -> CUresult,
>;
pub type PFN_cuEventDestroy_v2000 = ::core::option::Option<
    unsafe extern "C" fn(hEvent: CUevent) -> CUresult,
>;
pub type PFN_cuDevicePrimaryCtxRelease_v7000 = ::core::option::Option<
    unsafe extern "C" fn(dev: CUdevice_v1) -> CUresult,
>;
pub type PFN_cuDevicePrimaryCtxReset_v7000 = ::core::option::Option<
    unsafe extern "C" fn(dev: CUdevice_v1) -> CUresult,
>;
pub type PFN_cuDevicePrimaryCtxSetFlags_v7000 = ::core::option::Option<
    unsafe extern "C" fn(dev: CUdevice_v1, flags: ::core::ffi::c_uint) -> CUresult,
>;
pub type PFN_cuStreamBeginCapture_v10000 = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream) -> CUresult,
>;
pub type PFN_cuStreamBeginCapture_v10000_ptsz = ::core::option::Option<
    unsafe extern "C" fn(hStream: CUstream) -> CUresult,
>;
pub type PFN_cuIpcOpenMemHandle_v4010 = ::core::option::Option<
    unsafe extern "C" fn(
        pdptr: *mut CUdeviceptr_v2,
        handle: CUipcMemHandle_v1,
        Flags: ::core::ffi::c_uint,
    ) -> CUresult,
>;
pub type PFN_cuGraphInstantiate_v10000 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        phErrorNode: *mut CUgraphNode,
        logBuffer: *mut ::core::ffi::c_char,
        bufferSize: usize,
    ) -> CUresult,
>;
pub type PFN_cuGraphInstantiate_v11000 = ::core::option::Option<
    unsafe extern "C" fn(
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        phErrorNode: *mut CUgraphNode,
        logBuffer: *mut ::core::ffi::c_char,
        bufferSize: usize,
    ) -> CUresult,
>;
pub type PFN_cuGLGetDevices_v4010 = ::core::option::Option<
    unsafe extern "C" fn(
        pCudaDeviceCount: *mut ::core::ffi::c_uint,
        pCudaDevices: *mut CUdevice_v1,
        cudaDeviceCount: ::core::ffi::c_uint,
        deviceList: CUGLDeviceList,
    ) -> CUresult,
>;
pub type PFN_cuGLMapBufferObject_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v1,
        size: *mut ::core::ffi::c_uint,
        buffer: GLuint,
    ) -> CUresult,
>;
pub type PFN_cuGLMapBufferObjectAsync_v2030 = ::core::option::Option<
    unsafe extern "C" fn(
        dptr: *mut CUdeviceptr_v1,
        size: *mut ::core::ffi::c_uint,
        buffer: GLuint,
        hStream: CUstream,
    ) -> CUresult,
>;
pub type PFN_cuGLCtxCreate_v2000 = ::core::option::Option<
    unsafe extern "C" fn(
        pCtx: *mut CUcontext,
        Flags: ::core::ffi::c_uint,
        device: CUdevice_v1,
    ) -> CUresult,
>;
