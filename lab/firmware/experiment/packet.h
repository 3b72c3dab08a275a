/*
 * A packet of the experiment: one block of 16 bytes, encrypted in its place by the cipher
 * that the image was built for, or by none.
 */
#ifndef EXPERIMENT_PACKET_H
#define EXPERIMENT_PACKET_H

#include <stdint.h>

enum { PACKET_BYTES = 16 };

/* The key's schedule, as far as the cipher keeps one. */
void packet_begin(void);

void packet_encrypt(void *packet);
/* Only for ciphers that decrypt. */
void packet_decrypt(void *packet);

#endif
