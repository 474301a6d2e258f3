"""Compiles a kernel with Triton for the architecture given as a number, without a GPU: argv is [number, output]."""
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def scale(out, inp, n, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    x = tl.load(inp + at, mask=at < n)
    tl.store(out + at, x + x, mask=at < n)


signature = {"out": "*fp32", "inp": "*fp32", "n": "i32", "block": "constexpr"}
source = ASTSource(fn=scale, signature=signature, constexprs={"block": 128})
kernel = triton.compile(source, target=GPUTarget("cuda", int(sys.argv[1]), 32))
with open(sys.argv[2], "wb") as output:
    output.write(kernel.asm["cubin"])
