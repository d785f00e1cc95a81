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

// Several runs may be computed side by side: the third number of an item is its run, and `apart` is how far the memory
// of the next run is, 0 for what all of them share.
#define RUN get_global_id(2)
#define VIEW(x) __global float* x##_memory, ulong x##_first, ulong x##_apart
#define OPEN(x) __global float* const x = x##_memory + x##_first + RUN * x##_apart
#define LIST(type, x) __global const type* x##_memory, ulong x##_first, ulong x##_apart
#define OPEN_LIST(type, x) __global const type* restrict const x = x##_memory + x##_first + RUN * x##_apart
#define REALS(x) __global real* x##_memory, ulong x##_first, ulong x##_apart
#define OPEN_REALS(x) __global real* const x = x##_memory + x##_first + RUN * x##_apart

// Items of a group, for kernels that share local memory.
#define GROUP_ITEMS 256

static void put(__global float* to, float value, int add) {
    *to = add ? *to + value : value;
}

static int is_set(__global const ulong* bits, ulong bit) {
    return (int)(bits[bit / 64] >> (bit % 64) & 1);
}

// The sum of a number of each item of a group of GROUP_ITEMS, in halves: right in the first item.
static real sum_of_items(__local real* parts, real own) {
    const int item = get_local_id(0);
    parts[item] = own;
    for (int half_size = GROUP_ITEMS / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_size) parts[item] += parts[item + half_size];
    }
    return parts[item];
}

// out[0] = factor * sum of the numbers, or that is added. One group.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void sum_numbers(REALS(numbers), ulong count,
                                                                                   float factor, VIEW(out), int add) {
    OPEN_REALS(numbers);
    OPEN(out);
    __local real parts[GROUP_ITEMS];
    real own = 0;
    for (ulong k = get_local_id(0); k < count; k += GROUP_ITEMS)
        own += numbers[k];
    const real sum = sum_of_items(parts, own);
    if (get_local_id(0) == 0) put(out, (float)(factor * sum), add);
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

__kernel void copy_numbers(VIEW(x), VIEW(out), ulong count) {
    OPEN(x);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k < count) out[k] = x[k];
}

// In the runs that are chosen.
__kernel void copy_where(VIEW(chosen), int column, VIEW(x), VIEW(out), ulong count) {
    OPEN(chosen);
    OPEN(x);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k < count && chosen[column] != 0.0f) out[k] = x[k];
}

// The padding stays zero.
__kernel void fill(VIEW(out), int rows, int columns, int stride, float value) {
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i < rows) out[(ulong)i * stride + k] = k < columns ? value : 0.0f;
}

__kernel void clear_padding(VIEW(x), int rows, int columns, int stride) {
    OPEN(x);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i < rows && k >= columns) x[(ulong)i * stride + k] = 0.0f;
}
