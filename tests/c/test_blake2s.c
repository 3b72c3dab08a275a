/*
 * BLAKE2s: the example of [RFC7693, B], all lengths up to beyond four blocks,
 * messages in pieces, and the wiped state.
 */
#include "check.h"
#include "selo.h"
#include "selo/blake2s/blake2s.h"

static void digest_of(uint8_t digest[32], const void *message, size_t size, size_t piece)
{
    struct selo_blake2s hash;

    selo_blake2s_start(&hash);
    for (size_t at = 0; at < size; at += piece) {
        selo_blake2s_update(&hash, (const uint8_t *)message + at,
                            size - at < piece ? size - at : piece);
    }
    selo_blake2s_finish(&hash, digest);
    CHECK(check_is_zero(&hash, sizeof hash));
}

static void check_digest(const uint8_t digest[32], const char *hex)
{
    uint8_t want[32];
    CHECK(check_hex(want, sizeof want, hex) == 32);
    CHECK_BYTES(digest, want, 32);
}

static void examples(void)
{
    uint8_t digest[32];

    digest_of(digest, "abc", 3, 3); /* [RFC7693, B] */
    check_digest(digest, "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
    digest_of(digest, "", 0, 1); /* from the designers' known answers */
    check_digest(digest, "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9");
}

/* Messages of 0 to 300 bytes 0, 1, 2, ...: the SHA-256 of all digests, computed with an independent
 * implementation. */
static void lengths(void)
{
    struct selo_sha256 all;
    uint8_t message[300], digest[32];

    selo_sha256_start(&all);
    for (size_t size = 0; size <= sizeof message; size++) {
        if (size != 0) {
            message[size - 1] = (uint8_t)(size - 1);
        }
        digest_of(digest, message, size, sizeof message);
        selo_sha256_update(&all, digest, 32);
    }
    selo_sha256_finish(&all, digest);
    check_digest(digest, "065944933ea11368e6e11dd6887810821f05ee844e017b8a6f30325c2c106059");
}

static void pieces(void)
{
    uint8_t message[320], want[32], digest[32];

    check_random_bytes(message, sizeof message);
    for (size_t size = sizeof message - 65; size <= sizeof message; size++) {
        digest_of(want, message, size, size);
        for (size_t piece = 1; piece <= 130; piece++) {
            digest_of(digest, message, size, piece);
            CHECK_BYTES(digest, want, 32);
        }
    }
}

/* A whole block, then no bytes: the block in the buffer is the last one. */
static void empty_updates(void)
{
    struct selo_blake2s hash;
    uint8_t message[128], want[32], digest[32];

    check_random_bytes(message, sizeof message);
    for (size_t size = 0; size <= sizeof message; size += 64) {
        digest_of(want, message, size, sizeof message);
        selo_blake2s_start(&hash);
        selo_blake2s_update(&hash, NULL, 0);
        selo_blake2s_update(&hash, message, size);
        selo_blake2s_update(&hash, NULL, 0);
        selo_blake2s_finish(&hash, digest);
        CHECK_BYTES(digest, want, 32);
    }
}

/* The compression function in vectors, beside that in words. */
static void wide_form(void)
{
#if SELO_BLAKE2S_WIDE
    for (int round = 0; round < 1000; round++) {
        uint32_t state[8], wide[8], size = check_random(), last = round & 1 ? 0xffffffff : 0;
        uint8_t block[64];

        check_random_bytes(state, sizeof state);
        check_random_bytes(block, sizeof block);
        memcpy(wide, state, sizeof wide);
        selo_blake2s_compress(state, block, size, last);
        selo_blake2s_compress_wide(wide, block, size, last);
        CHECK_BYTES(wide, state, sizeof state);
    }
#endif
}

int main(void)
{
    wide_form();
    examples();
    lengths();
    pieces();
    empty_updates();
    return check_report("blake2s");
}
