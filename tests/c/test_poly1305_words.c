/*
 * Poly1305 in words of 26 bits, which a machine with words of 64 bits does not select. This file
 * compiles it under other names.
 */
#undef SELO_BYTEWISE
#define SELO_BYTEWISE 0
#define SELO_POLY1305_HALVES 0
#define SELO_POLY1305_WIDE 0
#define selo_poly1305_start words_start
#define selo_poly1305_block words_block
#define selo_poly1305_padded words_padded
#define selo_poly1305_finish words_finish

#include "check_poly1305.h"

#include "../../src/selo/poly1305/poly1305.c"
#include "../../src/selo/poly1305/poly1305_block_words.c"
#define word word_of_finish /* both sources have a function of this name */
#include "../../src/selo/poly1305/poly1305_words.c"

int main(void)
{
    poly1305_examples();
    poly1305_around_p();
    poly1305_carries();
    poly1305_random();
    return check_report("poly1305-words");
}
