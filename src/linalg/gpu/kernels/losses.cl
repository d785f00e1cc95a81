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

// Sums of pieces of `piece` numbers, and in the end of these, as one number.
__kernel void sum_pieces(REALS(numbers), ulong count, ulong piece, int pieces, REALS(out)) {
    OPEN_REALS(numbers);
    OPEN_REALS(out);
    const int p = get_global_id(0);
    if (p >= pieces) return;
    const ulong end = min(count, (p + 1) * piece);
    real sum = 0;
    for (ulong k = p * piece; k < end; ++k)
        sum += numbers[k];
    out[p] = sum;
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
