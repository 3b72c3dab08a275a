//! Shapes of block ciphers.

use super::{AES, Shape};

pub(super) const SHAPES: [Shape; 17] = [
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
        calls: "SecretKey, AES_Encrypt",
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
