/*
 * SUIT manifests: the examples of the draft [SUIT, B], what suit-vectors.py says of envelopes, and what a
 * stranger may send: cut, altered and random ones. Images in pieces.
 */
#include "selo_suit.h"

#include "check.h"
#include "suit_vectors.h"

/* The author of the draft's examples [SUIT, B]. */
static const uint8_t example_author[64] = {
    0x84, 0x96, 0x81, 0x1a, 0xae, 0x0b, 0xaa, 0xab, 0xd2, 0x61, 0x57, 0x18, 0x9e, 0xec, 0xda, 0x26,
    0xbe, 0xaa, 0x8b, 0xf1, 0x1b, 0x6f, 0x3f, 0xe6, 0xe2, 0xb5, 0x65, 0x9c, 0x85, 0xdb, 0xc0, 0xad,
    0x3b, 0x1f, 0x2a, 0x4b, 0x6c, 0x09, 0x81, 0x31, 0xc0, 0xa3, 0x6d, 0xac, 0xd1, 0xd7, 0x8b, 0xd3,
    0x81, 0xdc, 0xdf, 0xb0, 0x9c, 0x05, 0x2d, 0xb3, 0x39, 0x91, 0xdb, 0x73, 0x38, 0xb4, 0xa8, 0x96};
static const uint8_t example_vendor[16] = {0xfa, 0x6b, 0x4a, 0x53, 0xd5, 0xad, 0x5f, 0xdf,
                                           0xbe, 0x9d, 0xe6, 0x63, 0xe4, 0xd4, 0x1f, 0xfe};
static const uint8_t example_class[16] = {0x14, 0x92, 0xaf, 0x14, 0x25, 0x69, 0x5e, 0x48,
                                          0xbf, 0x42, 0x9b, 0x2d, 0x51, 0xf2, 0xab, 0x45};
static const uint8_t example_digest[32] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                           0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
                                           0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                           0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10};

/* The examples differ in their signatures and in what follows the shared sequence. */
#define EXAMPLE_DIGEST(digest) "d86ba2025873825824822f5820" digest "584ad28443a10126a0f65840"
#define EXAMPLE_SHARED                                                                                 \
    "03585fa202818141000458568614a40150fa6b4a53d5ad5fdfbe9de663e4d41ffe02501492af1425695e48bf429b2d51" \
    "f2ab45035824822f582000112233445566778899aabbccddeeff0123456789abcdeffedcba98765432100e1987d0010f" \
    "020f074382030f"
#define SECURE_BOOT(signature)                                                                   \
    EXAMPLE_DIGEST("6658ea560262696dd1f13b782239a064da7c6c5cbaf52fded428a6fc83c7e5af") signature \
        "035871a501010200" EXAMPLE_SHARED "0943821702"
static const struct { const char *hex; uint32_t sequence; } examples[] = {
    {SECURE_BOOT("408d0816f9b510749bf6a51b066951e08a4438f849eb092a1ac768eed9de696c1b1dd35d82ef149e6a73a619"
                 "76ad2cfe78444b8064293350a122f332cb49f0da"), 0},
    {SECURE_BOOT("e3505f7ab70bd3a0e04916f37b0d7251aa6f52ca12c7edaa886a4129a298ca6a1ecc2a57955c6bf4ccb9f01d"
                 "684d5d1c4774dffbe508a034431feafa60848a2c"), 0},
    {EXAMPLE_DIGEST("1f2e7acca0dc2786f2fe4eb947f50873a6a3cfaa98866c5b02e621f42074daf2")
     "0d4afa637eca6d7b4970dc85926001b42b8e1b96d512ca065e8bd0028b67e04561a2993414c9f2649ed78b37e6f2dd02d147"
     "d14bbcbbe25c5982265b5b812062035894a501010201" EXAMPLE_SHARED
     "1458258614a115781b687474703a2f2f6578616d706c652e636f6d2f66696c652e62696e1502030f", 1},
};

