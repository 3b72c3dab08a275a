/*
 * SHA-256 and SHA-512: the examples of the standard, and a million times "a". All lengths of 0 to 300
 * bytes, against a digest of all digests. Every split of a message, against the message in one piece.
 */
#include "selo.h"
#include "selo/sha2/sha2.h"

#include "check.h"

struct vector {
    const char *message, *sha256, *sha512;
};

/* The examples of [FIPS180-4] that NIST publishes: "abc", the two-block messages of either
 * hash, and the empty message and the single byte of [SHAVS]. */
static const struct vector vectors[] = {
    {"abc", "ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad",
     "ddaf35a193617aba cc417349ae204131 12e6fa4e89a97ea2 0a9eeee64b55d39a"
     "2192992a274fc1a8 36ba3c23a3feebbd 454d4423643ce80e 2a9ac94fa54ca49f"},
    {"", "e3b0c442 98fc1c14 9afbf4c8 996fb924 27ae41e4 649b934c a495991b 7852b855",
     "cf83e1357eefb8bd f1542850d66d8007 d620e4050b5715dc 83f4a921d36ce9ce"
     "47d0d13c5d85f2b0 ff8318d2877eec2f 63b931bd47417a81 a538327af927da3e"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61 d20638b8 e5c02693 0c3e6039 a33ce459 64ff2167 f6ecedd4 19db06c1",
     "204a8fc6dda82f0a 0ced7beb8e08a416 57c16ef468b228a8 279be331a703c335"
     "96fd15c13b1b07f9 aa1d3bea57789ca0 31ad85c7a71dd703 54ec631238ca3445"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
     "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
     "cf5b16a7 78af8380 036ce59e 7b049237 0b249b11 e8f07a51 afac4503 7afee9d1",
     "8e959b75dae313da 8cf4f72814fc143f 8f7779c6eb9f7fa1 7299aeadb6889018"
     "501d289e4900f7e4 331b99dec4b5433a c7d329eeb6dd2654 5e96e55b874be909"},
};

static void sha256(uint8_t digest[32], const void *message, size_t size)
{
    struct selo_sha256 hash;
    selo_sha256_start(&hash);
    selo_sha256_update(&hash, message, size);
    selo_sha256_finish(&hash, digest);
    CHECK(check_is_zero(&hash, sizeof hash));
}

static void sha512(uint8_t digest[64], const void *message, size_t size)
{
    struct selo_sha512 hash;
    selo_sha512_start(&hash);
    selo_sha512_update(&hash, message, size);
    selo_sha512_finish(&hash, digest);
    CHECK(check_is_zero(&hash, sizeof hash));
}

static void check_hex_digest(const uint8_t *digest, size_t size, const char *hex)
{
    uint8_t want[64];
    CHECK(check_hex(want, sizeof want, hex) == size);
    CHECK_BYTES(digest, want, size);
}

static void examples(void)
{
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint8_t digest[64];
        sha256(digest, vectors[i].message, strlen(vectors[i].message));
        check_hex_digest(digest, 32, vectors[i].sha256);
        sha512(digest, vectors[i].message, strlen(vectors[i].message));
        check_hex_digest(digest, 64, vectors[i].sha512);
    }
}

static void million_a(void)
{
    static uint8_t a[1000];
    uint8_t digest[64];
    struct selo_sha256 small;
    struct selo_sha512 large;

    memset(a, 'a', sizeof a);
    selo_sha256_start(&small);
    selo_sha512_start(&large);
    for (int i = 0; i < 1000; i++) {
        selo_sha256_update(&small, a, sizeof a);
        selo_sha512_update(&large, a, sizeof a);
    }
    selo_sha256_finish(&small, digest);
    check_hex_digest(digest, 32, "cdc76e5c 9914fb92 81a1c7e2 84d73e67 f1809a48 a497200e 046d39cc c7112cd0");
    selo_sha512_finish(&large, digest);
    check_hex_digest(digest, 64,
                     "e718483d0ce76964 4e2e42c7bc15b463 8e1f98b13b204428 5632a803afa973eb"
                     "de0ff244877ea60a 4cb0432ce577c31b eb009c5c2c49aa2e 4eadb217ad8cc09b");
}

/* Messages of 0 to 300 bytes 0, 1, 2, ... The digest of all their digests was computed with an
 * independent implementation. It replaces 301 vectors. */
static void lengths(void)
{
    uint8_t message[300], digest[64];
    struct selo_sha256 small;
    struct selo_sha512 large;

    selo_sha256_start(&small);
    selo_sha512_start(&large);
    for (size_t size = 0; size <= sizeof message; size++) {
        if (size != 0) {
            message[size - 1] = (uint8_t)(size - 1);
        }
        sha256(digest, message, size);
        selo_sha256_update(&small, digest, 32);
        sha512(digest, message, size);
        selo_sha512_update(&large, digest, 64);
    }
    selo_sha256_finish(&small, digest);
    check_hex_digest(digest, 32, "ddbdb189f5834c274dbe603d6d2874adf7234fd8a075c3d1bfbadc2107a75676");
    selo_sha512_finish(&large, digest);
    check_hex_digest(digest, 64,
                     "d7ff5323ebbef9438546b104939504d6846f067dc41a135152e616e5fb701a72"
                     "458ac9ce86a32dbf342659cacb0a9237c21653d6bd379bd1f10a5a92f5c3f5d2");
}

