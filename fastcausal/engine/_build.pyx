# cython: language_level=3
"""How the native modules were compiled: what only the compiler knows."""

cdef extern from *:
    """
    #define FC_TEXT_OF(...) #__VA_ARGS__
    #define FC_TEXT(...) FC_TEXT_OF(__VA_ARGS__)
    #ifdef FASTCAUSAL_FLAGS
    static const char* const fc_flags = FC_TEXT(FASTCAUSAL_FLAGS);
    #else
    static const char* const fc_flags = "";
    #endif
    #if defined(__clang__)
    static const char* const fc_compiler = __VERSION__;
    #elif defined(__GNUC__)
    static const char* const fc_compiler = "GCC " __VERSION__;
    #elif defined(_MSC_VER)
    static const char* const fc_compiler = "MSVC " FC_TEXT(_MSC_VER);
    #else
    static const char* const fc_compiler = "unknown";
    #endif
    #if defined(__AVX512F__)
    static const char* const fc_instructions = "x86-64 with AVX-512";
    #elif defined(__AVX2__)
    static const char* const fc_instructions = "x86-64 with AVX2";
    #elif defined(__x86_64__) || defined(_M_X64)
    static const char* const fc_instructions = "x86-64";
    #elif defined(__aarch64__) || defined(_M_ARM64)
    static const char* const fc_instructions = "AArch64";
    #else
    static const char* const fc_instructions = "other";
    #endif
    #if defined(Py_LIMITED_API)
    static const int fc_limited = 1;
    #else
    static const int fc_limited = 0;
    #endif
    """
    const char* fc_flags
    const char* fc_compiler
    const char* fc_instructions
    int fc_limited


def build_info():
    """Compiler, its flags, and the instructions it was free to use."""
    return {
        "compiler": fc_compiler.decode(),
        "flags": fc_flags.decode(),
        "instructions": fc_instructions.decode(),
        "limited_api": bool(fc_limited),
    }
