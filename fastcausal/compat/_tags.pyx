# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Lists of tags to counts of entities, for seqeval.py."""

from cpython.dict cimport PyDict_GetItemWithError
from cpython.exc cimport PyErr_CheckSignals
from cpython.list cimport PyList_CheckExact, PyList_Size
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_Check, PyUnicode_CheckExact
from libc.stdint cimport int32_t, int64_t, uint64_t, uintptr_t
from libc.string cimport memset
from libcpp.vector cimport vector

from fastcausal.arrays.python_objects cimport is_list, item_of, size_of
from fastcausal.interrupts cimport StopRequested, interrupted

from warnings import warn


cdef extern from "Python.h":
    PyObject* PyList_GetItem(object, Py_ssize_t) except NULL  # borrowed
    bint is_text "PyUnicode_CheckExact" (PyObject*)
    Py_ssize_t text_length "PyUnicode_GetLength" (PyObject*)

cdef extern from "tags/entities.hpp" namespace "fastcausal::entities" nogil:
    const int32_t KINDS

    cdef cppclass Rules:
        Rules(const char*, bint)

    cdef cppclass Counts:
        int64_t both, pred, gold

    cdef cppclass Entity:
        int32_t type
        int64_t start, stop

    vector[Counts] c_count "fastcausal::entities::count" (
        const vector[int32_t]&, const vector[int32_t]&, size_t, const Rules&, StopRequested
    ) except +
    vector[Entity] c_list "fastcausal::entities::list" (
        const vector[int32_t]&, const Rules&
    ) except +


cdef str OUTSIDE = "O"

cdef enum:
    RULES = 128  # bytes
    REFUSED = 7  # the kind of a prefix that the scheme lacks
    KNOWN = 256


cdef class Codes:
    """Numbers of tags. A tag is parsed at its first occurrence; an object is mostly met again."""
    cdef object parse
    cdef dict codes
    cdef dict types
    cdef PyObject* objects[KNOWN]  # of `numbers`, by address; not owned, and never followed
    cdef int32_t numbers[KNOWN]

    def __cinit__(self, parse):
        self.parse = parse
        self.codes = {}
        self.types = {"_": 0}

    cdef inline int32_t number(self, PyObject* tag) except -1:
        cdef size_t slot = (<uint64_t><uintptr_t>tag * <uint64_t>0x9E3779B97F4A7C15) >> 56
        if self.objects[slot] != tag:
            return self.look_up(tag, slot)
        return self.numbers[slot]

    cdef int32_t look_up(self, PyObject* borrowed, size_t slot) except -1:
        cdef object tag = <object>borrowed  # owned: a hash of a user may empty the list
        cdef PyObject* found = NULL
        cdef int32_t number
        if PyUnicode_Check(tag):
            found = PyDict_GetItemWithError(self.codes, tag)
        number = self.learn(tag) if found == NULL else <int32_t><object>found
        if PyUnicode_CheckExact(tag):
            self.objects[slot] = borrowed
            self.numbers[slot] = number
        return number

    cdef int32_t learn(self, object tag) except -1:
        cdef bint is_str = PyUnicode_Check(tag)
        kind, name, is_odd = self.parse(tag) if is_str else self.parse.__wrapped__(tag)
        if is_odd:
            warn(f"{tag} seems not to be NE tag.")
        cdef int32_t number = self.types.setdefault(name, len(self.types)) * KINDS + kind
        if is_str:
            self.codes[tag] = number
        memset(self.objects, 0, sizeof(self.objects))  # Python may have freed a tag
        return number

    cdef int read(self, list row, vector[int32_t]& codes) except -1:
        """Add the tags of a sentence, and O. Return 0 if the scheme refuses one of them."""
        cdef size_t n = codes.size()
        cdef Py_ssize_t k
        cdef bint is_refused = False
        cdef int32_t number
        codes.resize(n + PyList_Size(row) + 1, 0)
        for k in range(PyList_Size(row)):
            number = self.number(PyList_GetItem(row, k))
            is_refused |= number & (KINDS - 1) == REFUSED
            codes[n + k] = number
        return not is_refused


cdef int read_side(Codes codes, rows, str scheme, vector[int32_t]& stream) except -1:
    """Add the tags of lists. Return 0 if one is no list any more."""
    cdef Py_ssize_t k
    cdef object row
    for k in range(size_of(rows)):
        row = item_of(rows, k)
        if k & 4095 == 4095:
            PyErr_CheckSignals()
        if not PyList_CheckExact(row):
            return 0
        if not codes.read(row, stream):
            refuse(codes, row, k, scheme)
    return 1


