// What all kernels share. The host hands a matrix or a list over as a buffer and the number of its first element: a
// kernel declares it as VIEW(x) or LIST(type, x) and begins with OPEN(x) or OPEN_LIST(type, x). Rows of matrices have
// `stride` floats, the columns and a padding of zeros. Every number is made by one work item in a fixed order, or by
// sums of pieces that are added in a fixed order: no atomics.

#ifdef HAS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#else
typedef float real;
#endif

#define VIEW(x) __global float* x##_memory, ulong x##_first
#define OPEN(x) __global float* const x = x##_memory + x##_first
#define LIST(type, x) __global const type* x##_memory, ulong x##_first
#define OPEN_LIST(type, x) __global const type* const x = x##_memory + x##_first
#define REALS(x) __global real* x##_memory, ulong x##_first
#define OPEN_REALS(x) __global real* const x = x##_memory + x##_first

static void put(__global float* to, float value, int add) {
    *to = add ? *to + value : value;
}

static int is_set(__global const ulong* bits, ulong bit) {
    return (int)(bits[bit / 64] >> (bit % 64) & 1);
}

// out[k] += factor * sum over the pieces of numbers[piece * count + k], first piece first.
__kernel void add_pieces(REALS(numbers), int pieces, ulong count, VIEW(out), float factor) {
    OPEN_REALS(numbers);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k >= count) return;
    real sum = 0;
    for (int piece = 0; piece < pieces; ++piece)
        sum += numbers[piece * count + k];
    out[k] += (float)(factor * sum);
}

__kernel void clear_padding(VIEW(x), int rows, int columns, int stride) {
    OPEN(x);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i < rows && k >= columns && k < stride) x[(ulong)i * stride + k] = 0.0f;
}
