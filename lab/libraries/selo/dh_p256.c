/* Selo's ECDH on P-256 in the lab. The shared secret includes the check of the peer's point. */
#include "agent.h"
#include "selo_p256.h"

enum { SECRET = 32, POINT = 64 };

static uint8_t keygen(struct agent_call *call)
{
    if (call->in[0].size != SECRET)
        return AGENT_BAD_SIZE;
    const uint8_t *secret = call->in[0].data;
    uint8_t *public_key = call->out;
    enum selo_status status;
    AGENT_MEASURE(status = selo_p256_keygen(public_key, secret));
    call->out_size = POINT;
    return (uint8_t)status;
}

static uint8_t shared_secret(struct agent_call *call)
{
    if (call->in[0].size != SECRET || call->in[1].size != POINT)
        return AGENT_BAD_SIZE;
    const uint8_t *secret = call->in[0].data, *peer = call->in[1].data;
    uint8_t *shared = call->out;
    enum selo_status status;
    AGENT_MEASURE(status = selo_p256_shared_secret(shared, secret, peer));
    call->out_size = SECRET;
    return (uint8_t)status;
}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEYGEN, "keygen", keygen)
    AGENT_OPERATION(SHARED_SECRET, "shared-secret", shared_secret))
