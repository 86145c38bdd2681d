# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Labels of words, and counts of sections; formula.py names the fields."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int8_t, int64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string

from fastcausal.arrays.buffers cimport Array, int8s, int64s, text
from fastcausal.interrupts cimport StopRequested, interrupted


cdef extern from "tasks/fincausal_labels.hpp" namespace "fastcausal::fincausal" nogil:
    cdef cppclass LetterKinds:
        const int8_t* kinds
        int64_t n

    cdef cppclass Abbreviations:
        Abbreviations()
        Abbreviations(const string&)

    cdef enum class Cutting(int64_t):
        pass

    cdef cppclass PlacedTexts:
        const char* data
        const int64_t* starts
        const int64_t* stops

    int64_t first_other_text(const PlacedTexts&, const PlacedTexts&, int64_t)

    cdef cppclass RowBatch:
        int64_t n
        PlacedTexts text
        PlacedTexts spans[2][2]
        int64_t* sizes
        int64_t* facts

    cdef cppclass AllLabels:
        string of[2]

    AllLabels label_rows(
        const RowBatch&, const LetterKinds&, const Abbreviations&, Cutting, int64_t, StopRequested
    ) except +
    string words_of(const string&, const LetterKinds&, const Abbreviations&, Cutting) except +


cdef extern from "tasks/fincausal_counts.hpp" namespace "fastcausal::fincausal" nogil:
    cdef cppclass SectionBatch:
        int64_t n
        const int64_t* starts
        const int64_t* order
        const int64_t* offsets
        const char* labels[2]
        cbool best
        cbool both

    int64_t N_FIELDS_ "fastcausal::fincausal::N_FIELDS"
    void count_sections(const SectionBatch&, int64_t*, int64_t, StopRequested) except +


N_FIELDS = N_FIELDS_


cdef PlacedTexts column_of(object texts, int64_t n) except *:
    """Point to texts. The caller's arguments keep them alive."""
    data, starts, stops = texts
    cdef PlacedTexts column
    cdef Array start = int64s(starts), stop = int64s(stops)
    if start.n != n or stop.n != n:
        raise ValueError(f"{start.n} starts and {stop.n} stops, expected {n}")
    column.data = <const char*>text(data).data
    column.starts = <const int64_t*>start.data
    column.stops = <const int64_t*>stop.data
    return column


def words(bytes data, kinds, bytes abbreviations, int64_t cutting):
    """Return the words of a text, UTF-8, each with a separator behind it."""
    cdef LetterKinds table
    cdef Array kind = int8s(kinds)
    table.kinds, table.n = <const int8_t*>kind.data, kind.n
    return words_of(data, table, Abbreviations(<string>abbreviations), <Cutting>cutting)


def first_other(gold, pred, int64_t n):
    """Return the first of n rows whose texts differ, or n."""
    cdef PlacedTexts of_gold = column_of(gold, n), of_pred = column_of(pred, n)
    with nogil:
        n = first_other_text(of_gold, of_pred, n)
    return n


def label(texts, gold, pred, kinds, bytes abbreviations, int64_t cutting, sizes, facts,
          int64_t num_threads):
    """Fill sizes int64[n] and facts int64[n, 4]; return the labels of gold and pred as bytes.

    Texts are (bytes, starts, stops), with places inside the bytes: the caller's promise. gold and
    pred are pairs of these, causes and effects; kinds are int8 of the first code points.
    """
    cdef RowBatch batch
    cdef LetterKinds table
    cdef Abbreviations names = Abbreviations(<string>abbreviations)
    cdef AllLabels labels
    cdef Array size = int64s(sizes, 1, PyBUF_WRITABLE), fact = int64s(facts, 2, PyBUF_WRITABLE)
    cdef Array kind = int8s(kinds)
    if fact.n != size.n or fact.width != 4:
        raise ValueError("sizes and facts are of other shapes")
    table.kinds, table.n = <const int8_t*>kind.data, kind.n
    batch.n = size.n
    batch.text = column_of(texts, size.n)
    for side, columns in enumerate((gold, pred)):
        for role in range(2):
            batch.spans[<int>side][<int>role] = column_of(columns[role], size.n)
    batch.sizes, batch.facts = <int64_t*>size.data, <int64_t*>fact.data
    with nogil:
        labels = label_rows(batch, table, names, <Cutting>cutting, num_threads, interrupted)
    return labels.of[0], labels.of[1]


def count(starts, order, offsets, bytes gold, bytes pred, cbool best, cbool both, fields,
          int64_t num_threads):
    """Fill fields int64[n_sections, N_FIELDS].

    The rows of section k are order[starts[k]:starts[k + 1]]; rows of one section have equally many
    words, and offsets are those of rows in the labels: the caller's promise.
    """
    cdef SectionBatch batch
    cdef Array start = int64s(starts), row = int64s(order), place = int64s(offsets)
    cdef Array field = int64s(fields, 2, PyBUF_WRITABLE)
    if field.width != N_FIELDS or start.n != field.n + 1 or place.n != row.n + 1:
        raise ValueError("starts, order, offsets and fields are of other shapes")
    batch.n = field.n
    batch.starts, batch.order = <const int64_t*>start.data, <const int64_t*>row.data
    batch.offsets = <const int64_t*>place.data
    batch.labels[0], batch.labels[1] = <const char*>gold, <const char*>pred
    batch.best, batch.both = best, both
    with nogil:
        count_sections(batch, <int64_t*>field.data, num_threads, interrupted)
