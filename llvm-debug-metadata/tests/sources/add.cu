#include "cuda.h"

__global__ void add(float *out, const float *a, const float *b, int n) {
    int i = block() * width() + thread();
    if (i < n)
        out[i] = a[i] + b[i];
}
