/* Sends payloads, acknowledgements and repetitions [docs/protocol.md, data, a lost session]. */
#include <string.h>

#include "../common/compiler.h"
#include "frame.h"
#include "limits.h"
#include "node_state.h"
#include "session.h"

/* Counts an UP that was sent since the last DOWN. */
static void count_unheard(struct selo_node *node)
{
    uint8_t *unheard = &node->session.unheard;

    if (*unheard < SELO_LINK_UNHEARD_LOST && ++*unheard == SELO_LINK_UNHEARD_LOST) {
        node->flags |= FLAG_JOIN_WANTED;
        selo_node_raise(node, SELO_NODE_LOST);
    }
}

uint16_t selo_node_patience(const uint8_t *frame, uint8_t size, uint8_t repeats)
{
    const uint16_t first = (uint16_t)(SELO_LINK_REPEAT + SELO_LINK_REPEAT_STEP * frame[size - 1]);

    return (uint16_t)(first << repeats);
}

enum selo_status selo_node_send(struct selo_node *node, const void *payload, uint8_t size,
                                uint8_t flags)
{
    uint8_t frame[SELO_LINK_FRAME_MAX];
    uint8_t frame_flags = 0, frame_size;
    const uint16_t counter = (uint16_t)node->session.up_next;

    if ((flags & ~SELO_NODE_CONFIRMED) != 0) {
        return SELO_ERROR_ARGUMENT;
    }
    if (!(node->flags & FLAG_JOINED) || (flags && node->confirmed.size != 0)) {
        return SELO_ERROR_STATE;
    }
    if (size > selo_session_room(&node->session)) {
        return SELO_ERROR_SPACE;
    }
    if (flags || node->session.unheard >= SELO_LINK_UNHEARD_ASK) {
        frame_flags |= SELO_FRAME_ACK_REQUEST;
    }
    /* An empty payload carries no acknowledgement: with one, the gateway would not deliver it. */
    if (size != 0 && (node->flags & FLAG_ACKNOWLEDGE)) {
        frame_flags |= SELO_FRAME_ACK;
        node->flags &= (uint8_t)~FLAG_ACKNOWLEDGE;
    }
    frame_size = selo_session_seal(&node->session, frame, frame_flags, node->acknowledge, payload,
                                   size);
    if (frame_size == 0) {
        return SELO_ERROR_STATE;
    }
    if (selo_node_transmit(node, frame, frame_size) != SELO_OK) {
        return SELO_ERROR_SEND;
    }
    count_unheard(node);
    if (flags) {
        memcpy(node->confirmed.frame, frame, frame_size);
        node->confirmed.size = frame_size;
        node->confirmed.counter = counter;
        node->confirmed.sent = 1;
        node->confirmed.due = selo_node_now(node) + selo_node_patience(frame, frame_size, 0);
    }
    return SELO_OK;
}

SELO_STACK_APART void selo_node_acknowledge(struct selo_node *node)
{
    uint8_t frame[SELO_LINK_FRAME_MAX];
    uint8_t size;

    if (!(node->flags & FLAG_ACKNOWLEDGE)) {
        return;
    }
    node->flags &= (uint8_t)~FLAG_ACKNOWLEDGE;
    size = selo_session_seal(&node->session, frame, SELO_FRAME_ACK, node->acknowledge, 0, 0);
    if (size != 0) { /* if the frame is lost, the gateway asks again */
        (void)selo_node_transmit(node, frame, size);
    }
}

void selo_node_repeat_confirmed(struct selo_node *node)
{
    if (node->confirmed.size == 0 || !selo_node_is_due(node, node->confirmed.due)) {
        return;
    }
    if (node->confirmed.sent == SELO_LINK_TRANSMISSIONS) {
        selo_node_give_up_confirmed(node);
        return;
    }
    if (selo_node_transmit(node, node->confirmed.frame, node->confirmed.size) == SELO_OK) {
        count_unheard(node);
    }
    node->confirmed.due = selo_node_now(node)
                          + selo_node_patience(node->confirmed.frame, node->confirmed.size,
                                               node->confirmed.sent);
    node->confirmed.sent++;
}
