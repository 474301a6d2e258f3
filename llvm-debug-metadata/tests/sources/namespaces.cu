#include "cuda.h"

namespace outer {
namespace inner {
struct Point {
    float x, y;
};
__device__ float dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
} // namespace inner
using inner::Point;
namespace {
__device__ int hidden(int x) { return x ^ 5; }
} // namespace
__device__ int shown(int x) { return hidden(x) + 1; }
} // namespace outer
using namespace outer;
__global__ void namespaces(float *p) {
    Point a = {p[0], p[1]};
    p[2] = inner::dot(a, a) + shown(3);
}
