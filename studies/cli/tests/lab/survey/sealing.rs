//! An AEAD in the interface of its competition, and block ciphers in the interfaces of strangers,
//! are bound and conform.

use super::{mark, survey};
use crate::common::{Project, sample};

/// Ascon-AEAD128 [SP800-232] with the interface of the competition that it won.
const SEALING: &str = "
#include <stdint.h>
#define CRYPTO_KEYBYTES 16
#define CRYPTO_NPUBBYTES 16
#define CRYPTO_ABYTES 16
static uint64_t ror(uint64_t x, int n) { return x >> n | x << (64 - n); }
static void permute(uint64_t s[5], int rounds)
{
    for (int i = 12 - rounds; i < 12; i++) {
        uint64_t t[5];
        s[2] ^= (uint64_t)((15 - i) << 4 | i);
        s[0] ^= s[4]; s[4] ^= s[3]; s[2] ^= s[1];
        for (int j = 0; j < 5; j++) t[j] = s[j] ^ (~s[(j + 1) % 5] & s[(j + 2) % 5]);
        t[1] ^= t[0]; t[0] ^= t[4]; t[3] ^= t[2]; t[2] = ~t[2];
        s[0] = t[0] ^ ror(t[0], 19) ^ ror(t[0], 28);
        s[1] = t[1] ^ ror(t[1], 61) ^ ror(t[1], 39);
        s[2] = t[2] ^ ror(t[2], 1) ^ ror(t[2], 6);
        s[3] = t[3] ^ ror(t[3], 10) ^ ror(t[3], 17);
        s[4] = t[4] ^ ror(t[4], 7) ^ ror(t[4], 41);
    }
}
static void mix(uint64_t *s, unsigned at, uint8_t byte) { s[at / 8] ^= (uint64_t)byte << 8 * (at % 8); }
static uint64_t word(const uint8_t *p)
{
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--) x = x << 8 | p[i];
    return x;
}
static void crypt(uint8_t *out, uint8_t tag[16], const uint8_t *in, unsigned long long size,
                  const uint8_t *ad, unsigned long long ad_size, const uint8_t *nonce,
                  const uint8_t *key, int opens)
{
    uint64_t s[5] = {0x00001000808c0001, word(key), word(key + 8), word(nonce), word(nonce + 8)};
    unsigned long long i;
    permute(s, 12);
    s[3] ^= word(key);
    s[4] ^= word(key + 8);
    if (ad_size > 0) {
        for (i = 0; i < ad_size; i++) {
            mix(s, i % 16, ad[i]);
            if (i % 16 == 15) permute(s, 8);
        }
        mix(s, i % 16, 1);
        permute(s, 8);
    }
    s[4] ^= (uint64_t)1 << 63;
    for (i = 0; i < size; i++) {
        uint8_t byte = in[i], stream = (uint8_t)(s[i % 16 / 8] >> 8 * (i % 8));
        out[i] = byte ^ stream;
        mix(s, i % 16, opens ? out[i] : byte);
        if (i % 16 == 15) permute(s, 8);
    }
    mix(s, i % 16, 1);
    s[2] ^= word(key);
    s[3] ^= word(key + 8);
    permute(s, 12);
    for (int j = 0; j < 16; j++)
        tag[j] = (uint8_t)(s[3 + j / 8] >> 8 * (j % 8)) ^ key[j];
}
int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m,
                        unsigned long long mlen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *nsec,
                        const unsigned char *npub, const unsigned char *k)
{
    (void)nsec;
    crypt(c, c + mlen, m, mlen, ad, adlen, npub, k, 0);
    *clen = mlen + 16;
    return 0;
}
int crypto_aead_decrypt(unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
                        const unsigned char *c, unsigned long long clen,
                        const unsigned char *ad, unsigned long long adlen,
                        const unsigned char *npub, const unsigned char *k)
{
    uint8_t tag[16], other = 0;
    (void)nsec;
    if (clen < 16) return -1;
    crypt(m, tag, c, clen - 16, ad, adlen, npub, k, 1);
    for (int i = 0; i < 16; i++) other |= tag[i] ^ c[clen - 16 + i];
    *mlen = clen - 16;
    return other ? -1 : 0;
}
";

#[test]
fn a_sealing_cipher_in_a_folder_becomes_a_library_that_conforms() {
    let project = Project::new();
    project.write("elsewhere/asconaead128/aead.c", SEALING);
    let made = project.selo(&["lab", "new-library", "elsewhere/asconaead128"]);
    assert_eq!(made.code, Some(0), "{}", made.all());
    assert!(
        made.stdout.contains("bound      ascon-aead128"),
        "{}",
        made.all()
    );
    let folder = "elsewhere/asconaead128";
    let (answer, lines) = survey(&project, folder, &["--board", "native"]);
    assert_eq!(mark(&lines[0], "builds"), "yes", "{}", answer.all());
    assert_eq!(mark(&lines[0], "conforms"), "yes", "{}", answer.all());

    // The survey detects a library that accepts every tag.
    let wrong = SEALING.replace("return other ? -1 : 0;", "return 0 * other;");
    project.write("elsewhere/asconaead128/aead.c", &wrong);
    let (answer, lines) = survey(&project, folder, &["--board", "native"]);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    assert_eq!(mark(&lines[0], "conforms"), "no");
}