static size_t unhex(uint8_t *out, const char *hex)
{
    size_t size = 0;

    for (; hex[0] && hex[1]; hex += 2, size++) {
        unsigned byte;
        sscanf(hex, "%2x", &byte);
        out[size] = (uint8_t)byte;
    }
    return size;
}

/* Opens a copy of its exact size, so that the sanitizers see a byte read beyond it. */
static enum selo_status open_copy(struct selo_suit_manifest *manifest, const void *envelope, size_t size, int p256)
{
    uint8_t *copy = malloc(size ? size : 1);
    enum selo_status status;

    if (size > 0) {
        memcpy(copy, envelope, size);
    }
    memset(manifest, 0xee, sizeof *manifest);
    status = p256 ? selo_suit_open_p256(manifest, copy, size, example_author)
                  : selo_suit_open_ed25519(manifest, copy, size, author);
    CHECK(status == SELO_OK || check_is_zero((const uint8_t *)manifest, sizeof *manifest));
    if (status == SELO_OK) {
        CHECK(manifest->component > copy && manifest->component + manifest->component_size <= copy + size);
        CHECK(manifest->vendor_id == NULL || (manifest->vendor_id > copy && manifest->vendor_id + 16 <= copy + size));
        CHECK(manifest->class_id == NULL || (manifest->class_id > copy && manifest->class_id + 16 <= copy + size));
    }
    free(copy);
    return status;
}

static void test_examples(void)
{
    static uint8_t envelope[400];
    struct selo_suit_manifest manifest;

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const size_t size = unhex(envelope, examples[i].hex);

        CHECK(selo_suit_open_p256(&manifest, envelope, size, example_author) == SELO_OK);
        CHECK(manifest.sequence == examples[i].sequence && manifest.image_size == 34768);
        CHECK_BYTES(manifest.digest, example_digest, 32);
        CHECK(manifest.component_size == 3 && memcmp(manifest.component, "\x81\x41\x00", 3) == 0);
        CHECK(selo_suit_is_for(&manifest, example_vendor, example_class) == 1);
        CHECK(selo_suit_is_for(&manifest, example_vendor, example_vendor) == 0);
        CHECK(selo_suit_is_for(&manifest, example_class, example_class) == 0);
        /* The wrong kind of key. */
        CHECK(open_copy(&manifest, envelope, size, 0) == SELO_ERROR_TAG);
    }
}

static void test_cases(void)
{
    struct selo_suit_manifest manifest;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const enum selo_status status = open_copy(&manifest, cases[i].envelope, cases[i].size, 0);

        if (!CHECK(status == cases[i].status)) {
            fprintf(stderr, "  %s: %d\n", cases[i].name, (int)status);
        }
    }
    CHECK(selo_suit_open_ed25519(&manifest, (const uint8_t *)cases[0].envelope, cases[0].size, author) == SELO_OK);
    CHECK(manifest.sequence == 9 && manifest.image_size == 200);
    CHECK(selo_suit_is_for(&manifest, vendor, kind) == 1);
    CHECK(selo_suit_open_ed25519(&manifest, (const uint8_t *)cases[2].envelope, cases[2].size, author) == SELO_OK);
    CHECK(manifest.vendor_id == NULL && manifest.class_id == NULL && !selo_suit_is_for(&manifest, vendor, kind));
}

