#include "cuda.h"

__device__ unsigned tickets;
__device__ bool once(unsigned *flag) { return __sync_val_compare_and_swap(flag, 0u, 1u) == 0; }
__global__ void atomics(unsigned *flag, unsigned *out) {
    unsigned mine = __sync_fetch_and_add(&tickets, 1u);
    if (once(flag))
        out[0] = mine;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
