/* A node of the published protocol (docs/protocol.md, Classic) on a board's emulator. It agrees on a
 * key and sends one reading, as link.c does with the link. It authenticates nobody. */
#include "client.h"
#include "node.h"

#include <selo.h>
#include <string.h>

enum { PADDED_BYTES = 32, REQUEST = 0xc0, GATEWAY_KEY, NODE_KEY, BLOCKS };

static struct selo_aes256_small key;

static const char *agree(void)
{
    static const uint8_t request = REQUEST;
    uint8_t frame[33], secret[32], shared[32];
    struct selo_sha3 hash;
    enum selo_status status;
    if (node_send(&request, 1) != 0 || node_receive(frame, sizeof frame) != sizeof frame ||
        frame[0] != GATEWAY_KEY)
        return "no key of the gateway came";
    if (client_random(secret, sizeof secret) != 0)
        return "no randomness";
    status = selo_x25519_shared_secret(shared, secret, frame + 1);
    if (status != SELO_OK)
        return "the gateway's key is a bad one";
    frame[0] = NODE_KEY;
    selo_x25519_keygen(frame + 1, secret);
    selo_sha3_256_start(&hash);
    selo_sha3_update(&hash, shared, sizeof shared);
    selo_sha3_finish(&hash, shared);
    selo_aes256_small_setup(&key, shared);
    selo_wipe(secret, sizeof secret);
    selo_wipe(shared, sizeof shared);
    return node_send(frame, sizeof frame) == 0 ? NULL : "the node's key was not sent";
}

/* PKCS #7 [RFC5652, 6.3]: a whole block of padding, because a reading is one block. */
static const char *seal(const uint8_t reading[READING_BYTES])
{
    uint8_t frame[1 + PADDED_BYTES];
    frame[0] = BLOCKS;
    memcpy(frame + 1, reading, READING_BYTES);
    memset(frame + 1 + READING_BYTES, PADDED_BYTES - READING_BYTES, PADDED_BYTES - READING_BYTES);
    for (uint8_t at = 1; at < sizeof frame; at += 16)
        selo_aes256_small_encrypt(&key, frame + at, frame + at);
    return node_send(frame, sizeof frame) == 0 ? NULL : "the reading was not sent";
}

static void perform(void)
{
    node_perform(agree, seal);
}

int main(void)
{
    return client_run(perform);
}
