/* OpenSSL's authenticated ciphers in the lab. */
#include "agent.h"
#include "glue_aead.h"
#include "names.h"

#include <string.h>

#if GLUE_GCM
#define LAB_MODE LAB_AES(gcm)
#elif GLUE_CCM
#define LAB_MODE LAB_AES(ccm)
#else
#define LAB_MODE EVP_chacha20_poly1305()
#endif

static EVP_CIPHER_CTX *state;
static uint8_t key[AGENT_KEY_BYTES];

/* CCM keeps its key schedule together with the sizes of nonce and tag, which come with a message. */
static int lib_set_up(const uint8_t *raw)
{
    if (!state)
        state = EVP_CIPHER_CTX_new();
    memcpy(key, raw, sizeof key);
    return !EVP_EncryptInit_ex(state, LAB_MODE, NULL, GLUE_CCM ? NULL : raw, NULL);
}

static int begin(const struct glue_message *m, int encrypts, const uint8_t *tag)
{
    int written;
    if (!EVP_CipherInit_ex(state, GLUE_CCM ? LAB_MODE : NULL, NULL, NULL, NULL, encrypts)
        || !EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_IVLEN, m->nonce_size, NULL)
        || (GLUE_CCM && !EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_TAG, m->tag_size, (void *)tag))
        || !EVP_CipherInit_ex(state, NULL, NULL, GLUE_CCM ? key : NULL, m->nonce, encrypts)
        || (GLUE_CCM && !EVP_CipherUpdate(state, NULL, &written, NULL, m->size)))
        return -1;
    return m->ad_size && !EVP_CipherUpdate(state, NULL, &written, m->ad, m->ad_size);
}

static int lib_seal(const struct glue_message *m, uint8_t *out, uint8_t *tag)
{
    int written;
    return begin(m, 1, NULL)
           || ((m->size || GLUE_CCM) && !EVP_EncryptUpdate(state, out, &written, m->in, m->size))
           || !EVP_EncryptFinal_ex(state, out, &written)
           || !EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_GET_TAG, m->tag_size, tag);
}

static int lib_open(const struct glue_message *m, uint8_t *out, const uint8_t *tag)
{
    int written;
    if (begin(m, 0, tag)
        || ((m->size || GLUE_CCM) && !EVP_DecryptUpdate(state, out, &written, m->in, m->size)))
        return -1;
    return !GLUE_CCM
           && (!EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_TAG, m->tag_size, (void *)tag)
               || !EVP_DecryptFinal_ex(state, out, &written));
}

#include "glue_aead_operations.h"
