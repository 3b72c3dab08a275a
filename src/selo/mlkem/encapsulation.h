/*
 * struct selo_mlkem_encapsulation: the state of an encapsulation in pieces, without its sponge.
 * selo_mlkem.h and the node of the link include it. The fields are internal.
 */
#ifndef SELO_MLKEM_ENCAPSULATION_H
#define SELO_MLKEM_ENCAPSULATION_H

#include <stdint.h>

struct selo_mlkem_encapsulation {
    union {
        int16_t words[448];
        uint8_t bytes[896];
    } area;
    uint8_t message[32], seed[32], key_hash[32], rho[32];
    uint8_t bytes[6]; /* of the key, until they are four coefficients */
    uint8_t quad;     /* those that are complete in this polynomial */
    uint16_t at;      /* bytes taken or given of a polynomial, or of rho */
    uint8_t rank;     /* those that are complete in this step */
    uint8_t step;     /* 0: no encapsulation is under way */
};

#endif