/* Whatever a stranger does, no other manifest is accepted. */
static void test_strangers(void)
{
    static uint8_t copy[2000], large[SELO_SUIT_ENVELOPE_MAX + 1];
    struct selo_suit_manifest manifest, right;
    const uint8_t *envelope = (const uint8_t *)cases[0].envelope;
    const size_t size = cases[0].size;
    const uint8_t no_key[32] = {1};

    CHECK(selo_suit_open_ed25519(&right, envelope, size, author) == SELO_OK);
    CHECK(selo_suit_open_ed25519(&manifest, envelope, size, no_key) == SELO_ERROR_KEY);
    CHECK(check_is_zero((const uint8_t *)&manifest, sizeof manifest));
    for (size_t cut = 0; cut < size; cut++) {
        CHECK(open_copy(&manifest, envelope, cut, 0) == SELO_ERROR_ARGUMENT);
    }
    for (size_t at = 0; at < size; at++) {
        memcpy(copy, envelope, size);
        copy[at] ^= (uint8_t)(1 << check_random() % 8);
        const enum selo_status status = open_copy(&manifest, copy, size, 0);
        /* What is not signed may differ: nothing in this envelope. */
        CHECK(status == SELO_ERROR_TAG || status == SELO_ERROR_ARGUMENT);
    }
    for (unsigned round = 0; round < CHECK_SAMPLE(20000, 500); round++) {
        const size_t of = check_random() % (sizeof cases / sizeof *cases);
        const size_t length = cases[of].size < sizeof copy ? cases[of].size : 0;

        memcpy(copy, cases[of].envelope, length);
        for (unsigned i = check_random() % 4 + 1; i > 0 && length > 0; i--) {
            copy[check_random() % length] = (uint8_t)check_random();
        }
        const enum selo_status status = open_copy(&manifest, copy, length, 0);
        /* What is not signed may turn a refused envelope into a right one. */
        CHECK(status == SELO_OK ? memcmp(manifest.digest, right.digest, 32) == 0
                                : status == SELO_ERROR_TAG || status == SELO_ERROR_ARGUMENT);
    }
    /* The greatest envelope, by a third member, and one byte more. */
    const size_t member = sizeof large - 1 - size;
    const uint8_t start[] = {0xd8, 0x6b, 0xa3, 0x61, 'a', 0x59, (uint8_t)((member - 5) >> 8), (uint8_t)(member - 5)};
    memcpy(large, start, sizeof start);
    memcpy(large + 3 + member, envelope + 3, size - 3);
    CHECK(open_copy(&manifest, large, sizeof large - 1, 0) == SELO_OK);
    memmove(large + 3 + member + 1, large + 3 + member, size - 3);
    large[7]++;
    CHECK(open_copy(&manifest, large, sizeof large, 0) == SELO_ERROR_ARGUMENT);
}

static void test_images(void)
{
    struct selo_suit_manifest manifest;
    struct selo_suit_image image;
    uint8_t bytes[202];

    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)i;
    }
    CHECK(selo_suit_open_ed25519(&manifest, (const uint8_t *)cases[0].envelope, cases[0].size, author) == SELO_OK);
    for (size_t piece = 1; piece <= 200; piece++) {
        selo_suit_image_start(&image, &manifest);
        for (size_t at = 0; at < 200; at += piece) {
            selo_suit_image_update(&image, bytes + at, at + piece > 200 ? 200 - at : piece);
        }
        CHECK(selo_suit_image_finish(&image) == SELO_OK);
        CHECK(check_is_zero((const uint8_t *)&image, sizeof image));
        CHECK(selo_suit_image_finish(&image) == SELO_ERROR_STATE);
    }
    for (size_t size = 0; size <= sizeof bytes; size++) {
        selo_suit_image_start(&image, &manifest);
        selo_suit_image_update(&image, bytes, size);
        CHECK(selo_suit_image_finish(&image) == (size == 200 ? SELO_OK : SELO_ERROR_TAG));
    }
    /* Too long in the middle, then the rest. */
    selo_suit_image_start(&image, &manifest);
    selo_suit_image_update(&image, bytes, 100);
    selo_suit_image_update(&image, bytes, 101);
    selo_suit_image_update(&image, bytes + 100, 100);
    CHECK(selo_suit_image_finish(&image) == SELO_ERROR_TAG);
    for (size_t at = 0; at < 200; at++) {
        bytes[at] ^= 0x10;
        selo_suit_image_start(&image, &manifest);
        selo_suit_image_update(&image, bytes, 200);
        CHECK(selo_suit_image_finish(&image) == SELO_ERROR_TAG);
        bytes[at] ^= 0x10;
    }
}

int main(void)
{
    test_examples();
    test_cases();
    test_strangers();
    test_images();
    return check_report("suit");
}
