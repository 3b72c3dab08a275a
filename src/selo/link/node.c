/* Functions that all states of a node share. */
#include "node_state.h"
#include "random.h"

void selo_node_raise(struct selo_node *node, enum selo_node_event event)
{
    node->events = (uint8_t)(node->events | 1 << (event - 1));
}

uint32_t selo_node_now(const struct selo_node *node)
{
    return node->hal->milliseconds(node->hal->context);
}

uint8_t selo_node_is_due(const struct selo_node *node, uint32_t due)
{
    return (int32_t)(selo_node_now(node) - due) >= 0;
}

void selo_node_draw(struct selo_node *node, uint8_t out[32])
{
    selo_random_draw(node->random, out);
}

enum selo_status selo_node_transmit(struct selo_node *node, const uint8_t *frame, uint8_t size)
{
    return node->hal->send(node->hal->context, frame, size) == SELO_OK ? SELO_OK
                                                                       : SELO_ERROR_SEND;
}

void selo_node_end_handshake(struct selo_node *node)
{
#if SELO_LINK_HYBRID
    if (selo_node_is_opening(node)) {
        selo_wipe(&node->opening, sizeof node->opening);
        if (node->workspace) {
            selo_wipe(node->workspace, sizeof *node->workspace);
        }
    }
#endif
    selo_wipe(&node->handshake, sizeof node->handshake);
    node->flags &= (uint8_t)~(FLAG_SAME_DIGITS | FLAG_RESULT);
    node->state = STATE_IDLE;
}

void selo_node_give_up_confirmed(struct selo_node *node)
{
    if (node->confirmed.size != 0) {
        node->confirmed.size = 0;
        selo_node_raise(node, SELO_NODE_UNDELIVERED);
    }
}

void selo_node_end_session(struct selo_node *node)
{
    selo_wipe(&node->session, sizeof node->session);
    node->flags &= (uint8_t)~(FLAG_JOINED | FLAG_ACKNOWLEDGE);
    selo_node_give_up_confirmed(node);
}

uint8_t selo_node_is_paired(const struct selo_node *node)
{
    return (node->flags & FLAG_PAIRED) != 0;
}

uint8_t selo_node_is_joined(const struct selo_node *node)
{
    return (node->flags & FLAG_JOINED) != 0;
}

uint32_t selo_node_id(const struct selo_node *node)
{
    return node->id;
}
