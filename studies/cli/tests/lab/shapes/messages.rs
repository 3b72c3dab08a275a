//! Shapes of modes, hashes and authenticated ciphers.

use super::{AES, Shape};

pub(super) const SHAPES: [Shape; 11] = [
    Shape {
        name: "unions",
        algorithm: "aes-128-ecb",
        calls: "aes_initkey, aes_encrypt_ecb",
        source: AES,
        header: "typedef union { uint32_t d[4]; uint8_t b[16]; } block128;
typedef block128 aes_block;
typedef struct { uint8_t rounds; uint8_t data[176]; } aes_key;
void aes_initkey(aes_key *ctx, uint8_t *key, uint8_t size);
void aes_encrypt_ecb(aes_block *output, aes_key *key, aes_block *input, uint32_t nb_blocks);",
        body: "void aes_initkey(aes_key *ctx, uint8_t *key, uint8_t size) { if (size == 16) expand(ctx->data, key); }
void aes_encrypt_ecb(aes_block *output, aes_key *key, aes_block *input, uint32_t nb_blocks)
{
    for (; nb_blocks; nb_blocks--) forward(key->data, (input++)->b, (output++)->b);
}",
    },
    Shape {
        name: "mode-in-the-context",
        algorithm: "aes-128-cbc",
        calls: "rijndael_setup, block_encrypt",
        source: ("rijndael.c", "rounds.inc"),
        header: "#define MODE_ECB 1
#define MODE_CBC 2
typedef struct { uint8_t keys[176]; int mode; } rijndael_context;
void rijndael_setup(rijndael_context *ctx, size_t keysize, const uint8_t *key);
void block_encrypt(const rijndael_context *ctx, const uint8_t *input, int inputlen, uint8_t *output, const uint8_t *iv);",
        body: "void rijndael_setup(rijndael_context *ctx, size_t keysize, const uint8_t *key)
{
    if (keysize == 16) expand(ctx->keys, key);
}
void block_encrypt(const rijndael_context *ctx, const uint8_t *input, int inputlen, uint8_t *output, const uint8_t *iv)
{
    uint8_t block[16] = {0};
    if (ctx->mode == MODE_CBC) memcpy(block, iv, 16);
    for (int at = 0; at < inputlen; at += 16) {
        if (ctx->mode == MODE_ECB) memset(block, 0, 16);
        add(block, input + at);
        forward(ctx->keys, block, block);
        memcpy(output + at, block, 16);
    }
}",
    },
    Shape {
        name: "moving-iv",
        algorithm: "aes-128-cbc",
        calls: "aes_setkey, aes_cbc_encrypt",
        source: AES,
        header: "typedef struct { uint8_t keys[176]; } aes_ctx;
int aes_setkey(aes_ctx *ctx, const uint8_t *key, unsigned keybits);
int aes_cbc_encrypt(aes_ctx *ctx, size_t length, uint8_t iv[16], const uint8_t *input, uint8_t *output);",
        body: "int aes_setkey(aes_ctx *ctx, const uint8_t *key, unsigned keybits)
{
    if (keybits != 128) return -1;
    expand(ctx->keys, key);
    return 0;
}
int aes_cbc_encrypt(aes_ctx *ctx, size_t length, uint8_t iv[16], const uint8_t *input, uint8_t *output)
{
    for (; length; length -= 16, input += 16, output += 16) {
        add(iv, input);
        forward(ctx->keys, iv, iv);
        memcpy(output, iv, 16);
    }
    return 0;
}",
    },
    Shape {
        name: "key-stream",
        algorithm: "aes-128-ctr",
        calls: "aes_init, aes_gen_ctr",
        source: AES,
        header: "typedef struct { uint8_t keys[176]; } aes_key;
void aes_init(aes_key *k, const uint8_t *key);
void aes_gen_ctr(uint8_t *output, const aes_key *k, const uint8_t *iv, uint32_t nb_blocks);",
        body: "void aes_init(aes_key *k, const uint8_t *key) { expand(k->keys, key); }
void aes_gen_ctr(uint8_t *output, const aes_key *k, const uint8_t *iv, uint32_t nb_blocks)
{
    uint8_t counter[16];
    memcpy(counter, iv, 16);
    for (; nb_blocks; nb_blocks--, output += 16) {
        forward(k->keys, counter, output);
        for (int i = 15; i >= 0 && ++counter[i] == 0; i--) continue;
    }
}",
    },
    Shape {
        name: "sponge",
        algorithm: "sha3-256",
        calls: "Keccak_Initialize, Keccak_Update, Keccak_Final",
        source: ("Keccak.c", "sponge.inc"),
        header: "#ifndef Keccak200_excluded
#include \"Keccak200.h\"
#endif
#if KeccakWord == 64
typedef uint64_t lane;
#elif KeccakWord == 32
typedef uint32_t lane;
#else
#error \"choose the word\"
#endif
typedef size_t BitLength;
typedef struct { uint64_t a[25]; unsigned rate, at, bits; unsigned char suffix; } Keccak_Instance;
int Keccak_Initialize(Keccak_Instance *s, unsigned rate, unsigned capacity, unsigned hashbitlen, unsigned char delimitedSuffix);
int Keccak_Update(Keccak_Instance *s, const unsigned char *data, BitLength databitlen);
int Keccak_Final(Keccak_Instance *s, unsigned char *hashval);",
        body: "static void absorb(Keccak_Instance *s, unsigned char byte)
{
    s->a[s->at / 8] ^= (uint64_t)byte << 8 * (s->at % 8);
    if (++s->at == s->rate / 8) { permute(s->a); s->at = 0; }
}
int Keccak_Initialize(Keccak_Instance *s, unsigned rate, unsigned capacity, unsigned hashbitlen, unsigned char delimitedSuffix)
{
    Keccak_Instance empty = {{0}, rate, 0, hashbitlen, delimitedSuffix};
    *s = empty;
    return rate + capacity == 1600 ? 0 : 1;
}
int Keccak_Update(Keccak_Instance *s, const unsigned char *data, BitLength databitlen)
{
    for (; databitlen; databitlen -= 8) absorb(s, *data++);
    return 0;
}
int Keccak_Final(Keccak_Instance *s, unsigned char *hashval)
{
    s->a[s->at / 8] ^= (uint64_t)s->suffix << 8 * (s->at % 8);
    s->a[s->rate / 64 - 1] ^= (uint64_t)1 << 63;
    permute(s->a);
    for (unsigned i = 0; i < s->bits / 8; i++) hashval[i] = (unsigned char)(s->a[i / 8] >> 8 * (i % 8));
    return 0;
}",
    },
    Shape {
        name: "mode-by-number",
        algorithm: "aes-128-ecb",
        calls: "aes_crypt",
        source: AES,
        header: "#define AES_CBC 1
#define AES_ECB 4
void aes_crypt(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *key, const uint8_t *iv, int mode);",
        body: "void aes_crypt(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *key, const uint8_t *iv, int mode)
{
    uint8_t keys[176], block[16];
    expand(keys, key);
    memcpy(block, iv, 16);
    for (; len; len -= 16, in += 16, out += 16) {
        if (mode == AES_ECB) memset(block, 0, 16);
        else if (mode != AES_CBC) return;
        add(block, in);
        forward(keys, block, block);
        memcpy(out, block, 16);
    }
}",
    },
    Shape {
        name: "object-told-everything",
        algorithm: "aes-128-cbc",
        calls: "init, blockEncrypt",
        source: ("rijndael.cpp", "rounds.inc"),
        header: "class Rijndael {
public:
    enum Direction { Encrypt, Decrypt };
    enum Mode { ECB, CBC };
    enum KeyLength { Key16Bytes, Key24Bytes, Key32Bytes };
    int init(Mode mode, Direction dir, const uint8_t *key, KeyLength length, uint8_t *initVector = 0);
    int blockEncrypt(const uint8_t *input, int inputLen, uint8_t *outBuffer);
private:
    bool ready, chained;
    uint8_t keys[176], iv[16];
};",
        body: "int Rijndael::init(Mode mode, Direction dir, const uint8_t *key, KeyLength length, uint8_t *initVector)
{
    ready = dir == Encrypt && length == Key16Bytes;
    chained = mode == CBC;
    memset(iv, 0, 16);
    if (initVector) memcpy(iv, initVector, 16);
    expand(keys, key);
    return 0;
}
int Rijndael::blockEncrypt(const uint8_t *input, int inputLen, uint8_t *outBuffer)
{
    if (!ready) return -1;
    uint8_t block[16];
    memcpy(block, iv, 16);
    for (int left = inputLen / 128; left; left--, input += 16, outBuffer += 16) {
        if (!chained) memset(block, 0, 16);
        add(block, input);
        forward(keys, block, block);
        memcpy(outBuffer, block, 16);
    }
    return inputLen;
}",
    },
    Shape {
        name: "iv-before-output",
        algorithm: "aes-128-cbc",
        calls: "aes_set_encrypt_key, aes_cbc_encrypt",
        source: AES,
        header: "typedef struct schedule { uint8_t keys[176]; } *schedule_t;
int aes_set_encrypt_key(schedule_t s, const uint8_t *k);
int aes_cbc_encrypt(uint8_t *out, unsigned outlen, const uint8_t *in, unsigned inlen, const uint8_t *iv, const schedule_t sched);",
        body: "int aes_set_encrypt_key(schedule_t s, const uint8_t *k) { expand(s->keys, k); return 1; }
int aes_cbc_encrypt(uint8_t *out, unsigned outlen, const uint8_t *in, unsigned inlen, const uint8_t *iv, const schedule_t sched)
{
    uint8_t block[16];
    if (outlen != inlen + 16) return 0;
    memcpy(block, iv, 16);
    memcpy(out, iv, 16);
    for (out += 16; inlen; inlen -= 16, in += 16, out += 16) {
        add(block, in);
        forward(sched->keys, block, block);
        memcpy(out, block, 16);
    }
    return 1;
}",
    },
    Shape {
        name: "new-object-per-message",
        algorithm: "sha3-256",
        calls: "SHA3, doUpdate, doFinal",
        source: ("SHA3.cpp", "sponge.inc"),
        header: "class SHA3 {
public:
    SHA3();
    void doUpdate(uint8_t byte);
    void doFinal(uint8_t *digest);
private:
    uint64_t a[25];
    unsigned at;
};",
        body: "SHA3::SHA3() : a{}, at(0) {}
