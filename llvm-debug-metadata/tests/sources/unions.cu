#include "cuda.h"

union Bits {
    float f;
    unsigned u;
    struct {
        unsigned low : 23, exponent : 8, sign : 1;
    } parts;
};
__global__ void unions(float *p) {
    Bits b;
    b.f = p[0];
    b.parts.sign = 0;
    p[1] = b.f;
    p[2] = b.parts.exponent;
}
