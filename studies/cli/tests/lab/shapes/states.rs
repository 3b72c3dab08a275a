//! Shapes of states: a mode over a cipher's, members that the caller sets, one block of a message
//! at a time.

use super::{AES, Shape};

pub(super) const SHAPES: [Shape; 5] = [
    Shape {
        name: "mode-over-a-cipher",
        algorithm: "aes-128-cbc",
        calls: "aes_start, cbc_start, cbc_encrypt",
        source: AES,
        header: "typedef struct { uint8_t keys[176]; } aes_state;
typedef struct { const aes_state *cipher; uint8_t iv[16]; } cbc_state;
void aes_start(aes_state *state, const uint8_t *key, size_t key_len);
int cbc_start(cbc_state *state, const aes_state *cipher, const uint8_t *iv, size_t iv_len);
int cbc_encrypt(cbc_state *state, const uint8_t *in, uint8_t *out, size_t len);",
        body: "void aes_start(aes_state *state, const uint8_t *key, size_t key_len) { if (key_len == 16) expand(state->keys, key); }
int cbc_start(cbc_state *state, const aes_state *cipher, const uint8_t *iv, size_t iv_len)
{
    state->cipher = cipher;
    if (iv_len == 16) memcpy(state->iv, iv, 16);
    return iv_len != 16;
}
int cbc_encrypt(cbc_state *state, const uint8_t *in, uint8_t *out, size_t len)
{
    for (; len; len -= 16, in += 16, out += 16) {
        add(state->iv, in);
        forward(state->cipher->keys, state->iv, state->iv);
        memcpy(out, state->iv, 16);
    }
    return 0;
}",
    },
    Shape {
        name: "mode-that-makes-its-state",
        algorithm: "aes-128-ctr",
        calls: "aes_start, ctr_start, ctr_encrypt",
        source: AES,
        header: "struct cipher;
int aes_start(const uint8_t *key, size_t key_len, struct cipher **result);",
        body: "#include <stdlib.h>
struct cipher { uint8_t keys[176]; };
typedef struct { struct cipher *cipher; uint8_t counter[16]; unsigned counting; } ctr_state;
int aes_start(const uint8_t *key, size_t key_len, struct cipher **result)
{
    *result = malloc(sizeof **result);
    if (key_len != 16 || !*result) return 1;
    expand((*result)->keys, key);
    return 0;
}
int ctr_start(struct cipher *cipher, uint8_t counter_block0[], size_t counter_block0_len, size_t prefix_len,
              unsigned counter_len, unsigned little_endian, ctr_state **result)
{
    if (counter_block0_len != 16 || prefix_len + counter_len != 16 || little_endian) return 1;
    ctr_state *state = malloc(sizeof *state);
    if (!state) return 2;
    state->cipher = cipher;
    memcpy(state->counter, counter_block0, 16);
    *result = state;
    return 0;
}
int ctr_encrypt(ctr_state *state, const uint8_t *in, uint8_t *out, size_t len)
{
    uint8_t stream[16];
    for (size_t at = 0; at < len; at++) {
        if (at % 16 == 0) {
            forward(state->cipher->keys, state->counter, stream);
            for (int i = 15; i >= 0 && ++state->counter[i] == 0; i--) continue;
        }
        out[at] = (uint8_t)(in[at] ^ stream[at % 16]);
    }
    return 0;
}",
    },
    Shape {
        name: "block-of-a-chain",
        algorithm: "aes-128-cbc",
        calls: "AES_native, update",
        source: ("AES_native.cpp", "rounds.inc"),
        header: "class AES_native {
public:
    AES_native(bool encrypt, const unsigned char *key, size_t key_bytes, bool cbc_mode, unsigned char *cbc_block);
    void update(unsigned char *in_data, unsigned char *out_data);
private:
    bool chains;
    unsigned char *block, keys[176];
};",
        body: "AES_native::AES_native(bool encrypt, const unsigned char *key, size_t key_bytes, bool cbc_mode, unsigned char *cbc_block)
    : chains(cbc_mode && encrypt), block(cbc_block)
{
    if (key_bytes == 16) expand(keys, key);
}
void AES_native::update(unsigned char *in_data, unsigned char *out_data)
{
    if (chains) add(in_data, block);
    forward(keys, in_data, out_data);
    if (chains) memcpy(block, out_data, 16);
}",
    },
    Shape {
        name: "iv-before-the-keys",
        algorithm: "aes-128-cbc",
        calls: "Aes_SetKey_Enc, AesCbc_Init, AesCbc_Encode",
        source: AES,
        header: "void Aes_SetKey_Enc(uint32_t *aes, const uint8_t *key, unsigned keySize);
void AesCbc_Init(uint32_t *ivAes, const uint8_t *iv);
void AesCbc_Encode(uint32_t *ivAes, uint8_t *data, size_t numBlocks);",
        body: "void Aes_SetKey_Enc(uint32_t *aes, const uint8_t *key, unsigned keySize)
{
    if (keySize == 16) expand((uint8_t *)aes, key);
}
void AesCbc_Init(uint32_t *ivAes, const uint8_t *iv) { memcpy(ivAes, iv, 16); }
void AesCbc_Encode(uint32_t *ivAes, uint8_t *data, size_t numBlocks)
{
    for (; numBlocks; numBlocks--, data += 16) {
        add((uint8_t *)ivAes, data);
        forward((uint8_t *)(ivAes + 4), (uint8_t *)ivAes, (uint8_t *)ivAes);
        memcpy(data, ivAes, 16);
    }
}",
    },
    Shape {
        name: "rate-in-the-state",
        algorithm: "sha3-256",
        calls: "Sha3_Init, Sha3_Update, Sha3_Final",
        source: ("Sha3.c", "sponge.inc"),
        header: "typedef struct { uint32_t count, blockSize; uint64_t state[25]; } CSha3;
void Sha3_Init(CSha3 *p);
void Sha3_Update(CSha3 *p, const uint8_t *data, size_t size);
void Sha3_Final(CSha3 *p, uint8_t *digest, unsigned digestSize, unsigned shake);",
        body: "void Sha3_Init(CSha3 *p) { p->count = 0; memset(p->state, 0, sizeof p->state); }
void Sha3_Update(CSha3 *p, const uint8_t *data, size_t size)
{
    for (; size; size--) {
        p->state[p->count / 8] ^= (uint64_t)*data++ << 8 * (p->count % 8);
        if (++p->count == p->blockSize) { permute(p->state); p->count = 0; }
    }
}
void Sha3_Final(CSha3 *p, uint8_t *digest, unsigned digestSize, unsigned shake)
{
    p->state[p->count / 8] ^= (uint64_t)(shake ? 0x1f : 6) << 8 * (p->count % 8);
    p->state[p->blockSize / 8 - 1] ^= (uint64_t)1 << 63;
    permute(p->state);
    for (unsigned i = 0; i < digestSize; i++) digest[i] = (uint8_t)(p->state[i / 8] >> 8 * (i % 8));
}",
    },
];
