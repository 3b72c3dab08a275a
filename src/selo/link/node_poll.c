/* One poll of a node: process a frame, do the work that is due, report an event. */
#include "frame.h"
#include "limits.h"
#include "node_state.h"

static void take(struct selo_node *node, uint8_t size)
{
    switch (node->frame[0]) {
    case SELO_FRAME_PAIR_KEY:
        selo_node_take_pair_key(node, size);
        break;
    case SELO_FRAME_PAIR_CONFIRMED:
    case SELO_FRAME_PAIR_REJECTED:
        selo_node_take_pair_result(node, size);
        break;
#if SELO_LINK_HYBRID
    case SELO_FRAME_PAIR_PIECE:
        selo_node_take_pair_piece(node, size);
        break;
#endif
    case SELO_FRAME_JOIN_ACCEPT:
        selo_node_take_join_accept(node, size);
        break;
    case SELO_FRAME_COOKIE:
        selo_node_take_cookie(node, size);
        break;
    case SELO_FRAME_HINT:
    case SELO_FRAME_HINT | SELO_FRAME_WIDE:
        selo_node_take_hint(node, size);
        break;
    default:
        if ((node->frame[0] & SELO_FRAME_TYPE) == SELO_FRAME_DOWN
            || (node->frame[0] & SELO_FRAME_TYPE) == SELO_FRAME_DOWN_RESUMED) {
            selo_node_take_down(node, size);
        }
        break;
    }
}

static uint8_t wants_join(const struct selo_node *node)
{
    return (node->flags & FLAG_JOIN_WANTED)
           || ((node->flags & FLAG_JOINED) && node->session.up_next >= SELO_LINK_SESSION_FRAMES);
}

uint8_t selo_node_is_waiting(const struct selo_node *node)
{
    const uint8_t busy = node->state == STATE_IDLE ? wants_join(node)
                                                   : node->state != STATE_WAITING;

    return busy || node->events != 0 || node->confirmed.size != 0
           || (node->flags & FLAG_ACKNOWLEDGE) != 0;
}

static void tick(struct selo_node *node)
{
    if (!selo_node_is_opening(node)) {
        selo_node_repeat_confirmed(node);
    }
    if (node->state == STATE_IDLE) {
        if (wants_join(node)) {
            selo_node_continue_joining(node);
        }
    } else if (selo_node_is_due(node, node->due)) {
        if (node->state <= STATE_COMPARING) {
            selo_node_continue_pairing(node);
        } else {
            selo_node_continue_joining(node);
        }
    }
}

/* Report DELIVERED before RECEIVED. A received payload stays until the next poll. */
static enum selo_node_event next_event(struct selo_node *node)
{
    uint8_t event = SELO_NODE_LOST;

    while (event != SELO_NODE_NOTHING && !(node->events & 1 << (event - 1))) {
        event--;
    }
    if (event != SELO_NODE_NOTHING) {
        node->events &= (uint8_t)~(1 << (event - 1));
    }
    return (enum selo_node_event)event;
}

enum selo_node_event selo_node_poll(struct selo_node *node)
{
    if (!(node->flags & FLAG_BEGUN)) {
        return SELO_NODE_NOTHING;
    }
#if SELO_LINK_HYBRID
    if (node->state == STATE_OPENED) {
        selo_node_commit(node); /* in a poll of its own, when the workspace has left the stack */
    }
#endif
    if (node->events == 0) {
        uint8_t size;
        node->received_size = 0;
        selo_node_acknowledge(node); /* no payload has carried the acknowledgement */
        size = node->hal->receive(node->hal->context, node->frame);
        if (size != 0 && size <= SELO_LINK_FRAME_MAX) {
            take(node, size);
        }
        if (node->events == 0) {
            selo_node_acknowledge(node);
            tick(node);
        }
    }
    return next_event(node);
}