void SHA3::doUpdate(uint8_t byte)
{
    a[at / 8] ^= (uint64_t)byte << 8 * (at % 8);
    if (++at == 136) { permute(a); at = 0; }
}
void SHA3::doFinal(uint8_t *digest)
{
    a[at / 8] ^= (uint64_t)6 << 8 * (at % 8);
    a[16] ^= (uint64_t)1 << 63;
    permute(a);
    for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(a[i / 8] >> 8 * (i % 8));
}",
    },
    Shape {
        name: "names-of-macros",
        algorithm: "sha3-256",
        calls: "sha3_256_init, sha3_256_update, sha3_256_out",
        source: ("sha3.c", "sponge.inc"),
        header: "typedef struct { unsigned at; uint64_t a[0 + 25]; uint8_t room[0]; } sha3_224_context;
typedef sha3_224_context sha3_256_context;
void sha3_256_init(sha3_256_context *c);
void feed_bytes(sha3_224_context *c, const void *data, size_t len);
#define sha3_256_update feed_bytes
void sha3_256_out(const sha3_256_context *c, void *out);",
        body: "void sha3_256_init(sha3_256_context *c) { c->at = 0; memset(c->a, 0, sizeof c->a); memset(c->room, 1, 136); }
void feed_bytes(sha3_224_context *c, const void *data, size_t len)
{
    for (const uint8_t *at = data; len; len--) {
        c->a[c->at / 8] ^= (uint64_t)*at++ << 8 * (c->at % 8);
        if (++c->at == 136) { permute(c->a); c->at = 0; }
    }
}
void sha3_256_out(const sha3_256_context *c, void *out)
{
    uint64_t a[25];
    memcpy(a, c->a, sizeof a);
    a[c->at / 8] ^= (uint64_t)6 << 8 * (c->at % 8);
    a[16] ^= (uint64_t)1 << 63;
    permute(a);
    for (int i = 0; i < 32; i++) ((uint8_t *)out)[i] = (uint8_t)(a[i / 8] >> 8 * (i % 8));
}",
    },
    Shape {
        name: "ccm-of-one-nonce",
        algorithm: "aes-128-ccm",
        calls: "aes_set_key, ccm_encrypt_message, ccm_decrypt_message",
        source: AES,
        header: "typedef struct { uint8_t keys[176]; } aes_ctx;
int aes_set_key(aes_ctx *ctx, const uint8_t *key, int bits);
long ccm_encrypt_message(aes_ctx *ctx, size_t M, size_t L, const uint8_t nonce[16],
                         uint8_t *msg, size_t lm, const uint8_t *aad, size_t la);
long ccm_decrypt_message(aes_ctx *ctx, size_t M, size_t L, const uint8_t nonce[16],
                         uint8_t *msg, size_t lm, const uint8_t *aad, size_t la);",
        body: "int aes_set_key(aes_ctx *ctx, const uint8_t *key, int bits)
{
    if (bits != 128) return -1;
    expand(ctx->keys, key);
    return 0;
}
static void absorb(aes_ctx *ctx, uint8_t *x, const uint8_t *data, size_t size, unsigned at)
{
    for (; size; size--) {
        x[at++] ^= *data++;
        if (at == 16) { forward(ctx->keys, x, x); at = 0; }
    }
    if (at) forward(ctx->keys, x, x);
}
static void tag_of(aes_ctx *ctx, size_t M, size_t L, const uint8_t *nonce, const uint8_t *msg, size_t lm,
                   const uint8_t *aad, size_t la, uint8_t *x)
{
    memset(x, 0, 16);
    x[0] = (uint8_t)((la ? 64 : 0) + (M - 2) / 2 * 8 + L - 1);
    memcpy(x + 1, nonce, 15 - L);
    x[14] = (uint8_t)(lm >> 8), x[15] = (uint8_t)lm;
    forward(ctx->keys, x, x);
    if (la) {
        x[0] ^= (uint8_t)(la >> 8), x[1] ^= (uint8_t)la;
        absorb(ctx, x, aad, la, 2);
    }
    absorb(ctx, x, msg, lm, 0);
}
static void stream(aes_ctx *ctx, size_t L, const uint8_t *nonce, uint8_t *msg, size_t lm, uint8_t *x)
{
    uint8_t a[16] = {0}, s[16];
    a[0] = (uint8_t)(L - 1);
    memcpy(a + 1, nonce, 15 - L);
    forward(ctx->keys, a, s);
    for (int i = 0; i < 16; i++) x[i] ^= s[i];
    for (size_t i = 0; i < lm; i++) {
        if (i % 16 == 0) { a[15]++; forward(ctx->keys, a, s); }
        msg[i] ^= s[i % 16];
    }
}
long ccm_encrypt_message(aes_ctx *ctx, size_t M, size_t L, const uint8_t nonce[16],
                         uint8_t *msg, size_t lm, const uint8_t *aad, size_t la)
{
    uint8_t x[16];
    if (L != 2) return -1;
    tag_of(ctx, M, L, nonce, msg, lm, aad, la, x);
    stream(ctx, L, nonce, msg, lm, x);
    memcpy(msg + lm, x, M);
    return (long)(lm + M);
}
long ccm_decrypt_message(aes_ctx *ctx, size_t M, size_t L, const uint8_t nonce[16],
                         uint8_t *msg, size_t lm, const uint8_t *aad, size_t la)
{
    uint8_t x[16], zeros[16] = {0};
    if (L != 2 || lm < M) return -1;
    lm -= M;
    stream(ctx, L, nonce, msg, lm, zeros);
    tag_of(ctx, M, L, nonce, msg, lm, aad, la, x);
    for (size_t i = 0; i < M; i++)
        if ((x[i] ^ zeros[i]) != msg[lm + i]) return -1;
    return (long)lm;
}",
    },
];
