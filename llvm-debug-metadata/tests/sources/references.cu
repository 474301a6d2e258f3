#include "cuda.h"

__device__ void swap(int &a, int &b) {
    int c = a;
    a = b;
    b = c;
}
__device__ int take(int &&x) { return x; }
__global__ void references(int *p) {
    swap(p[0], p[1]);
    p[2] = take(p[3] + 1);
}
