// Normalisation of columns. Sums over rows are made of pieces of `piece_rows` rows each; column_sum_pieces of
// rows.cl is one of them.

// The sum of number k of all pieces, first piece first.
static real sum_of_pieces(__global const real* numbers, int pieces, int count, int k) {
    real sum = 0;
    for (int piece = 0; piece < pieces; ++piece)
        sum += numbers[(ulong)piece * count + k];
    return sum;
}

__kernel void column_means(REALS(numbers), int pieces, int stride, int rows, VIEW(out)) {
    OPEN_REALS(numbers);
    OPEN(out);
    const int k = get_global_id(0);
    if (k < stride) out[k] = (float)(sum_of_pieces(numbers, pieces, stride, k) / rows);
}

// Sums of the squares of x - mean.
__kernel void column_square_pieces(VIEW(x), VIEW(means), int stride, int rows, int piece_rows, int pieces,
                                   REALS(out)) {
    OPEN(x);
    OPEN(means);
    OPEN_REALS(out);
    const int k = get_global_id(0);
    const int piece = get_global_id(1);
    if (piece >= pieces) return;
    const int end = min(rows, (piece + 1) * piece_rows);
    real sum = 0;
    for (int i = piece * piece_rows; i < end; ++i) {
        const float centred = x[(ulong)i * stride + k] - means[k];
        sum += (real)centred * (real)centred;
    }
    out[(ulong)piece * stride + k] = sum;
}

// With r = 1 / sqrt(variance + floor): standard = (x - mean) r, out = scale * standard + offset and
// factor = scale * r.
__kernel void batch_normalize(VIEW(x), VIEW(means), VIEW(variances), VIEW(scale), VIEW(offset),
                              float variance_floor, VIEW(standard), VIEW(factors), VIEW(out), int stride,
                              int rows) {
    OPEN(x);
    OPEN(means);
    OPEN(variances);
    OPEN(scale);
    OPEN(offset);
    OPEN(standard);
    OPEN(factors);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i >= rows) return;
    const ulong at = (ulong)i * stride + k;
    const float inverse = 1.0f / sqrt(variances[k] + variance_floor);
    const float y = (x[at] - means[k]) * inverse;
    standard[at] = y;
    out[at] = scale[k] * y + offset[k];
    if (i == 0) factors[k] = inverse * scale[k];
}

__kernel void fixed_normalization(VIEW(means), VIEW(variances), VIEW(scale), VIEW(offset),
                                  float variance_floor, VIEW(factors), VIEW(addends), int columns) {
    OPEN(means);
    OPEN(variances);
    OPEN(scale);
    OPEN(offset);
    OPEN(factors);
    OPEN(addends);
    const int k = get_global_id(0);
    if (k >= columns) return;
    const real factor = (real)scale[k] / sqrt((real)variances[k] + (real)variance_floor);
    factors[k] = (float)factor;
    addends[k] = (float)((real)offset[k] - (real)means[k] * factor);
}

// Of each piece two rows: the sums of g, and those of g y.
__kernel void batch_gradient_pieces(VIEW(gradient), VIEW(standard), int stride, int rows, int piece_rows,
                                    int pieces, REALS(out)) {
    OPEN(gradient);
    OPEN(standard);
    OPEN_REALS(out);
    const int k = get_global_id(0);
    const int piece = get_global_id(1);
    if (piece >= pieces) return;
    const int end = min(rows, (piece + 1) * piece_rows);
    real sum = 0;
    real dot = 0;
    for (int i = piece * piece_rows; i < end; ++i) {
        const ulong at = (ulong)i * stride + k;
        sum += gradient[at];
        dot += (real)gradient[at] * (real)standard[at];
    }
    out[(ulong)(2 * piece) * stride + k] = sum;
    out[(ulong)(2 * piece + 1) * stride + k] = dot;
}

// The gradients of offset and scale from such pieces, where they are wanted. Their sums stay in the first
// piece: an item reads and writes its own column alone.
__kernel void add_normalization_gradients(REALS(numbers), int pieces, int stride, VIEW(scale), int of_scale,
                                          VIEW(offset), int of_offset) {
    OPEN_REALS(numbers);
    OPEN(scale);
    OPEN(offset);
    const int k = get_global_id(0);
    if (k >= stride) return;
    const real sum = sum_of_pieces(numbers, pieces, 2 * stride, k);
    const real dot = sum_of_pieces(numbers, pieces, 2 * stride, stride + k);
    if (of_scale) scale[k] += (float)dot;
    if (of_offset) offset[k] += (float)sum;
    numbers[k] = sum;
    numbers[stride + k] = dot;
}

// With y the standardised columns and g the gradient, x gets s r (g - mean(g) - y mean(g y)), s being the
// learned scale and r that of the standardisation.
__kernel void batch_normalize_gradient(REALS(sums), VIEW(gradient), VIEW(standard), VIEW(factors), VIEW(out),
                                       int stride, int rows, int add) {
    OPEN_REALS(sums);
    OPEN(gradient);
    OPEN(standard);
    OPEN(factors);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i >= rows) return;
    const ulong at = (ulong)i * stride + k;
    const float mean = (float)(sums[k] / rows);
    const float slope = (float)(sums[stride + k] / rows);
    put(out + at, factors[k] * (gradient[at] - mean - standard[at] * slope), add);
}

// Per column of x: its inner product with the gradient's column of the same place in a block.
__kernel void mixing_pieces(VIEW(x), int stride, int columns, VIEW(gradient), int gradient_stride,
                            int block_columns, int rows, int piece_rows, int pieces, REALS(out)) {
    OPEN(x);
    OPEN(gradient);
    OPEN_REALS(out);
    const int k = get_global_id(0);
    const int piece = get_global_id(1);
    if (piece >= pieces || k >= columns) return;
    const int end = min(rows, (piece + 1) * piece_rows);
    real sum = 0;
    for (int i = piece * piece_rows; i < end; ++i)
        sum += x[(ulong)i * stride + k] * gradient[(ulong)i * gradient_stride + k % block_columns];
    out[(ulong)piece * stride + k] = sum;
}

// The sums of all pieces, in the place of the first.
__kernel void sum_mixing_pieces(REALS(numbers), int pieces, int stride, int columns) {
    OPEN_REALS(numbers);
    const int k = get_global_id(0);
    if (k < columns) numbers[k] = sum_of_pieces(numbers, pieces, stride, k);
}

// With d_b the inner product of block b with the gradient, weight b gets share_b (d_b - sum of share d). One
// group; the inner products of the columns are followed by room for those of the blocks.
__kernel void add_mixing_gradient(REALS(numbers), int stride, int block_columns, int blocks, VIEW(share),
                                  VIEW(out)) {
    OPEN_REALS(numbers);
    OPEN(share);
    OPEN(out);
    __global real* const dots = numbers + stride;
    for (int b = get_local_id(0); b < blocks; b += get_local_size(0)) {
        real dot = 0;
        for (int k = 0; k < block_columns; ++k)
            dot += numbers[b * block_columns + k];
        dots[b] = dot;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    real mean = 0;
    for (int b = 0; b < blocks; ++b)
        mean += dots[b] * (real)share[b];
    for (int b = get_local_id(0); b < blocks; b += get_local_size(0))
        out[b] += share[b] * (float)(dots[b] - mean);
}
