/*
 * HMAC: the cases of [RFC4231] for SHA-256 and SHA-512. NIST's examples for SHA3, with a key
 * shorter than the block, as long, and longer. Every key length from 0 to more than two blocks,
 * against a digest of all tags. Split messages.
 */
#include "selo.h"

#include "check.h"

union mac {
    struct selo_hmac_sha256 sha256;
    struct selo_hmac_sha512 sha512;
    struct selo_hmac_sha3_256 sha3_256;
    struct selo_hmac_sha3_512 sha3_512;
    struct selo_hmac_blake2s blake2s;
    struct selo_hmac_ascon_hash256 ascon_hash256;
};

/* The six hashes behind functions of one type, for one table. */
#define FUNCTIONS(name)                                                                  \
    static void name##_start(union mac *mac, const uint8_t *key, size_t size)            \
    {                                                                                    \
        selo_hmac_##name##_start(&mac->name, key, size);                                 \
    }                                                                                    \
    static void name##_update(union mac *mac, const void *data, size_t size)             \
    {                                                                                    \
        selo_hmac_##name##_update(&mac->name, data, size);                               \
    }                                                                                    \
    static void name##_finish(union mac *mac, uint8_t *tag)                              \
    {                                                                                    \
        selo_hmac_##name##_finish(&mac->name, tag);                                      \
        CHECK(check_is_zero(&mac->name, sizeof mac->name));                              \
    }
FUNCTIONS(sha256)
FUNCTIONS(sha512)
FUNCTIONS(sha3_256)
FUNCTIONS(sha3_512)
FUNCTIONS(blake2s)
FUNCTIONS(ascon_hash256)

enum { SHA256, SHA512, SHA3_256, SHA3_512, BLAKE2S, ASCON_HASH256, HASHES };

static const struct {
    void (*start)(union mac *mac, const uint8_t *key, size_t size);
    void (*update)(union mac *mac, const void *data, size_t size);
    void (*finish)(union mac *mac, uint8_t *tag);
    size_t tag_size;
    /* the digest of all tags for keys of 0 to 300 bytes 0, 1, 2, ..., each with itself as message,
     * computed with an independent implementation */
    const char *chain;
} hmac[HASHES] = {
    {sha256_start, sha256_update, sha256_finish, 32,
     "3a7ea0d1f42d6693aadca9ec57041b99ebafda29358c39b5e0789a59b0ca04ee"},
    {sha512_start, sha512_update, sha512_finish, 64,
     "291e15ea91478da775b6019116c88fe99259a430d62f2b3f519181735afedd78"
     "01837d76c7eacd4c158d49ed7073ca2e45ee3199533b52e7e3f9e4814a83a479"},
    {sha3_256_start, sha3_256_update, sha3_256_finish, 32,
     "15f0465a6f712e87d3e673b343d62bb58ae666b4b853a3a825dd0920012743f1"},
    {sha3_512_start, sha3_512_update, sha3_512_finish, 64,
     "6d8ab1e58071f15ce9472f3a99638700ab1f2978ce1d44929cab87bf66e07db7"
     "d0f312182c2f13afd081a7f907f29db299733414afe2fd0d9b2fc8423c53ce8f"},
    {blake2s_start, blake2s_update, blake2s_finish, 32,
     "04ea74e62851da928cb1ca4b6630c87f571ec92d0381eeea47c2b38b165addfb"},
    {ascon_hash256_start, ascon_hash256_update, ascon_hash256_finish, 32,
     "e41660b849047fc833e6369d3ba03bf70b9acdc003ac3bf78c4efa940ca8072a"},
};

struct vector {
    const char *key, *message, *tag256, *tag512;
};

/* [RFC4231, 4.2] to 4.8; the fifth is truncated to 128 bits */
static const struct vector rfc4231[] = {
    {"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
     "4869205468657265",
     "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
     "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
     "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"},
    {"4a656665",
     "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
     "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
     "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
     "dddddddddddddddddddddddddddddddddddd",
     "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
     "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
     "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"},
    {"0102030405060708090a0b0c0d0e0f10111213141516171819",
     "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
     "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
     "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
     "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
     "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd"},
    {"0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c",
     "546573742057697468205472756e636174696f6e",
     "a3b6167473100ee06e0c796c2955552b",
     "415fad6271580a531d4179bc891d87a6"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaa",
     "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a"
     "65204b6579202d2048617368204b6579204669727374",
     "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
     "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
     "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaa",
     "5468697320697320612074657374207573696e672061206c6172676572207468"
     "616e20626c6f636b2d73697a65206b657920616e642061206c61726765722074"
     "68616e20626c6f636b2d73697a6520646174612e20546865206b6579206e6565"
     "647320746f20626520686173686564206265666f7265206265696e6720757365"
     "642062792074686520484d414320616c676f726974686d2e",
     "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
     "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
     "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58"},
};

static void compute(int hash, uint8_t *tag, const uint8_t *key, size_t key_size,
                    const void *message, size_t size)
{
    union mac mac;
    hmac[hash].start(&mac, key, key_size);
    hmac[hash].update(&mac, message, size);
    hmac[hash].finish(&mac, tag);
}

static void check_tag(const uint8_t *tag, const char *hex)
{
    uint8_t want[64];
    size_t size = check_hex(want, sizeof want, hex);
    CHECK(size >= 16);
    CHECK_BYTES(tag, want, size);
}

