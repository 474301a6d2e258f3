#include "cuda.h"

__device__ int counter;
static __device__ float table[16];
__constant__ int limits[4] = {1, 2, 3, 4};
static const int fixed = 42;
__device__ const char *text = "text";
__device__ int unused;
__global__ void globals(float *p) {
    counter += limits[thread() & 3] + fixed;
    table[thread() & 15] = p[0];
    p[1] = table[3] + text[1];
}
