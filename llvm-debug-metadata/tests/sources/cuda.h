// What the sources use of CUDA, without its headers.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

struct uint3 {
    unsigned x, y, z;
};

static __device__ __forceinline__ unsigned thread() { return __nvvm_read_ptx_sreg_tid_x(); }
static __device__ __forceinline__ unsigned block() { return __nvvm_read_ptx_sreg_ctaid_x(); }
static __device__ __forceinline__ unsigned width() { return __nvvm_read_ptx_sreg_ntid_x(); }
