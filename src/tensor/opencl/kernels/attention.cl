// Attention over the entries of a sparse matrix, whose layout tensor/attention.hpp describes: column k of the
// values goes with lane k mod lanes of scores and coefficients, which have rows without padding.

#define LEAKY_SLOPE 0.2f

// Softmax over the entries of a row, one item per row and lane. Without dropout `kept` is the same matrix.
__kernel void attention_coefficients(LIST(long, offsets), LIST(int, indices), LIST(int, position),
                                     VIEW(scores), VIEW(coefficients), int lanes, int rows, LIST(ulong, bits),
                                     LIST(long, origin), int dropout, float scale, int heads,
                                     int bits_per_entry, VIEW(kept)) {
    OPEN_LIST(long, offsets);
    OPEN_LIST(int, indices);
    OPEN_LIST(int, position);
    OPEN(scores);
    OPEN(coefficients);
    OPEN_LIST(ulong, bits);
    OPEN_LIST(long, origin);
    OPEN(kept);
    const int lane = get_global_id(0);
    const int i = get_global_id(1);
    if (i >= rows) return;
    const long begin = offsets[i];
    const long end = offsets[i + 1];
    const float self = scores[(ulong)position[i] * (2 * lanes) + lane];
    float highest = -INFINITY;
    for (long e = begin; e < end; ++e) {
        const float x = self + scores[(ulong)indices[e] * (2 * lanes) + lanes + lane];
        const float leaky = fmax(x, LEAKY_SLOPE * x);
        highest = fmax(highest, leaky);
        coefficients[e * lanes + lane] = leaky;
    }
    float sum = 0.0f;
    for (long e = begin; e < end; ++e) {
        const float share = exp(coefficients[e * lanes + lane] - highest);
        sum += share;
        coefficients[e * lanes + lane] = share;
    }
    for (long e = begin; e < end; ++e) {
        const float coefficient = coefficients[e * lanes + lane] / sum;
        coefficients[e * lanes + lane] = coefficient;
        if (!dropout) continue;
        const ulong bit = (ulong)(origin[i] + (e - begin)) * bits_per_entry + lane % heads;
        kept[e * lanes + lane] = is_set(bits, bit) ? scale * coefficient : 0.0f;
    }
}

// out_i = sum over the entries e of row i of coefficients_e * b_(column of e). In the order of the transposed
// matrix, the coefficients of entry e are in row order[e].
__kernel void attention_product(LIST(long, offsets), LIST(int, indices), LIST(long, order), int ordered,
                                VIEW(coefficients), int lanes, VIEW(b), VIEW(out), int stride, int rows,
                                int add) {
    OPEN_LIST(long, offsets);
    OPEN_LIST(int, indices);
    OPEN_LIST(long, order);
    OPEN(coefficients);
    OPEN(b);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i >= rows) return;
    const int lane = k % lanes;
    const ulong at = (ulong)i * stride + k;
    const long end = offsets[i + 1];
    float sum = add ? out[at] : 0.0f;
    for (long e = offsets[i]; e < end; ++e) {
        const long entry = ordered ? order[e] : e;
        sum += coefficients[entry * lanes + lane] * b[(ulong)indices[e] * stride + k];
    }
    out[at] = sum;
}

// With da the gradient of a coefficient a, the softmax of the row gives a (da - sum of a da over the row),
// and the leaky rectifier its slope: to `entries`, and their sums over each row to the `self` lanes of
// `sums`. Copies of a head in several lanes share the columns, and so the gradient.
__kernel void attention_gradients(LIST(long, offsets), LIST(int, indices), LIST(int, position), VIEW(scores),
                                  VIEW(coefficients), VIEW(kept), int lanes, float scale, VIEW(values),
                                  VIEW(gradient), int stride, VIEW(entries), VIEW(sums), int rows) {
    OPEN_LIST(long, offsets);
    OPEN_LIST(int, indices);
    OPEN_LIST(int, position);
    OPEN(scores);
    OPEN(coefficients);
    OPEN(kept);
    OPEN(values);
    OPEN(gradient);
    OPEN(entries);
    OPEN(sums);
    const int lane = get_global_id(0);
    const int i = get_global_id(1);
    if (i >= rows) return;
    const long begin = offsets[i];
    const long end = offsets[i + 1];
    float mean = 0.0f;
    for (long e = begin; e < end; ++e) {
        float dot = 0.0f;
        for (int k = lane; k < stride; k += lanes)
            dot += gradient[(ulong)i * stride + k] * values[(ulong)indices[e] * stride + k];
        const ulong at = e * lanes + lane;
        const float slant = kept[at] != 0.0f ? scale * dot : 0.0f;
        mean += coefficients[at] * slant;
        entries[at] = slant;
    }
    const ulong self = (ulong)position[i] * (2 * lanes) + lane;
    float total = 0.0f;
    for (long e = begin; e < end; ++e) {
        const ulong at = e * lanes + lane;
        const float x = scores[self] + scores[(ulong)indices[e] * (2 * lanes) + lanes + lane];
        const float slant = coefficients[at] * (entries[at] - mean);
        const float result = x > 0.0f ? slant : LEAKY_SLOPE * slant;
        total += result;
        entries[at] = result;
    }
    sums[self] += total;
}

// The `entries` of each column, added to its `neighbor` lanes.
__kernel void add_attention_entries(LIST(long, starts), LIST(long, order), VIEW(entries), int lanes,
                                    VIEW(sums), int columns) {
    OPEN_LIST(long, starts);
    OPEN_LIST(long, order);
    OPEN(entries);
    OPEN(sums);
    const int lane = get_global_id(0);
    const int j = get_global_id(1);
    if (j >= columns) return;
    const ulong at = (ulong)j * (2 * lanes) + lanes + lane;
    const long end = starts[j + 1];
    float sum = sums[at];
    for (long e = starts[j]; e < end; ++e)
        sum += entries[order[e] * lanes + lane];
    sums[at] = sum;
}
