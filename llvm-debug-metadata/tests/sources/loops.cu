#include "cuda.h"

__global__ void loops(int *p, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j += 2)
            sum += p[i] * p[j];
    while (sum > 100)
        sum /= 3;
    do {
        sum++;
    } while (sum & 3);
    p[0] = sum;
}