static void rfc4231_cases(void)
{
    for (size_t i = 0; i < sizeof rfc4231 / sizeof rfc4231[0]; i++) {
        uint8_t key[200], message[200], tag[64];
        size_t key_size = check_hex(key, sizeof key, rfc4231[i].key);
        size_t size = check_hex(message, sizeof message, rfc4231[i].message);
        compute(SHA256, tag, key, key_size, message, size);
        check_tag(tag, rfc4231[i].tag256);
        compute(SHA512, tag, key, key_size, message, size);
        check_tag(tag, rfc4231[i].tag512);
    }
}

static void sha3_examples(void)
{
    static const struct {
        int hash;
        size_t key_size;
        const char *message, *tag;
    } examples[] = {
        {SHA3_256, 32, "Sample message for keylen<blocklen",
         "4fe8e202c4f058e8dddc23d8c34e467343e23555e24fc2f025d598f558f67205"},
        {SHA3_256, 136, "Sample message for keylen=blocklen",
         "68b94e2e538a9be4103bebb5aa016d47961d4d1aa906061313b557f8af2c3faa"},
        {SHA3_256, 168, "Sample message for keylen>blocklen",
         "9bcf2c238e235c3ce88404e813bd2f3a97185ac6f238c63d6229a00b07974258"},
        {SHA3_512, 64, "Sample message for keylen<blocklen",
         "4efd629d6c71bf86162658f29943b1c308ce27cdfa6db0d9c3ce81763f9cbce5"
         "f7ebe9868031db1a8f8eb7b6b95e5c5e3f657a8996c86a2f6527e307f0213196"},
        {SHA3_512, 72, "Sample message for keylen=blocklen",
         "544e257ea2a3e5ea19a590e6a24b724ce6327757723fe2751b75bf007d80f6b3"
         "60744bf1b7a88ea585f9765b47911976d3191cf83c039f5ffab0d29cc9d9b6da"},
        {SHA3_512, 136, "Sample message for keylen>blocklen",
         "5f464f5e5b7848e3885e49b2c385f0694985d0e38966242dc4a5fe3fea4b37d4"
         "6b65ceced5dcf59438dd840bab22269f0ba7febdb9fcf74602a35666b2a32915"},
    };
    uint8_t key[168], tag[64];

    for (size_t i = 0; i < sizeof key; i++) {
        key[i] = (uint8_t)i;
    }
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        compute(examples[i].hash, tag, key, examples[i].key_size, examples[i].message,
                strlen(examples[i].message));
        check_tag(tag, examples[i].tag);
    }
}

static void lengths(void)
{
    for (int hash = 0; hash < HASHES; hash++) {
        uint8_t bytes[300], tags[301 * 64], digest[64];
        for (size_t size = 0; size <= sizeof bytes; size++) {
            if (size != 0) {
                bytes[size - 1] = (uint8_t)(size - 1);
            }
            compute(hash, tags + size * hmac[hash].tag_size, bytes, size, bytes, size);
        }
        if (hash == SHA256) {
            struct selo_sha256 h;
            selo_sha256_start(&h);
            selo_sha256_update(&h, tags, 301 * 32);
            selo_sha256_finish(&h, digest);
        } else if (hash == SHA512) {
            struct selo_sha512 h;
            selo_sha512_start(&h);
            selo_sha512_update(&h, tags, 301 * 64);
            selo_sha512_finish(&h, digest);
        } else if (hash == BLAKE2S) {
            struct selo_blake2s h;
            selo_blake2s_start(&h);
            selo_blake2s_update(&h, tags, 301 * 32);
            selo_blake2s_finish(&h, digest);
        } else if (hash == ASCON_HASH256) {
            struct selo_ascon_hash256 h;
            selo_ascon_hash256_start(&h);
            selo_ascon_hash256_update(&h, tags, 301 * 32);
            selo_ascon_hash256_finish(&h, digest);
        } else {
            struct selo_sha3 h;
            (hash == SHA3_256 ? selo_sha3_256_start : selo_sha3_512_start)(&h);
            selo_sha3_update(&h, tags, 301 * hmac[hash].tag_size);
            selo_sha3_finish(&h, digest);
        }
        check_tag(digest, hmac[hash].chain);
    }
}

static void splits(void)
{
    uint8_t key[40], message[290], want[64], tag[64];

    for (size_t i = 0; i < sizeof message; i++) {
        message[i] = (uint8_t)(i * 37 + 11);
    }
    memcpy(key, message, sizeof key);
    for (int hash = 0; hash < HASHES; hash++) {
        compute(hash, want, key, sizeof key, message, sizeof message);
        for (size_t piece = 1; piece <= sizeof message; piece++) {
            union mac mac;
            hmac[hash].start(&mac, key, sizeof key);
            for (size_t at = 0; at < sizeof message; at += piece) {
                size_t size = sizeof message - at < piece ? sizeof message - at : piece;
                hmac[hash].update(&mac, message + at, size);
            }
            hmac[hash].finish(&mac, tag);
            CHECK_BYTES(tag, want, hmac[hash].tag_size);
        }
        message[0] ^= 1;
        compute(hash, tag, key, sizeof key, message, sizeof message);
        CHECK(memcmp(tag, want, hmac[hash].tag_size) != 0);
        message[0] ^= 1;
    }
}

int main(void)
{
    rfc4231_cases();
    sha3_examples();
    lengths();
    splits();
    return check_report("hmac");
}
