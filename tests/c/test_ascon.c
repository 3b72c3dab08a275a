/*
 * Ascon-AEAD128 and Ascon-Hash256: all known answers of the Ascon team for [SP800-232], some in full
 * and all by a digest; every size of a tag.
 */
#include "check_pieces.h"
#include "selo.h"
#include "selo/ascon/ascon.h"

static enum selo_status seal(const void *key, const struct selo_header *header, uint8_t *out,
                             const uint8_t *in, size_t size, uint8_t *tag)
{
    return selo_ascon_aead128_seal(key, header, out, in, size, tag);
}

static enum selo_status open(const void *key, const struct selo_header *header, uint8_t *out,
                             const uint8_t *in, size_t size, const uint8_t *tag)
{
    return selo_ascon_aead128_open(key, header, out, in, size, tag);
}

static const struct check_aead ascon = {seal, open};
CHECK_IN_PIECES(in_pieces, ascon_aead128, const struct selo_ascon_aead128_key, key,
                CHECK_WITHOUT_SIZE)

static uint8_t counting[1024]; /* 0, 1, 2, ... */

static void check_digest(const uint8_t digest[32], const char *hex)
{
    uint8_t want[32];
    CHECK(check_hex(want, sizeof want, hex) == 32);
    CHECK_BYTES(digest, want, 32);
}

/* Some of the known answers. Their key, nonce, text and associated data all count from 0. */
static void aead_examples(void)
{
    static const struct {
        size_t size, ad_size;
        const char *sealed;
    } examples[] = {
        {0, 0, "4427d64b8e1e1451fc445960f0839bb0"},
        {0, 1, "103ab79d913a0321287715a979bb8585"},
        {1, 0, "e79f58f1f541fc51b5d438f8e1dd03f147"},
        {15, 17, "9813b7013089db863a742a4c13f140c9e7558506b8277cd46bf4619ef4893c"},
        {16, 16, "6a28215e4a6023fae42095318b187f99e0c479771a09b5d29afd05825b013d0d"},
        {17, 15, "b03e607317a251b08b30f744b71965b0f1d5e576f7118a4e67fd4246766e7e7428"},
        {32, 32, "4c086d27a3b51a2333cfc7f22172a9bcad88b8d4d77e50622d788345fa7bee44"
                 "68915d3f9422289f2349d6a3b4160397"},
    };

    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        struct check_packet p = {counting, counting, counting,
                                 16, examples[i].ad_size, examples[i].size};
        uint8_t sealed[48];
        size_t size = check_hex(sealed, sizeof sealed, examples[i].sealed);
        CHECK(size == p.size + 16);
        /* [SP800-232, 4.2.1]: a shorter tag is the beginning of the whole one */
        for (size_t tag_size = 4; tag_size <= 16; tag_size++) {
            check_aead_packet(&ascon, counting, &p, sealed, sealed + p.size, tag_size);
            check_aead_packet(&in_pieces, counting, &p, sealed, sealed + p.size, tag_size);
        }
    }
}

/* All 33 x 33 of them: compares the SHA-256 of all sealed messages in a row. */
static void aead_known_answers(const struct check_aead *aead)
{
    struct selo_ascon_aead128_key key;
    struct selo_sha256 all;
    uint8_t out[32], tag[16], digest[32];

    selo_ascon_aead128_setup(&key, counting);
    selo_sha256_start(&all);
    for (size_t size = 0; size <= 32; size++) {
        for (size_t ad_size = 0; ad_size <= 32; ad_size++) {
            const struct selo_header header = {counting, 16, counting, ad_size, 16};
            CHECK(aead->seal(&key, &header, out, counting, size, tag) == SELO_OK);
            selo_sha256_update(&all, out, size);
            selo_sha256_update(&all, tag, 16);
        }
    }
    selo_sha256_finish(&all, digest);
    check_digest(digest, "9c64bfc10cf16762697c6a7e8aebb9ca88658a39fa77747956b0adaf4aca2c7a");
}

