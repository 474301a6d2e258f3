#include "cuda.h"

__device__ unsigned lane() {
    unsigned r;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
__global__ void inline_assembly(unsigned *p) { p[lane()] = lane(); }
