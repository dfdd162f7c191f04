// Made by scripts/carry-bindings.sh from the headers of CUDA 13.5. Not to be edited.

pub const NVRTC_INSTALL_HEADERS_SKIP_IF_EXISTS: u32 = 0;
pub const NVRTC_INSTALL_HEADERS_FORCE_OVERWRITE: u32 = 1;
pub const NVRTC_INSTALL_HEADERS_NO_WAIT: u32 = 2;
impl nvrtcResult {
    pub const NVRTC_SUCCESS: nvrtcResult = nvrtcResult(0);
    pub const NVRTC_ERROR_OUT_OF_MEMORY: nvrtcResult = nvrtcResult(1);
    pub const NVRTC_ERROR_PROGRAM_CREATION_FAILURE: nvrtcResult = nvrtcResult(2);
    pub const NVRTC_ERROR_INVALID_INPUT: nvrtcResult = nvrtcResult(3);
    pub const NVRTC_ERROR_INVALID_PROGRAM: nvrtcResult = nvrtcResult(4);
    pub const NVRTC_ERROR_INVALID_OPTION: nvrtcResult = nvrtcResult(5);
    pub const NVRTC_ERROR_COMPILATION: nvrtcResult = nvrtcResult(6);
    pub const NVRTC_ERROR_BUILTIN_OPERATION_FAILURE: nvrtcResult = nvrtcResult(7);
    pub const NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION: nvrtcResult = nvrtcResult(
        8,
    );
    pub const NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION: nvrtcResult = nvrtcResult(
        9,
    );
    pub const NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID: nvrtcResult = nvrtcResult(10);
    pub const NVRTC_ERROR_INTERNAL_ERROR: nvrtcResult = nvrtcResult(11);
    pub const NVRTC_ERROR_TIME_FILE_WRITE_FAILED: nvrtcResult = nvrtcResult(12);
    pub const NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED: nvrtcResult = nvrtcResult(13);
    pub const NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED: nvrtcResult = nvrtcResult(14);
    pub const NVRTC_ERROR_PCH_CREATE: nvrtcResult = nvrtcResult(15);
    pub const NVRTC_ERROR_CANCELLED: nvrtcResult = nvrtcResult(16);
    pub const NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED: nvrtcResult = nvrtcResult(17);
    pub const NVRTC_ERROR_BUSY: nvrtcResult = nvrtcResult(18);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct nvrtcResult(pub ::core::ffi::c_uint);
unsafe extern "C" {
    pub fn nvrtcGetErrorString(result: nvrtcResult) -> *const ::core::ffi::c_char;
}
unsafe extern "C" {
    pub fn nvrtcVersion(
        major: *mut ::core::ffi::c_int,
        minor: *mut ::core::ffi::c_int,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetNumSupportedArchs(numArchs: *mut ::core::ffi::c_int) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetSupportedArchs(
        supportedArchs: *mut ::core::ffi::c_int,
    ) -> nvrtcResult;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _nvrtcProgram {
    _unused: [u8; 0],
}
pub type nvrtcProgram = *mut _nvrtcProgram;
unsafe extern "C" {
    pub fn nvrtcCreateProgram(
        prog: *mut nvrtcProgram,
        src: *const ::core::ffi::c_char,
        name: *const ::core::ffi::c_char,
        numHeaders: ::core::ffi::c_int,
        headers: *const *const ::core::ffi::c_char,
        includeNames: *const *const ::core::ffi::c_char,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcDestroyProgram(prog: *mut nvrtcProgram) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcCompileProgram(
        prog: nvrtcProgram,
        numOptions: ::core::ffi::c_int,
        options: *const *const ::core::ffi::c_char,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetPTXSize(prog: nvrtcProgram, ptxSizeRet: *mut usize) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetPTX(prog: nvrtcProgram, ptx: *mut ::core::ffi::c_char) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetCUBINSize(
        prog: nvrtcProgram,
        cubinSizeRet: *mut usize,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetCUBIN(
        prog: nvrtcProgram,
        cubin: *mut ::core::ffi::c_char,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetLTOIRSize(
        prog: nvrtcProgram,
        LTOIRSizeRet: *mut usize,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetLTOIR(
        prog: nvrtcProgram,
        LTOIR: *mut ::core::ffi::c_char,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetOptiXIRSize(
        prog: nvrtcProgram,
        optixirSizeRet: *mut usize,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetOptiXIR(
        prog: nvrtcProgram,
        optixir: *mut ::core::ffi::c_char,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetProgramLogSize(
        prog: nvrtcProgram,
        logSizeRet: *mut usize,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetProgramLog(
        prog: nvrtcProgram,
        log: *mut ::core::ffi::c_char,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcAddNameExpression(
        prog: nvrtcProgram,
        name_expression: *const ::core::ffi::c_char,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetLoweredName(
        prog: nvrtcProgram,
        name_expression: *const ::core::ffi::c_char,
        lowered_name: *mut *const ::core::ffi::c_char,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetPCHHeapSize(ret: *mut usize) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcSetPCHHeapSize(size: usize) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetPCHCreateStatus(prog: nvrtcProgram) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetPCHHeapSizeRequired(
        prog: nvrtcProgram,
        size: *mut usize,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcSetFlowCallback(
        prog: nvrtcProgram,
        callback: ::core::option::Option<
            unsafe extern "C" fn(
                arg1: *mut ::core::ffi::c_void,
                arg2: *mut ::core::ffi::c_void,
            ) -> ::core::ffi::c_int,
        >,
        payload: *mut ::core::ffi::c_void,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetTileIRSize(
        prog: nvrtcProgram,
        TileIRSizeRet: *mut usize,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcGetTileIR(
        prog: nvrtcProgram,
        TileIR: *mut ::core::ffi::c_char,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcInstallBundledHeaders(
        installPath: *const ::core::ffi::c_char,
        flags: ::core::ffi::c_uint,
        errorLog: *mut *const ::core::ffi::c_char,
    ) -> nvrtcResult;
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone, Hash, PartialEq, Eq)]
pub struct nvrtcBundledHeadersInfo {
    pub available: ::core::ffi::c_int,
    pub compressedSize: usize,
    pub uncompressedSize: usize,
    pub cudaVersionMajor: ::core::ffi::c_int,
    pub cudaVersionMinor: ::core::ffi::c_int,
    pub numFiles: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of nvrtcBundledHeadersInfo",
    ][::core::mem::size_of::<nvrtcBundledHeadersInfo>() - 40usize];
    [
        "Alignment of nvrtcBundledHeadersInfo",
    ][::core::mem::align_of::<nvrtcBundledHeadersInfo>() - 8usize];
    [
        "Offset of field: nvrtcBundledHeadersInfo::available",
    ][::core::mem::offset_of!(nvrtcBundledHeadersInfo, available) - 0usize];
    [
        "Offset of field: nvrtcBundledHeadersInfo::compressedSize",
    ][::core::mem::offset_of!(nvrtcBundledHeadersInfo, compressedSize) - 8usize];
    [
        "Offset of field: nvrtcBundledHeadersInfo::uncompressedSize",
    ][::core::mem::offset_of!(nvrtcBundledHeadersInfo, uncompressedSize) - 16usize];
    [
        "Offset of field: nvrtcBundledHeadersInfo::cudaVersionMajor",
    ][::core::mem::offset_of!(nvrtcBundledHeadersInfo, cudaVersionMajor) - 24usize];
    [
        "Offset of field: nvrtcBundledHeadersInfo::cudaVersionMinor",
    ][::core::mem::offset_of!(nvrtcBundledHeadersInfo, cudaVersionMinor) - 28usize];
    [
        "Offset of field: nvrtcBundledHeadersInfo::numFiles",
    ][::core::mem::offset_of!(nvrtcBundledHeadersInfo, numFiles) - 32usize];
};
unsafe extern "C" {
    pub fn nvrtcGetBundledHeadersInfo(
        info: *mut nvrtcBundledHeadersInfo,
        errorLog: *mut *const ::core::ffi::c_char,
    ) -> nvrtcResult;
}
unsafe extern "C" {
    pub fn nvrtcRemoveBundledHeaders(
        installPath: *const ::core::ffi::c_char,
        errorLog: *mut *const ::core::ffi::c_char,
    ) -> nvrtcResult;
}
impl nvrtcResult {
    /// Every constant that the header defines, with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("NVRTC_SUCCESS", Self::NVRTC_SUCCESS),
        ("NVRTC_ERROR_OUT_OF_MEMORY", Self::NVRTC_ERROR_OUT_OF_MEMORY),
        (
            "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
            Self::NVRTC_ERROR_PROGRAM_CREATION_FAILURE,
        ),
        ("NVRTC_ERROR_INVALID_INPUT", Self::NVRTC_ERROR_INVALID_INPUT),
        ("NVRTC_ERROR_INVALID_PROGRAM", Self::NVRTC_ERROR_INVALID_PROGRAM),
        ("NVRTC_ERROR_INVALID_OPTION", Self::NVRTC_ERROR_INVALID_OPTION),
        ("NVRTC_ERROR_COMPILATION", Self::NVRTC_ERROR_COMPILATION),
        (
            "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
            Self::NVRTC_ERROR_BUILTIN_OPERATION_FAILURE,
        ),
        (
            "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
            Self::NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION,
        ),
        (
            "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
            Self::NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION,
        ),
        (
            "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
            Self::NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID,
        ),
        ("NVRTC_ERROR_INTERNAL_ERROR", Self::NVRTC_ERROR_INTERNAL_ERROR),
        ("NVRTC_ERROR_TIME_FILE_WRITE_FAILED", Self::NVRTC_ERROR_TIME_FILE_WRITE_FAILED),
        (
            "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
            Self::NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED,
        ),
        (
            "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
            Self::NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED,
        ),
        ("NVRTC_ERROR_PCH_CREATE", Self::NVRTC_ERROR_PCH_CREATE),
        ("NVRTC_ERROR_CANCELLED", Self::NVRTC_ERROR_CANCELLED),
        (
            "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED",
            Self::NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED,
        ),
        ("NVRTC_ERROR_BUSY", Self::NVRTC_ERROR_BUSY),
    ];
}
