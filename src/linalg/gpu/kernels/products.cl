// out = M B for a sparse M: an item per number of the result, which passes over the entries of its row. Neighbouring
// items read neighbouring columns of the same row of B.
__kernel void sparse_product(LIST(long, offsets), LIST(int, indices), LIST(float, values), VIEW(b), int stride, VIEW(out),
                             int rows, int add) {
    OPEN_LIST(long, offsets);
    OPEN_LIST(int, indices);
    OPEN_LIST(float, values);
    OPEN(b);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i >= rows) return;
    float sum = 0.0f;
    const long end = offsets[i + 1];
    for (long e = offsets[i]; e < end; ++e)
        sum += values[e] * b[(ulong)indices[e] * stride + k];
    put(out + (ulong)i * stride + k, sum, add);
}

// The same with the entries that dropout keeps: bit origin[i] + n for entry n of row i.
__kernel void kept_sparse_product(LIST(long, offsets), LIST(int, indices), LIST(float, values), LIST(ulong, bits),
                                  LIST(long, origin), float scale, VIEW(b), int stride, VIEW(out), int rows, int add) {
    OPEN_LIST(long, offsets);
    OPEN_LIST(int, indices);
    OPEN_LIST(float, values);
    OPEN_LIST(ulong, bits);
    OPEN_LIST(long, origin);
    OPEN(b);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i >= rows) return;
    float sum = 0.0f;
    const long begin = offsets[i];
    const long end = offsets[i + 1];
    for (long e = begin; e < end; ++e) {
        if (is_set(bits, (ulong)(origin[i] + e - begin))) sum += values[e] * b[(ulong)indices[e] * stride + k];
    }
    put(out + (ulong)i * stride + k, scale * sum, add);
}

// out += M' G: an item per number of the result, which passes over the entries of its column of M.
__kernel void add_transposed_sparse_product(LIST(long, starts), LIST(int, entry_rows), LIST(long, entries),
                                            LIST(float, values), VIEW(g), int stride, VIEW(out), int columns) {
    OPEN_LIST(long, starts);
    OPEN_LIST(int, entry_rows);
    OPEN_LIST(long, entries);
    OPEN_LIST(float, values);
    OPEN(g);
    OPEN(out);
    const int k = get_global_id(0);
    const int j = get_global_id(1);
    if (j >= columns) return;
    float sum = 0.0f;
    for (long n = starts[j]; n < starts[j + 1]; ++n)
        sum += values[entries[n]] * g[(ulong)entry_rows[n] * stride + k];
    out[(ulong)j * stride + k] += sum;
}

__kernel void add_transposed_kept_sparse_product(LIST(long, starts), LIST(int, entry_rows), LIST(long, entries),
                                                 LIST(float, values), LIST(long, offsets), LIST(ulong, bits),
                                                 LIST(long, origin), float scale, VIEW(g), int stride, VIEW(out),
                                                 int columns) {
    OPEN_LIST(long, starts);
    OPEN_LIST(int, entry_rows);
    OPEN_LIST(long, entries);
    OPEN_LIST(float, values);
    OPEN_LIST(long, offsets);
    OPEN_LIST(ulong, bits);
    OPEN_LIST(long, origin);
    OPEN(g);
    OPEN(out);
    const int k = get_global_id(0);
    const int j = get_global_id(1);
    if (j >= columns) return;
    float sum = 0.0f;
    for (long n = starts[j]; n < starts[j + 1]; ++n) {
        const int i = entry_rows[n];
        const long e = entries[n];
        if (is_set(bits, (ulong)(origin[i] + e - offsets[i]))) sum += values[e] * g[(ulong)i * stride + k];
    }
    out[(ulong)j * stride + k] += scale * sum;
}

// out = A B in squares of 16 x 16 numbers, which the items of a group read together.
#define SIDE 16
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void dense_product(VIEW(a), int a_stride, VIEW(b),
                                                                                 int stride, VIEW(out), int rows,
                                                                                 int inner, int add) {
    __local float left[SIDE][SIDE];
    __local float right[SIDE][SIDE];
    OPEN(a);
    OPEN(b);
    OPEN(out);
    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    float sum = 0.0f;
    for (int first = 0; first < inner; first += SIDE) {
        left[y][x] = i < rows && first + x < inner ? a[(ulong)i * a_stride + first + x] : 0.0f;
        right[y][x] = first + y < inner && k < stride ? b[(ulong)(first + y) * stride + k] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int t = 0; t < SIDE; ++t)
            sum += left[y][t] * right[t][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < rows && k < stride) put(out + (ulong)i * stride + k, sum, add);
}

// Pieces of A' G: piece p sums over `piece_rows` rows. The rows of the result and the pieces share a dimension.
__kernel void transposed_dense_pieces(VIEW(a), int a_stride, VIEW(g), int stride, int rows, int columns, int piece_rows,
                                      int pieces, REALS(out)) {
    OPEN(a);
    OPEN(g);
    OPEN_REALS(out);
    const int k = get_global_id(0);
    const ulong place = get_global_id(1);
    const int j = (int)(place % columns);
    const int piece = (int)(place / columns);
    if (piece >= pieces) return;
    const int end = min(rows, (piece + 1) * piece_rows);
    float sum = 0.0f;
    for (int i = piece * piece_rows; i < end; ++i)
        sum += a[(ulong)i * a_stride + j] * g[(ulong)i * stride + k];
    out[place * stride + k] = sum;
}
