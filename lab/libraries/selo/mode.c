/*
 * Selo's modes of operation in the lab: key-setup, encrypt, decrypt of a message. The manifest
 * defines SELO_CIPHER, the struct's name without `struct`. The algorithm determines the mode.
 */
#include "agent.h"
#include "names.h"
#include "selo.h"
#include "selo_speck.h"
#include "selo_unauthenticated.h"

#include <string.h>

#define MODE_IS(MODE)                                                        \
    (AGENT_ALGORITHM_AES_128_##MODE || AGENT_ALGORITHM_AES_192_##MODE        \
     || AGENT_ALGORITHM_AES_256_##MODE || AGENT_ALGORITHM_SPECK128_128_##MODE \
     || AGENT_ALGORITHM_SPECK128_192_##MODE || AGENT_ALGORITHM_SPECK128_256_##MODE)

enum { BLOCK = 16 };

#define SETUP SELO_NAME(SELO_CIPHER, _setup)
#define CIPHER SELO_NAME(SELO_CIPHER, _cipher)(&key)
#define INVERSE SELO_NAME(SELO_CIPHER, _inverse)(&key)

/* The tiny ciphers cannot decrypt. CTR does not need it. */
#define DECRYPTS (!AGENT_VARIANT_TINY || MODE_IS(CTR))

static struct SELO_CIPHER key;

static uint8_t key_setup(struct agent_call *call)
{
    if (call->in[0].size != AGENT_KEY_BYTES)
        return AGENT_BAD_SIZE;
    const uint8_t *raw = call->in[0].data;
    AGENT_MEASURE(SETUP(&key, raw));
    return SELO_OK;
}

#if MODE_IS(ECB)

static uint8_t encrypt(struct agent_call *call)
{
    const uint8_t *in = call->in[0].data;
    uint8_t *out = call->out;
    uint16_t size = call->in[0].size;
    enum selo_status status;
    AGENT_MEASURE(status = selo_ecb_encrypt(CIPHER, out, in, size));
    call->out_size = size;
    return (uint8_t)status;
}

#if DECRYPTS
static uint8_t decrypt(struct agent_call *call)
{
    const uint8_t *in = call->in[0].data;
    uint8_t *out = call->out;
    uint16_t size = call->in[0].size;
    enum selo_status status;
    AGENT_MEASURE(status = selo_ecb_decrypt(INVERSE, out, in, size));
    call->out_size = size;
    return (uint8_t)status;
}
#endif

#elif MODE_IS(CBC)

/* The lab's random source returns the bytes that the host sent for it. */
static enum selo_status random_from_host(void *source, uint8_t *out, size_t size)
{
    const struct agent_field *given = source;
    if (given->size != size)
        return SELO_ERROR_RANDOM;
    memcpy(out, given->data, size);
    return SELO_OK;
}

static uint8_t encrypt(struct agent_call *call)
{
    const uint8_t *in = call->in[1].data;
    uint8_t *out = call->out;
    uint16_t size = call->in[1].size;
    size_t out_size = 0;
    enum selo_status status;
    AGENT_MEASURE(status = selo_cbc_encrypt(CIPHER, random_from_host, &call->in[0],
                                            out, AGENT_IO_BYTES, &out_size, in, size));
    call->out_size = (uint16_t)out_size;
    return (uint8_t)status;
}

#if DECRYPTS
static uint8_t decrypt(struct agent_call *call)
{
    const uint8_t *in = call->in[0].data;
    uint8_t *out = call->out;
    uint16_t size = call->in[0].size;
    size_t out_size = 0;
    enum selo_status status;
    AGENT_MEASURE(status = selo_cbc_decrypt(INVERSE, out, AGENT_IO_BYTES, &out_size,
                                            in, size));
    call->out_size = (uint16_t)out_size;
    return (uint8_t)status;
}
#endif

#elif MODE_IS(CTR)

static uint8_t encrypt(struct agent_call *call)
{
    if (call->in[0].size != BLOCK)
        return AGENT_BAD_SIZE;
    uint8_t *counter = call->in[0].data;
    const uint8_t *in = call->in[1].data;
    uint8_t *out = call->out;
    uint16_t size = call->in[1].size;
    AGENT_MEASURE(selo_ctr(CIPHER, counter, out, in, size));
    call->out_size = size;
    return SELO_OK;
}

static uint8_t decrypt(struct agent_call *call) { return encrypt(call); }

#else
#error "an algorithm of a mode that this file does not know"
#endif

#if DECRYPTS
AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt)
    AGENT_OPERATION(DECRYPT, "decrypt", decrypt))
#else
AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, "key-setup", key_setup)
    AGENT_OPERATION(ENCRYPT, "encrypt", encrypt))
#endif
