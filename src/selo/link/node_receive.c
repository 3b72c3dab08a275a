/* Processes DOWN and HINT [docs/protocol.md, data, a lost session]. */
#include <string.h>

#include "frame.h"
#include "limits.h"
#include "node_state.h"
#include "session.h"

/* Delivers the plaintext of a DOWN, which follows the header. */
static void deliver(struct selo_node *node, uint8_t size)
{
    const uint8_t flags = node->frame[0];
    const uint8_t header_size = selo_session_header_size(&node->session, flags);
    const uint8_t *at = node->frame + header_size;

    size = (uint8_t)(size - header_size - selo_session_tag_size(&node->session));
    if (flags & SELO_FRAME_ACK) {
        if (node->confirmed.size != 0 && selo_link_get(at, 2) == node->confirmed.counter) {
            node->confirmed.size = 0;
            selo_node_raise(node, SELO_NODE_DELIVERED);
        }
        at += 2;
        size = (uint8_t)(size - 2);
        if (size == 0) {
            return; /* the frame is only an acknowledgement */
        }
    }
    memmove(node->received, at, size);
    node->received_size = size;
    selo_node_raise(node, SELO_NODE_RECEIVED);
}

/* Acknowledges the DOWN in node->frame at the next opportunity. */
static void ask_to_acknowledge(struct selo_node *node)
{
    const uint8_t at
        = (uint8_t)(selo_session_header_size(&node->session, node->frame[0]) - 2);

    node->acknowledge = (uint16_t)selo_link_get(node->frame + at, 2);
    node->flags |= FLAG_ACKNOWLEDGE;
}

void selo_node_take_down(struct selo_node *node, uint8_t size)
{
    const uint32_t now = selo_node_now(node);
    const uint8_t again = now - node->acknowledged_again >= SELO_LINK_ACKNOWLEDGE_AGAIN;

    if (!(node->flags & FLAG_JOINED)) {
        return;
    }
    switch (selo_session_open(&node->session, node->frame, size, again)) {
    case SELO_SESSION_DROPPED:
        break;
    case SELO_SESSION_FORGED:
        if (++node->session.forged == SELO_LINK_SESSION_FORGERIES) {
            selo_node_end_session(node);
            node->flags |= FLAG_JOIN_WANTED;
            selo_node_raise(node, SELO_NODE_LOST);
        }
        break;
    case SELO_SESSION_REPEATED:
        node->acknowledged_again = now;
        ask_to_acknowledge(node);
        break;
    case SELO_SESSION_ACCEPTED:
        node->session.unheard = 0;
        if (node->frame[0] & SELO_FRAME_ACK_REQUEST) {
            ask_to_acknowledge(node);
        }
        deliver(node, size);
        break;
    }
}

/* Anyone can send a hint. It makes the node request an acknowledgement and has no other effect. */
void selo_node_take_hint(struct selo_node *node, uint8_t size)
{
    const struct selo_session *session = &node->session;
    const uint8_t wide = session->format & SELO_FRAME_WIDE;

    if ((node->flags & FLAG_JOINED) && node->frame[0] == (SELO_FRAME_HINT | wide)
        && size == (wide ? 5 : 3)
        && selo_link_get(node->frame + 1, wide ? 4 : 2) == session->id
        && session->unheard < SELO_LINK_UNHEARD_HINT) {
        node->session.unheard = SELO_LINK_UNHEARD_HINT;
    }
}
