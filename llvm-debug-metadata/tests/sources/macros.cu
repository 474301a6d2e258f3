#include "cuda.h"

#define SQUARE(x) ((x) * (x))
#define LIMIT 12
__global__ void macros(int *p) { p[0] = SQUARE(p[1]) < LIMIT ? SQUARE(p[2] + 1) : LIMIT; }
