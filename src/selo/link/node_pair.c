/* Sends the messages of a pairing, and ends it [docs/protocol.md, state machines]. */
#include <stddef.h>
#include <string.h>

#include "../common/compiler.h"
#include "frame.h"
#include "limits.h"
#include "node_state.h"
#include "pairing.h"

enum { TICKS = SELO_LINK_PAIR_TIME / SELO_LINK_PAIR_REPEAT };

void selo_node_fail_pairing(struct selo_node *node)
{
    selo_node_end_handshake(node);
    selo_node_raise(node, SELO_NODE_PAIR_FAILED);
}

/* Sends the last frame. A failed transmission is ignored, because the frame will be repeated. */
static void repeat(struct selo_node *node)
{
    const struct selo_pairing *pairing = &node->handshake.pairing;

    if (node->state == STATE_COMMITTING) {
        (void)selo_node_transmit(node, pairing->commit, sizeof pairing->commit);
    } else {
        (void)selo_node_transmit(node, pairing->reveal, sizeof pairing->reveal);
    }
    node->due = selo_node_now(node) + SELO_LINK_PAIR_REPEAT;
}

static SELO_STACK_APART void draw(struct selo_node *node)
{
    struct selo_pairing *pairing = &node->handshake.pairing;
    uint8_t bytes[32];

    selo_node_draw(node, pairing->key);
    selo_node_draw(node, bytes);
    memcpy(pairing->reveal + sizeof pairing->reveal - 16, bytes, 16);
    selo_wipe(bytes, sizeof bytes);
}

void selo_node_commit(struct selo_node *node)
{
#if SELO_LINK_HYBRID
    struct selo_opening *opening = &node->opening;

    /* The rest of it lies where the pairing and the session are. */
    selo_wipe(opening->frame, sizeof *opening - offsetof(struct selo_opening, frame));
    memcpy(node->handshake.pairing.commit + SELO_FRAME_COMMITMENT, opening->h, 32);
#endif
    draw(node);
    selo_pairing_start(&node->handshake.pairing, node->id);
    node->state = STATE_COMMITTING;
    node->sent = 0;
    repeat(node);
}

enum selo_status selo_node_pair(struct selo_node *node)
{
    if (!(node->flags & FLAG_BEGUN)) {
        return SELO_ERROR_STATE;
    }
    if (node->state >= STATE_JOINING) {
        node->flags |= FLAG_JOIN_WANTED; /* the join continues if the pairing fails */
    }
    selo_node_end_handshake(node);
#if SELO_LINK_HYBRID
    selo_node_open(node);
#else
    selo_node_commit(node);
#endif
    return SELO_OK;
}

uint32_t selo_node_digits(const struct selo_node *node)
{
    return node->state == STATE_COMPARING ? node->handshake.pairing.digits : 0;
}

/* Ends the pairing after both sides have confirmed. If the key cannot be stored, each repetition
 * tries again. */
static enum selo_status complete(struct selo_node *node)
{
    enum selo_status status
        = selo_node_store(node, node->id, node->handshake.pairing.key, node->reserved);

    if (status == SELO_OK) {
        selo_node_end_handshake(node);
        selo_node_end_session(node); /* it belongs to the old key */
        node->flags &= (uint8_t)~FLAG_JOIN_WANTED;
        selo_node_raise(node, SELO_NODE_PAIRED);
    }
    return status;
}

static uint8_t is_complete(const struct selo_node *node)
{
    return (node->flags & FLAG_SAME_DIGITS) && (node->flags & FLAG_RESULT);
}

enum selo_status selo_node_confirm(struct selo_node *node, uint8_t same)
{
    if (node->state != STATE_COMPARING
        && (same || (node->state != STATE_COMMITTING && !selo_node_is_opening(node)))) {
        return SELO_ERROR_STATE;
    }
    if (!same) {
        selo_node_fail_pairing(node);
        return SELO_OK;
    }
    node->flags |= FLAG_SAME_DIGITS;
    return is_complete(node) ? complete(node) : SELO_OK;
}

void selo_node_take_pair_key(struct selo_node *node, uint8_t size)
{
    if (node->state != STATE_COMMITTING || size != SELO_FRAME_PAIR_KEY_SIZE
        || selo_link_get(node->frame + 1, 4) != node->id) {
        return;
    }
    if (selo_pairing_derive(&node->handshake.pairing, node->frame) != SELO_OK) {
        selo_node_fail_pairing(node);
        return;
    }
    node->state = STATE_COMPARING;
    selo_node_raise(node, SELO_NODE_DIGITS);
    repeat(node);
}

void selo_node_take_pair_result(struct selo_node *node, uint8_t size)
{
    const uint8_t confirmed = node->frame[0] == SELO_FRAME_PAIR_CONFIRMED;

    if (node->state != STATE_COMPARING || size != SELO_FRAME_PAIR_RESULT_SIZE
        || selo_link_get(node->frame + 1, 4) != node->id
        || !selo_pairing_verify(&node->handshake.pairing, node->frame)) {
        return;
    }
    if (!confirmed) {
        selo_node_fail_pairing(node);
        return;
    }
    node->flags |= FLAG_RESULT;
    if (is_complete(node)) {
        (void)complete(node);
    }
}

void selo_node_continue_pairing(struct selo_node *node)
{
    if (++node->sent == TICKS) {
        selo_node_fail_pairing(node);
#if SELO_LINK_HYBRID
    } else if (node->state == STATE_OPENING) {
        selo_node_repeat_opening(node);
#endif
    } else if (!(node->flags & FLAG_RESULT)) {
        repeat(node);
    } else {
        node->due = selo_node_now(node) + SELO_LINK_PAIR_REPEAT;
        if (is_complete(node)) {
            (void)complete(node);
        }
    }
}
