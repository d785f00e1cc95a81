// Normalisation of rows: a group of items for each, and no groups beyond, as all items must meet at barriers.

#define LAYER_GROUP 64

// The sum of a number of each item of the group: in pairs, in a fixed order.
static float sum_of_group(__local float* parts, float own) {
    const int item = get_local_id(0);
    parts[item] = own;
    for (int half_size = LAYER_GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_size) parts[item] += parts[item + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float sum = parts[0];
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read it before the next sum begins
    return sum;
}

// Row 0 of `kept` gets the mean m of each row, row 1 the factor r = 1 / sqrt(variance + floor);
// out = scale (x - m) r + offset.
__kernel __attribute__((reqd_work_group_size(LAYER_GROUP, 1, 1))) void layer_normalize(
    VIEW(x), VIEW(scale), VIEW(offset), VIEW(kept), int kept_stride, VIEW(out), int stride, int columns) {
    OPEN(x);
    OPEN(scale);
    OPEN(offset);
    OPEN(kept);
    OPEN(out);
    __local float parts[LAYER_GROUP];
    const int i = get_global_id(1);
    const int item = get_local_id(0);
    __global const float* const from = x + (ulong)i * stride;
    __global float* const to = out + (ulong)i * stride;
    float own = 0.0f;
    for (int k = item; k < columns; k += LAYER_GROUP)
        own += from[k];
    const float mean = sum_of_group(parts, own) / columns;
    own = 0.0f;
    for (int k = item; k < columns; k += LAYER_GROUP)
        own += (from[k] - mean) * (from[k] - mean);
    const float variance = sum_of_group(parts, own) / columns;
    const float factor = 1.0f / sqrt(variance + 1e-5f);  // finite for a row of equal numbers, too
    for (int k = item; k < stride; k += LAYER_GROUP)
        to[k] = k < columns ? scale[k] * ((from[k] - mean) * factor) + offset[k] : 0.0f;
    if (item == 0) {
        kept[i] = mean;
        kept[kept_stride + i] = factor;
    }
}

// With y the standardised row, r its factor, s the learned scale and g the gradient: x gets
// r (s g - mean(s g) - y mean(s g y)).
__kernel __attribute__((reqd_work_group_size(LAYER_GROUP, 1, 1))) void layer_normalize_gradient(
    VIEW(x), VIEW(scale), VIEW(kept), int kept_stride, VIEW(gradient), VIEW(out), int stride, int columns,
    int add) {
    OPEN(x);
    OPEN(scale);
    OPEN(kept);
    OPEN(gradient);
    OPEN(out);
    __local float parts[LAYER_GROUP];
    const int i = get_global_id(1);
    const int item = get_local_id(0);
    __global const float* const from = x + (ulong)i * stride;
    __global const float* const g = gradient + (ulong)i * stride;
    __global float* const to = out + (ulong)i * stride;
    const float mean = kept[i];
    const float factor = kept[kept_stride + i];
    float sum = 0.0f;
    float dot = 0.0f;
    for (int k = item; k < columns; k += LAYER_GROUP) {
        sum += scale[k] * g[k];
        dot += scale[k] * g[k] * ((from[k] - mean) * factor);
    }
    const float level = sum_of_group(parts, sum) / columns;
    const float slope = sum_of_group(parts, dot) / columns;
    for (int k = item; k < stride; k += LAYER_GROUP) {
        const float y = (from[k] - mean) * factor;
        put(to + k, k < columns ? factor * (scale[k] * g[k] - level - y * slope) : 0.0f, add);
    }
}

// For the learned rows, of each piece of the rows: the sums of g, for the offset, and those of g y, for the
// scale. Both are zero in the padding, where the gradient is.
__kernel void layer_gradient_pieces(VIEW(x), VIEW(kept), int kept_stride, VIEW(gradient), int stride,
                                    int rows, int piece_rows, int pieces, REALS(out)) {
    OPEN(x);
    OPEN(kept);
    OPEN(gradient);
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
        dot += gradient[at] * ((x[at] - kept[i]) * kept[kept_stride + i]);
    }
    out[(ulong)(2 * piece) * stride + k] = sum;
    out[(ulong)(2 * piece + 1) * stride + k] = dot;
}
