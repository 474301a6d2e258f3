#include "cuda.h"

__global__ void blocks_in_blocks(int *p) {
    int x = p[0];
    {
        int x = p[1];
        {
            int x = p[2];
            p[3] = x;
        }
        p[4] = x;
    }
    if (int y = p[5])
        p[6] = x + y;
}
