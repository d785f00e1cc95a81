// Sparse products: out_i = sum over the entries n of row i of values[n] b_(indices[n]). A group of items has one or more
// pieces of rows: whole rows, or parts of rows that are long, whose sums are added up afterwards (add_long_rows). The
// entries of piece p begin at starts[p]; `slices` items share them, every slices-th is one's own. Neighboring items read
// neighboring columns of the same row of B.
#define PIECES LIST(long, starts), LIST(int, piece_rows), LIST(int, slots), int cut, int pieces, int slices
#define OPEN_PIECES             \
    OPEN_LIST(long, starts);    \
    OPEN_LIST(int, piece_rows); \
    OPEN_LIST(int, slots);      \
    const int k = get_global_id(0); \
    const int p = get_global_id(1) / slices; \
    const int slice = get_global_id(1) % slices; \
    const long begin = p < pieces ? starts[p] : 0; \
    const long end = p < pieces ? starts[p + 1] : 0

// What the items of a piece have found, first slice first: right in the first of them. The barrier is for all, also where
// an item has a piece alone: pocl 3.1 computes nonsense where it is conditional, even if all items agree.
static float sum_of_slices(__local float* parts, float own, int slices) {
    const int wide = get_local_size(0);
    const int at = get_local_id(1) * wide + get_local_id(0);
    parts[at] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    if (get_local_id(1) % slices == 0) {
        for (int s = 0; s < slices; ++s)
            sum += parts[at + s * wide];
    }
    return sum;
}

// To its row, or to the sums that are added up later.
static void put_piece(int row, int slot, int stride, int k, float sum, __global float* out, int add,
                      __global float* sums) {
    if (slot < 0) {
        put(out + (ulong)row * stride + k, sum, add);
    } else {
        sums[(ulong)slot * stride + k] = sum;
    }
}

__kernel void sparse_product(PIECES, LIST(int, indices), LIST(float, values), LIST(float, b), int stride, VIEW(out),
                             int add, VIEW(sums)) {
    __local float parts[GROUP_ITEMS];
    OPEN_PIECES;
    OPEN_LIST(int, indices);
    OPEN_LIST(float, values);
    OPEN_LIST(float, b);
    OPEN(out);
    OPEN(sums);
    float sum = 0.0f;
    for (long n = begin + slice; n < end; n += slices)
        sum += values[n] * b[(ulong)indices[n] * stride + k];
    sum = sum_of_slices(parts, sum, slices);
    if (p < pieces && slice == 0)
        put_piece(cut ? piece_rows[p] : p, cut ? slots[p] : -1, stride, k, sum, out, add, sums);
}

// The same with the entries that dropout keeps. Entry number e of the whole matrix, in row i, has bit
// origin[i] + e - offsets[i]; of a transposed matrix, rows are columns, and entries[n] is the number of entry n.
__kernel void kept_sparse_product(PIECES, LIST(int, indices), LIST(float, values), LIST(long, entries), int transposed,
                                  LIST(ulong, bits), LIST(long, origin), LIST(long, offsets), float scale, LIST(float, b),
                                  int stride, VIEW(out), int add, VIEW(sums)) {
    __local float parts[GROUP_ITEMS];
    OPEN_PIECES;
    OPEN_LIST(int, indices);
    OPEN_LIST(float, values);
    OPEN_LIST(long, entries);
    OPEN_LIST(ulong, bits);
    OPEN_LIST(long, origin);
    OPEN_LIST(long, offsets);
    OPEN_LIST(float, b);
    OPEN(out);
    OPEN(sums);
    const int row = p < pieces && cut ? piece_rows[p] : p;
    float sum = 0.0f;
    for (long n = begin + slice; n < end; n += slices) {
        const int i = transposed ? indices[n] : row;
        const long e = transposed ? entries[n] : n;
        if (is_set(bits, (ulong)(origin[i] + e - offsets[i]))) sum += values[n] * b[(ulong)indices[n] * stride + k];
    }
    sum = scale * sum_of_slices(parts, sum, slices);
    if (p < pieces && slice == 0) put_piece(row, cut ? slots[p] : -1, stride, k, sum, out, add, sums);
}

// Rows that were cut: their pieces, first one first.
__kernel void add_long_rows(LIST(int, long_rows), LIST(int, first_slots), int rows, VIEW(sums), int stride, VIEW(out),
                            int add) {
    OPEN_LIST(int, long_rows);
    OPEN_LIST(int, first_slots);
    OPEN(sums);
    OPEN(out);
    const int k = get_global_id(0);
    const int r = get_global_id(1);
    if (r >= rows) return;
    float sum = 0.0f;
    for (int slot = first_slots[r]; slot < first_slots[r + 1]; ++slot)
        sum += sums[(ulong)slot * stride + k];
    put(out + (ulong)long_rows[r] * stride + k, sum, add);
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
