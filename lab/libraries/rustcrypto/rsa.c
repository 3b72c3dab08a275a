/* RustCrypto's RSA-2048 in the lab: OAEP with SHA-256. */
#include "agent.h"
#include "glue_random.h"
#include "glue_rsa.h"

int rc_rsa_keygen(uint16_t bits);
void rc_rsa_modulus(uint8_t *modulus, uint16_t size);
int rc_rsa_encrypt(uint8_t *out, uint16_t out_size, const uint8_t *message, uint16_t size);
int rc_rsa_decrypt(uint8_t *out, uint16_t *out_size, const uint8_t *in, uint16_t size);
void rc_random(uint8_t *out, size_t size);

/* Called by the library. */
void rc_random(uint8_t *out, size_t size) { glue_random(out, size); }

static int lib_keygen(void) { return rc_rsa_keygen(GLUE_RSA_BITS); }
static void lib_public_key(uint8_t *modulus) { rc_rsa_modulus(modulus, GLUE_MODULUS); }

static int lib_encrypt(uint8_t *out, const uint8_t *message, uint16_t size)
{
    return rc_rsa_encrypt(out, GLUE_MODULUS, message, size);
}

static int lib_decrypt(uint8_t *out, uint16_t *size, const uint8_t *ciphertext)
{
    return rc_rsa_decrypt(out, size, ciphertext, GLUE_MODULUS);
}

#include "glue_public_key.h"
