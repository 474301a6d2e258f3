#!/usr/bin/env python3
"""Writes the modules that numba-cuda gives to libNVVM, of some kernels in several modes.

Usage: numba_modules.py FOLDER

No GPU is needed: tools/numba.sh makes the environment. Numba writes the old dialect: typed
pointers, names in quotes, calls of `llvm.dbg.*`.
"""
import math
import os
import sys
import warnings
from types import SimpleNamespace

from numba import cuda, types
from numba.cuda import dispatcher
from numba.cuda.cudadrv import nvvm

warnings.filterwarnings("ignore")

F, D, I, U = types.float32, types.float64, types.int32, types.uint8
modules = []
compile_ir = nvvm.compile_ir


def remember(llvmir, *arguments, **options):
    """The function that numba calls with its modules."""
    modules.extend(llvmir if isinstance(llvmir, (list, tuple)) else [llvmir])
    return compile_ir(llvmir, *arguments, **options)


nvvm.compile_ir = remember
# Functions that kernels call are compiled for the device that is there: there is none.
dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=(9, 0))


@cuda.jit(device=True)
def square(x):
    return x * x + 1


@cuda.jit(device=True)
def polynomial(x, k):
    y = x
    for _ in range(k):
        y = square(y) - x
    return y


def axpy(a, x, y, n):
    i = cuda.grid(1)
    if i < n:
        y[i] = a * x[i] + y[i]


def calls(x, n, k):
    i = cuda.grid(1)
    if i < n:
        x[i] = polynomial(x[i], k)


def reduce(x, out, n):
    shared = cuda.shared.array(128, dtype=types.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[t] = x[i] if i < n else 0.0
    cuda.syncthreads()
    step = 64
    while step > 0:
        if t < step:
            shared[t] += shared[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, shared[0])


def matrix(a, b, c):
    row, column = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


def mathematics(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = math.sin(x[i]) + math.sqrt(abs(x[i])) * math.exp(-x[i])


def local_array(x, out):
    buffer = cuda.local.array(8, dtype=types.float64)
    for k in range(8):
        buffer[k] = x[k] * k
    total = 0.0
    for k in range(8):
        total += buffer[7 - k]
    out[0] = total


def tuples(x, out):
    i = cuda.grid(1)
    pair = (x[i], x[i] + 1)
    low, high = pair
    out[i] = low if low > 3 else high


def polymorphic(x, out):
    i = cuda.grid(1)
    value = i
    if i > 3:
        value = x[i]
    out[i] = value


KERNELS = [
    (axpy, (F, F[:], F[:], I)),
    (calls, (F[:], I, I)),
    (reduce, (F[:], F[:], I)),
    (matrix, (F[:, :], F[:, :], F[:, :])),
    (mathematics, (D[:], D[:])),
    (local_array, (D[:], D[:])),
    (tuples, (U[:], U[:])),
    (polymorphic, (D[:], D[:])),
]
MODES = {
    "debug": {"debug": True, "opt": False},
    "lineinfo": {"lineinfo": True},
    "plain": {},
}


def main():
    folder = sys.argv[1]
    for kernel, signature in KERNELS:
        for mode, options in MODES.items():
            modules.clear()
            cuda.compile_all(kernel, signature, cc=(9, 0), device=False, abi="numba", output="ptx", **options)
            for number, module in enumerate(modules):
                text = module if isinstance(module, bytes) else module.encode()
                name = f"numba {kernel.__name__} {mode} {number}.ll"
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(text)


main()
