#include "cuda.h"

template <typename T = int, T value = 3> struct Constant {
    static const T number = value;
    __device__ T get(T add = 1) const { return value + add; }
};
template <template <typename, int> class C, typename... Rest> struct Pack {
    int count = sizeof...(Rest);
};
template <typename T, int N> struct Array {
    T t[N];
};
__global__ void defaults(int *p) {
    Constant<> a;
    Constant<long, 7> b;
    Pack<Array, int, float> pack;
    p[0] = a.get() + b.get(2) + pack.count + Constant<>::number;
}
