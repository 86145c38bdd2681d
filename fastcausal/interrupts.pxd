# cython: language_level=3
"""Ctrl-C in native code: csrc/arrays/stop.hpp calls `interrupted` while the GIL is released."""

from libcpp cimport bool as cbool


cdef extern from *:
    """
    // Runs the handlers of pending signals; only the main thread does that. An exception of a
    // handler stays set: `except +` raises it in place of the C++ exception.
    static bool fc_interrupted() {
        const PyGILState_STATE state = PyGILState_Ensure();
        const int raised = PyErr_CheckSignals();
        PyGILState_Release(state);
        return raised != 0;
    }
    """
    ctypedef cbool (*StopRequested)() noexcept nogil
    cbool interrupted "fc_interrupted" () noexcept nogil
