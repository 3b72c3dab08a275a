/* Sends JOIN-REQUEST, and processes JOIN-ACCEPT and COOKIE [docs/protocol.md, state machines,
 * under load]. */
#include <string.h>

#include "../common/compiler.h"
#include "frame.h"
#include "join.h"
#include "limits.h"
#include "node_state.h"

/* Sends the request. A failed transmission is ignored, because the request will be repeated. */
static void request(struct selo_node *node)
{
    const struct selo_join *join = &node->handshake.join;

    (void)selo_node_transmit(node, join->request, sizeof join->request);
    node->due = selo_node_now(node)
                + selo_node_patience(join->request, sizeof join->request, node->sent);
    node->sent++;
    node->flags &= (uint8_t)~FLAG_ECHOED;
}

/* Starts a new request, with a reserved counter and a new ephemeral key. */
static enum selo_status start(struct selo_node *node)
{
    struct selo_join *join = &node->handshake.join;

    if (node->reserved == 0) {
        enum selo_status status
            = selo_node_store(node, node->id, node->key, SELO_LINK_JOIN_RESERVE);
        if (status != SELO_OK) {
            return status;
        }
    }
    selo_node_end_handshake(node);
    selo_node_draw(node, join->key);
    node->reserved--;
    selo_join_start(join, node->id, node->key, node->join_counter++);
    node->flags &= (uint8_t)~FLAG_JOIN_WANTED;
    node->state = STATE_JOINING;
    node->sent = 0;
    request(node);
    return SELO_OK;
}

/* A random wait between half of the longest wait and all of it, in 4,096 steps. */
static SELO_STACK_APART uint32_t wait(struct selo_node *node)
{
    uint8_t bytes[32];
    const uint32_t half = ((uint32_t)SELO_LINK_JOIN_WAIT << node->failures) / 2;

    selo_node_draw(node, bytes);
    return half + (half * (selo_link_get(bytes, 2) >> 4) >> 12);
}

/* Ends the failed attempt and schedules the next one. */
static void fail(struct selo_node *node)
{
    selo_node_end_handshake(node);
    node->state = STATE_WAITING;
    node->due = selo_node_now(node) + wait(node);
    if (node->failures < SELO_LINK_JOIN_WAIT_DOUBLINGS) {
        node->failures++;
    }
}

enum selo_status selo_node_join(struct selo_node *node)
{
    if (!(node->flags & FLAG_PAIRED) || node->state == STATE_COMMITTING
        || node->state == STATE_COMPARING || selo_node_is_opening(node)) {
        return SELO_ERROR_STATE;
    }
    if (node->state == STATE_JOINING) {
        return SELO_OK; /* a request is already under way */
    }
    node->failures = 0;
    return start(node);
}

void selo_node_take_join_accept(struct selo_node *node, uint8_t size)
{
    enum selo_status status;

    if (node->state != STATE_JOINING || size != SELO_FRAME_JOIN_SIZE) {
        return;
    }
    status = selo_join_finish(&node->handshake.join, &node->session, node->frame);
    if (status == SELO_ERROR_KEY) {
        fail(node);
    }
    if (status != SELO_OK) {
        return;
    }
    selo_node_end_handshake(node);
    selo_node_give_up_confirmed(node); /* it was sealed for the previous session */
    node->flags &= (uint8_t)~(FLAG_JOIN_WANTED | FLAG_ACKNOWLEDGE);
    node->flags |= FLAG_JOINED;
    node->failures = 0;
    selo_node_raise(node, SELO_NODE_JOINED);
}

/* Proves to a gateway under load that the node receives at this address, and repeats the request. A
 * cookie that does not contain the last bytes of this request comes from a stranger. Only the
 * first cookie after each transmission counts, so an eavesdropper can at most double the number
 * of frames that the node sends. */
void selo_node_take_cookie(struct selo_node *node, uint8_t size)
{
    const struct selo_join *join = &node->handshake.join;
    uint8_t *frame = node->frame;

    if (node->state != STATE_JOINING || size != SELO_FRAME_COOKIE_SIZE
        || (node->flags & FLAG_ECHOED)
        || memcmp(frame + 1, join->request + sizeof join->request - 4, 4) != 0) {
        return;
    }
    node->flags |= FLAG_ECHOED;
    frame[0] = SELO_FRAME_COOKIE_ECHO;
    memcpy(frame + 1, join->request + 1, 4); /* the id */
    (void)selo_node_transmit(node, frame, SELO_FRAME_COOKIE_SIZE);
    (void)selo_node_transmit(node, join->request, sizeof join->request);
}

void selo_node_continue_joining(struct selo_node *node)
{
    if (node->state == STATE_JOINING && node->sent < SELO_LINK_TRANSMISSIONS) {
        request(node);
    } else if (node->state == STATE_JOINING || start(node) != SELO_OK) {
        fail(node);
    }
}
