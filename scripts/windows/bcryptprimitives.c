/* A replacement of Windows' bcryptprimitives.dll, which Rust's standard library imports and Wine 8.0 lacks. */
#include <windows.h>

/* RtlGenRandom, which advapi32.dll exports under this name. */
BOOLEAN NTAPI SystemFunction036(void *buffer, ULONG bytes);

__declspec(dllexport) BOOL WINAPI ProcessPrng(void *buffer, SIZE_T bytes) {
    return SystemFunction036(buffer, (ULONG)bytes);
}
