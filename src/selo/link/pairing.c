/* Commitment, transcript, digits [docs/protocol.md, pair]. */
#include <string.h>

#include "../common/compiler.h"
#include "../noise/suite.h"
#include "frame.h"
#include "pairing.h"

enum {
    ID = 1,
    KEY = SELO_FRAME_HANDSHAKE_HEADER, /* of PAIR-KEY and PAIR-REVEAL */
    SUITE = SELO_FRAME_HANDSHAKE_HEADER,
    COMMITMENT = SELO_FRAME_COMMITMENT,
    CHECK = COMMITMENT + 32
};

/* Place of the result key, once the commitment is no longer needed. */
#define RESULT_KEY (pairing->commit + COMMITMENT)

static SELO_STACK_APART void hash_commitment(uint8_t commit[SELO_FRAME_PAIR_COMMIT_SIZE],
                                             const uint8_t reveal[SELO_FRAME_PAIR_REVEAL_SIZE])
{
    struct selo_suite_hash hash;

    selo_suite_start(&hash);
    selo_suite_update_label(&hash, SELO_LABEL_PAIR);
    selo_suite_update(&hash, commit, COMMITMENT);
    selo_suite_update(&hash, reveal + KEY, 32 + 16);
#if SELO_LINK_HYBRID
    selo_suite_update(&hash, commit + COMMITMENT, 32); /* h, which the digest replaces */
#endif
    selo_suite_finish(&hash, commit + COMMITMENT);
}

void selo_pairing_start(struct selo_pairing *pairing, uint32_t id)
{
    uint8_t *commit = pairing->commit, *reveal = pairing->reveal;

    commit[0] = SELO_FRAME_PAIR_COMMIT | SELO_FRAME_KEM;
    reveal[0] = SELO_FRAME_PAIR_REVEAL;
    selo_link_put(commit + ID, id, 4);
    selo_link_put(reveal + ID, id, 4);
    commit[SUITE] = SELO_LINK_SUITE;
#if SELO_LINK_HYBRID
    memcpy(commit + CHECK, commit + COMMITMENT, SELO_FRAME_PAIR_COMMIT_SIZE - CHECK);
#endif
    selo_x25519_keygen(reveal + KEY, pairing->key);
    hash_commitment(commit, reveal);
}

static SELO_STACK_APART void hash_transcript(const struct selo_pairing *pairing,
                                             const uint8_t frame[37], uint8_t transcript[32])
{
    struct selo_suite_hash hash;

    selo_suite_start(&hash);
    selo_suite_update(&hash, pairing->commit, sizeof pairing->commit);
    selo_suite_update(&hash, frame, SELO_FRAME_PAIR_KEY_SIZE);
    selo_suite_update(&hash, pairing->reveal, sizeof pairing->reveal);
    selo_suite_finish(&hash, transcript);
}

/* From the secrets in pairing->key: that of X25519, and in a hybrid pairing that of ML-KEM. */
static SELO_STACK_APART void derive_keys(struct selo_pairing *pairing, const uint8_t frame[37])
{
    uint8_t key[32], digest[32];

    hash_transcript(pairing, frame, key);
    selo_suite_hkdf(key, pairing->key, sizeof pairing->key, RESULT_KEY, digest);
#if SELO_LINK_HYBRID
    selo_wipe(pairing->key + 32, 32);
#endif
    memcpy(pairing->key, key, 32);
    pairing->digits = selo_link_get(digest, 4) % 1000000;
    selo_wipe(key, sizeof key);
    selo_wipe(digest, sizeof digest);
}

enum selo_status selo_pairing_derive(struct selo_pairing *pairing, const uint8_t frame[37])
{
    enum selo_status status = selo_x25519_shared_secret(pairing->key, pairing->key, frame + KEY);

    if (status == SELO_OK) {
        derive_keys(pairing, frame);
    }
    return status;
}

uint8_t selo_pairing_verify(const struct selo_pairing *pairing, uint8_t frame[21])
{
    return selo_suite_open(RESULT_KEY, frame[0] & 1, frame, SELO_FRAME_HANDSHAKE_HEADER,
                           frame + SELO_FRAME_HANDSHAKE_HEADER, 0, 16)
           == SELO_OK;
}
