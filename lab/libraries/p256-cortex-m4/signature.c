/* P256-Cortex-M4's ECDSA in the lab. It draws a random number, and another one if that is not below
 * the order. */
#include "words.h"

#include "glue_random.h"

static number signing_key, key_x, key_y;

static int lib_prepare(const uint8_t *secret, const uint8_t *public_key)
{
    (void)public_key;
    number_read(signing_key, secret);
    return 0;
}

static int lib_sign(uint8_t *signature, const uint8_t *message, uint16_t size)
{
    number r, s, k;
    do
        glue_random((uint8_t *)k, sizeof k);
    while (!p256_sign(r, s, message, size, signing_key, k));
    number_write(signature, r);
    number_write(signature + NUMBER_BYTES, s);
    return 0;
}

static int lib_prepare_verify(const uint8_t *public_key, const uint8_t *signature)
{
    (void)signature;
    number_read(key_x, public_key);
    number_read(key_y, public_key + NUMBER_BYTES);
    return 0;
}

static int lib_verify(const uint8_t *signature, const uint8_t *message, uint16_t size)
{
    number r, s;
    number_read(r, signature);
    number_read(s, signature + NUMBER_BYTES);
    return !p256_verify(key_x, key_y, message, size, r, s);
}

#include "glue_signature.h"
