/*
 * A generator of bytes from a seed. One seed always gives the same bytes. It makes a measurement
 * repeatable and is NOT fit for keys.
 */
#ifndef RSA_TEXTBOOK_GENERATOR_H
#define RSA_TEXTBOOK_GENERATOR_H

#include <stddef.h>
#include <stdint.h>

void rsa_generator_seed(const uint8_t *seed, size_t size);
void rsa_generator_fill(uint8_t *out, size_t size);

#endif
