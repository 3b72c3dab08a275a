/*
 * EXPERIMENT_CIPHER is the name of a struct of selo.h or selo_speck.h without `struct`, such as
 * selo_aes128_fast. Without it packets are not encrypted: the plain text of the experiment.
 */
#include "packet.h"

#ifdef EXPERIMENT_CIPHER

#include "port.h"

#include <selo.h>
#include <selo_speck.h>

#define NAME_(prefix, suffix) prefix##suffix
#define NAME(prefix, suffix) NAME_(prefix, suffix)

/* The key is in the program, as in the paper's sketches. It protects nothing. */
static const uint8_t raw[32] PORT_FLASH = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

static struct EXPERIMENT_CIPHER key;

void packet_begin(void)
{
    uint8_t bytes[sizeof raw];
    port_flash_read(bytes, raw, sizeof raw);
    NAME(EXPERIMENT_CIPHER, _setup)(&key, bytes);
}

void packet_encrypt(void *packet) { NAME(EXPERIMENT_CIPHER, _encrypt)(&key, packet, packet); }

#ifndef EXPERIMENT_ENCRYPTS_ONLY
void packet_decrypt(void *packet) { NAME(EXPERIMENT_CIPHER, _decrypt)(&key, packet, packet); }
#endif

#else

void packet_begin(void) {}
void packet_encrypt(void *packet) { (void)packet; }
void packet_decrypt(void *packet) { (void)packet; }

#endif
