/* The transforms of ML-KEM on words of 32 bits, and the functions around them that have a secret. */
/* sources: mlkem sha3 */
#include "kernel.h"

#include "selo/mlkem/mlkem.h"

enum { MOST = 14981, TIMED = 40 };

KERNEL_BUFFER(poly, 512);
KERNEL_BUFFER(a, 512);
KERNEL_BUFFER(b, 384);
KERNEL_BUFFER(small, 256);
KERNEL_BUFFER(drawn, sizeof(struct selo_mlkem_drawn));

/* Coefficients up to `most`; in one of four cases only the extremes. */
static void fill(uint8_t *to, uint16_t most)
{
    int16_t *coefficients = (int16_t *)(void *)to;
    uint8_t kind;

    kernel_fill(&kind, 1);
    kernel_fill(to, 512);
    for (uint16_t i = 0; i < 256; i++) {
        if (kind & 3)
            coefficients[i] = (int16_t)((int32_t)((uint16_t)coefficients[i] % (2ul * most + 1)) - most);
        else
            coefficients[i] = (int16_t)(coefficients[i] & 16 ? most : -most);
    }
}

/* `quads` is what selo_mlkem_multiply_quads takes. */
static void multiply(uint32_t quads)
{
    fill(poly.data, 7000);
    fill(a.data, MOST);
    kernel_fill(b.data, 384);
    KERNEL_CALL(selo_mlkem_multiply_quads, (int16_t *)(void *)poly.data, (int16_t *)(void *)a.data, b.data,
                quads);
}

static void draw(uint8_t filled)
{
    struct selo_mlkem_drawn *to = (struct selo_mlkem_drawn *)(void *)drawn.data;
    uint8_t *stream = to->of.bytes.stream;

    kernel_fill(drawn.data, sizeof *to);
    to->filled = filled;
    if (stream[0] & 1) /* numbers that are almost q, which is 0xd01 */
        for (uint8_t i = 0; i < 24; i = (uint8_t)(i + 3)) {
            stream[i + 1] = (uint8_t)((stream[i + 1] & 0x30) | 0xd);
            stream[i] &= 3;
            stream[i + 2] = 0xd0;
        }
    KERNEL_CALL(selo_mlkem_draw, to);
}

static void series(void)
{
    int16_t *coefficients = (int16_t *)(void *)poly.data;
    const uint16_t transforms = KERNEL_CASES / 10;

    for (uint16_t i = 0; i < transforms; i++) {
        fill(poly.data, SELO_MLKEM_Q);
        KERNEL_CALL(selo_mlkem_ntt, coefficients);
        kernel_fold(poly.data, 512);
    }
    kernel_series("mlkem-ntt", transforms);
    for (uint16_t i = 0; i < transforms; i++) {
        fill(poly.data, 33 * SELO_MLKEM_Q / 10);
        KERNEL_CALL(selo_mlkem_inverse_ntt, coefficients);
        kernel_fold(poly.data, 512);
    }
    kernel_series("mlkem-inverse-ntt", transforms);
    for (uint16_t i = 0; i < transforms; i++) {
        const uint8_t first = (uint8_t)(i % 64);
        multiply(first | (1u + i % (64u - first)) << 8);
        kernel_fold(poly.data, 512);
    }
    kernel_series("mlkem-multiply", transforms);
    for (uint16_t i = 0; i < KERNEL_CASES; i++) {
        draw((uint8_t)(i % 4));
        const struct selo_mlkem_drawn *got = (struct selo_mlkem_drawn *)(void *)drawn.data;
        kernel_fold(got->of.coefficients, got->filled < 20 ? 2 * got->filled : 0);
        kernel_fold(&got->filled, sizeof got->filled);
    }
    kernel_series("mlkem-draw", KERNEL_CASES);
    for (uint16_t i = 0; i < transforms; i++) {
        fill(poly.data, 32767);
        KERNEL_CALL(selo_mlkem_pack, b.data, coefficients);
        kernel_fold(b.data, 384);
        KERNEL_CALL(selo_mlkem_pack, poly.data, coefficients);
        kernel_fold(poly.data, 384);
    }
    kernel_series("mlkem-pack", transforms);
    for (uint16_t i = 0; i < transforms; i++) {
        kernel_fill(poly.data, 256);
        KERNEL_CALL(selo_mlkem_expand_words, coefficients, poly.data, 2 + (i & 1));
        kernel_fold(poly.data, 512);
        kernel_fill(small.data, 256);
        KERNEL_CALL(selo_mlkem_expand_words, coefficients, small.data, 2 + (i & 1));
        kernel_fold(poly.data, 512);
        kernel_fill(small.data, 256);
        KERNEL_CALL(selo_mlkem_add_small, coefficients, small.data);
        kernel_fold(poly.data, 512);
    }
    kernel_series("mlkem-noise", transforms);
}

static void times(void)
{
    int16_t *coefficients = (int16_t *)(void *)poly.data;

    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++) {
        fill(poly.data, SELO_MLKEM_Q);
        KERNEL_CALL(selo_mlkem_ntt, coefficients);
    }
    kernel_time_end("mlkem-ntt");
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++) {
        fill(poly.data, 3 * SELO_MLKEM_Q);
        KERNEL_CALL(selo_mlkem_inverse_ntt, coefficients);
    }
    kernel_time_end("mlkem-inverse-ntt");
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++)
        multiply(64u << 8);
    kernel_time_end("mlkem-multiply");
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++)
        draw(3);
    kernel_time_end("mlkem-draw");
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++) {
        fill(poly.data, MOST);
        KERNEL_CALL(selo_mlkem_pack, b.data, coefficients);
    }
    kernel_time_end("mlkem-pack");
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++) {
        fill(poly.data, 2 * SELO_MLKEM_Q);
        KERNEL_CALL(selo_mlkem_compress_u, b.data, coefficients);
    }
    kernel_time_end("mlkem-compress-u");
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++) {
        fill(poly.data, 2 * SELO_MLKEM_Q);
        kernel_fill(b.data, 128);
        KERNEL_CALL(selo_mlkem_message, small.data, coefficients, b.data);
    }
    kernel_time_end("mlkem-message");
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++) {
        kernel_fill(small.data, 256);
        KERNEL_CALL(selo_mlkem_expand_words, coefficients, small.data, 3);
    }
    kernel_time_end("mlkem-expand");
    kernel_time_begin();
    for (uint8_t i = 0; i < TIMED; i++) {
        kernel_fill(small.data, 256);
        KERNEL_CALL(selo_mlkem_add_small, coefficients, small.data);
    }
    kernel_time_end("mlkem-add-small");
}

int main(void)
{
    KERNEL_GUARD(poly);
    KERNEL_GUARD(a);
    KERNEL_GUARD(b);
    KERNEL_GUARD(small);
    KERNEL_GUARD(drawn);
    series();
    times();
    kernel_end();
    return 0;
}
