#include "cuda.h"

__device__ int pick(int x) {
    switch (x) {
    case 0: return 5;
    case 1: return 9;
    case 7: return -1;
    case 20: return x * x;
    default: break;
    }
    return x - 1;
}
__global__ void switch_cases(int *p) { p[thread()] = pick(p[thread()]); }
