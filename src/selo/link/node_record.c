/*
 * The stored record and the operations that change it: starting, provisioning, forgetting
 * [docs/protocol.md, what survives a power cut].
 */
#include <string.h>

#include "../common/compiler.h"
#include "frame.h"
#include "limits.h"
#include "node_state.h"
#include "random.h"

/* Offsets of the record's fields. Byte 3 is unused. */
enum {
    VERSION = 0,
    SUITE = 1,
    PAIRED = 2, /* 1: there is a device key */
    ID = 4,
    KEY = 8,
    SEED = 40,
    JOIN_COUNTER = 72
};
enum { RECORD_VERSION = 1 };

/* Completes a record that has its seed, and stores it. Afterwards the node has the record's id and
 * key. */
static enum selo_status write(struct selo_node *node, uint8_t record[SELO_LINK_RECORD_BYTES],
                              uint32_t id, const uint8_t *key, uint8_t reserve)
{
    enum selo_status status = SELO_ERROR_STORE;

    memset(record, 0, SEED);
    record[VERSION] = RECORD_VERSION;
    record[SUITE] = SELO_LINK_SUITE;
    selo_link_put(record + ID, id, 4);
    if (key) {
        record[PAIRED] = 1;
        memcpy(record + KEY, key, 32);
    }
    if (node->join_counter <= UINT32_MAX - reserve) {
        selo_link_put(record + JOIN_COUNTER, node->join_counter + reserve, 4);
        status = node->hal->store(node->hal->context, record);
    }
    if (status == SELO_OK) {
        node->id = id;
        memcpy(node->key, record + KEY, 32);
        node->flags &= (uint8_t)~FLAG_PAIRED;
        if (key) {
            node->flags |= FLAG_PAIRED;
        }
        node->reserved = reserve;
    } else {
        status = SELO_ERROR_STORE;
    }
    selo_wipe(record, SELO_LINK_RECORD_BYTES);
    return status;
}

SELO_STACK_APART enum selo_status selo_node_store(struct selo_node *node, uint32_t id,
                                                  const uint8_t *key, uint8_t reserve)
{
    uint8_t record[SELO_LINK_RECORD_BYTES];

    selo_node_draw(node, record + SEED);
    return write(node, record, id, key, reserve);
}

/* Reads the record. If there is none, makes an empty one and sets *found to 0. */
static enum selo_status load(const struct selo_node *node,
                             uint8_t record[SELO_LINK_RECORD_BYTES], uint8_t *found)
{
    enum selo_status status = node->hal->load(node->hal->context, record);

    *found = status == SELO_OK;
    if (status == SELO_ERROR_STORE) {
        memset(record, 0, SELO_LINK_RECORD_BYTES);
        record[JOIN_COUNTER] = 1;
        return SELO_OK;
    }
    /* An unreadable record must not be treated as absent, and overwritten. */
    if (status != SELO_OK || record[VERSION] != RECORD_VERSION
        || record[SUITE] != SELO_LINK_SUITE || record[PAIRED] > 1) {
        return SELO_ERROR_STORE;
    }
    return SELO_OK;
}

/* Seeds the generator and copies the record's values to the node. */
static enum selo_status start(struct selo_node *node, uint8_t record[SELO_LINK_RECORD_BYTES],
                              uint8_t found)
{
    uint8_t bytes[32];
    uint8_t paired = record[PAIRED];
    uint32_t id = selo_link_get(record + ID, 4);
    enum selo_status status = node->hal->entropy(node->hal->context, bytes, sizeof bytes);

    if (status != SELO_OK) {
        if (!found) {
            return SELO_ERROR_RANDOM;
        }
        memset(bytes, 0, sizeof bytes);
    }
    node->join_counter = selo_link_get(record + JOIN_COUNTER, 4);
    selo_random_seed(node->random, record + KEY, record + SEED, node->join_counter, bytes);
    selo_node_draw(node, record + SEED);
    if (found) {
        memcpy(bytes, record + KEY, 32);
    } else {
        selo_node_draw(node, bytes);
        id = selo_link_get(bytes, 4);
    }
    status = write(node, record, id, paired ? bytes : 0, SELO_LINK_JOIN_RESERVE);
    selo_wipe(bytes, sizeof bytes);
    return status;
}

enum selo_status selo_node_begin(struct selo_node *node, const struct selo_hal *hal)
{
    uint8_t record[SELO_LINK_RECORD_BYTES];
    uint8_t found;
    enum selo_status status;

    selo_wipe(node, sizeof *node);
    node->hal = hal;
    status = load(node, record, &found);
    if (status == SELO_OK) {
        status = start(node, record, found);
    }
    selo_wipe(record, sizeof record);
    if (status == SELO_OK) {
        node->flags |= FLAG_BEGUN;
    } else {
        selo_wipe(node, sizeof *node);
    }
    return status;
}

enum selo_status selo_node_provision(struct selo_node *node, uint32_t id, const uint8_t key[32])
{
    enum selo_status status;

    if (!(node->flags & FLAG_BEGUN)) {
        return SELO_ERROR_STATE;
    }
    status = selo_node_store(node, id, key, node->reserved);
    if (status == SELO_OK) {
        selo_node_end_handshake(node);
        selo_node_end_session(node);
        node->flags &= (uint8_t)~FLAG_JOIN_WANTED;
    }
    return status;
}

enum selo_status selo_node_forget(struct selo_node *node)
{
    enum selo_status status;

    if (!(node->flags & FLAG_BEGUN)) {
        return SELO_ERROR_STATE;
    }
    status = selo_node_store(node, node->id, 0, node->reserved);
    selo_node_end_handshake(node);
    selo_node_end_session(node);
    selo_wipe(node->key, sizeof node->key);
    selo_wipe(node->frame, sizeof node->frame);
    selo_wipe(&node->confirmed, sizeof node->confirmed);
    node->received_size = 0;
    node->events = 0;
    node->flags = FLAG_BEGUN;
    return status;
}