/* Null pointers where the size is 0. */
static void aead_of_nothing(void)
{
    const struct selo_header header = {counting, 16, NULL, 0, 16};
    struct selo_ascon_aead128_key key;
    uint8_t tag[16];

    check_hex(tag, 16, "4427d64b8e1e1451fc445960f0839bb0");
    selo_ascon_aead128_setup(&key, counting);
    CHECK(selo_ascon_aead128_open(&key, &header, NULL, NULL, 0, tag) == SELO_OK);
    tag[3] ^= 1;
    CHECK(selo_ascon_aead128_open(&key, &header, NULL, NULL, 0, tag) == SELO_ERROR_TAG);
}

static void aead_sizes(void)
{
    for (size_t tag_size = 0; tag_size < 20; tag_size++) {
        if (tag_size < 4 || tag_size > 16) {
            check_aead_refused(&ascon, counting, 16, 8, tag_size);
        }
    }
    for (size_t nonce_size = 0; nonce_size < 33; nonce_size++) {
        if (nonce_size != 16) {
            check_aead_refused(&ascon, counting, nonce_size, 8, 16);
        }
    }
    check_aead_refused(&ascon, counting, 16, 8, 256 + 16);
}

static void hash_of(uint8_t digest[32], const uint8_t *message, size_t size, size_t piece)
{
    struct selo_ascon_hash256 hash;

    selo_ascon_hash256_start(&hash);
    for (size_t at = 0; at < size; at += piece) {
        selo_ascon_hash256_update(&hash, message + at, size - at < piece ? size - at : piece);
    }
    selo_ascon_hash256_finish(&hash, digest);
    CHECK(check_is_zero(&hash, sizeof hash));
}

/* The known answers are of messages of 0 to 1024 bytes 0, 1, 2, ... */
static void hash_known_answers(void)
{
    static const struct {
        size_t size;
        const char *digest;
    } examples[] = {
        {0, "0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2"},
        {1, "0728621035af3ed2bca03bf6fde900f9456f5330e4b5ee23e7f6a1e70291bc80"},
        {7, "3e4d273ba69b3b9c53216107e88b75cdbeedbcbf8faf0219c3928ab62b116577"},
        {8, "b88e497ae8e6fb641b87ef622eb8f2fca0ed95383f7ffebe167acf1099ba764f"},
        {9, "94269c30e0296e1ec86655041841823efa1927f520fd58c8e9bce6197878c1a6"},
        {1024, "48140032bb7df2e2b5c95d403c9ab69b4bc00453980bf85f15a84cae2b09a0e9"},
    };
    struct selo_sha256 all;
    uint8_t digest[32];

    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        hash_of(digest, counting, examples[i].size, sizeof counting);
        check_digest(digest, examples[i].digest);
    }
    selo_sha256_start(&all);
    for (size_t size = 0; size <= 1024; size++) {
        hash_of(digest, counting, size, sizeof counting);
        selo_sha256_update(&all, digest, 32);
    }
    selo_sha256_finish(&all, digest);
    check_digest(digest, "b60e9db6767d4821c08fbe410c486e9eaa7ebf0ac6c1c8a11677f2f8e655505b");
}

/* The state that a hash starts with is the initial value, permuted [SP800-232, 5.1]. */
static void hash_start(void)
{
    struct selo_ascon_hash256 hash;
    uint64_t state[5] = {0x0000080100cc0002};

    selo_ascon_permute(state, 12);
    selo_ascon_hash256_start(&hash);
    for (uint8_t i = 0; i < 5; i++) {
        CHECK(hash.state[i] == state[i]);
    }
}

static void hash_in_pieces(void)
{
    uint8_t message[50], want[32], digest[32];

    check_random_bytes(message, sizeof message);
    for (size_t size = 0; size <= sizeof message; size++) {
        hash_of(want, message, size, sizeof message);
        for (size_t piece = 1; piece <= 20; piece++) {
            hash_of(digest, message, size, piece);
            CHECK_BYTES(digest, want, 32);
        }
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof counting; i++) {
        counting[i] = (uint8_t)i;
    }
    aead_examples();
    aead_known_answers(&ascon);
    aead_known_answers(&in_pieces);
    aead_of_nothing();
    aead_sizes();
    hash_known_answers();
    hash_start();
    hash_in_pieces();
    return check_report("ascon");
}