/// Speck128/128 [SPECK2013] without an interface.
const SPECK: &str = "
static uint64_t load(const uint8_t *p)
{
    uint64_t x = 0;
    for (int8_t i = 7; i >= 0; i--) x = x << 8 | p[i];
    return x;
}
static void store(uint8_t *p, uint64_t x)
{
    for (uint8_t i = 0; i < 8; i++) p[i] = (uint8_t)(x >> 8 * i);
}
static void turn(uint64_t *x, uint64_t *y, uint64_t k)
{
    *x = ((*x >> 8 | *x << 56) + *y) ^ k;
    *y = (*y << 3 | *y >> 61) ^ *x;
}
static void expand(uint64_t rk[32], const uint8_t *key)
{
    uint64_t k = load(key), l = load(key + 8);
    for (uint8_t i = 0; i < 32; i++) {
        rk[i] = k;
        turn(&l, &k, i);
    }
}
static void forward(const uint64_t rk[32], uint8_t *to, const uint8_t *from)
{
    uint64_t y = load(from), x = load(from + 8);
    for (uint8_t i = 0; i < 32; i++) turn(&x, &y, rk[i]);
    store(to, y);
    store(to + 8, x);
}
";

/// Interfaces of strangers: header, source, and the name of the source.
const SHAPES: [(&str, &str, &str, &str); 5] = [
    (
        "typedefs",
        "speck.c",
        "#include <stdint.h>
typedef unsigned char u8;
typedef uint64_t un64;
void speck_setkey(un64 *ks, const u8 *k);
void speck_encrypt(const un64 *ks, const u8 *p, u8 *c);
",
        "void speck_setkey(un64 *ks, const u8 *k) { expand(ks, k); }
void speck_encrypt(const un64 *ks, const u8 *p, u8 *c) { forward(ks, c, p); }
",
    ),
    (
        "blocks",
        "speck.c",
        "#include <stdint.h>
struct speck { uint64_t rk[32]; };
void speck_init(struct speck *s, const uint8_t *key, int bits);
void speck_ecb_encrypt(struct speck *s, uint8_t *out, const uint8_t *in, unsigned nblocks);
",
        "void speck_init(struct speck *s, const uint8_t *key, int bits) { if (bits == 128) expand(s->rk, key); }
void speck_ecb_encrypt(struct speck *s, uint8_t *out, const uint8_t *in, unsigned nblocks)
{
    for (; nblocks > 0; nblocks--, in += 16, out += 16) forward(s->rk, out, in);
}
",
    ),
    (
        "global",
        "speck.c",
        "#include <stdint.h>
void speck_key(const uint8_t key[16]);
uint8_t *speck_encipher(const uint8_t *data);
",
        "static uint64_t schedule[32];
static uint8_t result[16];
void speck_key(const uint8_t key[16]) { expand(schedule, key); }
uint8_t *speck_encipher(const uint8_t *data) { forward(schedule, result, data); return result; }
",
    ),
    (
        "subclasses",
        "Speck.cpp",
        "#include <stdint.h>
#include <stddef.h>
class BlockCipher {
public:
    virtual bool setKey(const uint8_t *key, size_t len) = 0;
    virtual void encryptBlock(uint8_t *output, const uint8_t *input) = 0;
};
class Speck : public BlockCipher {
public:
    bool setKey(const uint8_t *key, size_t len);
    void encryptBlock(uint8_t *output, const uint8_t *input);
private:
    uint64_t schedule[32];
};
",
        "bool Speck::setKey(const uint8_t *key, size_t len) { expand(schedule, key); return len == 16; }
void Speck::encryptBlock(uint8_t *output, const uint8_t *input) { forward(schedule, output, input); }
",
    ),
    (
        "opaque",
        "speck.c",
        "#include <stdint.h>
struct speck_key;
struct speck_key *speck_key_expand(const uint8_t *key, unsigned len);
void speck_encrypt_block(const uint8_t *in, uint8_t *out, const struct speck_key *key);
int main(void);
",
        "struct speck_key { uint64_t rk[32]; };
static struct speck_key only;
struct speck_key *speck_key_expand(const uint8_t *key, unsigned len)
{
    if (len == 16) expand(only.rk, key);
    return &only;
}
void speck_encrypt_block(const uint8_t *in, uint8_t *out, const struct speck_key *key)
{
    forward(key->rk, out, in);
}
",
    ),
];

#[test]
fn interfaces_of_strangers_are_bound_unedited() {
    let project = Project::new();
    for (name, file, header, source) in sample(&SHAPES, 2) {
        let stem = file.split('.').next().expect("a stem");
        project.write(&format!("strangers/{name}/{stem}.h"), header);
        let text = [&format!("#include \"{stem}.h\"\n"), SPECK, source].concat();
        project.write(&format!("strangers/{name}/{file}"), &text);
        // A test of the library is not linked, and a source for another machine need not compile.
        let main = format!("#include \"{stem}.h\"\nint main(void) {{ return 0; }}\n");
        project.write(&format!("strangers/{name}/check.c"), &main);
        project.write(
            &format!("strangers/{name}/fast.c"),
            "#include <immintrin.h>\n",
        );
        let more = ["--board", "uno", "--algorithm", "speck128/128"];
        let (answer, lines) = survey(&project, &format!("strangers/{name}"), &more);
        assert_eq!(answer.code, Some(0), "{name}: {}", answer.all());
        assert_eq!(lines[0]["verdict"], "suitable", "{name}: {}", answer.all());
    }
}
