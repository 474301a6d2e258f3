#include "cuda.h"

typedef float float4v __attribute__((ext_vector_type(4)));
__global__ void vectors(float4v *p) {
    float4v a = p[0], b = p[1];
    a.x += b.w;
    p[2] = a * b + a.wzyx;
}
