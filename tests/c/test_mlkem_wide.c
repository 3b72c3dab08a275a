/* The compression of ML-KEM-1024, against its definition for every coefficient [FIPS203, 4.2.1]. */
#define SELO_MLKEM_WIDE 1
#include "../../src/selo/mlkem/mlkem.h"

#include <string.h>

#include "check.h"

enum { Q = 3329 };

/* x * 2^d / q, rounded. 2^d x / q never has the fraction 1 / 2, for q is odd. */
static unsigned compressed(int x, unsigned d)
{
    const uint32_t positive = (uint32_t)((x % Q + Q) % Q);
    return (unsigned)((((uint64_t)positive << d) * 2 + Q) / (2 * Q) & ((1u << d) - 1));
}

/* The number of 5 bits at a place. */
static unsigned five_at(const uint8_t *bytes, int place)
{
    const int bit = 5 * place;
    const unsigned two = bytes[bit / 8] | (unsigned)(bit / 8 < 159 ? bytes[bit / 8 + 1] : 0) << 8;
    return two >> bit % 8 & 31;
}

static void every_coefficient(int start)
{
    int16_t poly[256], again[256];
    uint8_t out[352], message[32];
    unsigned wrong = 0;

    for (int i = 0; i < 256; i++) {
        poly[i] = (int16_t)(start + i <= 2 * Q ? start + i : 2 * Q);
    }
    selo_mlkem_compress_u(out, poly);
    selo_mlkem_decompress_u(again, out);
    for (int i = 0; i < 256; i++) {
        wrong += (unsigned)again[i] != (compressed(poly[i], 11) * Q + 1024) / 2048;
    }
    selo_mlkem_compress_v(out, poly);
    for (int i = 0; i < 256; i++) {
        wrong += five_at(out, i) != compressed(poly[i], 5);
    }
    for (unsigned v = 0; v < 32; v++) {
        memset(out, 0, 160);
        for (int bit = 0; bit < 1280; bit++) {
            out[bit / 8] = (uint8_t)(out[bit / 8] | (v >> bit % 5 & 1) << bit % 8);
        }
        selo_mlkem_message(message, poly, out);
        for (int i = 0; i < 256; i++) {
            const int whole = (int)((v * 2 * Q + 32) / 64); /* Decompress5 */
            wrong += (message[i / 8] >> i % 8 & 1u) != compressed(whole - poly[i], 1);
        }
    }
    CHECK(wrong == 0);
    selo_mlkem_shorten_sum(poly);
    for (int i = 0; i < 256; i++) {
        const int x = start + i <= 2 * Q ? start + i : 2 * Q;
        CHECK(poly[i] == (x % Q + Q) % Q);
    }
}

int main(void)
{
    for (int start = -2 * Q; start <= 2 * Q; start += 256) {
        every_coefficient(start);
    }
    return check_report("mlkem_wide");
}
