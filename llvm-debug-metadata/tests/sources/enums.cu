#include "cuda.h"

enum Color { Red, Green = 5, Blue };
enum class Mode : unsigned char { Fast, Slow = 200 };
__device__ Color next(Color c) { return c == Red ? Green : Blue; }
__global__ void enums(int *p, Mode m) { p[0] = m == Mode::Slow ? next((Color)p[1]) : Red; }
