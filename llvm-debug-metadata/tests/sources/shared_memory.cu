#include "cuda.h"

__global__ void shared_memory(float *p) {
    __shared__ float tile[32];
    tile[thread()] = p[thread()];
    __nvvm_bar_sync(0);
    p[thread()] = tile[31 - thread()];
}