cdef int refuse(Codes codes, list row, Py_ssize_t k, str scheme) except -1:
    for tag in row:
        if codes.codes[tag] & (KINDS - 1) == REFUSED:
            raise ValueError(f"sentence {k}: found the tag {tag!r}, expected one of {scheme}")
    return 0


cdef bint is_rectangular(gold, pred):
    """Return whether both are lists of lists with one shape."""
    cdef Py_ssize_t k
    if not is_list(gold) or not is_list(pred) or size_of(gold) != size_of(pred):
        return False
    for k in range(size_of(gold)):
        one, other = item_of(gold, k), item_of(pred, k)
        if not PyList_CheckExact(one) or not PyList_CheckExact(other):
            return False
        if PyList_Size(one) != PyList_Size(other):
            return False
    return size_of(gold) > 0


def count_entities(gold, pred, parse, bytes rules, str scheme):
    """Return types in alphabetical order, and their entities on both sides, in pred and in gold.

    gold, pred: lists of lists of tags. Return None if they are no lists of one shape.
    parse: returns the kind of a tag's prefix, the tag's type, and whether to warn of it.
    rules: see csrc/tags/entities.hpp.
    scheme: its name, or "" for the default mode, in which entities flow from tag to tag.
    """
    assert len(rules) == RULES
    if not is_rectangular(gold, pred):
        return None
    cdef Codes codes = Codes(parse)
    cdef vector[int32_t] one, other
    cdef vector[Counts] counts
    if not read_side(codes, gold, scheme, one) or not read_side(codes, pred, scheme, other):
        return None
    if one.size() != other.size():  # changed meanwhile
        return None
    cdef const char* letters = rules
    cdef size_t n_types = len(codes.types)
    cdef bint flows = not scheme
    with nogil:
        counts = c_count(one, other, n_types, Rules(letters, flows), interrupted)
    names, both, in_pred, in_gold = [], [], [], []
    cdef size_t k
    for name, number in sorted(codes.types.items()):
        k = number
        if counts[k].pred or counts[k].gold:
            names.append(name)
            both.append(counts[k].both)
            in_pred.append(counts[k].pred)
            in_gold.append(counts[k].gold)
    return names, both, in_pred, in_gold


def list_entities(list rows, parse, bytes rules):
    """Return the (type, first place, last place) of each entity of lists, in the default mode.

    Places count an O after each list.
    """
    assert len(rules) == RULES
    cdef Codes codes = Codes(parse)
    cdef vector[int32_t] stream
    read_side(codes, rows, "", stream)
    cdef const char* letters = rules
    names = list(codes.types)
    return [
        (names[entity.type], entity.start, entity.stop - 1)
        for entity in c_list(stream, Rules(letters, True))
    ]


def count_pairs(gold, pred):
    """Return equal tags that are not O, wrong tags, wrong O for a tag, and equal O.

    Return None unless both are lists of strings or lists of lists of strings with one shape.
    """
    cdef int64_t counts[4]
    cdef Py_ssize_t k
    memset(counts, 0, sizeof(counts))
    if not is_list(gold) or not is_list(pred) or size_of(gold) != size_of(pred):
        return None
    if size_of(gold) and PyUnicode_CheckExact(item_of(gold, 0)):
        return tuple(counts) if add_pairs(gold, pred, counts) else None
    for k in range(size_of(gold)):
        if not add_pairs(item_of(gold, k), item_of(pred, k), counts):
            return None
    return tuple(counts)


cdef int add_pairs(gold, pred, int64_t* counts) except -1:
    cdef Py_ssize_t k
    cdef PyObject* one
    cdef PyObject* other
    cdef bint is_equal, is_outside
    if not PyList_CheckExact(gold) or not PyList_CheckExact(pred):
        return 0
    if PyList_Size(gold) != PyList_Size(pred):
        return 0
    for k in range(PyList_Size(gold)):
        one, other = PyList_GetItem(gold, k), PyList_GetItem(pred, k)
        if not is_text(one) or not is_text(other):
            return 0
        is_equal = one == other or <str><object>one == <str><object>other
        is_outside = other == <PyObject*>OUTSIDE or (
            text_length(other) == 1 and <str><object>other == OUTSIDE
        )
        counts[3 * is_outside if is_equal else 1 + is_outside] += 1
    return 1
