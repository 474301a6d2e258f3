#include "cuda.h"

#line 100 "kernel.generated"
__device__ int generated(int x) { return x + 1; }
#line 5 "other.generated"
__global__ void line_directives(int *p) {
    p[0] = generated(p[1]);
#line 900 "third.generated"
    p[1] = 3;
}
