/*
 * Internal declarations shared by the node_*.c files: the states of the state machine, and the
 * functions that one file calls in another [docs/protocol.md, state machines].
 */
#ifndef SELO_LINK_NODE_STATE_H
#define SELO_LINK_NODE_STATE_H

#include "../../selo.h"

/* node.state: the handshake under way. There is at most one. */
enum {
    STATE_IDLE,
#if SELO_LINK_HYBRID
    STATE_OPENING, /* exchanges PAIR-STEP and PAIR-PIECE */
    STATE_OPENED,  /* has the secret of ML-KEM; the next poll sends PAIR-COMMIT */
#endif
    STATE_COMMITTING, /* waits for PAIR-KEY */
    STATE_COMPARING,  /* waits for the operator and PAIR-RESULT */
    STATE_JOINING,    /* waits for JOIN-ACCEPT */
    STATE_WAITING     /* a join has failed; the next one begins at node.due */
};

/* node.flags */
enum {
    FLAG_BEGUN = 1,        /* selo_node_begin succeeded */
    FLAG_PAIRED = 2,       /* there is a device key */
    FLAG_JOINED = 4,       /* there is a session */
    FLAG_JOIN_WANTED = 8,  /* the node joins again when no handshake is under way */
    FLAG_ACKNOWLEDGE = 16, /* node.acknowledge is due */
    FLAG_SAME_DIGITS = 32, /* comparing: the operator has confirmed at the node */
    FLAG_RESULT = 64,      /* comparing: the operator has confirmed at the gateway */
    FLAG_ECHOED = 128      /* joining: the cookie of this transmission was sent back */
};

/* Returns 1 if node.opening is in use. There is no session then. Without hybrid pairing it is 0. */
static inline uint8_t selo_node_is_opening(const struct selo_node *node)
{
#if SELO_LINK_HYBRID
    return node->state == STATE_OPENING || node->state == STATE_OPENED;
#else
    (void)node;
    return 0;
#endif
}

/* node.events is a set of bits. */
void selo_node_raise(struct selo_node *node, enum selo_node_event event);

uint32_t selo_node_now(const struct selo_node *node);
/* Returns 1 if the time `due` has come, else 0. */
uint8_t selo_node_is_due(const struct selo_node *node, uint32_t due);

/* Writes 32 random bytes. */
void selo_node_draw(struct selo_node *node, uint8_t out[32]);

/* Returns the wait for an answer to a frame that has been sent `repeats` times before. The wait
 * grows with the last byte of the frame, which belongs to its tag. Nodes whose frames collided
 * therefore choose different waits, and no random number is drawn. */
uint16_t selo_node_patience(const uint8_t *frame, uint8_t size, uint8_t repeats);

/* Sends a frame. */
enum selo_status selo_node_transmit(struct selo_node *node, const uint8_t *frame, uint8_t size);

/* Wipes the handshake and sets the state to idle. */
void selo_node_end_handshake(struct selo_node *node);

/* Stops repeating the confirmed payload, if one is under way. */
void selo_node_give_up_confirmed(struct selo_node *node);

/* Wipes the session, if there is one, and gives up a confirmed payload. */
void selo_node_end_session(struct selo_node *node);

/* Stores a record with this id and key (null for no key), a new seed, and the join counter advanced
 * by `reserve`. Afterwards the node has these values. SELO_ERROR_STORE changes nothing. */
enum selo_status selo_node_store(struct selo_node *node, uint32_t id, const uint8_t *key,
                                 uint8_t reserve);

/* Each processes one frame of its type, and checks its size. */
void selo_node_take_pair_key(struct selo_node *node, uint8_t size);
void selo_node_take_pair_result(struct selo_node *node, uint8_t size);
void selo_node_take_pair_piece(struct selo_node *node, uint8_t size);
void selo_node_take_join_accept(struct selo_node *node, uint8_t size);
void selo_node_take_cookie(struct selo_node *node, uint8_t size);
void selo_node_take_down(struct selo_node *node, uint8_t size);
void selo_node_take_hint(struct selo_node *node, uint8_t size);

/* Sends PAIR-COMMIT. In a hybrid pairing the state must be STATE_OPENED. */
void selo_node_commit(struct selo_node *node);
/* Begins the first part of a hybrid pairing: sends PAIR-OPEN. Afterwards STATE_OPENED has h and the
 * secret of ML-KEM in node.opening. */
void selo_node_open(struct selo_node *node);
/* Repeats the last frame of the first part. */
void selo_node_repeat_opening(struct selo_node *node);
/* Ends a pairing that has failed. */
void selo_node_fail_pairing(struct selo_node *node);

/* Each does the work that is due at node.due, in the states of a pairing or of a join. */
void selo_node_continue_pairing(struct selo_node *node);
void selo_node_continue_joining(struct selo_node *node);

/* Sends an acknowledgement without a payload, if one is due. */
void selo_node_acknowledge(struct selo_node *node);
/* Repeats or gives up the confirmed payload, if that is due. */
void selo_node_repeat_confirmed(struct selo_node *node);

#endif
