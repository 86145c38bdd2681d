# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""The beta law, Student's and the gamma law, one value at a time, for laws.py."""


cdef extern from "chance/laws.hpp" namespace "fastcausal" nogil:
    double c_beta_share "fastcausal::beta_share" (double, double, double, double)
    double c_beta_bound "fastcausal::beta_bound" (double, double, double)
    double c_gamma_bound "fastcausal::gamma_bound" (double, double)
    double c_student_bound "fastcausal::student_bound" (double, double)
    double c_student_share "fastcausal::student_share" (double, double)


def beta_share(double x, double a, double b):
    """Return the part of a beta distribution below x."""
    return c_beta_share(x, 1 - x, a, b)


def beta_bound(double part, double a, double b):
    """Return the x below which a beta distribution has this part."""
    return c_beta_bound(part, a, b)


def gamma_bound(double part, double shape):
    """Return the x below which a gamma distribution of scale 1 has this part."""
    return c_gamma_bound(part, shape)


def student_bound(double beyond, double freedom):
    """Return the t beyond which, on either side, Student's distribution has this share."""
    return c_student_bound(beyond, freedom)


def student_share(double t, double freedom):
    """Return the share of Student's distribution beyond t, on both sides."""
    return c_student_share(t, freedom)
