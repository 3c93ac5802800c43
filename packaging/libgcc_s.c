/* What libgcc_s.so.1 offers to code that Rust compiles, for linking against it where Zig is the linker.
 *
 * Zig would link its own unwinder into the module. But before version 3.14, CPython ends daemon threads by
 * pthread_exit, which unwinds with libgcc's: both would walk the same frames, and the process would crash.
 * Every Linux that manylinux is for has libgcc_s.so.1, and pthread_exit itself needs it.
 *
 * None of this runs: the dynamic linker takes the library of the system. */

#define FUNCTION(name) void name(void) {}

FUNCTION(_Unwind_Backtrace)
FUNCTION(_Unwind_DeleteException)
FUNCTION(_Unwind_FindEnclosingFunction)
FUNCTION(_Unwind_ForcedUnwind)
FUNCTION(_Unwind_GetCFA)
FUNCTION(_Unwind_GetDataRelBase)
FUNCTION(_Unwind_GetGR)
FUNCTION(_Unwind_GetIP)
FUNCTION(_Unwind_GetIPInfo)
FUNCTION(_Unwind_GetLanguageSpecificData)
FUNCTION(_Unwind_GetRegionStart)
FUNCTION(_Unwind_GetTextRelBase)
FUNCTION(_Unwind_RaiseException)
FUNCTION(_Unwind_Resume)
FUNCTION(_Unwind_Resume_or_Rethrow)
FUNCTION(_Unwind_SetGR)
FUNCTION(_Unwind_SetIP)
#ifdef __arm__
FUNCTION(_Unwind_VRS_Get)
FUNCTION(_Unwind_VRS_Set)
FUNCTION(__aeabi_unwind_cpp_pr0)
FUNCTION(__aeabi_unwind_cpp_pr1)
FUNCTION(__aeabi_unwind_cpp_pr2)
FUNCTION(__gnu_unwind_frame)
#endif
