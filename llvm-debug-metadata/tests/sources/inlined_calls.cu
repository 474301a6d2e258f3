#include "cuda.h"

__device__ __forceinline__ int twice(int x) { return x + x; }
__device__ __forceinline__ int four_times(int x) { return twice(twice(x)); }
__global__ void inlined_calls(int *p) { p[thread()] = four_times(p[block()]) + twice(7); }