/* A message of 260 bytes in equal pieces of every size, and in two pieces at every place. */
static void splits(void)
{
    uint8_t message[260], want256[32], want512[64], digest[64];

    for (size_t i = 0; i < sizeof message; i++) {
        message[i] = (uint8_t)(i * 37 + 11);
    }
    sha256(want256, message, sizeof message);
    sha512(want512, message, sizeof message);
    for (size_t piece = 1; piece <= sizeof message; piece++) {
        struct selo_sha256 small;
        struct selo_sha512 large;
        selo_sha256_start(&small);
        selo_sha512_start(&large);
        for (size_t at = 0; at < sizeof message; at += piece) {
            size_t size = sizeof message - at < piece ? sizeof message - at : piece;
            selo_sha256_update(&small, message + at, size);
            selo_sha512_update(&large, message + at, size);
        }
        selo_sha256_finish(&small, digest);
        CHECK_BYTES(digest, want256, 32);
        selo_sha512_finish(&large, digest);
        CHECK_BYTES(digest, want512, 64);
    }
    for (size_t at = 0; at <= sizeof message; at++) {
        struct selo_sha256 small;
        struct selo_sha512 large;
        selo_sha256_start(&small);
        selo_sha256_update(&small, message, at);
        selo_sha256_update(&small, message + at, 0);
        selo_sha256_update(&small, message + at, sizeof message - at);
        selo_sha256_finish(&small, digest);
        CHECK_BYTES(digest, want256, 32);
        selo_sha512_start(&large);
        selo_sha512_update(&large, message, at);
        selo_sha512_update(&large, message + at, 0);
        selo_sha512_update(&large, message + at, sizeof message - at);
        selo_sha512_finish(&large, digest);
        CHECK_BYTES(digest, want512, 64);
    }
}

/* The size in bits of a message of 2^29 bytes takes a fifth byte. A test cannot hash that much, so it
 * sets the count, and compares the padding of two sizes that agree in the low 32 bits. */
static void size_in_bits_beyond_32(void)
{
    struct selo_sha256 small, same_small;
    struct selo_sha512 large, same_large;
    uint8_t digest[64], other[64];

    selo_sha256_start(&small);
    same_small = small;
    small.size = (uint32_t)1 << 29;
    selo_sha256_finish(&small, digest);
    selo_sha256_finish(&same_small, other);
    CHECK(memcmp(digest, other, 32) != 0);
    check_hex_digest(digest, 32, "0631d34041c92e76b584f8922943526982f9053a1b7895aeae06f641df905370");

    selo_sha512_start(&large);
    same_large = large;
    large.size = (uint32_t)1 << 29;
    selo_sha512_finish(&large, digest);
    selo_sha512_finish(&same_large, other);
    CHECK(memcmp(digest, other, 64) != 0);
    check_hex_digest(digest, 64,
                     "fda37ace390dbecc3e837ed9aa24901bd713e2f4a863a9dd6299b8a960570f62"
                     "d3ac1234cdd2c7c51494d799af519f95d21abda3702bdb1955f45034fc79c05c");
}

/* The compression functions for CPUs with words of 64 bits, beside those for others. */
static void wide_forms(void)
{
#if SELO_SHA2_WIDE
    for (int round = 0; round < 1000; round++) {
        uint32_t state_256[8], wide_256[8], block_256[16], copy_256[16];
        uint64_t state_512[8], wide_512[8], block_512[16], copy_512[16];

        check_random_bytes(state_256, sizeof state_256);
        check_random_bytes(block_256, sizeof block_256);
        memcpy(wide_256, state_256, sizeof wide_256);
        memcpy(copy_256, block_256, sizeof copy_256);
        selo_sha256_compress(state_256, block_256);
        selo_sha256_compress_wide(wide_256, copy_256);
        CHECK_BYTES(wide_256, state_256, sizeof state_256);

        check_random_bytes(state_512, sizeof state_512);
        check_random_bytes(block_512, sizeof block_512);
        memcpy(wide_512, state_512, sizeof wide_512);
        memcpy(copy_512, block_512, sizeof copy_512);
        selo_sha512_compress(state_512, block_512);
        selo_sha512_compress_wide(wide_512, copy_512);
        CHECK_BYTES(wide_512, state_512, sizeof state_512);
    }
#endif
}

int main(void)
{
    wide_forms();
    examples();
    million_a();
    lengths();
    splits();
    size_in_bits_beyond_32();
    return check_report("sha2");
}
