# cython: language_level=3
"""Ctrl-C in native code: what csrc/stop.hpp asks while the GIL is released."""

from libcpp cimport bool as cbool


cdef extern from *:
    """
    // Runs the handlers of signals that came, which only the main thread does. An exception that
    // one of them raises stays set; `except +` lets it pass in place of the C++ exception.
    static bool fc_interrupted() {
        const PyGILState_STATE state = PyGILState_Ensure();
        const int raised = PyErr_CheckSignals();
        PyGILState_Release(state);
        return raised != 0;
    }
    """
    ctypedef cbool (*StopRequested)() noexcept nogil
    cbool interrupted "fc_interrupted" () noexcept nogil
