//! Interfaces of strangers' libraries, each as a small library that is bound by trial unedited. A
//! new kind of call that the trials learn comes with a shape here.

use std::path::Path;

use crate::common::{Project, sample};

/// A library of one header and one source.
struct Shape {
    name: &'static str,
    algorithm: &'static str,
    /// The functions that must be bound.
    calls: &'static str,
    /// The name of the source, and the text that it includes.
    source: (&'static str, &'static str),
    header: &'static str,
    body: &'static str,
}

const AES: (&str, &str) = ("aes.c", "rounds.inc");

const SHAPES: [Shape; 28] = [
    Shape {
        name: "global",
        algorithm: "aes-128",
        calls: "aes_set_key, aes_encrypt",
        source: AES,
        header: "void aes_set_key(const uint8_t *key);\nvoid aes_encrypt(uint8_t *block);",
        body: "static uint8_t keys[176];
void aes_set_key(const uint8_t *key) { expand(keys, key); }
void aes_encrypt(uint8_t *block) { forward(keys, block, block); }",
    },
    Shape {
        name: "returned",
        algorithm: "aes-128",
        calls: "aes_set_key, aes_encrypt",
        source: AES,
        header: "void aes_set_key(const uint8_t *key);\nuint8_t *aes_encrypt(const uint8_t *in);",
        body: "static uint8_t keys[176], result[16];
void aes_set_key(const uint8_t *key) { expand(keys, key); }
uint8_t *aes_encrypt(const uint8_t *in) { forward(keys, in, result); return result; }",
    },
    Shape {
        name: "opaque",
        algorithm: "aes-128",
        calls: "aes_new, aes_encrypt",
        source: AES,
        header: "struct aes;
struct aes *aes_new(const uint8_t *key, size_t keylen);
void aes_encrypt(const struct aes *a, const uint8_t *in, uint8_t *out);",
        body: "struct aes { uint8_t keys[176]; };
static struct aes only;
struct aes *aes_new(const uint8_t *key, size_t keylen)
{
    if (keylen != 16) return 0;
    expand(only.keys, key);
    return &only;
}
void aes_encrypt(const struct aes *a, const uint8_t *in, uint8_t *out) { forward(a->keys, in, out); }",
    },
    Shape {
        name: "state-without-a-type",
        algorithm: "aes-128",
        calls: "aes_init, aes_encrypt",
        source: AES,
        header: "void aes_init(void *ctx, const uint8_t *key);
void aes_encrypt(const void *ctx, const uint8_t *in, uint8_t *out);",
        body: "void aes_init(void *ctx, const uint8_t *key) { expand(ctx, key); }
void aes_encrypt(const void *ctx, const uint8_t *in, uint8_t *out) { forward(ctx, in, out); }",
    },
    Shape {
        name: "block-size",
        algorithm: "aes-128",
        calls: "rijndael_key_sched, rijndael_encrypt",
        source: AES,
        header: "#ifdef WORD_TYPE
typedef WORD_TYPE word32;
#else
typedef int word32;
#endif
typedef struct { int nb; uint8_t keys[176]; } roundkey;
int rijndael_key_sched(word32 key[], int keyBits, int blockBits, roundkey *k);
void rijndael_encrypt(word32 block[], roundkey *k);",
        body: "int rijndael_key_sched(word32 key[], int keyBits, int blockBits, roundkey *k)
{
    if (keyBits != 128 || blockBits != 128) return 1;
    expand(k->keys, (uint8_t *)key);
    return 0;
}
void rijndael_encrypt(word32 block[], roundkey *k) { forward(k->keys, (uint8_t *)block, (uint8_t *)block); }",
    },
    Shape {
        name: "rounds",
        algorithm: "aes-128",
        calls: "aes_setup, aes_encrypt",
        source: AES,
        header: "void aes_setup(uint8_t *rk, const uint8_t *key, size_t keybits);
void aes_encrypt(const uint8_t *rk, unsigned nrounds, const uint8_t plaintext[16], uint8_t ciphertext[16]);",
        body: "void aes_setup(uint8_t *rk, const uint8_t *key, size_t keybits) { if (keybits == 128) expand(rk, key); }
void aes_encrypt(const uint8_t *rk, unsigned nrounds, const uint8_t plaintext[16], uint8_t ciphertext[16])
{
    if (nrounds == 10) forward(rk, plaintext, ciphertext);
}",
    },
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
        name: "subclass",
        algorithm: "aes-128",
        calls: "setKey, encryptBlock",
        source: ("AES128.cpp", "rounds.inc"),
        header: "class Cipher {
public:
    virtual bool setKey(const uint8_t *key, size_t len) = 0;
    virtual void encryptBlock(uint8_t *output, const uint8_t *input) = 0;
};
class AES128 : public Cipher {
public:
    bool setKey(const uint8_t *key, size_t len);
    void encryptBlock(uint8_t *output, const uint8_t *input);
private:
    uint8_t keys[176];
};",
        body: "bool AES128::setKey(const uint8_t *key, size_t len) { expand(keys, key); return len == 16; }
