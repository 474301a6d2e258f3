#include "cuda.h"

__global__ void labels(int *p) {
    int i = 0;
again:
    p[i] = i;
    if (++i < 10)
        goto again;
done:
    p[i] = -1;
}
