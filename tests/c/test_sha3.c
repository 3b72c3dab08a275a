/*
 * SHA3-256 and SHA3-512: the examples of the standard. All lengths of 0 to 300 bytes, against a digest
 * of all digests. Every split of a message, against the message in one piece.
 */
#include "selo.h"
#include "selo/sha3/sha3.h"

#include "check.h"

typedef void start_fn(struct selo_sha3 *hash);

static start_fn *const starts[2] = {selo_sha3_256_start, selo_sha3_512_start};
static const size_t digest_sizes[2] = {32, 64};

static void sha3(int which, uint8_t *digest, const void *message, size_t size)
{
    struct selo_sha3 hash;
    starts[which](&hash);
    selo_sha3_update(&hash, message, size);
    selo_sha3_finish(&hash, digest);
    CHECK(check_is_zero(&hash, sizeof hash));
}

static void check_hex_digest(int which, const uint8_t *digest, const char *hex)
{
    uint8_t want[64];
    CHECK(check_hex(want, sizeof want, hex) == digest_sizes[which]);
    CHECK_BYTES(digest, want, digest_sizes[which]);
}

/* The messages of 0 and of 1600 bits that NIST publishes with [FIPS202], and two of [FIPS180-4]. */
static void examples(void)
{
    static const char *const two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    uint8_t a3[200], digest[64];

    memset(a3, 0xa3, sizeof a3);
    sha3(0, digest, "", 0);
    check_hex_digest(0, digest, "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a");
    sha3(1, digest, "", 0);
    check_hex_digest(1, digest,
                     "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a6"
                     "15b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26");
    sha3(0, digest, a3, sizeof a3);
    check_hex_digest(0, digest, "79f38adec5c20307a98ef76e8324afbfd46cfd81b22e3973c65fa1bd9de31787");
    sha3(1, digest, a3, sizeof a3);
    check_hex_digest(1, digest,
                     "e76dfad22084a8b1467fcf2ffa58361bec7628edf5f3fdc0e4805dc48caeeca8"
                     "1b7c13c30adf52a3659584739a2df46be589c51ca1a4a8416df6545a1ce8ba00");
    sha3(0, digest, "abc", 3);
    check_hex_digest(0, digest, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
    sha3(1, digest, "abc", 3);
    check_hex_digest(1, digest,
                     "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
                     "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0");
    sha3(0, digest, two_blocks, 56);
    check_hex_digest(0, digest, "41c0dba2a9d6240849100376a8235e2c82e1b9998a999e21db32dd97496d3376");
    sha3(1, digest, two_blocks, 56);
    check_hex_digest(1, digest,
                     "04a371e84ecfb5b8b77cb48610fca8182dd457ce6f326a0fd3d7ec2f1e91636d"
                     "ee691fbe0c985302ba1b0d8dc78c086346b533b49c030d99a27daf1139d6e75e");
}

/* Messages of 0 to 300 bytes 0, 1, 2, ... The digest of all their digests was computed with an
 * independent implementation. It replaces 301 vectors. */
static void lengths(void)
{
    static const char *const chains[2] = {
        "89e5b197acab176c0843ed7b73f52c4fb9352ed869f2fb1bc10130383da527c4",
        "d327b4c3167cbc9a7b564426c896401f86990e9397d87b11e76db2357f9de68b"
        "7c98ffe69a0d2597dc7fe383fb6af1eae5a2972bfd84d6c120e3611829d6b124",
    };
    for (int which = 0; which < 2; which++) {
        uint8_t message[300], digest[64];
        struct selo_sha3 chain;
        starts[which](&chain);
        for (size_t size = 0; size <= sizeof message; size++) {
            if (size != 0) {
                message[size - 1] = (uint8_t)(size - 1);
            }
            sha3(which, digest, message, size);
            selo_sha3_update(&chain, digest, digest_sizes[which]);
        }
        selo_sha3_finish(&chain, digest);
        check_hex_digest(which, digest, chains[which]);
    }
}

/* A message in equal pieces of every size, and in two pieces at every place. */
static void splits(void)
{
    uint8_t message[290], want[64], digest[64];

    for (size_t i = 0; i < sizeof message; i++) {
        message[i] = (uint8_t)(i * 37 + 11);
    }
    for (int which = 0; which < 2; which++) {
        sha3(which, want, message, sizeof message);
        for (size_t piece = 1; piece <= sizeof message; piece++) {
            struct selo_sha3 hash;
            starts[which](&hash);
            for (size_t at = 0; at < sizeof message; at += piece) {
                size_t size = sizeof message - at < piece ? sizeof message - at : piece;
                selo_sha3_update(&hash, message + at, size);
            }
            selo_sha3_finish(&hash, digest);
            CHECK_BYTES(digest, want, digest_sizes[which]);
        }
        for (size_t at = 0; at <= sizeof message; at++) {
            struct selo_sha3 hash;
            starts[which](&hash);
            selo_sha3_update(&hash, message, at);
            selo_sha3_update(&hash, message + at, 0);
            selo_sha3_update(&hash, message + at, sizeof message - at);
            selo_sha3_finish(&hash, digest);
            CHECK_BYTES(digest, want, digest_sizes[which]);
        }
    }
}

/* The permutation for CPUs with words of 64 bits, beside that for others. */
static void wide_form(void)
{
#if SELO_KECCAK_WIDE
    for (int round = 0; round < 1000; round++) {
        uint64_t lanes[25], wide[25];

        check_random_bytes(lanes, sizeof lanes);
        memcpy(wide, lanes, sizeof wide);
        selo_keccak_f1600(lanes);
        selo_keccak_f1600_wide(wide);
        CHECK_BYTES(wide, lanes, sizeof lanes);
    }
#endif
}

int main(void)
{
    wide_form();
    examples();
    lengths();
    splits();
    return check_report("sha3");
}
