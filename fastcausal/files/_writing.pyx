# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Writes rows of text files from strings of Arrow arrays, without an object per cell."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, int64s, text
from fastcausal.files.strings cimport Cells, Strings, made, strings


cdef extern from *:
    """
    #include <string>
    #include <string_view>
    // Adds the literal of a text. An exception stays set: `except +` raises it in place of the C++
    // exception.
    static bool fc_represent(std::string_view text, std::string& out) {
        const PyGILState_STATE state = PyGILState_Ensure();
        const auto size = static_cast<Py_ssize_t>(text.size());
        PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), size, "strict");
        PyObject* literal = decoded ? PyObject_Repr(decoded) : nullptr;
        Py_ssize_t n = 0;
        const char* letters = literal ? PyUnicode_AsUTF8AndSize(literal, &n) : nullptr;
        if (letters) out.append(letters, static_cast<size_t>(n));
        Py_XDECREF(literal);
        Py_XDECREF(decoded);
        PyGILState_Release(state);
        return letters != nullptr;
    }
    """
    cdef cppclass string_view "std::string_view":
        string_view()
        string_view(const char*, size_t)

    cbool represent "fc_represent" (string_view, string&) noexcept nogil


cdef extern from "text/written.hpp" namespace "fastcausal" nogil:
    ctypedef cbool (*Represent "fastcausal::Represent")(string_view, string&) noexcept nogil

    cdef enum class Style(int64_t):
        pass

    cdef cppclass WrittenColumn:
        string_view head
        Style style
        Strings cells
        string_view null
        bint omits_null

    cdef cppclass RowFrame:
        string_view opens, between, closes

    void c_write_lists "fastcausal::write_lists" (
        const Strings&, const int64_t*, int64_t, Represent, Cells&
    ) except +
    void c_write_rows "fastcausal::write_rows" (
        const vector[WrittenColumn]&, int64_t, const RowFrame&, string&
    ) except +


cdef string_view view(bytes letters) except *:
    cdef Array array = text(letters)
    return string_view(<const char*>array.data, array.n)


def write_rows(list columns, int64_t n, bytes opens, bytes between, bytes closes):
    """Return n rows of cells.

    Each column is (head, style, cells, null): the text before each cell, a number of `Style`, its
    strings, and the text in place of a null one; None leaves the cell out with its head.
    """
    cdef vector[WrittenColumn] written
    cdef WrittenColumn column
    cdef RowFrame frame
    cdef string out
    frame.opens, frame.between, frame.closes = view(opens), view(between), view(closes)
    for head, style, cells, null in columns:
        column.head = view(head)
        column.style = <Style><int64_t>style
        column.cells = strings(cells)
        column.omits_null = null is None
        column.null = view(null or b"")
        written.push_back(column)
    with nogil:
        c_write_rows(written, n, frame, out)
    return PyBytes_FromStringAndSize(out.data(), out.size())


def write_lists(cells, lists, bint as_literals):
    """Return lists of strings as cells, of Python or of JSON: the text and the place of each."""
    cdef Strings items = strings(cells)
    cdef Array places = int64s(lists)
    cdef const int64_t* bounds = <const int64_t*>places.data
    cdef Represent literal = NULL
    cdef Cells out
    if as_literals:
        literal = represent
    with nogil:
        c_write_lists(items, bounds, places.n - 1, literal, out)
    return made(out)
