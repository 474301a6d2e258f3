// Part of nvdwarf's examples. MIT OR Apache-2.0, like the rest of the repository.
//
// One sum per block: a local array (stack frame), a function that is called (its own frame), and shared memory.

constexpr int kThreads = 128;
constexpr int kPerThread = 4;

struct Window {
    int first;
    int count;
};

// Kept as a call, so that a second function with its own frame rules exists.
__device__ __noinline__ float sum_window(const float *values, Window window)
{
    float total = 0.0f;
    for (int i = 0; i < window.count; ++i) {
        total += values[window.first + i];
    }
    return total;
}

extern "C" __global__ void block_sum(int n, const float *in, float *out)
{
    __shared__ float partial[kThreads];

    int base = (blockIdx.x * blockDim.x + threadIdx.x) * kPerThread;
    float values[kPerThread]; // its address is passed on, so it lives in local memory
    for (int i = 0; i < kPerThread; ++i) {
        values[i] = base + i < n ? in[base + i] : 0.0f;
    }
    partial[threadIdx.x] = sum_window(values, Window{0, kPerThread});
    __syncthreads();

    for (unsigned width = blockDim.x / 2; width > 0; width /= 2) {
        if (threadIdx.x < width) {
            partial[threadIdx.x] += partial[threadIdx.x + width];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = partial[0];
    }
}
