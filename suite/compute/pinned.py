"""Threads and instructions of every cell. They decide last digits, so they are part of its key."""

# x86-64-v3, as the compilers define it: the instructions of every x86 server since 2015.
V3_FLAGS = frozenset(["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"])
_V3_FEATURES = (
    "64bit avx avx2 bmi bmi2 cmov crc32 cx16 cx8 f16c fma fxsr lzcnt mmx movbe pclmul popcnt rdrnd "
    "sahf sse sse2 sse3 sse4.1 sse4.2 ssse3 xsave"
)

# Which instructions add up a sum decides its last bits, and a search over settings makes
# another choice of them: every cell is computed with those of x86-64-v3, whatever the machine
# could do beyond. These must be set before a numerical library is imported.
CANONICAL_INSTRUCTIONS = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in _V3_FEATURES.split()),
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}

THREADS = 1  # of one cell

# These too must be set before a numerical library is imported.
ONE_THREAD = {
    "OMP_NUM_THREADS": str(THREADS),
    "OPENBLAS_NUM_THREADS": str(THREADS),
    "MKL_NUM_THREADS": str(THREADS),
    "NUMBA_NUM_THREADS": str(THREADS),
    "VECLIB_MAXIMUM_THREADS": str(THREADS),
    "NUMEXPR_NUM_THREADS": str(THREADS),
}

# Variables that numerical libraries listen to: a caller's are not handed on.
DECIDED_HERE = (
    *("OPENBLAS_", "GOTO_", "MKL_", "OMP_", "KMP_", "VECLIB_", "NUMEXPR_", "NPY_", "ATEN_"),
    *("NUMBA_CPU", "NUMBA_NUM", "NUMBA_OPT", "NUMBA_DISABLE", "NUMBA_ENABLE", "NUMBA_LOOP"),
    *("NUMBA_SLP", "NUMBA_THREADING", "NUMBA_BOUNDSCHECK"),
)
