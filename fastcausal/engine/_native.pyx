# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""The CPU driver for whole arrays. The caller (cpu.py) promises their shapes."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, int32s, int64s
from fastcausal.interrupts cimport StopRequested, interrupted


cdef extern from "engine/cpu.hpp" namespace "fastcausal" nogil:
    cdef struct Row:
        pass

    ctypedef void (*Kernel)(
        const Row*, int64_t, const Row*, int64_t, int64_t, const int64_t*, int64_t*
    )

    cdef cppclass Side:
        const Row* rows
        const int64_t* row_offsets
        const int64_t* relation_offsets

    cdef struct Plan:
        pass

    cdef cppclass Groups:
        const int64_t* of
        int64_t n
        cbool each, apart

    cdef cppclass Input:
        Side side
        int64_t n_rows, n_relations
        const int32_t* lengths

    cdef enum class ReadAs(int64_t):
        pass

    cdef cppclass CMemory "fastcausal::Memory":
        CMemory* of_kernel
        void clear()

    cdef cppclass NamedKernel:
        const char* name
        Kernel function
        CMemory* memory

    cdef cppclass Run:
        Input gold, pred
        int64_t n_examples
        Plan plan
        Groups groups
        int64_t* partner
        int64_t* counts
        int64_t n_threads
        cbool check
        ReadAs reading
        int64_t* n_as_given
        StopRequested stop_requested

    int64_t pattern_of(const Row*, int64_t, const Row*, int64_t)
    vector[char] serialize_patterns(const NamedKernel&, const Plan&) except +
    int64_t run_all(const NamedKernel&, const Run&) except +
    void c_count_pairs "fastcausal::count_pairs" (
        const NamedKernel&, const Side&, const Side&, const int64_t*, const int64_t*,
        const int32_t*, int64_t, const Plan&, int64_t*, StopRequested,
    ) except +


cdef extern from "engine/chosen.hpp" namespace "fastcausal" nogil:
    cdef struct PairList:
        int64_t* example
        int64_t* gold
        int64_t* pred

    int64_t c_list_chosen "fastcausal::list_chosen" (
        const Side&, const Side&, const int64_t*, int64_t, const Plan&, const PairList&
    ) except +


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


cdef Input input_of(of) except *:
    """Point to the arrays of Rows."""
    cdef Array rows = int32s(of.values, 2)
    cdef Array row_offsets = int64s(of.row_offsets)
    cdef Array relation_offsets = int64s(of.relation_offsets)
    cdef Array length = int32s(of.lengths)
    cdef Input input
    if rows.width != 3 or not row_offsets.n or relation_offsets.n != length.n + 1:
        raise TypeError("arrays of rows, offsets and lengths that do not fit together")
    input.side.rows = <const Row*>rows.data
    input.side.row_offsets = <const int64_t*>row_offsets.data
    input.side.relation_offsets = <const int64_t*>relation_offsets.data
    input.n_rows = rows.n
    input.n_relations = row_offsets.n - 1
    input.lengths = <const int32_t*>length.data
    return input


cdef const Plan* plan_at(record) except NULL:
    """Point to a record of engine/plan.py, int64s."""
    cdef Array plan = int64s(record)
    if plan.n * sizeof(int64_t) != sizeof(Plan):
        raise TypeError(f"a plan of {plan.n} numbers, expected {sizeof(Plan) // sizeof(int64_t)}")
    return <const Plan*>plan.data


cdef class Memory:
    """Counts that a kernel has found so far under a plan, by pattern."""
    cdef CMemory known
    cdef Memory of_kernel

    def __init__(self, Memory of_kernel=None):
        """of_kernel: keeps the pairs that a user's kernel counted, for all plans."""
        self.of_kernel = of_kernel
        if of_kernel is not None:
            self.known.of_kernel = &of_kernel.known

    def clear(self):
        """Forget all counts."""
        self.known.clear()


def pattern(gold, pred):
    """Return the pattern of a pair for an ordinal kernel; -1: the order of its bounds decides."""
    cdef Array g = int32s(gold, 2)
    cdef Array p = int32s(pred, 2)
    return pattern_of(<const Row*>g.data, g.n, <const Row*>p.data, p.n)


def patterns(kernel, Memory memory, plan):
    """Return all patterns of memory, laid out by csrc/fastcausal/patterns.h, or None."""
    cdef NamedKernel named = kernel_of(kernel, memory)
    cdef vector[char] written = serialize_patterns(named, plan_at(plan)[0])
    return written.data()[: written.size()] if written.size() else None


