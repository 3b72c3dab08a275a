/*
 * What the node_*.c files share: the state machine's names, and the calls from
 * one part to another [docs/protocol.md, state machines].
 */
#ifndef SELO_LINK_NODE_STATE_H
#define SELO_LINK_NODE_STATE_H

#include "../../selo.h"

/* node.state: the handshake, one at a time. */
enum {
    STATE_IDLE,
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
    FLAG_SAME_DIGITS = 32, /* comparing: the operator has confirmed here */
    FLAG_RESULT = 64,      /* comparing: and at the gateway */
    FLAG_ECHOED = 128      /* joining: this transmission's cookie was sent back */
};

/* node.events is a set of bits. */
void selo_node_raise(struct selo_node *node, enum selo_node_event event);

uint32_t selo_node_now(const struct selo_node *node);
/* Whether `due` has come. */
uint8_t selo_node_is_due(const struct selo_node *node, uint32_t due);

/* 32 random bytes. */
void selo_node_draw(struct selo_node *node, uint8_t out[32]);

/* How long to wait for the answer to a frame that was sent `repeats` times before. Its last
 * byte, of a tag, says how much longer than the shortest: nodes whose frames met in the air do
 * not meet again, and nothing is drawn for it. */
uint16_t selo_node_patience(const uint8_t *frame, uint8_t size, uint8_t repeats);

/* Sends a frame. */
enum selo_status selo_node_transmit(struct selo_node *node, const uint8_t *frame, uint8_t size);

/* Wipes the handshake; the state is then idle. */
void selo_node_end_handshake(struct selo_node *node);

/* A confirmed payload on its way, if there is one, is no longer repeated. */
void selo_node_give_up_confirmed(struct selo_node *node);

/* Wipes the session, if there is one, and gives up a confirmed payload. */
void selo_node_end_session(struct selo_node *node);

/* Stores a record with this id and key (null: none), a fresh seed and the next join counter,
 * moved `reserve` ahead; then they are the node's. SELO_ERROR_STORE changes nothing. */
enum selo_status selo_node_store(struct selo_node *node, uint32_t id, const uint8_t *key,
                                 uint8_t reserve);

/* What a frame of its type does; the size is checked here. */
void selo_node_take_pair_key(struct selo_node *node, uint8_t size);
void selo_node_take_pair_result(struct selo_node *node, uint8_t size);
void selo_node_take_join_accept(struct selo_node *node, uint8_t size);
void selo_node_take_cookie(struct selo_node *node, uint8_t size);
void selo_node_take_down(struct selo_node *node, uint8_t size);
void selo_node_take_hint(struct selo_node *node, uint8_t size);

/* What is done when node.due has come, in the states of a pairing and of a join. */
void selo_node_continue_pairing(struct selo_node *node);
void selo_node_continue_joining(struct selo_node *node);

/* Acknowledges what is to be acknowledged, if anything is, without a payload. */
void selo_node_acknowledge(struct selo_node *node);
/* Repeats or gives up a confirmed payload, if it is time. */
void selo_node_repeat_confirmed(struct selo_node *node);

#endif