void AES128::encryptBlock(uint8_t *output, const uint8_t *input) { forward(keys, input, output); }",
    },
    Shape {
        name: "newer-dialect",
        algorithm: "aes-128",
        calls: "aes_encrypt",
        source: ("aes.cpp", "rounds.inc"),
        header: "void aes_encrypt(const uint8_t *key, const uint8_t *in, uint8_t *out);",
        body: "#include <memory>
void aes_encrypt(const uint8_t *key, const uint8_t *in, uint8_t *out)
{
    auto keys = std::make_unique<uint8_t[]>(176);
    expand(keys.get(), key);
    forward(keys.get(), in, out);
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
        name: "names-of-parts",
        algorithm: "aes-128",
        calls: "Block128_SetKey, Block128_Forward",
        source: AES,
        header: "#define JOIN(a, b) a ## b
#define NAME(a, b) JOIN(a, b)
#define WIDTH Block128
#define DECLARE_AES(prefix) \\
    void prefix##_SetKey(uint8_t *round_keys, const uint8_t *key); \\
    void prefix##_Forward(const uint8_t *round_keys, const uint8_t *in, uint8_t *out);
DECLARE_AES(Block128)",
        body: "void NAME(WIDTH, _SetKey)(uint8_t *round_keys, const uint8_t *key) { expand(round_keys, key); }
void NAME(WIDTH, _Forward)(const uint8_t *round_keys, const uint8_t *in, uint8_t *out)
{
    forward(round_keys, in, out);
}",
    },
    Shape {
        name: "overwritten-key",
        algorithm: "aes-128",
        calls: "aes_enc_dec",
        source: AES,
        header: "void aes_enc_dec(uint8_t *state, uint8_t *key, uint8_t dir);",
        body: "void aes_enc_dec(uint8_t *state, uint8_t *key, uint8_t dir)
{
    uint8_t keys[176];
    if (dir) return;
    expand(keys, key);
    forward(keys, state, state);
    memcpy(key, keys + 160, 16);
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
        name: "matrix-of-a-class",
        algorithm: "aes-128",
        calls: "KeyExpansion, Encrypt",
        source: ("AES.cpp", "rounds.inc"),
        header: "class AES {
public:
    void KeyExpansion(uint8_t key[16], uint8_t w[44][4]);
    void Encrypt(uint8_t in[4][4], uint8_t out[4][4], uint8_t w[44][4]);
};",
        body: "void AES::KeyExpansion(uint8_t key[16], uint8_t w[44][4]) { expand(&w[0][0], key); }
void AES::Encrypt(uint8_t in[4][4], uint8_t out[4][4], uint8_t w[44][4]) { forward(&w[0][0], &in[0][0], &out[0][0]); }",
    },
    Shape {
        name: "key-in-an-array",
        algorithm: "aes-128",
        calls: "memcpy, AES_Encrypt",
        source: AES,
        header: "extern uint8_t SecretKey[16];
void AES_Encrypt(uint8_t *data);",
        body: "uint8_t SecretKey[16];
void AES_Encrypt(uint8_t *data)
{
    uint8_t keys[176];
    expand(keys, SecretKey);
    forward(keys, data, data);
}",
    },
    Shape {
        name: "returned-state-without-a-type",
        algorithm: "aes-128",
        calls: "aes_encrypt_init, aes_encrypt",
        source: AES,
        header: "void *aes_encrypt_init(const uint8_t *key, size_t len);
int aes_encrypt(void *ctx, const uint8_t *plain, uint8_t *crypt);",
        body: "static uint8_t only[176];
void *aes_encrypt_init(const uint8_t *key, size_t len)
{
    if (len != 16) return 0;
    expand(only, key);
    return only;
}
int aes_encrypt(void *ctx, const uint8_t *plain, uint8_t *crypt) { forward(ctx, plain, crypt); return 0; }",
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
        name: "pointer-to-the-state",
        algorithm: "aes-128",
        calls: "aes_start, aes_encrypt",
        source: AES,
        header: "#ifdef HAVE_FIXED_WIDTH
typedef uint8_t octet;
#else
typedef __int8 octet;
#endif
typedef struct state { octet keys[176]; } aes_state;
int aes_start(const octet *key, size_t key_len, aes_state **result);
int aes_encrypt(aes_state *state, const octet *in, octet *out);",
        body: "#include <stdlib.h>
int aes_start(const octet *key, size_t key_len, aes_state **result)
{
    *result = malloc(sizeof **result);
    if (key_len != 16 || !*result) return 1;
    expand((*result)->keys, key);
    return 0;
}
int aes_encrypt(aes_state *state, const octet *in, octet *out) { forward(state->keys, in, out); return 0; }",
    },
    Shape {
        name: "types-of-a-source",
        algorithm: "aes-128",
        calls: "aes_init, aes_encrypt",
        source: AES,
        header: "",
        body: "typedef struct { uint8_t keys[176]; } own_state;
#define API
API int aes_init(own_state *state, const uint8_t *key, size_t keylen)
{
    if (keylen == 16) expand(state->keys, key);
    return keylen != 16;
}
API void aes_encrypt(const own_state *state, const uint8_t *in, uint8_t *out) { forward(state->keys, in, out); }",
    },
    Shape {
        name: "demanded-macro",
        algorithm: "aes-128",
        calls: "aes_set_key, aes_encrypt",
        source: AES,
        header: "#if defined(_MSC_VER)
#include <malloc.h>
#elif defined(KEYS_IN_RAM)
#define KEYS static uint8_t keys[176]
#elif defined(KEYS_IN_HEAP)
#define KEYS static uint8_t *keys
#else
#error No place for the round keys
#endif
void aes_set_key(const uint8_t *key);
void aes_encrypt(uint8_t *block);",
        body: "KEYS;
void aes_set_key(const uint8_t *key) { expand(keys, key); }
void aes_encrypt(uint8_t *block) { forward(keys, block, block); }",
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
    Shape {
        name: "sketch",
        algorithm: "aes-128",
        calls: "aesSetKey, aesEncrypt",
        source: ("aes.ino", "rounds.inc"),
        header: "",
        body: "uint8_t roundKeys[176];
void setup() { Serial.begin(9600); }
void aesSetKey(const uint8_t *key) { expand(roundKeys, key); }
void aesEncrypt(uint8_t *block) { forward(roundKeys, block, block); }
void loop() { aesEncrypt(roundKeys); }",
    },
];

/// Writes a library, and returns its folder.
fn plant(project: &Project, shape: &Shape) -> String {
    let folder = format!("shapes/{}", shape.name);
    let planted = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lab/planted");
    let text = |name: &str| std::fs::read_to_string(planted.join(name)).expect("a text");
    let (file, parts) = shape.source;
    let stem = file.split('.').next().expect("a stem");
    let header = format!(
        "#pragma once\n#include <stddef.h>\n#include <stdint.h>\n{}\n",
        shape.header
    );
    project.write(&format!("{folder}/{stem}.h"), &header);
    let body = format!(
        "#include \"{stem}.h\"\n#include \"{parts}\"\n{}\n",
        shape.body
    );
    project.write(&format!("{folder}/{file}"), &body);
    project.write(
        &format!("{folder}/{parts}"),
        &text(&format!("shapes/{parts}")),
    );
    project.write(&format!("{folder}/box.inc"), &text("box.h"));
    folder
}

#[test]
fn each_shape_is_bound_unedited() {
    let project = Project::new();
    for shape in sample(&SHAPES, 5) {
        let folder = plant(&project, shape);
        let answer = project.selo(&[
            "lab",
            "survey",
            &folder,
            "--board",
            "native",
            "--budget",
            "1",
            "--algorithm",
            shape.algorithm,
            "--json",
        ]);
        let said = answer.all();
        let line = said.lines().find(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some("bound") && words.next() == Some(shape.algorithm)
        });
        let line = line.unwrap_or_else(|| panic!("{}: {said}", shape.name));
        assert!(line.contains(shape.calls), "{}: {line}", shape.name);
        assert_eq!(answer.code, Some(0), "{}: {said}", shape.name);
    }
}