def run(
    kernel, Memory memory, plan, gold, pred, groups, bint each, bint apart, partner, counts,
    int64_t num_threads, bint check, int64_t reading, as_given,
):
    """Count all examples. Add to counts, and fill partner unless it is None.

    kernel: its name or the address of a function.
    gold, pred: Rows with equal numbers of examples.
    groups: None puts all examples into one group.
    reading: 0 keeps rows, 1 reads tags as cnc-2023, 2 as cnc-2022. Readings 1 and 2 need check.
    as_given: int64[1], grows by the relations that tags cannot hold.

    Return the first example that is too large, -1 without faults, -2 if check finds invalid rows.
    """
    cdef NamedKernel named = kernel_of(kernel, memory)
    cdef Array to_counts = int64s(counts, 2, PyBUF_WRITABLE)
    cdef Run whole
    whole.gold = input_of(gold)
    whole.pred = input_of(pred)
    whole.n_examples = len(gold.lengths)
    whole.plan = plan_at(plan)[0]
    whole.groups.of = NULL
    whole.groups.n = to_counts.n
    whole.groups.each = each
    whole.groups.apart = apart
    if groups is not None:
        whole.groups.of = <const int64_t*>int64s(groups).data
    whole.partner = NULL
    if partner is not None:
        whole.partner = <int64_t*>int64s(partner, 1, PyBUF_WRITABLE).data
    whole.counts = <int64_t*>to_counts.data
    whole.n_threads = num_threads
    whole.check = check
    whole.reading = <ReadAs>reading
    whole.n_as_given = NULL
    if as_given is not None:
        whole.n_as_given = <int64_t*>int64s(as_given, 1, PyBUF_WRITABLE).data
    whole.stop_requested = interrupted
    cdef int64_t outcome
    with nogil:
        outcome = run_all(named, whole)
    return outcome


def count_pairs(
    kernel, Memory memory, plan, gold, pred, gold_index, pred_index, lengths, counts
):
    """Count the given pairs; index -1 is no relation. counts are 0 on entry."""
    cdef Side g = input_of(gold).side
    cdef Side p = input_of(pred).side
    cdef const Plan* record = plan_at(plan)
    cdef NamedKernel named = kernel_of(kernel, memory)
    cdef Array of_gold = int64s(gold_index)
    cdef Array of_pred = int64s(pred_index)
    cdef Array length = int32s(lengths)
    cdef Array to_counts = int64s(counts, 2, PyBUF_WRITABLE)
    with nogil:
        c_count_pairs(
            named, g, p, <const int64_t*>of_gold.data, <const int64_t*>of_pred.data,
            <const int32_t*>length.data, length.n, record[0], <int64_t*>to_counts.data,
            interrupted,
        )


def list_chosen(gold, pred, partner, plan, example, gold_index, pred_index):
    """Fill three arrays with the counted pairs; return their number. They have room for as many as
    relations."""
    cdef Side g = input_of(gold).side
    cdef Side p = input_of(pred).side
    cdef const int64_t* partners = <const int64_t*>int64s(partner).data
    cdef int64_t n_examples = len(gold.lengths)
    cdef const Plan* record = plan_at(plan)
    cdef PairList pairs
    pairs.example = <int64_t*>int64s(example, 1, PyBUF_WRITABLE).data
    pairs.gold = <int64_t*>int64s(gold_index, 1, PyBUF_WRITABLE).data
    pairs.pred = <int64_t*>int64s(pred_index, 1, PyBUF_WRITABLE).data
    cdef int64_t n
    with nogil:
        n = c_list_chosen(g, p, partners, n_examples, record[0], pairs)
    return n


cdef NamedKernel kernel_of(kernel, Memory memory) except *:
    """Name the function at an address, or a native kernel. The caller keeps the bytes alive."""
    cdef NamedKernel named
    named.function = NULL
    named.name = b""
    named.memory = NULL
    if memory is not None:
        named.memory = &memory.known
    if isinstance(kernel, int):
        named.function = <Kernel><uintptr_t>kernel
    else:
        named.name = kernel
    return named


def build_info():
    """Return the compiler, its flags, and its instruction set."""
    return {
        "compiler": fc_compiler.decode(),
        "flags": fc_flags.decode(),
        "instructions": fc_instructions.decode(),
        "limited_api": bool(fc_limited),
    }
