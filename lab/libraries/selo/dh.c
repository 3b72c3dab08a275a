/* Selo's X25519 in the lab: key generation (dh1) and the shared secret (dh2). */
#include "agent.h"
#include "selo.h"

enum { POINT = 32 };

static uint8_t keygen(struct agent_call *call)
{
    if (call->in[0].size != POINT)
        return AGENT_BAD_SIZE;
    const uint8_t *secret = call->in[0].data;
    uint8_t *public_key = call->out;
    AGENT_MEASURE(selo_x25519_keygen(public_key, secret));
    call->out_size = POINT;
    return SELO_OK;
}

static uint8_t shared_secret(struct agent_call *call)
{
    if (call->in[0].size != POINT || call->in[1].size != POINT)
        return AGENT_BAD_SIZE;
    const uint8_t *secret = call->in[0].data, *peer = call->in[1].data;
    uint8_t *shared = call->out;
    enum selo_status status;
    AGENT_MEASURE(status = selo_x25519_shared_secret(shared, secret, peer));
    call->out_size = POINT;
    return (uint8_t)status;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEYGEN, "keygen", keygen)
    AGENT_OPERATION(SHARED_SECRET, "shared-secret", shared_secret))
