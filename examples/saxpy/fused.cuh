// Part of nvdwarf's examples. MIT OR Apache-2.0, like the rest of the repository.
#pragma once

// Inlined twice deep, so that one instruction of the kernel has a chain of three source places.
__device__ __forceinline__ float clamp01(float v)
{
    return fminf(fmaxf(v, 0.0f), 1.0f);
}

__device__ __forceinline__ float fused(float a, float x, float y)
{
    float product = a * x;
    return clamp01(product + y);
}
