//! A hash and a message authentication code in a stranger's folder are bound and conform.

use super::{conforms, finding, mark, survey};
use crate::common::Project;

/// SHA-256 [FIPS180-4] with the usual interface: a context and three calls.
pub(super) const HASH_HEADER: &str = "
#include <stddef.h>
#include <stdint.h>
typedef struct { uint32_t state[8]; uint8_t block[64]; uint64_t bytes; } SHA256_CTX;
void sha256_init(SHA256_CTX *ctx);
void sha256_update(SHA256_CTX *ctx, const uint8_t data[], size_t len);
void sha256_final(SHA256_CTX *ctx, uint8_t hash[]);
";

pub(super) const HASH_SOURCE: &str = "
#include \"sha256.h\"
/* The first 32 bits of the fraction of a prime's square or cube root. */
static uint32_t root(unsigned prime, int cube)
{
    unsigned __int128 low = 0, high = (unsigned __int128)1 << 38;
    while (high - low > 1) {
        unsigned __int128 x = low + (high - low) / 2;
        if ((cube ? x * x * x >> 96 : x * x >> 64) < prime) low = x; else high = x;
    }
    return (uint32_t)low;
}
static uint16_t next_prime(uint16_t after)
{
    for (;;) {
        uint16_t d = 2;
        after++;
        while (d < after && after % d != 0) d++;
        if (d == after) return after;
    }
}
static uint32_t ror(uint32_t x, int n) { return x >> n | x << (32 - n); }
static void compress(SHA256_CTX *c)
{
    uint32_t w[16], s[8];
    uint16_t prime = 1;
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)c->block[4 * i] << 24 | (uint32_t)c->block[4 * i + 1] << 16 |
               (uint32_t)c->block[4 * i + 2] << 8 | c->block[4 * i + 3];
    for (int i = 0; i < 8; i++) s[i] = c->state[i];
    for (int t = 0; t < 64; t++) {
        prime = next_prime(prime);
        if (t >= 16) {
            uint32_t x = w[(t + 1) & 15], y = w[(t + 14) & 15];
            w[t & 15] += w[(t + 9) & 15] + (ror(x, 7) ^ ror(x, 18) ^ x >> 3) +
                         (ror(y, 17) ^ ror(y, 19) ^ y >> 10);
        }
        uint32_t a = s[7] + (ror(s[4], 6) ^ ror(s[4], 11) ^ ror(s[4], 25)) +
                     ((s[4] & s[5]) ^ (~s[4] & s[6])) + root(prime, 1) + w[t & 15];
        uint32_t b = (ror(s[0], 2) ^ ror(s[0], 13) ^ ror(s[0], 22)) +
                     ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int i = 7; i > 0; i--) s[i] = s[i - 1];
        s[4] += a;
        s[0] = a + b;
    }
    for (int i = 0; i < 8; i++) c->state[i] += s[i];
}
void sha256_init(SHA256_CTX *c)
{
    uint16_t prime = 1;
    c->bytes = 0;
    for (int i = 0; i < 8; i++) c->state[i] = root(prime = next_prime(prime), 0);
}
void sha256_update(SHA256_CTX *c, const uint8_t data[], size_t len)
{
    while (len-- > 0) {
        c->block[c->bytes++ % 64] = *data++;
        if (c->bytes % 64 == 0) compress(c);
    }
}
void sha256_final(SHA256_CTX *c, uint8_t hash[])
{
    uint64_t bits = 8 * c->bytes;
    uint8_t end = 0x80, zero = 0;
    sha256_update(c, &end, 1);
    while (c->bytes % 64 != 56) sha256_update(c, &zero, 1);
    for (int i = 56; i >= 0; i -= 8) {
        uint8_t byte = (uint8_t)(bits >> i);
        sha256_update(c, &byte, 1);
    }
    for (int i = 0; i < 32; i++) hash[i] = (uint8_t)(c->state[i / 4] >> (24 - 8 * (i % 4)));
}
";

