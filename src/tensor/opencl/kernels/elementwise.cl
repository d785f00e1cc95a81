// The number that a Factor stands for; `row` has none where `column` is negative.
static float factor_value(float multiplier, __global const float* row, int column, float divisor) {
    return multiplier * (column < 0 ? 1.0f : row[column]) / divisor;
}

__kernel void scale(float multiplier, VIEW(row), int column, float divisor, VIEW(x), VIEW(out), ulong count, int add) {
    OPEN(row);
    OPEN(x);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k < count) put(out + k, factor_value(multiplier, row, column, divisor) * x[k], add);
}

// f(0) = 0: the padding stays zero.
__kernel void relu(VIEW(x), VIEW(out), ulong count) {
    OPEN(x);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k < count) out[k] = x[k] > 0.0f ? x[k] : 0.0f;
}

__kernel void elu(VIEW(x), VIEW(out), ulong count) {
    OPEN(x);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k < count) out[k] = x[k] > 0.0f ? x[k] : exp(x[k]) - 1.0f;
}

__kernel void hyperbolic_tangent(VIEW(x), VIEW(out), ulong count) {
    OPEN(x);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k < count) out[k] = tanh(x[k]);
}

// An item per row: rows of scores are short.
__kernel void softmax_rows(VIEW(x), VIEW(out), int stride, int columns, int rows) {
    OPEN(x);
    OPEN(out);
    const int i = get_global_id(0);
    if (i >= rows) return;
    __global const float* const from = x + (ulong)i * stride;
    __global float* const to = out + (ulong)i * stride;
    float highest = from[0];
    for (int k = 1; k < columns; ++k)
        highest = fmax(highest, from[k]);
    float sum = 0.0f;
    for (int k = 0; k < columns; ++k) {
        const float power = exp(from[k] - highest);
        to[k] = power;
        sum += power;
    }
    for (int k = 0; k < columns; ++k)
        to[k] /= sum;
    for (int k = columns; k < stride; ++k)
        to[k] = 0.0f;
}

__kernel void relu_gradient(VIEW(y), VIEW(gradient), VIEW(out), ulong count, int add) {
    OPEN(y);
    OPEN(gradient);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k < count) put(out + k, y[k] > 0.0f ? gradient[k] : 0.0f, add);
}

__kernel void elu_gradient(VIEW(y), VIEW(gradient), VIEW(out), ulong count, int add) {
    OPEN(y);
    OPEN(gradient);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k < count) put(out + k, gradient[k] * (y[k] > 0.0f ? 1.0f : y[k] + 1.0f), add);
}

__kernel void hyperbolic_tangent_gradient(VIEW(y), VIEW(gradient), VIEW(out), ulong count, int add) {
    OPEN(y);
    OPEN(gradient);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k < count) put(out + k, gradient[k] * (1.0f - y[k] * y[k]), add);
}

// x gets y (g - <g, y>) in each row.
__kernel void softmax_gradient(VIEW(y), VIEW(gradient), VIEW(out), int stride, int columns, int rows, int add) {
    OPEN(y);
    OPEN(gradient);
    OPEN(out);
    const int i = get_global_id(0);
    if (i >= rows) return;
    const ulong first = (ulong)i * stride;
    float mean = 0.0f;
    for (int k = 0; k < columns; ++k)
        mean += gradient[first + k] * y[first + k];
    for (int k = 0; k < columns; ++k)
        put(out + first + k, y[first + k] * (gradient[first + k] - mean), add);
}

static float normal_distribution(float x) {
    return 0.5f * erfc(-x * M_SQRT1_2_F);
}

__kernel void gelu(VIEW(x), VIEW(out), ulong count) {
    OPEN(x);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k < count) out[k] = x[k] * normal_distribution(x[k]);
}

// Phi(x) + x phi(x)
__kernel void gelu_gradient(VIEW(x), VIEW(gradient), VIEW(out), ulong count, int add) {
    OPEN(x);
    OPEN(gradient);
    OPEN(out);
    const ulong k = get_global_id(0);
    if (k >= count) return;
    const float density = 0.398942280f * exp(-0.5f * x[k] * x[k]);
    put(out + k, gradient[k] * (normal_distribution(x[k]) + x[k] * density), add);
}

// Inner products of pieces of `piece` numbers.
__kernel void dot_pieces(VIEW(a), VIEW(b), ulong count, ulong piece, int pieces, REALS(out)) {
    OPEN(a);
    OPEN(b);
    OPEN_REALS(out);
    const int p = get_global_id(0);
    if (p >= pieces) return;
    const ulong end = min(count, (p + 1) * piece);
    real sum = 0;
    for (ulong k = p * piece; k < end; ++k)
        sum += (real)a[k] * (real)b[k];
    out[p] = sum;
}

__kernel void adam_step(float rate, float root_scale, float beta1, float beta2, float epsilon, float decay, VIEW(gradient),
                        VIEW(value), VIEW(mean), VIEW(square), ulong count) {
    OPEN(gradient);
    OPEN(value);
    OPEN(mean);
    OPEN(square);
    const ulong k = get_global_id(0);
    if (k >= count) return;
    const float g = gradient[k] + decay * value[k];
    const float m = beta1 * mean[k] + (1.0f - beta1) * g;
    const float s = beta2 * square[k] + (1.0f - beta2) * g * g;
    mean[k] = m;
    square[k] = s;
    value[k] -= rate * m / (sqrt(s) * root_scale + epsilon);
}

// How many numbers of each piece are infinite or NaN.
__kernel void count_infinite(VIEW(x), ulong count, ulong piece, int pieces, REALS(out)) {
    OPEN(x);
    OPEN_REALS(out);
    const int p = get_global_id(0);
    if (p >= pieces) return;
    const ulong end = min(count, (p + 1) * piece);
    int found = 0;
    for (ulong k = p * piece; k < end; ++k)
        found += isfinite(x[k]) ? 0 : 1;
    out[p] = found;
}
