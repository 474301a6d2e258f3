#include "cuda.h"

template <typename F> __device__ int apply(F f, int x) { return f(x); }
__global__ void lambdas(int *p) {
    int k = p[0];
    auto plus = [k](int x) { return x + k; };
    p[1] = apply(plus, 3) + apply([&](int x) { return x * k; }, 4);
}
