#include "cuda.h"

template <typename T, int N> struct Vec {
    T items[N];
    __device__ T sum() const {
        T all = T();
        for (int i = 0; i < N; i++)
            all += items[i];
        return all;
    }
};
template <typename T> __device__ T largest(T a, T b) { return a < b ? b : a; }
__global__ void templates(Vec<float, 3> *v, Vec<int, 2> *w, float *out) {
    out[0] = largest(v->sum(), (float)w->sum());
    out[1] = largest(w->items[0], w->items[1]);
}