#[test]
fn a_hash_in_a_folder_becomes_a_library_that_conforms() {
    let project = Project::new();
    project.write("elsewhere/sums/sha256.h", HASH_HEADER);
    project.write("elsewhere/sums/sha256.c", HASH_SOURCE);
    let made = project.selo(&["lab", "new-library", "elsewhere/sums"]);
    assert_eq!(made.code, Some(0), "{}", made.all());
    assert!(made.stdout.contains("bound      sha-256"), "{}", made.all());
    let (answer, lines) = survey(&project, "elsewhere/sums", &["--board", "native"]);
    let line = &lines[0];
    assert_eq!(mark(line, "builds"), "yes", "{line:#}");
    assert_eq!(mark(line, "conforms"), "yes", "{line:#}");
    assert_eq!(answer.code, Some(0), "{}", answer.all());

    // The vectors detect one wrong rotation.
    let wrong = HASH_SOURCE.replace("ror(x, 18)", "ror(x, 17)");
    project.write("elsewhere/sums/sha256.c", &wrong);
    let (answer, lines) = survey(&project, "elsewhere/sums", &["--board", "native"]);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    assert!(finding(&lines[0], "wrong-output")["vector"].is_string());
}

/// HMAC [FIPS198-1] over SHA-256, in three calls.
const MAC: &str = "
typedef struct { SHA256_CTX inner, outer; } HMAC_CTX;
void hmac_sha256_init(HMAC_CTX *ctx, const uint8_t *key, size_t keylen);
void hmac_sha256_update(HMAC_CTX *ctx, const uint8_t *data, size_t len);
void hmac_sha256_final(HMAC_CTX *ctx, uint8_t *mac);
";

pub(super) const MAC_SOURCE: &str = "
static void padded(SHA256_CTX *c, const uint8_t *key, size_t keylen, uint8_t with)
{
    uint8_t pad[64];
    for (size_t i = 0; i < 64; i++) pad[i] = (uint8_t)((i < keylen ? key[i] : 0) ^ with);
    sha256_init(c);
    sha256_update(c, pad, 64);
}
static void hmac_start(SHA256_CTX *c, const uint8_t *key, size_t keylen, uint8_t with)
{
    uint8_t shorter[32];
    if (keylen > 64) {
        sha256_init(c);
        sha256_update(c, key, keylen);
        sha256_final(c, shorter);
        key = shorter;
        keylen = 32;
    }
    padded(c, key, keylen, with);
}
";

const MAC_CALLS: &str = "
void hmac_sha256_init(HMAC_CTX *ctx, const uint8_t *key, size_t keylen)
{
    hmac_start(&ctx->inner, key, keylen, 0x36);
    hmac_start(&ctx->outer, key, keylen, 0x5c);
}
void hmac_sha256_update(HMAC_CTX *ctx, const uint8_t *data, size_t len)
{
    sha256_update(&ctx->inner, data, len);
}
void hmac_sha256_final(HMAC_CTX *ctx, uint8_t *mac)
{
    uint8_t digest[32];
    sha256_final(&ctx->inner, digest);
    sha256_update(&ctx->outer, digest, 32);
    sha256_final(&ctx->outer, mac);
}
";

#[test]
fn a_mac_in_a_folder_becomes_a_library_that_conforms() {
    let project = Project::new();
    let folder = "elsewhere/sums";
    project.write("elsewhere/sums/sha256.h", &[HASH_HEADER, MAC].concat());
    let source = [HASH_SOURCE, MAC_SOURCE, MAC_CALLS].concat();
    project.write("elsewhere/sums/sha256.c", &source);
    let made = project.selo(&["lab", "new-library", folder]);
    assert_eq!(made.code, Some(0), "{}", made.all());
    conforms(&project, folder, &["hmac-sha-256", "sha-256"], "yes");
}
