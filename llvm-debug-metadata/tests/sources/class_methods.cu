#include "cuda.h"

class Counter {
    int value;
    static int total;

  public:
    __device__ Counter(int start) : value(start) {}
    __device__ int next() { return ++value; }
    __device__ static int twice(int x) { return 2 * x; }
};
__global__ void class_methods(int *p) {
    Counter counter(p[0]);
    p[1] = counter.next() + Counter::twice(counter.next());
}
