//! Shapes of ciphers whose functions take no block, or give one in memory of their own.

use super::{AES, Shape};

const CPP: (&str, &str) = ("AES128.cpp", "rounds.inc");

pub(super) const SHAPES: [Shape; 9] = [
    Shape {
        name: "global-blocks",
        algorithm: "aes-128",
        calls: "Key, KeyExpansion, Cipher, in, out",
        source: AES,
        header: "void KeyExpansion();\nvoid Cipher();",
        body: "int Nk = 0;
unsigned char in[16], out[16], Key[32];
static uint8_t keys[176];
void KeyExpansion() { if (Nk == 4) expand(keys, Key); }
void Cipher() { forward(keys, in, out); }",
    },
    Shape {
        name: "global-matrix",
        algorithm: "aes-128",
        calls: "aes_set_key, aes_cipher, state",
        source: AES,
        header: "extern uint8_t state[4][4]; /* rows, as in FIPS 197 */
void aes_set_key(const uint8_t *key);
void aes_cipher(void);",
        body: "uint8_t state[4][4];
static uint8_t keys[176];
void aes_set_key(const uint8_t *key) { expand(keys, key); }
void aes_cipher(void)
{
    uint8_t block[16];
    for (int i = 0; i < 16; i++) block[i] = state[i % 4][i / 4];
    forward(keys, block, block);
    for (int i = 0; i < 16; i++) state[i % 4][i / 4] = block[i];
}",
    },
    Shape {
        name: "loaded",
        algorithm: "aes-128",
        calls: "aes_load_key, aes_start_encrypt, aes_load_data, aes_read_data",
        source: AES,
        header: "void aes_load_key(const uint8_t *key);
void aes_load_data(const uint8_t *data);
void aes_start_encrypt(void);
void aes_read_data(uint8_t *data);",
        body: "static uint8_t keys[176], block[16];
void aes_load_key(const uint8_t *key) { expand(keys, key); }
void aes_load_data(const uint8_t *data) { memcpy(block, data, 16); }
void aes_start_encrypt(void) { forward(keys, block, block); }
void aes_read_data(uint8_t *data) { memcpy(data, block, 16); }",
    },
    Shape {
        name: "members",
        algorithm: "aes-128",
        calls: "object.key, expandKey, encrypt, object.state",
        source: CPP,
        header: "class AES128 {
public:
    uint8_t key[16];
    uint8_t state[16];
    void expandKey();
    void encrypt();
private:
    uint8_t keys[176];
};",
        body: "void AES128::expandKey() { expand(keys, key); }
void AES128::encrypt() { forward(keys, state, state); }",
    },
    Shape {
        name: "job",
        algorithm: "aes-128",
        calls: "state.key, aes_run, state.in, state.out",
        source: AES,
        header: "typedef struct { uint8_t key[32]; uint8_t key_len; uint8_t in[16]; uint8_t out[16]; } aes_job;
int aes_run(aes_job *job);",
        body: "int aes_run(aes_job *job)
{
    uint8_t keys[176];
    if (job->key_len != 16) return -1;
    expand(keys, job->key);
    forward(keys, job->in, job->out);
    return 0;
}",
    },
    Shape {
        name: "references",
        algorithm: "aes-128",
        calls: "encrypt",
        source: CPP,
        header: "typedef uint8_t Block[16];
class AES128 {
public:
    explicit AES128(const uint8_t (&key)[16]);
    void encrypt(const Block &in, Block &out) const;
private:
    uint8_t keys[176];
};",
        body: "AES128::AES128(const uint8_t (&key)[16]) { expand(keys, key); }
void AES128::encrypt(const Block &in, Block &out) const { forward(keys, in, out); }",
    },
    Shape {
        name: "allocated",
        algorithm: "aes-128-ecb",
        calls: "EncryptECB",
        source: CPP,
        header: "class AES128 {
public:
    unsigned char *EncryptECB(unsigned char in[], unsigned int inLen, unsigned char key[], unsigned int &outLen);
};",
        body: "unsigned char *AES128::EncryptECB(unsigned char in[], unsigned int inLen, unsigned char key[], unsigned int &outLen)
{
    uint8_t keys[176];
    expand(keys, key);
    outLen = inLen;
    unsigned char *out = new unsigned char[inLen];
    for (unsigned at = 0; at < inLen; at += 16) forward(keys, in + at, out + at);
    return out;
}",
    },
    Shape {
        name: "described",
        algorithm: "aes-128-cbc",
        calls: "bcal_cbc_init, bcal_cbc_enc",
        source: AES,
        header: "typedef struct { const char *name; void (*init)(const uint8_t *, void *); void (*enc)(void *, const uint8_t *, uint8_t *); } bcdesc_t;
extern const bcdesc_t aes128_desc;
typedef struct { const bcdesc_t *desc; uint8_t keys[176]; } bcal_cbc_ctx_t;
uint8_t bcal_cbc_init(const bcdesc_t *desc, const void *key, uint16_t keysize_b, bcal_cbc_ctx_t *ctx);
void bcal_cbc_enc(const void *iv, void *msg, uint16_t msg_blocks, bcal_cbc_ctx_t *ctx);",
        body: "static void setup(const uint8_t *key, void *keys) { expand(keys, key); }
static void block(void *keys, const uint8_t *in, uint8_t *out) { forward(keys, in, out); }
const bcdesc_t aes128_desc = {\"AES-128\", setup, block};
uint8_t bcal_cbc_init(const bcdesc_t *desc, const void *key, uint16_t keysize_b, bcal_cbc_ctx_t *ctx)
{
    ctx->desc = desc;
    desc->init(key, ctx->keys);
    return keysize_b != 128;
}
void bcal_cbc_enc(const void *iv, void *msg, uint16_t msg_blocks, bcal_cbc_ctx_t *ctx)
{
    const uint8_t *before = iv;
    for (uint8_t *at = msg; msg_blocks-- > 0; at += 16) {
        add(at, before);
        ctx->desc->enc(ctx->keys, at, at);
        before = at;
    }
}",
    },
    Shape {
        name: "pasted",
        algorithm: "aes-128",
        calls: "aes_set_key, aes_encrypt",
        source: AES,
        header: "void aes_set_key(uint8_t *rk, const uint8_t *key);
void aes_encrypt(const uint8_t *rk, const uint8_t *in, uint8_t *out);",
        body: "#define PASTE(x, y) x ## y
#define NAME(x, y) PASTE(x, y)
#define aes_set_key NAME(aes_set_key, SUFFIX)
#define aes_encrypt NAME(aes_encrypt, SUFFIX)
void aes_set_key(uint8_t *rk, const uint8_t *key) { expand(rk, key); }
void aes_encrypt(const uint8_t *rk, const uint8_t *in, uint8_t *out) { forward(rk, in, out); }",
    },
];
