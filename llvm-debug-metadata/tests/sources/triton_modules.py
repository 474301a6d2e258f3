#!/usr/bin/env python3
"""Writes the modules of LLVM IR that Triton makes, of some kernels for several architectures.

Usage: triton_modules.py FOLDER

No GPU is needed: tools/triton.sh makes the environment. With `variables` in its name a module has
debug information of variables too. The PTX, which Triton's own LLVM makes, stands beside each.
"""
import os
import sys
import warnings

warnings.filterwarnings("ignore")
folder = os.path.abspath(sys.argv[1])
os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "cache")
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
# Read once, when Triton is imported.
if len(sys.argv) > 2:
    os.environ["LLVM_EXTRACT_DI_LOCAL_VARIABLES"] = "1"

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402


@triton.jit
def square(x):
    return x * x + 1.0


@triton.jit
def twice(x):
    return square(square(x))


@triton.jit
def scale(p, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(p + i, mask=i < n)
    tl.store(p + i, twice(v), mask=i < n)


@triton.jit
def softmax(p, q, n, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(p + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(q + row * n + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def loop(p, q, n, B: tl.constexpr):
    total = tl.zeros((B,), dtype=tl.float32)
    for start in range(0, n, B):
        total += square(tl.load(p + start + tl.arange(0, B)))
    tl.store(q + tl.arange(0, B), total)


@triton.jit
def dot(p, q, r, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(r + i, tl.dot(tl.load(p + i), tl.load(q + i)))


@triton.jit
def branches(p, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(p + i)
    if n > 7:
        v = square(v)
    else:
        v = v - 1
    tl.device_assert(n < 1000)
    tl.store(p + i, v)


@triton.jit
def atomics(p, q, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.atomic_add(q + i % 4, tl.load(p + i))


KERNELS = [
    (scale, {"p": "*fp32", "n": "i32"}, 128),
    (softmax, {"p": "*fp32", "q": "*fp32", "n": "i32"}, 256),
    (loop, {"p": "*fp32", "q": "*fp32", "n": "i32"}, 64),
    (dot, {"p": "*fp16", "q": "*fp16", "r": "*fp32"}, 32),
    (branches, {"p": "*fp32", "n": "i32"}, 128),
    (atomics, {"p": "*fp32", "q": "*fp32"}, 128),
]


def main():
    kind = "variables" if len(sys.argv) > 2 else "lines"
    for kernel, signature, block in KERNELS:
        for architecture in [80, 90, 100]:
            source = ASTSource(kernel, signature, {"B": block})
            made = triton.compile(source, target=GPUTarget("cuda", architecture, 32)).asm
            name = f"triton {kernel.fn.__name__} sm_{architecture} {kind}"
            for stage, suffix in [("llir", "ll"), ("ptx", "ptx")]:
                with open(os.path.join(folder, f"{name}.{suffix}"), "w") as file:
                    file.write(made[stage])


main()
