/*
 * A packet of the experiment: one block of 16 bytes, encrypted in place by the cipher of the image,
 * or not encrypted.
 */
#ifndef EXPERIMENT_PACKET_H
#define EXPERIMENT_PACKET_H

#include <stdint.h>

enum { PACKET_BYTES = 16 };

/* Computes the key schedule, if the cipher keeps one. */
void packet_begin(void);

void packet_encrypt(void *packet);
/* Only for ciphers that can decrypt. */
void packet_decrypt(void *packet);

#endif
