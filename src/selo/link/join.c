/* Noise_NNpsk0 with the payloads of the link [docs/protocol.md, join]. */
#include <string.h>

#include "../common/compiler.h"
#include "../noise/noise.h"
#include "frame.h"
#include "join.h"
#include "limits.h"

/* Both messages: header, e, payload, tag. */
enum {
    E = SELO_FRAME_HANDSHAKE_HEADER,
    CHECK = 1,
    PAYLOAD = E + 32,
    OPTIONS = PAYLOAD + 4,
    PAYLOAD_SIZE = 5
};

/* Tokens psk and e, then the payload. */
static SELO_STACK_APART void write_message(struct selo_join *join, const uint8_t device_key[32])
{
    struct selo_noise *noise = &join->noise;
    uint8_t *request = join->request;
    uint8_t key[32];

    selo_noise_start(noise, request);
    selo_noise_mix_psk(noise, device_key);
    selo_noise_write_e(noise, request + E, key);
    selo_noise_encrypt(noise, key, request + PAYLOAD, PAYLOAD_SIZE);
    selo_wipe(key, sizeof key);
}

void selo_join_start(struct selo_join *join, uint32_t id, const uint8_t device_key[32],
                     uint32_t counter)
{
    uint8_t *request = join->request;

    selo_x25519_keygen(request + E, join->key);
    request[0] = SELO_FRAME_JOIN_REQUEST;
    selo_link_put(request + 1, id, 4);
    selo_link_put(request + PAYLOAD, counter, 4);
    request[OPTIONS] = SELO_LINK_LONG_TAG ? SELO_FRAME_OPTION_LONG_TAG : 0;
    write_message(join, device_key);
    join->committed = 0;
}

/* Processes the answer's tokens e and ee. It works in place: the shared secret replaces the
 * ephemeral secret, and the cipher key replaces the shared secret. */
static enum selo_status commit(struct selo_join *join, const uint8_t frame[58])
{
    enum selo_status status;

    if (!selo_noise_read_e(&join->noise, frame + E, frame + CHECK)) {
        return SELO_ERROR_TAG;
    }
    status = selo_x25519_shared_secret(join->key, join->key, frame + E);
    if (status == SELO_OK) {
        selo_noise_mix_key(&join->noise, join->key, join->key);
        join->committed = 1;
    }
    return status;
}

enum selo_status selo_join_finish(struct selo_join *join, struct selo_session *session,
                                  uint8_t frame[58])
{
    enum selo_status status = SELO_OK;

    if (!join->committed) {
        status = commit(join, frame);
    } else if (!selo_equal(join->noise.h, frame + CHECK, 4)) {
        status = SELO_ERROR_TAG;
    }
    if (status == SELO_OK) {
        status = selo_noise_decrypt(&join->noise, join->key, frame + PAYLOAD, PAYLOAD_SIZE);
    }
    if (status == SELO_OK && (frame[OPTIONS] & ~SELO_FRAME_OPTION_LONG_TAG) != 0) {
        status = SELO_ERROR_TAG;
    }
    if (status != SELO_OK) {
        return status;
    }
    memset(session, 0, sizeof *session);
    selo_noise_split(&join->noise, session->up_key, session->down_key);
    session->id = selo_link_get(frame + PAYLOAD, 4);
    if (session->id > 0xffff) {
        session->format |= SELO_FRAME_WIDE;
    }
    if (frame[OPTIONS] & SELO_FRAME_OPTION_LONG_TAG) {
        session->format |= SELO_FRAME_LONG_TAG;
    }
    selo_wipe(join, sizeof *join);
    return SELO_OK;
}
