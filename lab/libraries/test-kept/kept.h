/* The functions of every variant. */
#ifndef TEST_KEPT_H
#define TEST_KEPT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void kept_set_up(const uint8_t *raw);
void kept_encrypt(uint8_t *out, const uint8_t *in);
void kept_decrypt(uint8_t *out, const uint8_t *in);

#ifdef __cplusplus
}
#endif

#endif
