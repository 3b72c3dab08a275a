/* LibTomCrypt's AES in ECB, CBC and CTR in the lab. It has one schedule for both directions. */
#include "glue_mode.h"

#include <stdint.h>
#include <tomcrypt.h>

#if GLUE_ECB

static symmetric_ECB state;

static void lib_set_up_encrypt(const uint8_t *raw)
{
    ecb_start(register_cipher(&aes_desc), raw, AGENT_KEY_BYTES, 0, &state);
}

static void lib_ecb(bool encrypts, uint8_t *out, const uint8_t *in, agent_size size)
{
    if (encrypts)
        ecb_encrypt(in, out, size, &state);
    else
        ecb_decrypt(in, out, size, &state);
}

#elif GLUE_CBC

static symmetric_CBC state;
static const uint8_t none[16];

static void lib_set_up_encrypt(const uint8_t *raw)
{
    cbc_start(register_cipher(&aes_desc), none, raw, AGENT_KEY_BYTES, 0, &state);
}

static void lib_cbc(bool encrypts, uint8_t *iv, uint8_t *data, agent_size size)
{
    cbc_setiv(iv, 16, &state);
    if (encrypts)
        cbc_encrypt(data, data, size, &state);
    else
        cbc_decrypt(data, data, size, &state);
}

#else

static symmetric_CTR state;
static const uint8_t none[16];

static void lib_set_up_encrypt(const uint8_t *raw)
{
    ctr_start(register_cipher(&aes_desc), none, raw, AGENT_KEY_BYTES, 0, CTR_COUNTER_BIG_ENDIAN,
              &state);
}

static void lib_ctr(uint8_t *counter, uint8_t *out, const uint8_t *in, agent_size size)
{
    ctr_setiv(counter, 16, &state);
    ctr_encrypt(in, out, size, &state);
}

#endif

#define GLUE_ONE_SCHEDULE
#include "glue_mode_operations.h"
