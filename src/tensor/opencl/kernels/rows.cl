__kernel void gather_rows(VIEW(x), LIST(int, chosen), int stride, VIEW(out), int rows) {
    OPEN(x);
    OPEN_LIST(int, chosen);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i < rows) out[(ulong)i * stride + k] = x[(ulong)chosen[i] * stride + k];
}

// One of several parts that are added up, the factor last.
__kernel void gather_row_part(VIEW(x), LIST(int, chosen), int stride, VIEW(out), int rows, int add, float factor) {
    OPEN(x);
    OPEN_LIST(int, chosen);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i >= rows) return;
    const ulong at = (ulong)i * stride + k;
    const float sum = x[(ulong)chosen[i] * stride + k] + (add ? out[at] : 0.0f);
    out[at] = factor * sum;
}

// For rows that are all different.
__kernel void scatter_add_rows(VIEW(x), LIST(int, chosen), int stride, VIEW(out), int rows) {
    OPEN(x);
    OPEN_LIST(int, chosen);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i < rows) out[(ulong)chosen[i] * stride + k] += x[(ulong)i * stride + k];
}

// For rows that may repeat: an item per column, first row first.
__kernel void scatter_add_repeated_rows(VIEW(x), LIST(int, chosen), int stride, VIEW(out), int rows) {
    OPEN(x);
    OPEN_LIST(int, chosen);
    OPEN(out);
    const int k = get_global_id(0);
    if (k >= stride) return;
    for (int i = 0; i < rows; ++i)
        out[(ulong)chosen[i] * stride + k] += x[(ulong)i * stride + k];
}

__kernel void copy_columns(VIEW(x), int x_stride, int first, int count, VIEW(out), int stride, int to, int rows, int add) {
    OPEN(x);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i < rows && k < count) put(out + (ulong)i * stride + to + k, x[(ulong)i * x_stride + first + k], add);
}

__kernel void scale_rows(VIEW(factors), VIEW(x), int stride, VIEW(out), int rows, int add) {
    OPEN(factors);
    OPEN(x);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i < rows) put(out + (ulong)i * stride + k, factors[i] * x[(ulong)i * stride + k], add);
}

__kernel void scale_columns(VIEW(factors), VIEW(x), int stride, VIEW(out), int rows, int add) {
    OPEN(factors);
    OPEN(x);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i < rows) put(out + (ulong)i * stride + k, factors[k] * x[(ulong)i * stride + k], add);
}

__kernel void add_row(VIEW(x), VIEW(row), int stride, VIEW(out), int rows) {
    OPEN(x);
    OPEN(row);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i < rows) out[(ulong)i * stride + k] = x[(ulong)i * stride + k] + row[k];
}

// Sums of `piece_rows` rows each.
__kernel void column_sum_pieces(VIEW(x), int stride, int rows, int piece_rows, int pieces, REALS(out)) {
    OPEN(x);
    OPEN_REALS(out);
    const int k = get_global_id(0);
    const int piece = get_global_id(1);
    if (piece >= pieces) return;
    const int end = min(rows, (piece + 1) * piece_rows);
    real sum = 0;
    for (int i = piece * piece_rows; i < end; ++i)
        sum += x[(ulong)i * stride + k];
    out[(ulong)piece * stride + k] = sum;
}

__kernel void add_row_dots(VIEW(a), VIEW(b), int stride, int columns, int rows, VIEW(out)) {
    OPEN(a);
    OPEN(b);
    OPEN(out);
    const int i = get_global_id(0);
    if (i >= rows) return;
    float sum = out[i];
    for (int k = 0; k < columns; ++k)
        sum += a[(ulong)i * stride + k] * b[(ulong)i * stride + k];
    out[i] = sum;
}

__kernel void transpose(VIEW(x), int x_stride, VIEW(out), int stride, int rows, int columns) {
    OPEN(x);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i < rows && k < columns) out[(ulong)i * stride + k] = x[(ulong)k * x_stride + i];
}

static int argmax(__global const float* row, int columns) {
    int best = 0;
    for (int k = 1; k < columns; ++k) {
        if (row[k] > row[best]) best = k;
    }
    return best;
}
