/*
 * Code that this machine does not select, because its 64-bit products and sums need no branch: Poly1305
 * in words of 13 bits, and 64-bit sums and differences in halves. This file compiles them, Poly1305
 * under other names.
 */
#undef SELO_BYTEWISE
#define SELO_BYTEWISE 0
#define SELO_WIDE_SUMS 0
#define selo_poly1305_start halves_start
#define selo_poly1305_block halves_block
#define selo_poly1305_padded halves_padded
#define selo_poly1305_finish halves_finish

#include "check_poly1305.h"
#include "selo/common/sum64.h"

#include "../../src/selo/poly1305/poly1305.c"
#include "../../src/selo/poly1305/poly1305_halves.c"

static void sums(void)
{
    static const uint32_t edges[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    enum { N = sizeof edges / sizeof edges[0] };

    for (unsigned i = 0; i < N * N; i++) {
        for (unsigned j = 0; j < N * N; j++) {
            uint64_t a = (uint64_t)edges[i / N] << 32 | edges[i % N];
            uint64_t b = (uint64_t)edges[j / N] << 32 | edges[j % N];
            CHECK(selo_sum64(a, b) == a + b);
            CHECK(selo_difference64(a, b) == a - b);
        }
    }
}

int main(void)
{
    CHECK(SELO_POLY1305_HALVES && !SELO_WIDE_PRODUCTS);
    sums();
    poly1305_examples();
    poly1305_around_p();
    poly1305_carries();
    poly1305_random();
    return check_report("halves");
}
