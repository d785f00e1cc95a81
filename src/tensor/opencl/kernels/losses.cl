// One item per row: w (softmax - indicator of the label) to the errors, w (log of the sum - score of the label) to the
// losses.
__kernel void cross_entropy_rows(VIEW(scores), int stride, int columns, int rows, LIST(int, labels), LIST(float, weights),
                                 int weighted, VIEW(errors), REALS(losses)) {
    OPEN(scores);
    OPEN_LIST(int, labels);
    OPEN_LIST(float, weights);
    OPEN(errors);
    OPEN_REALS(losses);
    const int i = get_global_id(0);
    if (i >= rows) return;
    __global const float* const from = scores + (ulong)i * stride;
    __global float* const to = errors + (ulong)i * stride;
    const float weight = weighted ? weights[i] : 1.0f;
    float highest = from[0];
    for (int k = 1; k < columns; ++k)
        highest = fmax(highest, from[k]);
    float sum = 0.0f;
    for (int k = 0; k < columns; ++k)
        sum += exp(from[k] - highest);
    losses[i] = (real)weight * (log((real)sum) + (real)highest - (real)from[labels[i]]);
    for (int k = 0; k < columns; ++k)
        to[k] = weight * (exp(from[k] - highest) / sum - (k == labels[i] ? 1.0f : 0.0f));
    for (int k = columns; k < stride; ++k)
        to[k] = 0.0f;
}

__kernel void difference(VIEW(x), VIEW(y), VIEW(out), ulong count) {
    OPEN(x);
    OPEN(y);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k < count) out[k] = x[k] - y[k];
}

// How many rows have their largest number, the first of equals, at the label. One group.
__kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void count_correct(VIEW(scores), int stride, int columns,
                                                                                     int rows, LIST(int, labels),
                                                                                     VIEW(out)) {
    OPEN(scores);
    OPEN_LIST(int, labels);
    OPEN(out);
    __local real parts[GROUP_ITEMS];
    int own = 0;
    for (int i = get_local_id(0); i < rows; i += GROUP_ITEMS)
        own += argmax(scores + (ulong)i * stride, columns) == labels[i] ? 1 : 0;
    const real sum = sum_of_items(parts, own);
    if (get_local_id(0) == 0) out[0] = (float)sum;
}

// The mean of several distributions, one after the other: a sum, which sharpen_rows then divides.
__kernel void sharpen_rows(VIEW(out), int stride, int columns, int rows, float share, float power) {
    OPEN(out);
    const int i = get_global_id(0);
    if (i >= rows) return;
    __global float* const to = out + (ulong)i * stride;
    real sum = 0;
    for (int k = 0; k < columns; ++k) {
        const real mean = (real)to[k] * (real)share;
        const real sharpened = power == 2.0f ? mean * mean : mean > (real)1e-30f ? exp(log(mean) * (real)power) : (real)0;
        sum += sharpened;
    }
    for (int k = 0; k < columns; ++k) {
        const real mean = (real)to[k] * (real)share;
        const real sharpened = power == 2.0f ? mean * mean : mean > (real)1e-30f ? exp(log(mean) * (real)power) : (real)0;
        to[k] = (float)(sharpened / sum);
    }
}
