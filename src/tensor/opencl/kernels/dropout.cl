// Philox 4x32-10 (Salmon et al. 2011).
static uint4 philox(uint4 c, uint key0, uint key1) {
    for (int round = 0; round < 10; ++round) {
        c = (uint4)(mul_hi(c.z, 0xCD9E8D57u) ^ c.y ^ key0, c.z * 0xCD9E8D57u,
                    mul_hi(c.x, 0xD2511F53u) ^ c.w ^ key1, c.x * 0xD2511F53u);
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return c;
}

// One more binary digit of 64 numbers U and of p, from the lowest up: a digit of U below that of p makes
// U < p, one above it does not, and equal ones leave it to the digits below.
static ulong less_with(ulong less, uint low, uint high, uint digit_of_p) {
    const ulong digit_of_u = (ulong)high << 32 | low;
    return digit_of_p ? less | ~digit_of_u : less & ~digit_of_u;
}

// One item per word, with the counters that tensor/cpu/dropout_kernels.hpp describes. The digits of `keep`
// from number `skipped` on are drawn; its digit 16 stands for 1, which every U is below.
// Runs side by side have `seeds` of their own.
__kernel void draw_mask(__global ulong* bits_memory, ulong bits_first, ulong bits_apart, ulong words, uint keep,
                        int skipped, ulong given_seed, LIST(ulong, seeds), int own_seeds, ulong stream, uint block) {
    OPEN_LIST(ulong, seeds);
    __global ulong* const bits = bits_memory + bits_first + RUN * bits_apart;
    const ulong seed = own_seeds ? seeds[RUN] : given_seed;
    const ulong word = get_global_id(0);
    if (word >= words) return;
    const int digits = 16 - skipped;
    const int draws = (digits + 1) / 2;
    ulong less = keep >> 16 ? ~0UL : 0UL;
    for (int b = 0; b < draws; ++b) {
        const uint4 counter =
            (uint4)((uint)word * (uint)draws + (uint)b, block, (uint)stream, (uint)(stream >> 32));
        const uint4 drawn = philox(counter, (uint)seed, (uint)(seed >> 32));
        less = less_with(less, drawn.x, drawn.y, keep >> (skipped + 2 * b) & 1);
        if (2 * b + 1 < digits) less = less_with(less, drawn.z, drawn.w, keep >> (skipped + 2 * b + 1) & 1);
    }
    bits[word] = less;
}

// Number k of node v has bit v * stride + k, or all of its numbers have bit v.
__kernel void apply_dropout(VIEW(x), LIST(int, nodes), int stride, LIST(ulong, bits), int whole_rows,
                            float scale, VIEW(out), int rows, int add) {
    OPEN(x);
    OPEN_LIST(int, nodes);
    OPEN_LIST(ulong, bits);
    OPEN(out);
    const int k = get_global_id(0);
    const int i = get_global_id(1);
    if (i >= rows) return;
    const ulong at = (ulong)i * stride + k;
    const ulong bit = whole_rows ? (ulong)nodes[i] : (ulong)nodes[i] * stride + k;
    put(out + at, is_set(bits, bit) ? scale * x[at] : 0.0f, add);
}

__kernel void inverse_lengths(LIST(long, offsets), LIST(float, values), LIST(ulong, bits), LIST(long, origin),
                              int dropped, float scale, VIEW(out), int rows) {
    OPEN_LIST(long, offsets);
    OPEN_LIST(float, values);
    OPEN_LIST(ulong, bits);
    OPEN_LIST(long, origin);
    OPEN(out);
    const int i = get_global_id(0);
    if (i >= rows) return;
    const long begin = offsets[i];
    const long end = offsets[i + 1];
    real squares = 0;
    for (long e = begin; e < end; ++e) {
        if (!dropped || is_set(bits, (ulong)(origin[i] + (e - begin))))
            squares += (real)values[e] * (real)values[e];
    }
    out[i] = squares > 0 ? (float)(1 / ((real)scale * sqrt(squares))) : 1.0f;
}
