// Part of nvdwarf's examples. MIT OR Apache-2.0, like the rest of the repository.
//
// y[i] = clamp(a * x[i] + y[i], 0, 1), with the arithmetic in a header, inlined.
#include "fused.cuh"

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] = fused(a, x[i], y[i]);
    }
}