/// A function for single blocks must not pass for a mode, although one block with an IV of zeros
/// is the same in each.
#[test]
fn a_block_cipher_with_a_scratch_argument_is_not_bound_as_cbc() {
    let project = Project::new();
    let shape = Shape {
        name: "scratch",
        algorithm: "aes-128-cbc",
        calls: "",
        source: AES,
        header: "void aes_setup(uint8_t *rk, const uint8_t *key);
void aes_one_block(const uint8_t *in, uint8_t *out, const uint8_t *rk, uint8_t *iv);",
        body: "void aes_setup(uint8_t *rk, const uint8_t *key) { expand(rk, key); }
void aes_one_block(const uint8_t *in, uint8_t *out, const uint8_t *rk, uint8_t *iv)
{
    (void)iv;
    forward(rk, in, out);
}",
    };
    let folder = plant(&project, &shape);
    let answer = project.selo(&["lab", "survey", &folder, "--board", "native", "--json"]);
    let said = answer.all();
    let bound = said
        .lines()
        .any(|line| line.starts_with("bound") && line.contains("aes-128-cbc"));
    assert!(!bound, "{said}");
    let accused = answer
        .lines()
        .iter()
        .any(|line| line["verdict"] == "not-suitable");
    assert!(!accused, "{said}");
}
