#include "cuda.h"

typedef int Row[8];
typedef int (*Operation)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int minus(int a, int b) { return a - b; }
__global__ void pointers(Row *rows, int **q, const volatile int *__restrict__ r) {
    Operation op = rows[0][1] ? plus : minus;
    **q = op(rows[1][2], *r);
}
