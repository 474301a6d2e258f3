#include "cuda.h"

__global__ void pragma_loops(float *p, int n) {
#pragma unroll 4
    for (int i = 0; i < n; i++)
        p[i] = p[i] * 2;
#pragma clang loop vectorize(enable) interleave_count(2)
    for (int i = 0; i < n; i++)
        p[i + n] = p[i] + 1;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (p[i] < 0)
            continue;
        p[i] -= 1;
    }
}
