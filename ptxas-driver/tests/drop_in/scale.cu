// Compiled by nvcc and, without any header of CUDA, by clang.
#ifndef __CUDACC_VER_MAJOR__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#endif

__device__ float twice(float x) { return x + x; }

__global__ void scale(float *out, const float *in, int n) {
    for (int i = 0; i < n; ++i)
        out[i] = twice(in[i]);
}
