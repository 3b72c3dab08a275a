/* Sends the messages of the first part of a hybrid pairing [docs/protocol.md, hybrid pairing]. */
#include <string.h>

#include "node_state.h"

#if SELO_LINK_HYBRID

#include "../common/compiler.h"
#include "frame.h"
#include "limits.h"
#include "opening.h"

_Static_assert(sizeof(struct selo_opening) >= sizeof(struct selo_pairing)
                   && sizeof(struct selo_opening) >= sizeof(struct selo_join),
               "selo_node_end_handshake wipes the handshake with the opening");

void selo_node_repeat_opening(struct selo_node *node)
{
    const struct selo_opening *opening = &node->opening;

    (void)selo_node_transmit(node, opening->frame, opening->size);
    node->due = selo_node_now(node)
                + (opening->step == 0 ? SELO_LINK_PAIR_REPEAT : SELO_LINK_REPEAT);
}

static SELO_STACK_APART void draw_mark(struct selo_node *node)
{
    uint8_t bytes[32];

    selo_node_draw(node, bytes);
    memcpy(node->opening.frame + 1, bytes, 4);
}

void selo_node_open(struct selo_node *node)
{
    if (node->flags & FLAG_JOINED) {
        node->flags |= FLAG_JOIN_WANTED; /* the node joins again if the pairing fails */
    }
    selo_node_end_session(node); /* the opening takes its memory */
    draw_mark(node);
    selo_node_draw(node, node->opening.secret);
    selo_opening_start(&node->opening, node->id);
    node->state = STATE_OPENING;
    node->sent = 0;
    selo_node_repeat_opening(node);
}

void selo_node_take_pair_piece(struct selo_node *node, uint8_t size)
{
    struct selo_opening *opening = &node->opening;
    struct selo_node_workspace *workspace = node->workspace;

    if (node->state != STATE_OPENING || !workspace
        || !selo_opening_expects(opening, node->frame, size)) {
        return;
    }
    if (selo_opening_take(opening, workspace, node->frame, size) != SELO_OK) {
        selo_node_fail_pairing(node);
    } else if (selo_opening_is_complete(opening)) {
        node->state = STATE_OPENED; /* nothing is due before the next poll */
        node->due = selo_node_now(node) + SELO_LINK_PAIR_REPEAT;
    } else {
        selo_node_repeat_opening(node);
    }
}

void selo_node_lend(struct selo_node *node, struct selo_node_workspace *workspace)
{
    if (node->workspace && node->workspace != workspace && node->state == STATE_OPENING
        && node->opening.step != 0) {
        selo_node_fail_pairing(node); /* its state is in the workspace that is taken away */
    }
    node->workspace = workspace;
}

uint8_t selo_node_needs_workspace(const struct selo_node *node)
{
    return node->state == STATE_OPENING;
}

#else
typedef int selo_node_open_is_empty; /* ISO C does not permit an empty file */
#endif
